/* What each rank had of a row: its start, its launch, its own end, and how often it was last.
 */
#include "summary_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

/* What one rank leaves on the way through a row's trials. */
struct gathered {
	unsigned trials, nbehind;
	double *skew, *launch, *finish; /* one per trial */
	double *behind;                 /* one per row that it ended last */
	double last, rows;
};

/* One trial's part of one rank. `room` holds three times the cell's rows. */
static void take_trial(struct gathered *g, const struct record_cell *c, unsigned rank,
                       double *room)
{
	struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
	double *skew = room, *launch = skew + c->rows, *finish = launch + c->rows;
	for (unsigned i = 0; i < c->rows; i++) {
		struct timing_rank r = timing_rank(&view, rank, i);
		skew[i] = r.skew_ns;
		launch[i] = r.launch_ns;
		finish[i] = r.finish_ns;
		g->last += r.last;
		g->rows++;
		if (r.last > 0)
			g->behind[g->nbehind++] = r.late_ns;
	}
	g->skew[g->trials] = stats_median(skew, c->rows);
	g->launch[g->trials] = stats_median(launch, c->rows);
	g->finish[g->trials++] = stats_median(finish, c->rows);
}

static bool belongs(const struct summary *s, const struct summary_row *row,
                    const struct record_cell *c)
{
	return summary_counts(c) && c->nranks == row->nranks &&
	       c->cell.bytes == row->cell.bytes && summary_same_group(&c->cell, &row->cell) &&
	       !strcmp(c->variant, s->variants[row->variant].name);
}

static struct summary_rank finish(const struct gathered *g)
{
	return (struct summary_rank){.skew_us = stats_median(g->skew, g->trials) / 1000,
	                             .launch_us = stats_median(g->launch, g->trials) / 1000,
	                             .finish_us = stats_median(g->finish, g->trials) / 1000,
	                             .last = g->rows > 0 ? g->last / g->rows : NAN,
	                             .last_by_us = stats_median(g->behind, g->nbehind) / 1000};
}

/* Late is against the mean of the ranks' own medians: of medians of the differences all could
 * lie on one side. */
static void centre(struct summary_row *row)
{
	double mean = 0;
	for (unsigned r = 0; r < row->nranks; r++)
		mean += row->ranks[r].finish_us / row->nranks;
	for (unsigned r = 0; r < row->nranks; r++)
		row->ranks[r].late_us = row->ranks[r].finish_us - mean;
}

static int rank_row(const struct summary *s, struct summary_row *row)
{
	const struct record_run *run = s->run;
	size_t trials = 0, rows = 0, most = 0;
	for (unsigned i = 0; i < run->ncells; i++) {
		if (!belongs(s, row, &run->cells[i]))
			continue;
		trials++;
		rows += run->cells[i].rows;
		most = run->cells[i].rows > most ? run->cells[i].rows : most;
	}
	if (!row->ntrials || !trials)
		return 0;
	row->ranks = calloc(row->nranks, sizeof *row->ranks);
	double *room = malloc((3 * most + 3 * trials + rows) * sizeof *room);
	if (!row->ranks || !room) {
		free(room);
		return -1;
	}
	double *at = room + 3 * most;
	for (unsigned r = 0; r < row->nranks; r++) {
		struct gathered g = {.skew = at,
		                     .launch = at + trials,
		                     .finish = at + 2 * trials,
		                     .behind = at + 3 * trials};
		for (unsigned i = 0; i < run->ncells; i++)
			if (belongs(s, row, &run->cells[i]))
				take_trial(&g, &run->cells[i], r, room);
		row->ranks[r] = finish(&g);
		if (row->ranks[r].last > row->ranks[row->straggler].last)
			row->straggler = r;
	}
	free(room);
	centre(row);
	return 0;
}

int summary_rank_rows(struct summary *s, struct status *st)
{
	for (unsigned i = 0; i < s->nrows; i++)
		if (rank_row(s, &s->rows[i]))
			return status_set(st, "out of memory for the ranks");
	return 0;
}
