#include "findings.h"

#include <math.h>
#include <string.h>

/* If the regime of a claim's metric cannot distinguish variants, a verdict is valid only as far as
 * it is decided beyond the A/A line. */
static void withhold(const struct regimes *regimes, struct claims_result *r)
{
	const struct claim *claim = r->claim;
	int kind = claim_regime(claim);
	const struct regime *g = regimes && kind != CLAIM_ANY_REGIME
	                             ? regimes_find(regimes, (enum regime_kind)kind)
	                             : NULL;
	if (!g || g->tells || metric_info(claim->metric)->counters || !claims_decided(r))
		return;
	r->outcome =
	    claims_decide_beyond(&r->contrast.ratio, claim->test, claim->by, g->least_effect);
	if (claims_decided(r))
		return;
	r->more_blocks = 0;
	r->detectable =
	    verdict_detectable(&r->contrast.ratio, (1 + g->least_effect) * (1 + claim->by) - 1);
}

/* The same of a factor's verdict. */
static void withhold_factor(const struct regimes *regimes, enum regime_kind kind, struct verdict *v)
{
	const struct regime *g = regimes ? regimes_find(regimes, kind) : NULL;
	if (g)
		regime_withhold(g, fmax(g->least_effect, v->margin), v);
}

int findings_make(const struct summary *s, const struct regimes *regimes, struct findings *out,
                  struct status *st)
{
	*out = (struct findings){.asked = {.nfactors = 0}};
	if (claim_list_take(s->run->environment, &out->asked, st) ||
	    regimes_settle(s, &out->asked, st) || evidence_make(s, &out->evidence, st))
		return -1;
	for (unsigned i = 0; i < out->asked.nfactors; i++) {
		if (factors_judge(s, &out->asked.factors[i], &out->factors[i], st))
			goto fail;
		withhold_factor(regimes, REGIME_LARGE, &out->factors[i].bandwidth);
		withhold_factor(regimes, REGIME_SMALL, &out->factors[i].latency);
	}
	for (unsigned i = 0; i < out->asked.nclaims; i++)
		if (claims_judge(s, &out->asked.claims[i], &out->claims[i], st))
			goto fail;
	for (unsigned i = 0; i < out->asked.nclaims; i++)
		withhold(regimes, &out->claims[i]);
	if (claims_family(out->claims, out->asked.nclaims,
	                  out->asked.primary.n ? out->asked.primary.names[0] : "", st))
		goto fail;
	if (waterfall_make(s, regimes, &out->asked, &out->waterfall, st) ||
	    (s->run->search && tuned_seen_make(s->run, &out->searched, st)))
		goto fail;
	return 0;
fail:
	findings_free(out);
	return -1;
}

void findings_count(const struct findings *f, const struct summary *s,
                    const struct regimes *regimes, unsigned *verdicts, unsigned *intervals)
{
	unsigned v = 0, only = 0;
	for (unsigned i = 0; i < regimes->n; i++)
		for (unsigned k = 0; k < regimes->list[i].nvariants; k++)
			v += !isnan(regimes->list[i].contrasts[k].ratio.lo);
	for (unsigned i = 0; i < f->asked.nclaims; i++)
		v += !isnan(f->claims[i].contrast.ratio.lo);
	for (unsigned i = 0; i < f->asked.nfactors; i++)
		v += !isnan(f->factors[i].bandwidth.ratio.lo) +
		     !isnan(f->factors[i].latency.ratio.lo);
	v += !isnan(f->waterfall.gap.ratio.lo);
	for (unsigned i = 0; i < f->waterfall.nsteps; i++)
		v += !isnan(f->waterfall.steps[i].verdict.ratio.lo);
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned k = 0; k < s->nvariants; k++)
			v += !isnan(s->groups[g].gaps[k].lo);
	for (unsigned i = 0; i < s->nrows; i++)
		only += !isnan(s->rows[i].ratio.lo);
	*verdicts = v;
	*intervals = v + only;
}

void findings_free(struct findings *f)
{
	tuned_seen_free(&f->searched);
	evidence_free(&f->evidence);
}
