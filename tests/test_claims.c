/* From records to answers: every verdict of a claim, and its form in a report. */
#include "made_claims.h"

#include "../harness/data/verdict_text.h"

/* With the same ends for both. */
static struct claims_ratio ratio(double lo, double estimate, double hi)
{
	const struct stats_ratio r = {estimate, lo, hi, 10, 0.95};
	return (struct claims_ratio){r, r};
}

TEST(the_rule_of_each_test)
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
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct claims_ratio r =
		    ratio(rows[i].lo, sqrt(rows[i].lo * rows[i].hi), rows[i].hi);
		unsigned more = 7;
		if (claims_decide(&r, rows[i].test, rows[i].by, &more) != rows[i].is)
			fail_msg("row %zu", i);
		assert_int_equal(more > 0, rows[i].is == CLAIMS_UNDECIDED);
	}
	/* Without an interval there is no verdict, but the blocks until there is one. */
	struct claims_ratio none = ratio(NAN, 0.5, NAN);
	unsigned more;
	none.bounds.blocks = 4;
	assert_int_equal(claims_decide(&none, CLAIM_LESS, 0.02, &more), CLAIMS_UNDECIDED);
	assert_int_equal(more, 2);
}

static void expect_open(enum claim_test test, double by, double lo, double hi, const char *words)
{
	struct claim claim = {.test = test, .by = by};
	struct claims_result r = {.claim = &claim, .outcome = CLAIMS_UNDECIDED, .detectable = NAN};
	r.tested = ratio(lo, sqrt(lo * hi), hi);
	r.ratio = r.tested;
	assert_int_equal(claims_decide(&r.tested, test, by, &r.more_blocks), CLAIMS_UNDECIDED);
	assert_string_equal(verdict_claim_text(scratch(), &r), words);
}

/* What decides a claim that more blocks would not. */
TEST(too_many_blocks_come_with_what_else_decides)
{
	expect_open(
	    CLAIM_WITHIN, 0.02, 1.0102, 1.0299,
	    "undecided, probably more: needs more than 1000 more blocks, or a margin of 3 %");
	expect_open(CLAIM_MORE, 0.02, 1.01, 1.0301,
	            "undecided, probably more: needs more than 1000 more blocks, or a limit other "
	            "than 1.020");
	expect_open(CLAIM_LESS, 0.02, 1 / 1.5, 1.5,
	            "undecided: needs more than 1000 more blocks: a quieter machine, or a limit "
	            "other than 0.980");
}

/* To hold is decided by the bounds, each by itself; within is refuted by both ends together. */
TEST(each_side_is_tested_by_its_own_interval)
{
	static const struct {
		enum claim_test test;
		double lo, hi, both_lo, both_hi;
		enum claims_outcome is;
	} rows[] = {
	    {CLAIM_LESS, 0.90, 0.979, 0.89, 0.99, CLAIMS_HOLD},
	    {CLAIM_LESS, 0.981, 1.1, 0.97, 1.2, CLAIMS_FAIL},
	    {CLAIM_LESS, 0.981, 0.999, 0.97, 1.01, CLAIMS_LITTLE},
	    {CLAIM_MORE, 1.021, 1.2, 1.01, 1.3, CLAIMS_HOLD},
	    {CLAIM_WITHIN, 0.981, 1.019, 0.97, 1.03, CLAIMS_HOLD},
	    {CLAIM_WITHIN, 1.021, 1.2, 1.019, 1.3, CLAIMS_UNDECIDED},
	    {CLAIM_WITHIN, 1.03, 1.2, 1.021, 1.3, CLAIMS_FAIL},
	    {CLAIM_WITHIN, 0.8, 0.979, 0.7, 0.981, CLAIMS_UNDECIDED},
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const double at = sqrt(rows[i].lo * rows[i].hi);
		const struct claims_ratio r = {{at, rows[i].lo, rows[i].hi, 10, 0.9},
		                               {at, rows[i].both_lo, rows[i].both_hi, 10, 0.95}};
		unsigned more;
		if (claims_decide(&r, rows[i].test, 0.02, &more) != rows[i].is)
			fail_msg("row %zu", i);
	}
}

/* Beyond an A/A line of 10 %: a refuted claim stays so; to hold takes the claim's own bound. */
TEST_WITH(a_wide_line_leaves_what_is_refuted, NULL, NULL)
{
	static const struct {
		enum claim_test test;
		double by, lo, hi;
		enum claims_outcome is;
	} rows[] = {
	    {CLAIM_LESS, 0.02, 8.5, 9.9, CLAIMS_FAIL},
	    {CLAIM_LESS, 0.02, 1.09, 1.2, CLAIMS_FAIL},
	    {CLAIM_LESS, 0.02, 0.99, 1.2, CLAIMS_UNDECIDED},
	    {CLAIM_LESS, 0.02, 0.8, 0.89, CLAIMS_HOLD},
	    {CLAIM_LESS, 0.02, 0.8, 0.9, CLAIMS_UNDECIDED},
	    {CLAIM_LESS, 0.5, 0.4, 0.65, CLAIMS_UNDECIDED},
	    {CLAIM_LESS, 0.5, 0.4, 0.6, CLAIMS_HOLD},
	    {CLAIM_MORE, 0.02, 0.1, 0.2, CLAIMS_FAIL},
	    {CLAIM_MORE, 0.9, 1.4, 1.78, CLAIMS_LITTLE},
	    {CLAIM_MORE, 0.3, 1.02, 1.2, CLAIMS_UNDECIDED},
	    {CLAIM_MORE, 0.9, 1.02, 1.2, CLAIMS_FAIL},
	    {CLAIM_WITHIN, 0.02, 1.3, 1.48, CLAIMS_FAIL},
	    {CLAIM_WITHIN, 0.02, 1.03, 1.05, CLAIMS_UNDECIDED},
	    {CLAIM_WITHIN, 0.02, 0.99, 1.01, CLAIMS_UNDECIDED},
	    {CLAIM_WITHIN, 0.2, 0.95, 1.05, CLAIMS_HOLD},
	};
	const struct claims_ratio none = ratio(NAN, 0.5, NAN), there = ratio(8, 9, 10);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const struct claims_ratio r = ratio(rows[i].lo, rows[i].lo, rows[i].hi);
		if (claims_decide_beyond(&r, rows[i].test, rows[i].by, 0.1) != rows[i].is)
			fail_msg("row %zu", i);
	}
	assert_int_equal(claims_decide_beyond(&none, CLAIM_LESS, 0.02, 0.1), CLAIMS_UNDECIDED);
	assert_int_equal(claims_decide_beyond(&there, CLAIM_LESS, 0.02, NAN), CLAIMS_UNDECIDED);
}

/* Left and right, less and more swapped: the same outcome, by the same blocks. */
TEST_WITH(swapping_left_and_right_changes_nothing, NULL, NULL)
{
	unsigned seen[CLAIMS_UNTESTED] = {0};
	for (unsigned run = 0; run < 6000; run++) {
		static const enum claim_test back[] = {CLAIM_MORE, CLAIM_LESS, CLAIM_WITHIN};
		const enum claim_test test = (enum claim_test)(run % 3);
		double at = 0.04 * made_noise(run, 0, 0),
		       half = 0.02 + 0.02 * made_noise(run, 1, 0);
		struct claims_ratio there = ratio(exp(at - half), exp(at), exp(at + half)),
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

/* The probability decides as the interval does, at the bound of each test.
 * Of cells that disagree there is no ratio, and nothing is decided. */
TEST(probability_and_verdict_agree)
{
	static const enum claim_test tests[] = {CLAIM_LESS, CLAIM_MORE, CLAIM_WITHIN};
	static const char *const outcomes[] = {"holds", "little", "fails", "undecided"};
	unsigned seen[LENGTH(outcomes)] = {0};
	noise = 0.04;
	for (unsigned run = 0; run < 15; run++) {
		asked.nclaims = 0;
		for (unsigned t = 0; t < 3; t++)
			for (unsigned by = 1; by < 8; by++)
				claim(METRIC_BUSBW, tests[t], 0.01 * by);
		speed[2] = 0.9 + 0.01 * run;
		made.blocks = 6 + run % 5;
		find();
		assert_string_equal(says_sql("SELECT count(*) FROM claimed "
		                             "WHERE (outcome <> 'undecided') <> (p <= 0.05) "
		                             "AND (ratio NOT NULL OR outcome <> 'undecided')"),
		                    "0");
		/* An end beyond the bound decides; of 95 % it is only where that of 90 % is. */
		assert_string_equal(
		    says_sql(
		        "SELECT count(*) FROM claimed WHERE outcome = 'undecided' AND "
		        "CASE kind WHEN 'less' THEN ratio_hi * (1 + by) < 1 OR ratio_lo * (1 + "
		        "by) > 1 WHEN 'more' THEN ratio_lo > 1 + by OR ratio_hi < 1 + by "
		        "ELSE ratio_lo * (1 + by) > 1 AND ratio_hi < 1 + by OR ratio_lo > 1 + by "
		        "OR ratio_hi * (1 + by) < 1 END"),
		    "0");
		for (unsigned i = 0; i < LENGTH(outcomes); i++)
			seen[i] += (unsigned)query_number(
			    found, test_text("SELECT count(*) FROM claimed WHERE outcome = '%s'",
			                     outcomes[i]));
		done();
	}
	for (unsigned i = 0; i < LENGTH(outcomes); i++)
		assert_true(seen[i] > 0);
}

/* 9 blocks with the same sign have a probability of 1 ÷ 2^9, enough among 25 and not among 26. */
TEST(a_family_is_corrected_for_its_size)
{
	const double least = 1.0 / 512;
	made.blocks = 9;
	speed[2] = 0.9;
	for (unsigned others = 25; others < 27; others++) {
		asked.nclaims = 0;
		for (unsigned i = 0; i <= others; i++)
			claim(METRIC_BUSBW, CLAIM_LESS, 0.02);
		strcpy(claim(METRIC_BUSBW, CLAIM_NEEDS, 0)->needs, "2 nodes");
		strcpy(asked.primary, "c3");
		const json_t *report = made_report(&made);
		const json_t *primary = json_claim(report, "c3"), *other = json_claim(report, "c4");
		json_assert_text(primary, "verdict", "holds");
		assert_true(json_is_true(json_at(primary, "primary")));
		json_assert_number(primary, "p", least, 1e-6);
		json_assert_number(primary, "p_adjusted", least, 1e-6);
		json_assert_text(other, "verdict", others == 25 ? "holds" : "holds (taken alone)");
		assert_null(strstr(made_read("report.md"), "**holds (taken alone)"));
		assert_true(json_is_false(json_at(other, "primary")));
		json_assert_number(other, "p", least, 1e-6);
		json_assert_number(other, "p_adjusted", others * least, 1e-6);
		json_assert_null(json_claim(report, others == 25 ? "c27" : "c28"), "p");
		json_says(
		    report, "answer",
		    "'It is | so.' (tested: below 0.980) holds. Bus bandwidth of processes-old");
		const json_t *said = json_section(report, "claims");
		json_assert_one_says(said, "The primary claim, c3: holds. ");
		json_assert_one_says(said,
		                     others == 25 ? "25 further claims" : "26 further claims");
		json_assert_one_says(said, others == 25 ? "confirms 25 of the 25"
		                                        : "confirms 0 of the 26");
	}
	/* Without a primary one all are a family. */
	asked.primary[0] = '\0';
	json_says(made_report(&made), "claims", "27 claims, tested at 5 % each");
	find();
	assert_near(claim_number(2, "p_adjusted"), 27 * least, 1e-9);
	done();
	/* One beside the primary one has nothing to be corrected for. */
	asked.nclaims = 2;
	strcpy(asked.primary, "c1");
	const json_t *said = json_section(made_report(&made), "claims");
	json_assert_one_says(said, "1 further claim, tested at 5 %.");
	assert_false(json_one_says(said, "Bonferroni"));
	asked.primary[0] = '\0';
	/* One alone is none. */
	asked.nclaims = 1;
	find();
	assert_string_equal(claim_says(0, "alone"), "0");
	done();
	json_lacks(made_report(&made), "claims", "by chance");
}

/* Nine times what is claimed to be less, with an A/A line that is off by more than the margin.
 */
TEST(a_run_that_tells_little_refutes_what_is_far_off)
{
	noise = isolated_noise = 0.1;
	speed[2] = 0.11;
	claim(METRIC_LATENCY, CLAIM_LESS, 0.02);
	claim(METRIC_LATENCY, CLAIM_WITHIN, 0.02);
	claim(METRIC_LATENCY, CLAIM_MORE, 0.02);
	find_in(true);
	assert_string_equal(says_sql("SELECT tells FROM regime WHERE name = 'small'"), "0");
	claim_is(0, "fails");
	claim_is(1, "fails");
	claim_is(2, "holds");
	done();
}

static void untested(const char *why)
{
	find();
	claim_is(0, "untested");
	assert_says(claim_says(0, "why"), why);
	assert_string_equal(claim_says(0, "ratio"), "-");
	done();
}

TEST(what_cannot_be_tested_says_why)
{
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

TEST(a_block_without_a_cell_is_left_out)
{
	claim(METRIC_BUSBW, CLAIM_LESS, 0.02);
	speed[2] = 0.9;
	lacks_block = 3;
	find();
	assert_string_equal(claim_says(0, "ratio_blocks"), "9");
	claim_is(0, "holds");
	done();
}

/* 135 µs in 3 rows of 30, of both ranks. */
TEST(cores_that_launch_are_claimed_about)
{
	claim(METRIC_ISSUE_CORES, CLAIM_WITHIN, 0.01);
	find();
	claim_is(0, "holds");
	assert_near(claim_number(0, "left_value"), 1.5, 1e-9);
	done();
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
