/* What titles of curves say beyond the results: the tables drawn, pictured, tail, farthest and
 * curve_speed. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../analysis/calls.h"
#include "../analysis/contrast.h"
#include "../analysis/plot_order.h"
#include "../story/format.h"
#include "figures.h"
#include "reasons.h"

struct titles {
	const struct analysis *a;
	const struct summary *s;
	struct arena *arena;
	struct db *db;
	struct plot_order order;
};

/* Over all calls, as the picture has them: blocks scatter, and the median of each block's p95 would
 * be off the curve. */
static void put_tail(const struct titles *t, unsigned group, unsigned v)
{
	const struct summary_row *row = index_at(t->s, v, group, 0);
	const struct arena_mark mark = arena_mark(t->arena);
	double *calls = row ? calls_room(t->s, t->arena) : NULL;
	if (row)
		db_add(t->db, "tail", "iid", group, v,
		       stats_quantile(calls, calls_sorted(t->s, row, calls), 0.95));
	arena_release(t->arena, mark);
}

/* Whether a rank's distance from the mean is beyond the margin in nearly all trials, and more than the
 * poll round that saw its end. */
static bool is_apart(const struct summary *s, const struct summary_row *at, unsigned rank)
{
	const struct summary_rank *r = &at->ranks[rank];
	return fabs(r->late_sure_us) > s->margin * at->time_us &&
	       fabs(r->late_us) * at->calls > at->resolution_us;
}

/* Each rank, or those that are surely apart. */
static void put_ranks(const struct titles *t, unsigned group, unsigned v)
{
	const struct summary_group *g = &t->s->groups[group];
	for (unsigned i = 0; i < g->nsizes && t->s->variants[v].role != ROLE_AGAIN; i++) {
		const struct summary_row *at = index_at(t->s, v, group, i);
		for (unsigned r = 0; at && at->ranks && r < at->nranks; r++)
			db_add(t->db, "off_mean", "iilidi", group, v, g->asked_bytes[i], r,
			       at->ranks[r].late_us / at->time_us, is_apart(t->s, at, r));
	}
}

/* The sizes that judge a group's pace: large ones for streams, small ones for isolated calls, if it
 * has any of them; else all sizes, and false. */
static bool range_of(const struct summary_group *g, const struct regime *regime,
                     struct claim_range *range)
{
	*range = (struct claim_range){0, SIZE_MAX};
	for (unsigned i = 0; regime && i < g->nsizes; i++)
		if (g->asked_bytes[i] >= regime->range.lo &&
		    g->asked_bytes[i] <= regime->range.hi) {
			*range = regime->range;
			return true;
		}
	return false;
}

/* By the line of the regime, and by that of the group itself. */
static void put_speeds(const struct titles *t, unsigned group, const struct regime *regime,
                       struct claim_range range)
{
	const struct summary *s = t->s;
	const struct summary_group *g = &s->groups[group];
	const struct regime own = regime_of_twin(s, g, range),
	                    *seen = regime && !regime->tells ? regime : &own;
	for (unsigned i = 0; i < t->order.n; i++) {
		const unsigned v = t->order.variants[i];
		if (s->variants[v].role != ROLE_VARIANT)
			continue;
		const struct contrast of = contrast_against(s, v, g, range);
		struct verdict verdict = of.verdict;
		regime_withhold(seen, seen->least_effect, &verdict);
		/* Where a regime cannot distinguish small differences, what is beyond its noise. */
		if (!isnan(verdict.ratio.estimate) && (seen != regime || verdict_effect(&verdict)))
			db_add(t->db, "curve_speed", "iiiisd", group, v, i,
			       verdict.least > 0 ? VERDICT_KINDS : verdict.kind,
			       contrast_by_cell(&of), verdict.detectable);
	}
}

static void put_group(const struct titles *t, unsigned group)
{
	const struct summary *s = t->s;
	const struct summary_group *g = &s->groups[group];
	const bool large = g->cell.pace == PACE_STREAM, doubt = s->uncompared.kind;
	const struct regime *regime =
	    regimes_find(&t->a->regimes, large ? REGIME_LARGE : REGIME_SMALL);
	const bool compared = !doubt && t->a->regimes.n && s->reference >= 0;
	struct claim_range range, sizes = {0, SIZE_MAX};
	const bool part = range_of(g, regime, &range);
	*(large ? &sizes.lo : &sizes.hi) = large ? range.lo : range.hi;
	const char *why =
	    compared && regime && !regime->tells ? regime_doubt_text(t->arena, s, regime) : NULL;
	db_add(t->db, "pictured", "iiitttd", group, compared, doubt,
	       compared ? s->variants[s->reference].name : NULL,
	       part ? format_range(sizes).text : NULL,
	       why ? arena_text(t->arena, "%.*s", (int)strlen(why) - 1, why) : NULL,
	       why ? regime->least_effect : NAN);
	/* A title of figures side by side would compare them. */
	for (unsigned i = 0; i < t->order.n && !doubt; i++) {
		if (i < t->order.main)
			put_tail(t, group, t->order.variants[i]);
		put_ranks(t, group, t->order.variants[i]);
	}
	if (compared)
		put_speeds(t, group, regime, range);
}

void figures_of_curves(const struct figures *f)
{
	const struct summary *s = f->s;
	const struct titles t = {f->a, s, f->arena, f->db, plot_order_make(s, f->arena)};
	const unsigned collectives = plot_order_collectives(s);
	db_add(f->db, "drawn", "iiiii", collectives, PLOT_ORDER_EACH, PLOT_ORDER_DETAIL,
	       plot_order_count(s), plot_order_left_out(s));
	for (unsigned g = 0; g < s->ngroups; g++)
		if (plot_order_count(s) && collectives <= PLOT_ORDER_EACH &&
		    plot_order_has_group(s, g))
			put_group(&t, g);
}
