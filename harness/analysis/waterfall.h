/* The waterfall: how much of the gap the factors explain. Pure. */
#ifndef LAUNCHGAP_WATERFALL_H
#define LAUNCHGAP_WATERFALL_H

#include "contrast.h"

#define WATERFALL_MAX_STEPS (2 * CLAIM_MAX + 1)

/* One step from a variant to another. */
struct waterfall_step {
	char name[TRIAL_NAME_BYTES + 16]; /* the factor's, or "rest" */
	bool rest, backwards;             /* backwards: the factor from its to to its from */
	bool placebo;
	unsigned from, to;       /* variants */
	double from_gbs, to_gbs; /* geometric means over blocks and cells */
	double log;              /* mean over blocks of ln(to ÷ from) */
	double ratio;            /* e to that */
	double share;            /* of the gap: 0.5 is a half; NaN where there is no gap */
	/* to ÷ from; undecided as well where estimate and mean point two ways: at_odds. */
	struct verdict verdict;
	bool at_odds;
	bool counts; /* as explaining: a factor, no placebo, and faster or slower */
};

/* From gap.from to gap.to over factors, one after the other. Each step is taken over the gap's
 * cells in the blocks that hold all of its variants, so that the logs add up to the gap's. The
 * way is the shortest over factors taken in either direction, of equals the one whose factors
 * stand first; a factor that is the gap itself explains nothing and is left out. Where no way
 * leads through, those from both ends are followed as far as they go, and what lies between is
 * the rest; unless that is no less than the gap, which is left whole then.
 *
 * Shares add up to 1 by arithmetic wherever a way closes, noise included. So a step explains
 * only if its own interval lies beyond the margin and it is no placebo; what all others come to
 * is left or undecided. */
struct waterfall {
	unsigned nsteps; /* 0: none, see why */
	struct waterfall_step steps[WATERFALL_MAX_STEPS];
	struct verdict gap; /* bandwidth of gap.to ÷ gap.from; above the margin or below: */
	double log;         /* mean over blocks of its log */
	double explained; /* share of the gap that the steps that count make up; NaN: no gap */
	unsigned ncells, nblocks;
	char why[CONTRAST_WHY_BYTES]; /* why there is none, or what keeps shares away, or "" */
};

/* -1 only when memory is out. */
int waterfall_make(const struct summary *summary, const struct claim_list *asked,
                   struct waterfall *out, struct status *st);

#define WATERFALL_TEXT_BYTES CONTRAST_WHY_BYTES
/* "zero-copy explains 97 % of the gap; left or undecided: 3 %", of many the largest; without
 * shares why there are none. */
void waterfall_say(const struct waterfall *waterfall, char *text, size_t bytes);

#endif
