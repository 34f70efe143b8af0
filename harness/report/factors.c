#include "factors.h"

#include <math.h>
#include <string.h>

static void obstacle(const struct summary *s, const struct factor *f, char *why, size_t bytes)
{
	why[0] = '\0';
	if (!f->from[0] || !f->to[0]) {
		snprintf(why, bytes, "it is about another backend");
		return;
	}
	pairs_absent(s, f->from, why, bytes);
	if (!why[0])
		pairs_absent(s, f->to, why, bytes);
	if (!why[0] && s->trouble[0])
		snprintf(why, bytes, "the variants did not do the same work");
}

static int judge(const struct summary *s, struct factors_result *r, struct status *st)
{
	const struct factor *factor = r->factor;
	const struct pairs_select stream = {factor->bytes, PACE_STREAM, CLAIM_ANY_COLL};
	const struct pairs_select isolated = {factor->bytes, PACE_ISOLATED, CLAIM_ANY_COLL};
	const unsigned variants[] = {(unsigned)pairs_variant(s, factor->from),
	                             (unsigned)pairs_variant(s, factor->to)};
	struct pairs p, calls;
	if (pairs_make(s, METRIC_BUSBW, &stream, variants, 2, &p, st))
		return -1;
	memcpy(r->why, p.why, sizeof r->why);
	r->ncells = p.ncells;
	r->sizes = p.sizes;
	if (p.nblocks)
		r->verdict = verdict_of(pairs_ratio(&p, 1, 0), s->margin);
	pairs_free(&p);
	if (pairs_make(s, METRIC_LATENCY, &isolated, variants, 2, &calls, st))
		return -1;
	r->latency = pairs_ratio(&calls, 0, 1);
	pairs_free(&calls);
	return 0;
}

int factors_judge(const struct summary *s, const struct factor *factor,
                  struct factors_result *out, struct status *st)
{
	struct factors_result r = {.factor = factor};
	r.astray = pairs_astray(s, factor->from) || pairs_astray(s, factor->to);
	obstacle(s, factor, r.why, sizeof r.why);
	r.verdict = verdict_make(NULL, 0, s->margin);
	r.latency = r.verdict.ratio;
	if (!r.why[0] && judge(s, &r, st))
		return -1;
	*out = r;
	return 0;
}

bool factors_alarm(const struct factors_result *r)
{
	return r->factor->placebo && !r->why[0] &&
	       (r->verdict.kind == VERDICT_FASTER || r->verdict.kind == VERDICT_SLOWER);
}

void factors_verdict(const struct factors_result *r, char *text, size_t bytes)
{
	char verdict[96];
	if (r->why[0]) {
		snprintf(text, bytes, "cannot be tested here");
		return;
	}
	const char *mark = r->astray ? "; NOT on the expected path" : "";
	verdict_text(&r->verdict, verdict, sizeof verdict);
	if (!r->factor->placebo)
		snprintf(text, bytes, "%s%s", verdict, mark);
	else if (factors_alarm(r))
		snprintf(text, bytes, "%s: THE PLACEBO HAS AN EFFECT%s", verdict, mark);
	else
		snprintf(text, bytes, "%s%s%s", verdict,
		         r->verdict.kind == VERDICT_NO_DIFFERENCE ? ", as a placebo should be"
		                                                  : "",
		         mark);
}

/* How large the effect is, whichever way; below 0 where there is none. */
static double size_of(const struct factors_result *r)
{
	return isnan(r->verdict.ratio.estimate) ? -1 : fabs(log(r->verdict.ratio.estimate));
}

void factors_order(const struct factors_result *results, unsigned n, unsigned *order)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned at = i;
		for (; at && size_of(&results[order[at - 1]]) < size_of(&results[i]); at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}
