/* Sizes that a mean hides, or that are in no regime, are named where they are decided. */
#include "made.h"

static double factor[3][8]; /* time of single, threads and processes at each size, 4 KiB on */
static bool old;            /* processes is threads on another version of the library */

static void times(const struct made_place *p, int64_t out[6])
{
	double of = p->variant < 3 ? factor[p->variant][p->size] : 1;
	double ns = 10000.0 * (1 << 2 * p->size) * of;
	ns *= 1 + 0.001 * made_noise(p->variant, p->block, p->size);
	out[1] = 100;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
	out[3] = 10;
}

static void versions(json_t *environment)
{
	json_t *processes = made_variant_of(environment, MADE_PROCESSES);
	if (!old)
		return;
	made_set_mode(processes, "threads");
	json_object_set_new(processes, "nccl", json_string("/old/libnccl.so.2"));
}

static void libraries(json_t *line, const struct made_place *p)
{
	made_fact(line, "library", old && p->variant == MADE_PROCESSES ? "2.21.5" : "2.28.3");
}

static struct made made = {.blocks = 8,
                           .sizes = 8, /* to 64 MiB: 16 and 64 MiB are large */
                           .no_limit = true,
                           .environment = versions,
                           .line = libraries,
                           .stamps = times};

FIXTURE(fresh)
{
	for (unsigned v = 0; v < 3; v++)
		for (unsigned i = 0; i < 8; i++)
			factor[v][i] = 1;
	old = false;
	made.blocks = 8;
	return 0;
}

/* 6 % faster at 16 MiB and slower at 64 MiB: these have no mean. */
TEST(what_the_mean_hides_is_named)
{
	factor[MADE_PROCESSES][6] = 1 / 1.06;
	factor[MADE_PROCESSES][7] = 1.06;
	const json_t *report = made_report(&made);
	const json_t *table = json_table(report, "exceptions");
	json_keys faster = {"variant", "processes", "asked_bytes", "16777216",
	                    "pace",    "stream",    NULL},
	          slower = {"variant", "processes", "asked_bytes", "67108864",
	                    "pace",    "stream",    NULL};
	json_assert_text(json_cell(table, faster, "verdict"), "", "faster");
	json_assert_text(json_cell(table, slower, "verdict"), "", "slower");
	json_assert_text(json_cell(table, slower, "mean"), "", "undecided");
	json_assert_number(json_cell(table, slower, "speed"), "estimate", 1 / 1.06, 0.005);
	assert_int_equal(json_count(report, "exceptions"), 2);
	json_assert_one_says(json_object_get(report, "answer"),
	                     "slower than threads in one cell and faster in another: processes");
	/* All of them are on the page. */
	json_assert_one_says(json_section(report, "exceptions"), "Each is judged by itself");
	assert_says(made_read("report.md"), "\n## Sizes that differ from the average\n");
}

/* What the mean says too is not an exception; nor is a size that few blocks leave open. */
TEST(what_the_mean_says_is_not_said_twice)
{
	factor[MADE_PROCESSES][6] = factor[MADE_PROCESSES][7] = 1.1;
	assert_int_equal(json_count(made_report(&made), "exceptions"), 0);
	factor[MADE_PROCESSES][6] = 0.94;
	made.blocks = 5;
	assert_int_equal(json_count(made_report(&made), "exceptions"), 0);
}

TEST(a_size_of_no_regime_is_named)
{
	factor[MADE_SINGLE][4] = 1.3; /* 1 MiB */
	const json_t *report = made_report(&made), *table = json_table(report, "exceptions");
	assert_int_equal(json_count(report, "exceptions"), 2); /* in both paces */
	json_assert_text(
	    json_cell(table, JSON_IS("variant", "single", "pace", "stream"), "verdict"), "",
	    "slower");
	json_assert_one_says(json_object_get(report, "answer"),
	                     "At 1 MiB (alltoall, stream; between the classes) slower than");
	/* A small size of streams is in none either; a large one of isolated calls is no news.
	 */
	factor[MADE_SINGLE][4] = 1;
	factor[MADE_SINGLE][7] = factor[MADE_SINGLE][6] = 1.3;
	assert_int_equal(json_count(made_report(&made), "exceptions"), 0);
	/* Nor is one between regimes that both say so. */
	for (unsigned i = 0; i < 8; i++)
		factor[MADE_SINGLE][i] = 1.3;
	assert_int_equal(json_count(made_report(&made), "exceptions"), 0);
}

/* How many sentences of the answer tell of sizes. */
static unsigned on_top(const json_t *report)
{
	const json_t *answer = json_object_get(report, "answer");
	unsigned n = 0;
	for (size_t i = 0; i < json_array_size(answer); i++)
		for (const char *at = json_string_value(json_array_get(answer, i));
		     (at = strstr(at, " times the speed.")); at++)
			n++;
	return n;
}

/* Of all sizes page 1 tells the two strongest, but for those that their regime's sentence tells. */
TEST(page_1_tells_the_two_strongest)
{
	factor[MADE_SINGLE][3] = 1.3;
	factor[MADE_SINGLE][4] = 1.1;
	factor[MADE_SINGLE][5] = 1.6;
	factor[MADE_PROCESSES][6] = 1.06;
	factor[MADE_PROCESSES][7] = 1 / 1.2;
	const json_t *report = made_report(&made), *answer = json_object_get(report, "answer");
	assert_int_equal(json_count(report, "exceptions"), 8);
	assert_int_equal(on_top(report), 2);
	json_assert_one_says(answer, "At 4 MiB (alltoall, ");
	json_assert_one_says(answer,
	                     "The section Sizes that differ from the average has more of them.");
	factor[MADE_SINGLE][3] = factor[MADE_SINGLE][4] = factor[MADE_SINGLE][5] = 1;
	report = made_report(&made);
	assert_int_equal(on_top(report), 0);
	assert_false(json_one_says(json_object_get(report, "answer"), "has more of them"));
}

/* Two variants that differ in the library alone are compared with each other. */
TEST(versions_are_compared_at_each_size)
{
	old = true;
	factor[MADE_PROCESSES][4] = 1.4;
	const json_t *report = made_report(&made), *table = json_table(report, "exceptions");
	json_keys is = {"versions", "2.21.5 is slower than 2.28.3", "pace", "stream", NULL};
	json_assert_number(json_cell(table, is, "speed"), "estimate", 1 / 1.4, 0.01);
	json_assert_text(json_cell(table, is, "against"), "", "threads");
	/* The reference is that version: each pace has the finding once. */
	assert_int_equal(json_count(report, "exceptions"), 2);
	json_assert_one_says(
	    json_object_get(report, "answer"),
	    "; between the classes) NCCL 2.21.5 is slower than 2.28.3: processes, 0.714 (0.714 to "
	    "0.715) times the speed.");
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
