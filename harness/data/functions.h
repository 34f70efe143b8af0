/* The statistics as functions of SQL. NULL is no value: aggregates leave it out, and give it where
 * nothing is left.
 *
 *   median(x)        of numbers
 *   quantile(x, p)   p from 0 to 1; between two numbers by their distance (stats_quantile)
 *   deviation(x)     1.4826 × the median absolute deviation: of normal noise its standard deviation
 *   trend(x), slope(x)  of numbers in their order: how rarely chance gives such a trend, and the change
 *                    from one to the next
 *   withstands(n, c) how many of n differences may be anything without an end of their interval at confidence c
 *   component(n, y, a, b, c, d)  the n-th variance of a, b in a, c in b and d in c, of rows in the order
 *                    of these (anova.h)
 *   ratio(x, block)  of the logarithms of one ratio, one a block: the estimate of Hodges and Lehmann, back on
 *                    the ratio's scale (stats_ratio_of_logs)
 *   ratio_lo(x, block), ratio_hi(x, block)
 *                    the ends of its exact signed-rank interval, at the confidence that looks leave to these
 *                    blocks; NULL of fewer than STATS_MIN_BLOCKS
 *   size(bytes)      "16 MiB"
 *   version(text)    22803 of 2.28.3; 0: it is none
 *   student(p, df)   the t of Student's distribution that is exceeded with probability p
 *   in_line(json)    a list or an object in a line, "name=NVIDIA H200, pci=…; name=…"; empty texts are
 *                    left out, numbers have four digits, other values are as they are */
#ifndef LAUNCHGAP_FUNCTIONS_H
#define LAUNCHGAP_FUNCTIONS_H

#include <stdbool.h>

#include "../analysis/looks.h"

struct sqlite3;
/* looks: those that the run's intervals are made for, which lives as long as they; zeros: one, 95 %.
 * false: out of memory. */
bool functions_add(struct sqlite3 *lite, struct looks *looks);

#endif
