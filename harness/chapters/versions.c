/* The gap by NCCL version, if a run has the same variants on several versions of the library: how
 * threads and processes compare on each, and what changed between two.
 *
 * A version contributes its variants that are threads, processes (and single) and otherwise have
 * the reference's settings. A version without them is omitted, with a sentence: a pair with other
 * settings would answer another question. All figures of a collective use the same cells and
 * blocks: those that all of its variants have. A version's bandwidth in a block is the geometric
 * mean over the cells. It is that mean over blocks too, as in claims and the gap: one quantity has
 * one value in a report.
 *
 * Large: stream bandwidth over the gap's sizes, if the experiment asks for a gap; else from 16 MiB
 * up; else, if none is so large, over all. Small: the latency of isolated calls over that regime's
 * sizes, if it was measured. A regime that cannot distinguish variants withholds verdicts here
 * too. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/versions.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"

#define LARGE_FROM ((size_t)16 << 20)
#define NONE       VERSIONS_NONE

/* --- tables --- */

/* One mode on one version. */
struct side {
	const char *collective, *metric, *version, *mode, *variant;
	unsigned nth;                /* of the versions, from 1 */
	struct stats_interval value; /* GB/s or µs: geometric mean over blocks; quartiles */
	const char *path;
	double dram;            /* bytes per NVLink byte, at the largest size with counters */
	struct verdict change;  /* compared with the same mode one version below */
	struct verdict verdict; /* of processes: compared with threads */
};

// clang-format off
static const struct column side_columns[] = {
    COLUMN(struct side, collective, "collective", "", TEXT),
    COLUMN(struct side, metric, "metric", "", TEXT),
    COLUMN(struct side, version, "processes ÷ threads, by NCCL", "", TEXT),
    COLUMN(struct side, nth, "nth", "", COUNT),
    COLUMN(struct side, mode, "mode", "", TEXT),
    COLUMN(struct side, variant, "variant", "", TEXT),
    COLUMN(struct side, value, "value", "", SPREAD),
    COLUMN(struct side, path, "data path", "", TEXT),
    COLUMN(struct side, dram, "DRAM bytes per NVLink byte", "", NUMBER),
    COLUMN_AS(struct side, change.ratio, "change", "against the version before", "", RATIO, 0),
    COLUMN_AS(struct side, verdict.ratio, "ratio", "processes ÷ threads", "", RATIO, 0),
    COLUMN(struct side, verdict, "verdict", "", VERDICT),
    COLUMN_AS(struct side, verdict.detectable, "detectable", "least effect", "", NUMBER, 0),
};
static const struct story_form side_form =
    STORY_FORM(struct side, side_columns, .name = "versions", .title = "Modes by version", .when = STORY_NO_WHEN,
               .hidden = true, .judges = "ratio", .drawn = STORY_BLOCK);

/* All modes on one version, for people. */
struct row {
	const char *version;
	struct side sides[VERSIONS_MODES];
};
static const struct column large_columns[] = {
    COLUMN(struct row, version, "NCCL", "", TEXT),
    COLUMN_AS(struct row, sides[VERSIONS_THREADS].value.estimate, "threads_gbs", "threads", "GB/s", NUMBER, 0),
    COLUMN_AS(struct row, sides[VERSIONS_PROCESSES].value.estimate, "processes_gbs", "processes", "GB/s", NUMBER, 0),
    COLUMN_AS(struct row, sides[VERSIONS_SINGLE].value.estimate, "single_gbs", "single", "GB/s", NUMBER, 0),
    COLUMN_AS(struct row, sides[VERSIONS_PROCESSES].verdict.ratio, "ratio", "processes ÷ threads", "", RATIO, 0),
    COLUMN_AS(struct row, sides[VERSIONS_PROCESSES].verdict, "verdict", "verdict", "", VERDICT, 0),
    COLUMN_AS(struct row, sides[VERSIONS_THREADS].path, "threads_path", "data path, threads", "", TEXT, 0),
    COLUMN_AS(struct row, sides[VERSIONS_THREADS].dram, "threads_dram_per_nvlink", "DRAM bytes per NVLink byte, threads", "", NUMBER, 0),
    COLUMN_AS(struct row, sides[VERSIONS_PROCESSES].path, "processes_path", "data path, processes", "", TEXT, 0),
    COLUMN_AS(struct row, sides[VERSIONS_PROCESSES].dram, "processes_dram_per_nvlink", "DRAM bytes per NVLink byte, processes", "", NUMBER, 0),
};
static const struct column small_columns[] = {
    COLUMN(struct row, version, "NCCL", "", TEXT),
    COLUMN_AS(struct row, sides[VERSIONS_THREADS].value.estimate, "threads_us", "threads", "µs", NUMBER, 0),
    COLUMN_AS(struct row, sides[VERSIONS_PROCESSES].value.estimate, "processes_us", "processes", "µs", NUMBER, 0),
    COLUMN_AS(struct row, sides[VERSIONS_SINGLE].value.estimate, "single_us", "single", "µs", NUMBER, 0),
    COLUMN_AS(struct row, sides[VERSIONS_PROCESSES].verdict.ratio, "ratio", "speed, processes ÷ threads", "", RATIO, 0),
    COLUMN_AS(struct row, sides[VERSIONS_PROCESSES].verdict, "verdict", "verdict", "", VERDICT, 0),
};
static const struct story_form
    large_form = STORY_FORM(struct row, large_columns, .when = STORY_NO_WHEN),
    small_form = STORY_FORM(struct row, small_columns, .when = STORY_NO_WHEN);

/* A collective in one regime. */
struct part {
	const char *collective, *title, *metric;
	const char *modes, *versions; /* words with blanks between */
	const char *sizes, *basis, *why, *caption; /* why: there are no figures */
	unsigned cells, blocks;
};
static const struct column part_columns[] = {
    COLUMN(struct part, collective, "collective", "", TEXT),
    COLUMN(struct part, title, "title", "", TEXT),
    COLUMN(struct part, metric, "metric", "", TEXT),
    COLUMN(struct part, modes, "modes", "", TEXT),
    COLUMN(struct part, versions, "versions", "", TEXT),
    COLUMN(struct part, sizes, "sizes", "", TEXT),
    COLUMN(struct part, basis, "basis", "", TEXT),
    COLUMN(struct part, cells, "cells", "", COUNT),
    COLUMN(struct part, blocks, "blocks", "", COUNT),
    COLUMN(struct part, why, "why", "", TEXT),
    COLUMN(struct part, caption, "caption", "", TEXT),
};
static const struct story_form part_form =
    STORY_FORM(struct part, part_columns, .name = "versions_of", .title = "Compared by version", .when = STORY_NO_WHEN,
               .hidden = true, .drawn = STORY_ARRAYS);

/* Versions of one verdict, which share one sentence. */
struct span {
	const char *collective, *metric, *versions;
	const char *reach, *bounds; /* the ratios, and an interval that contains all of theirs */
	const char *margin, *unseen;
	struct verdict verdict;
};
static const struct column span_columns[] = {
    COLUMN(struct span, collective, "collective", "", TEXT),
    COLUMN(struct span, metric, "metric", "", TEXT),
    COLUMN(struct span, versions, "versions", "", TEXT),
    COLUMN(struct span, reach, "processes ÷ threads", "", TEXT),
    COLUMN(struct span, bounds, "interval", "", TEXT),
    COLUMN(struct span, margin, "margin", "", TEXT),
    COLUMN(struct span, unseen, "not seen", "", TEXT),
    COLUMN(struct span, verdict, "verdict", "", VERDICT),
};
static const struct story_form span_form =
    STORY_FORM(struct span, span_columns, .name = "versions_spans", .title = "Versions of one verdict",
               .when = STORY_NO_WHEN, .hidden = true);

/* A version that is omitted, or a pick that others could replace. */
struct remark {
	const char *version, *why, *mode, *taken, *others;
};
static const struct column remark_columns[] = {
    COLUMN(struct remark, version, "version", "", TEXT),
    COLUMN(struct remark, why, "why it is left out", "", TEXT),
    COLUMN(struct remark, mode, "mode", "", TEXT),
    COLUMN(struct remark, taken, "compared", "", TEXT),
    COLUMN(struct remark, others, "not compared", "", TEXT),
};
static const struct story_form remark_form =
    STORY_FORM(struct remark, remark_columns, .name = "versions_remarks", .title = "What is not compared by version",
               .when = STORY_NO_WHEN, .hidden = true);
// clang-format on

/* --- figures --- */

/* A sentence over a span, or over a mode's sides before and after a change and the other mode's. */
struct said {
	unsigned span; /* NONE: it is over sides */
	unsigned sides[2], other[2];
	const char *text, *other_text; /* other_text: NULL if nothing is said of the other */
};

struct coll {
	enum coll_kind kind;
	enum metric metric;
	enum pace pace;
	const struct regime *regime; /* or NULL */
	struct claim_range range;    /* asked for */
	unsigned ranks, first;       /* first: its first side */
	struct row *rows;            /* by version, ascending */
	struct part *part;
	struct said *said;
	unsigned nsaid;
	bool decided; /* one of its verdicts is decided */
};

struct teller {
	const struct analysis *a;
	struct arena *arena;
	struct versions v;
	struct coll colls[2 * COLL_KINDS]; /* large ones first */
	struct part *parts;
	struct side *sides;
	struct span *spans;
	unsigned ncolls, nsides, nspans;
	struct {
		const struct story_table *parts, *sides, *spans, *remarks;
	} tables;
};

static bool is_time(const struct coll *c)
{
	return contrast_is_time(c->metric);
}

static bool is_large(const struct summary *s)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; i < s->groups[g].nsizes; i++)
			if (s->groups[g].cell.pace == PACE_STREAM && !s->groups[g].limit &&
			    s->groups[g].asked_bytes[i] >= LARGE_FROM)
				return true;
	return false;
}

/* At the largest size with counters. */
static double dram_of(const struct analysis *a, unsigned variant, enum coll_kind coll)
{
	double dram = NAN;
	size_t largest = 0;
	for (unsigned i = 0; i < a->evidence.nrows; i++) {
		const struct evidence_row *row = &a->evidence.rows[i];
		const struct summary_group *g = &a->s->groups[row->group];
		if (row->variant != variant || g->cell.coll != coll ||
		    g->bytes[row->size] <= largest || isnan(row->dram_per_nvlink))
			continue;
		largest = g->bytes[row->size];
		dram = row->dram_per_nvlink;
	}
	return dram;
}

/* A verdict by the rule of every regime: one beyond its noise counts. */
static struct verdict withheld(const struct coll *c, struct verdict v)
{
	if (c->regime)
		regime_withhold(c->regime, fmax(c->regime->least_effect, v.margin), &v);
	return v;
}

/* All figures use the cells and blocks that every one of the variants `with` has. */
static struct contrast contrast_of(const struct teller *t, const struct coll *c, unsigned left,
                                   unsigned right, const unsigned *with)
{
	const struct contrast_select select = {.bytes = c->range,
	                                       .pace = (int)c->pace,
	                                       .coll = (int)c->kind,
	                                       .with = with,
	                                       .nwith = t->v.n * t->v.nmodes};
	return contrast_make(t->a->s, left, right, c->metric, &select);
}

/* A mode on the i-th version, compared with the same mode one version below. */
static struct side side_of(const struct teller *t, const struct coll *c, unsigned i, unsigned mode,
                           const unsigned *with)
{
	const struct analysis *a = t->a;
	const unsigned v = t->v.picks[i].variants[mode];
	const struct contrast of =
	    contrast_of(t, c, v, t->v.picks[i ? i - 1 : 0].variants[mode], with);
	const double scale = is_time(c) ? 1e-3 : 1; /* times are in ns */
	const struct verdict none = verdict_of(STATS_NO_RATIO, a->s->margin);
	return (struct side){
	    .collective = c->part->collective,
	    .metric = c->part->metric,
	    .version = t->v.picks[i].version,
	    .mode = versions_mode_name(mode),
	    .variant = a->s->variants[v].name,
	    .nth = i + 1,
	    .value = {of.left_side.value * scale, of.left_side.lo * scale, of.left_side.hi * scale},
	    .path = is_time(c) ? "" : a->evidence.paths[v].data_path,
	    .dram = is_time(c) ? NAN : dram_of(a, v, c->kind),
	    .change = i ? withheld(c, of.verdict) : none,
	    .verdict = none};
}

static void rows_make(struct teller *t, struct coll *c)
{
	const unsigned n = t->v.n * t->v.nmodes;
	unsigned *with = ARENA_ARRAY(t->arena, unsigned, n);
	struct part *part = c->part;
	c->rows = ARENA_ARRAY(t->arena, struct row, t->v.n);
	c->said = ARENA_ARRAY(t->arena, struct said, 3 * t->v.n);
	c->first = t->nsides;
	part->versions = "";
	for (unsigned i = 0; i < n; i++)
		with[i] = t->v.picks[i / t->v.nmodes].variants[i % t->v.nmodes];
	for (unsigned i = 0; i < t->v.n; i++) {
		const unsigned *own = t->v.picks[i].variants;
		const struct contrast of =
		    contrast_of(t, c, own[VERSIONS_PROCESSES], own[VERSIONS_THREADS], with);
		struct row *row = &c->rows[i];
		*row = (struct row){.version = t->v.picks[i].version};
		row->sides[VERSIONS_SINGLE].value = STATS_NO_INTERVAL;
		for (unsigned mode = 0; mode < t->v.nmodes; mode++)
			row->sides[mode] = side_of(t, c, i, mode, with);
		row->sides[VERSIONS_PROCESSES].verdict = withheld(c, of.verdict);
		c->decided |= verdict_decided(&row->sides[VERSIONS_PROCESSES].verdict);
		memcpy(&t->sides[t->nsides], row->sides, t->v.nmodes * sizeof *row->sides);
		t->nsides += of.nblocks ? t->v.nmodes : 0;
		part->versions =
		    arena_text(t->arena, "%s%s%s", part->versions, i ? " " : "", row->version);
		part->cells = of.ncells;
		part->blocks = of.nblocks;
		part->sizes = arena_copy(t->arena, format_range(of.sizes).text);
		part->why = reason_text(t->arena, &of.why);
	}
	part->basis =
	    arena_text(t->arena, "%u cell%s and %u trial%s of each", part->cells,
	               format_plural(part->cells), part->blocks, format_plural(part->blocks));
}

/* --- in words --- */

/* "88.5 %", or for several "88.5 to 89.0 %"; `digits` after the point. */
static const char *figures(struct arena *arena, double least, double most, int digits,
                           const char *unit)
{
	const char *lo = arena_text(arena, "%.*f", digits, least),
	           *hi = arena_text(arena, "%.*f", digits, most);
	const bool one = !strcmp(lo, hi);
	return arena_text(arena, "%s%s%s%s", one ? "" : lo, one ? "" : " to ", hi, unit);
}

/* Whether the same sentence says both. */
static bool is_same(const struct verdict *a, const struct verdict *b)
{
	return isnan(a->ratio.lo) == isnan(b->ratio.lo) &&
	       verdict_decided(a) == verdict_decided(b) && verdict_beyond(a) == verdict_beyond(b);
}

/* The ratios of a span with the interval of all, and the verdict on them; for times the ratio is
 * that of speeds. */
static const char *span_write(struct arena *arena, struct span *s, double least, double most,
                              bool time)
{
	const struct stats_ratio *r = &s->verdict.ratio;
	const int beyond = verdict_beyond(&s->verdict);
	s->reach = figures(arena, least, most, 3, "");
	s->bounds = arena_text(arena, "%.3f to %.3f", r->lo, r->hi);
	if (isnan(r->lo))
		return time ? "processes reach {reach} times threads' speed: too few blocks for "
		              "a verdict"
		            : "processes reach {reach} times threads' bandwidth: too few "
		              "blocks for a verdict";
	if (time && beyond) {
		s->reach = figures(arena, 1 / most, 1 / least, 2, "");
		s->bounds = figures(arena, 1 / r->hi, 1 / r->lo, 2, "");
	} else if (beyond < 0) {
		s->reach = figures(arena, 100 * least, 100 * most, 1, " %");
		s->bounds = arena_text(arena, "%.1f to %.1f %%", 100 * r->lo, 100 * r->hi);
	} else if (beyond > 0) {
		s->reach = figures(arena, least, most, 2, "");
		s->bounds = arena_text(arena, "%s to %s", format_number(r->lo).text,
		                       format_number(r->hi).text);
	}
	if (least < most)
		s->bounds = arena_text(arena, "intervals within %s", s->bounds);
	if (time && beyond)
		return "processes take {reach} times threads' time ({bounds})";
	if (beyond)
		return beyond < 0 ? "processes reach {reach} of threads' bandwidth ({bounds})"
		                  : "processes reach {reach} times threads' bandwidth ({bounds})";
	if (!verdict_within(&s->verdict))
		return "it is undecided whether processes and threads differ ({reach}, "
		       "{bounds}): {unseen}";
	return time ? "processes and threads have the same latency within {margin} ({reach}, "
	              "{bounds})"
	            : "processes and threads have the same bandwidth within {margin} ({reach}, "
	              "{bounds})";
}

/* Versions of one verdict from `at` on. Returns the last of them. */
static unsigned span_add(struct teller *t, struct coll *c, unsigned at)
{
	const struct row *rows = c->rows;
	struct span *s = &t->spans[t->nspans];
	char unseen[64];
	*s = (struct span){.collective = c->part->collective,
	                   .metric = c->part->metric,
	                   .versions = rows[at].version,
	                   .verdict = rows[at].sides[VERSIONS_PROCESSES].verdict};
	struct stats_ratio *r = &s->verdict.ratio;
	double least = r->estimate, most = least;
	unsigned last = at;
	for (; last + 1 < t->v.n; last++) {
		const struct verdict *next = &rows[last + 1].sides[VERSIONS_PROCESSES].verdict;
		if (!is_same(next, &s->verdict))
			break;
		least = fmin(least, next->ratio.estimate);
		most = fmax(most, next->ratio.estimate);
		r->lo = fmin(r->lo, next->ratio.lo);
		r->hi = fmax(r->hi, next->ratio.hi);
		s->verdict.detectable = fmax(s->verdict.detectable, next->detectable);
	}
	if (last > at)
		s->versions = arena_text(t->arena, "%s to %s", s->versions, rows[last].version);
	verdict_unseen_text(s->verdict.detectable, unseen, sizeof unseen);
	s->unseen = arena_copy(t->arena, unseen);
	s->margin = arena_text(t->arena, "%.3g %%", 100 * s->verdict.margin);
	c->said[c->nsaid++] = (struct said){
	    .span = t->nspans++, .text = span_write(t->arena, s, least, most, is_time(c))};
	return last;
}

/* Whether a mode's data took the other path from that version on: by the library's log, and by the
 * counters if they were read. */
static bool took_other_way(const struct side *from, const struct side *to)
{
	const bool staged = !strcmp(to->path, "staged");
	const double more = to->dram - from->dram;
	return !strcmp(from->path, staged ? "direct" : "staged") &&
	       (staged || !strcmp(to->path, "direct")) &&
	       (isnan(more) || (staged ? more > 0 : more < 0));
}

/* Whether a change's interval decides that a mode did not gain (or lose). It does so even if it
 * reaches beyond the margin on the other side, which decides nothing else. */
static bool is_cleared(const struct verdict *change, bool gain)
{
	const double edge = log1p(change->margin);
	return gain ? log(change->ratio.hi) <= edge : log(change->ratio.lo) >= -edge;
}

/* The change of a mode's own bandwidth up to version `at`, if its verdict says so; and that the
 * other mode did not make a change that would also have moved their ratio. */
static void change_add(const struct teller *t, struct coll *c, unsigned at, unsigned mode)
{
	static const char *const did[2][2] = {
	    {"From {0.version} to {1.version} {0.mode} gained bandwidth: from {0.value} to "
	     "{1.value} GB/s",
	     "From {0.version} to {1.version} {0.mode} lost bandwidth: from {0.value} to "
	     "{1.value} GB/s"},
	    {"From {0.version} to {1.version} latency of {0.mode} fell: from {0.value} to "
	     "{1.value} µs",
	     "From {0.version} to {1.version} latency of {0.mode} rose: from {0.value} to "
	     "{1.value} µs"}};
	static const char *const other_did[2][2] = {
	    {"; {0.mode} lost none ({0.value} to {1.value} GB/s)",
	     "; {0.mode} gained none ({0.value} to {1.value} GB/s)"},
	    {"; that of {0.mode} did not rise ({0.value} to {1.value} µs)",
	     "; that of {0.mode} did not fall ({0.value} to {1.value} µs)"}};
	const unsigned other = mode == VERSIONS_THREADS ? VERSIONS_PROCESSES : VERSIONS_THREADS,
	               before = c->first + (at - 1) * t->v.nmodes, after = before + t->v.nmodes;
	const struct side *x = &c->rows[at - 1].sides[mode], *y = &c->rows[at].sides[mode];
	const bool lost = verdict_beyond(&y->change) < 0, way = took_other_way(x, y),
	           dram = way && !isnan(x->dram) && !isnan(y->dram);
	if (!verdict_effect(&y->change))
		return;
	c->said[c->nsaid++] = (struct said){
	    .span = NONE,
	    .sides = {before + mode, after + mode},
	    .other = {before + other, after + other},
	    .text =
	        arena_text(t->arena, "%s%s%s", did[is_time(c)][lost],
	                   way ? "; their data path went from {0.path} to {1.path}" : "",
	                   dram ? " (DRAM bytes per NVLink byte from {0.dram} to {1.dram})" : ""),
	    .other_text = is_cleared(&c->rows[at].sides[other].change, lost)
	                      ? other_did[is_time(c)][lost]
	                      : NULL};
}

/* The ratio by version, and which mode's own bandwidth changed where the verdict changes. */
static void sentences_make(struct teller *t, struct coll *c)
{
	for (unsigned at = 0; at < t->v.n && !c->part->why[0]; at++) {
		const bool decided =
		    at && verdict_decided(&c->rows[at].sides[VERSIONS_PROCESSES].verdict) &&
		    verdict_decided(&c->rows[at - 1].sides[VERSIONS_PROCESSES].verdict);
		const unsigned first = at;
		at = span_add(t, c, at);
		for (unsigned mode = 0; decided && mode <= VERSIONS_PROCESSES; mode++)
			change_add(t, c, first, mode);
	}
}

static void coll_add(struct teller *t, struct coll c)
{
	const struct summary *s = t->a->s;
	const char *name = coll_info(c.kind)->name;
	for (unsigned g = 0; g < s->ngroups; g++) {
		const struct summary_group *group = &s->groups[g];
		if (group->cell.coll == c.kind && group->cell.pace == c.pace && !group->limit)
			c.ranks = group->nranks;
	}
	if (c.kind == COLL_INIT || !c.ranks)
		return;
	c.part = &t->parts[t->ncolls];
	*c.part = (struct part){
	    .collective = name,
	    .title = is_time(&c) ? arena_text(t->arena, "%s, latency", name) : name,
	    .metric = metric_info(c.metric)->name,
	    .modes = t->v.nmodes > 2 ? "threads single processes" : "threads processes"};
	rows_make(t, &c);
	sentences_make(t, &c);
	t->colls[t->ncolls++] = c;
}

static void colls_make(struct teller *t)
{
	const struct analysis *a = t->a;
	const struct gap *gap = &a->asked.gap;
	const unsigned most = 2 * COLL_KINDS;
	struct coll c = {.metric = METRIC_BUSBW,
	                 .pace = PACE_STREAM,
	                 .regime = regimes_find(&a->regimes, REGIME_LARGE),
	                 .range = {is_large(a->s) ? LARGE_FROM : 0, SIZE_MAX}};
	if (gap->from[0])
		c.range = gap->bytes;
	t->parts = ARENA_ARRAY(t->arena, struct part, most);
	t->spans = ARENA_ARRAY(t->arena, struct span, most * t->v.n);
	t->sides = ARENA_ARRAY(t->arena, struct side, most * t->v.n * t->v.nmodes);
	for (unsigned i = 0; i < most; i++) {
		if (i == COLL_KINDS) { /* if small sizes have a regime of isolated calls */
			c.regime = regimes_find(&a->regimes, REGIME_SMALL);
			if (!c.regime || c.regime->metric != METRIC_LATENCY)
				return;
			c.metric = METRIC_LATENCY;
			c.pace = PACE_ISOLATED;
			c.range = c.regime->range;
		}
		c.kind = (enum coll_kind)(i % COLL_KINDS);
		coll_add(t, c);
	}
}

/* --- the chapter --- */

static void add_said(struct phrase *p, const struct teller *t, const struct said *said)
{
	if (said->span != NONE) {
		phrase_add(p, t->tables.spans, &said->span, 1, "With NCCL {versions} ");
		phrase_add(p, t->tables.spans, &said->span, 1, said->text);
	} else {
		phrase_add(p, t->tables.sides, said->sides, 2, said->text);
		if (said->other_text)
			phrase_add(p, t->tables.sides, said->other, 2, said->other_text);
	}
	phrase_words(p, ".");
}

static const struct remark *remarks_of(const struct teller *t)
{
	struct remark *rows = ARENA_ARRAY(t->arena, struct remark, t->v.nremarks + 1);
	for (unsigned i = 0; i < t->v.nremarks; i++) {
		const struct versions_remark *of = &t->v.remarks[i];
		const char *threads = reason_text(t->arena, &of->why[VERSIONS_THREADS]),
		           *processes = reason_text(t->arena, &of->why[VERSIONS_PROCESSES]),
		           *both = *threads && *processes ? "; " : "";
		rows[i] = (struct remark){of->version, NULL, of->mode, of->taken, of->others};
		if (!of->taken)
			rows[i].why = *threads || *processes
			                  ? arena_text(t->arena, "%s%s%s", threads, both, processes)
			                  : "threads and processes are of two files of it";
	}
	return rows;
}

#define LEFT_OUT "NCCL {version} is left out: {why}."

static void say_missing(struct story *story, const struct teller *t)
{
	if (t->v.nmissing)
		story_say(story, STORY_BODY, t->tables.remarks, NULL, 0,
		          t->ncolls
		              ? "[" LEFT_OUT "| " LEFT_OUT "]"
		              : "Threads and processes are not compared by version.[ " LEFT_OUT
		                "| " LEFT_OUT "]");
}

/* A paragraph of all, the table, and the rows that it uses. */
static void tell_coll(struct story *story, const struct teller *t, unsigned i)
{
	const struct coll *c = &t->colls[i];
	struct story_form *form = ARENA_NEW(t->arena, struct story_form);
	struct phrase p = phrase_begin(story);
	if (c->part->why[0])
		phrase_add(&p, t->tables.parts, &i, 1, "Nothing can be said by version: {why}.");
	for (unsigned k = 0; k < c->nsaid; k++) {
		phrase_words(&p, " ");
		add_said(&p, t, &c->said[k]);
	}
	phrase_end(&p, STORY_BODY);
	if (!c->part->blocks)
		return;
	*form = is_time(c) ? small_form : large_form;
	form->name =
	    arena_text(t->arena, "version_%s%s", c->part->collective, is_time(c) ? "_latency" : "");
	form->title = arena_text(t->arena, "%s, %u rank%s", c->part->title, c->ranks,
	                         format_plural(c->ranks));
	story_table(story, form, c->rows, t->v.n);
	story_say(story, STORY_BODY, t->tables.parts, &i, 1,
	          is_time(c) ? "Latency (p50 of isolated calls) of {collective}, {sizes}: "
	                       "geometric mean over {basis}."
	                     : "Stream bandwidth of {collective}, {sizes}: geometric mean "
	                       "over {basis}.");
}

#define COULD_REPLACE                                                                              \
	" Of several variants of {mode} with NCCL {version} the first is compared, {taken}, and "  \
	"not {others}."

static void say_compared(struct story *story, const struct teller *t)
{
	struct phrase p = phrase_begin(story);
	phrase_add(&p, t->tables.parts, NULL, 0,
	           "On each version the variants that are the reference but for mode and library.");
	phrase_add(&p, t->tables.remarks, NULL, 0, "[" COULD_REPLACE "|" COULD_REPLACE "]");
	phrase_words(&p, " Data path: direct is straight into the peer's buffer, staged by way "
	                 "of a buffer of NCCL's own.");
	phrase_end(&p, STORY_BODY);
}

/* Latency that is undecided on every version is no answer. The first collective needs no name if
 * all rows have it. */
static void answer(struct story *story, const struct teller *t, unsigned i)
{
	const struct coll *c = &t->colls[i];
	const bool named = i || t->colls[t->ncolls - 1].kind != c->kind;
	for (unsigned k = 0; k < c->nsaid && (c->decided || !is_time(c)); k++) {
		struct phrase p = phrase_begin(story);
		if (named)
			phrase_add(&p, t->tables.parts, &i, 1, "{title}: ");
		add_said(&p, t, &c->said[k]);
		phrase_end(&p, STORY_ANSWER);
	}
}

/* For the picture, which has only bandwidth: the verdict on the ratios, without figures in
 * parentheses. */
static void caption(struct story *story, const struct teller *t, const struct coll *c)
{
	struct phrase p = phrase_begin(story);
	for (unsigned k = 0; k < c->nsaid && !is_time(c); k++) {
		const struct said *said = &c->said[k];
		const char *end = strstr(said->text, " (");
		if (said->span == NONE)
			continue;
		phrase_add(&p, t->tables.spans, &said->span, 1,
		           arena_text(t->arena, "%s {versions} %.*s", k ? "; with" : "With",
		                      end ? (int)(end - said->text) : INT_MAX, said->text));
	}
	phrase_end(&p, STORY_CAPTION);
	c->part->caption = p.text;
}

/* The ratios of several collectives; for a single one the answer has them. */
static void lead(struct story *story, const struct teller *t)
{
	unsigned *rows = ARENA_ARRAY(t->arena, unsigned, t->nsides + 1), n = 0, ncolls = 0;
	for (unsigned i = 0; i < t->ncolls; i++) {
		const struct coll *c = &t->colls[i];
		if (is_time(c) || !c->part->blocks)
			continue;
		ncolls++;
		for (unsigned k = 0; k < t->v.n; k++)
			rows[n++] = c->first + k * t->v.nmodes + VERSIONS_PROCESSES;
	}
	if (ncolls > 1)
		story_lead_pivot(story, t->tables.sides, rows, n, "version", "collective", "ratio");
	story_leads_unasked(story);
}

static void tell(const struct analysis *a, struct story *story)
{
	struct teller *t = ARENA_NEW(story->arena, struct teller);
	*t = (struct teller){.a = a, .arena = story->arena};
	versions_find(a->s, story->arena, &t->v);
	if (t->v.n)
		colls_make(t);
	t->tables.parts = story_rows(story, &part_form, t->parts, t->ncolls);
	t->tables.sides = story_rows(story, &side_form, t->sides, t->nsides);
	t->tables.spans = story_rows(story, &span_form, t->spans, t->nspans);
	t->tables.remarks = story_rows(story, &remark_form, remarks_of(t), t->v.nremarks);
	say_missing(story, t);
	for (unsigned i = 0; i < t->ncolls; i++)
		tell_coll(story, t, i);
	if (t->ncolls)
		say_compared(story, t);
	for (unsigned i = 0; i < t->ncolls; i++)
		answer(story, t, i);
	for (unsigned i = 0; i < t->ncolls; i++)
		caption(story, t, &t->colls[i]);
	lead(story, t);
	if (t->ncolls)
		story_settles(story);
	story_picture(story, "versions", !run_explains_gap(a));
	if (!a->asked.gap.from[0]) /* the gap gives the reason */
		story_link(story);
	story_show(story, t->tables.parts);
	story_show(story, t->tables.sides);
	story_show(story, t->tables.spans);
	if (t->ncolls || t->v.nmissing)
		story_show(story, t->tables.remarks);
}

const struct chapter chapter_versions = {"versions", "Why: by version of NCCL", CHAPTER_BODY, tell};
