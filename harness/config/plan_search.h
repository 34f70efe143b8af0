/* A search in a plan: which values of it can run here, its sets as variants, and how many
 * trials it takes. Its space and rounds are in search.h. */
#ifndef LAUNCHGAP_PLAN_SEARCH_H
#define LAUNCHGAP_PLAN_SEARCH_H

#include "plan.h"

/* The spec's search without what cannot run here, with notes; none where it has none. An error
 * is one that takes many trials and has no budget. */
int plan_search_make(struct plan *plan, const struct plan_machine *machine, struct status *st);
/* Adds a set as a variant, "set-7" by its number; it says why it is skipped where it cannot
 * run. -1: there is no room for it. */
int plan_search_add(struct plan *plan, const struct plan_machine *machine,
                    const struct search_set *set, unsigned number, struct status *st);
/* How often the finalists are measured: as often as `blocks` says, and as it takes to confirm
 * any. */
unsigned plan_search_blocks(const struct plan *plan);
/* Trials that it takes at most: of its screens, of narrowing down, of its confirmation; and
 * together. */
unsigned plan_search_trials(const struct plan *plan, unsigned *screen, unsigned *narrow,
                            unsigned *confirm);

#endif
