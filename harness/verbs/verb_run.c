/* run: an experiment from its file to its record and report. resume: continues a run. */
#include <unistd.h>

#include "../machine.h"
#include "../memory.h"
#include "../core/isolation.h"
#include "../report/report.h"
#include "../run/runner.h"
#include "verbs.h"

#define MAX_OVERRIDES 64

struct asked {
	struct run_request request;
	struct report_options options;
	struct plan_machine machine;
	char file[2 * PATH_MAX]; /* of an experiment given by name */
	char *overrides[MAX_OVERRIDES];
	bool no_report, dry, blocks;
};

int home_find_experiment(const struct home *home, const char *name, char *file, size_t bytes,
                         struct status *st)
{
	if (!name[0] ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
	        strlen(name))
		return status_set(st,
		                  "'%s' is not an experiment's name: allowed are letters, digits, "
		                  "_ and -, as in experiments/NAME.exp (--file takes a path)",
		                  name);
	if (!home->experiments[0])
		return status_set(st,
		                  "there is no experiments folder beside %s or in "
		                  "../share/launchgap; --file FILE takes a file's path",
		                  home->self);
	snprintf(file, bytes, "%s/%s.exp", home->experiments, name);
	if (access(file, R_OK)) {
		struct suggestion guess = suggest_for(name);
		home_each_experiment(home, suggest_offer_to, &guess);
		return status_set(st,
		                  "there is no experiment '%s'%s%s: no readable %s (`launchgap "
		                  "list` names them; --file takes a path)",
		                  name, suggestion_text(&guess).text, suggest_nccl_tests(name).text,
		                  file);
	}
	return 0;
}

static int add_override(struct asked *a, char *text, struct status *st)
{
	/* resume adds one. */
	if (a->request.from.noverrides >= MAX_OVERRIDES - 1)
		return status_set(st, "allowed are %d settings", MAX_OVERRIDES - 1);
	a->overrides[a->request.from.noverrides++] = text;
	return 0;
}

#define AT(MEMBER) offsetof(struct asked, MEMBER)

// clang-format off
static const struct field rows[] = {
    {"--dry-run", FIELD_FLAG, AT(dry), .help = "say what would be measured and what it takes; no GPU needed"},
    {"--quick", FIELD_FLAG, AT(request.quick), .help = "the primary claim alone, in under a minute"},
    {"--only", FIELD_OWN, AT(request.from.only), .read = options_borrow, .value = "A,B", .help = "these variants alone, with the reference's twin and the limit"},
    {"--file", FIELD_OWN, AT(request.from.file), .read = options_borrow, .value = "FILE", .help = "your own experiment file instead of NAME"},
    {"--results", FIELD_OWN, AT(request.results), .read = options_borrow, .value = "DIR", .otherwise = "results", .help = "where DIR/NAME/<UTC stamp>/ goes"},
    {"--resume", FIELD_OWN, AT(request.resume), .read = options_borrow, .value = "DIR", .help = "add blocks to a run, on the same machine"},
    {"--no-report", FIELD_FLAG, AT(no_report), .help = "measure only"},
    {"--no-libraries", FIELD_FLAG, AT(request.from.closed), .help = "refuse a file that names libraries, other files, hosts or programs, which may run any code"},
};
// clang-format on

const struct fields run_options = FIELDS_OF(rows, struct asked);

/* Whether an option says what is measured, or in which form it is reported. */
static bool is_plan(const char *option)
{
	return !strcmp(option, "--quick") || !strcmp(option, "--only") ||
	       !strcmp(option, "--file") || !strcmp(option, "--format") ||
	       !strcmp(option, "--no-libraries");
}

/* Takes the arguments from argv[first] on; they override earlier ones. recorded: a record says
 * them, which may be a stranger's. Of its options those of the plan are taken, and none that names
 * a file to write. */
static int take(struct asked *a, const struct home *home, int first, char *argv[], bool recorded,
                struct status *st)
{
	const struct verb *verb = verb_find(argv[1]);
	unsigned agents; /* what is theirs says nothing here */
	struct asked ignored = {.dry = false};
	for (int i = first, taken; argv[i]; i += taken) {
		struct asked *to = recorded && !is_plan(argv[i]) ? &ignored : a;
		taken = options_take(&run_options, argv, i, to, st);
		if (!taken)
			taken = report_option(argv, i, &to->options, st);
		if (!taken && verb->call == verb_join)
			taken = options_take(&join_options, argv, i, &agents, st);
		if (taken < 0)
			return -1;
		if (taken)
			continue;
		taken = 1;
		/* An older launchgap chose the blocks while it ran. */
		if (recorded &&
		    (!strcmp(argv[i], "blocks=auto") || !strncmp(argv[i], "precision=", 10)))
			continue;
		if (argv[i][0] != '-' && strchr(argv[i], '=')) {
			a->blocks = a->blocks || !strncmp(argv[i], "blocks=", 7);
			if (add_override(a, argv[i], st))
				return -1;
		} else if (argv[i][0] == '-' || a->file[0])
			return verb_not_understood(argv[1], argv[i], st);
		else if (home_find_experiment(home, argv[i], a->file, sizeof a->file, st))
			return -1;
	}
	return 0;
}

static struct asked *begin(const struct home *home, int argc, char *argv[])
{
	struct asked *a = memory_take(1, sizeof *a);
	*a = (struct asked){.options = {.summary = machine_env(REPORT_SUMMARY)},

	                    .request = {.from = {.lookup = machine_env},
	                                .results = "results",
	                                .self = home->self,
	                                .argc = argc,
	                                .argv = argv,
	                                .machine = &a->machine},
	                    .machine = {.cores = machine_cores(),
	                                .isolates = isolation_possible,
	                                .capacity = backend_capacity}};
	a->request.from.overrides = a->overrides;
	return a;
}

/* An option that is said and is of a report; NULL: none. */
static const char *report_only(const struct report_options *options)
{
	for (unsigned i = 0; i < EXPORT_FORMATS; i++)
		if (options->exports[i])
			return export_options.rows[i].key;
	return options->format == REPORT_NCCL_TESTS ? "--format nccl-tests" : NULL;
}

static int carry_out(struct asked *a, const struct home *home, struct status *st)
{
	char folder[PATH_MAX] = "";
	struct status report = {0};
	const char *only = report_only(&a->options);
	if (only && a->no_report)
		return status_set(
		    st,
		    "run: %s needs a report, and --no-report makes none; allowed is one of them",
		    only);
	a->request.quiet = a->options.quiet;
	if (!a->request.from.file)
		a->request.from.file = a->file;
	if (report_options_settle(&a->options, st))
		return -1;
	if (!a->request.from.file[0])
		return status_set(st, "run: which experiment? (`launchgap list` names them)");
	if (a->dry)
		return dry_run(&a->request, st);
	int result = run_experiment(&a->request, folder, st);
	a->options.keep = run_keep_report;
	if (result >= 0 && !a->no_report && report_make(folder, home->plot, &a->options, &report)) {
		status_complain(&report);
		result = result ? result : 1;
	}
	return result;
}

int verb_run(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct asked *a = begin(home, argc, argv);
	int result = take(a, home, 2, argv, false, st) ? -1 : carry_out(a, home, st);
	free(a);
	return result;
}

/* The command that began a run, NULL-terminated; the record owns its texts. */
static int take_recorded(struct asked *a, const struct home *home, const struct record_run *run,
                         struct status *st)
{
	const json_t *command = json_object_get(run->environment, "command");
	char *argv[MAX_OVERRIDES * 2 + 1] = {NULL};
	size_t n = json_array_size(command), texts = 0;
	for (; texts < n && texts < MAX_OVERRIDES * 2; texts++) {
		argv[texts] = (char *)(size_t)json_string_value(json_array_get(command, texts));
		if (!argv[texts])
			break;
	}
	if (n < 3 || texts < n || (strcmp(argv[1], "run") && strcmp(argv[1], "join")))
		return status_set(st, "the record does not say how its run was begun; say it "
		                      "again: launchgap run NAME --resume DIR");
	return take(a, home, 2, argv, true, st);
}

/* The blocks that are missing, unless the command line says how many more. */
static int take_blocks(struct asked *a, const struct record_run *run, char text[32],
                       struct status *st)
{
	long long asked = record_blocks_asked(run);
	long long has = (long long)record_next_block(run) - (record_begun(run) > 0);
	/* A search runs to its end, and has no blocks to add after it. */
	if (a->blocks || json_object_get(run->environment, "search"))
		return 0;
	bool failed = run->nfailures > 0;
	for (unsigned i = 0; i < run->ncells; i++)
		failed = failed || run->cells[i].error[0] || run->cells[i].wrong;
	if (asked && asked <= has)
		return status_set(st, "resume: %s has all %lld block%s; blocks=N adds N more%s",
		                  a->request.resume, asked, asked == 1 ? "" : "s",
		                  failed ? ", for example to replace those with a failed trial"
		                         : "");
	if (!asked)
		return status_set(st,
		                  "resume: an older launchgap chose the blocks of %s while it ran; "
		                  "blocks=N adds N",
		                  a->request.resume);
	snprintf(text, 32, "blocks=%lld", asked - has);
	a->overrides[a->request.from.noverrides++] = text;
	return 0;
}

int verb_resume(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct record_run run;
	char blocks[32];
	int result = -1;
	if (argc < 3 || argv[2][0] == '-')
		return status_set(st, "resume needs a run's folder, e.g. results/smoke/latest");
	if (record_load(argv[2], &run, st))
		return -1;
	struct asked *a = begin(home, argc, argv);
	if (!take_recorded(a, home, &run, st)) {
		a->blocks = false;
		a->request.resume = argv[2];
		if (!take(a, home, 3, argv, false, st) && !take_blocks(a, &run, blocks, st))
			result = carry_out(a, home, st);
	}
	record_free(&run);
	free(a);
	return result;
}
