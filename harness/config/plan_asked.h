/* What an experiment asks, as its plan can answer it: the gap, the primary claim, factors; and
 * why nothing that is measured could answer one, told before the first trial by the rules by
 * which the analysis picks cells. */
#ifndef LAUNCHGAP_PLAN_ASKED_H
#define LAUNCHGAP_PLAN_ASKED_H

#include "plan.h"

/* How many settings the two variants of a factor differ in, and their keys; 1 and none where
 * one of them is not here. */
unsigned plan_factor_differ(const struct plan *plan, const struct factor *factor, char *keys,
                            size_t bytes);

/* The first of the gap's pairs of variants that are both measured here, else its first; with no
 * others. */
void plan_gap(const struct plan *plan, struct gap *out);

/* The first of the primary claims that is tested on variants that are measured here, else the
 * first; with no others. */
void plan_primary(const struct plan *plan, struct primary *out);

/* Why nothing that the plan measures could answer a claim, or tell a factor's effect; "" where
 * something could. Not why variants or counters are not here: that the record says. */
void plan_claim_why(const struct plan *plan, const struct claim *claim, char *why,
                    size_t bytes);
void plan_factor_why(const struct plan *plan, const struct factor *factor, char *why,
                     size_t bytes);

#endif
