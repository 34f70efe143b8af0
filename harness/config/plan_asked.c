#include "plan.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../backend/table.h"
#include "family.h"

/* A variant's settings as the plan has them; false if no variant has the name here, as with a
 * library that this machine lacks. An unset library is kept as the sentence that names its
 * variable: then two of the same variable are equal, and a factor is right or wrong on every
 * machine. */
static bool settings_of(const struct plan *plan, const char *name, struct settings *out)
{
	const struct spec *spec = plan->spec;
	const struct plan_variant *v = plan_find(plan, name);
	if (!v || v >= plan->variants + spec->nvariants)
		return false;
	const char *unset = spec->variants[v - plan->variants].skip;
	*out = v->settings;
	if (unset[0])
		snprintf(out->nccl, sizeof out->nccl, "%s", unset);
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

bool plan_has(const struct plan *plan, const char *name)
{
	const struct plan_variant *v = plan_find(plan, name);
	return v && !v->skip[0];
}

/* What takes over while a variant is not here; NULL while it is. */
static const struct spec_lacking *lacking_of(const struct plan *plan)
{
	const struct spec_lacking *lacking = &plan->spec->lacking;
	return lacking->variant[0] && !plan_has(plan, lacking->variant) ? lacking : NULL;
}

static const char *primary_of(const struct plan *plan)
{
	const struct spec_lacking *lacking = lacking_of(plan);
	return lacking && lacking->primary[0] ? lacking->primary : plan->spec->asked.primary;
}

void plan_asked(const struct plan *plan, struct claim_list *out)
{
	const struct spec_lacking *lacking = lacking_of(plan);
	*out = plan->spec->asked;
	for (unsigned i = 0; i < out->nfactors; i++)
		plan_factor_differ(plan, &out->factors[i], out->factors[i].setting,
		                   sizeof out->factors[i].setting);
	if (lacking && lacking->gap.from[0])
		out->gap = lacking->gap;
	strcpy(out->primary, primary_of(plan));
}

static size_t largest_of(const struct plan *plan, enum coll_kind coll)
{
	size_t most = 0;
	for (unsigned i = 0; i < plan->ncells; i++)
		if (plan->cells[i].coll == coll && plan->cells[i].bytes > most)
			most = plan->cells[i].bytes;
	return most;
}

/* Counters are read over a stream. Launch cost is of isolated calls, or else of a stream's. */
int plan_claim_pace(const struct claim *claim)
{
	const struct metric_info *metric = metric_info(claim->metric);
	if (metric->counters && claim->pace == CLAIM_ANY_PACE)
		return PACE_STREAM;
	return claim->pace == CLAIM_ANY_PACE ? metric->pace : claim->pace;
}

/* As regimes_settle. */
struct claim_range plan_claim_sizes(const struct plan *plan, const struct claim *claim)
{
	const struct backend_traits *is = traits_find(plan_main_backend(plan));
	const int regime = claim_regime(claim);
	bool third;
	if (regime == CLAIM_ANY_REGIME || !claim_range_open(claim->bytes))
		return claim->bytes;
	return claim_regime_range((enum regime_kind)regime, is && is->gpus, plan->spec->sizes,
	                          plan->spec->nsizes, &third);
}

static struct claim settled(const struct plan *plan, const struct claim *claim)
{
	struct claim c = *claim;
	c.bytes = plan_claim_sizes(plan, claim);
	return c;
}

struct found {
	bool coll, pace, size, counted;
};

static struct found look_for(const struct plan *plan, const struct claim *c, int coll)
{
	struct found found = {false};
	int pace = plan_claim_pace(c);
	for (unsigned i = 0; i < plan->ncells; i++) {
		const struct cell *cell = &plan->cells[i];
		if (coll != CLAIM_ANY_COLL && (int)cell->coll != coll)
			continue;
		found.coll = true;
		if (pace != CLAIM_ANY_PACE && (int)cell->pace != pace)
			continue;
		found.pace = true;
		if (cell->asked_bytes < c->bytes.lo || cell->asked_bytes > c->bytes.hi)
			continue;
		found.size = true;
		found.counted |= cell->bytes >= largest_of(plan, cell->coll) / PLAN_LARGE;
	}
	return found;
}

static void size_why(const struct claim *c, const char *what, char *why, size_t bytes)
{
	char lo[32], hi[32], range[80];
	coll_size_label(c->bytes.lo, lo, sizeof lo);
	coll_size_label(c->bytes.hi, hi, sizeof hi);
	if (c->bytes.lo == c->bytes.hi)
		snprintf(range, sizeof range, "of %s", lo);
	else if (!c->bytes.lo)
		snprintf(range, sizeof range, "up to %s", hi);
	else if (c->bytes.hi == SIZE_MAX)
		snprintf(range, sizeof range, "from %s up", lo);
	else
		snprintf(range, sizeof range, "from %s to %s", lo, hi);
	snprintf(why, bytes, "no size %s is measured%s", range, what);
}

/* What one side of a claim lacks. */
static void side_why(const struct plan *plan, const struct claim *claim, bool right, char *why,
                     size_t bytes)
{
	const int coll = claim_coll(claim, right);
	const struct metric_info *metric = metric_info(claim->metric);
	const struct claim sized = settled(plan, claim);
	const struct found found = look_for(plan, &sized, coll);
	if (!found.coll)
		snprintf(why, bytes, "%s is not measured", coll_info((enum coll_kind)coll)->name);
	else if (metric->counters && !plan->spec->counters)
		snprintf(why, bytes, "no counters are read; say counters = yes");
	else if (metric->counters && plan_claim_pace(claim) != PACE_STREAM)
		snprintf(why, bytes, "counters are of pace stream alone");
	else if (!found.pace)
		snprintf(why, bytes, "pace %s is not measured",
		         coll_pace_name((enum pace)plan_claim_pace(claim)));
	else if (!found.size)
		size_why(&sized, "", why, bytes);
	else if (plan->spec->isolated_calls < metric->least_calls)
		snprintf(why, bytes, "%s needs %u isolated calls, and isolated_calls is %u",
		         metric->name, metric->least_calls, plan->spec->isolated_calls);
	else if (metric->counters && !found.counted)
		size_why(&sized,
		         " with counters, which are read from a sixteenth of the largest up", why,
		         bytes);
}

void plan_claim_why(const struct plan *plan, const struct claim *claim, char *why, size_t bytes)
{
	why[0] = '\0';
	for (unsigned right = 0; right < 2 && !why[0] && claim->test != CLAIM_NEEDS; right++)
		side_why(plan, claim, right, why, bytes);
}

unsigned plan_family(const struct plan *plan, unsigned *blocks)
{
	const struct claim_list *asked = &plan->spec->asked;
	unsigned family = 0;
	bool primary = false;
	*blocks = 0;
	for (unsigned i = 0; i < asked->nclaims; i++) {
		const struct claim *c = &asked->claims[i];
		char why[512];
		plan_claim_why(plan, c, why, sizeof why);
		if (c->test == CLAIM_NEEDS || why[0] || !plan_has(plan, c->left) ||
		    !plan_has(plan, c->right))
			continue;
		const bool leads = !strcmp(c->name, primary_of(plan));
		primary |= leads;
		family += !leads;
	}
	if (family || primary)
		*blocks = family_blocks(family, FAMILY_ALPHA);
	return family;
}

void plan_factor_why(const struct plan *plan, const struct factor *factor, char *why, size_t bytes)
{
	const struct claim bandwidth = {.metric = METRIC_BUSBW,
	                                .bytes = factor->bytes,
	                                .regime = CLAIM_ANY_REGIME,
	                                .pace = CLAIM_ANY_PACE,
	                                .coll = CLAIM_ANY_COLL};
	struct claim latency = bandwidth;
	latency.metric = METRIC_LATENCY;
	why[0] = '\0';
	if (!factor->from[0])
		return;
	/* Either pace will do: a lack in one does not matter if the other is measured. */
	const struct claim sized = settled(plan, &bandwidth);
	bool isolated = !look_for(plan, &sized, CLAIM_ANY_COLL).size &&
	                look_for(plan, &latency, CLAIM_ANY_COLL).pace;
	plan_claim_why(plan, isolated ? &latency : &bandwidth, why, bytes);
	if (why[0] && factor->as_gap && !claim_range_open(factor->bytes))
		status_add(why, bytes,
		           " (without its own bytes it has the sizes of the claims about busbw)");
}
