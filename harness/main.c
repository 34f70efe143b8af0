/* launchgap: what the launch mode costs. The verbs by their names. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "compare/compare.h"
#include "perf_options.h"
#include "run/runner.h"
#include "verbs/verbs.h"

static void find_home(struct home *home)
{
	/* build/launchgap, an installed one, build/standin/launchgap */
	static const char *const places[] = {"..", "../share/launchgap", "../.."};
	char folder[PATH_MAX];
	*home = (struct home){.self = "launchgap"};
	ssize_t n = readlink("/proc/self/exe", home->self, sizeof home->self - 1);
	if (n < 0)
		return;
	home->self[n] = '\0';
	snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(home->self, '/') - home->self),
	         home->self);
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		char place[PATH_MAX + 32], real[PATH_MAX];
		snprintf(place, sizeof place, "%s/%s/experiments", folder, places[i]);
		if (access(place, R_OK))
			continue;
		snprintf(place, sizeof place, "%s/%s", folder, places[i]);
		if (!realpath(place, real))
			continue;
		snprintf(home->experiments, sizeof home->experiments, "%s/experiments", real);
		snprintf(home->plot, sizeof home->plot, "%s/plot", real);
		return;
	}
}

/* Whether a verb's help is requested. The arguments of one that is not for people are not its. */
static bool wants_help(const struct verb *verb, int argc, char *argv[])
{
	for (int i = 2; i < argc && verb->form; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

/* If a standard file is closed, the next file to be opened would take its number, and messages
 * would go there. */
static void fill_standard_files(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			_exit(1);
}

/* Whether the output is incomplete. It is not if the reader stopped reading (`| head`). */
static bool output_is_cut(void)
{
	struct pollfd reader = {.fd = STDOUT_FILENO, .events = POLLOUT};
	bool failed = ferror(stdout) != 0;
	failed = fflush(stdout) || failed;
	return failed && poll(&reader, 1, 0) >= 0 && !(reader.revents & (POLLERR | POLLHUP));
}

/* Called by a link that has a program's name: as `launchgap all_reduce_perf`. The caller frees it;
 * NULL: it is not, or memory is out. */
static char **called_as(int argc, char *argv[])
{
	char *slash = argc ? strrchr(argv[0], '/') : NULL, *name = slash ? slash + 1 : argv[0];
	char **as;
	/* A copy of that name starts itself too, as a worker. */
	if (!argc || !perf_program(name) || (argc > 1 && verb_find(argv[1])) ||
	    !(as = calloc((size_t)argc + 2, sizeof *as)))
		return NULL;
	as[0] = (char *)(size_t) "launchgap"; /* as messages name it */
	as[1] = name;
	memcpy(as + 2, argv + 1, (size_t)(argc - 1) * sizeof *as);
	return as;
}

static int run_verb(int argc, char *argv[])
{
	struct home home;
	struct status st = {0};
	/* `| head`: output that nobody reads is lost, but all files are complete. */
	signal(SIGPIPE, SIG_IGN);
	/* A parent that ignores it would have the kernel take the ends of our children. */
	signal(SIGCHLD, SIG_DFL);
	/* `ulimit -f`: an error message, as for a full disk; of a job by its runner. */
	if (argc < 2 || strcmp(argv[1], "worker"))
		signal(SIGXFSZ, SIG_IGN);
	fill_standard_files();
	find_home(&home);
	if (argc < 2) {
		help_print_all(stderr);
		return 2;
	}
	bool helps = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
	const struct verb *verb = verb_find(helps ? "help" : argv[1]);
	char *help[] = {argv[0], "help", argv[1]};
	int result = !verb                          ? verb_unknown(argv[1], &st)
	             : wants_help(verb, argc, argv) ? verb_help(3, help, &home, &st)
	                                            : verb->call(argc, argv, &home, &st);
	if (st.text[0])
		status_complain(&st);
	if (output_is_cut()) {
		status_set(&st, "the output is incomplete: standard output cannot be written");
		status_complain(&st);
		result = result                               ? result
		         : verb && verb->call == verb_compare ? COMPARE_NOT_DONE
		                                              : 1;
	}
	return result < 0 || (result > COMPARE_MOVED && result != RUN_INTERRUPTED) ? 1 : result;
}

int main(int argc, char *argv[])
{
	char **as = called_as(argc, argv);
	const int result = as ? run_verb(argc + 1, as) : run_verb(argc, argv);
	free(as);
	return result;
}
