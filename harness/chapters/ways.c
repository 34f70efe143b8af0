/* Ways to carry one collective out, each in several launch modes: whether a way makes the modes equal, and what
 * it gives in the slowest of them. A way is all variants that differ in how they are launched alone. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "chapters.h"
#include "run.h"

#define WAYS_LEAST  4 /* with MODES_LEAST modes each: what a file is about that has so many */
#define MODES_LEAST 3
#define SMALL_BYTES ((size_t)4 << 10)
#define MIDDLE      64 /* the middle size: the largest one divided by it */

/* A variant at three sizes. */
struct point {
	const char *way, *variant, *mode;
	unsigned nth; /* of its way, from 1 */
	double p50_us, middle_gbs, large_gbs;
	size_t small_bytes, middle_bytes, large_bytes;
	unsigned at;
};

struct row {
	const char *way, *modes;
	double p50_least, p50_most, middle_least, middle_most, large_least, large_most;
	double apart; /* the fastest mode's bandwidth ÷ the slowest one's, at the largest size */
	size_t small_bytes, middle_bytes, large_bytes;
	unsigned nmodes;
};

// clang-format off
static const struct column point_columns[] = {
    COLUMN(struct point, way, "way", "", TEXT),
    COLUMN(struct point, variant, "variant", "", TEXT),
    COLUMN(struct point, mode, "mode", "", TEXT),
    COLUMN(struct point, nth, "place", "", COUNT),
    COLUMN(struct point, p50_us, "small: p50", "µs", NUMBER),
    COLUMN(struct point, middle_gbs, "middle", "GB/s", NUMBER),
    COLUMN(struct point, large_gbs, "large", "GB/s", NUMBER),
    COLUMN(struct point, small_bytes, "small", "", BYTES),
    COLUMN(struct point, middle_bytes, "middle", "", BYTES),
    COLUMN(struct point, large_bytes, "large", "", BYTES),
};
static const struct story_form point_form =
    STORY_FORM(struct point, point_columns, .name = "way_points", .title = "Each way in each mode", .when = STORY_NO_WHEN, .file = "ways.csv", .hidden = true, .drawn = STORY_ARRAYS);

static const struct column columns[] = {
    COLUMN(struct row, way, "way", "", TEXT),
    COLUMN_AS(struct row, modes, "modes", "modes", "", TEXT, ONLY_WIDE),
    COLUMN(struct row, p50_least, "small: p50 from", "µs", NUMBER),
    COLUMN(struct row, p50_most, "to", "µs", NUMBER),
    COLUMN(struct row, middle_least, "middle: from", "GB/s", NUMBER),
    COLUMN(struct row, middle_most, "to", "GB/s", NUMBER),
    COLUMN(struct row, large_least, "large: from", "GB/s", NUMBER),
    COLUMN(struct row, large_most, "to", "GB/s", NUMBER),
    COLUMN(struct row, apart, "apart", "times", NUMBER),
    COLUMN_AS(struct row, small_bytes, "small_bytes", "small", "", BYTES, ONLY_FILES),
    COLUMN_AS(struct row, middle_bytes, "middle_bytes", "middle", "", BYTES, ONLY_FILES),
    COLUMN_AS(struct row, large_bytes, "large_bytes", "large", "", BYTES, ONLY_FILES),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "ways", .title = "Each way over the modes", .when = STORY_NO_WHEN);
// clang-format on

/* Whether two variants differ in nothing but how they are launched. */
static bool is_one_way(const struct summary *s, unsigned a, unsigned b)
{
	static const char *const placing[] = {"mode", "layout", "launcher", "force"};
	char keys[256], *rest = keys, *key;
	bool all = true;
	settings_differ(&s->run->variants[a].settings, &s->run->variants[b].settings, keys,
	                sizeof keys);
	while (all && (key = strsep(&rest, ","))) {
		key += strspn(key, " ");
		all = !*key;
		for (unsigned i = 0; i < sizeof placing / sizeof *placing; i++)
			all = all || !strcmp(key, placing[i]);
	}
	return all && !strcmp(s->variants[a].library, s->variants[b].library);
}

/* The variant's name without that of its mode in front. */
static const char *way_of(const struct summary *s, unsigned v)
{
	const char *name = s->variants[v].name, *mode = s->variants[v].mode;
	const size_t n = strlen(mode);
	if (strncmp(name, mode, n) || (name[n] && name[n] != '-'))
		return name;
	return name[n] ? name + n + 1 : "as it comes";
}

/* The first group of that pace, and of that collective where one is said; -1: none. */
static int group_of(const struct summary *s, enum pace pace, int coll)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].cell.pace == pace && !s->groups[g].limit &&
		    (coll < 0 || (int)s->groups[g].cell.coll == coll))
			return (int)g;
	return -1;
}

/* The first size that is as large as that, or the last one. */
static unsigned size_from(const struct summary_group *g, size_t bytes)
{
	unsigned i = 0;
	while (i + 1 < g->nsizes && g->asked_bytes[i] < bytes)
		i++;
	return i;
}

static void measure(const struct summary *s, unsigned v, struct point *out)
{
	const int stream = group_of(s, PACE_STREAM, -1);
	const struct summary_group *g = &s->groups[stream];
	const unsigned large = g->nsizes - 1, middle = size_from(g, g->asked_bytes[large] / MIDDLE);
	const struct summary_row *most = index_at(s, v, (unsigned)stream, large),
	                         *half = index_at(s, v, (unsigned)stream, middle);
	const int single = group_of(s, PACE_ISOLATED, (int)g->cell.coll);
	out->large_bytes = g->asked_bytes[large];
	out->middle_bytes = g->asked_bytes[middle];
	out->large_gbs = most && most->ntrials ? most->busbw_gbs : NAN;
	out->middle_gbs = half && half->ntrials ? half->busbw_gbs : NAN;
	if (single < 0)
		return;
	const struct summary_group *calls = &s->groups[single];
	const unsigned small = size_from(calls, SMALL_BYTES);
	const struct summary_row *least = index_at(s, v, (unsigned)single, small);
	out->small_bytes = calls->asked_bytes[small];
	out->p50_us = least && least->ntrials ? least->p50_us : NAN;
}

/* All variants that count, way after way. */
static unsigned collect(const struct summary *s, struct point *points)
{
	unsigned n = 0, nways = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		unsigned first = 0;
		if (!summary_is_asked(s, v) || !s->variants[v].measured)
			continue;
		while (first < n && !is_one_way(s, points[first].at, v))
			first++;
		struct point *p = &points[n];
		story_clear(&point_form, p);
		p->at = v;
		p->variant = s->variants[v].name;
		p->mode = s->variants[v].mode;
		p->way = first < n ? points[first].way : way_of(s, v);
		p->nth = first < n ? points[first].nth : ++nways;
		measure(s, v, p);
		n++;
	}
	return n;
}

static void extend(double value, double *least, double *most)
{
	*least = fmin(*least, value);
	*most = fmax(*most, value);
}

/* A row for each way; returns how many have the modes that make the file one about ways. */
static unsigned fold(const struct point *points, unsigned n, struct arena *arena, struct row *rows,
                     unsigned *nrows)
{
	unsigned full = 0;
	*nrows = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct point *p = &points[i];
		struct row *row = &rows[p->nth - 1];
		if (p->nth > *nrows) {
			story_clear(&form, row);
			row->way = p->way;
			row->modes = "";
			row->nmodes = 0;
			row->small_bytes = p->small_bytes;
			row->middle_bytes = p->middle_bytes;
			row->large_bytes = p->large_bytes;
			*nrows = p->nth;
		}
		row->modes =
		    arena_text(arena, "%s%s%s", row->modes, *row->modes ? ", " : "", p->mode);
		full += ++row->nmodes == MODES_LEAST;
		extend(p->p50_us, &row->p50_least, &row->p50_most);
		extend(p->middle_gbs, &row->middle_least, &row->middle_most);
		extend(p->large_gbs, &row->large_least, &row->large_most);
		row->apart = row->nmodes > 1 ? row->large_most / row->large_least : NAN;
	}
	return full;
}

/* The way whose slowest mode has the most bandwidth. */
static unsigned best_of(const struct row *rows, unsigned n)
{
	unsigned best = 0;
	for (unsigned i = 1; i < n; i++)
		if (rows[i].nmodes >= MODES_LEAST && rows[i].large_least > rows[best].large_least)
			best = i;
	return best;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct point *points = ARENA_ARRAY(story->arena, struct point, s->nvariants + 1);
	struct row *rows = ARENA_ARRAY(story->arena, struct row, s->nvariants + 1);
	unsigned nrows = 0;
	const bool compares = !s->uncompared.kind;
	if (group_of(s, PACE_STREAM, -1) < 0)
		return;
	const unsigned n = collect(s, points);
	if (fold(points, n, story->arena, rows, &nrows) < WAYS_LEAST)
		return;
	story_table(story, &point_form, points, n);
	for (unsigned i = 0; i < nrows && !compares; i++)
		rows[i].apart = NAN;
	const struct story_table *t = story_table(story, &form, rows, nrows);
	const unsigned two[] = {0, best_of(rows, nrows)};
	if (compares)
		story_lead(story, t, "way p50_least p50_most large_least large_most");
	story_picture(story, "ways", compares);
	if (two[1] && compares)
		story_say(
		    story, STORY_CAPTION, t, two, 2,
		    "At {0.large_bytes} {1.way} reaches {1.large_least} to {1.large_most} GB/s "
		    "over the modes, {0.way} {0.large_least} to {0.large_most}.");
	if (compares)
		story_say(story, STORY_MEASURED, t, two, 1,
		          "Small: p50 of isolated calls of {small_bytes}; large: bus bandwidth of "
		          "calls back to back, of {large_bytes}. From, to: the least and the most "
		          "of the launch modes.");
	story_say(story, STORY_BODY, t, two, 1,
	          "Small: p50 of isolated calls of {small_bytes}; middle and large: bus bandwidth "
	          "of calls back to back, of {middle_bytes} and {large_bytes}. From, to: the "
	          "least and the most of the launch modes.");
	story_note(story, STORY_BODY,
	           "A way is all variants that differ in how they are launched alone. Medians over "
	           "blocks: claims and factors say what differs.");
	story_files(story, "As a file");
}

const struct chapter chapter_ways = {"ways", "Ways and modes", CHAPTER_FRONT, tell};
