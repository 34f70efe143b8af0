#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "search.h"

#define CORES_MIN_RANKS 16 /* not limited by cores: that many work */
#define AUTO_MAX_RANKS  8  /* where only cores limit: one node's worth, as GPU machines have */

static int ranks_resolve(struct plan *plan, const char *backend, const struct plan_machine *machine,
                         struct status *st)
{
	const struct spec *spec = plan->spec;
	struct status why = {""};
	unsigned capacity = plan_capacity(machine, backend, plan_sharing(spec), &why);
	if (capacity == 0)
		return status_set(st, "%s: backend %s has nothing to run on here: %s", spec->file,
		                  backend, why.text[0] ? why.text : "no device");
	if (spec->ranks > capacity)
		return status_set(
		    st,
		    "%s: ranks = %u, but backend %s has room for %u here%s%s; allowed is 1 "
		    "to %u, or auto",
		    spec->file, spec->ranks, backend, capacity, why.text[0] ? ": " : "", why.text,
		    capacity);
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
		capacity = capacity > PLAN_MIN_RANKS ? capacity : PLAN_MIN_RANKS;
	}
	if (capacity < PLAN_MIN_RANKS)
		return status_set(
		    st,
		    "%s: ranks = auto, but backend %s has room for 1 here and a "
		    "collective needs %d%s%s; allowed is another backend, or ranks = 1",
		    spec->file, backend, PLAN_MIN_RANKS, why.text[0] ? ": " : "", why.text);
	plan->nranks = capacity < SPEC_MAX_RANKS ? capacity : SPEC_MAX_RANKS;
	return 0;
}

static void library_add(struct plan *plan, const char *name, const struct library *library)
{
	struct plan_library *l = &plan->libraries[plan->nlibraries++];
	l->library = *library;
	snprintf(l->nccl, sizeof l->nccl, "%s", name);
}

/* A library that is named and missing is a mistake, not a reason to skip a variant. Reading a
 * version starts a child, so that each is asked for once. */
static int libraries_find(struct plan *plan, const struct spec *spec, struct status *st)
{
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct spec_variant *v = &spec->variants[i];
		struct status why = {""};
		struct library library;
		if (!v->settings.nccl[0] || plan_library(plan, v->settings.nccl))
			continue;
		if (!backend_library(v->settings.nccl, &library, &why)) {
			library_add(plan, v->settings.nccl, &library);
			continue;
		}
		return spec_variant_error(
		    spec, v, st, "nccl%s%s: %s; allowed is a libnccl.so.2's file",
		    v->variable[0] ? ", from the variable " : "", v->variable, why.text);
	}
	return 0;
}

/* The system's library, if a variant that runs here uses it. The file does not name it, so its
 * absence is no mistake. */
static void library_of_system(struct plan *plan)
{
	for (unsigned i = 0; i < plan->nvariants; i++) {
		const struct plan_variant *v = &plan->variants[i];
		struct status why = {""};
		struct library library;
		if (v->skip[0] || v->settings.nccl[0] ||
		    !backend_find(v->settings.backend)->library)
			continue;
		if (!backend_library("", &library, &why))
			library_add(plan, "", &library);
		return;
	}
}

static int factors_check(const struct plan *plan, struct status *st)
{
	const struct claim_list *asked = &plan->spec->asked;
	for (unsigned i = 0; i < asked->nfactors; i++) {
		const struct factor *f = &asked->factors[i];
		const struct text_place at = plan->spec->factors_at[i];
		char keys[512];
		unsigned n = plan_factor_differ(plan, f, keys, sizeof keys);
		if (n == 1)
			continue;
		if (n)
			return spec_error(plan->spec, at, st,
			                  "factor %s: %s and %s differ in several: %s; "
			                  "allowed is exactly one setting",
			                  f->name, f->from, f->to, keys);
		const char *backend = plan_main_backend(plan);
		bool first = !strcmp(backend, backend_table[0]->name);
		const char *other = backend_table[first]->name;
		return spec_error(
		    plan->spec, at, st,
		    "factor %s: %s and %s differ in no setting on backend %s; allowed "
		    "is exactly one setting. If it is a factor of another backend alone, name its "
		    "variants in [factor %s on %s]; else give %s a setting that applies to %s, in "
		    "[variant %s on %s]",
		    f->name, f->from, f->to, backend, f->name, other, f->to, backend, f->to,
		    backend);
	}
	return 0;
}

/* What no verdict can confirm, said while blocks can be added. */
static void family_note(struct plan *plan)
{
	const unsigned planned = plan->spec->blocks;
	unsigned wanted;
	const unsigned claims = plan_family(plan, &wanted);
	if (wanted <= planned)
		return;
	if (claims > 1)
		plan_note(plan,
		          "%u claims need %u blocks for p < 0.05, and %u %s planned: corrected "
		          "for their number none can be confirmed. Say blocks = %u",
		          claims, wanted, planned, planned == 1 ? "is" : "are", wanted);
	else
		plan_note(plan,
		          "a claim needs %u blocks for p < 0.05, and %u %s planned: none can be "
		          "decided. Say blocks = %u",
		          wanted, planned, planned == 1 ? "is" : "are", wanted);
}

static void connections_note(struct plan *plan)
{
	char once[384] = "";
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (!plan->variants[i].skip[0] && strcmp(plan->variants[i].role, "limit") != 0 &&
		    plan_connections(plan, i) < plan->spec->connections)
			status_list(once, sizeof once, plan->variants[i].name);
	if (once[0])
		plan_note(
		    plan,
		    "one communicator in each job, as no claim compares them by less than %g %% "
		    "at sizes of connection_bytes: %s",
		    100 * PLAN_LUCK, once);
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
	if (spec->quick.claim[0])
		plan_note(plan, "--quick: the primary claim alone, %s", spec->quick.claim);
	if (!backend_find(backend)) {
		status_set(st, "%s: backend = '%s' is not known", spec->file, backend);
		goto done;
	}
	if (libraries_find(plan, spec, st) || ranks_resolve(plan, backend, machine, st) ||
	    plan_cells_make(plan, backend, st) || plan_variants_make(plan, backend, machine, st) ||
	    factors_check(plan, st) || plan_variants_accompany(plan, backend, machine, st) ||
	    search_plan(plan, machine, st) || plan_order_trials(plan, st)) {
		plan_free(plan);
		goto done;
	}
	library_of_system(plan);
	if (spec->needs_gpus && !backend_find(backend)->is.gpus)
		plan_note(plan, "the question needs GPUs: what backend %s shows does not answer it",
		          backend);
	family_note(plan);
	connections_note(plan);
	memcpy(out, plan,
	       offsetof(struct plan, variants) + plan->nvariants * sizeof plan->variants[0]);
	rc = 0;
done:
	free(plan);
	return rc;
}

/* Whether sharing GPUs makes room for ranks on a backend that has too few for one rank each. Its
 * own keys say so, which are not read before it is chosen. */
static bool shares_gpu(const struct spec_text *text, spec_lookup_fn *lookup,
                       const struct plan_machine *machine, const struct backend *b,
                       struct spec *out, struct status *st)
{
	return b->is.gpus && plan_capacity(machine, b->name, 1, st) == 1 &&
	       !spec_build(text, b->name, lookup, out, st) && plan_sharing(out) > 1;
}

int plan_load(const struct plan_source *from, const struct plan_machine *machine, struct spec *out,
              struct status *st)
{
	struct spec_text *text = spec_read(from->file, from->noverrides, from->overrides, st);
	char why[sizeof out->backend_why], backend[TRIAL_NAME_BYTES];
	int rc = -1;
	if (!text || spec_build(text, NULL, from->lookup, out, st))
		goto done;
	snprintf(backend, sizeof backend, "%s", plan_backend(out, machine, why, sizeof why));
	const struct backend *own = backend_find(backend);
	for (unsigned i = 0; own && !strcmp(out->backend, "auto") && backend_table[i] != own; i++) {
		if (!shares_gpu(text, from->lookup, machine, backend_table[i], out, st))
			continue;
		strcpy(backend, backend_table[i]->name);
		why[0] = '\0';
		break;
	}
	*st = (struct status){""};
	rc = spec_build(text, backend, from->lookup, out, st);
	strcpy(out->backend, backend);
	strcpy(out->backend_why, why);
done:
	spec_text_free(text);
	return rc;
}
