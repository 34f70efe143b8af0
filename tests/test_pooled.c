/* Several runs' ratios as one: the definitions, and what the intervals hold. */
#include "../harness/analysis/pooled.h"
#include "noise.h"
#include "scratch.h"
#include "test.h"

/* --- made-up runs of one experiment that scatter around a truth: what their intervals hold --- */

#define REPEATED_BLOCKS 10
#define REPEATED_MOST   6
#define REPEATED_ERROR  0.01 /* of a block */

struct repeated_covers {
	unsigned all, normal, next; /* intervals that hold it; normal: DerSimonian and Laird's */
};

/* Whether 0 is in the interval of DerSimonian and Laird (Controlled Clinical Trials 7, 1986). */
static bool repeated_normal(const struct stats_ratio *runs, unsigned n)
{
	double w = 0, ww = 0, wy = 0, q = 0, all = 0, mean = 0;
	for (unsigned i = 0; i < n; i++) {
		const double one = 1 / pow(stats_ratio_error(&runs[i]), 2);
		w += one;
		ww += one * one;
		wy += one * log(runs[i].estimate);
	}
	for (unsigned i = 0; i < n; i++)
		q += pow(log(runs[i].estimate) - wy / w, 2) / pow(stats_ratio_error(&runs[i]), 2);
	const double between = fmax(0, (q - (n - 1)) / (w - ww / w));
	for (unsigned i = 0; i < n; i++) {
		const double one = 1 / (pow(stats_ratio_error(&runs[i]), 2) + between);
		all += one;
		mean += one * log(runs[i].estimate);
	}
	return fabs(mean / all) <= 1.96 / sqrt(all);
}

/* Runs of REPEATED_BLOCKS blocks around truths that scatter around 0 by `scatter` times the error
 * of a run's mean. */
static struct repeated_covers repeated_cover(enum noise noise, unsigned n, double scatter,
                                             unsigned repeats, uint64_t seed)
{
	const double between = scatter * REPEATED_ERROR / sqrt(REPEATED_BLOCKS);
	struct repeated_covers c = {0, 0, 0};
	for (unsigned k = 0; k < repeats; k++) {
		struct stats_ratio runs[REPEATED_MOST];
		for (unsigned i = 0; i < n; i++) {
			double logs[REPEATED_BLOCKS];
			const double truth = between * noise_normal(&seed);
			for (unsigned b = 0; b < REPEATED_BLOCKS; b++)
				logs[b] = truth + REPEATED_ERROR * noise_log_ratio(noise, &seed);
			runs[i] = stats_ratio_of_logs(scratch(), logs, REPEATED_BLOCKS, 0.95);
		}
		const struct pooled p = pooled_of(runs, n, 0.95);
		const double next = exp(between * noise_normal(&seed));
		c.all += p.ratio.lo <= 1 && p.ratio.hi >= 1;
		c.normal += repeated_normal(runs, n);
		c.next += p.next.lo <= next && p.next.hi >= next;
	}
	return c;
}

static struct stats_ratio run(double log, double error)
{
	const double half = error * stats_student_quantile(0.025, 9);
	return (struct stats_ratio){exp(log), exp(log - half), exp(log + half), 10, 0.95};
}

static const struct stats_ratio none = STATS_NO_RATIO;

/* A run's standard error comes back from its interval. */
TEST(an_interval_gives_its_error)
{
	const struct stats_ratio r = run(-0.2, 0.01);
	assert_near(stats_ratio_error(&r), 0.01, 1e-9);
	assert_true(isnan(stats_ratio_error(&none)));
}

/* Equal runs scatter by nothing: the interval is Student's of k runs, and narrower than one's. */
TEST(runs_that_agree_are_one)
{
	struct stats_ratio runs[4];
	for (unsigned i = 0; i < 4; i++)
		runs[i] = run(-0.1, 0.01);
	const struct pooled p = pooled_of(runs, 4, 0.95);
	assert_int_equal(p.runs, 4);
	assert_near(p.scatter, 0, 0);
	assert_near(log(p.ratio.estimate), -0.1, 1e-12);
	assert_near(p.error, 0.005, 1e-9);
	assert_near(log(p.ratio.hi), -0.1 + 3.182446 * 0.005, 1e-6);
	assert_near(log(p.bounds.lo), -0.1 - 2.353363 * 0.005, 1e-6);
	assert_near(log(p.next.hi), -0.1 + 4.302653 * 0.005, 1e-6);
	assert_int_equal(p.ratio.blocks, 40);
	assert_near(p.ratio.confidence, 0.95, 1e-12);
	assert_near(p.bounds.confidence, 0.9, 1e-12);
}

/* Paule and Mandel's equation, with weights worked out here; runs of unequal errors. */
TEST(scatter_solves_its_equation)
{
	static const double y[] = {-0.21, -0.15, -0.24, -0.18}, s[] = {0.005, 0.01, 0.004, 0.02};
	struct stats_ratio runs[5];
	double weights = 0, mean = 0, distance = 0;
	for (unsigned i = 0; i < 4; i++)
		runs[i < 2 ? i : i + 1] = run(y[i], s[i]);
	runs[2] = none; /* changes nothing */
	const struct pooled p = pooled_of(runs, 5, 0.95);
	assert_int_equal(p.runs, 4);
	const double between = log1p(p.scatter);
	assert_true(between > 0.01);
	for (unsigned i = 0; i < 4; i++) {
		const double w = 1 / (s[i] * s[i] + between * between);
		weights += w;
		mean += w * y[i];
	}
	mean /= weights;
	for (unsigned i = 0; i < 4; i++)
		distance += (y[i] - mean) * (y[i] - mean) / (s[i] * s[i] + between * between);
	assert_near(distance, 3, 1e-6);
	assert_near(log(p.ratio.estimate), mean, 1e-9);
	assert_near(log(p.ratio.hi), mean + 3.182446 / sqrt(weights), 1e-6);
	assert_near(log(p.next.hi), mean + 4.302653 * sqrt(between * between + 1 / weights), 1e-6);
	/* Larger errors leave less to scatter. */
	for (unsigned i = 0; i < 4; i++)
		runs[i] = run(y[i], 20 * s[i]);
	assert_near(pooled_of(runs, 4, 0.95).scatter, 0, 0);
}

TEST(few_runs_say_little)
{
	struct stats_ratio runs[2] = {run(-0.1, 0.001), none};
	struct pooled p = pooled_of(runs, 2, 0.95);
	assert_int_equal(p.runs, 1);
	assert_true(isnan(p.ratio.lo) && isnan(p.scatter) && isnan(pooled_tails(&p, 0).over));
	assert_near(log(p.ratio.estimate), -0.1, 1e-12);
	runs[1] = run(-0.1, 0.001);
	p = pooled_of(runs, 2, 0.95);
	assert_near(log(p.ratio.hi) + 0.1, 12.7062 * 0.001 / sqrt(2), 1e-6);
	assert_true(isnan(p.next.lo));
	assert_int_equal(pooled_of(runs, 0, 0.95).runs, 0);
	/* Blocks that are all the same, as of counts. */
	runs[0] = runs[1] = (struct stats_ratio){2, 2, 2, 10, 0.95};
	p = pooled_of(runs, 2, 0.95);
	assert_near(p.ratio.lo, 2, 1e-6);
	runs[1] = (struct stats_ratio){3, 3, 3, 10, 0.95};
	p = pooled_of(runs, 2, 0.95);
	assert_near(log(p.ratio.estimate), log(6) / 2, 1e-6);
	assert_true(p.ratio.lo < 2 && p.ratio.hi > 3);
}

/* A bound excludes what its probability does. */
TEST(probabilities_go_with_bounds)
{
	uint64_t seed = 3;
	unsigned excluded = 0;
	for (unsigned k = 0; k < 500; k++) {
		struct stats_ratio runs[5];
		const unsigned n = 2 + k % 4;
		for (unsigned i = 0; i < n; i++)
			runs[i] = run(0.02 * noise_normal(&seed), 0.01);
		const struct pooled p = pooled_of(runs, n, 0.95);
		const struct stats_tails at = pooled_tails(&p, 0.01);
		assert_near(at.under + at.over, 1, 1e-9);
		assert_int_equal(log(p.bounds.lo) > 0.01, at.over < 0.05);
		assert_int_equal(log(p.bounds.hi) < 0.01, at.under < 0.05);
		excluded += at.under < 0.05;
	}
	assert_in_range(excluded, 20, 400);
}

/* A part of the table in SIMULATED.md; three standard deviations. */
TEST(intervals_hold_the_truth)
{
	const unsigned repeats = 400;
	const double least = repeats * 0.95 - 3 * sqrt(repeats * 0.95 * 0.05);
	for (unsigned runs = 3; runs <= 5; runs++) {
		const struct repeated_covers c = repeated_cover(NOISE_NORMAL, runs, 1, repeats, 9);
		assert_true(c.all >= least);
		assert_true(c.next >= least);
	}
	assert_true(repeated_cover(NOISE_NORMAL, 3, 1, repeats, 9).normal < least);
}
