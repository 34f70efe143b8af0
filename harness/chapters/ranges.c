/* What a sweep of sizes shows: where latency dominates, where the plateau begins, and what follows.
 *
 * For a call that costs a + bytes ÷ b (Hockney 1994), half of the peak is reached at n½ = a × b.
 * Latency dominates while the time is below LATENCY × the smallest size's: up to n½ ÷ 2, more bytes
 * cost next to nothing. The plateau begins at the size from which the bandwidth stays at PLATEAU of
 * the peak or above: 9 × n½. All three are read off the medians, not fitted. They are of stream
 * calls, for each variant that was asked for. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/rank_evidence.h"
#include "../analysis/rank_links.h"
#include "../story/format.h"
#include "chapters.h"
#include "run.h"

#define SIZES   12 /* fewer are no sweep */
#define LATENCY 1.5
#define PLATEAU 0.9
#define IDLE_SM 0.5 /* SMs that collectives leave free are worth a sentence from this value */

enum { REFERENCE = 1 };

/* A variant's stream calls of a group; sizes as asked. */
struct row {
	const char *collective, *variant;
	double peak_gbs, mean_gbs; /* the mean over sizes, as a sweep prints it */
	double least_us;           /* of the smallest size */
	size_t peak_bytes, latency_bytes, half_bytes, plateau_bytes;
	double plateau; /* PLATEAU */
	double over;    /* the best peak ÷ this one's, of the same collective; NaN: not asked */
	const char *best;
	double best_gbs;
	unsigned group, at, when;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, collective, "collective", "", TEXT),
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, peak_gbs, "peak", "GB/s", NUMBER),
    COLUMN(struct row, peak_bytes, "at", "", BYTES),
    COLUMN(struct row, mean_gbs, "mean over sizes", "GB/s", NUMBER),
    COLUMN(struct row, least_us, "smallest size", "µs", NUMBER),
    COLUMN(struct row, latency_bytes, "latency rules up to", "", BYTES),
    COLUMN(struct row, half_bytes, "half of the peak at", "", BYTES),
    COLUMN(struct row, plateau_bytes, "plateau from", "", BYTES),
    COLUMN_AS(struct row, plateau, "plateau", "share of the peak on the plateau", "", SHARE, ONLY_FILES),
    COLUMN_AS(struct row, best, "best", "the reference", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, best_gbs, "best_gbs", "its peak", "GB/s", NUMBER, ONLY_FILES),
    COLUMN_AS(struct row, over, "over", "its peak over this one's", "", NUMBER, ONLY_FILES),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "ranges", .title = "Ranges of sizes", .when = offsetof(struct row, when));

static const struct sentence sentences[] = {
    {STORY_ANSWER, REFERENCE, "Peak bus bandwidth: [{collective} {peak_gbs} GB/s[ ({plateau} from {plateau_bytes})]]."},
    {STORY_ANSWER, REFERENCE, "Latency rules: [{collective} {least_us} µs up to {latency_bytes}]."},
};

/* A link that may be the limit: a class of pairs, or a rank's own link if it is short. */
struct limit {
	const char *says, *class, *collective, *device, *remark;
	unsigned pairs, rank;
	double peak_gbs, theoretical_gbs;
};

static const struct column limit_columns[] = {
    COLUMN(struct limit, class, "class", "", TEXT),
    COLUMN(struct limit, pairs, "pairs", "", COUNT),
    COLUMN(struct limit, theoretical_gbs, "theoretical", "GB/s", NUMBER),
    COLUMN(struct limit, collective, "collective", "", TEXT),
    COLUMN(struct limit, peak_gbs, "peak", "GB/s", NUMBER),
    COLUMN(struct limit, rank, "rank", "", COUNT),
    COLUMN(struct limit, device, "device", "", TEXT),
    COLUMN(struct limit, remark, "short of", "", TEXT),
};
static const struct story_form limit_form =
    STORY_FORM(struct limit, limit_columns, .name = "ranges_links", .title = "Links that may be the limit",
               .when = STORY_NO_WHEN, .hidden = true);

/* The bytes that a rank moves for a whole buffer, and how busy that keeps the SMs. */
struct facts {
	size_t bytes;
	double all_reduce_us, all_gather_us, reduce_scatter_us, sharded; /* both parts ÷ all_reduce */
	double sm, plateau;
	const char *latency;
};

static const struct column fact_columns[] = {
    COLUMN(struct facts, bytes, "size", "", BYTES),
    COLUMN(struct facts, all_reduce_us, "all_reduce", "µs", NUMBER),
    COLUMN(struct facts, all_gather_us, "all_gather", "µs", NUMBER),
    COLUMN(struct facts, reduce_scatter_us, "reduce_scatter", "µs", NUMBER),
    COLUMN(struct facts, sharded, "the two over all_reduce", "", NUMBER),
    COLUMN(struct facts, sm, "SMs busy at most", "", SHARE),
    COLUMN(struct facts, latency, "latency rules below", "", TEXT),
    COLUMN(struct facts, plateau, "plateau", "", SHARE),
};
static const struct story_form fact_form =
    STORY_FORM(struct facts, fact_columns, .name = "ranges_facts", .title = "What follows of a sweep",
               .when = STORY_NO_WHEN, .hidden = true);

/* A rank's device at a cell, by its counters. */
struct busy {
	const char *cell;
	unsigned rank;
	double busy, memory_busy, sm;
	double of[RANK_FIGURES];
};

static const struct column busy_columns[] = {
    COLUMN(struct busy, cell, "cell", "", TEXT),
    COLUMN(struct busy, rank, "rank", "", COUNT),
    COLUMN(struct busy, busy, "a kernel runs", "", SHARE),
    COLUMN(struct busy, memory_busy, "memory is used", "", SHARE),
    COLUMN(struct busy, sm, "SMs busy", "", SHARE),
    COLUMN_AS(struct busy, of[RANK_PCIE_TX], "pcie_tx_gbs", "PCIe TX", "GB/s", NUMBER, 0),
    COLUMN_AS(struct busy, of[RANK_PCIE_RX], "pcie_rx_gbs", "PCIe RX", "GB/s", NUMBER, 0),
    COLUMN_AS(struct busy, of[RANK_NVLINK_TX], "nvlink_tx_gbs", "NVLink TX", "GB/s", NUMBER, 0),
    COLUMN_AS(struct busy, of[RANK_ISSUE_CORES], "issue_cores", "cores issuing", "", NUMBER, 0),
};
static const struct story_form busy_form =
    STORY_FORM(struct busy, busy_columns, .name = "busy", .title = "How busy each device is", .when = STORY_NO_WHEN);
// clang-format on

/* The rows made, for sentences. */
struct swept {
	const struct analysis *a;
	struct story *story;
	struct row *rows;
	unsigned n;
	const struct row *best; /* the highest peak of the reference */
	bool answered;          /* the first consequence is an answer too */
	const struct story_table *table;
};

/* --- figures --- */

static bool is_swept(const struct summary *s, unsigned group)
{
	const struct summary_group *g = &s->groups[group];
	return g->nsizes >= SIZES && g->cell.pace == PACE_STREAM && !g->limit &&
	       !(coll_info(g->cell.coll)->is & COLL_PAIRS);
}

static void find_plateau(const struct summary *s, struct row *out)
{
	const struct summary_group *g = &s->groups[out->group];
	for (unsigned i = 0; i < g->nsizes; i++) {
		const double gbs = index_at(s, out->at, out->group, i)->busbw_gbs;
		if (out->half_bytes == ENTRY_NO_BYTES && gbs >= out->peak_gbs / 2)
			out->half_bytes = g->asked_bytes[i];
		if (gbs < PLATEAU * out->peak_gbs)
			out->plateau_bytes = ENTRY_NO_BYTES;
		else if (out->plateau_bytes == ENTRY_NO_BYTES)
			out->plateau_bytes = g->asked_bytes[i];
	}
}

/* False if a size has no bandwidth. */
static bool take(const struct summary *s, struct arena *arena, unsigned group, unsigned variant,
                 struct row *out)
{
	const struct summary_group *g = &s->groups[group];
	double sum = 0;
	bool rules = true;
	*out = (struct row){.collective = run_collective(arena, g),
	                    .variant = s->variants[variant].name,
	                    .half_bytes = ENTRY_NO_BYTES,
	                    .plateau_bytes = ENTRY_NO_BYTES,
	                    .plateau = PLATEAU,
	                    .over = NAN,
	                    .best_gbs = NAN,
	                    .group = group,
	                    .at = variant,
	                    .when = (int)variant == s->reference ? REFERENCE : 0};
	for (unsigned i = 0; i < g->nsizes; i++) {
		const struct summary_row *row = index_at(s, variant, group, i);
		if (!row || isnan(row->busbw_gbs))
			return false;
		out->least_us = i ? out->least_us : row->time_us;
		sum += row->busbw_gbs;
		if (row->busbw_gbs > out->peak_gbs) {
			out->peak_gbs = row->busbw_gbs;
			out->peak_bytes = g->asked_bytes[i];
		}
		rules = rules && row->time_us < LATENCY * out->least_us;
		if (rules)
			out->latency_bytes = g->asked_bytes[i];
	}
	out->mean_gbs = sum / g->nsizes;
	find_plateau(s, out);
	return true;
}

static enum coll_kind coll_of(const struct swept *w, const struct row *row)
{
	return w->a->s->groups[row->group].cell.coll;
}

static struct row *row_of(const struct swept *w, enum coll_kind coll, int variant)
{
	for (unsigned i = 0; i < w->n; i++)
		if (coll_of(w, &w->rows[i]) == coll && (int)w->rows[i].at == variant)
			return &w->rows[i];
	return NULL;
}

/* --- what follows --- */

static unsigned roles(struct swept *w)
{
	const unsigned is = STORY_ITEM | (w->answered ? 0 : STORY_ANSWER);
	w->answered = true;
	return is;
}

static void say_sizes(struct swept *w)
{
	const struct row *row = row_of(w, COLL_ALL_REDUCE, w->a->s->reference);
	row = row ? row : w->best;
	if (row->plateau_bytes != ENTRY_NO_BYTES)
		story_say_row(w->story, roles(w), w->table, row,
		              "Software: merge messages. {collective} costs {least_us} µs up to "
		              "{latency_bytes} whatever its size, and reaches {plateau} of its "
		              "peak from {plateau_bytes} on: gradient buckets of that size or "
		              "more (bucket_cap_mb) waste no bandwidth.");
}

/* all_reduce does the work of the other two; false: not all three at one size. */
static bool take_parts(const struct swept *w, struct facts *f)
{
	const enum coll_kind colls[] = {COLL_ALL_REDUCE, COLL_ALL_GATHER, COLL_REDUCE_SCATTER};
	double us[3];
	for (unsigned i = 0; i < 3; i++) {
		const struct row *row = row_of(w, colls[i], w->a->s->reference);
		const struct summary_group *g = row ? &w->a->s->groups[row->group] : NULL;
		if (!row || (i && g->asked_bytes[g->nsizes - 1] != f->bytes))
			return false;
		f->bytes = g->asked_bytes[g->nsizes - 1];
		us[i] = index_at(w->a->s, row->at, row->group, g->nsizes - 1)->time_us;
	}
	f->all_reduce_us = us[0];
	f->all_gather_us = us[1];
	f->reduce_scatter_us = us[2];
	f->sharded = (us[1] + us[2]) / us[0];
	return true;
}

static const struct story_table *say_facts(struct swept *w)
{
	const struct evidence *e = &w->a->evidence;
	struct facts *f = ARENA_NEW(w->story->arena, struct facts);
	story_clear(&fact_form, f);
	f->latency = arena_text(w->story->arena, "%.2g", LATENCY);
	f->plateau = PLATEAU;
	const bool parts = take_parts(w, f);
	for (unsigned i = 0; i < e->nrows; i++)
		if ((int)e->rows[i].variant == w->a->s->reference)
			f->sm = fmax(f->sm, e->rows[i].sm_percent / 100);
	const struct story_table *t = story_table(w->story, &fact_form, f, 1);
	if (parts)
		story_say(w->story, roles(w), t, NULL, 0,
		          "Software: at {bytes} all_reduce takes {all_reduce_us} µs, all_gather "
		          "{all_gather_us} and reduce_scatter {reduce_scatter_us}. Sharded "
		          "optimizers (ZeRO) need the latter two, {sharded:times} times "
		          "all_reduce's time.");
	if (f->sm < IDLE_SM)
		story_say(w->story, roles(w), t, NULL, 0,
		          "Software: overlap. Collectives keep at most {sm:percent} of the SMs "
		          "busy; the rest is free for computing.");
	return t;
}

/* NULL: the class is no limit of a known kind. */
static const char *hint_of(enum links_class class)
{
	switch (class) {
	case LINKS_MEMORY:
		return "Hardware: {pairs} pairs of GPUs without peer access ({class}); all "
		       "data "
		       "goes through host memory, and {collective} peaks at {peak_gbs} GB/s. "
		       "GPUs "
		       "with peer access, or NVLink, take that detour away.";
	case LINKS_ACROSS:
		return "Hardware: {pairs} pairs of GPUs across sockets; {collective} peaks at "
		       "{peak_gbs} GB/s of PCIe's {theoretical_gbs}. Put GPUs that talk much "
		       "on "
		       "one socket, or below one PCIe switch.";
	case LINKS_PCIE_SWITCH:
	case LINKS_SOCKET:
		return "Hardware: PCIe is the limit, {theoretical_gbs} GB/s one way in theory; "
		       "{collective} reaches {peak_gbs}. Only links beside PCIe (NVLink) would "
		       "carry more.";
	default:
		return NULL;
	}
}

static void say_links(struct swept *w)
{
	const struct rank_links l = rank_links_make(w->a->s, w->story->arena);
	struct limit *rows = ARENA_ARRAY(w->story->arena, struct limit, l.nclasses + l.nranks + 1);
	unsigned n = 0;
	for (unsigned i = 0; i < l.nclasses && l.gpus; i++) {
		const struct rank_links_class *c = &l.classes[i];
		rows[n] = (struct limit){.says = hint_of(c->class),
		                         .class = links_info(c->class)->name,
		                         .collective = w->best->collective,
		                         .pairs = c->pairs,
		                         .rank = ENTRY_NO_COUNT,
		                         .peak_gbs = w->best->peak_gbs,
		                         .theoretical_gbs = c->theoretical_gbs};
		n += rows[n].says != NULL;
	}
	for (unsigned r = 0; r < l.nranks; r++)
		if (l.ranks[r].remark[0])
			rows[n++] = (struct limit){.says = "Hardware: rank {rank}, {device}: "
			                                   "{remark}. Look at slot, riser, cable.",
			                           .device = l.ranks[r].device,
			                           .remark = l.ranks[r].remark,
			                           .pairs = ENTRY_NO_COUNT,
			                           .rank = r,
			                           .peak_gbs = NAN,
			                           .theoretical_gbs = NAN};
	const struct story_table *t = story_table(w->story, &limit_form, rows, n);
	for (unsigned i = 0; i < n; i++)
		story_say_row(w->story, roles(w), t, &rows[i], rows[i].says);
}

/* Each other variant's peak compared with the best. */
static void compare_variants(const struct swept *w)
{
	for (unsigned v = 0; v < w->a->s->nvariants; v++) {
		struct row *other = row_of(w, coll_of(w, w->best), (int)v);
		if (!other || other == w->best)
			continue;
		other->best = w->best->variant;
		other->best_gbs = w->best->peak_gbs;
		other->over = w->best->peak_gbs / other->peak_gbs;
	}
}

static void say_variants(struct swept *w)
{
	for (unsigned v = 0; v < w->a->s->nvariants; v++) {
		const struct row *other = row_of(w, coll_of(w, w->best), (int)v);
		if (other && !isnan(other->over))
			story_say_row(
			    w->story, roles(w), w->table, other,
			    "{collective} peaks at {best_gbs} GB/s in {best} and {peak_gbs} in "
			    "{variant}: {over:times} times, by the medians. The factors have "
			    "the "
			    "intervals.");
	}
}

/* --- how busy devices are --- */

/* The largest size of each collective for which counters were read. */
static bool is_largest(const struct evidence *e, const struct evidence_row *row)
{
	for (unsigned i = 0; i < e->nrows; i++)
		if (e->rows[i].group == row->group && e->rows[i].variant == row->variant &&
		    e->rows[i].size > row->size)
			return false;
	return true;
}

static void tell_busy(const struct analysis *a, struct story *story)
{
	const struct evidence *e = &a->evidence;
	struct busy *rows = NULL;
	unsigned n = 0;
	for (unsigned i = 0; i < e->nrows; i++) {
		const struct evidence_row *row = &e->rows[i];
		const struct summary_group *g = &a->s->groups[row->group];
		const char *cell =
		    arena_text(story->arena, "%s %s", coll_word(&g->cell, g->nranks).text,
		               format_size(g->asked_bytes[row->size]).text);
		for (unsigned r = 0;
		     r < g->nranks && (int)row->variant == a->s->reference && is_largest(e, row);
		     r++) {
			struct busy one = {.cell = cell, .rank = r};
			rank_evidence_make(a->s, row, r, one.of);
			if (isnan(one.of[RANK_BUSY]) && isnan(one.of[RANK_ISSUE_CORES]))
				continue;
			one.busy = one.of[RANK_BUSY] / 100;
			one.memory_busy = one.of[RANK_MEMORY_BUSY] / 100;
			one.sm = one.of[RANK_SM] / 100;
			rows = arena_more(story->arena, rows, n, sizeof *rows);
			rows[n++] = one;
		}
	}
	story_table(story, &busy_form, rows, n);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct swept w = {.a = a, .story = story};
	w.rows = ARENA_ARRAY(story->arena, struct row, (size_t)s->ngroups * s->nvariants + 1);
	for (unsigned g = 0; g < s->ngroups && s->carries_data; g++)
		for (unsigned v = 0; v < s->nvariants && is_swept(s, g); v++)
			w.n += summary_is_asked(s, v) && take(s, story->arena, g, v, &w.rows[w.n]);
	for (unsigned i = 0; i < w.n; i++)
		if (w.rows[i].when & REFERENCE &&
		    (!w.best || w.rows[i].peak_gbs > w.best->peak_gbs))
			w.best = &w.rows[i];
	if (!w.best)
		return;
	w.table = story_rows(story, &form, w.rows, w.n);
	compare_variants(&w);
	STORY_TELL(story, w.table, sentences);
	say_sizes(&w);
	const struct story_table *facts = say_facts(&w);
	say_links(&w);
	say_variants(&w);
	story_show(story, w.table);
	story_say(story, STORY_BODY, facts, NULL, 0,
	          "Stream calls. Latency rules while a call takes less than {latency} times "
	          "the smallest size's time; on the plateau bandwidth stays at {plateau} of the "
	          "peak or above. The mean is over sizes, as nccl-tests prints it: more small "
	          "sizes, less mean.");
	tell_busy(a, story);
}

const struct chapter chapter_ranges = {"ranges", "What the sizes show", CHAPTER_FRONT, tell};
