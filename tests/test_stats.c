/* Statistics against published figures, each with its source. */
#include "../harness/analysis/anova.h"
#include "../harness/trial/trial.h"
#include "noise.h"
#include "test.h"
#include "walsh.h"

/* Of the first n; the values keep their order. */
static double quantile(const double *x, size_t n, double p)
{
	double room[10];
	return stats_quantile(memcpy(room, x, n * sizeof *x), n, p);
}

static struct stats_interval interval(const double *x, size_t n)
{
	double room[10];
	return stats_quantile_interval(memcpy(room, x, n * sizeof *x), n, 0.5, 0.95);
}

TEST(quantiles_are_of_type_7)
{
	/* R: quantile(c(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)) is 1, 3.25, 5.5, 7.75, 10. */
	static const double x[] = {10, 1, 9, 2, 8, 3, 7, 4, 6, 5};
	assert_near(quantile(x, 10, 0), 1, 0);
	assert_near(quantile(x, 10, 0.25), 3.25, 1e-12);
	assert_near(quantile(x, 10, 0.5), 5.5, 1e-12);
	assert_near(quantile(x, 10, 0.75), 7.75, 1e-12);
	assert_near(quantile(x, 10, 1), 10, 0);
	assert_near(quantile(x, 10, 0.95), 9.55, 1e-12);
	assert_near(quantile(x, 1, 0.5), 10, 0);
	assert_true(isnan(quantile(x, 0, 0.5)));
}

/* Values that repeat, in any order: as sorting them gives it. */
TEST(quantiles_are_those_of_sorted_values)
{
	uint64_t seed = 11;
	double x[37], sorted[37];
	for (unsigned n = 1; n <= 37; n++)
		for (unsigned round = 0; round < 20; round++) {
			for (unsigned i = 0; i < n; i++)
				x[i] = sorted[i] = floor(9 * noise_normal(&seed));
			stats_sort(sorted, n);
			for (unsigned i = 0; i < n; i++)
				assert_near(stats_quantile(x, n, n > 1 ? i / (n - 1.) : 0),
				            sorted[i], 1e-9);
			stats_sort(x, n);
			assert_memory_equal(x, sorted, n * sizeof *x);
		}
}

/* Of the median of 10 values the 2nd and the 9th, of 6 the outermost, of 5 none (Hollander,
 * Wolfe and Chicken, table of the sign test: P(B ≤ 1) of 10 is 0.0107, P(B ≤ 2) 0.0547). */
TEST(quantiles_have_intervals)
{
	static const double x[] = {7, 1, 10, 3, 9, 2, 8, 4, 6, 5};
	double many[TRIAL_P99_CALLS];
	struct stats_interval i = interval(x, 10);
	assert_near(i.estimate, 5.5, 1e-12);
	assert_near(i.lo, 2, 0);
	assert_near(i.hi, 9, 0);
	i = interval(x, 6);
	assert_near(i.lo, 1, 0);
	assert_near(i.hi, 10, 0);
	i = interval(x, 5);
	assert_near(i.estimate, 7, 1e-12);
	assert_true(isnan(i.lo) && isnan(i.hi));
	assert_true(isnan(interval(x, 0).estimate));
	/* 0.99 to the 367th is 0.02502, to the 368th 0.02477: the reason for TRIAL_P99_CALLS.
	 */
	for (unsigned k = 0; k < TRIAL_P99_CALLS; k++)
		many[k] = k + 1;
	assert_true(isnan(stats_quantile_interval(many, 367, 0.99, 0.95).hi));
	assert_near(stats_quantile_interval(many, 368, 0.99, 0.95).hi, 368, 0);
	i = stats_quantile_interval(many, TRIAL_P99_CALLS, 0.99, 0.95);
	assert_true(i.lo < i.estimate && i.estimate < i.hi && i.hi <= TRIAL_P99_CALLS);
}

TEST(null_distribution_is_exact)
{
	/* Hollander, Wolfe and Chicken 2014, §3.1: for n = 3 each of the 8 sign patterns has
	 * probability 1/8, and T+ = 3 has two of them. */
	static const double three[] = {1, 2, 3, 5, 6, 7, 8};
	for (unsigned t = 0; t < LENGTH(three); t++)
		assert_near(stats_signed_rank_cdf(3, t), three[t] / 8, 0);
	for (unsigned n = 1; n <= 200; n++) {
		/* All signs negative is one pattern of 2^n; all of them positive likewise. */
		assert_near(stats_signed_rank_cdf(n, 0) * pow(2, n), 1, 1e-12);
		assert_near(1 - stats_signed_rank_cdf(n, n * (n + 1) / 2 - 1), pow(2, -(double)n),
		            1e-12);
		assert_near(stats_signed_rank_cdf(n, n * (n + 1) / 2), 1, 0);
		assert_near(stats_signed_rank_cdf(n, UINT32_MAX), 1, 0);
	}
	/* Symmetric about n(n+1)/4. */
	for (unsigned t = 0; t < 55; t++)
		assert_near(stats_signed_rank_cdf(10, t) + stats_signed_rank_cdf(10, 54 - t), 1,
		            1e-12);
	assert_true(isnan(stats_signed_rank_cdf(201, 5)));
}

TEST(critical_values_are_the_tables)
{
	/* Largest t with P(T+ <= t) <= 0.025 and <= 0.005. McCornack 1965, "Extended tables of
	 * the Wilcoxon matched pair signed rank statistic", JASA 60, 864-871 (two-sided 5 % and
	 * 1 %). */
	static const struct {
		unsigned n, five, one;
	} table[] = {{8, 3, 0},    {9, 5, 1},    {10, 8, 3},   {11, 10, 5},  {12, 13, 7},
	             {13, 17, 9},  {14, 21, 12}, {15, 25, 15}, {16, 29, 19}, {17, 34, 23},
	             {18, 40, 27}, {19, 46, 32}, {20, 52, 37}, {25, 89, 68}, {30, 137, 109}};
	for (size_t i = 0; i < LENGTH(table); i++) {
		assert_true(stats_signed_rank_cdf(table[i].n, table[i].five) <= 0.025);
		assert_true(stats_signed_rank_cdf(table[i].n, table[i].five + 1) > 0.025);
		assert_true(stats_signed_rank_cdf(table[i].n, table[i].one) <= 0.005);
		assert_true(stats_signed_rank_cdf(table[i].n, table[i].one + 1) > 0.005);
	}
	/* n = 6 is the least with a two-sided 5 % test, n = 5 has none. */
	assert_true(stats_signed_rank_cdf(6, 0) <= 0.025);
	assert_true(stats_signed_rank_cdf(5, 0) > 0.025);
}

static struct stats_ratio ratio_of(const double *left, const double *right, unsigned n,
                                   double confidence)
{
	double logs[201];
	assert_in_range(n, 0, 201);
	for (unsigned i = 0; i < n; i++)
		logs[i] = log(left[i] / right[i]);
	return stats_ratio_of_logs(scratch(), logs, n, confidence);
}

TEST(interval_is_the_textbooks)
{
	/* Hamilton depression scale factor IV before (x) and after (y) tranquillizer:
	 * Hollander, Wolfe and Chicken 2014, table 3.1; also R's example(wilcox.test), V = 40
	 * and p = 0.01953 one-sided. Estimate -0.46, interval (-0.786, -0.010) with 1 - 20/512
	 * confidence. Taken as log ratios, that is what a ratio has to be. */
	static const double x[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
	static const double y[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
	double left[9], right[9];
	for (int i = 0; i < 9; i++) {
		left[i] = exp(y[i]);
		right[i] = exp(x[i]);
	}
	struct stats_ratio r = ratio_of(left, right, 9, 0.95);
	assert_near(log(r.estimate), -0.46, 1e-9);
	assert_near(log(r.lo), -0.786, 1e-9);
	assert_near(log(r.hi), -0.010, 1e-9);
	assert_near(r.confidence, 1 - 20.0 / 512, 1e-12);
	assert_int_equal(r.blocks, 9);
	assert_near(1 - stats_signed_rank_cdf(9, 39), 0.01953125, 1e-12);
}

TEST(few_blocks_have_no_interval)
{
	double left[] = {1.1, 1.2, 1.3, 1.4, 1.5, 1.6}, right[] = {1, 1, 1, 1, 1, 1};
	for (unsigned n = 1; n < STATS_MIN_BLOCKS; n++) {
		struct stats_ratio r = ratio_of(left, right, n, 0.95);
		assert_true(r.estimate > 1);
		assert_true(isnan(r.lo) && isnan(r.hi) && isnan(r.confidence));
		assert_int_equal(r.blocks, n);
	}
	struct stats_ratio one = ratio_of(left, right, 1, 0.95);
	assert_near(one.estimate, 1.1, 1e-12);
	struct stats_ratio none = ratio_of(NULL, NULL, 0, 0.95);
	assert_true(isnan(none.estimate) && isnan(none.lo) && none.blocks == 0);
	/* At six it is from the least to the largest, with 1 - 2/64. */
	struct stats_ratio six = ratio_of(left, right, 6, 0.95);
	assert_near(six.lo, 1.1, 1e-12);
	assert_near(six.hi, 1.6, 1e-12);
	assert_near(six.confidence, 1 - 2.0 / 64, 1e-12);
	/* More confidence than six blocks can give. */
	six = ratio_of(left, right, 6, 0.99);
	assert_true(isnan(six.lo));
}

/* Any one value makes an end of the interval up to 11 values: 0.993 becomes 0.5 of 6. */
TEST(a_spoiled_value_makes_an_end)
{
	double logs[40];
	for (unsigned n = STATS_MIN_BLOCKS; n <= 40; n++) {
		unsigned spoiled = 0;
		for (unsigned i = 0; i < n; i++)
			logs[i] = 0.001 * i;
		while (spoiled < n) {
			logs[spoiled] = -1000;
			if (stats_ratio_of_logs(scratch(), logs, n, 0.95).lo < 0.5)
				break;
			spoiled++;
		}
		assert_int_equal(stats_withstands(&STATS_WALSH_OF(n), 0.95), spoiled);
		assert_int_equal(spoiled == 0, n < 12);
	}
	const double one[] = {log(0.5), log(0.993), log(0.997), 0, log(1.003), log(1.007)};
	assert_near(stats_ratio_of_logs(scratch(), one, 6, 0.95).lo, 0.5, 1e-9);
}

TEST(turning_a_ratio_round_inverts_it)
{
	double left[12], right[12];
	uint64_t seed = 3;
	for (int i = 0; i < 12; i++) {
		left[i] = exp(noise_normal(&seed));
		right[i] = exp(noise_normal(&seed));
	}
	struct stats_ratio a = ratio_of(left, right, 12, 0.95);
	struct stats_ratio b = ratio_of(right, left, 12, 0.95);
	assert_near(a.estimate * b.estimate, 1, 1e-12);
	assert_near(a.lo * b.hi, 1, 1e-12);
	assert_near(a.hi * b.lo, 1, 1e-12);
}

TEST(many_blocks_go_over_smoothly)
{
	/* The exact distribution ends at 200 pairs; the interval must not jump there. */
	static double left[220], right[220];
	uint64_t seed = 5;
	for (int i = 0; i < 220; i++) {
		left[i] = exp(0.01 * noise_normal(&seed));
		right[i] = 1;
	}
	struct stats_ratio exact = ratio_of(left, right, 200, 0.95);
	struct stats_ratio approximate = ratio_of(left, right, 201, 0.95);
	assert_near((approximate.hi - approximate.lo) / (exact.hi - exact.lo), 1, 0.03);
	assert_near(approximate.confidence, 0.95, 0.001);
}

/* With 6 blocks the interval is from the smallest to the largest of the blocks' own shares, as
 * the signed-rank interval is from the smallest to the largest value. */
TEST(a_share_is_fiellers_set)
{
	static const double whole[] = {0.10, 0.12, 0.09, 0.11, 0.10, 0.13},
	                    part[] = {0.07, 0.07, 0.06, 0.09, 0.08, 0.08};
	double rest[6], turned[2][6];
	struct stats_ratio r = stats_share(scratch(), part, whole, 6, 0.95);
	assert_near(r.lo, 0.07 / 0.12, 1e-12);
	assert_near(r.hi, 0.09 / 0.11, 1e-12);
	assert_true(r.lo < r.estimate && r.estimate < r.hi);
	assert_near(r.confidence, 1 - 2.0 / 64, 1e-12);
	for (int i = 0; i < 6; i++) {
		rest[i] = whole[i] - part[i];
		turned[0][i] = -part[i];
		turned[1][i] = -whole[i];
	}
	/* The rest has 1 less the share; with both negated the share is the same. */
	struct stats_ratio left = stats_share(scratch(), rest, whole, 6, 0.95);
	assert_near(left.estimate, 1 - r.estimate, 1e-12);
	assert_near(left.lo, 1 - r.hi, 1e-12);
	assert_near(left.hi, 1 - r.lo, 1e-12);
	left = stats_share(scratch(), turned[0], turned[1], 6, 0.95);
	assert_near(left.estimate, r.estimate, 1e-12);
	assert_near(left.lo, r.lo, 1e-12);
	assert_near(left.hi, r.hi, 1e-12);
	/* All of it is all, and of what may be nothing there is no share. */
	r = stats_share(scratch(), whole, whole, 6, 0.95);
	assert_true(r.lo == 1 && r.hi == 1 && r.estimate == 1);
	turned[1][0] = 0.1;
	assert_true(isnan(stats_share(scratch(), part, turned[1], 6, 0.95).estimate));
	assert_true(isnan(stats_share(scratch(), part, whole, 5, 0.95).estimate));
}

/* The test at each share is the signed-rank test of part − share × whole: its interval holds 0
 * inside the set and nowhere else, also where single blocks of the whole are below 0. */
TEST(a_share_is_what_the_test_allows)
{
	srand(7);
	for (int repeat = 0; repeat < 200; repeat++) {
		double part[10], whole[10], rest[10];
		for (int i = 0; i < 10; i++) {
			whole[i] = 0.5 + 2.0 * rand() / RAND_MAX - 0.8;
			part[i] = 0.6 * whole[i] + 1.0 * rand() / RAND_MAX - 0.5;
		}
		struct stats_ratio r = stats_share(scratch(), part, whole, 10, 0.95),
		                   all = stats_ratio_of_logs(scratch(), whole, 10, 0.95);
		assert_int_equal(isnan(r.lo), all.lo <= 1 && all.hi >= 1);
		if (isnan(r.lo))
			continue;
		const double at[] = {r.lo - 1e-6, r.lo + 1e-6, r.hi - 1e-6, r.hi + 1e-6};
		for (int k = 0; k < 4; k++) {
			for (int i = 0; i < 10; i++)
				rest[i] = part[i] - at[k] * whole[i];
			struct stats_ratio test = stats_ratio_of_logs(scratch(), rest, 10, 0.95);
			assert_int_equal(test.lo <= 1 && test.hi >= 1, k == 1 || k == 2);
		}
	}
}

TEST(values_far_off_do_not_move_the_shorth)
{
	double three[] = {0.3, 0.02, -0.4, 0.01, 0.03}, two[] = {1, 3}, one[] = {7};
	assert_near(stats_shorth(three, 5), 0.02, 1e-12);
	assert_near(stats_shorth(two, 2), 2, 1e-12);
	assert_near(stats_shorth(one, 1), 7, 0);
}

/* Quantiles of Student's t, as in any table. */
TEST(students_tails_are_the_tables)
{
	static const struct {
		unsigned df;
		double t, tail;
	} rows[] = {{1, 12.7062, 0.025},  {2, 4.30265, 0.025},  {5, 2.57058, 0.025},
	            {10, 3.16927, 0.005}, {19, 2.09302, 0.025}, {120, 1.65765, 0.05},
	            {7, 0, 0.5},          {4, -2.13185, 0.95}};
	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_near(stats_student_tail(rows[i].t, rows[i].df), rows[i].tail, 1e-6);
}

static const double hurdle = 0.0198; /* ln 1.02 */

TEST(what_was_chosen_is_corrected)
{
	const struct stats_ratio far = {1.30, 1.27, 1.33, 10, 0.951},
	                         near_by = {1.05, 1.022, 1.08, 10, 0.951},
	                         none = {1.05, 1.01, 1.09, 10, 0.951};
	struct stats_ratio e = stats_chosen(&far, hurdle);
	assert_near(e.estimate, far.estimate, 1e-4);
	assert_near(e.lo, far.lo, 1e-3);
	assert_near(e.hi, far.hi, 1e-4);
	/* Nearer to the hurdle, never short of it. */
	e = stats_chosen(&near_by, hurdle);
	assert_true(e.estimate < 1.045 && e.estimate >= exp(hurdle) - 1e-9);
	assert_true(e.lo >= exp(hurdle) - 1e-9 && e.lo <= e.estimate && e.estimate < e.hi);
	assert_true(e.hi <= near_by.hi);
	assert_int_equal(e.blocks, 10);
	/* A long upper side raises no lower end beyond the estimate, nor the estimate with it.
	 */
	const struct stats_ratio lopsided = {1.331, 1.170, 2.125, 6, 0.96875};
	struct stats_ratio most = stats_chosen(&lopsided, log(1.109));
	assert_near(most.estimate, 1.109, 1e-6);
	assert_near(most.lo, 1.109, 1e-6);
	/* Slower is the inverse of faster. */
	const struct stats_ratio slow = {1 / 1.05, 1 / 1.08, 1 / 1.022, 10, 0.951};
	struct stats_ratio turned = stats_chosen(&slow, hurdle);
	assert_near(turned.estimate, 1 / e.estimate, 1e-9);
	assert_near(turned.lo, 1 / e.hi, 1e-9);
	assert_near(turned.hi, 1 / e.lo, 1e-9);
	/* What was not chosen is as it was. */
	e = stats_chosen(&none, hurdle);
	assert_true(e.estimate == none.estimate && e.lo == none.lo && e.hi == none.hi);
	e = stats_chosen(&STATS_NO_RATIO, hurdle);
	assert_true(isnan(e.estimate));
}

/* A true 2.5 % with a scatter of 2 %: what is measured of those that are chosen, and what to
 * expect. SIMULATED.md has it at length. */
TEST(what_is_expected_is_true_on_the_mean)
{
	uint64_t seed = 9;
	double measured = 0, expected = 0;
	unsigned n = 0, held[2] = {0};
	for (int repeat = 0; repeat < 6000; repeat++) {
		double logs[10];
		for (int i = 0; i < 10; i++)
			logs[i] = log(1.025) + 0.02 * noise_normal(&seed);
		struct stats_ratio r = stats_ratio_of_logs(scratch(), logs, 10, 0.95);
		if (!(log(r.lo) > hurdle))
			continue;
		struct stats_ratio e = stats_chosen(&r, hurdle);
		n++;
		measured += r.estimate - 1.025;
		expected += e.estimate - 1.025;
		held[0] += r.lo <= 1.025;
		held[1] += e.lo <= 1.025 && e.hi >= 1.025;
	}
	assert_true(n > 400);
	assert_true(measured / n > 0.008);
	assert_true(fabs(expected / n) < 0.004);
	assert_true(held[0] < 0.85 * n);
	assert_true(held[1] > 0.9 * n);
}

/* Of one: Student's quartile. Of many it grows, and a value without an interval counts for none. */
TEST(the_largest_by_chance)
{
	const double t = 2.26216, quartile = 0.702722; /* 9 degrees of freedom */
	struct stats_ratio r[20];
	for (int i = 0; i < 20; i++)
		r[i] = (struct stats_ratio){1, exp(-0.01 * t), exp(0.01 * t), 10, 0.95};
	assert_near(stats_largest_by_chance(r, 1), 0.01 * quartile, 1e-7);
	double many = stats_largest_by_chance(r, 20), within = 1;
	for (int i = 0; i < 20; i++)
		within *= 1 - 2 * stats_student_tail(many / 0.01, 9);
	assert_near(within, 0.5, 1e-3);
	for (int i = 1; i < 20; i++)
		r[i] = STATS_NO_RATIO;
	assert_near(stats_largest_by_chance(r, 20), 0.01 * quartile, 1e-7);
	assert_near(stats_largest_by_chance(r + 1, 19), 0, 0);
}

static double two_sided(const double *x, unsigned n, double at)
{
	return stats_two_sided(walsh_tails(x, n, at));
}

/* Its table's least: 2 ÷ 2^n; and by counting sign patterns of 3 values with a sum of ranks of 0 or
 * 1. Beyond the interval's ends it is at most 5 %, and within them more. */
TEST(probabilities_and_intervals_agree)
{
	static const double few[] = {0.01, 0.02, -0.005};
	uint64_t seed = 8;
	unsigned excluded = 0;
	assert_near(two_sided(few, 3, -0.1), 2.0 / 8, 1e-12);
	assert_near(two_sided(few, 3, 0), 2 * 2.0 / 8, 1e-12);
	assert_near(two_sided(few, 3, 0.0075), 1, 1e-12);
	assert_true(isnan(two_sided(few, 0, 0)));
	assert_near(walsh_tails(few, 3, -0.1).over, 1.0 / 8, 1e-12);
	assert_near(walsh_tails(few, 3, -0.1).under, 1, 1e-12);
	assert_near(walsh_tails(few, 3, 0).over, 2.0 / 8, 1e-12);
	assert_near(walsh_tails(few, 3, 0).under, 7.0 / 8, 1e-12);
	for (unsigned run = 0; run < 3000; run++) {
		double x[250], at = 0.006 * noise_normal(&seed);
		unsigned n = run % 100 ? 4 + run % 20 : 250;
		for (unsigned i = 0; i < n; i++)
			x[i] = 0.01 * noise_normal(&seed);
		struct stats_ratio r = stats_ratio_of_logs(scratch(), x, n, 0.95);
		bool excludes = log(r.lo) > at || log(r.hi) < at;
		double p = two_sided(x, n, at);
		assert_int_equal(excludes, p <= 0.05);
		excluded += excludes;
		/* An end of the interval of 90 % is a bound of 95 % by itself. */
		const struct stats_ratio ends = stats_ratio_of_logs(scratch(), x, n, 0.9);
		const struct stats_tails one = walsh_tails(x, n, at);
		assert_int_equal(n >= 6 && log(ends.lo) > at, n >= 6 && one.over <= 0.05);
		assert_int_equal(n >= 6 && log(ends.hi) < at, n >= 6 && one.under <= 0.05);
		/* Turned round it is the same. */
		for (unsigned i = 0; i < n; i++)
			x[i] = -x[i];
		assert_near(two_sided(x, n, -at), p, 1e-12);
	}
	assert_in_range(excluded, 300, 2700);
}

/* Of two numbers a block: what the same one twice says is what one says; else an end excludes what
 * the probabilities do, and in that order. */
TEST(two_numbers_a_block_go_together)
{
	uint64_t seed = 9;
	unsigned excluded = 0;
	for (unsigned run = 0; run < 1000; run++) {
		double x[250], again[250], at = 0.006 * noise_normal(&seed);
		const unsigned n = run % 100 ? 6 + run % 20 : 250;
		for (unsigned i = 0; i < n; i++) {
			const double one = 0.01 * noise_normal(&seed);
			x[i] = one - 0.01 * noise_normal(&seed);
			again[i] = one - 0.01 * noise_normal(&seed);
		}
		const struct stats_walsh same = stats_walsh_of(scratch(), x, x, n),
		                         both = stats_walsh_of(scratch(), x, again, n),
		                         turned = stats_walsh_of(scratch(), again, x, n);
		const struct stats_ratio one = stats_ratio_of_logs(scratch(), x, n, 0.95),
		                         twice = stats_walsh_ratio(&same, 0.95),
		                         r = stats_walsh_ratio(&both, 0.95),
		                         back = stats_walsh_ratio(&turned, 0.95);
		assert_true(twice.lo == one.lo && twice.hi == one.hi);
		assert_true(twice.estimate == one.estimate && twice.confidence == one.confidence);
		assert_true(back.lo == r.lo && back.hi == r.hi);
		assert_true(r.confidence >= 0.95 && r.confidence < 0.98);
		const struct stats_tails p = stats_signed_rank_tails(&both, at);
		assert_int_equal(log(r.lo) > at, p.over <= 0.025);
		assert_int_equal(log(r.hi) < at, p.under <= 0.025);
		excluded += log(r.lo) > at || log(r.hi) < at;
	}
	assert_in_range(excluded, 100, 900);
}

/* Searle, Casella and McCulloch's expectations by hand: jobs of 2 and of 1 value. Within: 2 on
 * 1 degree. Between: 6, of which the within part is 1 × 2, on (3 − 5/3). */
TEST(unequal_counts_have_their_coefficients)
{
	const double y[] = {1, 3, 5};
	const unsigned keys[] = {0, 0, 0, 1, 1, 0}, single[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
	double v[3];
	anova_nested(y, keys, 3, 2, v);
	assert_true(fabs(v[0] - 3) < 1e-12 && fabs(v[1] - 2) < 1e-12);
	/* Each level below has one value: all scatter is the outermost level's. */
	anova_nested(y, single, 3, 3, v);
	assert_true(fabs(v[0] - 4) < 1e-12 && isnan(v[1]) && isnan(v[2]));
}
