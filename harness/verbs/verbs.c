/* The table of verbs. What each takes is in its own file, as rows. */
#include "verbs.h"

#include "../perf_options.h"
#include "../report/report.h"

// clang-format off
static const struct verb verbs[] = {
    {"run", "NAME [key=value …]", "measure experiments/NAME.exp and report",
     "key=value: any key of [experiment], e.g. ranks=4 blocks=6 bytes='4K..1M x4' (launchgap list keys shows all)",
     {&run_options, &report_options, &export_options}, NULL, "0 all measured; 1 something failed; 130 interrupted, with how to resume", verb_run},
    {"resume", "DIR [key=value …]", "go on with a run",
     "The record names the experiment and how it was begun. What is missing is measured, first the other trials of a block that was begun; blocks=N: so many "
     "blocks, including that one.",
     {NULL}, "run", NULL, verb_resume},
    {"join", "NAME [key=value …]", "run in processes that others started",
     "torchrun, srun, Kubernetes, ssh … start one for each GPU, all with this command. They find rank and size in the launcher's variables (RANK and "
     "WORLD_SIZE, SLURM_PROCID …, or LAUNCHGAP_RANK and LAUNCHGAP_SIZE) and meet over TCP. Rank 0 runs the experiment and has the others start a process for each trial.\n"
     "hosts=N uses N of the hosts that joined; else rank 0's alone. join resume DIR goes on with a run; modes/README.md has a command for each launcher.",
     {&join_options}, "run", NULL, verb_join},
    {"new", "NAME", "write an experiment file of your own",
     "Copies experiments/template.exp, an experiment with comments, to NAME.exp in this folder, and says what to type next. A file that is there stays as it is.",
     {NULL}, NULL, NULL, verb_new},
    {"all_reduce_perf", "[-b 8 -e 128M …]", "as nccl-tests' program, with its options",
     "Any of nccl-tests' programs; after its options key=value as of run. Under mpirun, srun or torchrun its processes are the ranks. A median over stretches takes the place of one mean. "
     "The record stays in results/nccl_tests/; a last line names it. experiments/nccl-tests.md explains what differs.",
     {NULL}, NULL, NULL, verb_perf},
    {"report", "DIR", "tables and pictures, from the record alone",
     "In a job of GitHub Actions the first page is added to the job's summary page (GITHUB_STEP_SUMMARY); of run and compare too.", {&report_options, &export_options}, NULL, NULL, verb_report},
    {"sql", "DIR ['SELECT …']", "a question that no page answers, in SQL",
     "A run's record as tables: environment, variant, setting, trial, cell, fact, counter, path, failure, and what the report makes of them (place, result, speed …); results/README.md says what a row of each is. On a terminal the answer "
     "is a table, else CSV. median(x) and quantile(x, p) are there too. Without a query: sqlite3's prompt, without these two.",
     {NULL}, NULL, NULL, verb_sql},
    {"ask", "DIR", "test new claims on an existing run",
     "Takes the claims of the run's experiment as its file is now, and makes the report again. The record keeps what it was asked before; the report says that "
     "these claims came after the run.",
     {&ask_options}, NULL, NULL, verb_ask},
    {"compare", "A B [C …]", "two or more runs, or what nccl-tests wrote",
     "Two are compared, B with A. Three or more are repetitions of one experiment, on other machines, boots or GPUs: each one's ratios, what scatters between runs, "
     "and the ratio of all with an interval that has that in it.",
     {&compare_options}, NULL, "0 equal, better or undecided; 1 B is slower; 2 not comparable or readable; 3 the machine changed", verb_compare},
    {"tour", "[key=value …]", "each collective once, on a few numbers",
     "What every rank has before and after, in the mode that you choose, with the lines of source that do it. Keys as of run: ranks=N (every GPU, or 4 on the "
     "host backend), collective=A,B. The experiment is experiments/tour.exp.",
     {&tour_options}, NULL, NULL, verb_tour},
    {"list", "[WHAT]", "what there is to choose from",
     "WHAT: modes, launchers, backends, collectives, datatypes, operations, experiments; without it, all of these. keys: of an experiment file, with their values; tables: the same in Markdown; schema: the JSON Schema of report.json.",
     {NULL}, NULL, NULL, verb_list},
    {"doctor", "", "what this machine lacks",
     "For each missing thing: what cannot be measured without it, and the command that mends it. Changes nothing.", {&doctor_options}, NULL, NULL, verb_doctor},
    {"help", "[VERB]", "this, or what a verb takes", NULL, {NULL}, NULL, NULL, verb_help},
    {"--version", "", "release, commit, and what is built in", NULL, {NULL}, NULL, NULL, verb_version},
    {"worker", NULL, "one process of a trial; the runner starts it, with an order in a file", NULL, {NULL}, NULL, NULL, verb_worker},
};
// clang-format on

#define NVERBS (sizeof verbs / sizeof *verbs)

const struct verb *verb_at(size_t i)
{
	return i < NVERBS ? &verbs[i] : NULL;
}

const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; i < NVERBS; i++)
		if (!strcmp(verbs[i].name, name) ||
		    (verbs[i].call == verb_perf && perf_program(name)))
			return &verbs[i];
	return NULL;
}

static void each_of_nccl_tests(void (*use)(const struct field *row, void *arg), void *arg)
{
	const struct perf_option *o;
	for (size_t i = 0; (o = perf_option_at(i)); i++) {
		char key[64], help[512];
		if (o->letter > ' ')
			snprintf(key, sizeof key, "-%c, --%s", o->letter, o->name);
		else
			snprintf(key, sizeof key, "%s%s", o->letter ? "--" : "", o->name);
		snprintf(help, sizeof help, "%s%s%s", o->help, o->key ? "; key: " : "",
		         o->key ? o->key : "");
		const struct field row = {.key = key,
		                          .kind = o->letter && !o->value ? FIELD_FLAG : FIELD_OWN,
		                          .value = o->value,
		                          .otherwise = o->usual,
		                          .help = help};
		use(&row, arg);
	}
}

void verb_each_option(const struct verb *verb, void (*use)(const struct field *row, void *arg),
                      void *arg)
{
	for (unsigned k = 0; k < 3 && verb->options[k]; k++)
		for (size_t i = 0; i < verb->options[k]->n; i++)
			use(&verb->options[k]->rows[i], arg);
	if (verb->call == verb_perf)
		each_of_nccl_tests(use, arg);
}

int verb_take(int argc, char *argv[], void *base, char *operands[], int most, struct status *st)
{
	const struct fields *options = verb_find(argv[1])->options[0];
	int n = 0;
	for (int i = 2, taken; i < argc; i += taken ? taken : 1) {
		taken = options_take(options, argv, i, base, st);
		if (taken < 0)
			return -1;
		if (!taken && (n == most || argv[i][0] == '-'))
			return verb_not_understood(argv[1], argv[i], st);
		if (!taken)
			operands[n++] = argv[i];
	}
	return n;
}

int verb_not_understood(const char *name, const char *argument, struct status *st)
{
	struct suggestion guess = suggest_for(argument);
	const struct verb *verb = verb_find(name);
	for (; verb; verb = verb->as ? verb_find(verb->as) : NULL)
		for (unsigned k = 0; k < 3 && verb->options[k]; k++)
			options_offer(verb->options[k], &guess);
	suggest_offer(&guess, "--help");
	return status_set(st, "%s: '%s' is not understood%s%s (`launchgap %s --help`)", name,
	                  argument, suggestion_text(&guess).text, suggest_nccl_tests(argument).text,
	                  name);
}

int verb_unknown(const char *name, struct status *st)
{
	struct suggestion guess = suggest_for(name);
	for (size_t i = 0; i < NVERBS; i++)
		suggest_offer(&guess, verbs[i].form ? verbs[i].name : NULL);
	status_set(st, "unknown verb '%s'%s%s (`launchgap help` names them)", name,
	           suggestion_text(&guess).text, suggest_nccl_tests(name).text);
	return 2;
}
