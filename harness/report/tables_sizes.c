/* The tables by size: values, peaks, launching, ranks. */
#include "tables.h"

#include <math.h>

#include "../analysis/words.h"
#include "../coll/coll.h"

#define MOST_GROUPS 30
#define MOST_BESIDE 3 /* variants that stand beside each other; more stand below each other */

bool tables_too_many(const struct model *m)
{
	return m->summary.ngroups > MOST_GROUPS;
}

static bool shows_time(const struct summary *s, const struct summary_group *g)
{
	return g->cell.pace == PACE_ISOLATED || !s->carries_data;
}

static void put_peak(struct table *t, const struct summary *s, unsigned group, unsigned v)
{
	const struct summary_group *g = &s->groups[group];
	double best = NAN, sum = 0;
	unsigned n = 0, at = 0;
	for (unsigned i = 0; i < g->nsizes; i++) {
		const struct summary_row *row = index_at(s, v, group, i);
		if (!row || isnan(row->busbw_gbs))
			continue;
		sum += row->busbw_gbs;
		n++;
		if (!(row->busbw_gbs <= best)) {
			best = row->busbw_gbs;
			at = i;
		}
	}
	if (!n)
		return;
	TABLE_ROW(t, CELL(coll_word(&g->cell, g->nranks).text), CELL(s->variants[v].name),
	          CELL(best), CELL(g->asked_bytes[at]), CELL(sum / n),
	          CELL(s->variants[v].role == ROLE_LIMIT
	                   ? NAN
	                   : best / summary_limit(s, g->bytes[at])));
}

struct table *tables_peaks(const struct model *m)
{
	const struct summary *s = &m->summary;
	struct table *t = TABLE_NEW("peaks", "Peak and mean bus bandwidth",
	                            {"collective", "collective", "", TABLE_TEXT},
	                            {"variant", "variant", "", TABLE_TEXT},
	                            {"peak_gbs", "peak", "GB/s", TABLE_NUMBER},
	                            {"asked_bytes", "at", "", TABLE_BYTES},
	                            {"mean_gbs", "mean over sizes", "GB/s", TABLE_NUMBER},
	                            {"of_limit", "of the limit there", "", TABLE_SHARE});
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++)
			if (s->groups[g].cell.pace == PACE_STREAM && s->variants[v].measured)
				put_peak(t, s, g, v);
	return t;
}

struct what {
	const char *name, *head, *unit;
	enum table_kind kind;
};

static const struct what whats[TABLES_WHATS] = {
    [TABLES_VALUE] = {"value", "", "", TABLE_SPREAD},
    [TABLES_P50] = {"p50", "p50 latency", "µs", TABLE_NUMBER},
    [TABLES_P95] = {"p95", "p95 latency", "µs", TABLE_SPREAD},
    [TABLES_P99] = {"p99", "p99 latency", "µs", TABLE_SPREAD},
    [TABLES_RATIO] = {"speed", "speed against the reference", "", TABLE_RATIO},
};

static struct table_value value_of(const struct summary_row *row, enum tables_what what)
{
	if (!row || !row->ntrials)
		return table_of_none();
	const struct stats_interval busbw = summary_busbw(row);
	switch (what) {
	case TABLES_RATIO:
		return CELL(&row->ratio);
	case TABLES_P50:
		return CELL(row->p50_us);
	case TABLES_P95:
		return CELL(&row->p95_us);
	case TABLES_P99:
		return CELL(&row->p99_us);
	default:
		return isnan(row->busbw_gbs)
		           ? table_of_spread(row->time_us, row->time_us_lo, row->time_us_hi)
		           : table_of_interval(&busbw);
	}
}

static void by_size_title(const struct model *m, unsigned group, enum tables_what what,
                          char *text, size_t bytes)
{
	const struct summary *s = &m->summary;
	const struct summary_group *g = &s->groups[group];
	const char *head = whats[what].head, *unit = whats[what].unit;
	if (what == TABLES_VALUE) {
		head = shows_time(s, g) ? "time per call" : "bus bandwidth";
		unit = shows_time(s, g) ? "µs" : "GB/s";
	}
	snprintf(text, bytes, "%s: %s%s%s", coll_title(&g->cell, g->nranks).text, head,
	         *unit ? ", " : "", unit);
}

/* Whether the table has a line of the variant. */
static bool is_shown(const struct summary *s, unsigned group, unsigned v, enum tables_what what)
{
	if (!s->variants[v].measured || (what == TABLES_RATIO && !summary_has_ratio(s, v)))
		return false;
	for (unsigned i = 0; i < s->nrows; i++)
		if (s->rows[i].group == group && s->rows[i].variant == v)
			return what != TABLES_P99 || isfinite(s->rows[i].p99_us.estimate);
	return false;
}

static void line_name(const struct summary *s, unsigned v, char *text, size_t bytes)
{
	bool twin = s->variants[v].role == ROLE_AGAIN && s->reference >= 0;
	if (twin)
		snprintf(text, bytes, "A/A: %s again", s->variants[s->reference].name);
	else
		snprintf(text, bytes, "%s", s->variants[v].name);
}

struct table *tables_by_size(const struct model *m, unsigned group, enum tables_what what)
{
	const struct summary *s = &m->summary;
	const struct summary_group *g = &s->groups[group];
	enum table_kind kind = whats[what].kind;
	char name[160], title[256], text[TRIAL_NAME_BYTES + 16];
	unsigned shown = 0;
	for (unsigned v = 0; v < s->nvariants; v++)
		shown += is_shown(s, group, v, what);
	snprintf(name, sizeof name, "%s_%s_%s", whats[what].name,
	         coll_word(&g->cell, g->nranks).text, coll_pace_name(g->cell.pace));
	by_size_title(m, group, what, title, sizeof title);
	struct table *t = table_new(name, title);
	if (!shown) /* as of the limit, which nothing is held against */
		return t;
	bool rows = shown > MOST_BESIDE; /* variants in rows */
	table_column(t, rows ? "variant" : "asked_bytes", rows ? "variant" : "size", "",
	             rows ? TABLE_TEXT : TABLE_BYTES);
	for (unsigned i = 0; i < g->nsizes && rows; i++) {
		char key[32];
		snprintf(key, sizeof key, "%zu", g->asked_bytes[i]);
		table_column(t, key, words_size(g->asked_bytes[i]).text, "", kind);
	}
	for (unsigned v = 0; v < s->nvariants && !rows; v++)
		if (is_shown(s, group, v, what)) {
			line_name(s, v, text, sizeof text);
			table_column(t, s->variants[v].name, text, "", kind);
		}
	for (unsigned v = 0; v < s->nvariants && rows; v++) {
		if (!is_shown(s, group, v, what))
			continue;
		table_row(t);
		line_name(s, v, text, sizeof text);
		TABLE_PUT(t, CELL(text));
		for (unsigned i = 0; i < g->nsizes; i++)
			TABLE_PUT(t, value_of(index_at(s, v, group, i), what));
	}
	for (unsigned i = 0; i < g->nsizes && !rows; i++) {
		TABLE_ROW(t, CELL(g->asked_bytes[i]));
		for (unsigned v = 0; v < s->nvariants; v++)
			if (is_shown(s, group, v, what))
				TABLE_PUT(t, value_of(index_at(s, v, group, i), what));
	}
	return t;
}
