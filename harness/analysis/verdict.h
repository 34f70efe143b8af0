// clang-format off
/* One number a block → one verdict. Pure functions.
 *
 * The number is a log ratio of speeds, ln(what is judged ÷ what it is judged against): of times
 * ln(time of the reference ÷ its time), of bandwidths ln(its bandwidth ÷ the reference's); over
 * several sizes their mean, which is the log of the geometric mean. Above 0 is faster.
 *
 * The interval is the exact signed-rank one around the Hodges–Lehmann estimate (stats.h), of 95 %
 * for one look at a run (looks.h). A margin of X = 0.02 reaches from ratio 1 ÷ 1.02 to 1.02, so
 * that inverting the ratio inverts the verdict and changes nothing else.
 *
 *   faster, slower         the interval is wholly beyond the margin
 *   slower, by under 2 %   it is wholly inside the margin, and excludes 1; the same with faster
 *   no difference          it is wholly inside the margin, and holds 1
 *   undecided              it holds an end of the margin; "undecided, probably slower" where it
 *                          excludes 1. With the blocks that a decision would take. These are
 *                          the width's: it shrinks as 1 ÷ √n (times Student's factor at few
 *                          blocks), until it no longer reaches from the estimate to the
 *                          nearer end of the margin. They are another look, so that what
 *                          shrinks is the wider interval of the second one (looks.h)
 *
 * The smallest effect that could have been seen: a true effect that is called beyond the margin in
 * 80 % of such runs is, in the log,
 *
 *   margin + half the interval's width × (1.96 + 0.84) ÷ 1.96
 *
 * as half the width is 1.96 standard errors and the estimate falls 0.84 of them or more short of
 * the truth in 20 % (Bloom, Minimum detectable effects, Evaluation Review 19, 1995). Where each end
 * of the interval is a bound by itself, 1.645 takes the place of 1.96. Simulated at 6 to 30 blocks,
 * that effect is called in 80 to 81 % with normal noise and in 74 to 84 % with the other kinds
 * below but the lopsided (tests/test_verdict.c has it in small).
 *
 * How often it errs: of simulated comparisons of two equal things, 40 000 a number, the per cent
 * that are called faster or slower at margin 0, the most that any margin gives
 * (tests/sim_false_alarms.c of commit 3e8f4f9f; two standard errors are 0.2). "says": what the
 * interval admits itself. Noise is one side's, in log time: normal; skewed (lognormal); Student's
 * t; spikes (every tenth block is off tenfold); lopsided: the ratio itself is skewed (exponential),
 * as when one side has a tail that the other has not.
 *
 * blocks                        says   normal   skewed  t, 3 df  t, 2 df   spikes lopsided
 * 6                             3.12     3.11     3.19     3.12     3.08     3.04     4.04
 * 8                             3.91     4.00     3.95     3.93     3.80     4.07     4.74
 * 10                            4.88     4.88     4.99     4.88     5.01     4.79     5.18
 * 15                            4.79     4.73     4.80     5.01     4.63     4.85     5.63
 * 20                            4.84     4.91     4.88     4.79     4.85     4.71     5.59
 * 30                            4.97     4.99     4.87     4.99     4.72     4.96     5.92
 *
 * Of equal things the ratio is symmetric whatever their noise, and a fixed number of blocks errs as
 * often as it says.
 *
 * Looking again: someone begins with 6 or 10 blocks and adds as many as the verdict asks for, up to
 * 60 (4000 a number, scatter 2 %). "equal": two equal things, until the interval excludes 1.
 * "margin": a true difference of just the margin, until it is called beyond or within. With and
 * without the correction of looks.h:
 *
 * equal, from 6, uncorrected             10.4      9.3      9.2      9.5      9.7     12.5
 * margin, from 6, uncorrected             9.4      7.8      7.7      7.4      8.2     12.5
 * equal, from 10, uncorrected            11.9     10.7     10.1      9.9     10.4     12.6
 * margin, from 10, uncorrected           11.6      8.9      8.9      8.1      8.5     12.7
 * equal, from 6                           5.0      4.8      4.5      5.2      5.0      6.2
 * margin, from 6                          4.0      3.4      3.1      3.3      3.6      6.2
 * equal, from 10                          7.0      7.0      6.2      6.0      6.2      7.3
 * margin, from 10                         6.4      5.1      4.7      4.1      4.3      7.3
 *
 * From 10 blocks the first look alone has 4.9 %, so that less than 5 in all cannot be had without a
 * cost for those who look only once. All of it holds for one verdict; SIMULATED.md has whole
 * reports. */
// clang-format on
#pragma once

#include <stdbool.h>

#include "stats.h"

#define VERDICT_CONFIDENCE 0.95 /* of one look; a summary says its own */
#define VERDICT_MOST_MORE  1000 /* blocks; beyond, reports only say "more than" */

/* To ask whether there is an effect, call the functions below: little counts as none. */
enum verdict_kind {
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_LITTLE_FASTER, /* "faster, by under 2 %" */
	VERDICT_LITTLE_SLOWER,
	VERDICT_NO_DIFFERENCE,
	VERDICT_UNDECIDED,
	VERDICT_KINDS
};

/* The one block that is far from all others, and alone sets an end of the interval. */
struct verdict_odd {
	unsigned block;       /* its number, from 1 on; 0: there is none */
	double ratio, lo, hi; /* its own; the others' least and most */
};

struct verdict {
	enum verdict_kind kind;
	struct stats_ratio ratio;
	double margin;          /* 0.02: 2 % */
	unsigned more_blocks;   /* undecided: about so many, 1 to VERDICT_MOST_MORE + 1; without
	                         an interval, until there is one; else 0 */
	double detectable;      /* the smallest effect that could have been seen: 0.06 is 6 %; NaN
	                         without an interval */
	struct verdict_odd odd; /* callers that have the blocks set it */
};

/* What an interval's confidence is of: both ends together, as a verdict's; or each by itself, as of
 * tests on one side. */
enum verdict_ends { VERDICT_BOTH_ENDS, VERDICT_ONE_END };

/* Of an interval of a ratio of speeds. */
enum verdict_kind verdict_kind_of(const struct stats_ratio *ratio, double margin);
/* faster, slower, undecided; within the margin: as fast. */
const char *verdict_effect_name(enum verdict_kind kind);
/* From a ratio with its interval, whatever its confidence; above 1 is faster. margin ≥ 0. */
struct verdict verdict_of(struct stats_ratio ratio, double margin);
/* Additional blocks until half the interval, at the next look, no longer reaches as far as `reach`
 * (a log) from the estimate, if that stays where it is; without an interval, until there is one. */
unsigned verdict_more_blocks(const struct stats_ratio *ratio, double reach, enum verdict_ends ends);
/* Whether even of two equal things VERDICT_MOST_MORE more blocks would leave it open: the scatter
 * is too wide for the margin, wherever the estimate is. */
bool verdict_scatters(const struct stats_ratio *ratio, double margin, enum verdict_ends ends);
/* The least margin that the whole interval is within, rounded up to two digits; NaN beyond 0.99,
 * and without an interval. */
double verdict_wide_margin(const struct stats_ratio *ratio);
/* The smallest effect that could have been seen beyond a margin; NaN without an interval. */
double verdict_detectable(const struct stats_ratio *ratio, double margin, enum verdict_ends ends);
/* 1: beyond the margin, faster; -1: slower; 0: neither. */
int verdict_beyond(const struct verdict *verdict);
/* Whether it is beyond the margin, either way. */
bool verdict_effect(const struct verdict *verdict);
/* Whether it is decided to be within the margin, whether or not it excludes 1. */
bool verdict_within(const struct verdict *verdict);
bool verdict_decided(const struct verdict *verdict);
/* 1, -1: the whole interval is above, below 1; 0: it holds 1, or there is none. */
int verdict_direction(const struct stats_ratio *ratio);
/* Of a block's log ratio, with the blocks' numbers, from 0 on, and their Walsh averages. */
struct verdict_odd verdict_find_odd(struct arena *arena, const double *log_ratios,
                                    const unsigned *blocks, const struct stats_walsh *of,
                                    double confidence);
