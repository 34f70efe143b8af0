/* The shift between two samples that are not paired. Pure.
 *
 * Blocks of one run are paired, for their trials ran within minutes of each other (stats.h).
 * Trials of two runs are not: block 3 of one has nothing to do with block 3 of the other. */
#pragma once

/* Below, one disturbed trial is half of a sample or all of it, and no interval is given. */
#define UNPAIRED_MIN 3

struct arena;

/* lo and hi are NaN when there are too few values for an interval; all are NaN when a sample
 * is empty, or beyond 4096 × 4096 pairs. */
struct unpaired {
	double shift, lo, hi;
	double confidence; /* attained; NaN without an interval */
};

/* Hodges–Lehmann estimate of x − y, the median of all m × n differences, with the interval that the
 * rank-sum test of Mann, Whitney and Wilcoxon gives (Hollander, Wolfe and Chicken 2014, §4.2 and
 * §4.3): exact up to 50 values a side, so that the attained confidence is at least the asked one;
 * beyond 50 by the normal distribution. Without ties it is R's wilcox.test(x, y, conf.int = TRUE);
 * ties make it conservative. Here and below, the arena is for scratch. */
struct unpaired unpaired_shift(struct arena *arena, const double *x, unsigned m, const double *y,
                               unsigned n, double confidence);

/* How many values each side lacks for an interval; 0 when there is one. */
unsigned unpaired_lacks(struct arena *arena, unsigned m, unsigned n, double confidence);

/* P(U ≤ u) of the number of pairs with x > y under the null, no ties. */
double unpaired_cdf(struct arena *arena, unsigned m, unsigned n, unsigned u);
