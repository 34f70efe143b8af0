#include "nccl_format_parts.h"

#include <math.h>
#include <string.h>

static const char *const average_names[NCCL_AVERAGE_KINDS] = {"0", "1", "2", "3", "span"};

int nccl_average_find(const char *name, enum nccl_average *out, struct status *st)
{
	for (int i = 0; i < NCCL_AVERAGE_KINDS; i++)
		if (!strcmp(name, average_names[i])) {
			*out = (enum nccl_average)i;
			return 0;
		}
	return status_set(st,
	                  "--average %s: allowed are 0 (rank 0), 1 (mean), 2 (min), 3 (max) of "
	                  "the workers' own times, as nccl-tests' -a, and span (earliest start "
	                  "to latest end)",
	                  name);
}

const char *nccl_average_name(enum nccl_average average)
{
	return average_names[average];
}

/* What the footer sums up. */
struct totals {
	unsigned wrong; /* halves with wrong elements */
	double busbw;
	unsigned count; /* halves that have one */
};

static double time_us(const struct summary_row *row, enum nccl_average average)
{
	const double times[NCCL_AVERAGE_KINDS] = {row->time_rank0_us, row->time_mean_us,
	                                          row->time_min_us, row->time_max_us,
	                                          row->time_us};
	return times[average];
}

/* Two digits behind the point, or as many fewer as the width has room for. What is no number
 * reads nan, as its own printing has it, which those who convert the field can take. */
static void put_number(FILE *out, double x, int width)
{
	char text[400];
	int digits = 2;
	if (!isfinite(x)) {
		fprintf(out, "  %*s", width, "nan");
		return;
	}
	while (snprintf(text, sizeof text, "%*.*f", width, digits, x) > width && digits > 0)
		digits--;
	if ((int)strlen(text) > width)
		snprintf(text, sizeof text, "%*.*e", width, width >= 7 ? 1 : 0, x);
	fprintf(out, "  %s", text);
}

/* What one line shows the two halves of: groups, out of place and in place; -1: not measured.
 */
struct halves {
	int of[2];
};

static const struct summary_row *row_of(const struct nccl_table *t, int group, size_t bytes)
{
	const struct summary_row *row =
	    group < 0 ? NULL : summary_find(t->s, t->variant, (unsigned)group, bytes);
	return row && time_us(row, t->average) > 0 ? row : NULL;
}

/* Time, algbw, busbw, #wrong. */
static void put_half(FILE *out, const struct nccl_table *t, const struct summary_row *row,
                     struct totals *totals)
{
	double time = row ? time_us(row, t->average) : NAN;
	double scale = row ? row->time_us / time : NAN; /* the bandwidths are of time_us */
	double busbw = row ? row->busbw_gbs * scale : NAN;
	if (isfinite(busbw)) {
		totals->busbw += busbw;
		totals->count++;
	}
	put_number(out, time, 7);
	put_number(out, row ? row->algbw_gbs * scale : NAN, 6);
	put_number(out, busbw, 6);
	if (row && row->carries_data)
		fprintf(out, "  %6g", (double)row->wrong);
	else
		fprintf(out, "    N/A"); /* a column narrower, as there */
	totals->wrong += row && row->wrong;
}

/* Whether there is a line to put. */
static bool put_row(FILE *out, const struct nccl_table *t, const struct halves *h, size_t bytes,
                    struct totals *totals)
{
	const struct summary_row *rows[2] = {row_of(t, h->of[0], bytes),
	                                     row_of(t, h->of[1], bytes)};
	const struct summary_row *any = rows[0] ? rows[0] : rows[1];
	if (!any || !out)
		return any;
	fprintf(out, "%12zu  %12zu  %8s  %6s  %6d", bytes, nccl_format_count(t, &any->cell),
	        nccl_format_dtype(any->cell.dtype), nccl_format_op(&any->cell),
	        nccl_format_root(&any->cell));
	put_half(out, t, rows[0], totals);
	put_half(out, t, rows[1], totals);
	fputc('\n', out);
	return true;
}

/* The next larger size that either half has; 0: there is none. */
static size_t next_size(const struct nccl_table *t, const struct halves *h, size_t after)
{
	size_t next = 0;
	for (int half = 0; half < 2; half++) {
		if (h->of[half] < 0)
			continue;
		const struct summary_group *group = &t->s->groups[h->of[half]];
		unsigned i = 0;
		while (i < group->nsizes && group->bytes[i] <= after)
			i++;
		if (i < group->nsizes && (!next || group->bytes[i] < next))
			next = group->bytes[i];
	}
	return next;
}

/* All lines of the table; whether there is one. out NULL: only that. */
static bool put_rows(FILE *out, const struct nccl_table *t, struct totals *totals)
{
	bool any = false;
	for (unsigned g = t->first; g < t->s->ngroups; g++) {
		bool in_place = t->s->groups[g].cell.in_place;
		int partner = summary_partner(t->s, g);
		/* In place stands beside its partner, in that one's line. */
		if (!nccl_format_holds(t, g) || (in_place && partner >= 0))
			continue;
		struct halves h = {{in_place ? -1 : (int)g, in_place ? (int)g : partner}};
		for (size_t bytes = 0; (bytes = next_size(t, &h, bytes));)
			any = put_row(out, t, &h, bytes, totals) || any;
	}
	return any;
}

static void put_footer(FILE *out, const struct totals *totals, const char *collective)
{
	fprintf(out, "# Out of bounds values : %u %s\n", totals->wrong,
	        totals->wrong ? "FAILED" : "OK");
	if (totals->count)
		fprintf(out, "# Avg bus bandwidth    : %g \n", totals->busbw / totals->count);
	else
		fprintf(out, "# Avg bus bandwidth    : nan \n");
	fprintf(out, "#\n# Collective test concluded: %s_perf\n#\n\n", collective);
}

static void put_table(FILE *out, const struct nccl_table *t)
{
	struct totals totals = {0};
	nccl_format_head(t, out);
	put_rows(out, t, &totals);
	put_footer(out, &totals, coll_info(nccl_format_group(t)->cell.coll)->name);
}

unsigned nccl_format_print(const struct summary *s, enum nccl_average average, FILE *out)
{
	unsigned tables = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		/* The twin is the reference again: whoever reads a variant's average off the
		 * last table would take it for another variant's. */
		if (s->variants[v].role == ROLE_LIMIT || s->variants[v].role == ROLE_AGAIN)
			continue;
		for (unsigned g = 0; g < s->ngroups; g++) {
			struct nccl_table t = {
			    .s = s, .variant = v, .first = g, .average = average};
			bool begun = s->groups[g].cell.pace != PACE_STREAM;
			for (unsigned k = 0; k < g; k++)
				begun = begun || nccl_format_holds(&t, k);
			if (begun || !put_rows(NULL, &t, NULL))
				continue;
			put_table(out, &t);
			tables++;
		}
	}
	return tables;
}
