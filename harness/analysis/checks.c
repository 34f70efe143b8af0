#include "checks.h"

#include <string.h>

#include "../arena.h"

static bool only_fresh(const struct record_cell *c)
{
	if (!c->cell.in_place || !(coll_info(c->cell.coll)->is & COLL_REDUCES) || !c->check_ns)
		return false;
	for (unsigned r = 0; r < c->nranks; r++)
		if (c->check_ns[r])
			return false;
	return true;
}

struct checks checks_count(const struct summary *s, int coll, int dtype)
{
	struct checks n = {0};
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (!c->carries_data || (coll >= 0 && (int)c->cell.coll != coll) ||
		    (dtype >= 0 && (int)c->cell.dtype != dtype))
			continue;
		n.cells++;
		n.wrong_cells += c->wrong > 0;
		n.fresh_cells += only_fresh(c);
	}
	return n;
}

unsigned checks_dtypes(const struct summary *s)
{
	unsigned n = 0;
	for (int d = 0; d < DTYPE_KINDS; d++)
		n += checks_count(s, -1, d).cells > 0;
	return n;
}

static bool was_checked(const struct record_cell *c)
{
	return c->check_ns && c->samples && index_counts(c) && c->cell.pace == PACE_STREAM &&
	       c->check_ns[0] > 0;
}

/* Time of a stream cell's timed calls, and time of checking their results, in ms. */
static void times_of(const struct record_cell *c, double *calls_ms, double *check_ms)
{
	struct timing_view view = {
	    .samples = c->samples, .nranks = c->nranks, .rows = c->rows, .calls = 1};
	*calls_ms = *check_ms = 0;
	for (unsigned row = 0; row < c->rows; row++)
		*calls_ms += timing_row_ns(&view, row) / 1e6;
	for (unsigned r = 0; r < c->nranks; r++)
		if ((double)c->check_ns[r] / 1e6 > *check_ms)
			*check_ms = (double)c->check_ns[r] / 1e6;
}

/* Medians over the cells of a size, of one variant or (NULL) of all; whether there are any.
 * `room` holds two numbers for each cell of the run. */
static bool times_over(const struct record_run *run, size_t bytes, const char *variant,
                       double *room, double *calls_ms, double *check_ms)
{
	double *check = room + run->ncells;
	size_t n = 0;
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *c = &run->cells[i];
		if (!was_checked(c) || c->cell.bytes != bytes ||
		    (variant && strcmp(c->variant, variant)))
			continue;
		times_of(c, &room[n], &check[n]);
		n++;
	}
	if (n) {
		*calls_ms = stats_median(room, n);
		*check_ms = stats_median(check, n);
	}
	return n > 0;
}

struct checks_cost checks_cost(const struct summary *s)
{
	const struct record_run *run = s->run;
	struct checks_cost cost = {.longest = NULL};
	size_t bytes = 0;
	double calls_ms, check_ms;
	double *room = ARENA_ARRAY(s->arena, double, 2 * (size_t)run->ncells);
	for (unsigned i = 0; i < run->ncells; i++)
		if (was_checked(&run->cells[i]) && run->cells[i].cell.bytes > bytes) {
			bytes = run->cells[i].cell.bytes;
			cost.asked_bytes = run->cells[i].cell.asked_bytes;
		}
	for (unsigned v = 0; v < s->nvariants; v++)
		if (times_over(run, bytes, s->variants[v].name, room, &calls_ms, &check_ms) &&
		    check_ms > cost.longest_check_ms) {
			cost.longest_calls_ms = calls_ms;
			cost.longest_check_ms = check_ms;
			cost.longest = s->variants[v].name;
		}
	if (!times_over(run, bytes, NULL, room, &cost.calls_ms, &cost.check_ms))
		cost.longest = NULL;
	return cost;
}
