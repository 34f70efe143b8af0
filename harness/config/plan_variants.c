/* The variants of a plan: placed, checked, and joined by those that no file asks for. */
#include "plan_parts.h"

#include <stdio.h>
#include <string.h>

#include "../backend/backend.h"

static void modes_list(char *out, size_t bytes)
{
	for (unsigned i = 0; mode_table[i]; i++)
		status_list(out, bytes, mode_table[i]->name);
}

/* Mode from layout, layout from mode, or both held against each other. */
static int layout_resolve(const struct spec *spec, const struct spec_variant *from,
                          unsigned nranks, struct settings *s, struct status *st)
{
	const struct mode *mode = s->mode[0] ? mode_find(s->mode) : mode_for_layout(s->layout);
	const struct layout l = s->layout;
	if (!mode) {
		char allowed[256] = "";
		modes_list(allowed, sizeof allowed);
		return status_set(
		    st, "%s:%u: variant %s: mode = '%s' is not known; allowed is %s",
		    spec_file(spec, from->at), from->at.line, from->name, s->mode, allowed);
	}
	if (layout_ranks(l) == 0) {
		s->layout = mode->spread(nranks);
		/* A mode may have no way to place so few: one thread for 1 rank is single. */
		if (mode->owns(s->layout) && layout_ranks(s->layout) == nranks)
			return 0;
		return status_set(
		    st,
		    "%s:%u: variant %s: mode %s cannot place %u ranks; allowed are 2 "
		    "ranks or more",
		    spec_file(spec, from->at), from->at.line, from->name, mode->name, nranks);
	}
	if (!mode->owns(l))
		return status_set(
		    st,
		    "%s:%u: variant %s: layout %ux%ux%u is mode %s, not %s; allowed "
		    "is one of the two keys, or both that agree",
		    spec_file(spec, from->at), from->at.line, from->name, l.processes,
		    l.threads, l.ranks_per_thread, mode_for_layout(l)->name, mode->name);
	if (layout_ranks(l) != nranks)
		return status_set(
		    st,
		    "%s:%u: variant %s: layout %ux%ux%u has %u ranks, the experiment "
		    "has %u; allowed is a layout of %u, or ranks = %u",
		    spec_file(spec, from->at), from->at.line, from->name, l.processes,
		    l.threads, l.ranks_per_thread, layout_ranks(l), nranks, nranks,
		    layout_ranks(l));
	strcpy(s->mode, mode->name);
	return 0;
}

/* Fills skip where a setting is none of the variant's backend. A library that is not set is
 * one all the same. `from`: NULL where no file asks for the variant. */
static bool is_elsewhere(const struct settings *s, const struct spec_variant *from, char *skip,
                         size_t bytes)
{
	const char *needs[2] = {"nccl", NULL};
	char key[TRIAL_ENV_BYTES];
	bool unset = from && from->skip[0];
	if (unset)
		snprintf(key, sizeof key, "%s", from->several ? "each" : "nccl");
	if (unset ? !strcmp(s->backend, "nccl")
	          : !settings_without_effect(s, key, sizeof key, needs))
		return false;
	if (from && !strcmp(from->backend, needs[0]))
		snprintf(skip, bytes,
		         "it is for backend %s alone, and the command line says backend = %s",
		         needs[0], s->backend);
	else
		snprintf(skip, bytes,
		         "%.80s is a setting of backend %s%s%s and has no effect on %s (for "
		         "%s alone: %s.%.80s)",
		         key, needs[0], needs[1] ? " or " : "", needs[1] ? needs[1] : "",
		         s->backend, needs[0], needs[0], key);
	return true;
}

int plan_variant_try(const struct plan *plan, unsigned index, const struct spec_variant *from,
                     const struct plan_machine *machine, char *skip, size_t bytes)
{
	const struct settings *s = &plan->variants[index].settings;
	const struct backend *backend = backend_find(s->backend);
	struct status why = {""};
	if (is_elsewhere(s, from, skip, bytes))
		return 0;
	unsigned capacity = plan_capacity(machine, s->backend, &why);
	if (capacity < plan->nranks) {
		snprintf(skip, bytes, "backend %s has room for %u of %u ranks here%s%.150s",
		         s->backend, capacity, plan->nranks, why.text[0] ? ": " : "", why.text);
		return 0;
	}
	if (from && from->skip[0]) {
		snprintf(skip, bytes, "%s", from->skip);
		return 0;
	}
	const char *no = mode_find(s->mode)->unsupported();
	if (no) {
		snprintf(skip, bytes, "%s", no);
		return 0;
	}
	if (machine->imagined && !strcmp(machine->imagined, s->backend))
		return 0;
	struct trial *trial = plan_order_trial(plan, machine->cores, index, 0, 0);
	if (!trial)
		return -1;
	if (backend->supports(trial, &why))
		snprintf(skip, bytes, "%.*s", (int)bytes - 1,
		         why.text[0] ? why.text : "the backend cannot run it");
	trial_free(trial);
	return 0;
}

static int variant_add(struct plan *plan, const char *name, const char *role,
                       const struct settings *settings, const struct spec_variant *from,
                       const struct plan_machine *machine, struct status *st)
{
	struct plan_variant *v = &plan->variants[plan->nvariants];
	snprintf(v->name, sizeof v->name, "%s", name);
	snprintf(v->role, sizeof v->role, "%s", role);
	v->settings = *settings;
	v->skip[0] = '\0';
	if (plan_variant_try(plan, plan->nvariants, from, machine, v->skip, sizeof v->skip))
		return status_set(st, "out of memory for the plan");
	plan->nvariants++;
	return 0;
}

/* Slips that no machine could measure, as they depend on ranks and calls. */
static int settings_check(const struct plan *plan, const struct spec_variant *from,
                          struct status *st)
{
	const struct spec *spec = plan->spec;
	const struct settings *s = &from->settings;
	const struct {
		const char *key;
		int rank;
	} ranks[] = {{"delay_rank", s->delay_rank}, {"flip: rank", s->flip_rank}};
	for (unsigned i = 0; i < 2; i++)
		if (ranks[i].rank >= (int)plan->nranks)
			return status_set(st,
			                  "%s:%u: variant %s: %s = %d, but ranks are 0 to %u",
			                  spec_file(spec, from->at), from->at.line, from->name,
			                  ranks[i].key, ranks[i].rank, plan->nranks - 1);
	if ((size_t)s->flip_byte >= plan->arena_bytes)
		return status_set(st,
		                  "%s:%u: variant %s: flip: byte = %lld, but a rank's buffer "
		                  "has %zu bytes",
		                  spec_file(spec, from->at), from->at.line, from->name,
		                  (long long)s->flip_byte, plan->arena_bytes);
	/* Else a stretch would have more calls than its time is divided by. */
	if (s->aggregate > 1 && spec->calls % s->aggregate)
		return status_set(st,
		                  "%s:%u: variant %s: calls = %u cannot be issued in groups of "
		                  "aggregate = %u; allowed are multiples of %u",
		                  spec_file(spec, from->at), from->at.line, from->name,
		                  spec->calls, s->aggregate, s->aggregate);
	return 0;
}

static int variants_add(struct plan *plan, const char *backend,
                        const struct plan_machine *machine, struct status *st)
{
	const struct spec *spec = plan->spec;
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct spec_variant *from = &spec->variants[i];
		struct settings s = from->settings;
		bool reference = !strcmp(from->name, spec->reference);
		if (!strcmp(s.backend, "auto"))
			snprintf(s.backend, sizeof s.backend, "%s", backend);
		if (!backend_find(s.backend))
			return status_set(st, "%s:%u: variant %s: backend = '%s' is not known",
			                  spec_file(spec, from->at), from->at.line, from->name,
			                  s.backend);
		if (settings_check(plan, from, st) ||
		    layout_resolve(spec, from, plan->nranks, &s, st) ||
		    variant_add(plan, from->name, reference ? "reference" : "variant", &s, from,
		                machine, st))
			return -1;
	}
	return 0;
}

static const struct plan_variant *reference_find(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (!strcmp(plan->variants[i].role, "reference"))
			return &plan->variants[i];
	return NULL;
}

int plan_variants_make(struct plan *plan, const char *backend,
                       const struct plan_machine *machine, struct status *st)
{
	if (variants_add(plan, backend, machine, st))
		return -1;
	const struct plan_variant *reference = reference_find(plan);
	if (!reference || !reference->skip[0])
		return 0;
	int narrower = plan_narrow(plan, (unsigned)(reference - plan->variants), machine, st);
	if (narrower <= 0)
		return narrower;
	plan->nvariants = 0;
	return variants_add(plan, backend, machine, st);
}

/* What no file asks for: the reference once more (how much two equal things differ), and the
 * limit (how much this machine can copy at all). */
int plan_variants_accompany(struct plan *plan, const char *backend,
                            const struct plan_machine *machine, struct status *st)
{
	const struct plan_variant *reference = reference_find(plan);
	if (!reference)
		return status_set(st, "%s: reference = '%s' names no variant", plan->spec->file,
		                  plan->spec->reference);
	if (reference->skip[0])
		return status_set(
		    st,
		    "%s: the reference '%s' cannot run here, and all is compared with "
		    "it: %s",
		    plan->spec->file, reference->name, reference->skip);
	struct settings s = reference->settings, limit;
	char again[TRIAL_NAME_BYTES];
	snprintf(again, sizeof again, "%.56s-again", reference->name);
	if (variant_add(plan, again, "again", &s, NULL, machine, st))
		return -1;
	if (!plan->spec->limit || !backend_find(backend)->is.carries_data)
		return 0;
	const struct mode *mode = mode_find("threads");
	settings_default(&limit);
	limit.layout = mode->spread(plan->nranks);
	strcpy(limit.mode, mode_for_layout(limit.layout)->name); /* single, for one rank */
	snprintf(limit.backend, sizeof limit.backend, "%s", backend);
	strcpy(limit.nccl, s.nccl);
	limit.bind = s.bind;
	return variant_add(plan, "limit", "limit", &limit, NULL, machine, st);
}
