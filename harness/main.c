/* launchgap: what the launch mode costs. The verbs by their names. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/compare.h"
#include "machine.h"
#include "mpi/mpi_load.h"
#include "report/nccl_table.h"
#include "report/report.h"
#include "suggest.h"
#include "run/runner.h"
#include "verbs/verbs.h"

typedef int verb_fn(int argc, char *argv[], const struct home *home, struct status *st);

static verb_fn verb_compare, verb_help, verb_version;

/* form: the arguments; "" if there are none; NULL: not for people. The row of all_reduce_perf is of all
 * programs of nccl-tests, which print their own help. */
struct verb {
	const char *name, *form, *summary, *help;
	verb_fn *call;
};

// clang-format off
static const struct verb verbs[] = {
    {"run", "NAME [key=value …]", "measure experiments/NAME.exp and report",
     "  --dry-run       say what would be measured and what it takes; no GPU needed\n"
     "  --quick         the primary claim alone, in about a minute\n"
     "  --no-jobs       a dry run starts no short job to estimate its time\n"
     "  --only A,B      these variants alone, with the reference's twin and the limit\n"
     "  --file FILE     your own experiment file instead of NAME\n"
     "  --results DIR   where DIR/NAME/<UTC stamp>/ goes (default: results)\n"
     "  --resume DIR    add blocks to a run, on the same machine\n"
     "  --no-report     measure only\n"
     "  --no-libraries  refuse a file that names libraries, which may run any code\n"
     "  -v              print all of the report, not only what stands first\n"
     "  --trace         write the stamps as trace.json too, as report does\n"
     "  --format nccl-tests   print its columns instead of our table, as report does\n"
     "  --prometheus FILE, --bigger-is-better FILE, --smaller-is-better FILE\n"
     "                  for other programs, as report does\n"
     "\n"
     "key=value: any key of [experiment], e.g. ranks=4 blocks=6 bytes='4K..1M x4'\n"
     "(launchgap list keys shows all)\n"
     "exit: 0 all measured; 1 something failed; 130 interrupted, with how to resume\n", verb_run},
    {"resume", "DIR [key=value …]", "go on with a run",
     "The record names the experiment and how it was begun. What is missing is\n"
     "measured, first the other trials of a block that was begun; blocks=N: so many\n"
     "blocks, including that one. Options as of run.\n", verb_resume},
    {"join", "NAME [key=value …]", "run in processes that others started",
     "torchrun, srun, Kubernetes, ssh … start one for each GPU, all with this command.\n"
     "They find rank and size in the launcher's variables (RANK and WORLD_SIZE,\n"
     "SLURM_PROCID …, or LAUNCHGAP_RANK and LAUNCHGAP_SIZE) and meet over TCP. Rank 0\n"
     "runs the experiment and has the others start a process for each trial.\n"
     "  --wait SECONDS  for all to come (default: 300)\n"
     "  LAUNCHGAP_RENDEZVOUS   HOST or HOST:PORT of rank 0 (default: MASTER_ADDR, and\n"
     "                         the port 29417)\n"
     "  LAUNCHGAP_SECRET       32 digits, 0-9 and a-f, the same for all. Without it one\n"
     "                         is made of the job's number and size: it keeps other\n"
     "                         jobs out, but nobody who wants in\n"
     "hosts=N uses N of the hosts that joined; else rank 0's alone. Options as of run.\n"
     "join resume DIR goes on with a run; modes/README.md has a command for each\n"
     "launcher.\n", verb_join},
    {"new", "NAME [--compare WHAT …]", "write an experiment file of your own",
     "Asks on a terminal what is compared, at which collectives and sizes, and what\n"
     "you expect; writes NAME.exp into this folder, and says what to type next. What\n"
     "options say is not asked. A file that is there stays as it is.\n"
     "  --compare modes          the launch modes; versions: NCCL libraries;\n"
     "            KEY=A,B        a setting (launchgap list keys); KEY=A: with the\n"
     "                           default\n"
     "  --mode NAME              the mode of versions and settings\n"
     "  --collective A,B         (launchgap list collectives)\n"
     "  --bytes '64K..64M x4'    sizes\n"
     "  --expect 'A slower B by 5% in latency'\n"
     "                           the claim that is tested: two variants, slower,\n"
     "                           faster, equal, less or more; a metric\n", verb_new},
    {"all_reduce_perf", "[-b 8 -e 128M …]", "as nccl-tests' program, with its options", NULL, verb_perf},
    {"report", "DIR", "tables and pictures, from the record alone",
     "  -v              print all of the report, not only what stands first\n"
     "  --trace         the stamps too, as DIR/trace.json for ui.perfetto.dev\n"
     "  --format nccl-tests   the tables in nccl-tests' columns, for programs\n"
     "  --average 0|1|2|3|span   with it: rank 0, mean, min or max of the workers'\n"
     "                  times as its -a (default 1), or earliest start to latest end;\n"
     "                  launch: of launching alone, as its -C 1\n"
     "  --per-call      with it: columns of single calls, as its -I 1\n"
     "  --json FILE     with it: nccl-tests' JSON too, a file for each table\n"
     "  --prometheus FILE         for node_exporter's textfile collector\n"
     "  --bigger-is-better FILE   bandwidths for github-action-benchmark\n"
     "  --smaller-is-better FILE  times for it\n"
     "In a job of GitHub Actions the first page is added to the job's.\n", verb_report},
    {"ask", "DIR [--file FILE]", "claims asked of a run that is there",
     "Takes the claims of the run's experiment as its file is now, or those of FILE,\n"
     "and makes the report again. The record keeps what it was asked before; the\n"
     "report says that these claims came after the run.\n", verb_ask},
    {"compare", "A B [C …]", "two or more runs, or JSON of nccl-tests",
     "Two are compared, B with A. Three or more are repetitions of one experiment, on\n"
     "other machines, boots or GPUs: each one's ratios, what scatters between runs,\n"
     "and the ratio of all with an interval that has that in it.\n"
     "  --combine       two runs too\n"
     "  --threshold 2%  what counts as a difference\n"
     "  --variant NAME  name of nccl-tests' files (default: from their layout)\n"
     "  --format json   every table as one JSON object (results/README.md); markdown:\n"
     "                  the page\n"
     "  --html FILE     the page, what differs first: one file, to send and print\n"
     "  --junit FILE    of two: a test case for each verdict and size, as JUnit's XML;\n"
     "                  slower is a failure\n"
     "exit: 0 equal, better or undecided; 1 B is slower; 2 not comparable or readable\n", verb_compare},
    {"tour", "[key=value …]", "each collective once, on a few numbers",
     "What every rank has before and after, in the mode that you choose, with the\n"
     "lines of source that do it.\n"
     "  mode=NAME       single, threads (default) or processes\n"
     "  ranks=N         (every GPU, or 4 on the host backend)\n"
     "  collective=A,B  these alone\n"
     "Other keys as of run; the experiment is experiments/tour.exp.\n", verb_tour},
    {"list", "[WHAT]", "what there is to choose from",
     "WHAT: modes, backends, collectives, datatypes, operations, experiments, keys\n"
     "(of an experiment file, with their values); without it all but keys.\n", verb_list},
    {"selftest", "[quick] [key=value …]", "the instrument against itself",
     "Whole experiments on variants that are slower by 0, 1, 2, 3 and 10 %, with and\n"
     "without disturbances, and whether their reports find that.\n"
     "  quick           3 minutes instead of 15; budget=TIME: this long\n"
     "  backend=NAME    nccl, host or null (nccl with two GPUs, else host and null)\n"
     "  mode=NAME       this mode alone\n"
     "  runs=N          this many experiments of each backend and mode, in any time\n"
     "  blocks=N        of an experiment, at least 6 (10)\n"
     "  seed=N          of the random numbers (1)\n"
     "  csv=FILE        every verdict, one per line\n"
     "exit: 0 as expected; 1 more wrong verdicts than by chance, or 10 % not found;\n"
     "130 interrupted\n", verb_selftest},
    {"counters", "[gpus=A,B]", "what this machine's NVLink counters count",
     "Copies known numbers of bytes between two GPUs, by copy engine and by SMs,\n"
     "between two readings of every counter that NVML has. Takes 2 minutes; nothing\n"
     "else may use the GPUs.\n"
     "  gpus=A,B        the two GPUs, in CUDA's numbering (0,1)\n"
     "  repeats=N       of each copy (3)\n"
     "  --json FILE     every reading and table, for programs\n", verb_counters},
    {"doctor", "", "what this machine lacks",
     "For each missing thing: what it adds, and how to get it. Changes nothing.\n", verb_doctor},
    {"help", "[VERB]", "this, or what a verb takes", "", verb_help},
    {"--version", "", "release, commit, and what is built in", "", verb_version},
    {"worker", NULL, "one process of a trial; the runner starts it, with an order in a file", "", verb_worker},
};
// clang-format on

#define NVERBS (sizeof verbs / sizeof *verbs)

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

static int verb_compare(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct compare_request request;
	(void)home;
	if (compare_parse(argc, argv, &request, st))
		return COMPARE_NOT_DONE;
	request.summary = machine_env(REPORT_SUMMARY);
	return compare_run(&request, st);
}

static void print_usage(FILE *out)
{
	fputs("launchgap measures what it costs to launch NCCL with one thread, a thread per\n"
	      "GPU, or a process per GPU.\n\n",
	      out);
	for (size_t i = 0; i < NVERBS; i++) {
		char form[80];
		snprintf(form, sizeof form, "%s%s%s", verbs[i].name, verbs[i].form ? " " : "",
		         verbs[i].form ? verbs[i].form : "");
		/* "…" has three bytes and one column. */
		if (verbs[i].form && strlen(form) <= 26)
			fprintf(out, "  launchgap %-*s %s\n", strstr(form, "…") ? 26 : 24, form,
			        verbs[i].summary);
		else if (verbs[i].form)
			fprintf(out, "  launchgap %s\n%37s%s\n", form, "", verbs[i].summary);
	}
	fputs("\n`launchgap VERB --help` says what a verb takes.\n", out);
}

static const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; i < NVERBS; i++)
		if (!strcmp(verbs[i].name, name) ||
		    (verbs[i].call == verb_perf && nccl_program(name)))
			return &verbs[i];
	return NULL;
}

static int unknown(const char *name, struct status *st)
{
	struct suggestion guess = suggest_for(name);
	for (size_t i = 0; i < NVERBS; i++)
		suggest_offer(&guess, verbs[i].form ? verbs[i].name : NULL);
	status_set(st, "unknown verb '%s'%s%s (`launchgap help` names them)", name,
	           suggestion_text(&guess).text, suggest_nccl_tests(name).text);
	return 2;
}

static int verb_help(int argc, char *argv[], const struct home *home, struct status *st)
{
	const struct verb *verb = argc > 2 ? verb_find(argv[2]) : NULL;
	(void)home;
	if (argc > 2 && !verb)
		return unknown(argv[2], st);
	if (!verb)
		print_usage(stdout);
	else if (verb->call == verb_perf)
		verb_perf_help(argv[2]);
	else
		fprintf(stdout, "launchgap %s%s%s: %s\n%s", verb->name,
		        verb->form && *verb->form ? " " : "", verb->form ? verb->form : "",
		        verb->summary, verb->help);
	return 0;
}

static int verb_version(int argc, char *argv[], const struct home *home, struct status *st)
{
	char library[64];
	struct status why = {0};
	(void)argc, (void)argv, (void)home, (void)st;
	puts("launchgap " LAUNCHGAP_VERSION " (" LAUNCHGAP_COMMIT ")\nbuilt with " LAUNCHGAP_BUILT);
	if (mpi_find(library, sizeof library, &why))
		puts("without MPI");
	else
		printf("loads %s\n", library);
	return 0;
}

/* Whether a verb's help is requested. The arguments of "worker" are the runner's. */
static bool wants_help(int argc, char *argv[])
{
	for (int i = 2; i < argc && strcmp(argv[1], "worker"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

/* If a standard file is closed, the next file to be opened would take its number, and messages would
 * go there. */
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

/* Called by a link that has a program's name: as `launchgap all_reduce_perf`. The caller frees it; NULL:
 * it is not, or memory is out. */
static char **called_as(int argc, char *argv[])
{
	char *slash = argc ? strrchr(argv[0], '/') : NULL, *name = slash ? slash + 1 : argv[0];
	char **as;
	/* A copy of that name starts itself too, as a worker. */
	if (!argc || !nccl_program(name) || (argc > 1 && verb_find(argv[1])) ||
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
	/* `ulimit -f`: an error message, as for a full disk. A job dies, and its runner reports it. */
	if (argc < 2 || strcmp(argv[1], "worker"))
		signal(SIGXFSZ, SIG_IGN);
	fill_standard_files();
	find_home(&home);
	if (argc < 2) {
		print_usage(stderr);
		return 2;
	}
	bool helps = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
	const struct verb *verb = verb_find(helps ? "help" : argv[1]);
	char *help[] = {argv[0], "help", argv[1]};
	int result = !verb                    ? unknown(argv[1], &st)
	             : wants_help(argc, argv) ? verb_help(3, help, &home, &st)
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
	return result < 0 || (result > 2 && result != RUN_INTERRUPTED) ? 1 : result;
}

int main(int argc, char *argv[])
{
	char **as = called_as(argc, argv);
	const int result = as ? run_verb(argc + 1, as) : run_verb(argc, argv);
	free(as);
	return result;
}
