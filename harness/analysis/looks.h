/* Looks: how often verdicts of a run could be seen before more of it was measured. Pure.
 *
 * Adding blocks until a verdict appears gives a wrong one more often than one in twenty. So each
 * look after the first widens the intervals: at look k their confidence is 1 − α ÷ k², with α = 5 %
 * (VERDICT_CONFIDENCE): 95, 98.75, 99.44 %.
 *
 *   a look     a session that goes on after its run's end, or that adds to the plan
 *   no look    a session that measures what was planned before the first block, as when a run
 *              was interrupted: the plan did not depend on what was seen
 *   no look    below 6 blocks: there is no interval, so there was no verdict to be seen
 *   no look    for an interval without a new block since: it is unchanged
 *
 * A run that stopped by its widths (`blocks = auto`) has α = 4 %: samples that scatter little
 * by chance stop early, so that 4 % err in about 5 %.
 *
 * The effect is simulated (verdict.h, SIMULATED.md): adding the blocks that verdicts ask for errs
 * in 3 to 7 %, instead of 7 to 13.
 *
 * Why α ÷ k²: the number of looks to come is unknown, so α is spent by look (Lan and DeMets 1983
 * spend it up to a planned end). The first look has all of α, as a run that is measured once. All
 * later ones together can add 3.2 % at most; halving α each time would add 5 %, and α ÷ k has no
 * bound. */
#pragma once

#include "../record/record.h"

#define LOOKS_MOST 32 /* later ones are not distinguished: α is a thousandth then */

struct looks {
	unsigned nplans;         /* times that blocks were added to what was planned */
	unsigned at[LOOKS_MOST]; /* blocks that the run had then, ascending */
	bool by_width;           /* the run stopped by its widths */
	unsigned n;              /* looks of an interval that has all blocks; at least 1 */
	unsigned first;          /* blocks at the first one */
	unsigned added;          /* after it */
	double confidence;       /* of such an interval: 0.95 is 95 % */
};

struct looks looks_count(const struct record_run *run);
/* The confidence of an interval from n blocks, their numbers in the record ascending. */
double looks_confidence(const struct looks *looks, const unsigned *blocks, unsigned n);
/* Whether a resumed session goes beyond what was planned before it. */
bool looks_adds(const struct record_run *run, unsigned resume);
