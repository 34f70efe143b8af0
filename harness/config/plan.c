#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
#include "plan_parts.h"

#define AUTO_MIN_RANKS 2 /* below, nothing is collective */
#define CORES_MIN_RANKS 16 /* whatever the cores: that many get through */
#define AUTO_MAX_RANKS 8 /* where only cores limit: one node's worth, as GPU machines have */

unsigned plan_capacity(const struct plan_machine *machine, const char *backend,
                       struct status *st)
{
	if (machine->imagined && !strcmp(machine->imagined, backend))
		return machine->imagined_ranks;
	return machine->capacity(backend, st);
}

const char *plan_backend(const struct spec *spec, const struct plan_machine *machine, char *why,
                         size_t why_bytes)
{
	const char *first = NULL;
	char reason[512] = "";
	snprintf(why, why_bytes, "%s", "");
	if (strcmp(spec->backend, "auto"))
		return spec->backend;
	for (const struct backend *const *b = backend_table; *b; b++) {
		if (!(*b)->is.carries_data)
			continue;
		struct status st = {""};
		unsigned ranks = plan_capacity(machine, (*b)->name, &st);
		if (ranks >= AUTO_MIN_RANKS) {
			if (first)
				snprintf(why, why_bytes, "measuring backend %s, because %s %s",
				         (*b)->name, first, reason);
			return (*b)->name;
		}
		if (first)
			continue;
		first = (*b)->name;
		if (ranks)
			snprintf(reason, sizeof reason,
			         "has room for 1 rank here and a collective needs %d",
			         AUTO_MIN_RANKS);
		else
			snprintf(reason, sizeof reason, "has nothing to run on: %.400s",
			         st.text[0] ? st.text : "no device");
	}
	return "host";
}

static int ranks_resolve(struct plan *plan, const char *backend,
                         const struct plan_machine *machine, struct status *st)
{
	const struct spec *spec = plan->spec;
	struct status why = {""};
	unsigned capacity = plan_capacity(machine, backend, &why);
	if (capacity == 0)
		return status_set(st, "%s: backend %s has nothing to run on here: %s",
		                  spec->file, backend, why.text[0] ? why.text : "no device");
	if (spec->ranks > capacity)
		return status_set(
		    st,
		    "%s: ranks = %u, but backend %s has room for %u here; allowed is 1 "
		    "to %u, or auto",
		    spec->file, spec->ranks, backend, capacity, capacity);
	unsigned room = machine->cores * spec->ranks_per_core;
	room = room > CORES_MIN_RANKS ? room : CORES_MIN_RANKS;
	if (spec->ranks > room && capacity == UINT_MAX)
		return status_set(
		    st,
		    "%s: ranks = %u on %u core%s, where each that waits spins; allowed are %u "
		    "here, ranks_per_core = %u. To measure it all the same, say ranks_per_core "
		    "= %u",
		    spec->file, spec->ranks, machine->cores, machine->cores == 1 ? "" : "s", room,
		    spec->ranks_per_core, (spec->ranks + machine->cores - 1) / machine->cores);
	if (spec->ranks) {
		plan->nranks = spec->ranks;
		return 0;
	}
	if (capacity == UINT_MAX) {
		capacity = machine->cores < AUTO_MAX_RANKS ? machine->cores : AUTO_MAX_RANKS;
		capacity = capacity > AUTO_MIN_RANKS ? capacity : AUTO_MIN_RANKS;
	}
	if (capacity < AUTO_MIN_RANKS)
		return status_set(
		    st,
		    "%s: ranks = auto, but backend %s has room for 1 here and a "
		    "collective needs %d; allowed is another backend, or ranks = 1",
		    spec->file, backend, AUTO_MIN_RANKS);
	plan->nranks = capacity < SPEC_MAX_RANKS ? capacity : SPEC_MAX_RANKS;
	return 0;
}

/* Whether the library of the variant at n was looked at: when each was spread (spec_each.c), or
 * with a variant above. Reading a version starts a child. */
static bool library_seen(const struct spec *spec, unsigned n)
{
	unsigned i = 0;
	while (i < n &&
	       strcmp(spec->variants[i].settings.nccl, spec->variants[n].settings.nccl))
		i++;
	return i < n || spec->variants[n].several;
}

/* A library that is named and not there is a mistake, not a reason to leave a variant out. */
static int libraries_check(const struct spec *spec, struct status *st)
{
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct spec_variant *v = &spec->variants[i];
		struct status why = {""};
		char version[32];
		if (!v->settings.nccl[0] || library_seen(spec, i) ||
		    !backend_library(v->settings.nccl, version, sizeof version, &why))
			continue;
		return status_set(st,
		                  "%s:%u: variant %s: nccl%s%s: %s; allowed is a "
		                  "libnccl.so.2's file",
		                  spec_file(spec, v->at), v->at.line, v->name,
		                  v->variable[0] ? ", from the variable " : "", v->variable,
		                  why.text);
	}
	return 0;
}

int plan_make(const struct spec *spec, const struct plan_machine *machine, uint64_t seed,
              struct plan *out, struct status *st)
{
	char why[512];
	struct plan *plan = calloc(1, sizeof *plan);
	if (!plan)
		return status_set(st, "out of memory for the plan");
	plan->spec = spec;
	plan->seed = spec->seed ? spec->seed : seed;
	const char *backend = plan_backend(spec, machine, why, sizeof why);
	int rc = -1;
	if (spec->only[0])
		plan_note(plan, "%s", spec->only);
	if (!backend_find(backend)) {
		status_set(st, "%s: backend = '%s' is not known", spec->file, backend);
		goto done;
	}
	if (libraries_check(spec, st) || ranks_resolve(plan, backend, machine, st) ||
	    plan_cells_make(plan, backend, st) ||
	    plan_variants_make(plan, backend, machine, st) || plan_claims_check(plan, st) ||
	    plan_variants_accompany(plan, backend, machine, st) ||
	    plan_order_trials(plan, st)) {
		plan_free(plan);
		goto done;
	}
	*out = *plan;
	rc = 0;
done:
	free(plan);
	return rc;
}

void plan_free(struct plan *plan)
{
	free(plan->trials);
	free(plan->cells);
	plan->trials = NULL;
	plan->cells = NULL;
	plan->ntrials = plan->ncells = 0;
}

int plan_command(const struct trial *trial, const char *self, const char *order_file,
                 const char *scratch, struct mode_argv *out, struct status *st)
{
	const struct mode *mode = mode_pick(trial->settings.mode, trial->settings.layout);
	if (!mode)
		return status_set(st, "mode '%s' is not known, or has no such layout",
		                  trial->settings.mode);
	const struct run run = {
	    .layout = trial->settings.layout,
	    .shape = {.nranks = layout_ranks(trial->settings.layout),
	              .nworkers = layout_workers(trial->settings.layout),
	              .yield = trial->yield},
	    .order = order_file,
	    .scratch = scratch,
	};
	return mode->command(&run, self, out, st);
}
