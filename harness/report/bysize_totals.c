/* The tables over all sizes: the limit, peaks and means, and one ratio per variant. */
#include "bysize.h"

#include <math.h>

#include "../analysis/verdict.h"

static void put_peak(struct grid *table, const struct summary *s, unsigned group, unsigned v)
{
	const struct summary_group *g = &s->groups[group];
	double best = NAN, sum = 0;
	unsigned n = 0;
	size_t at = 0, bytes = 0;
	char peak[32], mean[32], label[32];
	for (unsigned i = 0; i < g->nsizes; i++) {
		const struct summary_row *row = summary_find(s, v, group, g->bytes[i]);
		if (!row || isnan(row->busbw_gbs))
			continue;
		sum += row->busbw_gbs;
		n++;
		if (!(row->busbw_gbs <= best)) {
			best = row->busbw_gbs;
			at = g->asked_bytes[i];
			bytes = g->bytes[i];
		}
	}
	if (!n)
		return;
	double limit = bysize_limit(s, bytes);
	bysize_number(best, peak, sizeof peak);
	bysize_number(sum / n, mean, sizeof mean);
	coll_size_label(at, label, sizeof label);
	grid_row(table);
	grid_put(table, 0, "%s", coll_word(&g->cell, g->nranks).text);
	grid_put(table, 1, "%s", s->variants[v].name);
	grid_put(table, 2, "%s", peak);
	grid_put(table, 3, "%s", label);
	grid_put(table, 4, "%s", mean);
	if (isfinite(limit) && s->variants[v].role != ROLE_LIMIT)
		grid_put(table, 5, "%.0f %%", 100 * best / limit);
	else
		grid_put(table, 5, "-");
}

struct grid *bysize_peaks(const struct summary *s)
{
	static const char *const heads[] = {"collective",      "variant",
	                                    "peak GB/s",       "at",
	                                    "mean over sizes", "of the limit there"};
	struct grid *table = grid_new(6, 2);
	grid_row(table);
	for (unsigned i = 0; i < 6; i++)
		grid_put(table, i, "%s", heads[i]);
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++)
			if (s->groups[g].cell.pace == PACE_STREAM && s->variants[v].measured)
				put_peak(table, s, g, v);
	return table;
}

static bool has_gap(const struct summary *s, unsigned group, unsigned v)
{
	return bysize_has_ratio(s, v) && !isnan(s->groups[group].gaps[v].estimate);
}

static void verdict_on(const struct summary *s, unsigned group, unsigned v, char *text,
                       size_t bytes)
{
	struct verdict verdict = verdict_of(s->groups[group].gaps[v], s->margin);
	verdict_text(&verdict, text, bytes);
}

struct grid *bysize_gaps(const struct summary *s)
{
	static const char *const heads[] = {"collective",   "pace",   "variant",
	                                    "ratio (95 %)", "blocks", "verdict"};
	struct grid *table = grid_new(6, 3);
	char text[96];
	grid_row(table);
	for (unsigned i = 0; i < 6; i++)
		grid_put(table, i, "%s", heads[i]);
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			if (!has_gap(s, g, v))
				continue;
			grid_row(table);
			grid_put(table, 0, "%s",
			          coll_word(&s->groups[g].cell, s->groups[g].nranks).text);
			grid_put(table, 1, "%s", coll_pace_name(s->groups[g].cell.pace));
			grid_put(table, 2, "%s%s", s->variants[v].name,
			          s->variants[v].role == ROLE_AGAIN ? " (A/A)" : "");
			bysize_ratio(&s->groups[g].gaps[v], true, text, sizeof text);
			grid_put(table, 3, "%s", text);
			grid_put(table, 4, "%u", s->groups[g].gaps[v].blocks);
			verdict_on(s, g, v, text, sizeof text);
			grid_put(table, 5, "%s", text);
		}
	return table;
}

struct grid *bysize_verdicts(const struct summary *s, unsigned group)
{
	struct grid *table = grid_new(3, 3);
	char text[96];
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (!has_gap(s, group, v))
			continue;
		grid_row(table);
		grid_put(table, 0, "  %s",
		          s->variants[v].role == ROLE_AGAIN ? "A/A" : s->variants[v].name);
		bysize_ratio(&s->groups[group].gaps[v], true, text, sizeof text);
		grid_put(table, 1, "%s", text);
		verdict_on(s, group, v, text, sizeof text);
		grid_put(table, 2, "%s", text);
	}
	return table;
}
