#include "calls_csv.h"

#include "../arena.h"
#include "table.h"
#include "output.h"

#define POINTS 200 /* of a curve */

/* A variant's number in the pictures, from 1; 0: it is not shown. */
static unsigned number_of(const struct plot_order *order, unsigned variant)
{
	for (unsigned i = 0; i < order->n; i++)
		if (order->variants[i] == variant)
			return i + 1;
	return 0;
}

static void put_curve(FILE *out, const struct summary *s, const struct summary_row *row,
                      unsigned number, const double *x, size_t n)
{
	size_t points = n < POINTS ? n : POINTS;
	for (size_t k = 1; k <= points; k++) {
		size_t at = k * n / points; /* 1 to n */
		table_csv_text(out, s->variants[row->variant].name);
		fputc(',', out);
		fprintf(out, "%s,%zu,%.6g,%.6g,%u\n", coll_word(&row->cell, row->nranks).text,
		        row->cell.bytes, x[at - 1], (double)at / (double)n, number);
	}
}

int calls_write_ecdf(const struct summary *s, const struct plot_order *order, struct arena *arena,
                     const char *file, struct status *st)
{
	struct calls_panel panels[CALLS_PANELS];
	double *x = calls_room(s, arena);
	struct output *output = output_open(arena, file, st);
	if (!output)
		return -1;
	FILE *out = output->out;
	fputs("variant,what,bytes,time_us,share,number\n", out);
	for (unsigned g = 0; g < s->ngroups; g++) {
		unsigned count = calls_panels(s, g, order->variants, order->n, x, panels);
		for (unsigned i = 0; i < count * s->nvariants; i++) {
			const struct summary_row *row =
			    summary_find(s, i % s->nvariants, g, panels[i / s->nvariants].bytes);
			const size_t n = row ? calls_sorted(s, row, x) : 0;
			if (n)
				put_curve(out, s, row, number_of(order, row->variant), x, n);
		}
	}
	return output_close(output, 0, st);
}

static void put_line(FILE *out, const struct summary *s, unsigned variant, unsigned number,
                     const struct calls_line *line)
{
	const struct record_cell *c = line->cell;
	for (unsigned r = 0; r < c->nranks; r++) {
		const struct sample *x = calls_sample(line, r);
		const int64_t stamps[] = {x->start_ns, x->issued_ns, x->idle_ns, x->device_start_ns,
		                          x->device_end_ns};
		table_csv_text(out, s->variants[variant].name);
		fputc(',', out);
		fprintf(out, "%s,%zu,%u", coll_word(&c->cell, c->nranks).text, c->cell.bytes, r);
		for (unsigned k = 0; k < 5; k++)
			if (k < 3 || c->device_clock)
				fprintf(out, ",%.6g", (double)(stamps[k] - line->from_ns) / 1000);
			else
				fputc(',', out);
		fprintf(out, ",%u\n", number);
	}
}

int calls_write_timeline(const struct summary *s, const struct plot_order *order,
                         struct arena *arena, const char *file, struct status *st)
{
	bool done[COLL_KINDS] = {false};
	struct calls_line *lines =
	    ARENA_ARRAY(arena, struct calls_line, (size_t)s->ngroups * s->nvariants);
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++) {
		const enum coll_kind coll = s->groups[g].cell.coll;
		for (unsigned v = 0; !done[coll] && v < s->nvariants; v++)
			lines[n++] = calls_line_of(s, coll, v, arena);
		done[coll] = true;
	}
	struct output *output = output_open(arena, file, st);
	if (!output)
		return -1;
	FILE *out = output->out;
	fputs("variant,what,bytes,rank,start_us,issued_us,idle_us,device_start_us,"
	      "device_end_us,number\n",
	      out);
	for (unsigned i = 0; i < n; i++) {
		const unsigned v = i % s->nvariants;
		if (lines[i].cell && s->variants[v].role != ROLE_LIMIT)
			put_line(out, s, v, number_of(order, v), &lines[i]);
	}
	return output_close(output, 0, st);
}
