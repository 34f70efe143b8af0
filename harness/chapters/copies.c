/* Plain copies over one link: what a GPU's link to CPU memory carries, and the links between GPUs,
 * without a library.
 *
 * Of each way that was measured and each variant: bandwidth is of a stream of the largest size, latency
 * p50 of isolated calls of the smallest. Of pairs of ranks the median, least and most. A chase's time
 * is its number of loads times the latency of one. */
#include <math.h>

#include "../analysis/analysis.h"
#include "../analysis/rank_links.h"
#include "chapters.h"

enum { COPIES = 1, LOADS = 2 };

/* A way in a variant, and of pairs each class of links. */
struct row {
	const char *way, *variant, *by, *class;
	unsigned pairs; /* of ranks; ENTRY_NO_COUNT: all ranks at once, each with its own memory */
	double gbs, gbs_min, gbs_max, limit_gbs, share, p50_us, load_ns;
	size_t bytes, small_bytes;
	unsigned when;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, way, "from, to", "", TEXT),
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, by, "by", "", TEXT),
    COLUMN_AS(struct row, class, "class", "link", "", TEXT, ONLY_FILLED),
    COLUMN_AS(struct row, pairs, "pairs", "pairs", "", COUNT, ONLY_FILLED),
    COLUMN(struct row, gbs, "one way", "GB/s", NUMBER),
    COLUMN_AS(struct row, gbs_min, "gbs_min", "least", "GB/s", NUMBER, ONLY_FILLED),
    COLUMN_AS(struct row, gbs_max, "gbs_max", "most", "GB/s", NUMBER, ONLY_FILLED),
    COLUMN_AS(struct row, limit_gbs, "limit_gbs", "theoretical", "GB/s", NUMBER, ONLY_FILLED),
    COLUMN_AS(struct row, share, "share", "of it", "", SHARE, ONLY_FILLED),
    COLUMN(struct row, p50_us, "p50", "µs", NUMBER),
    COLUMN_AS(struct row, load_ns, "load_ns", "a load", "ns", NUMBER, ONLY_FILLED),
    COLUMN_AS(struct row, bytes, "bytes", "bandwidths of", "", BYTES, ONLY_FILES),
    COLUMN_AS(struct row, small_bytes, "small_bytes", "times of", "", BYTES, ONLY_FILES),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "copies", .title = "Plain copies",
               .when = offsetof(struct row, when), .file = "copies.csv", .drawn = STORY_ARRAYS);

static const struct sentence sentences[] = {
    {STORY_ANSWER | STORY_CAPTION, COPIES,
     "{way}[: {gbs} GB/s by {by}[, {share} of the link's {limit_gbs}]|, {gbs} by {by}][ ({bytes})|]"
     "[; p50 of {small_bytes}: {p50_us} µs|, {p50_us}]."},
    {STORY_ANSWER | STORY_CAPTION, LOADS,
     "{way}[: a load takes {load_ns} ns by {by}|, {load_ns} by {by}]."},
};

/* Each pair. */
struct pair {
	const char *way, *variant, *class;
	unsigned from, to;
	struct stats_interval gbs; /* quartiles over blocks */
	double p50_us, load_ns, limit_gbs;
	size_t bytes, small_bytes;
	enum coll_kind coll;
	unsigned at; /* of the variant */
};
static const struct column pair_columns[] = {
    COLUMN(struct pair, way, "from, to", "", TEXT),
    COLUMN(struct pair, from, "from", "", COUNT),
    COLUMN(struct pair, to, "to", "", COUNT),
    COLUMN(struct pair, class, "link", "", TEXT),
    COLUMN(struct pair, variant, "variant", "", TEXT),
    COLUMN(struct pair, gbs, "one way", "GB/s", SPREAD),
    COLUMN(struct pair, p50_us, "p50", "µs", NUMBER),
    COLUMN_AS(struct pair, load_ns, "load_ns", "a load", "ns", NUMBER, ONLY_FILLED),
    COLUMN_AS(struct pair, limit_gbs, "limit_gbs", "theoretical", "GB/s", NUMBER, ONLY_FILES),
};
static const struct story_form pair_form =
    STORY_FORM(struct pair, pair_columns, .name = "copy_pairs", .title = "Plain copies, pair by pair",
               .when = STORY_NO_WHEN, .file = "copy_pairs.csv");
// clang-format on

struct copies {
	const struct summary *s;
	struct arena *arena;
	struct rank_links links;
	struct pair *found; /* of ways within a rank too: from and to are ENTRY_NO_COUNT */
	unsigned n;
};

static const char *way_of(enum coll_kind coll, bool gpus)
{
	switch (coll) {
	case COLL_TO_DEVICE:
		return gpus ? "CPU memory to GPU" : "CPU memory to itself (to_device)";
	case COLL_TO_HOST:
		return gpus ? "GPU to CPU memory" : "CPU memory to itself (to_host)";
	case COLL_PAIR_COPY:
		return gpus ? "GPU to GPU" : "Rank to rank";
	default:
		return gpus ? "GPU to GPU through CPU memory" : "Rank to rank (pair_staged)";
	}
}

static const char *by_of(enum coll_kind coll, const struct settings *set, bool gpus)
{
	static const char *const own[] = {"the copy engine", "a kernel", "one thread"},
	                         *const both[] = {"both copy engines", "both kernels", ""},
	                         *const source[] = {"the source's copy engine",
	                                            "the source's kernel", ""},
	                         *const reader[] = {"the destination's copy engine",
	                                            "the destination's kernel",
	                                            "one thread of the destination"};
	if (!gpus)
		return "a core";
	if (coll == COLL_PAIR_STAGED)
		return both[set->engine];
	if (coll != COLL_PAIR_COPY)
		return own[set->engine];
	return (set->peer == PEER_READ || set->engine == ENGINE_CHASE ? reader
	                                                              : source)[set->engine];
}

/* The narrowest link of all ranks to their CPU memory. */
static double host_limit(const struct rank_links *links)
{
	double least = NAN;
	for (unsigned r = 0; r < links->nranks; r++)
		if (isnan(least) || links->ranks[r].pcie_gbs < least)
			least = links->ranks[r].pcie_gbs;
	return least;
}

static struct pair *pair_of(struct copies *c, const struct summary_group *g, unsigned variant)
{
	const bool pairs = coll_info(g->cell.coll)->is & COLL_PAIRS;
	const unsigned from = pairs ? value_pair_from(g->cell.root) : ENTRY_NO_COUNT,
	               to = pairs ? value_pair_to(g->cell.root, g->nranks) : ENTRY_NO_COUNT,
	               n = c->links.nranks;
	const struct links_pair *link = g->cell.coll == COLL_PAIR_COPY && from < n && to < n
	                                    ? &c->links.pairs[from * n + to]
	                                    : NULL;
	for (unsigned i = 0; i < c->n; i++)
		if (c->found[i].at == variant && c->found[i].coll == g->cell.coll &&
		    c->found[i].from == from && c->found[i].to == to)
			return &c->found[i];
	struct pair *p = &c->found[c->n++];
	story_clear(&pair_form, p);
	p->way = way_of(g->cell.coll, record_traits(c->s->run, NULL)->gpus);
	p->variant = c->s->variants[variant].name;
	p->class = link && link->class != LINKS_UNKNOWN ? links_info(link->class)->name : "";
	p->from = from;
	p->to = to;
	p->limit_gbs = g->cell.coll == COLL_PAIR_COPY ? link ? link->theoretical_gbs : NAN
	                                              : host_limit(&c->links);
	p->bytes = p->small_bytes = ENTRY_NO_BYTES;
	p->coll = g->cell.coll;
	p->at = variant;
	return p;
}

static void take(struct copies *c, const struct summary_group *g, unsigned group, unsigned variant)
{
	const struct summary_row *least = index_at(c->s, variant, group, 0),
	                         *most = index_at(c->s, variant, group, g->nsizes - 1);
	const struct settings *set = &c->s->run->variants[variant].settings;
	const struct summary_row *row = g->cell.pace == PACE_STREAM ? most : least;
	if (!row || !row->ntrials)
		return;
	struct pair *p = pair_of(c, g, variant);
	if (g->cell.pace != PACE_STREAM) {
		p->p50_us = row->p50_us;
		p->small_bytes = row->cell.bytes;
		return;
	}
	p->gbs = summary_busbw(row);
	p->bytes = row->cell.bytes;
	if (set->engine == ENGINE_CHASE)
		p->load_ns = 1e3 * row->time_us * (double)coll_dtype_bytes(row->cell.dtype) /
		             (double)row->cell.bytes;
}

/* Reading or writing is no choice of a way that has one GPU at each end of a link: of two variants that
 * differ in that alone, one says it. */
static bool is_twin(const struct copies *c, enum coll_kind coll, unsigned variant)
{
	const struct settings *set = &c->s->run->variants[variant].settings;
	for (unsigned v = 0; coll != COLL_PAIR_COPY && v < c->s->nvariants; v++) {
		struct settings other = c->s->run->variants[v].settings;
		if (v == variant || other.peer == set->peer || set->peer == PEER_WRITE ||
		    !c->s->variants[v].measured)
			continue;
		other.peer = set->peer;
		if (!settings_differ(&other, set, (char[256]){""}, 256))
			return true;
	}
	return false;
}

static void make(struct copies *c)
{
	const struct summary *s = c->s;
	c->found = ARENA_ARRAY(c->arena, struct pair, (size_t)s->ngroups * s->nvariants + 1);
	for (unsigned g = 0; g < s->ngroups; g++) {
		const struct summary_group *group = &s->groups[g];
		if (!(coll_info(group->cell.coll)->is & COLL_RAW) || group->limit ||
		    (group->cell.comm_ranks && group->cell.comm_ranks != group->nranks))
			continue;
		for (unsigned v = 0; v < s->nvariants; v++)
			if (s->variants[v].measured && summary_is_asked(s, v) &&
			    !is_twin(c, group->cell.coll, v))
				take(c, group, g, v);
	}
}

/* The pairs of one way, variant and class as one row. */
static void fold(const struct copies *c, const struct pair *first, struct row *out)
{
	const struct settings *set = &c->s->run->variants[first->at].settings;
	double *x = ARENA_ARRAY(c->arena, double, 4 * c->n + 1), lo, hi;
	double *gbs = x, *us = x + c->n, *ns = x + 2 * c->n, *limit = x + 3 * c->n;
	unsigned n = 0;
	for (const struct pair *p = first; p < c->found + c->n; p++) {
		if (p->coll != first->coll || p->at != first->at || p->class != first->class)
			continue;
		gbs[n] = p->gbs.estimate;
		us[n] = p->p50_us;
		ns[n] = p->load_ns;
		limit[n++] = p->limit_gbs;
	}
	story_clear(&form, out);
	out->way = first->way;
	out->variant = first->variant;
	out->by = by_of(first->coll, set, record_traits(c->s->run, NULL)->gpus);
	out->class = first->class;
	stats_spread(us, n, &lo, &out->p50_us, &hi);
	stats_spread(ns, n, &lo, &out->load_ns, &hi);
	stats_spread(limit, n, &lo, &out->limit_gbs, &hi);
	stats_spread(gbs, n, &out->gbs_min, &out->gbs, &out->gbs_max);
	out->share = out->gbs / out->limit_gbs;
	if (coll_info(first->coll)->is & COLL_PAIRS)
		out->pairs = n;
	for (unsigned i = 0; i < n; i++) {
		out->gbs_min = gbs[i] < out->gbs_min ? gbs[i] : out->gbs_min;
		out->gbs_max = gbs[i] > out->gbs_max ? gbs[i] : out->gbs_max;
	}
	if (n == 1)
		out->gbs_min = out->gbs_max = NAN;
	out->bytes = first->bytes;
	out->small_bytes = first->small_bytes;
	out->when = set->engine == ENGINE_CHASE ? LOADS : COPIES;
	if (out->when == LOADS)
		out->gbs = out->gbs_min = out->gbs_max = out->share = out->limit_gbs = NAN;
}

/* Whether an earlier one is of the same row. */
static bool is_folded(const struct copies *c, const struct pair *p)
{
	for (const struct pair *q = c->found; q < p; q++)
		if (q->coll == p->coll && q->at == p->at && q->class == p->class)
			return true;
	return false;
}

static void tell(const struct analysis *a, struct story *story)
{
	struct copies c = {
	    .s = a->s, .arena = story->arena, .links = rank_links_any(a->s, story->arena)};
	unsigned n = 0, npairs = 0;
	make(&c);
	struct row *rows = ARENA_ARRAY(story->arena, struct row, c.n + 1);
	struct pair *pairs = ARENA_ARRAY(story->arena, struct pair, c.n + 1);
	for (unsigned i = 0; i < c.n; i++) {
		if (!is_folded(&c, &c.found[i]))
			fold(&c, &c.found[i], &rows[n++]);
		if (c.found[i].from != ENTRY_NO_COUNT)
			pairs[npairs++] = c.found[i];
	}
	const struct story_table *t = story_table(story, &form, rows, n);
	STORY_TELL(story, t, sentences);
	if (!n)
		return;
	story_lead(story, t, "way by gbs share p50_us load_ns");
	story_leads_unasked(story);
	story_picture(story, "copies", true);
	story_table(story, &pair_form, pairs, npairs);
	story_note(
	    story, STORY_BODY,
	    "Copies without a library. CPU memory is pinned. All ranks copy to and from it at "
	    "once; of pairs one copies at a time. GB/s: a stream of the largest size. p50: "
	    "isolated calls of the smallest, launching included. A load: one thread of the "
	    "GPU waits for each before the next.");
	story_files(story, "As files");
}

const struct chapter chapter_copies = {"copies", "Plain copies", CHAPTER_FRONT, tell};
