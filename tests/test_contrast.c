/* One comparison of two variants: over the cells and blocks that both have, and no others. */
#include "made.h"
#include "noise.h"

#include "../harness/analysis/contrast.h"
#include "../harness/story/verdict_text.h"

static unsigned gone_variant, gone_size, gone_from; /* an error there, from that block on */

/* Processes take 1.1 times as long as threads, single twice; sizes differ by four. */
static void times(const struct made_place *p, int64_t out[6])
{
	double of[] = {2, 1, 1.1, 1, 1};
	double ns = 10000.0 * (1 << 2 * p->size) * of[p->variant];
	out[1] = p->isolated ? 300 + 10 * p->variant : 100;
	out[2] = (int64_t)(ns * (1 + 0.001 * p->block) * (p->isolated ? 1 : 10));
	out[3] = 10;
}

static void fail_some(json_t *line, const struct made_place *p)
{
	if (p->variant == gone_variant && p->size == gone_size && p->block >= gone_from)
		json_object_set_new(line, "error", json_string("gone"));
}

static struct made made(void)
{
	gone_from = UINT_MAX;
	return (struct made){.blocks = 8, .sizes = 3, .stamps = times, .line = fail_some};
}

static struct made_loaded loaded;

static struct contrast of(unsigned left, unsigned right, enum metric metric,
                          const struct contrast_select *select)
{
	return contrast_make(&loaded.summary, left, right, metric, select);
}

static const struct contrast_select all = {
    .bytes = {0, SIZE_MAX}, .pace = CLAIM_ANY_PACE, .coll = CLAIM_ANY_COLL};

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
	struct made m = made();
	m.stamps = one_slow_call;
	made_load(&m, &loaded);
	near(of(MADE_PROCESSES, MADE_THREADS, METRIC_LATENCY, &all).ratio.estimate, 1.1);
	near(of(MADE_PROCESSES, MADE_THREADS, METRIC_P95, &all).ratio.estimate, 1.1 * 1.9);
	assert_int_equal(of(MADE_PROCESSES, MADE_THREADS, METRIC_P95, &all).ncells, 3);
	made_unload(&loaded);
}

/* p99 of a trial with fewer calls would be its slowest call, or nearly. */
TEST(p99_wants_500_calls)
{
	struct made m = made();
	struct reason why;
	m.stamps = one_slow_call;
	m.blocks = 6;
	m.sizes = 1;
	for (m.rows = 500; m.rows >= 499; m.rows--) {
		made_load(&m, &loaded);
		struct contrast c = of(MADE_PROCESSES, MADE_THREADS, METRIC_P99, &all);
		why = contrast_few_calls(&loaded.summary, METRIC_P99);
		if (m.rows == 500) {
			near(c.ratio.estimate, 1.1 * 2);
			assert_int_equal(c.verdict.kind, VERDICT_SLOWER);
			assert_int_equal(why.kind, REASON_NONE);
		} else {
			assert_int_equal(c.nblocks, 0);
			assert_string_equal(made_reason(&why),
			                    "p99 needs 500 isolated calls, this run has 499");
		}
		why = contrast_few_calls(&loaded.summary, METRIC_P95);
		assert_int_equal(why.kind, REASON_NONE);
		made_unload(&loaded);
	}
}

TEST(sizes_and_groups_are_chosen)
{
	struct made m = made();
	struct contrast_select select = all;
	made_load(&m, &loaded);
	select.bytes = (struct claim_range){16384, 16384};
	assert_int_equal(of(MADE_SINGLE, MADE_THREADS, METRIC_TIME, &select).ncells, 1);
	/* A group's pace has to be the metric's. */
	select = all;
	for (unsigned g = 0; g < loaded.summary.ngroups; g++) {
		const struct summary_group *group = select.group = &loaded.summary.groups[g];
		struct contrast c = of(MADE_SINGLE, MADE_THREADS, METRIC_TIME, &select);
		bool has = !group->limit && group->cell.pace == PACE_STREAM;
		assert_int_equal(c.ncells, has ? 3 : 0);
		assert_int_equal(!c.why.kind, has);
	}
	made_unload(&loaded);
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
	struct made m = made();
	char text[VERDICT_TEXT_BYTES];
	m.stamps = one_collapses;
	collapsed = 4;
	made_load(&m, &loaded);
	struct contrast c = of(MADE_PROCESSES, MADE_THREADS, METRIC_BUSBW, &all);
	assert_int_equal(c.odd.block, 5);
	assert_int_equal(c.odd.others, 7);
	near(c.odd.ratio, 1 / 6.6);
	near(c.odd.lo, 1 / 1.1);
	near(c.odd.hi, 1 / 1.1);
	assert_false(verdict_decided(&c.verdict) && verdict_within(&c.verdict));
	c = of(MADE_PROCESSES, MADE_THREADS, METRIC_TIME, &all);
	near(c.odd.ratio, 6.6);
	near(c.verdict.odd.ratio, 1 / 6.6);
	assert_true(c.verdict.odd.lo <= c.verdict.odd.hi);
	made_unload(&loaded);
	collapsed = UINT_MAX;
	made_load(&m, &loaded);
	assert_int_equal(of(MADE_PROCESSES, MADE_THREADS, METRIC_TIME, &all).odd.block, 0);
	made_unload(&loaded);
	/* An interval of 12 blocks withstands it; an open one says so in place of its width. */
	m.blocks = 12;
	collapsed = 4;
	made_load(&m, &loaded);
	assert_int_equal(of(MADE_PROCESSES, MADE_THREADS, METRIC_TIME, &all).odd.block, 0);
	made_unload(&loaded);
	struct verdict v = verdict_of((struct stats_ratio){1, 0.17, 1.01, 6, 0.95}, 0.02);
	v.odd = (struct verdict_odd){4, 5, 0.172, 1.001, 1.011};
	verdict_text(&v, text, sizeof text);
	assert_string_equal(text, "undecided: block 4 has 0.172, the other 5 have 1.001 to 1.011");
}

TEST(what_one_lacks_counts_for_none)
{
	struct made m = made();
	gone_variant = MADE_SINGLE;
	gone_size = 2;
	gone_from = 0; /* the whole cell */
	made_load(&m, &loaded);
	struct contrast c = of(MADE_SINGLE, MADE_THREADS, METRIC_TIME, &all);
	assert_int_equal(c.ncells, 2);
	assert_int_equal(c.nblocks, 8);
	assert_true(c.sizes.hi == 16384);
	made_unload(&loaded);
	gone_from = 7; /* its last block */
	made_load(&m, &loaded);
	c = of(MADE_SINGLE, MADE_THREADS, METRIC_TIME, &all);
	assert_int_equal(c.ncells, 3);
	assert_int_equal(c.nblocks, 7);
	/* Of two others only if it is among those that they go with. */
	struct contrast_select select = all;
	const unsigned with[] = {MADE_SINGLE};
	assert_int_equal(of(MADE_PROCESSES, MADE_THREADS, METRIC_TIME, &select).nblocks, 8);
	select.with = with;
	select.nwith = 1;
	c = of(MADE_PROCESSES, MADE_THREADS, METRIC_TIME, &select);
	assert_int_equal(c.nblocks, 7);
	made_unload(&loaded);
}

TEST(logs_add_up_over_steps)
{
	struct made m = made();
	struct contrast_select select = all;
	const unsigned with[] = {MADE_SINGLE, MADE_THREADS, MADE_PROCESSES};
	made_load(&m, &loaded);
	select.with = with;
	select.nwith = 3;
	struct contrast a = of(MADE_THREADS, MADE_SINGLE, METRIC_BUSBW, &select),
	                b = of(MADE_PROCESSES, MADE_THREADS, METRIC_BUSBW, &select),
	                whole = of(MADE_PROCESSES, MADE_SINGLE, METRIC_BUSBW, &select);
	assert_int_equal(whole.nblocks, a.nblocks);
	for (unsigned i = 0; i < whole.nblocks; i++)
		assert_near(a.logs[i] + b.logs[i], whole.logs[i], 1e-12);
	made_unload(&loaded);
}

TEST(without_figures_it_says_why)
{
	struct made m = made();
	struct contrast_select select = all;
	struct reason why;
	made_load(&m, &loaded);
	select.bytes = (struct claim_range){1 << 20, SIZE_MAX};
	struct contrast c = of(MADE_SINGLE, MADE_THREADS, METRIC_TIME, &select);
	assert_string_equal(made_reason(&c.why), "no cell of it was measured here (from 1 MiB up)");
	assert_true(isnan(c.ratio.estimate) && isnan(c.left_side.value));
	why = of(MADE_SINGLE, MADE_THREADS, METRIC_DRAM, &all).why;
	assert_says(made_reason(&why), "no counters were read in this run");
	why = contrast_obstacle(&loaded.summary, "threads", "nobody");
	assert_string_equal(made_reason(&why), "nobody is not in this record");
	assert_int_equal(contrast_obstacle(&loaded.summary, "threads", "single").kind, REASON_NONE);
	made_unload(&loaded);
}

/* Sizes are off by a block's number each. */
static void off_by_block(const struct made_place *p, int64_t out[6])
{
	times(p, out);
	if (p->variant == MADE_PROCESSES)
		out[2] += out[2] / 100 * p->block;
}

static struct stats_ratio after_looks(struct looks looks)
{
	loaded.summary.looks = looks;
	return of(MADE_PROCESSES, MADE_THREADS, METRIC_TIME, &all).ratio;
}

/* Of 8 blocks the exact 95 % interval leaves out 2 · 5 of 256 cases, and the 98.75 % one 2 · 1
 * (Hollander, Wolfe and Chicken's C = 4 and 1). */
TEST(looks_make_intervals_wider)
{
	struct made m = made();
	m.stamps = off_by_block;
	made_load(&m, &loaded);
	struct stats_ratio one = after_looks((struct looks){0});
	struct stats_ratio two = after_looks((struct looks){.nplans = 1, .at = {6}});
	near(one.confidence, 1 - 2 * 5 / 256.0);
	near(two.confidence, 1 - 2 * 1 / 256.0);
	assert_true(two.lo < one.lo && one.hi < two.hi);
	assert_true(two.estimate == one.estimate);
	/* The same for probabilities, which go with the interval: a look at 6 leaves a quarter of 5
	 * %. */
	struct contrast c = of(MADE_PROCESSES, MADE_THREADS, METRIC_TIME, &all);
	near(c.p.one.over, 4 * 1 / 256.0);
	assert_true(c.p.one.over <= 0.05 && c.bounds.lo >= two.lo && two.lo > 1);
	near(c.bounds.confidence, 1 - 2 * 3 / 256.0);
	/* Nothing to be seen before, and nothing that came after. */
	near(after_looks((struct looks){.nplans = 2, .at = {5, 8}}).confidence, one.confidence);
	made_unload(&loaded);
}

/* An interval without a block of the second session is unchanged. */
TEST(a_look_counts_where_blocks_came_after)
{
	struct made m = made();
	m.stamps = off_by_block;
	gone_variant = MADE_PROCESSES;
	gone_size = 0;
	gone_from = 6;
	made_load(&m, &loaded);
	struct stats_ratio old = after_looks((struct looks){.nplans = 1, .at = {6}});
	assert_int_equal(old.blocks, 6);
	near(old.confidence, 1 - 2 * 1 / 64.0);
	made_unload(&loaded);
}

/* The reference's two trials of a block are off by as much, one up and one down. */
static void opposite_luck(const struct made_place *p, int64_t out[6])
{
	double off = 0.1 * made_noise(7, p->block, p->size);
	times(p, out);
	if (p->variant == MADE_THREADS || p->variant == MADE_AGAIN)
		out[2] = llround((double)out[2] * exp(p->variant == MADE_AGAIN ? off : -off));
}

static double width_of(struct stats_ratio r)
{
	return log(r.hi / r.lo);
}

static struct stats_ratio beside_twin(void)
{
	static const unsigned twin[] = {MADE_AGAIN};
	struct contrast_select select = all;
	select.with = twin;
	select.nwith = 1;
	return of(MADE_PROCESSES, MADE_THREADS, METRIC_TIME, &select).ratio;
}

/* One reference trial of a block is as good as the other, and the interval is narrower than that of
 * one. The A/A line is one against one, and beside the twin the reference represents itself. */
TEST(both_trials_of_the_reference_count)
{
	struct made m = made();
	m.stamps = opposite_luck;
	gone_variant = MADE_AGAIN; /* in the last block of one size the reference has one trial */
	gone_size = 0;
	for (unsigned lost = 0; lost < 2; lost++) {
		gone_from = lost ? 7 : UINT_MAX;
		made_load(&m, &loaded);
		struct contrast c = of(MADE_PROCESSES, MADE_THREADS, METRIC_TIME, &all);
		assert_int_equal(c.nblocks, 8);
		assert_close(c.ratio.estimate, 1.1, lost ? 0.01 : 1e-3);
		assert_close(c.right_side.value * 1.1, c.left_side.value, lost ? 0.01 : 1e-3);
		assert_true(width_of(c.ratio) < 0.9 * width_of(beside_twin()));
		/* Turned round it is the same, and the metric makes no difference. */
		struct contrast back = of(MADE_THREADS, MADE_PROCESSES, METRIC_BUSBW, &all);
		assert_true(fabs(back.ratio.lo / c.ratio.lo - 1) < 1e-9);
		made_unload(&loaded);
	}
	gone_from = UINT_MAX;
}

static uint64_t skewed_run;

/* All variants the same, with a tail of slow jobs. */
static void skewed_luck(const struct made_place *p, int64_t out[6])
{
	uint64_t seed = (skewed_run * 64 + p->block) * 64 + p->variant;
	out[1] = 100;
	out[2] = llround(1e9 * exp(0.05 * exp(noise_normal(&seed))));
	out[3] = 10;
}

/* To the mean of the reference's two trials the ratio would be skewed: 23 of 100 runs would say
 * that processes take less, where 5 are due. */
TEST(skewed_noise_makes_no_difference)
{
	struct made m = {.blocks = 40, .sizes = 1, .rows = 1, .stamps = skewed_luck};
	unsigned less = 0, more = 0;
	for (skewed_run = 0; skewed_run < 100; skewed_run++) {
		made_load(&m, &loaded);
		const struct contrast c = of(MADE_PROCESSES, MADE_THREADS, METRIC_TIME, &all);
		less += c.bounds.hi < 1;
		more += c.bounds.lo > 1;
		made_unload(&loaded);
	}
	assert_in_range(less, 1, 5 + 3 * 2);
	assert_in_range(more, 1, 5 + 3 * 2);
}

TESTS(.begin = made_begin, .end = made_end);
