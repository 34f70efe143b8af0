/* The part of plots/run.gp about single calls and ranks: panels of the ecdf, lines of the
 * timeline, and how far ranks are from their mean. */
#include "run_gp_groups.h"

#include <math.h>

#include "calls.h"
#include "drawn.h"

/* The farthest that any rank of a group ends from the ranks' mean, in % of the call. */
static double farthest(const struct summary *s, unsigned group)
{
	double most = 0;
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (row->group != group || !row->ranks || !drawn_is(s, row->variant))
			continue;
		for (unsigned r = 0; r < row->nranks; r++)
			most = fmax(most, 100 * fabs(row->ranks[r].late_us) / row->time_us);
	}
	return most;
}

void run_gp_calls(FILE *out, const struct summary *s)
{
	unsigned k = 0, count = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		count += !summary_is_limit(s, &s->groups[g]);
	fprintf(
	    out,
	    "\n# of the same groups: all sizes; how far ranks end from their mean, %% of the "
	    "call; panels of the ecdf\n");
	fprintf(out, "array G_list[%u]\narray G_late[%u]\narray E_panels[%u]\n", count, count,
	        count);
	fprintf(out, "array E_bytes[%u]\narray E_lo[%u]\narray E_hi[%u]\n",
	        count * CALLS_PANELS, count * CALLS_PANELS, count * CALLS_PANELS);
	for (unsigned g = 0; g < s->ngroups; g++) {
		struct calls_panel panels[CALLS_PANELS];
		if (summary_is_limit(s, &s->groups[g]))
			continue;
		unsigned n = calls_panels(s, g, panels), at = CALLS_PANELS * k++;
		fprintf(out, "G_list[%u] = '", k);
		for (unsigned i = 0; i < s->groups[g].nsizes; i++)
			fprintf(out, "%s%zu.0", i ? " " : "", s->groups[g].bytes[i]);
		fprintf(out, "'\n");
		fprintf(out, "G_late[%u] = %.4g\nE_panels[%u] = %u\n", k, farthest(s, g), k, n);
		for (unsigned i = 0; i < n; i++)
			fprintf(out, "E_bytes[%u] = %zu.0\nE_lo[%u] = %.6g\nE_hi[%u] = %.6g\n",
			        at + i + 1, panels[i].bytes, at + i + 1, panels[i].lo_us,
			        at + i + 1, panels[i].hi_us);
	}
}

/* The call of a variant that the timeline shows; false when it shows none. */
static bool line_of(const struct summary *s, enum coll_kind coll, unsigned v,
                    struct calls_line *line)
{
	if (!drawn_is(s, v) || s->variants[v].role == ROLE_AGAIN)
		return false;
	*line = calls_line_of(s, coll, v);
	return line->cell != NULL;
}

/* Whether an earlier group is of the same collective. */
static bool again(const struct summary *s, unsigned group)
{
	for (unsigned g = 0; g < group; g++)
		if (s->groups[g].cell.coll == s->groups[group].cell.coll)
			return true;
	return false;
}

static void put_line(FILE *out, unsigned k, unsigned variant, const struct calls_line *line)
{
	const struct cell *cell = &line->cell->cell;
	fprintf(out, "T_coll[%u] = '%s'\nT_variant[%u] = %u\nT_pass[%u] = '%s'\n", k,
	        coll_word(cell, line->cell->nranks).text, k, variant, k,
	        coll_pass_name(cell->pass));
	fprintf(out, "T_ranks[%u] = %u\nT_bytes[%u] = %zu.0\nT_device[%u] = %d\n", k,
	        line->cell->nranks, k, cell->bytes, k, line->cell->device_clock);
	fprintf(out, "T_total[%u] = %.6g\nT_before[%u] = %.6g\n", k, line->total_us, k,
	        line->before_us);
	if (isfinite(line->residual_us))
		fprintf(out, "T_residual[%u] = %.4g\n", k, line->residual_us);
	else
		fprintf(out, "T_residual[%u] = NaN\n", k);
}

void run_gp_lines(FILE *out, const struct summary *s)
{
	static const char *const arrays[] = {"coll",  "variant", "pass",   "ranks",   "bytes",
	                                     "total", "before",  "device", "residual"};
	struct calls_line line;
	unsigned n = 0, k = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; !again(s, g) && v < s->nvariants; v++)
			n += line_of(s, s->groups[g].cell.coll, v, &line);
	fprintf(out, "\n# the calls of the timeline; variant: its number above\nlines = %u\n",
	        n);
	for (size_t i = 0; n && i < sizeof arrays / sizeof *arrays; i++)
		fprintf(out, "array T_%s[%u]\n", arrays[i], n);
	for (unsigned g = 0; g < s->ngroups; g++) {
		unsigned number = 0;
		for (unsigned v = 0; !again(s, g) && v < s->nvariants; v++) {
			number += drawn_is(s, v);
			if (line_of(s, s->groups[g].cell.coll, v, &line))
				put_line(out, ++k, number, &line);
		}
	}
}
