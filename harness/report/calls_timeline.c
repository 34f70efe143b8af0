#include "calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/timing.h"
#include "output.h"
#include "../analysis/words.h"
#include "csv.h"

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
static bool suits(const struct summary *s, enum coll_kind coll, unsigned variant,
                  enum pass pass, const struct record_cell *c)
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
                               enum pass pass, size_t bytes)
{
	struct call median = {0}, *calls = NULL;
	size_t n = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
		if (c->cell.bytes != bytes || !suits(s, coll, variant, pass, c))
			continue;
		struct call *more = realloc(calls, (n + c->rows) * sizeof *calls);
		if (!more)
			break;
		calls = more;
		for (unsigned row = 0; row < c->rows; row++)
			calls[n++] = (struct call){c, row, timing_row_ns(&view, row)};
	}
	if (n) {
		qsort(calls, n, sizeof *calls, by_length);
		median = calls[(n - 1) / 2];
	}
	free(calls);
	return median;
}

/* The widest that any rank's device clock may be off. */
static double residual_of(const struct record_cell *c)
{
	const json_t *list = json_object_get(c->json, "clock_residual_ns"), *value;
	double most = NAN;
	size_t i;
	json_array_foreach(list, i, value) if (json_is_number(value)) most =
	    fmax(most, fabs(json_number_value(value)));
	return most / 1000;
}

static const struct sample *sample_of(const struct calls_line *line, unsigned rank)
{
	return &line->cell->samples[(size_t)rank * line->cell->rows + line->row];
}

struct calls_line calls_line_of(const struct summary *s, enum coll_kind coll, unsigned variant)
{
	size_t bytes = smallest(s, coll, PASS_TIMELINE);
	enum pass pass = bytes ? PASS_TIMELINE : PASS_TIMED;
	struct call call =
	    median_call(s, coll, variant, pass, bytes ? bytes : smallest(s, coll, pass));
	struct calls_line line = {.cell = call.cell, .row = call.row, .residual_us = NAN};
	if (!line.cell)
		return line;
	int64_t end = INT64_MIN, begin;
	line.from_ns = INT64_MAX;
	for (unsigned r = 0; r < line.cell->nranks; r++)
		if (sample_of(&line, r)->start_ns < line.from_ns)
			line.from_ns = sample_of(&line, r)->start_ns;
	begin = line.from_ns;
	for (unsigned r = 0; r < line.cell->nranks; r++) {
		const struct sample *x = sample_of(&line, r);
		end = x->idle_ns > end ? x->idle_ns : end;
		if (!line.cell->device_clock)
			continue;
		end = x->device_end_ns > end ? x->device_end_ns : end;
		begin = x->device_start_ns < begin ? x->device_start_ns : begin;
	}
	line.total_us = (double)(end - line.from_ns) / 1000;
	line.before_us = (double)(line.from_ns - begin) / 1000;
	line.residual_us = line.cell->device_clock ? residual_of(line.cell) : NAN;
	return line;
}

static void put_line(FILE *out, const struct summary *s, unsigned variant,
                     const struct calls_line *line)
{
	const struct record_cell *c = line->cell;
	for (unsigned r = 0; r < c->nranks; r++) {
		const struct sample *x = sample_of(line, r);
		const int64_t stamps[] = {x->start_ns, x->issued_ns, x->idle_ns,
		                          x->device_start_ns, x->device_end_ns};
		summary_put_text(out, s->variants[variant].name);
		fprintf(out, "%s,%zu,%u", coll_word(&c->cell, c->nranks).text, c->cell.bytes,
		        r);
		for (unsigned k = 0; k < 5; k++)
			if (k < 3 || c->device_clock)
				fprintf(out, ",%.6g",
				        (double)(stamps[k] - line->from_ns) / 1000);
			else
				fputc(',', out);
		fputc('\n', out);
	}
}

int calls_write_timeline(const struct summary *s, const char *file, struct status *st)
{
	bool done[COLL_KINDS] = {false};
	FILE *out = output_open(file, st);
	if (!out)
		return -1;
	fputs("variant,what,bytes,rank,start_us,issued_us,idle_us,device_start_us,"
	      "device_end_us\n",
	      out);
	for (unsigned g = 0; g < s->ngroups; g++) {
		enum coll_kind coll = s->groups[g].cell.coll;
		for (unsigned v = 0; !done[coll] && v < s->nvariants; v++) {
			struct calls_line line = calls_line_of(s, coll, v);
			if (line.cell && s->variants[v].role != ROLE_LIMIT)
				put_line(out, s, v, &line);
		}
		done[coll] = true;
	}
	return output_close(out, file, st);
}
