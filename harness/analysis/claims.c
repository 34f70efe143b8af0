#include "claims.h"

#include <math.h>
#include <string.h>

#include "verdict.h"

_Static_assert(CLAIM_BLOCKS == STATS_MIN_BLOCKS, "a plan measures what a claim wants");

/* How often a verdict may be wrong; the probabilities allow for looks at the run (contrast_p). */
#define ALPHA (1 - VERDICT_CONFIDENCE)

/* Decides `less by` from the logs of an interval, and `more by` from the inverted interval. */
static enum claims_outcome decide_less(double lo, double hi, double edge)
{
	if (hi < -edge)
		return CLAIMS_HOLD;
	if (!(lo > -edge))
		return CLAIMS_UNDECIDED;
	return hi < 0 ? CLAIMS_LITTLE : CLAIMS_FAIL;
}

static enum claims_outcome decide_within(double lo, double hi, double edge)
{
	if (lo > -edge && hi < edge)
		return CLAIMS_HOLD;
	return lo > edge || hi < -edge ? CLAIMS_FAIL : CLAIMS_UNDECIDED;
}

enum claims_outcome claims_decide(const struct stats_ratio *ratio, enum claim_test test, double by,
                                  unsigned *more_blocks)
{
	double lo = log(ratio->lo), hi = log(ratio->hi), at = log(ratio->estimate);
	double edge = log1p(by), reach = fabs(fabs(at) - edge);
	enum claims_outcome outcome = CLAIMS_UNDECIDED;
	if (test != CLAIM_WITHIN)
		reach = fabs(at - (test == CLAIM_LESS ? -edge : edge));
	if (!isnan(lo) && !isnan(hi))
		outcome = test == CLAIM_WITHIN ? decide_within(lo, hi, edge)
		          : test == CLAIM_LESS ? decide_less(lo, hi, edge)
		                               : decide_less(-hi, -lo, edge);
	*more_blocks = outcome == CLAIMS_UNDECIDED ? verdict_more_blocks(ratio, reach) : 0;
	return outcome;
}

enum claims_outcome claims_decide_beyond(const struct stats_ratio *ratio, enum claim_test test,
                                         double by, double line)
{
	struct stats_ratio wide = *ratio;
	unsigned more;
	wide.lo /= 1 + line;
	wide.hi *= 1 + line;
	enum claims_outcome outcome = claims_decide(ratio, test, by, &more);
	bool effect = ratio->lo > 1 + line || ratio->hi * (1 + line) < 1;
	return effect && outcome != CLAIMS_HOLD ? outcome : claims_decide(&wide, test, by, &more);
}

bool claims_decided(const struct claims_result *r)
{
	return r->outcome != CLAIMS_UNDECIDED && r->outcome != CLAIMS_UNTESTED;
}

/* The probability that a decision uses. */
static double p_of(const struct contrast_p *p, enum claim_test test, enum claims_outcome outcome)
{
	double bound = test == CLAIM_LESS ? p->less : p->more;
	if (test == CLAIM_WITHIN)
		return fmax(p->less, p->more);
	return outcome == CLAIMS_LITTLE ? fmax(bound, p->one) : bound;
}

/* As a multiple of what the claim expects; 0: nothing of its own. */
static struct stats_ratio ratio_of(const struct stats_ratio *ratio, double expected)
{
	struct stats_ratio r = *ratio;
	if (!expected)
		return r;
	r.estimate /= expected;
	r.lo /= expected;
	r.hi /= expected;
	return r;
}

struct claims_result claims_judge(const struct summary *s, const struct claim *claim)
{
	struct claims_result r = {
	    .claim = claim,
	    .outcome = CLAIMS_UNTESTED,
	    .detectable = NAN,
	    .p = NAN,
	    .p_adjusted = NAN,
	    .contrast = contrast_none(0, 0, claim->metric, (struct reason){.kind = REASON_NONE})};
	struct contrast *c = &r.contrast;
	if (claim->test == CLAIM_NEEDS)
		c->why = (struct reason){.kind = REASON_NEEDS, .detail = claim->needs};
	else
		c->why = contrast_obstacle(s, claim->left, claim->right);
	if (!c->why.kind)
		c->why = contrast_oversubscribed(s, claim->metric);
	if (!c->why.kind)
		c->why = contrast_few_calls(s, claim->metric);
	if (!c->why.kind) {
		const int coll = claim_coll(claim, true);
		const enum coll_kind right = coll < 0 ? COLL_ALL_REDUCE : (enum coll_kind)coll;
		const struct contrast_select select = {.bytes = claim->bytes,
		                                       .pace = claim->pace,
		                                       .coll = claim_coll(claim, false),
		                                       .across_colls = claim->right_coll[0],
		                                       .right_coll = right,
		                                       .across_ranks = true,
		                                       .by = claim->by,
		                                       .of = claim->of};
		*c =
		    contrast_make(s, (unsigned)index_variant(s, claim->left),
		                  (unsigned)index_variant(s, claim->right), claim->metric, &select);
	}
	if (c->nblocks) {
		const struct stats_ratio ratio = ratio_of(&c->ratio, claim->of);
		r.outcome = claims_decide(&ratio, claim->test, claim->by, &r.more_blocks);
		r.detectable = verdict_detectable(&ratio, claim->by);
		r.p = p_of(&c->p, claim->test, r.outcome);
	}
	return r;
}

void claims_family(struct claims_result *results, unsigned n, const char *primary)
{
	double p[CLAIM_MAX] = {0}, adjusted[CLAIM_MAX];
	for (unsigned i = 0; i < n; i++) {
		results[i].primary = !strcmp(results[i].claim->name, primary);
		p[i] = results[i].primary ? NAN : results[i].p;
	}
	stats_holm(p, n, adjusted);
	for (unsigned i = 0; i < n; i++) {
		struct claims_result *r = &results[i];
		r->p_adjusted = r->primary ? r->p : adjusted[i];
		r->alone = claims_decided(r) && !(r->p_adjusted <= ALPHA);
	}
}

unsigned claims_confirmed(const struct claims_result *results, unsigned n)
{
	unsigned confirmed = 0;
	for (unsigned i = 0; i < n; i++)
		confirmed +=
		    claims_decided(&results[i]) && !results[i].primary && !results[i].alone;
	return confirmed;
}

const struct claims_result *claims_primary(const struct claims_result *results, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (results[i].primary && results[i].outcome != CLAIMS_UNTESTED)
			return &results[i];
	return NULL;
}
