#include "ranks.h"

#include <math.h>

#include "../arena.h"

/* One rank over a row's trials. `room` holds four numbers for each of their rows and three for each
 * trial. ends: when it ended, of each trial. */
static struct summary_rank rank_of(const struct record_cell *const *cells, size_t n, size_t rows,
                                   unsigned rank, double *room, double *ends)
{
	double *skew = room, *launch = skew + rows, *finish = launch + rows;
	double *behind = finish + rows; /* in the rows in which it was the last to end */
	double *trials = behind + rows, last = 0;
	size_t nbehind = 0;
	for (size_t t = 0; t < n; t++) {
		const struct record_cell *c = cells[t];
		const struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
		for (unsigned i = 0; i < c->rows; i++) {
			struct timing_rank r = timing_rank(&view, rank, i);
			skew[i] = r.skew_ns;
			launch[i] = r.launch_ns;
			finish[i] = r.finish_ns;
			last += r.last;
			if (r.last > 0)
				behind[nbehind++] = r.late_ns;
		}
		trials[t] = stats_median(skew, c->rows);
		trials[n + t] = stats_median(launch, c->rows);
		ends[t] = trials[2 * n + t] = stats_median(finish, c->rows);
	}
	return (struct summary_rank){.skew_us = stats_median(trials, n) / 1000,
	                             .launch_us = stats_median(trials + n, n) / 1000,
	                             .finish_us = stats_median(trials + 2 * n, n) / 1000,
	                             .last = rows ? last / (double)rows : NAN,
	                             .last_by_us = stats_median(behind, nbehind) / 1000};
}

/* How late a rank surely is: ends has each rank's trials. */
static double late_sure_us(const double *ends, size_t n, unsigned nranks, unsigned rank,
                           double *room)
{
	for (size_t t = 0; t < n; t++) {
		double mean = 0;
		for (unsigned r = 0; r < nranks; r++)
			mean += ends[r * n + t] / nranks;
		room[t] = ends[rank * n + t] - mean;
	}
	const struct stats_interval late = stats_quantile_interval(room, n, 0.5, 0.95);
	return (late.lo > 0 ? late.lo : late.hi < 0 ? late.hi : 0) / 1000;
}

/* Fills a row's ranks from its cells. */
static void row_fill(struct arena *arena, struct summary_row *row,
                     const struct record_cell *const *cells, size_t n)
{
	size_t rows = 0;
	double mean = 0;
	for (size_t i = 0; i < n; i++)
		rows += cells[i]->rows;
	row->ranks = ARENA_ARRAY(arena, struct summary_rank, row->nranks);
	const struct arena_mark mark = arena_mark(arena);
	double *room = ARENA_ARRAY(arena, double, 4 * rows + 3 * n);
	double *ends = ARENA_ARRAY(arena, double, n * row->nranks);
	for (unsigned r = 0; r < row->nranks; r++) {
		row->ranks[r] = rank_of(cells, n, rows, r, room, ends + r * n);
		if (row->ranks[r].last > row->ranks[row->straggler].last)
			row->straggler = r;
		mean += row->ranks[r].finish_us / row->nranks;
	}
	/* Late is relative to the mean of the ranks' own medians: medians of the differences could
	 * all be on one side. */
	for (unsigned r = 0; r < row->nranks; r++) {
		row->ranks[r].late_us = row->ranks[r].finish_us - mean;
		row->ranks[r].late_sure_us = late_sure_us(ends, n, row->nranks, r, room);
	}
	arena_release(arena, mark);
}

/* The cells that count, row by row in the record's order: those of row r are in out[first[r]]
 * to out[first[r + 1] - 1]. `first` has room for two more than there are rows, all 0. */
static void cells_by_row(const struct summary *s, size_t *first, const struct record_cell **out)
{
	const struct summary_row *row;
	for (unsigned i = 0; i < s->run->ncells; i++)
		if ((row = index_cell_row(s, i)))
			first[row - s->rows + 2]++;
	for (unsigned r = 2; r < s->nrows + 2; r++)
		first[r] += first[r - 1];
	for (unsigned i = 0; i < s->run->ncells; i++)
		if ((row = index_cell_row(s, i)))
			out[first[row - s->rows + 1]++] = &s->run->cells[i];
}

void ranks_make(struct summary *s)
{
	const struct record_cell **cells =
	    ARENA_ARRAY(s->arena, const struct record_cell *, s->run->ncells);
	size_t *first = ARENA_ARRAY(s->arena, size_t, s->nrows + 2);
	cells_by_row(s, first, cells);
	for (unsigned i = 0; i < s->nrows; i++)
		if (s->rows[i].ntrials && first[i + 1] > first[i])
			row_fill(s->arena, &s->rows[i], cells + first[i], first[i + 1] - first[i]);
}
