/* The parts of planning: variants, then the order of their trials. */
#ifndef LAUNCHGAP_PLAN_PARTS_H
#define LAUNCHGAP_PLAN_PARTS_H

#include "plan.h"

/* What is asked for and left out, a sentence for record and report; beyond PLAN_MAX_NOTES none.
 */
void plan_note(struct plan *plan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sizes of at least the largest over this are looked into by the counters. */
#define PLAN_LARGE 16
/* Of one trial: an hour of cells that take 5 ms. */
#define PLAN_MOST_CELLS 720000

/* Every cell, the arena that holds the largest, and notes on what is asked for and cannot be;
 * an error where nothing is left. */
int plan_cells_make(struct plan *plan, const char *backend, struct status *st);
/* The file's variants, resolved for nranks and for the backend that "auto" stands for. What
 * this machine cannot run is listed with why; what no machine could is an error. Cells that
 * the reference cannot run here are taken out, with a note; unless it can run none. */
int plan_variants_make(struct plan *plan, const char *backend,
                       const struct plan_machine *machine, struct status *st);
/* Fills skip where this machine cannot run a variant of the plan: what is missing first, first,
 * as a library is of no use without a GPU. `from` may be NULL. -1 only when memory is out. */
int plan_variant_try(const struct plan *plan, unsigned index, const struct spec_variant *from,
                     const struct plan_machine *machine, char *skip, size_t bytes);
/* Takes out the collectives and datatypes that the reference cannot run here, with notes; none
 * where it can run none. 1 where anything was taken out. */
int plan_narrow(struct plan *plan, unsigned reference, const struct plan_machine *machine,
                struct status *st);
/* That each factor differs in one setting, once the variants are made. */
int plan_claims_check(const struct plan *plan, struct status *st);
/* The reference's twin and the limit. An error where the reference itself is skipped. */
int plan_variants_accompany(struct plan *plan, const char *backend,
                            const struct plan_machine *machine, struct status *st);

/* Fills trials and ntrials, block by block, each block in an order of its own. */
int plan_order_trials(struct plan *plan, struct status *st);
/* The caller frees with trial_free. NULL: out of memory. */
struct trial *plan_order_trial(const struct plan *plan, unsigned cores, unsigned variant,
                               unsigned block, unsigned order);

#endif
