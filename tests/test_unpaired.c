/* The unpaired shift against published figures, each with its source. */
#include "../harness/compare/unpaired.h"
#include "test.h"
#include "scratch.h"

TEST(null_distribution_is_exact)
{
	/* Of the 20 orders of 3 and 3 values, U = 0, 1, … 9 has so many: Mann and Whitney 1947,
	 * "On a test of whether one of two random variables is stochastically larger than the
	 * other", Ann. Math. Stat. 18, 50-60, table I for n = 3 (.050, .100, .200, .350, .500).
	 */
	static const double up_to[] = {1, 2, 4, 7, 10, 13, 16, 18, 19, 20};
	double ways = 1;
	for (unsigned u = 0; u < LENGTH(up_to); u++)
		assert_near(unpaired_cdf(scratch(), 3, 3, u), up_to[u] / 20, 1e-15);
	for (unsigned n = 1; n <= 50; n++) {
		/* U = 0 is one order of C(2n, n). */
		ways *= (2.0 * n - 1) * 2 / n;
		assert_near(unpaired_cdf(scratch(), n, n, 0) * ways, 1, 1e-10);
		assert_near(unpaired_cdf(scratch(), n, 7, 7 * n), 1, 1e-12);
		assert_near(unpaired_cdf(scratch(), n, 7, UINT32_MAX), 1, 1e-12);
		assert_near(unpaired_cdf(scratch(), n, 7, n), unpaired_cdf(scratch(), 7, n, n),
		            1e-12);
	}
	/* Symmetric about mn/2. */
	for (unsigned u = 0; u < 60; u++)
		assert_near(unpaired_cdf(scratch(), 12, 5, u) +
		                unpaired_cdf(scratch(), 12, 5, 59 - u),
		            1, 1e-12);
}

TEST(critical_values_are_the_tables)
{
	/* Largest u with P(U <= u) <= 0.025 and <= 0.005. Milton 1964, "An extended table of
	 * critical values for the Mann-Whitney (Wilcoxon) two-sample statistic", JASA 59, 925-934
	 * (two-sided 5 % and 1 %); -1: none. */
	static const struct {
		unsigned m, n;
		int five, one;
	} table[] = {{3, 4, -1, -1},     {4, 4, 0, -1},    {3, 5, 0, -1},    {3, 6, 1, -1},
	             {5, 5, 2, 0},       {6, 6, 5, 2},     {7, 7, 8, 4},     {8, 8, 13, 7},
	             {9, 9, 17, 11},     {10, 10, 23, 16}, {12, 12, 37, 27}, {15, 15, 64, 51},
	             {20, 20, 127, 105}, {3, 10, 3, 0},    {5, 10, 8, 4},    {8, 20, 41, 30},
	             {10, 20, 55, 42}};
	for (size_t i = 0; i < LENGTH(table); i++) {
		unsigned m = table[i].m, n = table[i].n;
		const int worst[] = {table[i].five, table[i].one};
		const double tail[] = {0.025, 0.005};
		for (unsigned k = 0; k < 2; k++) {
			if (worst[k] >= 0)
				assert_true(unpaired_cdf(scratch(), m, n, (unsigned)worst[k]) <=
				            tail[k]);
			assert_true(unpaired_cdf(scratch(), m, n, (unsigned)(worst[k] + 1)) >
			            tail[k]);
		}
	}
}

TEST(interval_is_the_textbooks)
{
	/* Permeability of the human chorioamnion at term (x) and at 12 to 26 weeks (y):
	 * Hollander and Wolfe 1999, pages 110, 111 and 126; the same in R's exactRankTests,
	 * wilcox.exact(y, x, conf.int = TRUE): estimate -0.305, interval (-0.760, 0.150). */
	static const double x[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
	static const double y[] = {1.15, 0.88, 0.90, 0.74, 1.21};
	struct unpaired r = unpaired_shift(scratch(), y, 5, x, 10, 0.95);
	assert_near(r.shift, -0.305, 1e-9);
	assert_near(r.lo, -0.760, 1e-9);
	assert_near(r.hi, 0.150, 1e-9);
	/* Its tail: 60 of the C(15, 5) = 3003 orders on each side. */
	assert_near(r.confidence, 1 - 2 * 60.0 / 3003, 1e-12);
	struct unpaired turned = unpaired_shift(scratch(), x, 10, y, 5, 0.95);
	assert_near(turned.shift, 0.305, 1e-9);
	assert_near(turned.lo, -0.150, 1e-9);
	assert_near(turned.hi, 0.760, 1e-9);
	/* R, wilcox.test(x, y, alternative = "greater"): W = 35, p = 0.1272061272061. */
	assert_near(1 - unpaired_cdf(scratch(), 10, 5, 34), 0.1272061272061, 1e-12);
}

TEST(ties_do_no_harm)
{
	/* Reaction times under two stimulants: SAS/STAT, PROC NPAR1WAY, example "Hodges-Lehmann
	 * Estimation": rank sums 110.5 and 79.5, estimate 0.35, 98 % limits of Moses 0.00 and
	 * 0.82. */
	static const double one[] = {1.94, 1.94, 2.92, 2.92, 2.92, 2.92, 3.27,
	                             3.27, 3.27, 3.27, 3.70, 3.70, 3.74};
	static const double two[] = {3.27, 3.27, 3.27, 3.70, 3.70, 3.74};
	static const double same[] = {5, 5, 5, 5};
	struct unpaired r = unpaired_shift(scratch(), two, 6, one, 13, 0.98);
	assert_near(r.shift, 0.35, 1e-9);
	assert_near(r.lo, 0.00, 1e-9);
	assert_near(r.hi, 0.82, 1e-9);
	assert_true(r.confidence >= 0.98);
	r = unpaired_shift(scratch(), same, 4, same, 4, 0.95);
	assert_near(r.shift, 0, 0);
	assert_near(r.lo, 0, 0);
	assert_near(r.hi, 0, 0);
}

TEST(too_few_have_no_interval)
{
	static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	/* 3 and 5: 2 of 56 orders; 3 and 4: 2 of 35 are more than 5 %. Two values are too few by
	 * UNPAIRED_MIN, however many the other side has. */
	static const struct {
		unsigned m, n, lacks;
	} cases[] = {{3, 3, 1},  {3, 4, 1},  {4, 4, 0}, {3, 5, 0}, {1, 1, 3},
	             {2, 15, 1}, {0, 10, 3}, {0, 0, 4}, {15, 3, 0}};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		unsigned m = cases[i].m, n = cases[i].n;
		struct unpaired r = unpaired_shift(scratch(), x, m, x, n, 0.95);
		assert_int_equal(unpaired_lacks(scratch(), m, n, 0.95), cases[i].lacks);
		assert_int_equal(isnan(r.lo) != 0, cases[i].lacks > 0);
		assert_int_equal(isnan(r.hi) != 0, cases[i].lacks > 0);
		assert_int_equal(isnan(r.confidence) != 0, cases[i].lacks > 0);
		assert_int_equal(isnan(r.shift) != 0, m == 0 || n == 0);
	}
	/* Pairs that no memory is asked for. */
	assert_true(isnan(unpaired_shift(scratch(), x, 100000, x, 100000, 0.95).shift));
}

TEST(normal_joins_the_exact)
{
	double x[51], y[51];
	for (unsigned i = 0; i < 51; i++) {
		x[i] = i;
		y[i] = i + 0.5;
	}
	/* One value more and the normal distribution is used: the ends hardly move. */
	struct unpaired exact = unpaired_shift(scratch(), x, 50, y, 50, 0.95);
	struct unpaired normal = unpaired_shift(scratch(), x, 51, y, 51, 0.95);
	assert_near(normal.lo, exact.lo, 1);
	assert_near(normal.hi, exact.hi, 1);
	assert_near(normal.confidence, 0.95, 0.002);
	assert_near(unpaired_cdf(scratch(), 51, 51, 51 * 51 / 2), 0.5, 1e-9);
	/* The exact sum, made once by the same recursion without a limit: 0.0178388. */
	assert_near(unpaired_cdf(scratch(), 60, 60, 1400), 0.0178388, 0.0003);
}
