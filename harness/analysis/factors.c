#include "factors.h"

#include <math.h>
#include <string.h>

#include "evidence.h"

static int contrast_of(const struct summary *s, const struct factor *factor, enum metric metric,
                       struct contrast *out, struct status *st)
{
	const struct contrast_select select = {
	    .bytes = metric == METRIC_LATENCY ? factor->latency_bytes : factor->bytes,
	    .pace = CLAIM_ANY_PACE,
	    .coll = CLAIM_ANY_COLL};
	unsigned from = (unsigned)index_variant(s, factor->from),
	         to = (unsigned)index_variant(s, factor->to);
	if (contrast_make(s, to, from, metric, &select, out, st))
		return -1;
	if (!out->why[0])
		contrast_oversubscribed(s, metric, out->why, sizeof out->why);
	if (out->why[0])
		out->verdict = verdict_make(NULL, 0, s->margin);
	return 0;
}

static int judge(const struct summary *s, struct factors_result *r, struct status *st)
{
	struct contrast bandwidth, latency;
	if (contrast_of(s, r->factor, METRIC_BUSBW, &bandwidth, st) ||
	    contrast_of(s, r->factor, METRIC_LATENCY, &latency, st))
		return -1;
	bool alone = bandwidth.why[0] && !latency.why[0];
	/* If a pace has no cell, that is all there is to report. */
	bool nearer = bandwidth.why[0] && !bandwidth.ncells && latency.ncells;
	const struct contrast *main = alone || nearer ? &latency : &bandwidth;
	r->bandwidth = bandwidth.verdict;
	r->latency = latency.verdict;
	r->ncells = main->ncells;
	r->sizes = main->sizes;
	memcpy(r->why, main->why, sizeof r->why);
	return 0;
}

int factors_judge(const struct summary *s, const struct factor *factor, struct factors_result *out,
                  struct status *st)
{
	struct factors_result r = {.factor = factor};
	r.unexpected = contrast_unexpected(s, factor->from, factor->to);
	evidence_acted(s, factor, r.acted, sizeof r.acted);
	if (!factor->from[0] || !factor->to[0])
		snprintf(r.why, sizeof r.why, "it is about another backend");
	else
		contrast_obstacle(s, factor->from, factor->to, r.why, sizeof r.why);
	r.bandwidth = r.latency = verdict_make(NULL, 0, s->margin);
	if (!r.why[0] && judge(s, &r, st))
		return -1;
	*out = r;
	return 0;
}

bool factors_judged(const struct verdict *v)
{
	return !isnan(v->ratio.estimate);
}

const char *factors_word(const struct verdict *v)
{
	return factors_judged(v) ? verdict_word(v->kind) : "";
}

const char *factors_alarm(const struct factors_result *r)
{
	bool bandwidth = verdict_effect(&r->bandwidth), latency = verdict_effect(&r->latency);
	if (!r->factor->placebo || !(bandwidth || latency))
		return NULL;
	return !latency ? "bandwidth" : !bandwidth ? "latency" : "bandwidth and latency";
}

bool factors_proper(const struct factors_result *r)
{
	const struct verdict *first = factors_judged(&r->bandwidth) ? &r->bandwidth : &r->latency;
	return r->factor->placebo && factors_judged(first) && verdict_within(first) &&
	       !factors_alarm(r);
}
