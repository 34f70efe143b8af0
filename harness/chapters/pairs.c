/* Pairs of ranks, in each direction: what they reach alone and all at once, which are slow, and
 * where all traffic meets.
 *
 * The figures come from the reference's cells. `pair` gives a pair alone (bandwidth: stream at the
 * largest size; latency: isolated at the smallest). `alltoall` gives all at once (what each rank
 * receives from each other, by the receiver's own end).
 *
 * A pair is called slow if the upper quartile of its bandwidth is below SLOW of its class's median,
 * or of the reverse direction's lower quartile, or below what its class should reach. It is also
 * slow if its p50 is more than LATE times the class's median. With fewer pairs of the class than
 * IN_CLASS there is no median to compare it with. Without quartiles nothing is called slow. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/rank_evidence.h"
#include "../analysis/rank_links.h"
#include "../story/format.h"
#include "chapters.h"

#define SLOW          0.8
#define LATE          1.5
#define IN_CLASS      4
#define MOST_NAMED    24 /* remarks in the section; more are in the table */
#define MOST_ANSWERED 3  /* in the answer; beyond this it gives the number */

struct pair {
	unsigned from, to;
	const char *class, *brief, *via, *remark; /* via: by the library's log */
	size_t small_bytes, bytes;
	double p50_us, theoretical_gbs, share, all_gbs; /* all: while all send to all */
	struct stats_interval p95_us, p99_us, gbs;      /* gbs: alone; quartiles over blocks */
	enum links_class is;
	unsigned named; /* whether sentences have its remark */
};

// clang-format off
static const struct column pair_columns[] = {
    COLUMN(struct pair, from, "from", "", COUNT),
    COLUMN(struct pair, to, "to", "", COUNT),
    COLUMN_AS(struct pair, class, "class", "class", "", TEXT, ONLY_FILES),
    COLUMN(struct pair, brief, "class", "", TEXT),
    COLUMN(struct pair, via, "path, by the log", "", TEXT),
    COLUMN_AS(struct pair, small_bytes, "small_bytes", "times of", "", BYTES, ONLY_FILES),
    COLUMN(struct pair, p50_us, "p50", "µs", NUMBER),
    COLUMN(struct pair, p95_us, "p95", "µs", SPREAD),
    COLUMN(struct pair, p99_us, "p99", "µs", SPREAD),
    COLUMN_AS(struct pair, bytes, "bytes", "bandwidths of", "", BYTES, ONLY_FILES),
    COLUMN(struct pair, gbs, "alone", "GB/s", SPREAD),
    COLUMN_AS(struct pair, theoretical_gbs, "theoretical_gbs", "theoretical", "GB/s", NUMBER, ONLY_FILES),
    COLUMN(struct pair, share, "of the theoretical", "", SHARE),
    COLUMN(struct pair, all_gbs, "all at once", "GB/s", NUMBER),
    COLUMN(struct pair, remark, "remark", "", TEXT),
};
static const struct story_form pair_form =
    STORY_FORM(struct pair, pair_columns, .name = "pairs", .title = "Pairs of ranks, each way",
               .when = offsetof(struct pair, named), .file = "pairs.csv", .drawn = STORY_ARRAYS);

struct class {
	struct rank_links_class of;
	double gbs, gbs_min, gbs_max, share;
	double p50_us, p50_us_min, p50_us_max;
	double gbs_to, p50_us_to; /* the most, if it reads other than the least */
};

static const struct column class_columns[] = {
    COLUMN_AS(struct class, of.name, "class", "class", "", TEXT, 0),
    COLUMN_AS(struct class, of.pairs, "pairs", "pairs", "", COUNT, 0),
    COLUMN(struct class, gbs, "alone, median", "GB/s", NUMBER),
    COLUMN(struct class, gbs_min, "least", "GB/s", NUMBER),
    COLUMN(struct class, gbs_max, "most", "GB/s", NUMBER),
    COLUMN_AS(struct class, of.expected_gbs, "expected_gbs", "expected from", "GB/s", NUMBER, 0),
    COLUMN_AS(struct class, of.theoretical_gbs, "theoretical_gbs", "theoretical", "GB/s", NUMBER, 0),
    COLUMN(struct class, share, "median of it", "", SHARE),
    COLUMN(struct class, p50_us, "p50, median", "µs", NUMBER),
    COLUMN(struct class, p50_us_min, "least", "µs", NUMBER),
    COLUMN(struct class, p50_us_max, "most", "µs", NUMBER),
    COLUMN_AS(struct class, gbs_to, "gbs_to", "", "", NUMBER, ONLY_FILES),
    COLUMN_AS(struct class, p50_us_to, "p50_us_to", "", "", NUMBER, ONLY_FILES),
};
static const struct story_form class_form =
    STORY_FORM(struct class, class_columns, .name = "pair_classes", .title = "Classes of pairs, as measured", .when = STORY_NO_WHEN);

/* While all send to all. */
struct rank {
	unsigned rank;
	const char *device, *remark;
	size_t sent_bytes, sent_per_link; /* of one call */
	double received_gbs, last;        /* last: share of calls that it ends last */
	double nvlink_tx_gbs, nvlink_rx_gbs, link_tx_gbs, pcie_tx_gbs, pcie_rx_gbs;
	unsigned named;
};

static const struct column rank_columns[] = {
    COLUMN(struct rank, rank, "rank", "", COUNT),
    COLUMN_AS(struct rank, device, "device", "device", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct rank, remark, "remark", "short of", "", TEXT, ONLY_FILES),
    COLUMN(struct rank, sent_bytes, "bytes sent a call", "", BYTES),
    COLUMN(struct rank, sent_per_link, "of these on each NVLink", "", BYTES),
    COLUMN(struct rank, received_gbs, "received", "GB/s", NUMBER),
    COLUMN(struct rank, last, "ends last", "", SHARE),
    COLUMN(struct rank, nvlink_tx_gbs, "NVLink TX", "GB/s", NUMBER),
    COLUMN(struct rank, nvlink_rx_gbs, "NVLink RX", "GB/s", NUMBER),
    COLUMN(struct rank, link_tx_gbs, "TX of each link", "GB/s", NUMBER),
    COLUMN(struct rank, pcie_tx_gbs, "PCIe TX", "GB/s", NUMBER),
    COLUMN(struct rank, pcie_rx_gbs, "PCIe RX", "GB/s", NUMBER),
};
static const struct story_form balance_form =
    STORY_FORM(struct rank, rank_columns, .name = "balance", .title = "Balance while all send to all", .when = offsetof(struct rank, named)),
    unbalanced_form = STORY_FORM(struct rank, rank_columns, .name = "balance", .title = "Ranks",
               .when = offsetof(struct rank, named), .hidden = true);

enum {
	REMARKS = 1,
	ALL_WELL = 2,
};

struct facts {
	const char *variant, *link;
	size_t bytes, small_bytes, all_bytes, part_bytes; /* part: of all at once, from each */
	unsigned remarks, more, in_class;
	const char *late;
	double slow;
	unsigned rank; /* the one that receives the smallest share of its fastest pair's bandwidth
	                * alone */
	double received_gbs, alone_gbs;
	unsigned crossing, pairs; /* of all pairs so many cross the link */
	double link_gbs;
	unsigned when;
};

static const struct column fact_columns[] = {
    COLUMN(struct facts, variant, "variant", "", TEXT),
    COLUMN(struct facts, bytes, "bandwidths of", "", BYTES),
    COLUMN(struct facts, small_bytes, "times of", "", BYTES),
    COLUMN(struct facts, all_bytes, "all at once", "", BYTES),
    COLUMN(struct facts, part_bytes, "of it from each", "", BYTES),
    COLUMN(struct facts, remarks, "remarks", "", COUNT),
    COLUMN(struct facts, more, "remarks in the tables alone", "", COUNT),
    COLUMN(struct facts, in_class, "pairs for a class's median", "", COUNT),
    COLUMN(struct facts, slow, "slow below", "", SHARE),
    COLUMN(struct facts, late, "late from", "", TEXT),
    COLUMN(struct facts, rank, "rank that receives least", "", COUNT),
    COLUMN(struct facts, received_gbs, "all at once", "GB/s", NUMBER),
    COLUMN(struct facts, alone_gbs, "its fastest pair alone", "GB/s", NUMBER),
    COLUMN(struct facts, link, "link that pairs share", "", TEXT),
    COLUMN(struct facts, crossing, "pairs that cross it", "", COUNT),
    COLUMN(struct facts, pairs, "pairs", "", COUNT),
    COLUMN(struct facts, link_gbs, "it carries", "GB/s", NUMBER),
};
static const struct story_form fact_form =
    STORY_FORM(struct facts, fact_columns, .name = "pair_facts", .title = "Of all pairs",
               .when = offsetof(struct facts, when), .hidden = true, .drawn = STORY_ARRAYS);

static const struct sentence class_sentences[] = {
    {STORY_ANSWER | STORY_CAPTION, 0,
     "{class}, {pairs} pair{pairs:s}[: {gbs_min}[ to {gbs_to}] GB/s one way, alone][, the median {share} of {theoretical_gbs} in "
     "theory][; p50 {p50_us_min}[ to {p50_us_to}] µs]."},
}, verdicts[] = {
    {STORY_ANSWER, REMARKS, "{remarks} remarks on slow pairs or short links: see Pairs of ranks."},
    {STORY_ANSWER | STORY_BODY, ALL_WELL, "No pair is slow, and no link is short of what it could be."},
}, methods[] = {
    {STORY_BODY, 0, "Of {variant}. Alone: one rank sends to another, and nobody else sends[, {bytes}]"
                    "[; latency of {small_bytes}, launching included]."},
    {STORY_BODY, 0, "[All at once: alltoall of {all_bytes}, what the receiver gets of one sender until its own end.]"},
    {STORY_BODY, 0, "Slow: the upper quartile is below {slow} of the class's median (of {in_class} pairs or more) or of "
                    "the way back, or below the class's range; or p50 is more than {late} times the class's."},
};
// clang-format on

/* What is being made. */
struct measured {
	const struct analysis *a;
	struct arena *arena;
	struct rank_links links;
	unsigned n;         /* ranks */
	struct pair *pairs; /* n × (n − 1): from, then to */
	struct rank *ranks;
	struct class *classes;
	struct facts *facts;
	bool judged; /* pairs alone have quartiles */
};

/* NULL if from = to, or for ranks that are not there. */
static struct pair *find(const struct measured *m, unsigned from, unsigned to)
{
	return from == to || from >= m->n || to >= m->n
	           ? NULL
	           : &m->pairs[from * (m->n - 1) + to - (to > from)];
}

/* --- what was measured --- */

static void make_pairs(struct measured *m)
{
	char brief[64];
	for (unsigned i = 0; i < m->n * m->n; i++) {
		struct pair *pair = find(m, i / m->n, i % m->n);
		const struct links_pair *link = &m->links.pairs[i];
		if (!pair)
			continue;
		links_brief(link, brief, sizeof brief);
		story_clear(&pair_form, pair);
		pair->from = i / m->n;
		pair->to = i % m->n;
		pair->class = links_info(link->class)->name;
		pair->brief = arena_copy(m->arena, brief);
		pair->theoretical_gbs = link->theoretical_gbs;
		pair->is = link->class;
	}
}

static void take_pair(struct measured *m, unsigned group)
{
	const struct summary_group *g = &m->a->s->groups[group];
	struct pair *pair =
	    find(m, value_pair_from(g->cell.root), value_pair_to(g->cell.root, m->n));
	const bool stream = g->cell.pace == PACE_STREAM;
	const struct summary_row *row =
	    index_at(m->a->s, (unsigned)m->links.variant, group, stream ? g->nsizes - 1 : 0);
	if (!pair || !row || !row->ntrials)
		return;
	if (stream) {
		pair->gbs = summary_busbw(row);
		pair->share = pair->gbs.estimate / pair->theoretical_gbs;
		m->facts->bytes = row->cell.bytes;
	} else {
		pair->p50_us = row->p50_us;
		pair->p95_us = row->p95_us;
		pair->p99_us = row->p99_us;
		m->facts->small_bytes = row->cell.bytes;
	}
}

/* Counters of one rank while all send to all, at the largest size that has them. */
static void take_counters(struct measured *m, unsigned group)
{
	const struct evidence *e = &m->a->evidence;
	const struct evidence_row *at = NULL;
	for (unsigned i = 0; i < e->nrows; i++) {
		const struct evidence_row *row = &e->rows[i];
		if (row->variant == (unsigned)m->links.variant && row->group == group &&
		    (!at || row->size > at->size))
			at = row;
	}
	for (unsigned r = 0; at && r < m->n; r++) {
		const unsigned links = m->links.ranks[r].nvlinks;
		double x[RANK_FIGURES];
		rank_evidence_make(m->a->s, at, r, x);
		m->ranks[r].nvlink_tx_gbs = x[RANK_NVLINK_TX];
		m->ranks[r].nvlink_rx_gbs = x[RANK_NVLINK_RX];
		m->ranks[r].link_tx_gbs = links ? x[RANK_NVLINK_TX] / links : NAN;
		m->ranks[r].pcie_tx_gbs = x[RANK_PCIE_TX];
		m->ranks[r].pcie_rx_gbs = x[RANK_PCIE_RX];
	}
}

static void take_all(struct measured *m, unsigned group)
{
	const struct summary_group *g = &m->a->s->groups[group];
	const struct summary_row *row =
	    index_at(m->a->s, (unsigned)m->links.variant, group, g->nsizes - 1);
	if (!row || !row->ranks)
		return;
	const double part = (double)row->cell.bytes / m->n;
	m->facts->all_bytes = row->cell.bytes;
	m->facts->part_bytes = row->cell.bytes / m->n;
	for (unsigned to = 0; to < m->n; to++) {
		const double gbs = part / row->ranks[to].finish_us / 1e3;
		const unsigned links = m->links.ranks[to].nvlinks;
		struct rank *rank = &m->ranks[to];
		rank->sent_bytes = (size_t)(part * (m->n - 1));
		rank->sent_per_link = links ? rank->sent_bytes / links : ENTRY_NO_BYTES;
		rank->received_gbs = gbs * (m->n - 1);
		rank->last = row->ranks[to].last;
		for (unsigned from = 0; from < m->n; from++)
			if (find(m, from, to))
				find(m, from, to)->all_gbs = gbs;
	}
	take_counters(m, group);
}

/* Of the same ranks as the pairs: a damaged record may name others. */
static bool is_of(const struct measured *m, const struct summary_group *g, enum coll_kind coll)
{
	return g->cell.coll == coll && !g->limit && g->nranks == m->n &&
	       (!g->cell.comm_ranks || g->cell.comm_ranks == g->nranks);
}

/* The transport of a pair by the library's log; several transports with semicolons. */
static void take_path(struct measured *m)
{
	const struct summary *s = m->a->s;
	struct path path;
	struct status ignored = {""};
	for (unsigned i = 0; i < s->run->npaths; i++) {
		if (strcmp(s->run->paths[i].variant, m->facts->variant) ||
		    path_from_json(s->run->paths[i].path, &path, &ignored))
			continue;
		for (unsigned k = 0; k < path.nlinks; k++) {
			const struct path_link *link = &path.links[k];
			struct pair *pair = find(m, link->from, link->to);
			if (pair)
				pair->via = arena_text(
				    m->arena, "%s%s%s, %u channel%s", pair->via ? pair->via : "",
				    pair->via ? "; " : "", link->via, link->channels,
				    format_plural(link->channels));
		}
		path_free(&path);
	}
}

static void take_measured(struct measured *m)
{
	for (unsigned r = 0; r < m->n; r++) {
		story_clear(&balance_form, &m->ranks[r]);
		m->ranks[r].rank = r;
		m->ranks[r].device = m->links.ranks[r].device;
		m->ranks[r].remark = m->links.ranks[r].remark;
	}
	for (unsigned g = 0; g < m->a->s->ngroups; g++) {
		const struct summary_group *group = &m->a->s->groups[g];
		if (is_of(m, group, COLL_PAIR))
			take_pair(m, g);
		if (is_of(m, group, COLL_ALLTOALL) && group->cell.pace == PACE_STREAM)
			take_all(m, g);
	}
	take_path(m);
}

/* --- judged --- */

static bool same(double a, double b)
{
	return !strcmp(format_number(a).text, format_number(b).text);
}

static void make_classes(struct measured *m)
{
	const unsigned npairs = m->n * (m->n - 1);
	double *gbs = ARENA_ARRAY(m->arena, double, 2 * npairs), *us = gbs + npairs;
	for (unsigned i = 0; i < m->links.nclasses; i++) {
		struct class *c = &m->classes[i];
		unsigned n = 0;
		c->of = m->links.classes[i];
		for (unsigned k = 0; k < npairs; k++) {
			if (m->pairs[k].is != c->of.class)
				continue;
			gbs[n] = m->pairs[k].gbs.estimate;
			us[n++] = m->pairs[k].p50_us;
		}
		stats_spread(gbs, n, &c->gbs_min, &c->gbs, &c->gbs_max);
		stats_spread(us, n, &c->p50_us_min, &c->p50_us, &c->p50_us_max);
		c->share = c->gbs / c->of.theoretical_gbs;
		c->gbs_to = same(c->gbs_min, c->gbs_max) ? NAN : c->gbs_max;
		c->p50_us_to = same(c->p50_us_min, c->p50_us_max) ? NAN : c->p50_us_max;
	}
}

static const char *remark_on(const struct measured *m, const struct class *c,
                             const struct pair *pair)
{
	const struct pair *back = find(m, pair->to, pair->from);
	const double least = links_info(c->of.class)->least_share * pair->theoretical_gbs;
	const struct formatted gbs = format_number(pair->gbs.estimate);
	char text[256] = "";
	if (c->of.pairs >= IN_CLASS && pair->gbs.hi < SLOW * c->gbs)
		status_add(text, sizeof text, "%s GB/s, where its class reaches %s", gbs.text,
		           format_number(c->gbs).text);
	if (pair->gbs.hi < SLOW * back->gbs.lo)
		status_add(text, sizeof text, "%s%s GB/s, and %s on the way back",
		           text[0] ? "; " : "", gbs.text, format_number(back->gbs.estimate).text);
	if (least > 0 && pair->gbs.hi < least)
		status_add(text, sizeof text, "%s%s GB/s, below its class's range from %s up",
		           text[0] ? "; " : "", gbs.text, format_number(least).text);
	if (c->of.pairs >= IN_CLASS && pair->p50_us > LATE * c->p50_us)
		status_add(text, sizeof text, "%sp50 of %s µs, where its class takes %s",
		           text[0] ? "; " : "", format_number(pair->p50_us).text,
		           format_number(c->p50_us).text);
	return arena_copy(m->arena, text);
}

/* Whether a remark is one of the first, which are named. */
static bool is_named(struct facts *f, const char *remark)
{
	return *remark && f->remarks++ < MOST_NAMED;
}

static void judge(struct measured *m)
{
	struct facts *f = m->facts;
	bool judged = true;
	for (unsigned r = 0; r < m->n; r++)
		m->ranks[r].named = is_named(f, m->ranks[r].remark);
	for (unsigned k = 0; k < f->pairs; k++) {
		struct pair *pair = &m->pairs[k];
		const struct class *c = m->classes;
		while (c->of.class != pair->is)
			c++;
		pair->remark = remark_on(m, c, pair);
		pair->named = is_named(f, pair->remark);
		judged = judged && (isnan(pair->gbs.estimate) || !isnan(pair->gbs.hi));
	}
	if (f->remarks > MOST_NAMED)
		f->more = f->remarks - MOST_NAMED;
	f->when =
	    (f->remarks > MOST_ANSWERED ? REMARKS : 0) | (!f->remarks && judged ? ALL_WELL : 0);
	m->judged = judged;
}

/* The rank that receives the least of all, compared with its fastest pair alone; false: it is not
 * much less. */
static bool find_shared(const struct measured *m)
{
	struct facts *f = m->facts;
	double least = NAN;
	for (unsigned to = 0; to < m->n; to++) {
		double best = NAN;
		for (unsigned from = 0; from < m->n; from++)
			if (find(m, from, to))
				best = fmax(best, find(m, from, to)->gbs.estimate);
		const double share = m->ranks[to].received_gbs / best;
		if (!(share < least) && !isnan(least))
			continue;
		least = share;
		f->rank = to;
		f->received_gbs = m->ranks[to].received_gbs;
		f->alone_gbs = best;
	}
	return least < SLOW;
}

/* Where traffic of several GPUs meets: a link that more pairs cross than those of one GPU. */
static bool find_meeting(const struct measured *m)
{
	for (unsigned i = 0; i < m->links.nedges; i++) {
		const struct links_edge *e = &m->links.edges[i];
		if (e->pairs < m->n)
			continue;
		m->facts->link = e->name;
		m->facts->crossing = e->pairs;
		m->facts->link_gbs = e->gbs;
		return true;
	}
	return false;
}

/* --- in words --- */

/* No cause is named for all at once: the senders and the size differ from a pair alone. For a link
 * that pairs share, the topology gives the cause. */
static void say_at_once(const struct measured *m, struct story *story, const struct story_table *t)
{
	const bool shared = find_shared(m), meeting = find_meeting(m);
	if (meeting)
		story_say(story, STORY_ITEM | STORY_ANSWER, t, NULL, 0,
		          "All at once, {crossing} of {pairs} pairs share one link: {link}[ "
		          "({link_gbs} GB/s each way)].");
	if (shared)
		story_say(story, STORY_ITEM | (meeting ? 0 : STORY_ANSWER), t, NULL, 0,
		          m->n == 2
		              ? "Both ways at once, rank {rank} receives {received_gbs} GB/s "
		                "({part_bytes}); one way alone, {alone_gbs} GB/s ({bytes}). The "
		                "second direction and the size differ."
		              : "While all send to all, both ways at once, rank {rank} receives "
		                "{received_gbs} GB/s ({part_bytes} from each). One way alone, its "
		                "fastest pair brings {alone_gbs} GB/s ({bytes}).");
}

/* Links that could be better, then slow pairs, up to the number that is named. */
static void say_remarks(const struct measured *m, struct story *story,
                        const struct story_table *ranks, const struct story_table *pairs)
{
	const unsigned roles = STORY_ITEM | (m->facts->remarks > MOST_ANSWERED ? 0 : STORY_ANSWER);
	const struct sentence of_rank = {roles, true, "Rank {rank}, {device}: {remark}."},
	                      of_pair = {roles, true,
	                                 "Pair {from} to {to} ({class}) is slow: {remark}."};
	if (!m->judged)
		story_say(story, STORY_ANSWER | STORY_BODY, pairs, NULL, 0,
		          "Too few blocks were measured to call a pair slow: alone, pairs reach "
		          "{gbs:range} GB/s.");
	story_tell(story, ranks, &of_rank, 1);
	story_tell(story, pairs, &of_pair, 1);
}

static bool make(const struct analysis *a, struct story *story, struct measured *m)
{
	struct facts *f = ARENA_NEW(story->arena, struct facts);
	*m = (struct measured){.a = a,
	                       .arena = story->arena,
	                       .links = rank_links_make(a->s, story->arena),
	                       .facts = f};
	m->n = m->links.nranks;
	if (!m->n)
		return false;
	story_clear(&fact_form, f);
	f->variant = a->s->variants[m->links.variant].name;
	f->in_class = IN_CLASS;
	f->slow = SLOW;
	f->late = arena_text(story->arena, "%.2g", LATE);
	f->pairs = m->n * (m->n - 1);
	f->remarks = 0;
	m->pairs = ARENA_ARRAY(story->arena, struct pair, f->pairs);
	m->ranks = ARENA_ARRAY(story->arena, struct rank, m->n);
	m->classes = ARENA_ARRAY(story->arena, struct class, m->links.nclasses + 1);
	make_pairs(m);
	take_measured(m);
	if (f->bytes == ENTRY_NO_BYTES && f->small_bytes == ENTRY_NO_BYTES)
		return false;
	for (unsigned k = 0; k < f->pairs; k++) {
		m->pairs[k].bytes = f->bytes;
		m->pairs[k].small_bytes = f->small_bytes;
	}
	make_classes(m);
	judge(m);
	return true;
}

static void tell(const struct analysis *a, struct story *story)
{
	struct measured m;
	if (!make(a, story, &m))
		return;
	const struct story_table *classes =
	                             story_rows(story, &class_form, m.classes, m.links.nclasses),
	                         *pairs = story_rows(story, &pair_form, m.pairs, m.facts->pairs),
	                         *ranks = story_rows(story,
	                                             m.facts->all_bytes != ENTRY_NO_BYTES
	                                                 ? &balance_form
	                                                 : &unbalanced_form,
	                                             m.ranks, m.n),
	                         *facts = story_table(story, &fact_form, m.facts, 1);
	STORY_TELL(story, classes, class_sentences);
	STORY_TELL(story, facts, verdicts);
	say_remarks(&m, story, ranks, pairs);
	story_say(story, STORY_ITEM, facts, NULL, 0,
	          "[{more} more, in the remarks of the tables.]");
	say_at_once(&m, story, facts);
	story_show(story, classes);
	story_lead(story, classes, "class pairs gbs theoretical_gbs p50_us");
	story_leads_unasked(story);
	story_picture(story, "pairs", true);
	story_show(story, pairs);
	STORY_TELL(story, facts, methods);
	story_show(story, ranks);
	story_files(story, "As a file");
}

const struct chapter chapter_pairs = {"pairs", "Pairs of ranks", CHAPTER_FRONT, tell};
