/* launchgap: what the launch mode costs. The verbs by their names. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/compare.h"
#include "doctor.h"
#include "verbs/verbs.h"

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
    "      --format json   every table as one JSON object (results/README.md)\n"
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

static int verb_compare(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct compare_request request;
	(void)home;
	return compare_parse(argc, argv, &request, st) ? COMPARE_NOT_DONE
	                                               : compare_run(&request, st);
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
