/* A family of tests, which are judged together: how many blocks it takes, and the correction of
 * claims. Pure.
 *
 * An exact signed-rank test of n blocks has a probability of sides ÷ 2^n at least, if all blocks are
 * on one side. Bonferroni's correction compares all of m probabilities with α ÷ m, and Holm's (Scand.
 * J. Statist. 6, 1979) the least. So none of m tests can be confirmed, however large the effects,
 * unless m × sides ÷ 2^n ≤ α.
 *
 * Claims have Bonferroni's. Either decision of a claim can be wrong, and a claim that one decision
 * took out of the family can still be called wrongly by the other: Holm's later steps give away what
 * that would need. More families err with them where two claims share a variant (SIMULATED.md), and
 * nothing shows that they keep to α. Bonferroni's errs in α at most, whatever claims share, as only one
 * decision of a claim is wrong. */
#ifndef LAUNCHGAP_FAMILY_H
#define LAUNCHGAP_FAMILY_H

#define FAMILY_ALPHA 0.05

/* Claims are tested on one side, what a search confirms on both. */
enum family_sides { FAMILY_ONE_SIDED = 1, FAMILY_TWO_SIDED = 2 };

/* Blocks from which n tests can be confirmed at all. alpha: the chance that any of them errs, of
 * which looks at the run leave less than FAMILY_ALPHA (analysis/looks.h). */
unsigned family_blocks(unsigned tests, enum family_sides sides, double alpha);

/* A claim's probability times their number, 1 at most; NaN stays. */
double family_p(double p, unsigned claims);

#endif
