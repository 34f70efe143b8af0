#include "analysis.h"

/* If the regime of a claim's metric cannot distinguish variants, or only equal ones as its A/A line is
 * off, a verdict is valid only as far as it is decided beyond that line. */
static void withhold(const struct regimes *regimes, struct claims_result *r)
{
	const struct claim *claim = r->claim;
	int kind = claim_regime(claim);
	const struct regime *g =
	    kind != CLAIM_ANY_REGIME ? regimes_find(regimes, (enum regime_kind)kind) : NULL;
	if (!g || metric_info(claim->metric)->counters || !claims_decided(r))
		return;
	const double line = !g->tells ? g->least_effect : claim->test == CLAIM_WITHIN ? 0 : g->off;
	if (!line)
		return;
	r->outcome = claims_decide_beyond(&r->tested, claim->test, claim->by, line);
	if (claims_decided(r))
		return;
	r->more_blocks = 0;
	r->detectable =
	    claims_detectable(&r->tested, claim->test, (1 + line) * (1 + claim->by) - 1);
}

int analysis_answer(struct analysis *a, struct status *st)
{
	const struct summary *s = a->s;
	if (claim_list_take(s->run->environment, &a->asked, st))
		return -1;
	regimes_settle(s, &a->asked);
	for (unsigned i = 0; i < a->asked.nclaims; i++) {
		a->claims[i] = claims_judge(s, &a->asked.claims[i]);
		withhold(&a->regimes, &a->claims[i]);
	}
	claims_family(a->claims, a->asked.nclaims, a->asked.primary);
	return 0;
}

struct analysis *analysis_make(const struct summary *s, struct status *st)
{
	struct analysis *a = ARENA_NEW(s->arena, struct analysis);
	a->s = s;
	regimes_make(s, &a->regimes);
	return analysis_answer(a, st) ? NULL : a;
}
