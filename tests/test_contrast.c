/* One comparison of two variants: over the cells and blocks that both have, and no others. */
#include "made.h"
#include "query.h"

#include "../harness/data/verdict_text.h"

static unsigned gone_variant, gone_size, gone_from; /* an error there, from that block on */

/* Processes take 1.1 times as long as threads, single twice; sizes differ by four. */
static void times(const struct made_place *p, int64_t out[6])
{
	double of[] = {2, 1, 1.1, 1, 1};
	double ns = 10000.0 * (1 << 2 * p->size) * of[p->variant];
	out[1] = p->isolated ? 300 + 10 * p->variant : 100;
	out[2] = (int64_t)(ns * (1 + 0.001 * p->block) * (p->isolated ? 1 : 10));
}

static void fail_some(json_t *line, const struct made_place *p)
{
	if (p->variant == gone_variant && p->size == gone_size && p->block >= gone_from)
		json_object_set_new(line, "error", json_string("gone"));
}

static struct claim_list asked; /* as a file asks for comparisons */
static struct db *db;

static struct made m;

FIXTURE(fresh)
{
	gone_from = UINT_MAX;
	asked = (struct claim_list){.nclaims = 0};
	m = (struct made){
	    .blocks = 8, .sizes = 3, .stamps = times, .line = fail_some, .asked = &asked};
}

static struct claim *ask(const char *left, const char *right, enum metric metric)
{
	return made_claim(&asked, metric, CLAIM_LESS, left, right);
}

static void load_with(const struct looks *looks)
{
	db = made_tables(&m, looks);
}

static void load(void)
{
	load_with(NULL);
}

/* Of the contrast of the claim of that number, from 0 on. */
static double number(unsigned id, const char *what)
{
	return query_number(db,
	                    test_text("SELECT %s FROM contrast_found f JOIN contrast USING (asked) "
	                              "WHERE (f.finding, f.part) = ('claims', %u)",
	                              what, id));
}

static double ratio(unsigned id)
{
	return number(id, "c ->> 'ratio'");
}

/* Within a thousandth. */
#define near(IS, WANTED) assert_close(IS, WANTED, 1e-3)

/* The last of three calls takes processes twice as long, and of 500 the last ten. */
static void one_slow_call(const struct made_place *p, int64_t out[6])
{
	times(p, out);
	if (p->variant == MADE_PROCESSES && p->isolated && (p->row == 2 || p->row >= 490))
		out[2] *= 2;
}

/* By type 7 of Hyndman and Fan the quantile p of three is 2p steps above the first. */
TEST(tails_are_metrics)
{
	m.stamps = one_slow_call;
	ask("processes", "threads", METRIC_LATENCY);
	ask("processes", "threads", METRIC_P95);
	load();
	near(ratio(0), 1.1);
	near(ratio(1), 1.1 * 1.9);
	assert_int_equal(number(1, "f.cells"), 3);
}

/* p99 of a trial with fewer calls would be its slowest call, or nearly. */
TEST(p99_wants_500_calls)
{
	m.stamps = one_slow_call;
	m.blocks = 6;
	m.sizes = 1;
	ask("processes", "threads", METRIC_P99);
	ask("processes", "threads", METRIC_P95);
	m.rows = 500;
	load();
	near(ratio(0), 1.1 * 2);
	query_gives(db, "SELECT group_concat(why) FROM claimed", ",");
	m.rows = 499;
	load();
	query_gives(db, "SELECT why FROM claimed",
	            "p99 needs 500 isolated calls, this run has 499; ");
}

TEST(sizes_and_paces_are_chosen)
{
	ask("single", "threads", METRIC_TIME)->bytes = (struct claim_range){16384, 16384};
	ask("single", "threads", METRIC_TIME)->pace = PACE_ISOLATED;
	load();
	assert_int_equal(number(0, "f.cells"), 1);
	assert_int_equal(number(1, "f.cells"), 3);
	/* Of each size, limit's alone left out; the A/A line of each group, too. */
	query_gives(db,
	            "SELECT count(*), count(DISTINCT variant) FROM asked_found "
	            "WHERE finding = 'group' AND speed NOT NULL",
	            "2 1");
	query_gives(db,
	            "SELECT count(*), min(round(ratio, 2)) FROM result "
	            "WHERE variant = 0 AND ratio NOT NULL",
	            "6 0.5");
}

static unsigned collapsed; /* a block in which processes take six times the time; UINT_MAX: none */

static void one_collapses(const struct made_place *p, int64_t out[6])
{
	times(p, out);
	if (p->variant == MADE_PROCESSES)
		out[2] = (int64_t)((double)out[2] * (p->block == collapsed ? 6 : 1) *
		                   (1 + 0.0004 * made_noise(p->block, 1, 2)));
}

/* The block that alone makes an end of the interval is named, with the value of the others. */
TEST(the_one_odd_block_is_named)
{
	char text[VERDICT_TEXT_BYTES];
	m.stamps = one_collapses;
	m.no_limit = true;
	collapsed = 4;
	ask("processes", "threads", METRIC_BUSBW);
	ask("processes", "threads", METRIC_TIME);
	load();
	assert_int_equal(number(0, "c ->> 'odd_block'"), 5);
	near(number(0, "c ->> 'odd'"), 1 / 6.6);
	near(number(0, "c ->> 'odd_lo'"), 1 / 1.1);
	near(number(0, "c ->> 'odd_hi'"), 1 / 1.1);
	near(number(1, "c ->> 'odd'"), 6.6);
	query_gives(db, "SELECT odd FROM claimed WHERE NOT id",
	            "block 5 differs (0.151; the others 0.909 to 0.909)");
	/* Of the speed, of a time as well. */
	query_gives(db,
	            "SELECT odd_said(c, is_time) FROM contrast_found "
	            "WHERE (finding, part) = ('claims', 1)",
	            "block 5 differs (0.151; the others 0.909 to 0.909)");
	collapsed = UINT_MAX;
	load();
	assert_true(isnan(number(1, "c ->> 'odd_block'")));
	/* An interval of 12 blocks withstands it; an open one says so in place of its width. */
	m.blocks = 12;
	collapsed = 4;
	load();
	assert_true(isnan(number(1, "c ->> 'odd_block'")));
	struct verdict v = verdict_of((struct stats_ratio){1, 0.17, 1.01, 6, 0.95}, 0.02);
	v.odd = (struct verdict_odd){4, 0.172, 1.001, 1.011};
	verdict_text(&v, text, sizeof text);
	assert_string_equal(text, "undecided: block 4 differs (0.172; the others 1.001 to 1.011)");
}

TEST(what_one_lacks_counts_for_none)
{
	gone_variant = MADE_SINGLE;
	gone_size = 2;
	gone_from = 0; /* the whole cell */
	ask("single", "threads", METRIC_TIME);
	ask("processes", "threads", METRIC_TIME);
	load();
	assert_int_equal(number(0, "f.cells"), 2);
	assert_int_equal(number(0, "f.blocks"), 8);
	assert_int_equal(number(0, "f.to_bytes"), 16384);
	gone_from = 7; /* its last block */
	load();
	assert_int_equal(number(0, "f.cells"), 3);
	assert_int_equal(number(0, "f.blocks"), 7);
	assert_int_equal(number(1, "f.blocks"), 8);
}

/* Steps of a gap use the blocks that hold all its variants. */
TEST(logs_add_up_over_steps)
{
	gone_variant = MADE_SINGLE;
	gone_size = 1;
	gone_from = 7;
	made_factor(&asked, "f0", "single", "threads");
	made_factor(&asked, "f1", "threads", "processes");
	made_gap(&asked, "single", "processes", 1);
	load();
	query_gives(db,
	            "SELECT DISTINCT blocks FROM asked_found WHERE finding = 'gap' "
	            "AND part = 0",
	            "7");
	query_gives(db,
	            "SELECT count(*), max(abs(steps - whole)) < 1e-12 FROM (SELECT block, sum(log) "
	            "FILTER (WHERE nth) steps, sum(log) FILTER (WHERE NOT nth) whole "
	            "FROM contrast_block JOIN asked_contrast ON id = asked "
	            "WHERE finding = 'gap' AND part = 0 GROUP BY block)",
	            "7 1");
}

TEST(without_figures_it_says_why)
{
	ask("single", "threads", METRIC_TIME)->bytes = (struct claim_range){1 << 20, SIZE_MAX};
	ask("single", "threads", METRIC_DRAM);
	ask("threads", "nobody", METRIC_TIME);
	load();
	query_gives(
	    db, "SELECT why, ratio, left_value FROM claimed ORDER BY id",
	    "no cell of it was measured here (from 1 MiB up) - -; no counters were read in this "
	    "run, which it needs for: DRAM traffic - -; nobody is not in this record - -");
}

/* Sizes are off by a block's number each. */
static void off_by_block(const struct made_place *p, int64_t out[6])
{
	times(p, out);
	if (p->variant == MADE_PROCESSES)
		out[2] += out[2] / 100 * p->block;
}

/* Of 8 blocks the exact 95 % interval leaves out 2 · 5 of 256 cases, and the 98.75 % one 2 · 1
 * (Hollander, Wolfe and Chicken's C = 4 and 1). The same for probabilities, which go with the
 * interval: a look at 6 leaves a quarter of 5 %. */
TEST(looks_make_intervals_wider)
{
	static const struct looks looks[] = {
	    {.nplans = 0}, {.nplans = 1, .at = {6}}, {.nplans = 2, .at = {5, 8}}};
	double lo[3], hi[3], confidence[3], estimate[3];
	m.stamps = off_by_block;
	ask("processes", "single", METRIC_TIME);
	for (unsigned i = 0; i < LENGTH(looks); i++) {
		load_with(&looks[i]);
		estimate[i] = ratio(0);
		lo[i] = number(0, "c ->> 'lo'");
		hi[i] = number(0, "c ->> 'hi'");
		confidence[i] = number(0, "c ->> 'confidence'");
		if (i == 1) {
			near(number(0, "c ->> 'under_one'"), 4 * 1 / 256.0);
			assert_true(number(0, "c ->> 'bound_lo'") >= lo[1]);
			assert_true(number(0, "c ->> 'bound_hi'") < 1);
		}
	}
	near(confidence[0], 1 - 2 * 5 / 256.0);
	near(confidence[1], 1 - 2 * 1 / 256.0);
	assert_true(lo[1] < lo[0] && hi[0] < hi[1] && estimate[0] == estimate[1]);
	/* Nothing to be seen before, and nothing that came after. */
	near(confidence[2], confidence[0]);
}

/* An interval without a block of the second session is unchanged. */
TEST(a_look_counts_where_blocks_came_after)
{
	m.stamps = off_by_block;
	gone_variant = MADE_PROCESSES;
	gone_size = 0;
	gone_from = 6;
	ask("processes", "single", METRIC_TIME);
	load_with(&(struct looks){.nplans = 1, .at = {6}});
	assert_int_equal(number(0, "f.blocks"), 6);
	near(number(0, "c ->> 'confidence'"), 1 - 2 * 1 / 64.0);
}

/* The reference's two trials of a block are off by as much, one up and one down. */
static void opposite_luck(const struct made_place *p, int64_t out[6])
{
	double off = 0.1 * made_noise(7, p->block, p->size);
	times(p, out);
	if (p->variant == MADE_THREADS || p->variant == MADE_AGAIN)
		out[2] = llround((double)out[2] * exp(p->variant == MADE_AGAIN ? off : -off));
}

/* One reference trial of a block is as good as the other, and the interval is narrower than that of
 * one; but not as narrow as that of their mean, in which the luck cancels: by that, skewed noise
 * would be a difference (test_simulated). The A/A line is one against one. */
TEST(both_trials_of_the_reference_count)
{
	m.stamps = opposite_luck;
	gone_variant = MADE_AGAIN; /* in the last block of one size the reference has one trial */
	gone_size = 0;
	ask("processes", "threads", METRIC_TIME);
	ask("threads", "processes", METRIC_BUSBW);
	ask("processes", "threads-again", METRIC_TIME);
	for (unsigned lost = 0; lost < 2; lost++) {
		gone_from = lost ? 7 : UINT_MAX;
		load();
		assert_int_equal(number(0, "f.blocks"), 8);
		assert_close(ratio(0), 1.1, lost ? 0.01 : 1e-3);
		assert_close(number(0, "f.against_value") * 1.1, number(0, "f.value"),
		             lost ? 0.01 : 1e-3);
		const double both = number(0, "ln((c ->> 'hi') / (c ->> 'lo'))"),
		             one = number(2, "ln((c ->> 'hi') / (c ->> 'lo'))");
		assert_true(both < 0.9 * one && both > 0.2 * one);
		/* Turned round it is the same, and the metric makes no difference. */
		near(number(1, "c ->> 'lo'"), number(0, "c ->> 'lo'"));
	}
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
