/* What each factor does to bandwidth and latency, and the waterfall: how much of the gap they
 * explain. Pure. */
#ifndef LAUNCHGAP_FACTORS_H
#define LAUNCHGAP_FACTORS_H

#include "verdict.h"
#include "pairs.h"

struct factors_result {
	const struct factor *factor; /* borrowed */
	/* Of stream bandwidth to ÷ from, of latency (p50 of isolated calls) from ÷ to: above 1
	 * is faster in both. Either may not be judged (factors_judged). */
	struct verdict bandwidth, latency;
	unsigned ncells;           /* bandwidth's, or latency's where it is alone */
	struct claim_range sizes;  /* of those cells */
	char why[PAIRS_WHY_BYTES]; /* why neither is judged, or "" */
	bool astray;               /* one of its variants is (pairs_astray) */
};

/* Over the factor's sizes. Latency is not judged where ranks share cores (pairs_crowded). -1
 * only when memory is out. */
int factors_judge(const struct summary *summary, const struct factor *factor,
                  struct factors_result *out, struct status *st);
/* Whether one of the two has figures. */
bool factors_judged(const struct verdict *verdict);
/* "faster", "slower", "no difference", "undecided"; "" where it is not judged. */
const char *factors_word(const struct verdict *verdict);
/* One of a result's two verdicts in full, "-" where it is not judged; of a placebo also what it
 * means. What is true of the row stands with the first that is judged. */
void factors_verdict(const struct factors_result *result, const struct verdict *verdict,
                     char *text, size_t bytes);
/* The results' places, those with the largest effect first, in either direction: on bandwidth,
 * or on latency where that is alone. Behind them, in the order of the file, those that were not
 * measured. */
void factors_order(const struct factors_result *results, unsigned n, unsigned *order);
/* A placebo with an interval beyond the margin: the instrument, or the factor, is wrong. What
 * it acts on, "bandwidth", "latency" or "bandwidth and latency"; NULL: it does not. */
const char *factors_alarm(const struct factors_result *result);
/* A placebo of "no difference" in bandwidth, or in latency where that alone is judged, and no
 * effect on either. */
bool factors_proper(const struct factors_result *result);

#define WATERFALL_MAX_STEPS (2 * CLAIM_MAX + 1)

/* One step from a variant to another. */
struct waterfall_step {
	char name[TRIAL_NAME_BYTES + 16]; /* the factor's, or "rest" */
	bool rest, backwards;             /* backwards: the factor from its to to its from */
	bool placebo;
	unsigned from, to;       /* variants */
	double from_gbs, to_gbs; /* geometric means over blocks and cells */
	double log;              /* mean over blocks of ln(to ÷ from) */
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
	char why[PAIRS_WHY_BYTES]; /* why there is none, or what keeps shares away, or "" */
};

/* -1 only when memory is out. */
int waterfall_make(const struct summary *summary, const struct claim_list *asked,
                   struct waterfall *out, struct status *st);

#define WATERFALL_TEXT_BYTES PAIRS_WHY_BYTES
/* "zero-copy explains 97 % of the gap; left or undecided: 3 %", of many the largest; without
 * shares why there are none. */
void waterfall_say(const struct waterfall *waterfall, char *text, size_t bytes);

#endif
