/* Whether a series goes one way: pure functions on doubles. */
#ifndef LAUNCHGAP_TREND_H
#define LAUNCHGAP_TREND_H

/* Kendall's test of x against its own order (Mann 1945; Hollander, Wolfe and Chicken 2014,
 * §8.1): the two-sided probability of a count of rising less falling pairs at least so far from
 * 0 when the order means nothing. Exact up to 150 values, normal beyond. A tie counts as
 * neither, which makes the test milder. 1 for fewer than 3; NaN when memory is out. */
double trend_probability(const double *x, unsigned n);

/* The median of the slopes of all pairs, per step (Theil 1950, Sen 1968). n >= 2; NaN when
 * memory is out. */
double trend_slope(const double *x, unsigned n);

/* P(at least k of n) when each is as likely as not: the sign test, one-sided. */
double trend_sign_probability(unsigned k, unsigned n);

#endif
