/* From records to answers: every verdict of a claim, factors and placebos, the waterfall's
 * arithmetic. What is true of the made-up records is decided here, stamp by stamp. */
#include "made.h"

#include <math.h>

#include "../harness/analysis/findings.h"

/* nodirect, threads-old, processes-old: how many times as fast as threads-old each is. */
static double speed[3];
static double isolated_speed; /* of processes-old's isolated calls, beside that */
static double noise, isolated_noise;
static bool no_stream, no_isolated; /* no such calls were measured */
static unsigned off;         /* a variant that takes four times the time in the first block */
static unsigned lacks_block; /* of processes-old; UINT_MAX: none */
static struct claim_list asked;
static double dram_per_byte[3];
static bool without_unit; /* as programs wrote that took GPM's for a MiB */
static const char *missing;
static int64_t issue_ns;   /* of each row */
static int64_t preempted;  /* the first row takes so many ns more to issue */
static bool copies;        /* counters are those of host, the first variant's staged */
static unsigned uncounted; /* a variant without counters */
static bool apart;         /* no two variants have counters at one size */
static bool skips, alike;  /* alike: all variants the same noise in a block */

static const char *const names[] = {"nodirect", "threads-old", "processes-old",
                                    "threads-old-again", "limit"};

static void stamps(const struct made_place *p, int64_t out[6])
{
	double bytes = 4096.0 * (1 << 2 * p->size), ns = 1e6 + 10 * bytes;
	ns /= p->variant < 3 ? speed[p->variant] : p->variant == MADE_AGAIN ? speed[1] : 1;
	ns /= p->isolated && p->variant == MADE_PROCESSES ? isolated_speed : 1;
	ns *= 1 + (p->isolated ? isolated_noise : noise) *
	              made_noise(alike ? 0 : p->variant, p->block, alike ? 0 : p->size);
	ns *= p->variant == off && p->block == 0 ? 4 : 1;
	out[1] = issue_ns + (p->row == 0 ? preempted : 0);
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
	out[3] = 10;
}

static void environment(json_t *env)
{
	assert_int_equal(claim_list_put(&asked, env), 0);
	json_t *last = json_array_get(json_object_get(env, "variants"), 2);
	if (skips)
		json_object_set_new(last, "skip", json_string("NCCL_LEGACY is not set"));
}

static void line(json_t *cell, const struct made_place *p)
{
	if (p->variant == MADE_PROCESSES && (p->block == lacks_block || skips))
		json_object_set_new(cell, "error", json_string("it failed"));
	if (copies && p->variant < 2)
		json_object_set_new(
		    cell, "facts",
		    json_pack("[{s:s}]", "path", p->variant ? "shared" : "fifo"));
	if (p->isolated ? no_isolated : no_stream && !p->counters)
		json_object_set_new(cell, "pass", json_string("timeline"));
	if (!p->counters)
		return;
	if (p->variant == uncounted ||
	    (uncounted == MADE_THREADS && p->variant == MADE_AGAIN) ||
	    (apart && p->size % 2 == p->variant % 2)) {
		json_object_set_new(cell, "pass", json_string("timeline"));
		return;
	}
	json_t *list = json_array();
	for (unsigned r = 0; r < 2; r++) {
		struct counters c;
		counters_clear(&c);
		c.seconds = 1;
		if (missing) {
			strcpy(c.missing, missing);
		} else if (copies) {
			c.copied_bytes = p->variant == 0 ? 3000 : 2000;
			c.delivered_bytes = 1000;
		} else {
			c.nvlink_tx_gbs = 100 + 10 * r;
			c.nvlink_rx_gbs = 50 + 10 * r;
			c.dram_gbs =
			    c.nvlink_tx_gbs * (p->variant < 3 ? dram_per_byte[p->variant] : 2);
			c.dram_limit_gbs = 4800;
		}
		json_t *written = counters_to_json(&c);
		if (without_unit)
			json_object_del(written, "nvlink_unit_bytes");
		json_array_append_new(list, written);
	}
	json_object_set_new(cell, "counters", list);
	json_object_set_new(cell, "issue_cpu_ns", json_pack("[i, i]", 90000, 45000));
}

static struct made made = {.backend = "nccl",
                           .ranks = 2,
                           .blocks = 10,
                           .sizes = 4,
                           .rows = 3,
                           .cores = 16,
                           .counters = true,
                           .names = names,
                           .environment = environment,
                           .line = line,
                           .stamps = stamps};
static struct made_loaded loaded;
static struct findings *found;

static int fresh(void **state)
{
	(void)state;
	asked = (struct claim_list){.nclaims = 0};
	speed[0] = speed[1] = speed[2] = isolated_speed = 1;
	dram_per_byte[0] = dram_per_byte[1] = dram_per_byte[2] = 2;
	without_unit = false;
	noise = isolated_noise = 0.002;
	no_stream = no_isolated = false;
	lacks_block = off = UINT_MAX;
	missing = NULL;
	issue_ns = 30000;
	preempted = 0;
	skips = alike = copies = apart = false;
	uncounted = UINT_MAX;
	made.more = NULL;
	made.backend = "nccl";
	made.blocks = 10;
	made.cores = 16;
	made.counters = true;
	return 0;
}

static struct claim *claim(enum metric metric, enum claim_test test, double by)
{
	struct claim *c = &asked.claims[asked.nclaims++];
	*c = (struct claim){.metric = metric,
	                    .test = test,
	                    .by = by,
	                    .bytes = {1, SIZE_MAX},
	                    .regime = CLAIM_ANY_REGIME,
	                    .pace = CLAIM_ANY_PACE,
	                    .coll = CLAIM_ANY_COLL};
	snprintf(c->name, sizeof c->name, "c%u", asked.nclaims);
	strcpy(c->text, "It is | so.");
	strcpy(c->left, "processes-old");
	strcpy(c->right, "threads-old");
	return c;
}

static struct factor *factor(const char *name, const char *from, const char *to)
{
	struct factor *f = &asked.factors[asked.nfactors++];
	*f = (struct factor){.bytes = {1, SIZE_MAX}};
	strcpy(f->name, name);
	strcpy(f->from, from);
	strcpy(f->to, to);
	strcpy(f->setting, "mode");
	return f;
}

static void gap(const char *from, const char *to)
{
	asked.gap = (struct gap){.bytes = {1, SIZE_MAX}};
	strcpy(asked.gap.from, from);
	strcpy(asked.gap.to, to);
}

static void find(void)
{
	struct status st = {""};
	made_load(&made, &loaded);
	found = calloc(1, sizeof *found);
	assert_non_null(found);
	if (findings_make(&loaded.summary, NULL, NULL, 0, found, &st))
		fail_msg("%s", st.text);
}

static void done(void)
{
	findings_free(found);
	free(found);
	made_unload(&loaded);
}

/* The outcome of the only claim. */
static enum claims_outcome outcome(void)
{
	find();
	enum claims_outcome o = found->claims[0].outcome;
	done();
	return o;
}

static void near(double is, double should, double by)
{
	if (!(fabs(is - should) <= by))
		fail_msg("%g is not %g", is, should);
}

static struct stats_ratio ratio(double lo, double estimate, double hi)
{
	return (struct stats_ratio){estimate, lo, hi, 10, 0.95};
}

static void the_rule_of_each_test(void **state)
{
	static const struct {
		enum claim_test test;
		double by, lo, hi;
		enum claims_outcome is;
	} rows[] = {
	    {CLAIM_LESS, 0.02, 0.90, 0.979, CLAIMS_HOLD},
	    {CLAIM_LESS, 0.02, 0.90, 0.981, CLAIMS_UNDECIDED},
	    {CLAIM_LESS, 0.02, 0.981, 1.5, CLAIMS_FAIL},
	    {CLAIM_LESS, 0.02, 0.981, 0.999, CLAIMS_LITTLE},
	    {CLAIM_LESS, 0.02, 1.03, 1.04, CLAIMS_FAIL},
	    {CLAIM_LESS, 0.5, 0.4, 0.666, CLAIMS_HOLD},
	    {CLAIM_LESS, 0.5, 0.4, 0.667, CLAIMS_UNDECIDED},
	    {CLAIM_MORE, 0.02, 1.021, 1.5, CLAIMS_HOLD},
	    {CLAIM_MORE, 0.02, 1.019, 1.5, CLAIMS_UNDECIDED},
	    {CLAIM_MORE, 0.02, 0.5, 1.019, CLAIMS_FAIL},
	    {CLAIM_MORE, 0.02, 1.001, 1.019, CLAIMS_LITTLE},
	    {CLAIM_WITHIN, 0.02, 0.981, 1.019, CLAIMS_HOLD},
	    {CLAIM_WITHIN, 0.02, 1.001, 1.019, CLAIMS_HOLD},
	    {CLAIM_WITHIN, 0.02, 0.97, 1.01, CLAIMS_UNDECIDED},
	    {CLAIM_WITHIN, 0.02, 1.021, 1.2, CLAIMS_FAIL},
	    {CLAIM_WITHIN, 0.02, 0.5, 0.979, CLAIMS_FAIL},
	    {CLAIM_WITHIN, 0.02, 0.9, 1.1, CLAIMS_UNDECIDED},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct stats_ratio r =
		    ratio(rows[i].lo, sqrt(rows[i].lo * rows[i].hi), rows[i].hi);
		unsigned more = 7;
		if (claims_decide(&r, rows[i].test, rows[i].by, &more) != rows[i].is)
			fail_msg("row %zu", i);
		assert_int_equal(more > 0, rows[i].is == CLAIMS_UNDECIDED);
	}
	/* Without an interval there is no verdict, but the blocks until there is one. */
	struct stats_ratio none = ratio(NAN, 0.5, NAN);
	unsigned more;
	none.blocks = 4;
	assert_int_equal(claims_decide(&none, CLAIM_LESS, 0.02, &more), CLAIMS_UNDECIDED);
	assert_int_equal(more, 2);
}

/* Left and right, less and more swapped: the same outcome, by the same blocks. */
static void swapping_left_and_right_changes_nothing(void **state)
{
	unsigned seen[CLAIMS_UNTESTED] = {0};
	(void)state;
	for (unsigned run = 0; run < 6000; run++) {
		static const enum claim_test back[] = {CLAIM_MORE, CLAIM_LESS, CLAIM_WITHIN};
		const enum claim_test test = (enum claim_test)(run % 3);
		double at = 0.04 * made_noise(run, 0, 0),
		       half = 0.02 + 0.02 * made_noise(run, 1, 0);
		struct stats_ratio there = ratio(exp(at - half), exp(at), exp(at + half)),
		                   here = ratio(exp(-at - half), exp(-at), exp(-at + half));
		unsigned more[2];
		enum claims_outcome is = claims_decide(&there, test, 0.02, &more[0]);
		assert_int_equal(claims_decide(&here, back[test], 0.02, &more[1]), is);
		assert_int_equal(more[0], more[1]);
		seen[is]++;
	}
	for (int i = 0; i < CLAIMS_UNTESTED; i++)
		assert_true(seen[i] > 50);
}

/* A real loss of 1 % is neither "holds" nor "does not hold". */
static void a_small_loss_has_its_own_word(void **state)
{
	char text[VERDICT_TEXT_BYTES];
	(void)state;
	speed[2] = 0.99;
	claim(METRIC_BUSBW, CLAIM_LESS, 0.02);
	find();
	claims_verdict(&found->claims[0], text, sizeof text);
	assert_string_equal(text, "less, by under 2 %");
	assert_true(found->claims[0].detectable > 0.02);
	done();
	strcpy(asked.claims[0].left, "threads-old");
	strcpy(asked.claims[0].right, "processes-old");
	asked.claims[0].test = CLAIM_MORE;
	find();
	claims_verdict(&found->claims[0], text, sizeof text);
	assert_string_equal(text, "more, by under 2 %");
	done();
	speed[2] = 0.98;
	noise = 0.02;
	find();
	claims_verdict(&found->claims[0], text, sizeof text);
	made_says(text, "undecided (more): effects under ");
	made_says(text, " % cannot be seen here; needs ");
	done();
}

/* The probability decides as the interval does, at the bound of each test. */
static void probability_and_verdict_agree(void **state)
{
	static const enum claim_test tests[] = {CLAIM_LESS, CLAIM_MORE, CLAIM_WITHIN};
	unsigned seen[CLAIMS_UNTESTED] = {0};
	(void)state;
	noise = 0.04;
	for (unsigned run = 0; run < 30; run++) {
		asked.nclaims = 0;
		for (unsigned t = 0; t < 3; t++)
			for (unsigned by = 1; by < 8; by++)
				claim(METRIC_BUSBW, tests[t], 0.01 * by);
		speed[2] = 0.9 + 0.005 * run;
		made.blocks = 6 + run % 5;
		find();
		for (unsigned i = 0; i < asked.nclaims; i++) {
			const struct claims_result *r = &found->claims[i];
			assert_int_equal(claims_decided(r), r->p <= 0.05);
			seen[r->outcome]++;
		}
		done();
	}
	for (int i = 0; i < CLAIMS_UNTESTED; i++)
		assert_true(seen[i] > 0);
}

/* 10 blocks that all lie one way have a probability of 2 ÷ 2^10, enough among 25 and not among
 * 26. */
static void a_family_is_corrected_for_its_size(void **state)
{
	const double least = 2.0 / 1024;
	char said[1024];
	(void)state;
	speed[2] = 0.9;
	for (unsigned others = 25; others < 27; others++) {
		asked.nclaims = 0;
		for (unsigned i = 0; i <= others; i++)
			claim(METRIC_BUSBW, CLAIM_LESS, 0.02);
		strcpy(claim(METRIC_BUSBW, CLAIM_NEEDS, 0)->needs, "2 nodes");
		asked.primary.n = 1;
		strcpy(asked.primary.names[0], "c3");
		const json_t *report = made_report(&made);
		const json_t *primary = json_finding(report, "claim", "c3"),
		             *other = json_finding(report, "claim", "c4");
		json_assert_text(primary, "verdict", "holds");
		assert_true(json_is_true(json_at(primary, "primary")));
		json_assert_number(primary, "p", least, 1e-6);
		json_assert_number(primary, "p_adjusted", least, 1e-6);
		json_assert_text(other, "verdict",
		                 others == 25 ? "holds" : "holds (taken alone)");
		assert_true(json_is_false(json_at(other, "primary")));
		json_assert_number(other, "p", least, 1e-6);
		json_assert_number(other, "p_adjusted", others * least, 1e-6);
		json_assert_null(json_finding(report, "claim", others == 25 ? "c27" : "c28"),
		                 "p");
		json_assert_one_says(
		    json_object_get(report, "answer"),
		    "'It is | so.' holds. Bus bandwidth of processes-old is 0.9");
		find();
		claims_family_say(found->claims, found->asked.nclaims, said, sizeof said);
		made_says(said, "The primary claim, c3: holds. ");
		made_says(said, others == 25 ? "25 further claims" : "26 further claims");
		made_says(said, others == 25 ? "confirms 25 of the 25" : "confirms none");
		assert_int_equal(claims_family_confirms(found->claims, found->asked.nclaims),
		                 others == 25);
		done();
	}
	/* Without a primary one all are a family. */
	asked.primary.n = 0;
	find();
	assert_null(claims_primary(found->claims, found->asked.nclaims));
	near(found->claims[2].p_adjusted, 27 * least, 1e-9);
	done();
	/* One alone is none. */
	asked.nclaims = 1;
	find();
	claims_family_say(found->claims, 1, said, sizeof said);
	assert_string_equal(said, "");
	assert_false(found->claims[0].alone);
	done();
}

/* What the report has in all, counted from its tables. */
static void verdicts_and_intervals_are_counted(void **state)
{
	size_t rows = 0;
	(void)state;
	claim(METRIC_BUSBW, CLAIM_LESS, 0.02);
	strcpy(claim(METRIC_BUSBW, CLAIM_NEEDS, 0)->needs, "2 nodes");
	factor("zero-copy", "nodirect", "threads-old");
	const json_t *report = made_report(&made), *list = json_object_get(report, "findings");
	/* Those over each group's sizes: 3 variants at 2 paces. */
	size_t verdicts = 6;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *f = json_array_get(list, i);
		const char *type = json_string_value(json_object_get(f, "type"));
		verdicts += !strcmp(type, "regime");
		verdicts +=
		    !strcmp(type, "claim") && json_is_object(json_object_get(f, "ratio"));
		verdicts += 2 * !strcmp(type, "factor");
	}
	const json_t *summary = json_table(report, "summary");
	rows = json_rows(summary, (json_keys){NULL}) -
	       json_rows(summary, (json_keys){"ratio", "", NULL});
	json_assert_number(report, "verdicts", (double)verdicts, 0);
	json_assert_number(report, "intervals", (double)(verdicts + rows), 0);
}

static void open_sizes(void)
{
	static const struct claim_range open = {0, SIZE_MAX};
	for (unsigned i = 0; i < asked.nclaims; i++)
		asked.claims[i].bytes = open;
	for (unsigned i = 0; i < asked.nfactors; i++)
		asked.factors[i].bytes = open;
	asked.gap.bytes = open;
}

static void rests_on(const struct contrast *c, size_t lo, size_t hi)
{
	assert_int_equal(c->sizes.lo, lo);
	assert_int_equal(c->sizes.hi, hi);
}

/* What names no sizes is judged over those of a regime: 4 KiB to 64 MiB are measured. */
static void a_regime_gives_the_sizes(void **state)
{
	static const size_t small = 64 << 10, large = 16 << 20;
	const struct claims_result *c;
	(void)state;
	made.sizes = 8;
	speed[0] = 0.8;
	claim(METRIC_BUSBW, CLAIM_LESS, 0.02);
	claim(METRIC_LATENCY, CLAIM_LESS, 0.02);
	claim(METRIC_LAUNCH, CLAIM_LESS, 0.02);
	claim(METRIC_BUSBW, CLAIM_LESS, 0.02)->regime = REGIME_SMALL;
	claim(METRIC_P95, CLAIM_LESS, 0.02)->regime = REGIME_LARGE;
	claim(METRIC_DRAM, CLAIM_LESS, 0.02);
	claim(METRIC_DRAM, CLAIM_LESS, 0.02)->regime = REGIME_LARGE;
	factor("zero-copy", "nodirect", "threads-old");
	gap("nodirect", "threads-old");
	open_sizes();
	claim(METRIC_BUSBW, CLAIM_LESS, 0.02)->bytes = (struct claim_range){small, small};
	find();
	c = found->claims;
	rests_on(&c[0].contrast, large, 4 * large);
	rests_on(&c[1].contrast, 4096, small);
	rests_on(&c[2].contrast, 4096, small);
	rests_on(&c[3].contrast, 4096, small);
	rests_on(&c[4].contrast, large, 4 * large);
	rests_on(&c[5].contrast, 4096, 4 * large);
	rests_on(&c[6].contrast, large, 4 * large);
	rests_on(&c[7].contrast, small, small);
	assert_int_equal(found->factors[0].ncells, 2);
	assert_int_equal(found->factors[0].sizes.lo, large);
	assert_int_equal(found->waterfall.ncells, 2);
	/* Of latency the small ones. */
	assert_int_equal(found->asked.factors[0].latency_bytes.hi, small);
	assert_true(factors_judged(&found->factors[0].latency));
	done();
	made.sizes = 4;
}

static void a_claim_holds_fails_or_stays_open(void **state)
{
	(void)state;
	claim(METRIC_BUSBW, CLAIM_LESS, 0.02);
	speed[2] = 0.9;
	find();
	assert_int_equal(found->claims[0].outcome, CLAIMS_HOLD);
	near(found->claims[0].contrast.ratio.estimate, 0.9, 0.005);
	near(found->claims[0].contrast.left_side.value /
	         found->claims[0].contrast.right_side.value,
	     0.9, 0.005);
	assert_int_equal(found->claims[0].contrast.ncells, 4);
	assert_int_equal(found->claims[0].contrast.ratio.blocks, 10);
	done();
	speed[2] = 1;
	assert_int_equal(outcome(), CLAIMS_FAIL);
	speed[2] = 0.98;
	noise = 0.1;
	find();
	assert_int_equal(found->claims[0].outcome, CLAIMS_UNDECIDED);
	assert_true(found->claims[0].more_blocks > 0);
	done();
	speed[2] = 0.5;
	made.blocks = 5;
	find();
	assert_int_equal(found->claims[0].outcome, CLAIMS_UNDECIDED);
	assert_int_equal(found->claims[0].more_blocks, 1);
	done();
}

static void direction_and_size_are_the_claims(void **state)
{
	(void)state;
	speed[2] = 0.9;
	struct claim *c = claim(METRIC_TIME, CLAIM_MORE, 0.05);
	assert_int_equal(outcome(), CLAIMS_HOLD);
	c->metric = METRIC_LATENCY;
	assert_int_equal(outcome(), CLAIMS_HOLD);
	c->pace = PACE_ISOLATED;
	c->bytes = (struct claim_range){16384, 65536};
	find();
	assert_int_equal(found->claims[0].contrast.ncells, 2);
	assert_int_equal(found->claims[0].outcome, CLAIMS_HOLD);
	done();
	c->metric = METRIC_LAUNCH;
	c->test = CLAIM_WITHIN;
	assert_int_equal(outcome(), CLAIMS_HOLD);
}

static void untested(const char *why)
{
	char hint[CONTRAST_WHY_BYTES];
	find();
	assert_int_equal(found->claims[0].outcome, CLAIMS_UNTESTED);
	claims_hint(&loaded.summary, &found->evidence, &found->claims[0], hint, sizeof hint);
	made_says(hint, why);
	assert_true(isnan(found->claims[0].contrast.ratio.estimate));
	done();
}

static void what_cannot_be_tested_says_why(void **state)
{
	(void)state;
	struct claim *c = claim(METRIC_BUSBW, CLAIM_NEEDS, 0);
	strcpy(c->needs, "2 nodes");
	untested("it needs 2 nodes");
	c->test = CLAIM_LESS;
	c->by = 0.02;
	c->bytes = (struct claim_range){1 << 30, SIZE_MAX};
	untested("no cell of it was measured here (from 1 GiB up)");
	c->bytes.lo = 0;
	strcpy(c->left, "nobody");
	untested("nobody is not in this record");
	strcpy(c->left, "processes-old");
	c->metric = METRIC_LATENCY;
	made.cores = 1;
	untested("more ranks than cores");
	made.cores = 16;
	c->metric = METRIC_NVLINK_TX;
	missing = "no NVLink counters on this GPU";
	untested("no NVLink counters on this GPU");
	missing = NULL;
	c->metric = METRIC_COPIES;
	untested("the counters of processes-old have no figure for: bytes copied");
	c->metric = METRIC_ISSUE_CORES;
	issue_ns = 15000;
	untested("too short here for a CPU's clock");
	/* A worker that was preempted once launches no longer for that. */
	preempted = 1000000;
	untested("too short here for a CPU's clock");
	issue_ns = 30000;
	preempted = 0;
	made.backend = "host"; /* however long it takes */
	untested("nothing is launched on host: its workers move the data themselves");
	made.backend = "nccl";
	uncounted = MADE_THREADS;
	untested("no counters were read of threads-old, which it needs for: cores");
	c->metric = METRIC_NVLINK_TX;
	untested("no counters were read of threads-old, which it needs for: sent over NVLink");
	uncounted = UINT_MAX;
	apart = true;
	untested("no cell of it has in each of the variants the counters for: sent over");
	apart = false;
	made.counters = false;
	untested("no counters were read");
	skips = true;
	untested("processes-old was skipped: NCCL_LEGACY is not set");
}

static void a_block_without_a_cell_is_left_out(void **state)
{
	(void)state;
	claim(METRIC_BUSBW, CLAIM_LESS, 0.02);
	speed[2] = 0.9;
	lacks_block = 3;
	find();
	assert_int_equal(found->claims[0].contrast.ratio.blocks, 9);
	assert_int_equal(found->claims[0].outcome, CLAIMS_HOLD);
	done();
}

static void counters_are_claimed_about(void **state)
{
	(void)state;
	dram_per_byte[2] = 4;
	claim(METRIC_DRAM_PER_NVLINK, CLAIM_MORE, 0.5);
	claim(METRIC_DRAM, CLAIM_MORE, 0.5);
	claim(METRIC_NVLINK_TX, CLAIM_WITHIN, 0.01);
	claim(METRIC_ISSUE_CORES, CLAIM_WITHIN, 0.01);
	find();
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(found->claims[i].outcome, CLAIMS_HOLD);
	near(found->claims[0].contrast.left_side.value, 4, 1e-9);
	near(found->claims[1].contrast.left_side.value, 420,
	     1e-9); /* the mean of 4 × 100 and 4 × 110 */
	near(found->claims[2].contrast.right_side.value, 105, 1e-9); /* the mean over ranks */
	near(found->claims[3].contrast.left_side.value, 1.5, 1e-9); /* 135 µs in 3 rows of 30 */
	assert_int_equal(found->claims[0].contrast.ratio.blocks, 10);
	done();
}

/* What the only factor's verdicts say. */
static void verdicts(const char *bandwidth, const char *latency)
{
	const struct factors_result *r = &found->factors[0];
	char text[128];
	factors_verdict(r, &r->bandwidth, text, sizeof text);
	assert_string_equal(text, bandwidth);
	factors_verdict(r, &r->latency, text, sizeof text);
	assert_string_equal(text, latency);
}

static void a_placebo_should_do_nothing(void **state)
{
	struct warnings *w = calloc(1, sizeof *w);
	(void)state;
	assert_non_null(w);
	factor("env", "nodirect", "threads-old")->placebo = true;
	find();
	assert_null(factors_alarm(&found->factors[0]));
	verdicts("no difference within 2 %, as a placebo should be",
	         "no difference within 2 %");
	findings_warn(found, w);
	assert_int_equal(w->count, 0);
	done();
	speed[1] = 1.1;
	find();
	assert_string_equal(factors_alarm(&found->factors[0]), "bandwidth and latency");
	verdicts("faster: THE PLACEBO HAS AN EFFECT", "faster: THE PLACEBO HAS AN EFFECT");
	findings_warn(found, w);
	assert_int_equal(w->count, 1);
	made_says(w->text[0], "THE PLACEBO HAS AN EFFECT on bandwidth and latency: factor env");
	made_says(w->text[0], "and bandwidth of threads-old is 1.1");
	made_says(w->text[0], "times that of nodirect, and latency of nodirect is 1.1");
	done();
	free(w);
}

/* It need not be bandwidth that it acts on, and it is not proper before both are known. */
static void a_placebo_is_held_against_latency_too(void **state)
{
	struct warnings *w = calloc(1, sizeof *w);
	(void)state;
	assert_non_null(w);
	factor("env", "threads-old", "processes-old")->placebo = true;
	isolated_speed = 0.8;
	find();
	assert_string_equal(factors_alarm(&found->factors[0]), "latency");
	verdicts("no difference within 2 %", "slower: THE PLACEBO HAS AN EFFECT");
	findings_warn(found, w);
	assert_int_equal(w->count, 1);
	made_says(w->text[0], "THE PLACEBO HAS AN EFFECT on latency: factor env should change "
	                      "nothing, and latency of threads-old is 0.8");
	assert_null(strstr(w->text[0], "bandwidth of"));
	done();
	/* Nor is latency judged where ranks share cores. */
	made.cores = 1;
	find();
	assert_null(factors_alarm(&found->factors[0]));
	verdicts("no difference within 2 %, as a placebo should be", "-");
	assert_true(isnan(found->factors[0].latency.ratio.estimate));
	done();
	made.cores = 16;
	/* Noise in latency hides nothing of bandwidth; noise in that is neither. */
	isolated_speed = 1;
	isolated_noise = 0.2;
	find();
	assert_null(factors_alarm(&found->factors[0]));
	assert_true(factors_proper(&found->factors[0]));
	assert_int_equal(found->factors[0].bandwidth.kind, VERDICT_NO_DIFFERENCE);
	assert_int_equal(found->factors[0].latency.kind, VERDICT_UNDECIDED);
	done();
	noise = 0.2;
	isolated_noise = 0.002;
	find();
	assert_null(factors_alarm(&found->factors[0]));
	assert_false(factors_proper(&found->factors[0]));
	assert_int_equal(found->factors[0].bandwidth.kind, VERDICT_UNDECIDED);
	done();
	free(w);
}

static void factors_stand_by_the_size_of_their_effect(void **state)
{
	unsigned order[4];
	(void)state;
	speed[0] = 0.9;
	speed[2] = 0.6;
	isolated_speed = 2;
	factor("absent", "nodirect", "nowhere");
	factor("small", "nodirect", "threads-old");
	factor("none", "threads-old", "threads-old-again")->placebo = true;
	factor("large", "threads-old", "processes-old"); /* down: its direction is no matter */
	strcpy(asked.factors[3].text, "one, two");
	find();
	factors_order(found->factors, 4, order);
	static const unsigned expected[] = {3, 1, 2, 0};
	assert_memory_equal(order, expected, sizeof order);
	near(found->factors[1].latency.ratio.estimate, 1 / 0.9, 0.01);
	/* Faster, where bandwidth is lost. */
	near(found->factors[3].latency.ratio.estimate, 1.2, 0.01);
	assert_int_equal(found->factors[3].bandwidth.kind, VERDICT_SLOWER);
	assert_int_equal(found->factors[3].latency.kind, VERDICT_FASTER);
	assert_false(factors_judged(&found->factors[0].latency));
	done();
	made_report(&made);
	char *text = made_read("factors.csv");
	made_says(text, "nth,factor,setting,from,to,placebo,effect,effect_lo,effect_hi,verdict,"
	                "text,why,cells,blocks,latency,latency_lo,latency_hi,latency_verdict,"
	                "latency_blocks,detectable,latency_detectable\n1,"
	                "large,mode,threads-old,processes-old,0,0.59");
	made_says(text, ",slower,\"one, two\",,4,10,1.");
	made_says(text, "\n2,small,mode,nodirect,threads-old,0,1.1");
	made_says(text, "\n3,none,mode,threads-old,threads-old-again,1,0.99");
	made_says(text, "\n4,absent,mode,nodirect,nowhere,0,,,,,,nowhere is "
	                "not in");
	made_says(text, ",0,0,,,,,0,,\n");
	made_says(text, ",no difference,,,4,10,");
}

static void a_factor_has_its_sizes_and_reasons(void **state)
{
	(void)state;
	speed[0] = 0.8;
	struct factor *f = factor("zero-copy", "nodirect", "threads-old");
	f->bytes.lo = 65536;
	find();
	assert_int_equal(found->factors[0].ncells, 2);
	/* Those that were measured, though it asks for everything above. */
	assert_int_equal(found->factors[0].sizes.lo, 65536);
	assert_int_equal(found->factors[0].sizes.hi, 262144);
	assert_int_equal(found->factors[0].bandwidth.kind, VERDICT_FASTER);
	near(found->factors[0].bandwidth.ratio.estimate, 1.25, 0.005);
	done();
	strcpy(f->to, "processes-old");
	skips = true;
	find();
	made_says(found->factors[0].why, "was skipped: NCCL_LEGACY is not set");
	done();
}

/* The cell of a factor in the report's table of them. */
static const json_t *effect(const json_t *report, const char *name, const char *column)
{
	return json_cell(json_table(report, "effects"), (json_keys){"factor", name, NULL},
	                 column);
}

/* Of isolated calls alone a factor has its effect on latency, in its place by that. */
static void a_factor_may_be_of_latency_alone(void **state)
{
	unsigned order[3];
	(void)state;
	speed[0] = 0.9;
	isolated_speed = 0.7;
	no_stream = true;
	factor("none", "threads-old", "threads-old-again")->placebo = true;
	factor("small", "nodirect", "threads-old");
	factor("large", "threads-old", "processes-old")->bytes.lo = 65536;
	find();
	factors_order(found->factors, 3, order);
	static const unsigned expected[] = {2, 1, 0};
	assert_memory_equal(order, expected, sizeof order);
	for (unsigned i = 0; i < 3; i++) {
		assert_string_equal(found->factors[i].why, "");
		assert_false(factors_judged(&found->factors[i].bandwidth));
	}
	assert_int_equal(found->factors[2].ncells, 2);
	assert_int_equal(found->factors[2].sizes.lo, 65536);
	verdicts("-", "no difference within 2 %, as a placebo should be");
	done();
	const json_t *report = made_report_with(&made, "plot", 0),
	             *table = json_table(report, "effects"),
	             *large = json_finding(report, "factor", "large");
	made_says(made_read("factors.csv"),
	          "\n1,large,mode,threads-old,processes-old,0,,,,,,,2,0,0.7");
	made_says(made_read("factors.csv"), ",slower,10,,");
	made_says(made_read("factors.csv"), "\n2,small,");
	/* No column of bandwidth, which no factor has. */
	assert_false(json_has_column(table, "bandwidth") || json_has_column(table, "verdict"));
	assert_int_equal(json_rows(table, (json_keys){NULL}), 3);
	json_assert_text(effect(report, "large", "sizes"), "", "64 KiB to 256 KiB");
	json_assert_number(effect(report, "large", "latency"), "estimate", 0.7, 0.01);
	json_assert_text(effect(report, "large", "latency_verdict"), "", "slower");
	json_assert_text(effect(report, "small", "latency_verdict"), "", "faster");
	json_assert_text(effect(report, "none", "latency_verdict"), "",
	                 "no difference within 2 %, as a placebo should be");
	json_assert_null(large, "bandwidth");
	json_assert_text(large, "latency_verdict", "slower");
	made_says(made_read("plots/run.gp"), "\nfactors_tested = 3\n");
	made_says(made_read("plots/run.gp"), "\nfactors_latency = 1\n");
	assert_int_equal(access(made_path("plots/nccl_factors.png"), R_OK), 0);
	assert_int_not_equal(access(made_path("plots/gnuplot.log"), F_OK), 0);
	/* Where ranks share cores nothing is left, for that reason. */
	made.cores = 1;
	report = made_report(&made);
	assert_false(json_has_table(report, "effects"));
	json_assert_one_says(json_section(report, "factors"),
	                     "Cannot be tested here, more ranks than cores: waiting workers "
	                     "share them, so that p50 of isolated calls is the scheduler's: "
	                     "none, small, large.");
	json_assert_says(json_finding(report, "factor", "none"), "why",
	                 "more ranks than cores");
}

/* A column of latency stands where there is any, and else why there is none. */
static void latency_has_a_column_where_it_is_judged(void **state)
{
	(void)state;
	isolated_speed = 0.7;
	factor("env", "threads-old", "processes-old")->placebo = true;
	const json_t *report = made_report(&made), *env = json_finding(report, "factor", "env");
	assert_true(json_is_true(json_at(env, "alarm")));
	json_assert_text(env, "verdict", "no difference within 2 %");
	json_assert_text(env, "latency_verdict", "slower");
	json_assert_number(env, "latency.estimate", 0.7, 0.01);
	json_assert_one_says(json_section(report, "factors"),
	                     "The placebo env has an effect on latency, where it should");
	json_assert_text(effect(report, "env", "verdict"), "", "no difference within 2 %");
	json_assert_number(effect(report, "env", "latency"), "estimate", 0.7, 0.01);
	json_assert_text(effect(report, "env", "latency_verdict"), "",
	                 "slower: THE PLACEBO HAS AN EFFECT");
	made.cores = 1;
	report = made_report(&made);
	assert_true(json_is_false(json_at(json_finding(report, "factor", "env"), "alarm")));
	assert_false(json_has_column(json_table(report, "effects"), "latency"));
	json_assert_says(effect(report, "env", "verdict"), "", "undecided");
	json_assert_one_says(json_section(report, "factors"),
	                     "Latency is not judged, with more ranks than cores: waiting "
	                     "workers share them, so that p50 of isolated calls is the "
	                     "scheduler's.");
	made_says(made_read("plots/run.gp"), "\nfactors_latency = 0\n");
	no_isolated = true;
	assert_false(json_one_says(json_section(made_report(&made), "factors"),
	                           "Latency is not judged"));
}

static void shares_add_up(void **state)
{
	(void)state;
	speed[2] = 0.7;
	speed[0] = 0.75;
	gap("processes-old", "threads-old");
	factor("mode", "processes-old", "nodirect");
	factor("zero-copy", "nodirect", "threads-old");
	find();
	const struct waterfall *w = &found->waterfall;
	assert_int_equal(w->nsteps, 2);
	assert_string_equal(w->steps[0].name, "mode");
	assert_string_equal(w->steps[1].name, "zero-copy");
	near(w->steps[0].log + w->steps[1].log, w->log, 1e-12);
	near(w->steps[0].share.estimate + w->steps[1].share.estimate, 1, 1e-12);
	near(w->explained.estimate, 1, 1e-12);
	near(w->steps[0].share.estimate, log(0.75 / 0.7) / log(1 / 0.7), 0.02);
	near(w->steps[0].to_gbs, w->steps[1].from_gbs, 1e-9);
	near(w->steps[1].to_gbs / w->steps[0].from_gbs, exp(w->log), 1e-9);
	assert_int_equal(w->gap.kind, VERDICT_FASTER);
	done();
}

static void factors_may_be_taken_back(void **state)
{
	(void)state;
	speed[2] = 0.7;
	speed[0] = 0.75;
	gap("processes-old", "threads-old");
	factor("mode", "nodirect", "processes-old");
	factor("itself", "threads-old", "processes-old"); /* the gap: explains nothing */
	factor("zero-copy", "nodirect", "threads-old");
	find();
	const struct waterfall *w = &found->waterfall;
	assert_int_equal(w->nsteps, 2);
	assert_true(w->steps[0].backwards);
	assert_true(w->steps[0].log > 0);
	assert_false(w->steps[1].backwards);
	near(w->explained.estimate, 1, 1e-12);
	done();
}

static void what_does_not_chain_is_left(void **state)
{
	(void)state;
	speed[2] = 0.7;
	speed[0] = 0.75;
	gap("processes-old", "threads-old");
	factor("zero-copy", "nodirect", "threads-old");
	find();
	const struct waterfall *w = &found->waterfall;
	assert_int_equal(w->nsteps, 2);
	assert_true(w->steps[0].rest);
	assert_false(w->steps[1].rest);
	near(w->explained.estimate, w->steps[1].share.estimate, 1e-12);
	near(w->explained.estimate, log(1 / 0.75) / log(1 / 0.7), 0.02);
	done();
	/* And all of it where a factor leads elsewhere: nodirect is farther off than the gap.
	 */
	speed[0] = 0.4;
	find();
	w = &found->waterfall;
	assert_int_equal(w->nsteps, 1);
	assert_true(w->steps[0].rest);
	near(w->steps[0].share.estimate, 1, 1e-12);
	near(w->explained.estimate, 0, 0);
	done();
	/* No factor at all: the same. */
	speed[0] = 0.75;
	asked.nfactors = 0;
	find();
	assert_int_equal(found->waterfall.nsteps, 1);
	assert_true(found->waterfall.steps[0].rest);
	near(found->waterfall.explained.estimate, 0, 0);
	done();
}

/* A way that closes adds up to all of the gap by arithmetic, whatever its steps are. */
static void only_what_is_beyond_the_margin_explains(void **state)
{
	char text[WATERFALL_TEXT_BYTES];
	(void)state;
	speed[2] = 0.7;
	speed[0] = 0.75;
	gap("processes-old", "threads-old");
	factor("switch", "processes-old", "nodirect")->placebo = true;
	factor("zero-copy", "nodirect", "threads-old");
	find();
	const struct waterfall *w = &found->waterfall;
	near(w->steps[0].share.estimate + w->steps[1].share.estimate, 1, 1e-12);
	assert_false(w->steps[0].counts);
	assert_true(w->steps[1].counts);
	near(w->explained.estimate, w->steps[1].share.estimate, 1e-12);
	waterfall_say(w, text, sizeof text);
	made_says(text, "zero-copy explains 80.");
	made_says(text, " % of the gap; 19.");
	made_says(text, " % is left or undecided");
	done();
	/* No difference but for a block that lies far off. */
	asked.factors[0].placebo = false;
	speed[0] = 0.7;
	off = MADE_SINGLE;
	find();
	w = &found->waterfall;
	near(w->steps[0].share.estimate + w->steps[1].share.estimate, 1, 1e-12);
	near(w->steps[0].share.estimate, 0, 0.01); /* nor does it spoil the estimate */
	assert_false(w->steps[0].counts);
	near(w->explained.estimate, w->steps[1].share.estimate, 1e-12);
	done();
	off = UINT_MAX;
	speed[0] = 0.75;
	find();
	waterfall_say(&found->waterfall, text, sizeof text);
	made_says(text, "zero-copy (80.");
	made_says(text, " %) and switch (19.");
	made_says(text, " %) explain all of the gap");
	done();
	asked.nfactors = 0;
	find();
	waterfall_say(&found->waterfall, text, sizeof text);
	assert_string_equal(text, "no factor explains any of the gap beyond the margin");
	done();
}

/* An effect without an interval is no small one. */
static void grey_says_what_it_is(void **state)
{
	(void)state;
	speed[2] = 0.5;
	gap("processes-old", "threads-old");
	factor("zero-copy", "nodirect", "threads-old");
	for (unsigned few = 0; few < 2; few++) {
		made.blocks = few ? 5 : 10;
		made_report(&made);
		const char *text = made_read("plots/run.gp");
		made_says(text, few ? "\nwaterfall_grey = 'grey: no interval below 6 blocks'\n"
		                    : "\nwaterfall_grey = 'grey: interval not wholly beyond "
		                      "±2 %'\n");
		made_says(text, few ? "\nfactors_grey = 'grey: no interval below 6 blocks'\n"
		                    : "\nfactors_grey = 'grey: interval not wholly beyond "
		                      "±2 %'\n");
	}
	made_says(made_read("plots/run.gp"), "\nwaterfall_said = 'the gap itself is undecided");
}

/* Mean and Hodges–Lehmann estimate may point two ways: a row has the mean's figures alone, and
 * the step explains nothing. */
static void a_row_does_not_contradict_itself(void **state)
{
	(void)state;
	made.blocks = 12;
	speed[2] = 0.7;
	speed[0] = 0.74;
	off = MADE_SINGLE;
	gap("processes-old", "threads-old");
	factor("mode", "processes-old", "nodirect");
	factor("zero-copy", "nodirect", "threads-old");
	find();
	const struct waterfall_step *step = &found->waterfall.steps[0];
	assert_true(step->verdict.ratio.lo > 1.02); /* by its estimate it is faster */
	assert_true(step->log < 0);
	assert_true(step->at_odds);
	assert_false(step->counts);
	assert_int_equal(step->verdict.kind, VERDICT_UNDECIDED);
	const json_t *table = json_table(made_report(&made), "waterfall");
	json_keys row = {"step", "mode", "variants", "processes-old → nodirect", NULL};
	double from = json_number_value(json_cell(table, row, "from_gbs")),
	       to = json_number_value(json_cell(table, row, "to_gbs"));
	assert_true(to < from);
	json_assert_number(json_cell(table, row, "ratio"), "estimate", exp(step->log), 1e-5);
	json_assert_number(json_cell(table, row, "ratio"), "estimate", to / from, 1e-4);
	json_assert_text(json_cell(table, row, "verdict"), "",
	                 "undecided: mean and estimate disagree");
	done();
	/* And of such a gap no share is given. */
	speed[2] = 0.96;
	off = MADE_THREADS;
	find();
	assert_int_equal(found->waterfall.gap.kind, VERDICT_FASTER);
	assert_true(isnan(found->waterfall.explained.estimate));
	made_says(found->waterfall.why, "point two ways");
	done();
}

static void without_a_gap_there_are_no_shares(void **state)
{
	(void)state;
	gap("processes-old", "threads-old");
	factor("zero-copy", "nodirect", "threads-old");
	find();
	assert_int_equal(found->waterfall.nsteps, 2);
	assert_true(isnan(found->waterfall.explained.estimate));
	assert_true(isnan(found->waterfall.steps[0].share.estimate));
	made_says(found->waterfall.why, "there is no gap to explain");
	done();
	made.blocks = 4;
	speed[2] = 0.5;
	find();
	assert_true(isnan(found->waterfall.explained.estimate));
	made_says(found->waterfall.why, "undecided");
	done();
	skips = true;
	find();
	assert_int_equal(found->waterfall.nsteps, 0);
	made_says(found->waterfall.why, "was skipped");
	done();
}

static void path_line(FILE *out, const char *variant, const char *data, bool expected)
{
	made_line(out,
	          json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:s, s:b, s:{s:s, s:[], s:b, "
	                    "s:s, s:b, s:s, s:s}}",
	                    "schema", 1, "kind", "path", "experiment", "x", "variant", variant,
	                    "block", 0, "order", 99, "expect", expected ? "" : "P2P+reg",
	                    "as_expected", (int)expected, "path", "transport", "P2P/CUMEM",
	                    "links", "registered", 0, "registered_why", "nobody asked",
	                    "copy_engine", 0, "data_path", data, "why", "the log says so"));
}

static void paths(FILE *out)
{
	path_line(out, "nodirect", "staged", false);
	path_line(out, "threads-old", "direct", true);
}

static void the_evidence_has_model_and_cache(void **state)
{
	(void)state;
	dram_per_byte[0] = 5;
	made.more = paths;
	find();
	const struct evidence *e = &found->evidence;
	assert_string_equal(e->paths[0].transport, "P2P/CUMEM");
	assert_string_equal(e->paths[0].data_path, "staged");
	assert_string_equal(e->paths[0].registered, "no: nobody asked");
	assert_string_equal(e->paths[0].why, "the log says so");
	assert_string_equal(e->paths[0].unexpected, "P2P+reg");
	assert_string_equal(e->paths[1].unexpected, "");
	assert_string_equal(e->paths[2].transport, "");
	/* The reference's twin takes its path. */
	assert_string_equal(e->paths[3].transport, "P2P/CUMEM");
	assert_string_equal(e->paths[3].data_path, "direct");
	assert_string_equal(e->paths[3].why, "as threads-old, whose twin it is");
	made_report(&made);
	static const char *const ends[] = {"staged", "direct", ""};
	const char *at = made_read("summary.csv");
	made_says(at, ",straggler_us,data_path\n");
	for (unsigned v = 0; v < 3; v++) {
		char begin[80];
		snprintf(begin, sizeof begin, "\n%s,", names[v]);
		made_says(at, begin);
		const char *end = strchr(strstr(at, begin) + 1, '\n');
		size_t n = strlen(ends[v]);
		assert_memory_equal(end - n, ends[v], n);
		assert_true(end[-(ptrdiff_t)n - 1] == ',');
	}
	assert_int_equal(e->nrows, 4 * 5);
	for (unsigned i = 0; i < e->nrows; i++) {
		const struct evidence_row *r = &e->rows[i];
		near(r->nvlink_tx_gbs, 105, 1e-9);
		if (r->variant == 4) {
			assert_true(isnan(r->direct)); /* plain copies have no model */
			continue;
		}
		near(r->direct, 4, 1e-9); /* 2 ranks: 2 ÷ (n − 1) more */
		near(r->staged, 6, 1e-9);
		near(r->dram_share, r->dram_gbs / 4800, 1e-9);
		if (r->variant == 0) {
			near(r->model, 6, 1e-9);
			near(r->cached, 1, 1e-9);
		} else if (r->variant == 1 || r->variant == 3) {
			near(r->model, 4, 1e-9);
			near(r->cached, 2, 1e-9);
		} else {
			assert_true(isnan(r->model) && isnan(r->cached));
		}
	}
	done();
}

/* 2 ranks: one's own part is as much as what comes from the other. */
static void copies_have_a_model_of_their_own(void **state)
{
	(void)state;
	copies = true;
	made.backend = "host";
	find();
	const struct evidence *e = &found->evidence;
	assert_int_equal(e->nrows, 4 * 5);
	for (unsigned i = 0; i < e->nrows; i++) {
		const struct evidence_row *r = &e->rows[i];
		assert_true(isnan(r->direct) && isnan(r->model));
		near(r->copies, r->variant == 0 ? 3 : 2, 1e-9);
		if (r->variant < 2)
			near(r->copies_model, r->variant == 0 ? 3 : 2, 1e-9);
		else
			assert_true(isnan(r->copies_model)); /* their way is not known */
	}
	done();
	const json_t *report = made_report(&made), *table = json_table(report, "counters");
	json_keys row = {"cell", "alltoall 4 KiB", "variant", "nodirect", NULL};
	json_assert_number(json_cell(table, row, "copies"), "", 3, 1e-9);
	json_assert_number(json_cell(table, row, "copies_model"), "", 3, 1e-9);
	assert_false(json_has_column(table, "dram_per_nvlink") ||
	             json_has_column(table, "model"));
	json_assert_one_says(json_section(report, "counters"),
	                     "The model, in copies for each byte");
}

/* What the table of paths has of a variant; NULL: nothing. */
static void path_is(const json_t *report, const char *variant, const char *const cells[4])
{
	static const char *const columns[] = {"transport", "unexpected", "data_path",
	                                      "registered"};
	for (unsigned i = 0; i < 4; i++) {
		const json_t *cell =
		    json_cell(json_table(report, "paths"),
		              (json_keys){"variant", variant, NULL}, columns[i]);
		if (cells[i])
			json_assert_text(cell, "", cells[i]);
		else
			json_assert_null(cell, "");
	}
}

/* Of a model of 4, what is read as 4.01 ÷ 1.024 lacks a unit and no cache. */
static void a_unit_is_no_cache(void **state)
{
	(void)state;
	dram_per_byte[0] = 5 / 1.024;
	dram_per_byte[1] = 4.01 / 1.024;
	without_unit = true;
	made.more = paths;
	const json_t *table = json_table(made_report(&made), "counters");
	json_keys staged = {"cell", "alltoall 256 KiB", "variant", "nodirect", NULL};
	json_keys direct = {"cell", "alltoall 256 KiB", "variant", "threads-old", NULL};
	json_assert_number(json_cell(table, staged, "nvlink_tx_gbs"), "", 105 / 1.024, 1e-4);
	json_assert_number(json_cell(table, staged, "cached"), "", 1, 1e-4);
	json_assert_number(json_cell(table, direct, "dram_per_nvlink"), "", 4.01, 1e-4);
	json_assert_null(json_cell(table, direct, "cached"), "");
}

static void the_report_has_the_evidence(void **state)
{
	static const char *const staged[] = {"P2P/CUMEM", "P2P+reg", "staged",
	                                     "no: nobody asked"},
	                         *const direct[] = {"P2P/CUMEM", NULL, "direct",
	                                            "no: nobody asked"};
	static const struct {
		const char *variant;
		double nvlink, per_byte, model;
	} rows[] = {{"nodirect", 105, 5, 6},
	            {"threads-old", 105, 2, 4},
	            {"processes-old", 105, 2, NAN},
	            {"threads-old-again", 105, 2, 4}};
	(void)state;
	dram_per_byte[0] = 5;
	made.more = paths;
	const json_t *report = made_report(&made);
	path_is(report, "nodirect", staged);
	path_is(report, "threads-old", direct);
	path_is(report, "threads-old-again", direct);
	assert_int_equal(json_rows(json_table(report, "paths"), (json_keys){NULL}), 3);
	for (unsigned i = 0; i < 4; i++) {
		const json_t *table = json_table(report, "counters");
		json_keys row = {"cell", "alltoall 256 KiB", "variant", rows[i].variant, NULL};
		json_assert_number(json_cell(table, row, "nvlink_tx_gbs"), "", rows[i].nvlink,
		                   1e-9);
		json_assert_number(json_cell(table, row, "dram_per_nvlink"), "",
		                   rows[i].per_byte, 1e-9);
		if (isnan(rows[i].model))
			json_assert_null(json_cell(table, row, "model"), "");
		else
			json_assert_number(json_cell(table, row, "model"), "", rows[i].model,
			                   1e-9);
	}
	/* A path alone, and nothing at all. */
	made.counters = false;
	report = made_report(&made);
	path_is(report, "nodirect", staged);
	assert_false(json_has_table(report, "counters"));
	assert_null(json_section(report, "counters"));
	made.more = NULL;
	report = made_report(&made);
	assert_false(json_has_table(report, "paths"));
	assert_null(json_section(report, "paths"));
	made.counters = true;
	missing = "no NVLink counters on this GPU";
	json_assert_one_says(json_section(made_report(&made), "counters"),
	                     "Missing counters: no NVLink counters on this GPU");
}

/* "nodirect" took another path than it expects. */
static void what_rests_on_another_path_is_marked(void **state)
{
	(void)state;
	made.more = paths;
	factor("zero-copy", "nodirect", "threads-old");
	factor("mode", "processes-old", "threads-old");
	strcpy(claim(METRIC_BUSBW, CLAIM_WITHIN, 0.02)->left, "nodirect");
	claim(METRIC_BUSBW, CLAIM_WITHIN, 0.02);
	const json_t *report = made_report(&made);
	json_assert_text(effect(report, "zero-copy", "verdict"), "",
	                 "no difference within 2 %; NOT on the expected path");
	json_assert_text(effect(report, "mode", "verdict"), "", "no difference within 2 %");
	json_assert_text(json_finding(report, "claim", "c1"), "rests_on",
	                 "4 cells, 4 KiB to 256 KiB, 10 blocks; nodirect staged, threads-old "
	                 "direct; NOT on the expected path");
	json_assert_text(json_finding(report, "claim", "c2"), "verdict", "holds");
	json_assert_text(json_finding(report, "claim", "c2"), "rests_on",
	                 "4 cells, 4 KiB to 256 KiB, 10 blocks");
	json_assert_one_says(json_object_get(report, "warnings"),
	                     "advice, claim c1, factor zero-copy. ");
}

static void both_paths(FILE *out)
{
	path_line(out, "nodirect", "staged", false);
	path_line(out, "threads-old", "direct", true);
	path_line(out, "processes-old", "staged", true);
}

static void no_paths(FILE *out)
{
	path_line(out, "threads-old", "unknown", true);
	path_line(out, "processes-old", "staged", true);
}

static const char *hint(unsigned nth)
{
	static char text[CONTRAST_WHY_BYTES];
	claims_hint(&loaded.summary, &found->evidence, &found->claims[nth], text, sizeof text);
	return text;
}

/* A reader sees by it why a claim about what data does holds or not. */
static void a_hint_has_the_ways_of_data(void **state)
{
	static const enum metric by_way[] = {METRIC_BUSBW, METRIC_NVLINK_TX, METRIC_DRAM,
	                                     METRIC_DRAM_PER_NVLINK};
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		claim(by_way[i], CLAIM_WITHIN, 0.02);
	claim(METRIC_LATENCY, CLAIM_WITHIN, 0.02);
	strcpy(claim(METRIC_BUSBW, CLAIM_LESS, 0.02)->right, "nodirect");
	strcpy(claim(METRIC_BUSBW, CLAIM_WITHIN, 0.02)->left, "threads-old-again");
	strcpy(claim(METRIC_BUSBW, CLAIM_LESS, 0.02)->right, "nobody");
	made.more = both_paths;
	find();
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(hint(i), "4 cells, 4 KiB to 256 KiB, 10 blocks; "
		                             "processes-old staged, threads-old direct");
	assert_string_equal(hint(4), "4 cells, 4 KiB to 256 KiB, 10 blocks");
	assert_string_equal(hint(5),
	                    "4 cells, 4 KiB to 256 KiB, 10 blocks; both staged; NOT on "
	                    "the expected path");
	/* The twin goes the reference's way. */
	assert_string_equal(hint(6), "4 cells, 4 KiB to 256 KiB, 10 blocks; both direct");
	assert_string_equal(hint(7), "nobody is not in this record");
	done();
	const json_t *report = made_report(&made);
	json_assert_text(json_finding(report, "claim", "c7"), "rests_on",
	                 "4 cells, 4 KiB to 256 KiB, 10 blocks; both direct");
	json_assert_text(json_cell(json_table(report, "claims"),
	                           (json_keys){"claim", "c1", NULL}, "rests_on"),
	                 "",
	                 "4 cells, 4 KiB to 256 KiB, 10 blocks; processes-old staged, "
	                 "threads-old direct");
	/* Half of it explains nothing. */
	made.more = no_paths;
	find();
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(hint(i), "4 cells, 4 KiB to 256 KiB, 10 blocks");
	done();
}

static void mixed_paths(FILE *out)
{
	json_t *links = json_array();
	for (int from = 0; from < 2; from++)
		json_array_append_new(links, json_pack("{s:i, s:i, s:s, s:i}", "from", from,
		                                       "to", 1 - from, "via",
		                                       from ? "SHM/direct/direct" : "P2P/CUMEM",
		                                       "channels", 2));
	made_line(out, json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:s, s:b, s:{s:s, s:o, s:b, "
	                         "s:s, s:b, s:s, s:s}}",
	                         "schema", 1, "kind", "path", "experiment", "x", "variant",
	                         "nodirect", "block", 0, "order", 99, "expect", "",
	                         "as_expected", 1, "path", "transport", "mixed", "links", links,
	                         "registered", 0, "registered_why", "", "copy_engine", 0,
	                         "data_path", "staged", "why", "SHM stages"));
}

static void mixed_transports_are_told_by_pairs(void **state)
{
	(void)state;
	made.more = mixed_paths;
	json_assert_one_says(json_section(made_report(&made), "paths"),
	                     "Mixed transport of nodirect: P2P/CUMEM 0→1; SHM/direct 1→0");
	made.more = paths;
	assert_false(json_one_says(json_section(made_report(&made), "paths"), "Mixed"));
}

static void what_is_received_has_a_column(void **state)
{
	(void)state;
	const json_t *table = json_table(made_report(&made), "counters");
	json_keys row = {"cell", "alltoall 4 KiB", "variant", "nodirect", NULL};
	json_assert_number(json_cell(table, row, "nvlink_tx_gbs"), "", 105, 1e-9);
	json_assert_number(json_cell(table, row, "nvlink_rx_gbs"), "", 55, 1e-9);
	json_assert_number(json_cell(table, row, "dram_gbs"), "", 210, 1e-9);
	json_assert_number(json_cell(table, row, "of_limit"), "", 26662.2, 0.1);
}

static void medians_say_over_how_many_blocks(void **state)
{
	(void)state;
	json_keys processes = {"cell", "alltoall 4 KiB", "variant", "processes-old", NULL},
	          threads = {"cell", "alltoall 4 KiB", "variant", "threads-old", NULL};
	const json_t *table = json_table(made_report(&made), "counters");
	json_assert_number(json_cell(table, processes, "blocks"), "", 10, 0);
	lacks_block = 3;
	table = json_table(made_report(&made), "counters");
	json_assert_number(json_cell(table, processes, "blocks"), "", 9, 0);
	json_assert_number(json_cell(table, threads, "blocks"), "", 10, 0);
}

static void the_report_shows_it_all(void **state)
{
	(void)state;
	speed[2] = 0.7;
	speed[0] = 0.75;
	dram_per_byte[2] = 4;
	made.more = paths;
	gap("processes-old", "threads-old");
	factor("zero-copy", "nodirect", "threads-old");
	factor("env", "threads-old", "nodirect")->placebo = true;
	factor("absent", "threads-old", "nowhere");
	factor("absent-too", "threads-old", "nowhere");
	claim(METRIC_BUSBW, CLAIM_LESS, 0.02);
	strcpy(claim(METRIC_BUSBW, CLAIM_NEEDS, 0)->needs, "2 nodes");
	const json_t *report = made_report_with(&made, "plot", 0);
	/* What explains comes before what it rests on. */
	static const char *const order[] = {"answer",  "claims",   "gap",
	                                    "factors", "paths",    "counters",
	                                    "tests",   "warnings", "pictures"};
	size_t at = 0;
	const json_t *sections = json_object_get(report, "sections");
	for (size_t i = 0; i < json_array_size(sections); i++)
		if (at < sizeof order / sizeof *order &&
		    !strcmp(
		        json_string_value(json_object_get(json_array_get(sections, i), "id")),
		        order[at]))
			at++;
	if (at < sizeof order / sizeof *order)
		fail_msg("section %s is missing or out of order", order[at]);
	const json_t *factors = json_section(report, "factors"),
	             *waterfall = json_table(report, "waterfall"),
	             *claims = json_table(report, "claims");
	json_assert_one_says(factors, "The placebo env has an effect");
	json_assert_one_says(factors, "the largest would come out near ");
	json_assert_one_says(factors, "nowhere is not in this record: absent, absent-too.");
	json_assert_text(effect(report, "zero-copy", "sizes"), "", "4 KiB to 256 KiB");
	json_assert_one_says(json_section(report, "gap"), "zero-copy explains 80.");
	json_assert_one_says(json_object_get(report, "answer"), "zero-copy explains 80.");
	json_assert_number(
	    json_cell(waterfall, (json_keys){"step", "zero-copy", NULL}, "share"), "", 0.81,
	    0.01);
	json_assert_number(
	    json_cell(waterfall, (json_keys){"step", "what is left", NULL}, "share"), "", 0.19,
	    0.01);
	json_keys c1 = {"claim", "c1", NULL}, c2 = {"claim", "c2", NULL};
	json_assert_text(json_cell(claims, c1, "text"), "", "It is | so.");
	json_assert_text(json_cell(claims, c1, "verdict"), "", "holds");
	json_assert_text(json_cell(claims, c1, "rests_on"), "",
	                 "4 cells, 4 KiB to 256 KiB, 10 blocks");
	json_assert_text(json_cell(claims, c2, "verdict"), "", "cannot be tested here");
	json_assert_says(json_cell(claims, c2, "rests_on"), "", "it needs 2 nodes");
	json_assert_one_says(json_object_get(report, "warnings"), "THE PLACEBO HAS AN EFFECT");
	made_says(made_read("report.md"), "It is \\| so.");
	made_says(made_read("report.md"), "| **holds** |");
	assert_int_equal(access(made_path("plots/nccl_waterfall.png"), R_OK), 0);
	assert_int_equal(access(made_path("plots/nccl_factors.png"), R_OK), 0);
	assert_int_not_equal(access(made_path("plots/gnuplot.log"), F_OK), 0);
	if (getenv("KEEP_WATERFALL"))
		rename(made_path("plots/nccl_waterfall.png"), getenv("KEEP_WATERFALL"));
	/* The host backend is the analogue of it. */
	made.backend = "host";
	json_assert_says(json_finding(made_report(&made), "claim", "c1"), "rests_on",
	                 "tested on the host analogue");
}

/* Neither a claim nor a table has a p99 of too few calls, and both say so. */
static void p99_of_few_calls_is_refused(void **state)
{
	(void)state;
	claim(METRIC_P99, CLAIM_LESS, 0.02);
	claim(METRIC_P95, CLAIM_LESS, 0.02);
	const json_t *report = made_report(&made);
	const json_t *first = json_finding(report, "claim", "c1");
	json_assert_text(first, "verdict", "cannot be tested here");
	json_assert_says(first, "rests_on", "p99 needs 500 isolated calls, this run has ");
	assert_string_not_equal(
	    json_string_value(json_at(json_finding(report, "claim", "c2"), "verdict")),
	    "cannot be tested here");
	json_assert_one_says(json_section(report, "sizes"),
	                     "Not shown: p99 needs 500 isolated calls");
	assert_true(json_has_table(report, "p95_alltoall_isolated"));
	assert_false(json_has_table(report, "p99_alltoall_isolated"));
}

static void old_records_have_none_of_it(void **state)
{
	struct made plain = made;
	(void)state;
	plain.environment = NULL;
	plain.counters = false;
	static const char *const none[] = {"claims", "tests",    "factors", "gap",
	                                   "paths",  "counters", "versions"};
	const json_t *report = made_report(&plain);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_null(json_section(report, none[i]));
	assert_non_null(json_section(report, "results"));
}

static void damaged_counters_are_refused(void **state)
{
	static const char *const bad[][2] = {
	    {"\"issue_cpu_ns\":[90000,45000]", "\"issue_cpu_ns\":[90000]      "},
	    {"\"issue_cpu_ns\":[90000,45000]", "\"issue_cpu_ns\":[90000,\"x\"]  "},
	    {"\"missing\":\"\"", "\"missing\":17"},
	    {"\"dram_limit_gbs\":4800", "\"dram_limit_gbs\":\"no\""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct status st = {""};
		struct record_run run;
		bool torn;
		made.blocks = 1;
		made_write(&made);
		char *text = made_read("trials.jsonl"), *at = strstr(text, bad[i][0]);
		assert_non_null(at);
		FILE *out = fopen(made_path("trials.jsonl"), "w");
		assert_non_null(out);
		fprintf(out, "%.*s%s%s", (int)(at - text), text, bad[i][1],
		        at + strlen(bad[i][0]));
		fclose(out);
		assert_int_equal(record_load(made_folder, &run, &torn, &st), -1);
		made_says(st.text, "trials.jsonl:");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(the_rule_of_each_test, fresh),
	    cmocka_unit_test(swapping_left_and_right_changes_nothing),
	    cmocka_unit_test_setup(a_small_loss_has_its_own_word, fresh),
	    cmocka_unit_test_setup(a_regime_gives_the_sizes, fresh),
	    cmocka_unit_test_setup(probability_and_verdict_agree, fresh),
	    cmocka_unit_test_setup(a_family_is_corrected_for_its_size, fresh),
	    cmocka_unit_test_setup(verdicts_and_intervals_are_counted, fresh),
	    cmocka_unit_test_setup(a_claim_holds_fails_or_stays_open, fresh),
	    cmocka_unit_test_setup(direction_and_size_are_the_claims, fresh),
	    cmocka_unit_test_setup(what_cannot_be_tested_says_why, fresh),
	    cmocka_unit_test_setup(a_block_without_a_cell_is_left_out, fresh),
	    cmocka_unit_test_setup(counters_are_claimed_about, fresh),
	    cmocka_unit_test_setup(a_placebo_should_do_nothing, fresh),
	    cmocka_unit_test_setup(a_placebo_is_held_against_latency_too, fresh),
	    cmocka_unit_test_setup(a_factor_may_be_of_latency_alone, fresh),
	    cmocka_unit_test_setup(latency_has_a_column_where_it_is_judged, fresh),
	    cmocka_unit_test_setup(factors_stand_by_the_size_of_their_effect, fresh),
	    cmocka_unit_test_setup(a_factor_has_its_sizes_and_reasons, fresh),
	    cmocka_unit_test_setup(shares_add_up, fresh),
	    cmocka_unit_test_setup(only_what_is_beyond_the_margin_explains, fresh),
	    cmocka_unit_test_setup(a_row_does_not_contradict_itself, fresh),
	    cmocka_unit_test_setup(grey_says_what_it_is, fresh),
	    cmocka_unit_test_setup(factors_may_be_taken_back, fresh),
	    cmocka_unit_test_setup(what_does_not_chain_is_left, fresh),
	    cmocka_unit_test_setup(without_a_gap_there_are_no_shares, fresh),
	    cmocka_unit_test_setup(the_evidence_has_model_and_cache, fresh),
	    cmocka_unit_test_setup(copies_have_a_model_of_their_own, fresh),
	    cmocka_unit_test_setup(a_unit_is_no_cache, fresh),
	    cmocka_unit_test_setup(the_report_has_the_evidence, fresh),
	    cmocka_unit_test_setup(what_rests_on_another_path_is_marked, fresh),
	    cmocka_unit_test_setup(a_hint_has_the_ways_of_data, fresh),
	    cmocka_unit_test_setup(mixed_transports_are_told_by_pairs, fresh),
	    cmocka_unit_test_setup(what_is_received_has_a_column, fresh),
	    cmocka_unit_test_setup(medians_say_over_how_many_blocks, fresh),
	    cmocka_unit_test_setup(the_report_shows_it_all, fresh),
	    cmocka_unit_test_setup(p99_of_few_calls_is_refused, fresh),
	    cmocka_unit_test_setup(old_records_have_none_of_it, fresh),
	    cmocka_unit_test_setup(damaged_counters_are_refused, fresh),
	};
	return cmocka_run_group_tests(tests, made_begin, made_end);
}
