/* Exposed communication and overlap, of records that are made up: step, compute and communication
 * of each block differ by the test's amounts, with any other scatter. */
#include "made.h"

#include "../harness/coll/routing.h"

#define BLOCKS 8

static struct {
	double step, compute, communication;
} planted[3] = {
    [MADE_SINGLE] = {160, 80, 50},    /* exposed 80: they slow each other down */
    [MADE_THREADS] = {100, 80, 50},   /* exposed 20: 60 % are hidden */
    [MADE_PROCESSES] = {130, 80, 50}, /* exposed 50: nothing is */
};
static double scatter;   /* of the step alone, from block to block */
static unsigned without; /* a part that has no cells, or 0 */
static bool routed;      /* of a mixture of experts */

/* A block is up to 10 % faster or slower than the others, equally in all of its cells. */
static void stamps(const struct made_place *p, int64_t out[6])
{
	unsigned v = p->variant > MADE_PROCESSES ? MADE_THREADS : p->variant;
	double us[] = {planted[v].step, planted[v].compute, planted[v].communication};
	double scale = 1 + 0.1 * made_noise(p->block, 7, 1);
	us[0] += scatter * made_noise(p->block, v, 3);
	out[0] = 0;
	out[1] = 500;
	out[2] = (int64_t)(1000 * us[p->size % 3] * scale) + (p->isolated ? 0 : 9000);
	out[3] = 20;
}

static void line(json_t *json, const struct made_place *p)
{
	static const char *const steps[] = {"ddp_step", "ddp_compute", "ddp_communication"};
	static const char *const layers[] = {"moe_step", "moe_compute", "moe_communication"};
	const char *const *words = routed ? layers : steps;
	unsigned part = p->size % 3;
	json_int_t bucket = (json_int_t)26214400 << p->size / 3;
	bool none = without && part == without;
	json_object_set_new(json, "collective", json_string(none ? "all_reduce" : words[part]));
	json_object_set_new(json, "op",
	                    json_string(routed || (part == 1 && !none) ? "none" : "avg"));
	json_object_set_new(json, "in_place", json_boolean(!routed));
	if (routed)
		json_object_set_new(json, "root", json_integer(routing_root(12, 16)));
	if (p->variant == MADE_PROCESSES)
		json_object_set_new(json, "facts",
		                    json_pack("[{s:s, s:s}]", "launched_ctas",
		                              "ddp_communication 16, ddp_step 24", "sms", "120"));
	json_object_set_new(json, "asked_bytes", json_integer(bucket));
	json_object_set_new(json, "bytes", json_integer(bucket));
}

static void environment(json_t *json)
{
	json_object_set_new(json, "model",
	                    json_pack("{s:s, s:i, s:i, s:i}", "name", "tiny", "parameters", 100000,
	                              "elements", 100032, "flops", 2000000));
}

static struct made world(unsigned blocks)
{
	return (struct made){.backend = "null",
	                     .blocks = blocks,
	                     .sizes = 3,
	                     .cores = 8,
	                     .no_limit = true,
	                     .environment = environment,
	                     .line = line,
	                     .stamps = stamps};
}

TEST(exposed_is_what_a_step_has_beyond_its_compute)
{
	static const struct {
		const char *variant;
		double exposed, overlap;
	} rows[] = {{"single", 0.080, -60}, {"threads", 0.020, 60}, {"processes", 0.050, 0}};
	struct made m = world(BLOCKS);
	without = 0;
	const json_t *report = made_report(&m), *table = json_table(report, "training");
	assert_int_equal(json_rows(table, JSON_ALL), 3);
	for (unsigned i = 0; i < 3; i++) {
		char *bucket = test_text("25 MiB %s", rows[i].variant);
		json_keys is = {"size", bucket, NULL};
		const json_t *exposed = json_cell(table, is, "exposed_ms");
		/* The scale of a block moves it; the interval holds the planted value. */
		json_assert_number(exposed, "value", rows[i].exposed, 0.1 * rows[i].exposed);
		assert_true(json_number_value(json_at(exposed, "lo")) <= rows[i].exposed);
		assert_true(json_number_value(json_at(exposed, "hi")) >= rows[i].exposed);
		/* A share of the block's own communication: exact, for any scale. */
		json_assert_number(json_cell(table, is, "overlap_percent"), "value",
		                   rows[i].overlap, 0.1);
		json_assert_number(json_cell(table, is, "overlap_percent"), "lo", rows[i].overlap,
		                   0.2);
		json_assert_number(json_cell(table, is, "blocks"), "", BLOCKS, 0);
	}
	json_assert_number(json_cell(table, JSON_IS("size", "25 MiB processes"), "speed"),
	                   "estimate", 100.0 / 130, 0.001);
	/* 24 thread blocks on 120 SMs, where the device's trace said so. */
	json_keys processes = {"size", "25 MiB processes", NULL};
	json_assert_number(json_cell(table, processes, "ctas"), "", 24, 0);
	json_assert_number(json_cell(table, processes, "sms_percent"), "", 20, 1e-9);
	json_assert_null(json_cell(table, JSON_IS("size", "25 MiB threads"), "ctas"), "");
	json_assert_one_says(json_object_get(report, "answer"),
	                     "tiny in float32, fastest with 25 MiB: single 0.16");
	json_assert_one_says(json_object_get(report, "answer"),
	                     "20 % of it exposed communication (60 % overlapped)");
	assert_int_equal(access(made_path("training.csv"), R_OK), 0);
	json_assert_one_says(json_section(report, "answer"), "a step takes 0.16");
}

/* Modes are compared by the step: a mean of it and its own parts is not a time. */
TEST(a_step_is_not_averaged_with_its_parts)
{
	struct made m = world(BLOCKS);
	without = 0;
	json_keys processes = {"variant", "processes", NULL};
	json_assert_number(
	    json_cell(json_table(made_report(&m), "verdicts_large"), processes, "speed"),
	    "estimate", 109. / 139, 0.005);
}

/* An overlap with 0 in its interval is neither gain nor loss. */
TEST(an_open_overlap_is_called_so)
{
	struct made m = world(BLOCKS);
	without = 0;
	const json_t *answer = json_object_get(made_report(&m), "answer");
	json_assert_one_says(answer, "(overlap gains nothing)");
	scatter = 20;
	answer = json_object_get(made_report(&m), "answer");
	scatter = 0;
	json_assert_one_says(answer, "(overlap undecided: ");
}

TEST(few_blocks_give_figures_without_intervals)
{
	struct made m = world(3);
	without = 0;
	const json_t *table = json_table(made_report(&m), "training");
	json_keys is = {"size", "25 MiB threads", NULL};
	json_assert_number(json_cell(table, is, "overlap_percent"), "value", 60, 1);
	json_assert_null(json_cell(table, is, "overlap_percent"), "lo");
	json_assert_null(json_cell(table, is, "exposed_ms"), "hi");
	/* Too few to call an overlap of 0 nothing. */
	assert_false(json_one_says(json_object_get(made_report(&m), "answer"), "gains nothing"));
}

/* Without one of its parts a step has a time, and nothing is made up. */
TEST(a_step_alone_has_no_exposed_communication)
{
	for (without = 1; without <= 2; without++) {
		struct made m = world(BLOCKS);
		const json_t *table = json_table(made_report(&m), "training");
		json_keys is = {"size", "25 MiB threads", NULL};
		json_assert_number(json_cell(table, is, "step_ms"), "value", 0.1, 0.01);
		json_assert_null(json_cell(table, is, "exposed_ms"), "");
		json_assert_null(json_cell(table, is, "overlap_percent"), "");
	}
}

/* For experts the bytes are given in tokens too: 25 MiB of 4096 numbers of 4 bytes each. */
TEST(experts_get_tokens)
{
	struct made m = world(BLOCKS);
	without = 0;
	routed = true;
	made_report_with(&m, "plot", 0);
	/* Their picture has time against imbalance. */
	assert_says(made_read("plots/run.gp"),
	            "steps_panel[1] = 'moe_step in float32, 25 MiB from each rank'");
	assert_says(made_read("plots/run.gp"), "steps_bars[1] = '1.26'");
	const json_t *report = made_report(&m), *table = json_table(report, "training");
	routed = false;
	json_keys is = {"size", "25 MiB threads", NULL};
	json_assert_number(json_cell(table, is, "tokens"), "", 1600, 0);
	json_assert_number(json_cell(table, is, "imbalance"), "",
	                   routing_imbalance(routing_root(12, 16), 2), 1e-4);
	json_assert_null(json_cell(table, is, "overlap_percent"), "");
	json_assert_one_says(
	    json_object_get(report, "answer"),
	    "Zipf 1.2 over 16 experts in float32, 1600 tokens (25 MiB) from each rank, the "
	    "busiest gets 1.26 times the mean: ");
	/* The figure that its table has of communication, whatever a step has beyond its
	 * compute. */
	json_assert_number(json_cell(table, is, "communication_ms"), "value", 0.05, 0.005);
	json_assert_one_says(json_object_get(report, "answer"),
	                     " ms a step, its communication alone 0.05");
}

/* The picture is drawn of such a record. */
TEST(a_step_has_a_picture)
{
	struct made m = world(BLOCKS);
	without = 0;
	if (access("/usr/bin/gnuplot", X_OK))
		skip();
	made_report_with(&m, "plot", 0);
	assert_int_equal(access(made_path("plots/null_training.png"), R_OK), 0);
}

/* A size is that at which a bucket is full, not that of all gradients: in the picture each variant
 * has its point at each of three. */
TEST(a_step_stands_at_its_bucket)
{
	struct made m = world(BLOCKS);
	unsigned points = 0;
	without = 0;
	m.sizes = 9;
	if (access("/usr/bin/gnuplot", X_OK))
		skip();
	made_report_with(&m, "plot", 0);
	const char *at = made_read("plots/null_ddp_step_avg_latency.svg");
	for (; (at = strstr(at, "<use xlink:href='#gpPt")); at++)
		points += strstr(at, "translate") && strstr(at, "translate") < strchr(at, '>');
	assert_int_equal(points, 3 + 3 * 3); /* the key has each once */
}

TESTS(.begin = made_begin, .end = made_end);
