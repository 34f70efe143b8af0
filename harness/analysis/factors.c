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
	/* Of a pace without a cell there is nothing to say but that. */
	bool nearer = bandwidth.why[0] && !bandwidth.ncells && latency.ncells;
	const struct contrast *main = alone || nearer ? &latency : &bandwidth;
	r->bandwidth = bandwidth.verdict;
	r->latency = latency.verdict;
	r->ncells = main->ncells;
	r->sizes = main->sizes;
	memcpy(r->why, main->why, sizeof r->why);
	return 0;
}

int factors_judge(const struct summary *s, const struct factor *factor,
                  struct factors_result *out, struct status *st)
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

bool factors_sizes_alike(const struct factors_result *results, unsigned n)
{
	const struct factors_result *first = NULL;
	for (unsigned i = 0; i < n; i++) {
		const struct factors_result *r = &results[i];
		if (r->why[0])
			continue;
		first = first ? first : r;
		if (r->sizes.lo != first->sizes.lo || r->sizes.hi != first->sizes.hi)
			return false;
	}
	return true;
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
	const struct verdict *first =
	    factors_judged(&r->bandwidth) ? &r->bandwidth : &r->latency;
	return r->factor->placebo && factors_judged(first) && verdict_within(first) &&
	       !factors_alarm(r);
}

void factors_verdict(const struct factors_result *r, const struct verdict *v, char *text,
                     size_t bytes)
{
	char verdict[VERDICT_TEXT_BYTES];
	bool first = v == &r->bandwidth || !factors_judged(&r->bandwidth);
	if (!factors_judged(v)) {
		snprintf(text, bytes, "-");
		return;
	}
	verdict_text(v, verdict, sizeof verdict);
	snprintf(text, bytes, "%s%s%s%s%s%s", verdict,
	         r->factor->placebo && verdict_effect(v) ? ": THE PLACEBO HAS AN EFFECT" : "",
	         first && factors_proper(r) ? ", as a placebo should be" : "",
	         first && r->unexpected ? "; NOT on the expected path" : "",
	         first && r->acted[0] ? "; " : "", first ? r->acted : "");
}

/* What it is sorted by. */
static const struct stats_ratio *effect_of(const struct factors_result *r)
{
	return factors_judged(&r->bandwidth) ? &r->bandwidth.ratio : &r->latency.ratio;
}

/* How large the effect is, whichever way; below 0 where there is none. */
static double size_of(const struct factors_result *r)
{
	double effect = effect_of(r)->estimate;
	return isnan(effect) ? -1 : fabs(log(effect));
}

double factors_by_chance(const struct factors_result *results, unsigned n)
{
	struct stats_ratio ratios[CLAIM_MAX];
	for (unsigned i = 0; i < n; i++)
		ratios[i] = *effect_of(&results[i]);
	return expm1(stats_largest_by_chance(ratios, n));
}

void factors_order(const struct factors_result *results, unsigned n, unsigned *order)
{
	double sizes[CLAIM_MAX];
	for (unsigned i = 0; i < n; i++)
		sizes[i] = size_of(&results[i]);
	stats_order(sizes, n, order);
}
