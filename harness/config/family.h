/* A family of tests, which are judged together: how many blocks it takes, and the correction of
 * claims. Pure.
 *
 * An exact signed-rank test of n blocks on one side has a probability of 1 ÷ 2^n at least, if all
 * blocks are on that side. Bonferroni's correction compares all of m probabilities with α ÷ m, so
 * that none of m tests can be confirmed, however large the effects, unless m ÷ 2^n ≤ α. It errs in
 * α at most, whatever the tests share, also for claims, of which one decision is wrong. */
#pragma once

#include <math.h>

#include "claim.h"

#define FAMILY_ALPHA 0.05

/* Blocks from which n tests can be confirmed at all. alpha: the chance that any of them errs, of
 * which looks at the run leave less than FAMILY_ALPHA (analysis/looks.h). */
static inline unsigned family_blocks(unsigned tests, double alpha)
{
	unsigned n = CLAIM_BLOCKS;
	while (ldexp(tests, -(int)n) > alpha)
		n++;
	return n;
}
