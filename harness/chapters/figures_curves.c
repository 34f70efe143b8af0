/* What titles of curves say beyond the results: the tables drawn and tail. */
#include "../analysis/calls.h"
#include "../analysis/plot_order.h"
#include "figures.h"

/* Over all calls, as the picture has them: blocks scatter, and the median of each block's p95 would
 * be off the curve. */
static void put_tail(const struct figures *f, unsigned group, unsigned v)
{
	const struct summary_row *row = index_at(f->s, v, group, 0);
	const struct arena_mark mark = arena_mark(f->arena);
	double *calls = row ? calls_room(f->s, f->arena) : NULL;
	if (row)
		db_add(f->db, "tail", "iid", group, v,
		       stats_quantile(calls, calls_sorted(f->s, row, calls), 0.95));
	arena_release(f->arena, mark);
}

void figures_of_curves(const struct figures *f)
{
	const struct summary *s = f->s;
	const struct plot_order order = plot_order_make(s, f->arena);
	const unsigned collectives = plot_order_collectives(s);
	db_add(f->db, "drawn", "iiiii", collectives, PLOT_ORDER_EACH, PLOT_ORDER_DETAIL,
	       plot_order_count(s), plot_order_left_out(s));
	for (unsigned g = 0; g < s->ngroups && collectives <= PLOT_ORDER_EACH; g++)
		for (unsigned i = 0; i < order.main && plot_order_has_group(s, g); i++)
			put_tail(f, g, order.variants[i]);
}
