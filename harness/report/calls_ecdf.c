#include "calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/timing.h"
#include "drawn.h"
#include "output.h"
#include "../analysis/words.h"
#include "csv.h"

#define POINTS 200 /* of a curve */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static bool belongs(const struct summary *s, const struct summary_row *row,
                    const struct record_cell *c)
{
	return summary_counts(c) && c->nranks == row->nranks &&
	       c->cell.bytes == row->cell.bytes && index_same_group(&c->cell, &row->cell) &&
	       !strcmp(c->variant, s->variants[row->variant].name);
}

/* All calls of a row over all its trials, in µs, sorted. The caller frees. NULL: none. */
static double *calls_of(const struct summary *s, const struct summary_row *row, size_t *count)
{
	size_t n = 0, room = 0;
	for (unsigned i = 0; i < s->run->ncells; i++)
		if (belongs(s, row, &s->run->cells[i]))
			room += s->run->cells[i].rows;
	double *x = room ? malloc(room * sizeof *x) : NULL;
	for (unsigned i = 0; x && i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
		if (!belongs(s, row, c))
			continue;
		for (unsigned k = 0; k < c->rows; k++)
			x[n++] = timing_row_ns(&view, k) / 1000;
	}
	if (x)
		qsort(x, n, sizeof *x, by_value);
	*count = n;
	return x;
}

unsigned calls_panels(const struct summary *s, unsigned group,
                      struct calls_panel panels[CALLS_PANELS])
{
	const struct summary_group *g = &s->groups[group];
	unsigned count = g->nsizes < CALLS_PANELS ? g->nsizes : CALLS_PANELS, n = 0;
	if (g->cell.pace != PACE_ISOLATED || summary_is_limit(s, g))
		return 0;
	for (unsigned i = 0; i < count; i++) {
		size_t bytes = g->bytes[count > 1 ? i * (g->nsizes - 1) / (count - 1) : 0];
		struct calls_panel panel = {bytes, INFINITY, 0};
		for (unsigned v = 0; v < s->nvariants; v++) {
			const struct summary_row *row = summary_find(s, v, group, bytes);
			size_t calls = 0;
			double *x = row && drawn_is(s, v) ? calls_of(s, row, &calls) : NULL;
			if (x) {
				panel.lo_us =
				    fmin(panel.lo_us, stats_quantile(x, calls, 0.005));
				panel.hi_us = fmax(panel.hi_us, stats_quantile(x, calls, 0.99));
			}
			free(x);
		}
		if (panel.hi_us > 0)
			panels[n++] = panel;
	}
	return n;
}

static void put_curve(FILE *out, const struct summary *s, const struct summary_row *row,
                      const double *x, size_t n)
{
	size_t points = n < POINTS ? n : POINTS;
	for (size_t k = 1; k <= points; k++) {
		size_t at = k * n / points; /* 1 to n */
		summary_put_text(out, s->variants[row->variant].name);
		fprintf(out, "%s,%zu,%.6g,%.6g\n", coll_word(&row->cell, row->nranks).text,
		        row->cell.bytes, x[at - 1], (double)at / (double)n);
	}
}

int calls_write_ecdf(const struct summary *s, const char *file, struct status *st)
{
	struct calls_panel panels[CALLS_PANELS];
	FILE *out = output_open(file, st);
	if (!out)
		return -1;
	fputs("variant,what,bytes,time_us,share\n", out);
	for (unsigned g = 0; g < s->ngroups; g++) {
		unsigned count = calls_panels(s, g, panels);
		for (unsigned i = 0; i < count * s->nvariants; i++) {
			const struct summary_row *row = summary_find(
			    s, i % s->nvariants, g, panels[i / s->nvariants].bytes);
			size_t n = 0;
			double *x = row ? calls_of(s, row, &n) : NULL;
			if (x)
				put_curve(out, s, row, x, n);
			free(x);
		}
	}
	return output_close(out, file, st);
}
