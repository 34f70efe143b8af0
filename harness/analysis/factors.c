#include "factors.h"

static struct contrast contrast_of(const struct summary *s, const struct factor *factor,
                                   enum metric metric)
{
	const struct contrast_select select = {
	    .bytes = metric == METRIC_LATENCY ? factor->latency_bytes : factor->bytes,
	    .pace = CLAIM_ANY_PACE,
	    .coll = CLAIM_ANY_COLL,
	    .across_ranks = true};
	unsigned from = (unsigned)index_variant(s, factor->from),
	         to = (unsigned)index_variant(s, factor->to);
	struct contrast c = contrast_make(s, to, from, metric, &select);
	if (!c.why.kind)
		c.why = contrast_oversubscribed(s, metric);
	if (c.why.kind)
		c.verdict = verdict_of(STATS_NO_RATIO, s->margin);
	return c;
}

static void judge(const struct summary *s, struct factors_result *r)
{
	const struct contrast bandwidth = contrast_of(s, r->factor, METRIC_BUSBW),
	                      latency = contrast_of(s, r->factor, METRIC_LATENCY);
	bool alone = bandwidth.why.kind && !latency.why.kind;
	/* If a pace has no cell, that is all there is to report. */
	bool nearer = bandwidth.why.kind && !bandwidth.ncells && latency.ncells;
	const struct contrast *main = alone || nearer ? &latency : &bandwidth;
	r->bandwidth = bandwidth.verdict;
	r->latency = latency.verdict;
	r->bandwidth_by_cell = contrast_by_cell(&bandwidth);
	r->latency_by_cell = contrast_by_cell(&latency);
	r->latency_sizes = latency.sizes;
	r->ncells = main->ncells;
	r->sizes = main->sizes;
	r->why = main->why;
}

struct factors_result factors_judge(const struct summary *s, const struct factor *factor)
{
	struct factors_result r = {.factor = factor};
	r.unexpected = contrast_unexpected(s, factor->from, factor->to);
	if (!factor->from[0] || !factor->to[0])
		r.why = (struct reason){.kind = REASON_OTHER_BACKEND};
	else
		r.why = contrast_obstacle(s, factor->from, factor->to);
	r.bandwidth = r.latency = verdict_of(STATS_NO_RATIO, s->margin);
	if (!r.why.kind)
		judge(s, &r);
	return r;
}
