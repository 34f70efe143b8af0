/* The cells of a plan: what is called, at which sizes, and what of it cannot be. */
#ifndef LAUNCHGAP_PLAN_CELLS_H
#define LAUNCHGAP_PLAN_CELLS_H

#include "plan.h"

/* For a plan whose ranks are known: its cells, the model of a step of training, the arena that
 * holds the largest cell, and notes on what is asked for and cannot be. */
int plan_cells_make(struct plan *plan, const char *backend, struct status *st);

#endif
