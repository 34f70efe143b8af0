/* Statistics: pure functions on doubles. Sources are named at each. */
#pragma once

#include <math.h>
#include <stddef.h>

struct arena;

void stats_sort(double *x, size_t n);
/* Reorders x. p in [0, 1], type 7 of Hyndman and Fan 1996 (R's default). NaN when n is 0. */
double stats_quantile(double *x, size_t n, double p);
double stats_median(double *x, size_t n);
/* The mean of the half of the values that are closest together (Andrews et al., Robust Estimates of
 * Location, 1972): others do not move it. It sorts x, which has one value or more. */
double stats_shorth(double *x, size_t n);

/* A quantile with its interval; lo and hi are NaN if one of them is beyond all values. */
struct stats_interval {
	double estimate, lo, hi;
};

#define STATS_NO_INTERVAL ((struct stats_interval){NAN, NAN, NAN})

/* stats_quantile, and the exact interval of order statistics (binomial; Hollander, Wolfe and
 * Chicken 2014, §3.6, for the median; Hahn and Meeker 1991, §5.2): it assumes nothing of the
 * distribution but that values are independent. Sorts x. */
struct stats_interval stats_quantile_interval(double *x, size_t n, double p, double confidence);

/* A ratio with its interval; lo and hi are NaN when there are too few blocks for one. */
struct stats_ratio {
	double estimate, lo, hi;
	unsigned blocks;
	double confidence; /* attained, at least the asked one; NaN without an interval */
};

#define STATS_NO_RATIO ((struct stats_ratio){NAN, NAN, NAN, 0, NAN})

#define STATS_MIN_BLOCKS 6 /* below, no 95 % signed-rank interval is finite */

/* The Walsh averages of one number a block: the means of each pair of them, a number with itself
 * included. Or of two, where a block's one side has two trials: x and again are the log ratios to
 * either, and each average is there for each choice of one of them. The ratio to their mean would
 * be skewed where their noise is, and called different in 6 to 16 % of equal things
 * (SIMULATED.md); to each it is symmetric. */
struct stats_walsh {
	const double *averages; /* sorted */
	size_t count;
	unsigned n, copies; /* of each pair: 1, or 4 */
	double narrow;      /* by this the statistic is narrower than with one of the two */
};

/* Of n blocks, without the numbers. */
#define STATS_WALSH_OF(n) ((struct stats_walsh){NULL, 0, (n), 1, 1})

/* again: NULL, or where a block has one trial the same as x. In the arena. */
struct stats_walsh stats_walsh_of(struct arena *arena, const double *x, const double *again,
                                  unsigned n);

/* Hodges–Lehmann estimate of log ratios, the median of their Walsh averages (Hodges and Lehmann
 * 1963), and the Wilcoxon signed-rank interval (Hollander, Wolfe and Chicken 2014, §3.3), back on
 * the ratio's scale. It is exact with one number a block. n = 0: all NaN. */
struct stats_ratio stats_walsh_ratio(const struct stats_walsh *of, double confidence);
/* The same of one number a block. Here and below, the arena is for scratch. */
struct stats_ratio stats_ratio_of_logs(struct arena *arena, const double *logs, unsigned n,
                                       double confidence);

/* Which share of `whole` is `part`: both one number a block, of the same blocks. All shares that
 * the signed-rank test of part − share × whole does not reject: Fieller's set (Fieller 1954) with
 * that test in Student's place, so that it is exact wherever the noise is symmetric. The estimate
 * is the share at which half of the Walsh averages are on either side of 0. The estimates of part
 * and of whole − part add up to 1. All NaN below STATS_MIN_BLOCKS and if the interval of `whole`
 * does not exclude 0: the set has no end then. */
struct stats_ratio stats_share(struct arena *arena, const double *part, const double *whole,
                               unsigned n, double confidence);

/* What to expect of a ratio that was chosen because its interval is beyond ±hurdle (a log): such
 * ratios are the lucky ones and overstate (the winner's curse). The signed-rank interval moves with
 * the estimate, so that at given distances of the blocks from it the choice depends on the estimate
 * alone: it is beyond hurdle + (estimate − lo). That truncated distribution, with Student's tails
 * as wide as the interval, gives the median-unbiased estimate and the interval of the attained
 * confidence (Zhong and Prentice 2008; Weinstein, Fithian and Benjamini 2013). None of them is
 * short of the hurdle, as the choice itself says. Far beyond it they equal what was measured; an
 * interval that is not beyond is returned unchanged. */
struct stats_ratio stats_chosen(const struct stats_ratio *ratio, double hurdle);

/* How far off (a log, either way) the largest of n estimates is in one run of two if all ratios are
 * 1. They are taken as independent, with Student's tails as wide as their intervals. Those without
 * an interval are omitted; 0 if all are. */
double stats_largest_by_chance(const struct stats_ratio *ratios, unsigned n);

/* P(T > t) of Student's t (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4). df >= 1. */
double stats_student_tail(double t, unsigned df);
/* The t with that tail, at most a half. */
double stats_student_quantile(double tail, unsigned df);
/* The standard error of an estimate, a log, as its interval has it; NaN without one. */
double stats_ratio_error(const struct stats_ratio *ratio);

/* P(T+ ≤ t) of the signed-rank statistic under its null, n pairs, no ties; n ≤ 200. */
double stats_signed_rank_cdf(unsigned n, unsigned t);

/* How many blocks may be anywhere before they alone set an end of the interval of
 * stats_walsh_ratio: with one number a block 0 up to 11 blocks at 95 %, 1 from 12 on. */
unsigned stats_withstands(const struct stats_walsh *of, double confidence);

/* The one-sided probabilities of the signed-rank statistic where the numbers are symmetric about
 * `at`: small if they are under it, or over it. One of them is at most (1 − confidence) ÷ 2 exactly
 * when the interval of stats_walsh_ratio excludes `at` on that side, as both count Walsh averages.
 * Normal beyond 200 blocks, as that is. NaN without any. */
struct stats_tails {
	double under, over;
};
struct stats_tails stats_signed_rank_tails(const struct stats_walsh *of, double at);

/* Two-sided: twice the smaller one. */
double stats_two_sided(struct stats_tails tails);

/* Kendall's test of x against its own order (Mann 1945; Hollander, Wolfe and Chicken 2014,
 * §8.1): the two-sided probability of a count of rising less falling pairs at least so far from
 * 0 when the order means nothing. Exact up to 150 values, normal beyond. A tie counts as
 * neither, which makes the test milder. 1 for fewer than 3. */
double stats_trend_probability(const double *x, unsigned n);

/* P(at least k of n) when each is as likely as not: the sign test, one-sided. */
double stats_sign_probability(unsigned k, unsigned n);
