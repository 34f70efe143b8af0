#include "bysize.h"

#include <math.h>
#include <string.h>

#define MOST_GROUPS 30

bool bysize_too_many(const struct summary *s)
{
	return s->ngroups > MOST_GROUPS;
}

static bool shows_time(const struct summary *s, const struct summary_group *g)
{
	return g->cell.pace == PACE_ISOLATED || !s->carries_data;
}

double bysize_value(const struct summary_row *row)
{
	bool time = row->cell.pace == PACE_ISOLATED || !row->carries_data;
	return time ? row->time_us : row->busbw_gbs;
}

void bysize_title(const struct summary *s, unsigned group, char *text, size_t text_bytes)
{
	const struct summary_group *g = &s->groups[group];
	const json_t *backend = json_object_get(s->run->environment, "backend");
	const char *what = g->cell.pace == PACE_ISOLATED ? "isolated, p50 latency, µs"
	                   : shows_time(s, g)            ? "stream, time per call, µs"
	                                                 : "stream, bus bandwidth, GB/s";
	snprintf(text, text_bytes, "%s on %s: %s (%s, %u rank%s, %u block%s)",
	         coll_word(&g->cell, g->nranks).text, json_string_value(backend), what,
	         coll_dtype_name(g->cell.dtype), g->nranks, bysize_plural(g->nranks),
	         s->nblocks, bysize_plural(s->nblocks));
}

static bool has_values(const struct summary *s, unsigned v)
{
	return s->variants[v].measured && s->variants[v].role != ROLE_LIMIT;
}

/* In the short table the twin shows itself as a ratio only: its values are the reference's
 * again. */
static bool has_own(const struct summary *s, unsigned v)
{
	return has_values(s, v) && s->variants[v].role != ROLE_AGAIN;
}

/* Whether a variant has a row in a group. */
static bool in_group(const struct summary *s, unsigned group, unsigned v)
{
	for (unsigned i = 0; i < s->nrows; i++)
		if (s->rows[i].group == group && s->rows[i].variant == v)
			return s->variants[v].measured;
	return false;
}

static unsigned count(const struct summary *s, bool (*has)(const struct summary *, unsigned))
{
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++)
		n += has(s, v);
	return n;
}

/* More variants than that stand below each other, and the sizes beside. */
#define MOST_BESIDE 8

/* A table of sizes × variants, its corner filled, as `turned` will end it. */
static struct grid *begin(unsigned variants, unsigned columns, unsigned left)
{
	struct grid *table = grid_new(columns, left);
	grid_row(table);
	grid_put(table, 0, variants > MOST_BESIDE ? "variant" : "size");
	return table;
}

static struct grid *turned(struct grid *table, unsigned variants)
{
	if (variants > MOST_BESIDE)
		grid_turn(table);
	return table;
}

static void put_label(struct grid *table, const struct summary_group *g, unsigned i)
{
	char label[32];
	coll_size_label(g->asked_bytes[i], label, sizeof label);
	grid_row(table);
	grid_put(table, 0, "%s", label);
}

static void put_ratio_head(struct grid *table, unsigned column, const struct summary *s,
                           unsigned v)
{
	if (s->variants[v].role == ROLE_AGAIN)
		grid_put(table, column, "A/A");
	else
		grid_put(table, column, "%s÷%s", s->variants[v].name,
		          s->variants[s->reference].name);
}

/* The ratio columns of a size's row, from `column` on. */
static void put_ratios(struct grid *table, unsigned column, const struct summary *s,
                       unsigned group, size_t bytes, bool full)
{
	char text[64];
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct summary_row *row = summary_find(s, v, group, bytes);
		if (!bysize_has_ratio(s, v))
			continue;
		snprintf(text, sizeof text, "-");
		if (row)
			bysize_ratio(&row->ratio, full, text, sizeof text);
		grid_put(table, column++, "%s", text);
	}
}

struct grid *bysize_short(const struct summary *s, unsigned group)
{
	const struct summary_group *g = &s->groups[group];
	unsigned n = count(s, has_own), column = 1;
	/* Many have their ratios in the verdicts alone. */
	bool ratios = n <= MOST_BESIDE;
	struct grid *table = begin(n, 1 + n + (ratios ? count(s, bysize_has_ratio) : 0), 0);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (has_own(s, v))
			grid_put(table, column++, "%s", s->variants[v].name);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (ratios && bysize_has_ratio(s, v))
			put_ratio_head(table, column++, s, v);
	for (unsigned i = 0; i < g->nsizes; i++) {
		put_label(table, g, i);
		column = 1;
		for (unsigned v = 0; v < s->nvariants; v++) {
			const struct summary_row *row = summary_find(s, v, group, g->bytes[i]);
			char number[32];
			if (!has_own(s, v))
				continue;
			bysize_number(row ? bysize_value(row) : NAN, number, sizeof number);
			grid_put(table, column++, "%s", number);
		}
		if (ratios)
			put_ratios(table, column, s, group, g->bytes[i], false);
	}
	return turned(table, n);
}

/* A row's value with the quartiles over its blocks, or for isolated the p95. */
static void put_value(struct grid *table, unsigned column, const struct summary_row *row)
{
	char mid[32], lo[32], hi[32];
	if (!row || !row->ntrials) {
		grid_put(table, column, "-");
		return;
	}
	bool time = isnan(row->busbw_gbs) || row->cell.pace == PACE_ISOLATED;
	double scale = row->busbw_gbs * row->time_us;
	bysize_number(bysize_value(row), mid, sizeof mid);
	bysize_number(time ? row->time_us_lo : scale / row->time_us_hi, lo, sizeof lo);
	bysize_number(time ? row->time_us_hi : scale / row->time_us_lo, hi, sizeof hi);
	if (row->cell.pace == PACE_ISOLATED)
		bysize_number(row->p95_us, hi, sizeof hi);
	if (row->cell.pace == PACE_ISOLATED)
		grid_put(table, column, "%s, p95 %s", mid, hi);
	else if (row->ntrials > 1)
		grid_put(table, column, "%s (%s to %s)", mid, lo, hi);
	else
		grid_put(table, column, "%s", mid);
}

struct grid *bysize_values(const struct summary *s, unsigned group)
{
	const struct summary_group *g = &s->groups[group];
	unsigned n = 0, column = 1;
	for (unsigned v = 0; v < s->nvariants; v++)
		n += in_group(s, group, v);
	struct grid *table = begin(n, 1 + n, 1);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (in_group(s, group, v))
			grid_put(table, column++, "%s", s->variants[v].name);
	for (unsigned i = 0; i < g->nsizes; i++) {
		put_label(table, g, i);
		column = 1;
		for (unsigned v = 0; v < s->nvariants; v++)
			if (in_group(s, group, v))
				put_value(table, column++,
				          summary_find(s, v, group, g->bytes[i]));
	}
	return turned(table, n);
}

struct grid *bysize_ratios(const struct summary *s, unsigned group)
{
	const struct summary_group *g = &s->groups[group];
	unsigned n = count(s, bysize_has_ratio), column = 1;
	struct grid *table = begin(n, 1 + n, 1);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (bysize_has_ratio(s, v))
			put_ratio_head(table, column++, s, v);
	for (unsigned i = 0; i < g->nsizes; i++) {
		put_label(table, g, i);
		put_ratios(table, 1, s, group, g->bytes[i], true);
	}
	return turned(table, n);
}

static void put_launch(struct grid *table, const struct summary *s, unsigned group, unsigned v,
                       unsigned size)
{
	const struct summary_row *row = summary_find(s, v, group, s->groups[group].bytes[size]);
	if (!row || !row->ntrials)
		return;
	const double numbers[] = {row->launch_us, row->skew_us, row->resolution_us};
	char text[32];
	put_label(table, &s->groups[group], size);
	grid_put(table, 1, "%s", s->variants[v].name);
	for (unsigned i = 0; i < 3; i++) {
		bysize_number(numbers[i], text, sizeof text);
		grid_put(table, 2 + i, "%s", text);
	}
}

struct grid *bysize_launch(const struct summary *s, unsigned group)
{
	const struct summary_group *g = &s->groups[group];
	struct grid *table = grid_new(5, 2);
	static const char *const heads[] = {"size", "variant", "launch cost, µs",
	                                    "skew at start, µs", "resolution, µs"};
	grid_row(table);
	for (unsigned i = 0; i < 5; i++)
		grid_put(table, i, "%s", heads[i]);
	for (unsigned i = 0; i<g->nsizes; i += g->nsizes> 1 ? g->nsizes - 1 : 1)
		for (unsigned v = 0; v < s->nvariants; v++)
			if (has_values(s, v))
				put_launch(table, s, group, v, i);
	return table;
}
