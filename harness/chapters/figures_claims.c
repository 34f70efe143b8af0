/* What the experiment's file asks, and the outcome: the tables factor, gap_whole, gap_step and claimed. */
#include <math.h>
#include <string.h>

#include "../config/family.h"
#include "../data/format.h"
#include "../story/verdict_text.h"
#include "figures.h"
#include "reasons.h"

static const char *said_of(struct arena *arena, const struct verdict *v)
{
	char text[VERDICT_TEXT_BYTES];
	verdict_text(v, text, sizeof text);
	return isnan(v->ratio.estimate) ? NULL : arena_copy(arena, text);
}

/* "0.912 to 1.083"; NULL: there is one cell, or all are the same. */
static const char *cells_text(struct arena *arena, struct stats_interval cells)
{
	const struct stats_ratio r = {cells.estimate, cells.lo, cells.hi, 0, NAN};
	const bool differ =
	    strcmp(format_estimate(cells.lo).text, format_estimate(cells.hi).text) != 0;
	return isnan(cells.lo) || !differ ? NULL : arena_copy(arena, format_interval(&r).text);
}

static void put_factor(const struct figures *f, unsigned id, double by_chance,
                       const char *unlatency)
{
	const struct factors_result *r = &f->a->factors[id];
	const struct factor *of = r->factor;
	const struct verdict *b = &r->bandwidth, *l = &r->latency;
	const char *b_said = said_of(f->arena, b), *l_said = said_of(f->arena, l);
	db_add(f->db, "factor", "itttttirtttdrtttdttilllltidt", id, of->name, of->text, of->setting,
	       of->from, of->to, of->placebo, b->ratio, b_said ? verdict_word(b->kind) : NULL,
	       b_said, format_ratio(&b->ratio).text, b->detectable, l->ratio,
	       l_said ? verdict_word(l->kind) : NULL, l_said, format_ratio(&l->ratio).text,
	       l->detectable, cells_text(f->arena, r->bandwidth_by_cell),
	       cells_text(f->arena, r->latency_by_cell), r->ncells, r->sizes.lo, r->sizes.hi,
	       r->latency_sizes.lo, r->latency_sizes.hi, reason_text(f->arena, &r->why),
	       r->unexpected, by_chance, unlatency);
}

static void put_factors(const struct figures *f)
{
	const unsigned n = f->a->asked.nfactors;
	struct stats_ratio main[CLAIM_MAX];
	struct reason unlatency = {.kind = REASON_NONE};
	for (unsigned i = 0; i < n; i++) {
		const struct factors_result *r = &f->a->factors[i];
		main[i] =
		    isnan(r->bandwidth.ratio.estimate) ? r->latency.ratio : r->bandwidth.ratio;
	}
	if (summary_has_pace(f->s, PACE_ISOLATED))
		unlatency = contrast_oversubscribed(f->s, METRIC_LATENCY);
	for (unsigned i = 0; i < n; i++)
		put_factor(f, i, n > 1 ? exp(stats_largest_by_chance(main, n)) : NAN,
		           reason_text(f->arena, &unlatency));
}

static const char *shares(struct arena *arena, double lo, double hi)
{
	return isnan(lo) ? NULL : arena_copy(arena, format_shares(lo, hi).text);
}

static void put_gap(const struct figures *f)
{
	const struct waterfall *w = &f->a->waterfall;
	const struct stats_ratio *e = &w->explained;
	db_add(f->db, "gap_whole", "ttrtdrtttiit", f->a->asked.gap.from, f->a->asked.gap.to,
	       w->gap.ratio, said_of(f->arena, &w->gap), w->gap.detectable, *e,
	       shares(f->arena, e->lo, e->hi), shares(f->arena, 1 - e->hi, 1 - e->lo),
	       shares(f->arena, e->lo - 1, e->hi - 1), w->ncells, w->nblocks,
	       w->why.kind || w->nsteps ? reason_text(f->arena, &w->why)
	                                : "the gap was not measured");
	for (unsigned i = 0; i < w->nsteps; i++) {
		const struct waterfall_step *step = &w->steps[i];
		const struct verdict *v = &step->verdict;
		db_add(f->db, "gap_step", "itiiiiiiiiddrdddddtt", i, step->name, step->rest,
		       step->backwards, step->placebo, step->at_odds, step->counts,
		       verdict_effect(v), step->from, step->to, step->from_gbs, step->to_gbs,
		       step->ratio, v->ratio.lo, v->ratio.hi, step->share.estimate, step->share.lo,
		       step->share.hi, shares(f->arena, step->share.lo, step->share.hi),
		       said_of(f->arena, v));
	}
}

static void put_claim(const struct figures *f, const struct claims_result *r)
{
	static const char *const outcomes[] = {[CLAIMS_HOLD] = "holds",
	                                       [CLAIMS_LITTLE] = "little",
	                                       [CLAIMS_FAIL] = "fails",
	                                       [CLAIMS_UNDECIDED] = "undecided",
	                                       [CLAIMS_UNTESTED] = "untested"};
	const struct claim *c = r->claim;
	const struct contrast *of = &r->contrast;
	const struct metric_info *metric = metric_info(c->metric);
	const struct stats_ratio ratio = claims_opposed(r) ? STATS_NO_RATIO : of->ratio;
	const int regime = claim_regime(c);
	const bool tested = r->outcome != CLAIMS_UNTESTED;
	const double scale = !strcmp(metric->unit, "µs") ? 1e-3 : 1; /* times are in ns */
	const bool several = of->ncells > 1;
	const struct stats_interval by_cell = {of->ratio.estimate,
	                                       several ? of->least.estimate : NAN,
	                                       several ? of->most.estimate : NAN};
	char odd[128];
	verdict_odd_text(&of->odd, odd, sizeof odd);
	db_add(
	    f->db, "claimed",
	    "itttttt"
	    "tttttttttt"
	    "iitttddi"
	    "tttdddidd"
	    "rttdiill"
	    "dttiit",
	    (unsigned)(r - f->a->claims), c->name, c->text, c->source, c->says, c->original,
	    c->needs, c->left, c->right, c->left_coll, c->right_coll,
	    c->coll == CLAIM_ANY_COLL ? NULL : coll_info((enum coll_kind)c->coll)->name,
	    metric->pace == CLAIM_ANY_PACE ? NULL : coll_pace_name((enum pace)metric->pace),
	    metric->name, metric->summary, metric->brief, metric->unit, metric->whole,
	    metric->data_path, regime < 0 || *c->needs ? NULL : claim_regime_name((unsigned)regime),
	    claim_test_name(c->test), verdict_claim_limits(f->arena, c), c->by, c->of, r->primary,
	    outcomes[r->outcome], verdict_claim_text(f->arena, r, false),
	    reason_text(f->arena, &of->why), r->p, r->p_adjusted, FAMILY_ALPHA, r->alone,
	    tested ? of->left_side.value * scale : NAN, tested ? of->right_side.value * scale : NAN,
	    ratio, cells_text(f->arena, by_cell),
	    isnan(ratio.estimate) ? NULL : format_estimate(ratio.estimate).text, ratio.confidence,
	    of->ncells, of->nblocks, of->sizes.lo, of->sizes.hi, r->detectable,
	    isnan(r->detectable) ? NULL : format_effect(r->detectable).text, *odd ? odd : NULL,
	    record_traits(f->s->run, NULL)->analogue, contrast_unexpected(f->s, c->left, c->right),
	    arena_text(f->arena, "%d %d %d %d %d %s %s %zu %zu", c->metric, c->test, c->regime,
	               c->pace, c->coll, c->left_coll, c->right_coll, c->bytes.lo, c->bytes.hi));
}

void figures_of_claims(const struct figures *f)
{
	put_factors(f);
	if (*f->a->asked.gap.from)
		put_gap(f);
	for (unsigned i = 0; i < f->a->asked.nclaims; i++)
		put_claim(f, &f->a->claims[i]);
}
