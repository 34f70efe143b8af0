/* Where the time of a run went, and how long it is expected to take. */
#include "../harness/run/runner.h"
#include "here.h"
#include "made.h"

TESTS(.undrawn = true, .begin = made_begin, .end = made_end, .before = set_up, .after = tear_down);

#define FEW                                                                                        \
	"; A test.\n[experiment]\ncollective = alltoall\nbytes = 4K\nranks = 2\nblocks = 2\n"      \
	"warmup = 1\nstretches = 1\ncalls = 2\nisolated_calls = 2\nreference = a\nprimary = "      \
	"c\nlimit = no\n"                                                                          \
	"[variant a]\nmode = threads\n[variant b]\nmode = single\n"                                \
	"[claim c]\ntext = one is slower\nleft = b\nright = a\nmetric = busbw\nbytes = 4K\nis = "  \
	"less by 2%\n"

/* --- a record that is made --- */

/* From and to these seconds. */
static void spent_line(FILE *out, const char *on, int from, int to)
{
	fputs(test_quotes(test_text("{'schema':1,'kind':'spent','on':%s,'from_ns':%d000000000,"
	                            "'to_ns':%d000000000}\n",
	                            on, from, to)),
	      out);
}

/* Two jobs of 10 s, the second without phases; and the report, later. */
static void jobs(FILE *out)
{
	spent_line(out, "'set-up'", 100, 101);
	spent_line(out, "'trial','variant':'threads','block':0,'order':0", 101, 111);
	spent_line(out, "'trial','variant':'threads','block':1,'order':1", 112, 122);
	spent_line(out, "'path'", 122, 125);
	spent_line(out, "'report'", 126, 128);
}

static void phases(json_t *line, const struct made_place *p)
{
	json_object_del(line, "spent");
	made_set(line, "{'order':%u}", p->block);
	if (!p->block)
		made_set(line,
		         "{'spent':{'from_ns':%lld,'warm_up_ns':1000000000,'calls_ns':1000000000,"
		         "'check_ns':1000000000}}",
		         (p->isolated ? 106 : 103) * 1000000000ll);
}

/* NCCL connects at the first call: all but 1 ms of what is recorded as warming up. */
static void connecting(json_t *line, const struct made_place *p)
{
	phases(line, p);
	made_set(line, "{'first_ns':[999000000,1]}");
}

static void stamps(const struct made_place *p, int64_t out[6])
{
	(void)p;
	out[1] = 1000;
	out[2] = 1000000;
}

static bool is_threads(const struct made_place *p)
{
	return p->variant == MADE_THREADS;
}

static double share_of(const json_t *report, const char *part)
{
	return json_number_value(
	    json_cell(json_table(report, "spent"), JSON_IS("part", part), "share"));
}

TEST(each_second_of_a_record_has_its_place)
{
	const struct made record = {.blocks = 2,
	                            .sizes = 1,
	                            .line = connecting,
	                            .more = jobs,
	                            .has = is_threads,
	                            .stamps = stamps};
	static const struct {
		const char *part;
		double s;
	} parts[] = {{"setting up the run", 1},
	             {"starting jobs", 2},
	             {"connecting", 1.998},
	             {"warming up", 0.002},
	             {"timed calls", 2},
	             {"checking results", 2},
	             {"closing jobs", 2},
	             {"jobs that failed", 10},
	             {"the report", 2},
	             {"the rest", 2},
	             {"all", 28},
	             {"jobs that log the data path", 3}};
	const json_t *report = made_report(&record);
	const json_t *table = json_table(report, "spent");
	assert_int_equal(json_rows(table, JSON_ALL), LENGTH(parts));
	for (size_t i = 0; i < LENGTH(parts); i++) {
		json_assert_number(json_cell(table, JSON_IS("part", parts[i].part), "seconds"), "",
		                   parts[i].s, 1e-9);
		assert_near(share_of(report, parts[i].part), parts[i].s / 28, 1e-6);
	}
	char *text = made_read("report.md");
	assert_says(text, " were timed calls; the largest part went to jobs that failed (36");
}

/* Of a job whose host has another clock: its phases count, its start and close are not known. */
static void elsewhere(json_t *line, const struct made_place *p)
{
	phases(line, p);
	json_t *spent = json_object_get(line, "spent");
	if (spent)
		made_set(spent, "{'from_ns':%s}", p->isolated ? "9000000000" : "1");
}

TEST(what_cannot_be_placed_is_the_rest)
{
	const struct made record = {.blocks = 2,
	                            .sizes = 1,
	                            .line = elsewhere,
	                            .more = jobs,
	                            .has = is_threads,
	                            .stamps = stamps};
	const json_t *report = made_report(&record), *table = json_table(report, "spent");
	assert_int_equal(json_rows(table, JSON_IS("part", "starting jobs")), 0);
	json_assert_number(json_cell(table, JSON_IS("part", "the rest"), "seconds"), "", 6, 1e-9);
}

TEST(an_older_record_does_not_say)
{
	const struct made record = {.blocks = 2, .sizes = 1, .stamps = stamps};
	assert_false(json_has_table(made_report(&record), "spent"));
}

/* --- runs --- */

/* Each part is no less than nothing, and together they are the whole: nothing counts twice. */
static void assert_adds_up(const char *path)
{
	json_t *report = json_report(path);
	const json_t *table = json_table(report, "spent");
	const char *const wanted[] = {"setting up the run", "starting jobs",    "connecting",
	                              "preparing inputs",   "warming up",       "timed calls",
	                              "timelines",          "checking results", "closing jobs",
	                              "the report",         "the rest"};
	double sum = 0, all = 0;
	for (size_t i = 0; i < LENGTH(wanted); i++) {
		const double s =
		    json_number_value(json_cell(table, JSON_IS("part", wanted[i]), "seconds"));
		assert_true(s > 0);
		sum += s;
	}
	assert_int_equal(json_rows(table, JSON_ALL), LENGTH(wanted) + 1);
	all = json_number_value(json_cell(table, JSON_IS("part", "all"), "seconds"));
	assert_close(sum, all, 1e-5);
}

TEST(the_parts_of_a_run_are_its_time)
{
	struct cli cli = here_run(FEW, "backend=host", "counters=no", NULL);
	assert_lacks(cli.out, "were timed calls"); /* a section of its own */
	cli_expect(cli, 0, "");
	char *text = here_read("report.md");
	assert_says(text, "were timed calls");
	assert_adds_up(here_path("report.json"));
}

static double number_in(const char *text, const char *after)
{
	const char *at = strstr(text, after);
	assert_non_null(at);
	return strtod(at + strlen(after), NULL);
}

TEST(a_dry_run_says_what_its_estimate_is_from)
{
	struct cli cli = here_run(FEW, "backend=host", "--dry-run", NULL);
	assert_says(cli.out, " s; from typical figures");
	assert_true(number_in(cli.out, "estimate: ") > 0);
	cli_expect(cli, 0, "");
	assert_int_equal(access(results, F_OK), -1);
}

TEST(an_estimate_grows_with_the_blocks)
{
	struct cli few =
	               here_run(FEW, "backend=null", "delay=20ms", "--dry-run", "blocks=10", NULL),
	           many =
	               here_run(NULL, "backend=null", "delay=20ms", "--dry-run", "blocks=60", NULL);
	/* A block has three trials with at least 8 calls of 20 ms each. */
	assert_true(number_in(many.out, "estimate: ") - number_in(few.out, "estimate: ") >=
	            50 * 3 * 8 * 0.02 - 1);
	cli_expect(few, 0, "");
	cli_expect(many, 0, "");
}

/* --- while it runs --- */

TEST(what_is_left_is_told_by_each_variants_own_trials)
{
	struct plan *plan = calloc(1, sizeof *plan);
	struct spec *spec = calloc(1, sizeof *spec);
	int64_t p[2] = {0};
	struct plan_trial trials[6] = {{0, 0, 0}, {1, 0, 1}, {0, 1, 2},
	                               {1, 1, 3}, {0, 2, 4}, {1, 2, 5}};
	assert_true(plan && spec);
	plan->spec = spec;
	plan->trials = trials;
	plan->ntrials = 6;
	plan->nvariants = 2;
	assert_int_equal(run_left_ns(p, plan, 0, 6), -1);
	p[0] = 10;
	assert_int_equal(run_left_ns(p, plan, 1, 5), 50); /* of the other nothing is known */
	p[1] = 100;
	assert_int_equal(run_left_ns(p, plan, 2, 4), 220);
	/* The first block has other passes: the last trial counts. */
	p[0] = 4;
	assert_int_equal(run_left_ns(p, plan, 3, 3), 204);
	/* Trials that are not planned yet, of a search. */
	assert_int_equal(run_left_ns(p, plan, 6, 4), 4 * (4 + 100) / 2);
	free(spec);
	free(plan);
}

/* What it shows so far is not said: that would invite to stop there. */
TEST(a_log_has_a_line_per_block)
{
	struct cli cli =
	    here_run(FEW, "backend=host", "counters=no", "blocks=7", "--no-report", NULL);
	assert_int_equal(text_count(cli.out, "\n[") + (cli.out[0] == '['), 7);
	assert_int_equal(text_count(cli.out, " block 1 of 7: "), 1);
	assert_int_equal(text_count(cli.out, " left\n"), 6);
}
