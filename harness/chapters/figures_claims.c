/* What the experiment's file asks: the tables asked_factor, asked_gap and claimed. */
#include <math.h>
#include <string.h>

#include "../config/family.h"
#include "../data/format.h"
#include "../story/verdict_text.h"
#include "figures.h"
#include "reasons.h"

const char *figures_cells(struct arena *arena, struct stats_interval cells)
{
	const struct stats_ratio r = {cells.estimate, cells.lo, cells.hi, 0, NAN};
	const bool differ =
	    strcmp(format_estimate(cells.lo).text, format_estimate(cells.hi).text) != 0;
	return isnan(cells.lo) || !differ ? NULL : arena_copy(arena, format_interval(&r).text);
}

static void put_factor(const struct figures *f, unsigned id)
{
	const struct factor *of = &f->a->asked.factors[id];
	const struct reason why = *of->from && *of->to
	                              ? contrast_obstacle(f->s, of->from, of->to)
	                              : (struct reason){.kind = REASON_OTHER_BACKEND};
	db_add(f->db, "asked_factor", "itttttillllt", id, of->name, of->text, of->setting, of->from,
	       of->to, of->placebo, of->bytes.lo, figures_end(of->bytes), of->latency_bytes.lo,
	       figures_end(of->latency_bytes), reason_text(f->arena, &why));
}

static void put_gap(const struct figures *f)
{
	const struct gap *gap = &f->a->asked.gap;
	const struct reason why = contrast_obstacle(f->s, gap->from, gap->to);
	db_add(f->db, "asked_gap", "ttllt", gap->from, gap->to, gap->bytes.lo,
	       figures_end(gap->bytes), reason_text(f->arena, &why));
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
	const struct stats_ratio ratio = claims_opposed(r) ? STATS_NO_RATIO : of->ratio,
	                         bounds = claims_opposed(r) ? STATS_NO_RATIO : of->bounds;
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
	    "rddtdiill"
	    "dtit",
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
	    ratio, bounds.lo, bounds.hi, figures_cells(f->arena, by_cell), ratio.confidence,
	    of->ncells, of->nblocks, of->sizes.lo, of->sizes.hi, r->detectable, *odd ? odd : NULL,
	    record_traits(f->s->run, NULL)->analogue,
	    arena_text(f->arena, "%d %d %d %d %d %s %s %zu %zu", c->metric, c->test, c->regime,
	               c->pace, c->coll, c->left_coll, c->right_coll, c->bytes.lo, c->bytes.hi));
}

void figures_of_claims(const struct figures *f)
{
	for (unsigned i = 0; i < f->a->asked.nfactors; i++)
		put_factor(f, i);
	if (*f->a->asked.gap.from)
		put_gap(f);
	for (unsigned i = 0; i < f->a->asked.nclaims; i++)
		put_claim(f, &f->a->claims[i]);
}
