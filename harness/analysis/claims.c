#include "claims.h"

_Static_assert(CLAIM_BLOCKS == STATS_MIN_BLOCKS, "a plan measures what a claim wants");

/* Decides `less by` from the logs of both bounds, and `more by` from those of the inverse. */
static enum claims_outcome decide_less(double lo, double hi, double edge)
{
	if (hi < -edge)
		return CLAIMS_HOLD;
	if (!(lo > -edge))
		return CLAIMS_UNDECIDED;
	return hi < 0 ? CLAIMS_LITTLE : CLAIMS_FAIL;
}

static enum claims_outcome decide_within(const struct claims_ratio *r, double edge)
{
	if (log(r->bounds.lo) > -edge && log(r->bounds.hi) < edge)
		return CLAIMS_HOLD;
	return log(r->both.lo) > edge || log(r->both.hi) < -edge ? CLAIMS_FAIL : CLAIMS_UNDECIDED;
}

static enum claims_outcome outcome_of(const struct claims_ratio *r, enum claim_test test,
                                      double edge)
{
	const double lo = log(r->bounds.lo), hi = log(r->bounds.hi);
	return isnan(lo)              ? CLAIMS_UNDECIDED
	       : test == CLAIM_WITHIN ? decide_within(r, edge)
	       : test == CLAIM_LESS   ? decide_less(lo, hi, edge)
	                              : decide_less(-hi, -lo, edge);
}

/* To hold, within has its bounds inside; to fail, its whole interval outside. */
static unsigned more_blocks(const struct claims_ratio *r, enum claim_test test, double edge)
{
	const double at = log(r->bounds.estimate);
	if (test == CLAIM_WITHIN && fabs(at) > edge)
		return verdict_more_blocks(&r->both, fabs(at) - edge, VERDICT_BOTH_ENDS);
	const double reach = test == CLAIM_WITHIN ? edge - fabs(at)
	                     : test == CLAIM_LESS ? fabs(at + edge)
	                                          : fabs(at - edge);
	return verdict_more_blocks(&r->bounds, reach, VERDICT_ONE_END);
}

enum claims_outcome claims_decide(const struct claims_ratio *r, enum claim_test test, double by,
                                  unsigned *more)
{
	const double edge = log1p(by);
	const enum claims_outcome outcome = outcome_of(r, test, edge);
	*more = outcome == CLAIMS_UNDECIDED ? more_blocks(r, test, edge) : 0;
	return outcome;
}

static struct stats_ratio widened(struct stats_ratio r, double line)
{
	r.lo /= 1 + line;
	r.hi *= 1 + line;
	return r;
}

enum claims_outcome claims_decide_beyond(const struct claims_ratio *r, enum claim_test test,
                                         double by, double line)
{
	const struct claims_ratio wide = {widened(r->bounds, line), widened(r->both, line)};
	const struct stats_ratio *own = test == CLAIM_WITHIN ? &r->both : &r->bounds;
	const enum claims_outcome outcome = outcome_of(r, test, log1p(by));
	const bool effect = own->lo > 1 + line || own->hi * (1 + line) < 1;
	return effect && outcome != CLAIMS_HOLD ? outcome : outcome_of(&wide, test, log1p(by));
}

/* The smallest effect that could have been seen. */
static double claims_detectable(const struct claims_ratio *r, enum claim_test test, double by)
{
	return test == CLAIM_WITHIN ? verdict_detectable(&r->both, by, VERDICT_BOTH_ENDS)
	                            : verdict_detectable(&r->bounds, by, VERDICT_ONE_END);
}

const struct stats_ratio *claims_interval(const struct claims_result *r)
{
	const bool both = r->claim->test == CLAIM_WITHIN && r->outcome != CLAIMS_HOLD;
	return both ? &r->ratio.both : &r->ratio.bounds;
}

static bool is_decided(const struct claims_result *r)
{
	return r->outcome != CLAIMS_UNDECIDED && r->outcome != CLAIMS_UNTESTED;
}

/* The probability of a decision; if there is none, of the one that is nearer. */
static double probability_of(const struct claims_tails *p, enum claim_test test,
                             enum claims_outcome outcome)
{
	const struct stats_tails bound = test == CLAIM_LESS ? p->less : p->more;
	const bool less = test == CLAIM_LESS;
	double hold = less ? bound.under : bound.over, fail = less ? bound.over : bound.under;
	if (test == CLAIM_WITHIN) {
		hold = fmax(p->less.over, p->more.under);
		fail = stats_two_sided((struct stats_tails){p->less.under, p->more.over});
	}
	return outcome == CLAIMS_HOLD     ? hold
	       : outcome == CLAIMS_FAIL   ? fail
	       : outcome == CLAIMS_LITTLE ? fmax(fail, less ? p->one.under : p->one.over)
	                                  : fmin(hold, fail);
}

/* As a multiple of what the claim expects; 0: nothing. */
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

/* If the run cannot distinguish variants, or only equal ones as its A/A line is off, a verdict is
 * valid only as far as it is decided beyond that line. */
static void withhold(struct claims_result *r, double line)
{
	const struct claim *claim = r->claim;
	r->outcome = claims_decide_beyond(&r->tested, claim->test, claim->by, line);
	if (is_decided(r))
		return;
	r->more_blocks = 0;
	r->detectable =
	    claims_detectable(&r->tested, claim->test, (1 + line) * (1 + claim->by) - 1);
}

void claims_judge(struct claims_result *r, double line)
{
	const struct claim *claim = r->claim;
	r->tested = (struct claims_ratio){ratio_of(&r->ratio.bounds, claim->of),
	                                  ratio_of(&r->ratio.both, claim->of)};
	r->outcome = claims_decide(&r->tested, claim->test, claim->by, &r->more_blocks);
	r->detectable = claims_detectable(&r->tested, claim->test, claim->by);
	if (r->opposed) {
		r->outcome = CLAIMS_UNDECIDED;
		r->more_blocks = 0;
	}
	r->p = probability_of(&r->tails, claim->test, r->outcome);
	if (line != 0 && is_decided(r))
		withhold(r, line);
}
