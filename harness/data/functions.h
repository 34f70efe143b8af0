/* The statistics as functions of SQL. NULL is no value: aggregates omit it, and give it where
 * nothing is left.
 *
 *   median(x)        of numbers
 *   quantile(x, p)   p from 0 to 1; between two numbers by their distance (stats_quantile)
 *   ratio(x, block)  of the logarithms of one ratio, one a block, or two against both trials of
 *                    the reference: the estimate of Hodges and Lehmann, as a ratio (stats_walsh)
 *   pseudomedian(x)  the same estimate of differences
 *   share(part, whole)
 *                    which share of the whole is the part, both one a block (stats_share)
 *   chosen(x, block, hurdle)
 *                    what to expect of a ratio that was chosen for being beyond that logarithm
 *                    (stats_chosen). These four and median() have, with 'lo' or 'hi' after their
 *                    arguments, the end of an exact interval, or NULL of fewer than
 *                    STATS_MIN_BLOCKS: ratios at the confidence that looks leave to these blocks,
 *                    others at that of all looks, median(x, confidence, 'lo') at its own
 *   component(n, y, a, b, c, d)
 *                    the n-th variance of a, b in a, c in b, d in c; rows in order (anova.h)
 *   by_chance(lo, hi, blocks, confidence)
 *                    of ratios with their intervals: how far off, as a logarithm, the largest would
 *                    be by chance (stats_largest_by_chance)
 *   contrast(x, block, by, times)
 *                    ratio() with all that a claim of by and times asks, JSON (verdicts.h)
 *   pooled(ratio, lo, hi, blocks, confidence, by, times)
 *                    of several runs what they say together, as contrast(), with `scatter` between
 *                    runs and `next` (pooled.h)
 *   imbalance(root, ranks)
 *                    what the busiest rank gets ÷ the mean, of a mixture of experts (routing.h)
 *   trend(x)         of numbers in the order of their rows: how probable such a trend is by chance
 *                    (stats_trend_probability)
 *   beyond(x, block, at)
 *                    how probable so much or more is, if the ratio's logarithm is `at`
 *                    (stats_signed_rank_tails)
 *   verdict(lo, hi, margin)
 *                    of a ratio of speeds: faster, slower, as fast (within the margin), undecided
 *   detectable(lo, hi, margin)
 *                    the least effect that could have been seen (verdict_detectable)
 *   size(bytes)      "16 MiB"
 *   size(lo, hi)     "4 KiB to 64 KiB"; hi is missing or the largest number: "from 4 KiB up"
 *   shares(lo, hi)   "60 to 75 %" of 0.6 and 0.75
 *   shell_word(text) quoted, so that a shell reads it back as one word
 *   xml(text)        escaped for HTML and XML (markup.h)
 *   version(text)    22803 of 2.28.3; 0: it is none
 *   mean(x, nested)  the mean, geometric if any is nested; nothing if one is missing
 *   sign_test(k, n)  P(at least k of n) when each is as likely as not
 *   student(p, df)   the t of Student's distribution that is exceeded with probability p
 *   number(x), estimate(x), effect(x)   a number as sentences have it: 12.3, 0.987, 8.4 %
 *   estimate(x, lo, hi)   "1.05 (1.03 to 1.07)"; interval(x, lo, hi): "1.03 to 1.07" */
#pragma once

#include "../analysis/looks.h"

struct sqlite3;
/* looks: what the run's intervals are made for, kept as long; 0: one, 95 %. false: no memory. */
bool functions_add(struct sqlite3 *lite, struct looks *looks);
