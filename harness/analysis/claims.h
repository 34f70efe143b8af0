/* Claims with their verdicts. Pure.
 *
 * A claim uses one number per block, the log ratio left ÷ right over its cells (contrast.h), and
 * its exact 95 % signed-rank interval. With the claim's X:
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
 * Each has the exact two-sided probability of its decision: of less and more at the bound (and at
 * 1, the larger, if it is between the two); of within the larger of both bounds'. It is at most 5 %
 * exactly when the claim is decided. All tested claims but the primary one are a family: Holm's
 * adjustment (stats_holm) keeps to 5 % the chance that any of them is called wrongly. A claim that
 * is decided by itself but not in its family reads "(taken alone)". */
#ifndef LAUNCHGAP_CLAIMS_H
#define LAUNCHGAP_CLAIMS_H

#include "contrast.h"

/* CLAIMS_LITTLE: as claimed, by less than claimed. */
enum claims_outcome { CLAIMS_HOLD, CLAIMS_LITTLE, CLAIMS_FAIL, CLAIMS_UNDECIDED, CLAIMS_UNTESTED };

struct claims_result {
	const struct claim *claim; /* borrowed */
	enum claims_outcome outcome;
	struct contrast contrast; /* what it uses, or why it is untested */
	unsigned more_blocks;     /* undecided, as in struct verdict; 0: not by blocks */
	double detectable;        /* as in struct verdict; NaN if untested */
	double p;                 /* NaN where it is untested */
	double p_adjusted;        /* within its family; of the primary claim p itself */
	bool primary;
	bool alone; /* decided, and not within its family */
};

/* Sets primary, p_adjusted and alone. primary: a name, or "". */
void claims_family(struct claims_result *results, unsigned n, const char *primary);
/* The primary claim that was tested, or NULL. */
const struct claims_result *claims_primary(const struct claims_result *results, unsigned n);
/* How many verdicts hold up within the family, which the primary claim is not in. */
unsigned claims_confirmed(const struct claims_result *results, unsigned n);
/* Whether there is a verdict: holds, does not hold, or the outcome between them. */
bool claims_decided(const struct claims_result *result);

/* The rule above, for a test other than CLAIM_NEEDS. */
enum claims_outcome claims_decide(const struct stats_ratio *ratio, enum claim_test test, double by,
                                  unsigned *more_blocks);

/* The same for a run in which less than `line` (0.05: 5 %, the A/A line's end) is indistinguishable
 * from no effect. An effect beyond the line counts, and its interval refutes unchanged. Otherwise,
 * and for the claim to hold, an interval that is longer by the line at both ends has to pass the
 * claim's own bound. */
enum claims_outcome claims_decide_beyond(const struct stats_ratio *ratio, enum claim_test test,
                                         double by, double line);

struct claims_result claims_judge(const struct summary *summary, const struct claim *claim);

#endif
