/* Whether what the plan measures can answer what is asked, told before the first trial: by the
 * same rules by which report/pairs.c picks cells. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "plan_parts.h"

static size_t largest_of(const struct plan *plan, enum coll_kind coll)
{
	size_t most = 0;
	for (unsigned i = 0; i < plan->ncells; i++)
		if (plan->cells[i].coll == coll && plan->cells[i].bytes > most)
			most = plan->cells[i].bytes;
	return most;
}

/* Counters are read over a stream. Launch cost is of isolated calls, or else of a stream's. */
static int pace_of(const struct claim *claim)
{
	const struct metric_info *metric = metric_info(claim->metric);
	if (metric->counters && claim->pace == CLAIM_ANY_PACE)
		return PACE_STREAM;
	return claim->pace == CLAIM_ANY_PACE ? metric->pace : claim->pace;
}

struct found {
	bool coll, pace, size, counted;
};

static struct found look_for(const struct plan *plan, const struct claim *c)
{
	struct found found = {false};
	int pace = pace_of(c);
	for (unsigned i = 0; i < plan->ncells; i++) {
		const struct cell *cell = &plan->cells[i];
		if (c->coll != CLAIM_ANY_COLL && (int)cell->coll != c->coll)
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
	else if (c->bytes.hi == SIZE_MAX)
		snprintf(range, sizeof range, "from %s up", lo);
	else
		snprintf(range, sizeof range, "from %s to %s", lo, hi);
	snprintf(why, bytes, "no size %s is measured%s", range, what);
}

/* Where a factor has its sizes from, if not from its own key. */
static const char *sizes_from(const struct plan *plan, const struct factor *factor)
{
	const struct spec *spec = plan->spec;
	for (unsigned i = 0; i < spec->asked.nfactors; i++)
		if (!strcmp(spec->asked.factors[i].name, factor->name) && spec->factors_open[i])
			return spec->gap_open
			           ? " (without bytes of its own, and without gap_bytes, it "
			             "has "
			             "the sizes of the claims about busbw)"
			           : " (without bytes of its own, it has those of gap_bytes)";
	return "";
}

void plan_claim_why(const struct plan *plan, const struct claim *claim, char *why, size_t bytes)
{
	why[0] = '\0';
	if (claim->test == CLAIM_NEEDS)
		return;
	const struct metric_info *metric = metric_info(claim->metric);
	const struct found found = look_for(plan, claim);
	if (!found.coll)
		snprintf(why, bytes, "%s is not measured",
		         coll_info((enum coll_kind)claim->coll)->name);
	else if (metric->counters && !plan->spec->counters)
		snprintf(why, bytes, "no counters are read; say counters = yes");
	else if (metric->counters && pace_of(claim) != PACE_STREAM)
		snprintf(why, bytes, "counters are of pace stream alone");
	else if (!found.pace)
		snprintf(why, bytes, "pace %s is not measured",
		         coll_pace_name((enum pace)pace_of(claim)));
	else if (!found.size)
		size_why(claim, "", why, bytes);
	else if (metric->counters && !found.counted)
		size_why(claim,
		         " with counters, which are read from a sixteenth of the largest up",
		         why, bytes);
}

void plan_factor_why(const struct plan *plan, const struct factor *factor, char *why,
                     size_t bytes)
{
	const struct claim bandwidth = {.metric = METRIC_BUSBW,
	                                .bytes = factor->bytes,
	                                .pace = CLAIM_ANY_PACE,
	                                .coll = CLAIM_ANY_COLL};
	struct claim latency = bandwidth;
	latency.metric = METRIC_LATENCY;
	why[0] = '\0';
	if (!factor->from[0])
		return;
	/* Either pace will do: what one lacks is of no matter where the other is measured. */
	bool isolated = !look_for(plan, &bandwidth).size && look_for(plan, &latency).pace;
	plan_claim_why(plan, isolated ? &latency : &bandwidth, why, bytes);
	if (why[0]) {
		size_t used = strlen(why);
		snprintf(why + used, bytes - used, "%s", sizes_from(plan, factor));
	}
}
