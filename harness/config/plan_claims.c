/* Factors as the plan resolves them: each two variants that differ in exactly one setting. */
#include <stdio.h>
#include <string.h>

#include "../backend/backend.h"
#include "plan_parts.h"

/* A variant's settings as the plan has them; false where there is none of the name here, as it
 * would be of a library that this machine lacks. A library that is not set stands as the
 * sentence that names its variable, so that two of the same variable are equal and a factor is
 * right or wrong on every machine alike. */
static bool settings_of(const struct plan *plan, const char *name, struct settings *out)
{
	const struct spec *spec = plan->spec;
	unsigned i = 0;
	while (i < spec->nvariants && strcmp(spec->variants[i].name, name))
		i++;
	if (i == spec->nvariants)
		return false;
	*out = plan->variants[i].settings;
	if (spec->variants[i].skip[0])
		snprintf(out->nccl, sizeof out->nccl, "%s", spec->variants[i].skip);
	return true;
}

unsigned plan_factor_differ(const struct plan *plan, const struct factor *factor, char *keys,
                            size_t bytes)
{
	struct settings from, to;
	keys[0] = '\0';
	if (!settings_of(plan, factor->from, &from) || !settings_of(plan, factor->to, &to))
		return 1;
	return settings_differ(&from, &to, keys, bytes);
}

static bool is_here(const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (!strcmp(plan->variants[i].name, name))
			return !plan->variants[i].skip[0];
	return false;
}

void plan_gap(const struct plan *plan, struct gap *out)
{
	const struct gap *asked = &plan->spec->asked.gap;
	struct gap gap = {.bytes = asked->bytes};
	bool here = is_here(plan, asked->from) && is_here(plan, asked->to);
	memcpy(gap.from, asked->from, sizeof gap.from);
	memcpy(gap.to, asked->to, sizeof gap.to);
	for (unsigned i = 0; i < asked->nothers && !here; i++) {
		const struct gap_ends *other = &asked->others[i];
		here = is_here(plan, other->from) && is_here(plan, other->to);
		if (!here)
			continue;
		memcpy(gap.from, other->from, sizeof gap.from);
		memcpy(gap.to, other->to, sizeof gap.to);
	}
	*out = gap;
}

int plan_claims_check(const struct plan *plan, struct status *st)
{
	const struct claim_list *asked = &plan->spec->asked;
	for (unsigned i = 0; i < asked->nfactors; i++) {
		const struct factor *f = &asked->factors[i];
		const struct spec_place at = plan->spec->factors_at[i];
		char keys[512];
		unsigned n = plan_factor_differ(plan, f, keys, sizeof keys);
		if (n == 1)
			continue;
		if (n)
			return status_set(st,
			                  "%s:%u: factor %s: %s and %s differ in several: %s; "
			                  "allowed is exactly one setting",
			                  spec_file(plan->spec, at), at.line, f->name, f->from,
			                  f->to, keys);
		const char *backend = plan->variants[0].settings.backend;
		bool first = !strcmp(backend, backend_table[0]->name);
		const char *other = backend_table[first]->name;
		return status_set(
		    st,
		    "%s:%u: factor %s: %s and %s differ in no setting on backend %s; allowed is "
		    "exactly one setting. If it is a factor of another backend alone, name its "
		    "variants for that one, as in %s.from = %s and %s.to = %s; else give %s a "
		    "setting that %s heeds: %s.KEY = value",
		    spec_file(plan->spec, at), at.line, f->name, f->from, f->to, backend, other,
		    f->from, other, f->to, f->to, backend, backend);
	}
	return 0;
}
