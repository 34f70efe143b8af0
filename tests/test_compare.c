/* Two runs against each other: from folders to the table and the exit code. */

#include "compare_output.h"

enum { THREADS, PROCESSES, AGAIN, LIMIT, VARIANTS };

/* A run: two variants, the reference's twin and the limit, two ranks, in both paces. */
struct result {
	unsigned blocks, sizes;
	double threads, processes, limit; /* times these, of 10 µs × the size's number */
	double spread;                    /* blocks differ by up to so much */
	double last;                      /* the largest size's extra factor */
	const char *seed, *host, *experiment, *bind, *skip, *variable, *driver;
	uint64_t wrong;
	bool fails; /* processes has no time */
	bool only_stream;
	enum coll_kind coll;
	unsigned weight; /* of the next rank in alltoallv's counts; 0: even */
	bool older;      /* its parts are ordered by distance */
	const char *dtype;
	unsigned ranks, smallest; /* bytes; ranks as the environment says them */
};

static const struct result plain = {.blocks = 8,
                                    .sizes = 3,
                                    .threads = 1,
                                    .processes = 1.5,
                                    .limit = 0.5,
                                    .spread = 0.004,
                                    .last = 1,
                                    .seed = "ff",
                                    .host = "node",
                                    .experiment = "x",
                                    .bind = "none",
                                    .coll = COLL_ALLTOALL,
                                    .dtype = "float32",
                                    .ranks = 2,
                                    .smallest = 4096};
static struct result side; /* that is written now */

/* Each block has its own factor, the same for all of a trial's cells. */
static void stamps(const struct made_place *p, int64_t out[6])
{
	const double times[VARIANTS] = {side.threads, side.processes, side.threads, side.limit};
	double noise = side.spread * ((p->block * 7 + 3) % 11 / 10.0 - 0.5);
	double ns = 10000.0 * (p->size + 1) * times[p->variant] * (1 + noise);
	ns *= p->size == side.sizes - 1 && p->variant != LIMIT ? side.last : 1;
	out[1] = 5;
	out[2] = (int64_t)(p->isolated ? ns : 10 * ns);
	out[3] = 3;
}

static bool has(const struct made_place *p)
{
	return !(p->isolated && side.only_stream) && !(p->variant == PROCESSES && side.skip);
}

static void environment(json_t *env)
{
	json_object_update_new(
	    env,
	    json_pack("{s:s, s:s, s:i, s:{s:i, s:s, s:s, s:s*, s:{s:s*, s:s}}, s:o}", "experiment",
	              side.experiment, "seed", side.seed, "ranks", (int)side.ranks, "machine",
	              "cores", 8, "host", side.host, "cpu", "A CPU", "driver", side.driver,
	              "environment", "NCCL_P2P_DISABLE", side.variable, "PATH", side.host, "counts",
	              side.weight ? json_pack("[i, i]", 1, (int)side.weight) : json_array()));
	if (!side.older)
		json_object_set_new(env, "parts", json_string("by rank"));
	for (unsigned v = 0; v < VARIANTS; v++)
		json_object_set_new(made_variant_of(env, v), "bind", json_string(side.bind));
}

static void line(json_t *cell, const struct made_place *p)
{
	const bool limit = p->variant == LIMIT;
	json_object_set_new(cell, "wrong", json_integer(limit ? 0 : (json_int_t)side.wrong));
	if (side.fails && p->variant == PROCESSES)
		json_object_set_new(cell, "error", json_string("rank 1: it broke"));
}

/* The run's folder, of which there can be several at a time. */
static const char *make(const char *name, const struct result *of)
{
	static char paths[4][128];
	static unsigned turn;
	char *path = paths[turn++ % 4];
	struct made_call calls[8];
	const struct made_variant variants[VARIANTS] = {
	    [THREADS] = {.name = "threads", .role = "reference"},
	    [PROCESSES] = {.name = "processes", .skip = of->skip},
	    [AGAIN] = {.name = "threads-again", .role = "again"},
	    [LIMIT] = {.name = "limit", .role = "limit"},
	};
	for (unsigned i = 0; i < of->sizes; i++)
		calls[i] = (struct made_call){.collective = coll_info(of->coll)->name,
		                              .bytes = of->smallest << i,
		                              .dtype = of->dtype};
	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	mkdir(path, 0777);
	side = *of;
	made_write(&(struct made){.folder = path,
	                          .backend = "host",
	                          .blocks = of->blocks,
	                          .sizes = of->sizes,
	                          .variants = variants,
	                          .nvariants = VARIANTS,
	                          .calls = calls,
	                          .has = has,
	                          .environment = environment,
	                          .line = line,
	                          .stamps = stamps});
	return path;
}

static int compare_at(const char *left, const char *right, double margin)
{
	return compared(
	    (struct compare_request){.paths = {left, right}, .npaths = 2, .margin = margin});
}

static void compares(const char *left, const char *right, int code)
{
	assert_int_equal(compare_at(left, right, COMPARE_MARGIN), code);
}

/* The plain run, and another beside it. */
static void is_compared(const struct result *other, int code)
{
	compares(make("a", &plain), make("b", other), code);
}

/* No verdict, and the words say why. */
static void refuses(const char *left, const char *right, const char *words)
{
	compares(left, right, COMPARE_NOT_DONE);
	assert_says(printed, words);
}

/* Of the answer's row with this verdict. */
static double answered(const char *verdict, const char *column)
{
	const json_t *cell =
	    json_cell(json_table(as_json, "answer"), JSON_IS("verdict", verdict), column);
	return json_number_value(cell);
}

/* The answer has only this verdict, for so many cells. */
static void answers(const char *verdict, unsigned cells)
{
	assert_int_equal(json_count(as_json, "answer"), 1);
	assert_near(answered(verdict, "cells"), cells, 0);
	assert_near(answered(verdict, "of_cells"), cells, 0);
}

/* Of the row of a variant and a pace. */
static const json_t *judged(const char *variant, const char *pace, const char *column)
{
	return json_cell(json_table(as_json, "verdicts"), JSON_IS("variant", variant, "pace", pace),
	                 column);
}

static void judges(const char *variant, const char *pace, const char *verdict)
{
	json_assert_text(judged(variant, pace, "verdict"), "", verdict);
}

/* How many notes have the words. */
static unsigned noted(const char *words)
{
	const json_t *row, *notes = json_object_get(json_table(as_json, "notes"), "rows");
	unsigned n = 0;
	size_t i;
	json_array_foreach(notes, i, row) n +=
	    text_count(json_string_value(json_array_get(row, 1)), words);
	return n;
}

TEST(a_run_equals_itself)
{
	const char *a = make("a", &plain);
	compares(test_text("%s/trials.jsonl", a), a, COMPARE_NOT_WORSE);
	answers("no difference", 12);
	assert_near(answered("no difference", "speed_least"), 1, 0);
	assert_near(answered("no difference", "speed_most"), 1, 0);
	assert_near(answered("no difference", "threshold"), 0.02, 0);
	/* Of threads and processes in both paces, and of the limit; not of the twin. */
	assert_int_equal(json_count(as_json, "verdicts"), 5);
	assert_int_equal(
	    json_rows(json_table(as_json, "verdicts"), JSON_IS("verdict", "no difference")), 5);
	assert_int_equal(noted("The same build and machine."), 1);
	assert_int_equal(json_count(as_json, "notes"), 1);
	/* With noise so large that nothing can be said, it is still not worse. */
	struct result wild = plain;
	wild.spread = 0.8;
	a = make("b", &wild);
	compares(a, a, COMPARE_NOT_WORSE);
	answers("undecided", 12);
	assert_says(printed, "; to decide takes more than 1000 more blocks on each side, a quieter "
	                     "machine, or --threshold 32%. - A: ");
	assert_int_equal(compare_at(a, a, 0.32), COMPARE_NOT_WORSE);
	answers("no difference", 12);
	for (unsigned blocks = 1; blocks < 12; blocks++) {
		wild.blocks = blocks;
		wild.spread = 0.01 * blocks;
		a = make("b", &wild);
		assert_int_equal(compare_at(a, a, 0), COMPARE_NOT_WORSE);
	}
}

TEST(slower_is_worse_and_turned_round_faster)
{
	struct result slow = plain;
	slow.processes *= 1.1;
	slow.blocks = 6;
	const char *a = make("a", &plain), *b = make("b", &slow);
	compares(a, b, COMPARE_WORSE);
	assert_begins(printed,
	              "x: B compared with A\n B is slower in 6 of 12 cells, 0.909 times A's "
	              "speed, beyond 2 %.\n"
	              " No difference in 6 of 12 cells, ");
	assert_says(printed, " trials          8  "); /* and 6 */
	judges("processes", "stream", "slower");
	judges("processes", "isolated", "slower");
	judges("threads", "stream", "no difference");
	judges("threads", "isolated", "no difference");
	compares(b, a, COMPARE_NOT_WORSE);
	assert_near(answered("faster", "cells"), 6, 0);
	assert_near(answered("faster", "speed_least"), 1.1, 1e-3);
	judges("processes", "stream", "faster");
	/* A margin that contains it. */
	assert_int_equal(compare_at(a, b, 0.2), COMPARE_NOT_WORSE);
	assert_says(printed, ", by under 20 %.\n No difference in 6 of 12 cells, ");
	judges("processes", "stream", "slower by little");
	/* And one that cuts through the interval. */
	assert_int_equal(compare_at(a, b, 0.1), COMPARE_NOT_WORSE);
	judges("processes", "stream", "undecided");
}

/* The JSON has everything that the terminal shows. */
TEST(json_has_every_row_and_verdict)
{
	struct result slow = plain;
	slow.processes *= 1.1;
	slow.bind = "core";
	slow.sizes = 2;
	const char *a = make("a", &plain), *b = make("b", &slow);
	compares(a, b, COMPARE_WORSE);
	assert_near(answered("slower", "cells"), 4, 0);
	assert_near(answered("slower", "of_cells"), 8, 0);
	assert_near(answered("slower", "speed_least"), 1 / 1.1, 1e-3);
	const json_t *t = json_table(as_json, "verdicts");
	assert_int_equal(json_count(as_json, "verdicts"), 5); /* and the limit */
	assert_int_equal(
	    json_rows(t, JSON_IS("counted", "true", "collective", "alltoall", "dtype", "float32",
	                         "root", "", "in_place", "false", "sizes", "2", "of_sizes", "3",
	                         "trials_a", "8", "trials_b", "8")),
	    4);
	assert_int_equal(
	    json_rows(t, JSON_IS("counted", "false", "collective", "copy", "variant", "limit",
	                         "sizes", "2", "trials_a", "8", "trials_b", "8")),
	    1);
	const json_t *speed = judged("processes", "stream", "speed");
	json_assert_number(speed, "estimate", 1 / 1.1, 1e-3);
	assert_true(json_real_value(json_at(speed, "lo")) < json_real_value(json_at(speed, "hi")));
	t = json_table(as_json, "cells");
	assert_int_equal(json_count(as_json, "cells"), 10);
	json_assert_number(
	    json_cell(t, JSON_IS("variant", "threads", "pace", "stream", "bytes", "8192"), "a_us"),
	    "", 20, 0.1);
	t = json_table(as_json, "sides");
	json_assert_text(json_cell(t, JSON_IS("fact", "result"), "a"), "", a);
	json_assert_text(json_cell(t, JSON_IS("fact", "result"), "b"), "", b);
	assert_int_equal(noted("The same build and machine."), 1);
	assert_int_equal(
	    noted("bind is not set the same in threads, processes, threads-again, limit."), 1);
}

TEST(few_trials_decide_nothing)
{
	struct result few = plain;
	few.blocks = 2;
	few.processes *= 3;
	const char *b = make("b", &few);
	compares(make("a", &plain), b, COMPARE_NOT_WORSE);
	assert_says(printed, "; up to 1 more block on each side would decide. - A: ");
	judges("threads", "stream", "undecided");
	few.blocks = 1;
	b = make("b", &few);
	compares(b, b, COMPARE_NOT_WORSE);
	assert_says(printed, "; up to 3 more blocks on each side would decide. - A: ");
}

TEST(one_number_over_the_sizes_of_both)
{
	struct result less = plain, more = plain;
	less.sizes = 2;
	less.last = 1;
	more.last = 5; /* the largest size, which only A has */
	compares(make("a", &more), make("b", &less), COMPARE_NOT_WORSE);
	answers("no difference", 8);
	assert_says(printed, "  sizes  of threads");
	assert_says(printed, "      2   3 threads");
	/* If both have it, it moves the mean: 5 to the power of 1/3. */
	is_compared(&more, COMPARE_WORSE);
	json_assert_number(judged("threads", "stream", "speed"), "estimate", pow(5, -1. / 3), 1e-3);
}

/* Then the machine is another one, and a variant's time says nothing of the variant. */
TEST(where_the_limit_moves_nothing_is_decided)
{
	struct result slow = plain;
	slow.limit *= 1.01;
	is_compared(&slow, COMPARE_NOT_WORSE);
	assert_says(printed, "limit (not");
	answers("no difference", 12);
	slow.limit *= 1.55;
	slow.processes *= 1.5;
	const char *a = make("a", &plain), *b = make("b", &slow);
	cli_expect(cli_call(folder, "compare", a, b, NULL), COMPARE_MOVED, "The machine changed");
	compares(a, b, COMPARE_MOVED);
	assert_begins(printed, "x: B compared with A\n The machine changed: limit, which is not of "
	                       "NCCL, has 0.639 times A's "
	                       "speed in B. So nothing is decided.");
	judges("limit", "stream", "slower");
	answers("undecided", 12);
}

/* A row is judged over its sizes together, a cell by its own interval. */
TEST(cells_are_counted_by_their_own_verdict)
{
	struct result last = plain;
	last.last = 1.5; /* the largest size alone */
	is_compared(&last, COMPARE_WORSE);
	assert_begins(printed,
	              "x: B compared with A\n B is slower in 4 of 12 cells, 0.667 times A's "
	              "speed, beyond 2 %.\n"
	              " No difference in 8 of 12 cells, ");
	assert_int_equal(compare_at(make("a", &plain), make("b", &last), 0.2), COMPARE_NOT_WORSE);
	assert_near(answered("slower", "cells"), 4, 0);
}

TEST(what_nccl_was_told_and_the_driver_are_compared)
{
	struct result set = plain;
	set.variable = "1";
	set.driver = "580.1";
	is_compared(&set, COMPARE_NOT_WORSE);
	assert_says(printed, "A and B differ in NCCL variables (A: NCCL_P2P_DISABLE not set; B: "
	                     "NCCL_P2P_DISABLE=1).");
	assert_int_equal(noted("Not the same: NCCL variables."), 1);
	assert_int_equal(noted("Not known of both: driver."), 1);
	assert_int_equal(noted("All the same"), 0);
	set.variable = NULL;
	is_compared(&set, COMPARE_NOT_WORSE);
	assert_int_equal(noted("What both say is the same but for the time."), 1);
	assert_lacks(printed, "PATH");
}

TEST(what_differs_is_said)
{
	struct result other = plain;
	other.host = "elsewhere\033[31m";
	other.experiment = "y";
	other.bind = "core";
	other.only_stream = true;
	is_compared(&other, COMPARE_NOT_WORSE);
	/* Behind the answer, before any table. */
	const char *unlike = strstr(printed, "A and B differ in experiment (A: x; B: y), ");
	assert_non_null(unlike);
	assert_true(unlike < strstr(printed, "variant "));
	assert_int_equal(noted("Not the same: experiment, machine."), 1);
	assert_int_equal(
	    noted("bind is not set the same in threads, processes, threads-again, limit."), 1);
	assert_int_equal(noted("Only in A: alltoall, isolated of threads, processes."), 1);
	assert_lacks(printed, "\033");
}

/* Other counts are other work, and other data, which is not wrong for it. */
TEST(counts_of_alltoallv_are_said)
{
	struct result even = plain, skewed = plain;
	const json_keys counts = {"fact", "counts", NULL};
	skewed.weight = 3;
	is_compared(&skewed, COMPARE_NOT_WORSE);
	assert_int_equal(noted("The same build and"), 1);
	assert_int_equal(json_rows(json_table(as_json, "sides"), counts), 0);
	even.coll = skewed.coll = COLL_ALLTOALLV;
	compares(make("a", &even), make("b", &even), COMPARE_NOT_WORSE);
	assert_int_equal(noted("The same build and"), 1);
	assert_int_equal(json_rows(json_table(as_json, "sides"), counts), 1);
	compares(make("a", &even), make("b", &skewed), COMPARE_NOT_WORSE);
	assert_int_equal(noted("Not the same: counts."), 1);
	json_assert_text(json_cell(json_table(as_json, "sides"), counts, "b"), "", "1:3");
	skewed.weight = 1;
	skewed.older = true;
	compares(make("a", &even), make("b", &skewed), COMPARE_NOT_WORSE);
	assert_int_equal(noted("Not the same: counts."), 1);
}

TEST(wrong_data_is_not_compared)
{
	struct result other = plain;
	const char *a = make("a", &plain);
	other.wrong = 2;
	const char *b = make("b", &other);
	refuses(a, b, "wrong");
	refuses(b, a, "nothing is compared");
}

TEST(nothing_in_common_is_said)
{
	struct result other = plain;
	other.coll = COLL_SENDRECV;
	other.only_stream = true;
	/* The limit's cells are left, and no verdict uses them. */
	refuses(make("a", &plain), make("b", &other),
	        "no cell in common: collective is alltoall in A, sendrecv in B");
	assert_begins(printed, "\nno cell"); /* nothing was printed */
	other.coll = COLL_ALLTOALL;
	other.dtype = "float16";
	other.ranks = 4;
	refuses(make("a", &plain), make("b", &other),
	        "no cell in common: dtype is float32 in A, float16 in B; ranks: 2 in A, 4 in B");
	other = plain;
	other.smallest = 1 << 20;
	refuses(make("a", &plain), make("b", &other),
	        "size is 4 KiB, 8 KiB, 16 KiB in A, 1 MiB, 2 MiB, 4 MiB in B");
	other.sizes = 7;
	refuses(make("b", &other), make("a", &plain), "size is 1 MiB to 64 MiB in A, 4 KiB, ");
	/* Two keys at once, and no single one of them keeps all apart. */
	other.sizes = 3;
	other.dtype = "float16";
	refuses(make("a", &plain), make("b", &other),
	        "dtype is float32 in A, float16 in B; size is 4 KiB, 8 KiB, 16 KiB in A, 1 MiB, ");
}

TEST(a_variant_that_fails_does_not_pass)
{
	struct result other = plain;
	const char *a = make("a", &plain);
	other.fails = true;
	const char *b = make("b", &other);
	refuses(a, b, "processes has no time in B: all of its trials failed: rank 1: it broke");
	refuses(b, a, "processes has no time in A");
	compares(b, b, COMPARE_NOT_WORSE);
	assert_int_equal(noted("processes failed: rank 1: it broke."), 2); /* A and B */
	/* Slower elsewhere is worse all the same. */
	other.threads *= 1.2;
	compares(a, make("b", &other), COMPARE_WORSE);
	judges("threads", "stream", "slower");
	/* Left out on purpose is no failure. */
	other = plain;
	other.skip = "it is not here";
	compares(a, make("b", &other), COMPARE_NOT_WORSE);
	assert_int_equal(noted("processes was left out: it is not here."), 1);
}

TEST(what_cannot_be_read_is_said)
{
	const char *a = make("a", &plain);
	char *path = test_text("%s/none", folder);
	refuses(a, path, "none: No such file");
	refuses(path, a, "none: No such file");
	mkdir(path, 0777);
	refuses(a, path, "holds no trials.jsonl");
	cli_write(path, "trials.jsonl", "{\"schema\":1}\n");
	refuses(a, path, "\"kind\" is missing");
	cli_write(folder, "bad.json", "{");
	refuses(a, test_text("%s/bad.json", folder), "not JSON");
}

/* In the folder `json`, five files of nccl-tests of the made-up run's stream, `factor` times as
 * slow. */
static void write_json(double factor, const char *options)
{
	for (int k = 0; k < 5; k++) {
		double times = factor + 0.001 * k;
		const char *text = test_text(
		    "{'args':['alltoall_perf'%s],'env':['A=SECRET'],'nccl_version':22803,"
		    "'config':{'nthreads':2,'ngpus':1,'graph':%d,'validation':1,'devices':["
		    "{'group':0,'hostname':'node','device_info':'GPU'}]},'results':[",
		    options, strstr(options, "-G") != NULL);
		for (unsigned i = 0; i < 3; i++)
			text = test_text("%s%s{'size':%u,'type':'float','redop':'none','root':-1,"
			                 "'out_of_place':{'time':%.4f,'nwrong':0},'in_place':null}",
			                 text, i ? "," : "", 4096u << i, times * 10 * (i + 1));
		cli_write(folder, test_text("json/%d.json", k),
		          test_quotes(test_text("%s]}", text)));
	}
}

TEST(nccl_tests_stand_beside_ours)
{
	const char *a = make("a", &plain), *mean = "the mean over ranks (its default) (-a 1)";
	char *theirs = test_text("%s/json", folder);
	mkdir(theirs, 0777);
	write_json(1, "");
	compares(a, theirs, COMPARE_NOT_WORSE);
	answers("no difference", 3);
	judges("threads", "stream", "no difference");
	assert_int_equal(noted(mean), 1);
	assert_int_equal(noted("Not the same: experiment, program, backend, machine."), 1);
	assert_int_equal(noted("alltoall, stream of processes"), 1);
	assert_lacks(printed, "SECRET");
	compares(theirs, a, COMPARE_NOT_WORSE);
	answers("no difference", 3);
	/* Against each other their kind of mean is the same. */
	compares(theirs, theirs, COMPARE_NOT_WORSE);
	answers("no difference", 3);
	assert_int_equal(noted(mean), 0);
	write_json(1.3, ",'-a','3'");
	compares(a, theirs, COMPARE_WORSE);
	answers("slower", 3);
	assert_near(answered("slower", "speed_least"), 1 / 1.3, 0.005);
	assert_int_equal(noted("mean over ranks"), 0);
	write_json(1, ",'-G','1'");
	refuses(a, theirs, "not the same kind of call");
	compares(theirs, theirs, COMPARE_NOT_WORSE);
	answers("no difference", 3);
}

TEST(the_command_line)
{
	static const struct {
		const char *args[5], *said;
	} bad[] = {
	    {{NULL}, "wants two results"},
	    {{"A"}, "wants two results"},
	    {{"A", "B", "--thresh", "2%"}, "'--thresh' is not understood"},
	    {{"A", "B", "--treshold", "2%"}, "did you mean '--threshold'?"},
	    {{"A", "B", "--fromat=json"}, "allowed are two results or up to 26"},
	    {{"A", "B", "--threshold"}, "--threshold needs a value"},
	    {{"A", "B", "--threshold", "2"}, "to 100%, with the sign %"},
	    {{"A", "B", "--threshold", "-1%"}, "allowed is 0% to 100%"},
	    {{"A", "B", "--threshold", "101%"}, "allowed is 0% to 100%"},
	    {{"A", "B", "--threshold", "nan%"}, "allowed is 0% to 100%"},
	    {{"A", "B", "--threshold", "%"}, "allowed is 0% to 100%"},
	    {{"A", "B", "--variant", ""}, "--variant has 0 bytes; allowed is 1 to 63"},
	    {{"A", "B", "--format", "xml"}, "--format = 'xml' is not known"},
	    {{"A", "B", "--format"}, "--format needs a value"},
	};
	assert_works(PARSE("A", "B"));
	assert_prints("A B 0.02", "%s %s %g", asks.paths[0], asks.paths[1], asks.margin);
	assert_true(!asks.variant && asks.form == COMPARE_TEXT && asks.margin == COMPARE_MARGIN);
	assert_works(PARSE("--threshold", "0.5 %", "A", "--variant", "v", "B", "--format", "json"));
	assert_prints("A B 0.005 v", "%s %s %g %s", asks.paths[0], asks.paths[1], asks.margin,
	              asks.variant);
	assert_true(asks.form == COMPARE_JSON);
	for (size_t i = 0; i < LENGTH(bad); i++) {
		const char *const *a = bad[i].args;
		assert_int_equal(PARSE(a[0], a[1], a[2], a[3], a[4]), -1);
		assert_says(because(), bad[i].said);
	}
	/* A refused argument sets nothing. */
	assert_string_equal(asks.variant, "v");
}

TESTS(.begin = set_up, .end = compared_end);
