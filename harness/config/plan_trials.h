/* The trials of a plan: who runs when, and each one's cells. */
#ifndef LAUNCHGAP_PLAN_TRIALS_H
#define LAUNCHGAP_PLAN_TRIALS_H

#include "plan.h"

/* Sizes of at least the largest over this are looked into by the counters. */
#define PLAN_LARGE 16

/* Fills trials and ntrials, block by block, each block in an order of its own. A search has
 * none yet: what a block holds follows from those before it. */
int plan_order_trials(struct plan *plan, struct status *st);
/* Adds a block of these variants, in an order of its own; `order` is that of its first trial.
 */
int plan_add_block(struct plan *plan, unsigned block, unsigned order, const unsigned *variants,
                   unsigned n, struct status *st);
/* A trial of a variant, whether or not it is among the plan's. The caller frees with
 * trial_free. NULL: out of memory. */
struct trial *plan_order_trial(const struct plan *plan, unsigned cores, unsigned variant,
                               unsigned block, unsigned order);
/* The order for one trial: its cells in the block's shuffled order, the same for all variants
 * of the block. The caller frees with trial_free. */
struct trial *plan_trial(const struct plan *plan, const struct plan_machine *machine,
                         unsigned index, struct status *st);

/* The order for the path's pass of a variant: a few calls of each collective at its largest
 * size. */
struct trial *plan_path_trial(const struct plan *plan, const struct plan_machine *machine,
                              unsigned variant, unsigned order, struct status *st);
/* For the pass show: one call of each collective on a few readable numbers. */
struct trial *plan_show_trial(const struct plan *plan, const struct plan_machine *machine,
                              unsigned variant, struct status *st);

#endif
