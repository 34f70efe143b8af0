/* The statistics as functions of SQL. NULL is no value: aggregates leave it out, and give it where
 * nothing is left.
 *
 *   median(x)        of numbers
 *   quantile(x, p)   p from 0 to 1; between two numbers by their distance (stats_quantile)
 *   ratio(x, block)  of the logarithms of one ratio, one a block: the estimate of Hodges and Lehmann, back on
 *                    the ratio's scale (stats_ratio_of_logs)
 *   ratio_lo(x, block), ratio_hi(x, block)
 *                    the ends of its exact signed-rank interval, at the confidence that looks leave to these
 *                    blocks; NULL of fewer than STATS_MIN_BLOCKS
 *   trend(x)         of numbers in the order of their rows: how probable such a trend is by chance
 *                    (stats_trend_probability)
 *   withstands(n)    so many of n values do not set an end of an interval (stats_withstands)
 *   size(bytes)      "16 MiB"
 *   COLLATE version  2.9 before 2.28
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
