/* --quick: an experiment cut down to its primary claim, in as many blocks as there is time for. */
#include "plan.h"

#include "../memory.h"

/* For all blocks, s; paths and the report come on top. */
#define DEVICES_S 30.0
#define CORES_S   22.0

/* Whether the command line sets a key of [experiment], for all backends or for one. */
static bool is_said(const struct spec_source *from, const char *key)
{
	const size_t n = strlen(key);
	for (unsigned i = 0; i < from->noverrides; i++) {
		const char *at = from->overrides[i];
		const size_t prefix = strcspn(at, ".=");
		at += at[prefix] == '.' ? prefix + 1 : 0;
		if (!strncmp(at, key, n) && at[n] == '=')
			return true;
	}
	return false;
}

/* Why a claim has no answer here; "" if it has one. */
static void why_not(const struct plan *plan, const struct claim *c, char *why, size_t bytes)
{
	const char *const sides[2] = {c->left, c->right};
	why[0] = '\0';
	if (c->test == CLAIM_NEEDS)
		snprintf(why, bytes, "it needs %s", c->needs);
	for (unsigned i = 0; i < 2 && !why[0] && c->test != CLAIM_NEEDS; i++)
		if (!plan_has(plan, sides[i])) {
			const struct plan_variant *v = plan_find(plan, sides[i]);
			snprintf(why, bytes, "%s is left out: %s", sides[i],
			         v ? v->skip : "the experiment has no such variant");
		}
	if (!why[0])
		plan_claim_why(plan, c, why, bytes);
}

/* The primary claim of a plan that can test it; NULL, with a sentence: it has none. */
static const struct claim *primary_find(const struct plan *plan, struct status *st)
{
	const struct spec *spec = plan->spec;
	const struct claim *primary = NULL;
	const char *name = plan->asked.primary;
	char why[512] = "";
	for (unsigned i = 0; i < plan->asked.nclaims; i++)
		if (!strcmp(plan->asked.claims[i].name, name))
			primary = &plan->asked.claims[i];
	if (primary)
		why_not(plan, primary, why, sizeof why);
	if (spec->search.nkeys)
		status_set(st,
		           "%s: --quick tests a primary claim, and a search has none; allowed is "
		           "the whole search, which budget = TIME bounds",
		           spec->file);
	else if (!name[0])
		status_set(st,
		           "%s: --quick tests the primary claim alone, and the experiment has none "
		           "(primary = NAME of a [claim NAME]); allowed is the whole run, or "
		           "--only with some of its variants",
		           spec->file);
	else if (!primary)
		status_set(st, "%s: --only leaves out what the primary claim, %s, compares",
		           spec->file, name);
	else if (why[0])
		status_set(st, "%s: --quick: the primary claim, %s, cannot be tested here: %s",
		           spec->file, name, why);
	return st->text[0] ? NULL : primary;
}

static void cut_spec(struct spec *spec, const struct plan *plan, struct claim *c)
{
	const int left = claim_coll(c, false), right = claim_coll(c, true);
	const struct claim_range asked = plan_claim_sizes(plan, c);
	int pace = plan_claim_pace(c);
	unsigned n = 0;
	for (unsigned i = 0; i < spec->nsizes; i++)
		if (spec->sizes[i] >= asked.lo && spec->sizes[i] <= asked.hi)
			spec->sizes[n++] = spec->sizes[i];
	spec->nsizes = n;
	/* A regime of a third of all sizes is none of those that are kept: the claim names them. */
	const struct claim_range now = plan_claim_sizes(plan, c);
	if (now.lo > spec->sizes[0] || now.hi < spec->sizes[n - 1]) {
		c->bytes = asked;
		c->regime = CLAIM_ANY_REGIME;
	}
	n = 0;
	for (unsigned i = 0; i < spec->nvariants; i++)
		if (!strcmp(spec->variants[i].name, c->left) ||
		    !strcmp(spec->variants[i].name, c->right))
			spec->variants[n++] = spec->variants[i];
	spec->nvariants = n;
	/* The reference stays if it is one of the two variants, as its twin is the A/A line. */
	if (!spec_find(spec, spec->reference))
		strcpy(spec->reference, c->right);
	n = 0;
	for (unsigned i = 0; i < spec->ncolls; i++)
		if (left == CLAIM_ANY_COLL || (int)spec->colls[i] == left ||
		    (int)spec->colls[i] == right)
			spec->colls[n++] = spec->colls[i];
	spec->ncolls = n;
	/* A metric of either pace, or of whole trials, takes the isolated calls. */
	if (pace == CLAIM_ANY_PACE)
		pace = spec->paces[PACE_ISOLATED] ? PACE_ISOLATED : PACE_STREAM;
	for (int i = 0; i < PACE_KINDS; i++)
		spec->paces[i] = i == pace;
	c->source[0] = c->says[0] = c->original[0] = '\0';
	memset(&spec->asked, 0, sizeof spec->asked);
	spec->gaps.n = 0;
	spec->asked.nclaims = 1;
	spec->asked.claims[0] = *c;
	spec->primaries.n = 1;
	strcpy(spec->primaries.names[0], c->name);
	spec->leads[0] = '\0';
}

static void count_more(const struct plan *plan, const struct claim *primary,
                       struct spec_quick *more)
{
	char why[512];
	for (unsigned i = 0; i < plan->nvariants; i++) {
		const struct plan_variant *v = &plan->variants[i];
		more->variants += !v->skip[0] && strcmp(v->name, primary->left) &&
		                  strcmp(v->name, primary->right) &&
		                  (!strcmp(v->role, "variant") || !strcmp(v->role, "reference"));
	}
	for (unsigned i = 0; i < plan->asked.nclaims; i++) {
		const struct claim *c = &plan->asked.claims[i];
		why_not(plan, c, why, sizeof why);
		more->claims += c != primary && !why[0];
	}
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* As many as there is time for: enough for an interval, and no more than the whole run has. */
static int blocks_settle(struct spec *spec, const struct plan_machine *machine, struct plan *plan,
                         struct status *st)
{
	const unsigned most = spec->blocks;
	spec->blocks = 1;
	if (plan_make(spec, machine, 1, plan, st))
		return -1;
	const bool gpus = traits_find(plan_main_backend(plan))->gpus;
	const double fit = (gpus ? DEVICES_S : CORES_S) / plan_cost(plan).seconds;
	plan_free(plan);
	spec->blocks = fit < most ? (unsigned)fit : most;
	if (spec->blocks < CLAIM_BLOCKS)
		spec->blocks = CLAIM_BLOCKS;
	return 0;
}

static int cut(const struct spec_source *from, const struct plan_machine *machine,
               struct plan *plan, const struct claim *whole, struct spec *spec, struct status *st)
{
	struct claim primary = *whole;
	struct spec_quick *more = &spec->quick;
	*more = (struct spec_quick){.seconds = plan_cost(plan).seconds, .sizes = spec->nsizes};
	strcpy(more->claim, primary.name);
	count_more(plan, whole, more);
	cut_spec(spec, plan, &primary);
	more->sizes -= spec->nsizes;
	spec->counters =
	    is_said(from, "counters") ? spec->counters : metric_info(primary.metric)->counters;
	/* Jobs side by side start and connect together: most of a job's time on GPUs. */
	if (plan->backend->is.gpus && !metric_info(primary.metric)->alone &&
	    !is_said(from, "turns"))
		spec->turns = (struct claim_range){spec->sizes[0], spec->sizes[spec->nsizes - 1]};
	spec->limit = spec->limit && is_said(from, "limit");
	spec->cycles = is_said(from, "cycles") ? spec->cycles : 1;
	spec->allocations = is_said(from, "allocations") ? spec->allocations : 1;
	if (!spec->connection_bytes.hi && !is_said(from, "connections"))
		spec->connections = 1;
	spec_connections_settle(spec);
	plan_free(plan);
	if ((!is_said(from, "blocks") && blocks_settle(spec, machine, plan, st)) ||
	    plan_make(spec, machine, 1, plan, st))
		return -1;
	more->trial_seconds = plan_cost(plan).seconds / plan->ntrials;
	return 0;
}

int plan_quick(const struct spec_source *from, const struct plan_machine *machine,
               struct spec *spec, struct status *st)
{
	struct plan *plan = memory_take(1, sizeof *plan);
	const struct claim *primary =
	    plan_make(spec, machine, 1, plan, st) ? NULL : primary_find(plan, st);
	const int rc = primary ? cut(from, machine, plan, primary, spec, st) : -1;
	plan_free(plan);
	free(plan);
	return rc;
}
