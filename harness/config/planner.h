/* From a spec to a plan for the machine that will run it. */
#ifndef LAUNCHGAP_PLANNER_H
#define LAUNCHGAP_PLANNER_H

#include "plan.h"

/* A file with its overrides, as spec_load reads it for the backend that it is for here, which
 * is learnt by reading it once before; why as of plan_backend. */
struct plan_source {
	const char *file;
	unsigned noverrides;
	char *const *overrides;
	spec_lookup_fn *lookup;
};
int plan_load(const struct plan_source *from, const struct plan_machine *machine,
              struct spec *out, char backend[TRIAL_NAME_BYTES], char *why, size_t why_bytes,
              struct status *st);

/* Every cell, the arena that holds the largest, and notes on what is asked for and cannot be;
 * the file's variants, each with why it is left out here; and the order of their trials. An
 * error is what no machine could run, or a reference that this one cannot. The caller frees
 * with plan_free. `seed` is used when the spec has none. */
int plan_make(const struct spec *spec, const struct plan_machine *machine, uint64_t seed,
              struct plan *out, struct status *st);

#endif
