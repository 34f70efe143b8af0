/* Ping-pong: the round-trip time of a message between two ranks, in each variant.
 *
 * Latency is of isolated calls of the smallest size. Bandwidth is of a stream of the largest: bytes
 * both ways over the round-trip time, which is the bandwidth of one way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/rank_links.h"
#include "chapters.h"

/* A pair in a variant. */
struct row {
	unsigned first, second; /* ranks; the first one begins */
	const char *variant, *pair, *class;
	double one_way_us, round_us; /* p50 of the round trip; half of it is one way */
	struct stats_interval p95_us, p99_us;
	double stream_us;          /* round trips, one call after the other */
	struct stats_interval gbs; /* one way; quartiles over blocks */
	double share;
	unsigned at; /* of the variant */
	enum links_class is;
};

// clang-format off
static const struct column columns[] = {
    COLUMN_AS(struct row, first, "first", "", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct row, second, "second", "", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct row, variant, "variant", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, pair, "pair", "ranks, variant", "", TEXT, ONLY_PEOPLE),
    COLUMN(struct row, class, "class", "", TEXT),
    COLUMN(struct row, one_way_us, "one way", "µs", NUMBER),
    COLUMN(struct row, round_us, "there and back, p50", "µs", NUMBER),
    COLUMN(struct row, p95_us, "p95", "µs", SPREAD),
    COLUMN(struct row, p99_us, "p99", "µs", SPREAD),
    COLUMN(struct row, stream_us, "back to back", "µs", NUMBER),
    COLUMN(struct row, gbs, "one way", "GB/s", SPREAD),
    COLUMN(struct row, share, "of the theoretical", "", SHARE),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "pingpong", .title = "Ping-pong, each pair in each variant",
               .when = STORY_NO_WHEN, .file = "pingpong.csv", .drawn = STORY_ARRAYS);

/* All pairs of a class in a variant: medians. */
struct class {
	const char *class, *variant;
	unsigned pairs;
	double round_us, gbs;
	size_t small_bytes, bytes;
};

static const struct column class_columns[] = {
    COLUMN(struct class, class, "class", "", TEXT),
    COLUMN(struct class, variant, "variant", "", TEXT),
    COLUMN(struct class, pairs, "pairs", "", COUNT),
    COLUMN(struct class, round_us, "there and back", "µs", NUMBER),
    COLUMN(struct class, gbs, "one way", "GB/s", NUMBER),
    COLUMN(struct class, small_bytes, "times of", "", BYTES),
    COLUMN(struct class, bytes, "bandwidths of", "", BYTES),
};
static const struct story_form class_form =
    STORY_FORM(struct class, class_columns, .name = "pingpong_classes", .title = "Ping-pong, by class of links",
               .when = STORY_NO_WHEN, .hidden = true, .drawn = STORY_ARRAYS);

/* All variants of a class side by side. */
static const struct sentence sentences[] = {
    {STORY_ANSWER | STORY_CAPTION, 0,
     "Ping-pong, {class}, {pairs} pair{pairs:s}[: there and back {round_us} µs in {variant}|, {round_us} µs in {variant}]"
     "[ ({small_bytes}, half is one way)|][; one way {gbs}|, {gbs}][ GB/s ({bytes})|]."},
};
// clang-format on

/* The result so far; sizes ENTRY_NO_BYTES: not measured. */
struct pingpong {
	const struct summary *s;
	struct arena *arena;
	struct rank_links links;
	struct row *rows;
	unsigned n;
	size_t small_bytes, bytes;
};

static bool is_shown(const struct summary *s, unsigned variant)
{
	return s->variants[variant].measured && summary_is_asked(s, variant);
}

static bool is_of(const struct summary_group *g)
{
	return g->cell.coll == COLL_PINGPONG && !g->limit &&
	       (!g->cell.comm_ranks || g->cell.comm_ranks == g->nranks);
}

/* The pair's row in the variant; its link is that of the reference's ranks. */
static struct row *row_of(struct pingpong *p, const struct summary_group *g, unsigned variant)
{
	const unsigned first = value_pair_from(g->cell.root),
	               second = value_pair_to(g->cell.root, g->nranks), n = p->links.nranks;
	const struct links_pair *link =
	    first < n && second < n ? &p->links.pairs[first * n + second] : NULL;
	char brief[64] = "?";
	for (unsigned i = 0; i < p->n; i++)
		if (p->rows[i].at == variant && p->rows[i].first == first &&
		    p->rows[i].second == second)
			return &p->rows[i];
	if (link)
		links_brief(link, brief, sizeof brief);
	struct row *row = &p->rows[p->n++];
	story_clear(&form, row);
	row->first = first;
	row->second = second;
	row->variant = p->s->variants[variant].name;
	row->pair = arena_text(p->arena, "%u–%u %s", first, second, row->variant);
	row->class = arena_copy(p->arena, brief);
	row->share = link ? link->theoretical_gbs : NAN;
	row->at = variant;
	row->is = link ? link->class : LINKS_UNKNOWN;
	return row;
}

static void take(struct pingpong *p, const struct summary_group *g, unsigned group,
                 unsigned variant)
{
	const struct summary_row *least = index_at(p->s, variant, group, 0),
	                         *most = index_at(p->s, variant, group, g->nsizes - 1);
	const bool stream = g->cell.pace == PACE_STREAM;
	if (!stream && (!least || !least->ntrials))
		return;
	struct row *row = row_of(p, g, variant);
	if (!stream) {
		row->round_us = least->p50_us;
		row->one_way_us = least->p50_us / 2;
		row->p95_us = least->p95_us;
		row->p99_us = least->p99_us;
		p->small_bytes = least->cell.bytes;
		return;
	}
	if (least && least->ntrials)
		row->stream_us = least->time_us;
	if (!most || !most->ntrials)
		return;
	row->gbs = summary_busbw(most);
	p->bytes = most->cell.bytes;
}

static int by_pair(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->second != b->second)
		return a->second < b->second ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static void make(struct pingpong *p)
{
	const struct summary *s = p->s;
	p->rows = ARENA_ARRAY(p->arena, struct row, (size_t)s->ngroups * s->nvariants + 1);
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; is_of(&s->groups[g]) && v < s->nvariants; v++)
			if (is_shown(s, v))
				take(p, &s->groups[g], g, v);
	qsort(p->rows, p->n, sizeof *p->rows, by_pair);
	for (unsigned i = 0; i < p->n; i++)
		p->rows[i].share = p->rows[i].gbs.estimate / p->rows[i].share;
}

/* By class, and by variant in each class; returns how many. */
static unsigned make_classes(const struct pingpong *p, struct class *out)
{
	double *us = ARENA_ARRAY(p->arena, double, 2 * p->n + 1), *gbs = us + p->n, lo, hi;
	unsigned n = 0;
	for (unsigned class = 0; class < LINKS_CLASSES; class ++)
		for (unsigned v = 0; v < p->s->nvariants; v++) {
			struct class *c = &out[n];
			*c = (struct class){.class =
			                        class == LINKS_UNKNOWN
			                            ? "links not known"
			                            : links_info((enum links_class) class)->name,
			                    .variant = p->s->variants[v].name,
			                    .small_bytes = p->small_bytes,
			                    .bytes = p->bytes};
			for (unsigned i = 0; i < p->n; i++) {
				if (p->rows[i].is != class || p->rows[i].at != v)
					continue;
				us[c->pairs] = p->rows[i].round_us;
				gbs[c->pairs++] = p->rows[i].gbs.estimate;
			}
			if (!c->pairs)
				continue;
			stats_spread(us, c->pairs, &lo, &c->round_us, &hi);
			stats_spread(gbs, c->pairs, &lo, &c->gbs, &hi);
			n++;
		}
	return n;
}

static void tell(const struct analysis *a, struct story *story)
{
	struct pingpong p = {.s = a->s,
	                     .arena = story->arena,
	                     .links = rank_links_make(a->s, story->arena),
	                     .small_bytes = ENTRY_NO_BYTES,
	                     .bytes = ENTRY_NO_BYTES};
	make(&p);
	struct class *classes =
	    ARENA_ARRAY(story->arena, struct class, (size_t)LINKS_CLASSES * a->s->nvariants + 1);
	const unsigned n = make_classes(&p, classes);
	const struct story_table *t = story_table(story, &class_form, classes, n);
	STORY_TELL(story, t, sentences);
	if (!n)
		return;
	story_table(story, &form, p.rows, p.n);
	story_lead(story, t, "class variant round_us gbs");
	story_leads_unasked(story);
	story_picture(story, "pingpong", true);
	story_say_row(
	    story, STORY_BODY, t, classes,
	    "One rank sends, the other sends the same back, and nobody else sends.[ There "
	    "and back: isolated calls of {small_bytes}, launching included; one way is "
	    "half of it. Back to back: the same size without a pause between two calls, "
	    "so that launching is hidden where it is faster.][ GB/s: one way, {bytes}.]");
	story_files(story, "As a file");
}

const struct chapter chapter_pingpong = {"pingpong", "Ping-pong", CHAPTER_FRONT, tell};
