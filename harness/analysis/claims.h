/* Claims with their verdicts. Pure.
 *
 * A claim uses one number per block, the log ratio left ÷ right over its cells, and exact
 * signed-rank tests. less and more are tested on one side: each end of their interval is a bound of
 * 95 % by itself, so that both are the interval of 90 %. within holds by two such tests, one at
 * each end (TOST; Schuirmann, J. Pharmacokin. Biopharm. 15, 1987), and is refuted on either side,
 * by the interval of 95 %. With the claim's X:
 *
 *             holds                      less, by under X          does not hold
 *   less      below 1 ÷ (1 + X)          between that and 1        else above 1 ÷ (1 + X)
 *   within    from 1 ÷ (1 + X) to 1 + X                            wholly outside
 *
 * within X of Y is within X of the ratio ÷ Y.
 *
 * more is less with left and right swapped: 1 + X in place of 1 ÷ (1 + X). Otherwise it is
 * undecided, with the smallest effect that could have been seen and the blocks that a decision
 * would take (verdict.h). Below 6 blocks it always is, because there is no interval.
 *
 * Each has the exact probability of its decision: of less and more at the bound, on the side of the
 * decision (and at 1, the larger, if it is between the two); of within that holds the larger of
 * both bounds', of one that does not twice the outer bound's. It is at most 5 % exactly when the
 * claim is decided; of an undecided one it is the smaller of both. Of a claim and its opposite only
 * one can be called wrongly, so that both decisions together err in 5 % at most, and the smaller
 * probability is no choice that would have to be paid for (Finner and Strassburger, Ann. Statist.
 * 30, 2002).
 *
 * All tested claims but the primary one are a family: Bonferroni's correction keeps to 5 % the
 * chance that any of them is called wrongly, whatever variants they share. A claim that is decided
 * by itself but not in its family reads "(taken alone)". Which families can be confirmed at all:
 * config/family.h. */
#pragma once

#include "../config/claim.h"
#include "verdict.h"

/* CLAIMS_LITTLE: as claimed, by less than claimed. */
enum claims_outcome { CLAIMS_HOLD, CLAIMS_LITTLE, CLAIMS_FAIL, CLAIMS_UNDECIDED, CLAIMS_UNTESTED };

/* A claim's ratio, as a multiple of what it expects. */
struct claims_ratio {
	struct stats_ratio bounds; /* each end by itself: at 95 % the interval of 90 % */
	struct stats_ratio both;   /* both ends together */
};

/* Exact one-sided probabilities, if the ratio is 1 ÷ (1 + X), 1, 1 + X: at most 5 % exactly when
 * that end of `bounds` excludes it (stats_signed_rank_tails). With several looks at a run they grow
 * by the factor by which the looks reduce the 5 % (looks.h). */
struct claims_tails {
	struct stats_tails less, one, more;
};

struct claims_result {
	const struct claim *claim; /* borrowed */
	struct claims_ratio ratio; /* left ÷ right */
	struct verdict_odd odd;    /* of that */
	bool opposed;              /* a cell is not as the outcome says: the mean says nothing */
	struct claims_tails tails;
	/* From here on claims_judge sets it. */
	enum claims_outcome outcome;
	struct claims_ratio tested;
	unsigned more_blocks; /* undecided, as in struct verdict; 0: not by blocks */
	double detectable;    /* as in struct verdict */
	double p;
};

/* The ratio with the interval that decided: of a within that does not hold both ends. */
const struct stats_ratio *claims_interval(const struct claims_result *result);

/* The rule above, for a test other than CLAIM_NEEDS. */
enum claims_outcome claims_decide(const struct claims_ratio *ratio, enum claim_test test, double by,
                                  unsigned *more_blocks);

/* The same for a run in which less than `line` (0.05: 5 %, the A/A line's end) is indistinguishable
 * from no effect. An effect beyond the line counts, and its interval refutes unchanged. Otherwise,
 * and for the claim to hold, an interval that is longer by the line at both ends has to pass the
 * claim's own bound. */
enum claims_outcome claims_decide_beyond(const struct claims_ratio *ratio, enum claim_test test,
                                         double by, double line);

/* By its ratio and its tails. line: as above, where the run distinguishes no less; 0: it does; NaN:
 * nothing. */
void claims_judge(struct claims_result *result, double line);
