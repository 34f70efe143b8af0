/* The table of what each rank had of a call. */
#include "bysize.h"

#include <math.h>

/* "5.10 (rank 2) to 5.71 (rank 0)", or one figure when all are alike. */
static void put_range(struct grid *table, unsigned column, const struct summary_row *row,
                      double (*of)(const struct summary_rank *))
{
	unsigned least = 0, most = 0;
	char lo[32], hi[32];
	for (unsigned r = 1; r < row->nranks; r++) {
		if (of(&row->ranks[r]) < of(&row->ranks[least]))
			least = r;
		if (of(&row->ranks[r]) > of(&row->ranks[most]))
			most = r;
	}
	bysize_number(of(&row->ranks[least]), lo, sizeof lo);
	bysize_number(of(&row->ranks[most]), hi, sizeof hi);
	if (least == most)
		grid_put(table, column, "%s (all)", lo);
	else
		grid_put(table, column, "%s (rank %u) to %s (rank %u)", lo, least, hi, most);
}

static double launch_of(const struct summary_rank *rank)
{
	return rank->launch_us;
}

static double skew_of(const struct summary_rank *rank)
{
	return rank->skew_us;
}

static void put_ranks(struct grid *table, const struct summary *s, unsigned group, unsigned v,
                      unsigned size)
{
	const struct summary_row *row = summary_find(s, v, group, s->groups[group].bytes[size]);
	char label[32], late[32];
	if (!row || !row->ranks)
		return;
	const struct summary_rank *last = &row->ranks[row->straggler];
	coll_size_label(s->groups[group].asked_bytes[size], label, sizeof label);
	bysize_number(last->last_by_us, late, sizeof late);
	grid_row(table);
	grid_put(table, 0, "%s", label);
	grid_put(table, 1, "%s", s->variants[v].name);
	put_range(table, 2, row, skew_of);
	put_range(table, 3, row, launch_of);
	grid_put(table, 4, "rank %u, in %.0f %%", row->straggler, 100 * last->last);
	grid_put(table, 5, "%s (%.1f %% of the call)", late,
	          100 * last->last_by_us / row->time_us);
}

struct grid *bysize_ranks(const struct summary *s, unsigned group)
{
	static const char *const heads[] = {"size",       "variant",   "skew at start, µs",
	                                    "launch, µs", "straggler", "late by, µs"};
	const struct summary_group *g = &s->groups[group];
	struct grid *table = grid_new(6, 2);
	grid_row(table);
	for (unsigned i = 0; i < 6; i++)
		grid_put(table, i, "%s", heads[i]);
	for (unsigned i = 0; i < g->nsizes; i++)
		for (unsigned v = 0;
		     v < s->nvariants && (i == 0 || i == g->nsizes / 2 || i + 1 == g->nsizes);
		     v++)
			if (s->variants[v].role != ROLE_LIMIT &&
			    s->variants[v].role != ROLE_AGAIN)
				put_ranks(table, s, group, v, i);
	return table;
}
