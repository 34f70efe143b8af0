/* launchgap: what the launch mode costs. The verbs, and what they print. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../modes/mode.h"
#include "backend/backend.h"
#include "compare/compare.h"
#include "doctor.h"
#include "run/job.h"
#include "machine.h"
#include "record/record.h"
#include "report/report.h"
#include "run/run.h"
#include "selftest/selftest.h"
#include "worker.h"

static const char usage[] =
    "launchgap measures what it costs to launch NCCL with one thread, a thread per GPU, or a "
    "process per GPU.\n"
    "\n"
    "  launchgap run NAME [key=value …]   measure experiments/NAME.exp and report\n"
    "      --file FILE     an experiment file of your own instead of NAME\n"
    "      --results DIR   where DIR/NAME/<UTC stamp>/ goes (default: results)\n"
    "      --resume DIR    add blocks to a run, on the machine that it was made on\n"
    "      --no-report     measure only\n"
    "      --format nccl-tests   print its columns in place of our table, as report does\n"
    "  launchgap report DIR               table, report.md, summary.csv and pictures again, "
    "from records alone\n"
    "      --format nccl-tests   the tables in nccl-tests' columns, for what parses those\n"
    "      --average 0|1|2|3|span   with it: rank 0, mean, min or max of the workers' times\n"
    "                      as its -a (default 1), or earliest start to latest end\n"
    "  launchgap compare A B              two results: runs' folders, or JSON of nccl-tests\n"
    "      --threshold 2%  what counts as a difference\n"
    "      --variant NAME  what nccl-tests' files are called (default: after their layout)\n"
    "      exit: 0 equal, better or undecided; 1 B is slower; 2 not comparable or readable\n"
    "  launchgap list [experiments]       modes, backends, collectives, datatypes, operations, "
    "experiments\n"
    "  launchgap selftest [quick]         false alarms and detections of known delays, by "
    "mode\n"
    "      backend=NAME    null, host (default: both) or nccl (no delays, A/A only)\n"
    "      comparisons=N   in one job each (200); fresh=N with a job a measurement (20)\n"
    "  launchgap doctor                   what this machine lacks, what it would add, how to "
    "get it\n"
    "\n"
    "key=value: any key of [experiment], e.g. ranks=4 blocks=6 backend=host bytes='4K..1M "
    "x4'\n";

/* Where the experiments and plots lie: beside the build folder, or installed. */
struct home {
	char self[PATH_MAX];
	char experiments[PATH_MAX + 32];
	char plot[PATH_MAX + 32];
};

static int find_home(struct home *home, struct status *st)
{
	static const char *const places[] = {"..", "../share/launchgap"};
	char folder[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", home->self, sizeof home->self - 1);
	if (n < 0)
		return status_set(st, "cannot find this program's own file: %s",
		                  strerror(errno));
	home->self[n] = '\0';
	snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(home->self, '/') - home->self),
	         home->self);
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		char place[PATH_MAX + 32], real[PATH_MAX];
		snprintf(place, sizeof place, "%s/%s", folder, places[i]);
		if (!realpath(place, real))
			continue;
		snprintf(home->experiments, sizeof home->experiments, "%s/experiments", real);
		snprintf(home->plot, sizeof home->plot, "%s/plot", real);
		if (!access(home->experiments, R_OK))
			return 0;
	}
	return status_set(st, "no experiments folder beside %s or in ../share/launchgap",
	                  home->self);
}

static unsigned capacity(const char *name, struct status *st)
{
	const struct backend *backend = backend_find(name);
	return backend ? backend->capacity(st) : 0;
}

static int find_experiment(const struct home *home, const char *name, char *file, size_t bytes,
                           struct status *st)
{
	if (!name[0] || strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                             "0123456789_-") != strlen(name))
		return status_set(
		    st,
		    "'%s' is no experiment's name: allowed are letters, digits, _ "
		    "and -, as in experiments/NAME.exp (--file takes a path)",
		    name);
	snprintf(file, bytes, "%s/%s.exp", home->experiments, name);
	if (access(file, R_OK))
		return status_set(
		    st,
		    "there is no experiment '%s': no readable %s (`launchgap list` "
		    "names them)",
		    name, file);
	return 0;
}

static int verb_run(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct plan_machine machine = {machine_cores(), capacity};
	struct run_request request = {.results = "results",
	                              .self = home->self,
	                              .argc = argc,
	                              .argv = argv,
	                              .machine = &machine};
	struct status report = {0};
	char file[2 * PATH_MAX] = "", folder[PATH_MAX] = "", *overrides[64];
	struct report_options options = {0};
	bool want_report = true;
	int result, taken;
	for (int i = 2; i < argc; i++) {
		const char **option = !strcmp(argv[i], "--file")      ? &request.file
		                      : !strcmp(argv[i], "--results") ? &request.results
		                      : !strcmp(argv[i], "--resume")  ? &request.resume
		                                                      : NULL;
		if (option && ++i < argc)
			*option = argv[i];
		else if (option)
			return status_set(st, "%s wants a value", argv[i - 1]);
		else if ((taken = report_option(argv[i], argv[i + 1], &options, st))) {
			if (taken < 0)
				return -1;
			i++;
		} else if (!strcmp(argv[i], "--no-report"))
			want_report = false;
		else if (strchr(argv[i], '=') && request.noverrides < 64)
			overrides[request.noverrides++] = argv[i];
		else if (argv[i][0] == '-' || file[0])
			return status_set(st, "run: '%s' is not understood (`launchgap help`)",
			                  argv[i]);
		else if (find_experiment(home, argv[i], file, sizeof file, st))
			return -1;
	}
	request.overrides = overrides;
	if (!request.file)
		request.file = file;
	if (report_options_settle(&options, st))
		return -1;
	if (!request.file[0])
		return status_set(st, "run: which experiment? (`launchgap list` names them)");
	result = run_experiment(&request, folder, st);
	if (result >= 0 && want_report && report_make(folder, home->plot, &options, &report)) {
		status_complain(&report);
		result = 1;
	}
	return result;
}

/* What the workers of one job share; read only. */
struct order {
	struct trial *trial;
	const struct backend *backend;
	const char *file;
};

static void work(struct team *team, unsigned index, unsigned process, void *arg)
{
	const struct order *order = arg;
	(void)process;
	worker_run(order->trial, order->backend, team, index);
}

/* In the first process, when all are through: the trial's lines, beside its order. */
static int write_lines(struct team *team, void *arg, struct status *st)
{
	const struct order *order = arg;
	char file[PATH_MAX];
	FILE *out;
	int result;
	snprintf(file, sizeof file, "%s.lines", order->file);
	out = fopen(file, "we");
	if (!out)
		return status_set(st, "cannot write %s: %s", file, strerror(errno));
	result = record_write_trial(out, order->trial, team, team_area(team), st);
	if (fclose(out) && !result)
		result = status_set(st, "cannot write %s: %s", file, strerror(errno));
	if (!result && team_failure(team))
		result = status_set(st, "%s", team_failure(team));
	return result;
}

static int verb_worker(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct order order = {.file = argc == 3 ? argv[2] : NULL};
	struct run run;
	int result = -1;
	(void)home;
	if (!order.file)
		return status_set(st, "worker is the runner's: it takes one trial's file");
	job_follow_parent();
	if (trial_load(order.file, &order.trial, st))
		return -1;
	order.backend = backend_find(order.trial->settings.backend);
	const struct mode *mode = mode_for_layout(order.trial->settings.layout);
	if (!order.backend || !mode)
		status_set(st, "%s: no such backend or layout", order.file);
	else if (!order.backend->supports(order.trial, st)) {
		run = (struct run){
		    .layout = order.trial->settings.layout,
		    .shape = {.nranks = layout_ranks(order.trial->settings.layout),
		              .nworkers = layout_workers(order.trial->settings.layout),
		              .yield = order.trial->yield,
		              .area_bytes = sample_area_bytes(order.trial),
		              .store_bytes = order.backend->store_bytes(order.trial)},
		    .order = order.file,
		};
		result = mode->enter(&run, work, write_lines, &order, st);
	}
	trial_free(order.trial);
	return result;
}

static int verb_report(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct report_options options = {0};
	const char *dir = NULL;
	for (int i = 2; i < argc; i++) {
		int taken = report_option(argv[i], argv[i + 1], &options, st);
		if (taken < 0)
			return -1;
		if (taken)
			i++;
		else if (dir || argv[i][0] == '-')
			return status_set(
			    st, "report: '%s' is not understood (`launchgap help`)", argv[i]);
		else
			dir = argv[i];
	}
	if (!dir)
		return status_set(st,
		                  "report wants one run's folder, e.g. results/smoke/latest");
	return report_options_settle(&options, st) ? -1
	                                           : report_make(dir, home->plot, &options, st);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_experiment(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);
	return n > 4 && !strcmp(entry->d_name + n - 4, ".exp");
}

/* Each experiment with the question that its file opens with. */
static void list_experiments(const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_experiment, by_name);
	printf("experiments\n");
	for (int i = 0; i < n; i++) {
		char file[PATH_MAX + 300];
		struct status st = {0};
		struct spec *spec = calloc(1, sizeof *spec);
		snprintf(file, sizeof file, "%s/%s", folder, entries[i]->d_name);
		bool ok = spec && !spec_load(file, 0, NULL, NULL, machine_env, spec, &st);
		printf("  %-15.*s %s\n", (int)strlen(entries[i]->d_name) - 4,
		       entries[i]->d_name, ok ? spec->question : st.text);
		free(spec);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static int verb_compare(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct compare_request request;
	(void)home;
	return compare_parse(argc, argv, &request, st) ? COMPARE_NOT_DONE
	                                               : compare_run(&request, st);
}

static int verb_selftest(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct status why = {0};
	struct selftest_request request = {.self = home->self,
	                                   .ncores = machine_cores(),
	                                   .comparisons = 200,
	                                   .fresh = 20,
	                                   .ngpus = capacity("nccl", &why)};
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "quick"))
			request.comparisons = 40, request.fresh = 2;
		else if (!strncmp(argv[i], "backend=", 8) && backend_find(argv[i] + 8))
			request.backend = argv[i] + 8;
		else if (sscanf(argv[i], "comparisons=%u", &request.comparisons) != 1 &&
		         sscanf(argv[i], "fresh=%u", &request.fresh) != 1)
			return status_set(
			    st,
			    "selftest: '%s' is not understood; allowed are quick, "
			    "backend=NAME, comparisons=N, fresh=N",
			    argv[i]);
	}
	if (request.comparisons < 1 || request.comparisons > 1000 || request.fresh > 1000)
		return status_set(
		    st, "selftest: 1 to 1000 comparisons, and at most 1000 fresh ones");
	if (request.backend && !strcmp(request.backend, "nccl") && request.ngpus < 2)
		return status_set(st, "selftest: nccl wants two GPUs: %s", why.text);
	return selftest_run(&request, st);
}

static int verb_list(int argc, char *argv[], const struct home *home, struct status *st)
{
	(void)argv, (void)st;
	if (argc > 2) {
		list_experiments(home->experiments);
		return 0;
	}
	printf("modes\n");
	for (const struct mode *const *m = mode_table; *m; m++) {
		const char *no = (*m)->unsupported();
		printf("  %-15s %s%s%s\n", (*m)->name, (*m)->summary, no ? "; not here: " : "",
		       no ? no : "");
	}
	printf("backends\n");
	for (const struct backend *const *b = backend_table; *b; b++) {
		struct status why = {0};
		unsigned ranks = (*b)->capacity(&why);
		printf("  %-15s %s%s%s\n", (*b)->name, (*b)->summary,
		       ranks ? "" : "; not here: ", ranks ? "" : why.text);
	}
	printf("collectives\n");
	for (int c = 0; c < COLL_KINDS; c++)
		printf("  %-15s %s\n", coll_info(c)->name, coll_info(c)->summary);
	printf("datatypes\n ");
	for (int d = 0; d < DTYPE_KINDS; d++)
		printf(" %s", coll_dtype_name(d));
	printf("\noperations\n ");
	for (int o = 0; o < OP_KINDS; o++)
		printf(" %s", coll_op_name(o));
	printf("\n");
	list_experiments(home->experiments);
	return 0;
}

static int verb_doctor(int argc, char *argv[], const struct home *home, struct status *st)
{
	(void)argc, (void)argv, (void)home, (void)st;
	return doctor_examine();
}

static int verb_help(int argc, char *argv[], const struct home *home, struct status *st)
{
	(void)argc, (void)argv, (void)home, (void)st;
	fputs(usage, stdout);
	return 0;
}

static int verb_version(int argc, char *argv[], const struct home *home, struct status *st)
{
	(void)argc, (void)argv, (void)home, (void)st;
	puts("launchgap " LAUNCHGAP_COMMIT);
	return 0;
}

static const struct {
	const char *name;
	int (*call)(int argc, char *argv[], const struct home *home, struct status *st);
} verbs[] = {
    {"run", verb_run},       {"worker", verb_worker},     {"report", verb_report},
    {"list", verb_list},     {"compare", verb_compare},   {"selftest", verb_selftest},
    {"doctor", verb_doctor}, {"help", verb_help},         {"--help", verb_help},
    {"-h", verb_help},       {"--version", verb_version},
};

int main(int argc, char *argv[])
{
	struct home home;
	struct status st = {0};
	if (find_home(&home, &st)) {
		status_complain(&st);
		return 1;
	}
	for (unsigned i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++) {
		if (strcmp(argv[1], verbs[i].name))
			continue;
		int result = verbs[i].call(argc, argv, &home, &st);
		if (st.text[0])
			status_complain(&st);
		return result < 0 || result > 2 ? 1 : result;
	}
	fputs(usage, stderr);
	return 2;
}
