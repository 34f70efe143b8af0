#include "calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../arena.h"
#include "index.h"

double *calls_room(const struct summary *s, struct arena *arena)
{
	size_t most = 0, *n = ARENA_ARRAY(arena, size_t, s->nrows);
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct summary_row *row = index_cell_row(s, i);
		const size_t has = row ? n[row - s->rows] += s->run->cells[i].rows : 0;
		most = has > most ? has : most;
	}
	return ARENA_ARRAY(arena, double, most);
}

size_t calls_sorted(const struct summary *s, const struct summary_row *row, double *x)
{
	size_t n = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
		if (index_cell_row(s, i) != row)
			continue;
		for (unsigned k = 0; k < c->rows; k++)
			x[n++] = timing_row_ns(&view, k) / 1000;
	}
	stats_sort(x, n);
	return n;
}

/* Processes that the row's ranks were in; 1 if the layout does not say it. */
static unsigned processes_of(const struct summary *s, const struct summary_row *row)
{
	const struct settings *set = s->variants[row->variant].settings;
	const unsigned n = set ? set->layout.processes : 0;
	return n && row->nranks % n == 0 ? n : 1;
}

struct calls_processes calls_of_processes(const struct summary *s, const struct summary_row *row,
                                          struct arena *arena)
{
	struct calls_processes out = {.processes = processes_of(s, row)};
	const unsigned each = row->nranks / out.processes;
	size_t n = 0;
	for (unsigned i = 0; i < s->run->ncells; i++)
		out.calls += index_cell_row(s, i) == row ? s->run->cells[i].rows : 0;
	out.own_us = ARENA_ARRAY(arena, double, out.calls *out.processes);
	out.most_us = ARENA_ARRAY(arena, double, out.calls);
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		for (unsigned k = 0; index_cell_row(s, i) == row && k < c->rows; k++, n++)
			for (unsigned p = 0; p < out.processes; p++) {
				const struct timing_view own = {each, c->rows, c->calls,
				                                c->samples +
				                                    (size_t)p * each * c->rows};
				const double us = timing_row_ns(&own, k) / 1000;
				out.own_us[p * out.calls + n] = us;
				out.most_us[n] = fmax(out.most_us[n], us);
			}
	}
	return out;
}

struct calls_spread calls_spread_of(const double *us, size_t n, struct arena *arena)
{
	double *x = ARENA_ARRAY(arena, double, n), sum = 0, squares = 0;
	memcpy(x, us, n * sizeof *x);
	stats_sort(x, n);
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	const double mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	const double deviation = sqrt(squares / (double)n);
	return (struct calls_spread){.min_us = x[0],
	                             .max_us = x[n - 1],
	                             .mean_us = mean,
	                             .p50_us = x[n / 2],
	                             .p95_us = x[(n * 95 + 99) / 100 - 1],
	                             .p99_us = x[(n * 99 + 99) / 100 - 1],
	                             .deviation_us = deviation,
	                             .cv_percent = mean > 0 ? 100 * deviation / mean : 0};
}

unsigned calls_panels(const struct summary *s, unsigned group, const unsigned *variants,
                      unsigned nvariants, double *room, struct calls_panel panels[CALLS_PANELS])
{
	const struct summary_group *g = &s->groups[group];
	unsigned count = g->nsizes < CALLS_PANELS ? g->nsizes : CALLS_PANELS, n = 0;
	if (g->cell.pace != PACE_ISOLATED || g->limit)
		return 0;
	for (unsigned i = 0; i < count; i++) {
		size_t bytes = g->bytes[count > 1 ? i * (g->nsizes - 1) / (count - 1) : 0];
		struct calls_panel panel = {bytes, INFINITY, 0};
		for (unsigned v = 0; v < nvariants; v++) {
			const struct summary_row *row = summary_find(s, variants[v], group, bytes);
			const size_t calls = row ? calls_sorted(s, row, room) : 0;
			panel.lo_us = fmin(panel.lo_us, stats_quantile(room, calls, 0.005));
			panel.hi_us = fmax(panel.hi_us, stats_quantile(room, calls, 0.99));
		}
		if (panel.hi_us > 0)
			panels[n++] = panel;
	}
	return n;
}

/* ---- timeline --------------------------------------------------------------------------- */

/* One call of a variant, and how long it took. */
struct call {
	const struct record_cell *cell;
	unsigned row;
	double ns;
};

static int by_length(const void *left, const void *right)
{
	const struct call *a = left, *b = right;
	return a->ns < b->ns ? -1 : a->ns > b->ns;
}

/* Whether a cell may be drawn: of this collective and variant, single calls, of that pass. */
static bool suits(const struct summary *s, enum coll_kind coll, unsigned variant, enum pass pass,
                  const struct record_cell *c)
{
	return !c->error[0] && c->cell.pass == pass && c->cell.coll == coll && c->calls == 1 &&
	       c->cell.pace == PACE_ISOLATED && !strcmp(c->variant, s->variants[variant].name);
}

/* The smallest size that any variant has in that pass; 0: none has. */
static size_t smallest(const struct summary *s, enum coll_kind coll, enum pass pass)
{
	size_t least = 0;
	for (unsigned v = 0; v < s->nvariants; v++)
		for (unsigned i = 0; i < s->run->ncells; i++) {
			const struct record_cell *c = &s->run->cells[i];
			if (suits(s, coll, v, pass, c) && (!least || c->cell.bytes < least))
				least = c->cell.bytes;
		}
	return least;
}

/* The call of median length among a variant's of one size and pass; cell NULL when none is. */
static struct call median_call(const struct summary *s, enum coll_kind coll, unsigned variant,
                               enum pass pass, size_t bytes, struct arena *arena)
{
	const struct arena_mark mark = arena_mark(arena);
	struct call median = {0}, *calls = NULL;
	size_t n = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
		if (c->cell.bytes != bytes || !suits(s, coll, variant, pass, c))
			continue;
		for (unsigned row = 0; row < c->rows; row++) {
			calls = arena_more(arena, calls, n, sizeof *calls);
			calls[n++] = (struct call){c, row, timing_row_ns(&view, row)};
		}
	}
	if (n) {
		qsort(calls, n, sizeof *calls, by_length);
		median = calls[(n - 1) / 2];
	}
	arena_release(arena, mark);
	return median;
}

/* The largest possible error of any rank's device clock. */
static double residual_of(const struct record_cell *c)
{
	const json_t *list = json_object_get(c->json, "clock_residual_ns"), *value;
	double most = NAN;
	size_t i;
	json_array_foreach(list, i, value) if (json_is_number(value)) most =
	    fmax(most, fabs(json_number_value(value)));
	return most / 1000;
}

const struct sample *calls_sample(const struct calls_line *line, unsigned rank)
{
	return &line->cell->samples[(size_t)rank * line->cell->rows + line->row];
}

struct calls_line calls_line_of(const struct summary *s, enum coll_kind coll, unsigned variant,
                                struct arena *arena)
{
	size_t bytes = smallest(s, coll, PASS_TIMELINE);
	enum pass pass = bytes ? PASS_TIMELINE : PASS_TIMED;
	struct call call =
	    median_call(s, coll, variant, pass, bytes ? bytes : smallest(s, coll, pass), arena);
	struct calls_line line = {.cell = call.cell, .row = call.row, .residual_us = NAN};
	if (!line.cell)
		return line;
	int64_t end = INT64_MIN, begin;
	line.from_ns = INT64_MAX;
	for (unsigned r = 0; r < line.cell->nranks; r++)
		if (calls_sample(&line, r)->start_ns < line.from_ns)
			line.from_ns = calls_sample(&line, r)->start_ns;
	begin = line.from_ns;
	for (unsigned r = 0; r < line.cell->nranks; r++) {
		const struct sample *x = calls_sample(&line, r);
		end = x->idle_ns > end ? x->idle_ns : end;
		if (!line.cell->device_clock)
			continue;
		end = x->device_end_ns > end ? x->device_end_ns : end;
		begin = x->device_start_ns < begin ? x->device_start_ns : begin;
	}
	for (unsigned r = 0; r < line.cell->nranks; r++)
		line.launch_us =
		    fmax(line.launch_us,
		         (double)(calls_sample(&line, r)->issued_ns - line.from_ns) / 1000);
	line.total_us = (double)(end - line.from_ns) / 1000;
	line.before_us = (double)(line.from_ns - begin) / 1000;
	line.residual_us = line.cell->device_clock ? residual_of(line.cell) : NAN;
	return line;
}
