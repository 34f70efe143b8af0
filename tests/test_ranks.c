/* Ranks, single calls and the timeline's pass: from stamps to tables and pictures. */
#include "made.h"

/* Rank 2 starts 50 ns late, launches for 100 + 10 × rank, and rank 1 ends 300 ns after the
 * others in four rows of five. The timeline's calls take much longer. */
static void stamps(const struct made_place *p, int64_t out[6])
{
	int64_t length = 5000 << 2 * p->size;
	if (p->timeline) /* the last row's: no trial is a copy of another */
		length = 90000 + p->row + (p->row == 9 ? 8 * p->variant + 64 * p->block : 0);
	out[0] = p->rank == 2 ? 50 : 0;
	out[1] = out[0] + 100 + 10 * p->rank;
	out[2] = length + (p->rank == 1 && p->row % 5 ? 300 : 0);
	if (!p->isolated)
		out[2] *= 10;
	out[4] = p->variant == MADE_SINGLE ? 1000 * (int)p->rank - 200 : 300;
	out[5] = 80000;
}

static const struct made plain = {.ranks = 4,
                                  .blocks = 6,
                                  .sizes = 3,
                                  .rows = 10,
                                  .timeline = true,
                                  .device = true,
                                  .stamps = stamps};

/* Within rounding. */
#define near(IS, WANTED) test_near(IS, WANTED, 1e-9, 1e-6, __FILE__, __LINE__)

static int64_t late_ns, late_every_other_ns, poll_ns;

static void stamps_of_late(const struct made_place *p, int64_t out[6])
{
	out[2] = 20000 + (p->rank == 1 ? p->block % 2 ? late_every_other_ns : late_ns : 0);
	out[3] = poll_ns;
}

/* What the picture of ranks says of isolated calls. */
static void assert_caption(int64_t late, int64_t every_other, int64_t poll, const char *said)
{
	struct made m = plain;
	m.stamps = stamps_of_late;
	m.timeline = m.device = false;
	m.sizes = 1;
	late_ns = late;
	late_every_other_ns = every_other;
	poll_ns = poll;
	const json_t *table = json_table(made_report_with(&m, "/nowhere", 0), "captions");
	const char *text =
	    json_string_value(json_cell(table, JSON_IS("pace", "isolated"), "ranks_said"));
	assert_string_equal(text ? text : "", said);
}

/* The distance of one rank of four from the mean is three quarters of what it is late by. */
TEST(a_title_names_no_rank_within_noise)
{
	assert_caption(
	    2000, 2000, 10,
	    "Rank 1 of threads ends 6.8 % of the call after the mean of all ranks at 4 KiB");
	assert_caption(
	    -2000, -2000, 10,
	    "Rank 1 of threads ends 7.5 % of the call before the mean of all ranks at 4 KiB");
	assert_caption(200, 200, 10, "All ranks end within 2 % of the call of their mean");
	/* In every other trial only; no more than a poll round. */
	assert_caption(2000, -100, 10, "");
	assert_caption(2000, 2000, 1600, "");
}

TEST(the_timelines_pass_counts_nowhere)
{
	struct made with = plain, without = plain;
	char *before;
	without.timeline = false;
	made_write(&without);
	assert_int_equal(report_make(made_folder, "/nowhere", NULL, WHY), 0);
	before = strdup(made_read("summary.csv"));
	made_write(&with);
	assert_int_equal(report_make(made_folder, "/nowhere", NULL, WHY), 0);
	assert_string_equal(before, made_read("summary.csv"));
	free(before);
}

/* A figure of the timeline's call of single. */
static double of_single(const json_t *report, const char *key)
{
	return json_number_value(
	    json_cell(json_table(report, "calls"), JSON_IS("name", "single"), key));
}

TEST(the_timeline_is_of_its_own_pass)
{
	struct made m = plain;
	const json_t *report = made_report(&m);
	assert_string_equal(json_string_value(json_cell(json_table(report, "calls"),
	                                                JSON_IS("name", "single"), "pass")),
	                    "timeline");
	near(of_single(report, "bytes"), 4096);
	near(of_single(report, "before"), 0.2);
	near(of_single(report, "residual"), 0.5);
	/* Lengths are 90000 + row, and 300 more but in rows 0 and 5: the median is row 3's.
	 */
	assert_says(made_read("plots/timeline.csv"),
	            "\nsingle,alltoall,4096,3,0,0.13,90.003,2.8,80,2\n");
	/* Without a device's clock the columns are empty, without the pass any call will do. */
	m.device = false;
	made_report(&m);
	assert_says(made_read("plots/timeline.csv"),
	            "\nsingle,alltoall,4096,3,0,0.13,90.003,,,2\n");
	m.timeline = false;
	report = made_report(&m);
	assert_string_equal(json_string_value(json_cell(json_table(report, "calls"),
	                                                JSON_IS("name", "single"), "pass")),
	                    "timed");
	near(of_single(report, "total"), 5.3);
	near(of_single(report, "launch"), 0.17); /* rank 2 starts 50 ns late */
}

TEST(all_calls_are_in_the_ecdf)
{
	made_report(&plain);
	char *text = made_read("plots/ecdf.csv");
	assert_says(text, "\nthreads,alltoall,65536,80,0.0166667,1\n");
	assert_says(text, "\nprocesses,alltoall,4096,5.3,1,3\n");
	unsigned lines = 0;
	for (char *p = text; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 1 + 3 * 4 * 60);
}

TEST(bad_device_stamps_are_refused)
{
	static const struct {
		const char *from, *to, *words;
	} bad[] = {{"\"device_end_ns\":[[", "\"device_end_ns\":[[-5000000,", "has not the 10 rows"},
	           {"\"device_end_ns\":", "\"device_enp_ns\":", "\"device_end_ns\" is missing"},
	           {"\"device_end_ns\":[[80001,", "\"device_end_ns\":[[-80001,",
	            "its stamps are not in order"},
	           {"\"pass\":\"timeline\"", "\"pass\":\"timelime\"", "timelime"}};
	for (size_t i = 0; i < LENGTH(bad); i++) {
		struct record_run run;
		made_write(&plain);
		cli_replace(made_path("trials.jsonl"), bad[i].from, bad[i].to);
		assert_refused(record_load(made_folder, &run, WHY), bad[i].words);
	}
}

TESTS(.begin = made_begin, .end = made_end);
