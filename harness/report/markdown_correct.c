/* What was checked, and what was found. */
#include "markdown_parts.h"

#include <stdlib.h>
#include <string.h>

#include "../coll/coll.h"
#include "../analysis/stats.h"
#include "../analysis/timing.h"
#include "bysize.h"

/* Cells of one collective and datatype that carried data; of how many of them what the timed
 * calls left was not looked at. */
struct checked {
	unsigned cells, wrong_cells, fresh_cells;
};

/* In place, a reduction takes what the call before it left, so that it has no right answer once
 * a buffer is used again (trial_spoils). */
static bool only_fresh(const struct record_cell *c)
{
	if (!c->cell.in_place || !(coll_info(c->cell.coll)->is & COLL_REDUCES) || !c->check_ns)
		return false;
	for (unsigned r = 0; r < c->nranks; r++)
		if (c->check_ns[r])
			return false;
	return true;
}

static struct checked count(const struct summary *s, int coll, int dtype)
{
	struct checked n = {0};
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

static unsigned dtypes_of(const struct summary *s)
{
	unsigned n = 0;
	for (int d = 0; d < DTYPE_KINDS; d++)
		n += count(s, -1, d).cells > 0;
	return n;
}

static struct grid *matrix(const struct summary *s)
{
	struct grid *table = grid_new(1 + dtypes_of(s), 1);
	unsigned column = 1;
	grid_row(table);
	grid_put(table, 0, "collective");
	for (int d = 0; d < DTYPE_KINDS; d++)
		if (count(s, -1, d).cells)
			grid_put(table, column++, "%s", coll_dtype_name((enum dtype)d));
	for (int c = 0; c < COLL_KINDS; c++) {
		if (!count(s, c, -1).cells)
			continue;
		grid_row(table);
		grid_put(table, 0, "%s", coll_info((enum coll_kind)c)->name);
		column = 1;
		for (int d = 0; d < DTYPE_KINDS; d++) {
			struct checked n = count(s, c, d);
			if (!count(s, -1, d).cells)
				continue;
			if (n.wrong_cells)
				grid_put(table, column++, "**%u of %u wrong**", n.wrong_cells,
				          n.cells);
			else
				grid_put(table, column++, n.cells ? "%u" : "-", n.cells);
		}
	}
	return table;
}

void markdown_correct_line(const struct summary *s, char *text, size_t bytes)
{
	struct checked all = count(s, -1, -1);
	if (all.wrong_cells)
		snprintf(text, bytes, "%u of %u cell%s delivered wrong data", all.wrong_cells,
		         all.cells, bysize_plural(all.cells));
	else
		snprintf(text, bytes,
		         "%u cell%s checked, every element against its exact answer: all "
		         "right",
		         all.cells, all.cells == 1 ? " was" : "s were");
}

static bool was_checked(const struct record_cell *c)
{
	return c->check_ns && c->samples && summary_counts(c) && c->cell.pace == PACE_STREAM &&
	       c->check_ns[0] > 0;
}

/* What a stream cell's timed calls took, and what it took to check what they left, in ms. */
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

/* The same, medians over the cells of a size, of one variant or (NULL) of all; whether there
 * are any. `room` holds two numbers for each cell of the run. */
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

/* Checking held against measuring, at the largest size, and where it takes the longest. */
static void put_cost(FILE *out, const struct summary *s)
{
	const struct record_run *run = s->run;
	size_t bytes = 0, asked = 0;
	double calls_ms, check_ms, most[2] = {0, 0};
	const char *longest = NULL;
	double *room = calloc(2 * (size_t)run->ncells + 1, sizeof *room);
	for (unsigned i = 0; i < run->ncells; i++)
		if (was_checked(&run->cells[i]) && run->cells[i].cell.bytes > bytes) {
			bytes = run->cells[i].cell.bytes;
			asked = run->cells[i].cell.asked_bytes;
		}
	for (unsigned v = 0; room && v < s->nvariants; v++)
		if (times_over(run, bytes, s->variants[v].name, room, &calls_ms, &check_ms) &&
		    check_ms > most[1]) {
			most[0] = calls_ms;
			most[1] = check_ms;
			longest = s->variants[v].name;
		}
	if (longest && times_over(run, bytes, NULL, room, &calls_ms, &check_ms)) {
		char label[32], text[4][32];
		const double ms[4] = {calls_ms, check_ms, most[0], most[1]};
		coll_size_label(asked, label, sizeof label);
		for (unsigned i = 0; i < 4; i++)
			bysize_number(ms[i], text[i], sizeof text[i]);
		fprintf(out,
		        " At %s a cell's timed calls took %s ms, and checking what they left "
		        "%s ms; the longest in `%s`, %s and %s ms.",
		        label, text[0], text[1], longest, text[2], text[3]);
	}
	free(room);
}

void markdown_correct(FILE *out, const struct summary *s)
{
	char text[256];
	if (!s->carries_data)
		return;
	markdown_correct_line(s, text, sizeof text);
	fprintf(out, "## Correctness\n\n%s.", text);
	unsigned fresh = count(s, -1, -1).fresh_cells;
	if (fresh)
		fprintf(
		    out,
		    " Of %u of them only one more, fresh call was checked: in place, the timed "
		    "ones reduce what the calls before them left.",
		    fresh);
	if (!s->trouble[0])
		fprintf(out, " All variants' outputs are the same, by digest.");
	put_cost(out, s);
	fprintf(out, "\n\n");
	if (dtypes_of(s) < 2)
		return;
	fprintf(out, "Cells that were checked, by operation, place, root, size, pace, variant "
	             "and block:\n\n");
	markdown_table(out, matrix(s));
}
