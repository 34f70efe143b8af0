/* What to do if a rule applies to two variants that differ in one setting (analysis/advice.h judges
 * them). One sentence holds the items of one rule, range and library. */
#include <math.h>
#include <string.h>

#include "../analysis/advice.h"
#include "../analysis/analysis.h"
#include "../story/format.h"
#include "chapters.h"

struct row {
	const char *what, *collective, *metric, *from, *to;
	size_t from_bytes, to_bytes; /* as the rule asks */
	struct stats_ratio ratio, expect;
	int equal;
	size_t up_to;
	const char *library, *sizes, *unit;
	const char *gain;   /* "1.28", or "1.11 to 1.70" if nothing is known within */
	const char *bounds; /* its interval; NULL if the gain says it */
	const char *about;  /* what stands beside the gain, or "" */
	bool corrected; /* for the selection: the reader may be surprised by what was measured */
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, what, "what to do", "", TEXT),
    COLUMN(struct row, collective, "collective", "", TEXT),
    COLUMN(struct row, metric, "metric", "", TEXT),
    COLUMN(struct row, from, "against", "", TEXT),
    COLUMN(struct row, to, "choose", "", TEXT),
    COLUMN(struct row, from_bytes, "from", "", BYTES),
    COLUMN(struct row, to_bytes, "to", "", BYTES),
    COLUMN(struct row, ratio, "measured", "", RATIO),
    COLUMN(struct row, expect, "to expect", "", RATIO),
    COLUMN(struct row, equal, "as fast", "", FLAG),
    COLUMN(struct row, up_to, "faster at every size up to", "", BYTES),
    COLUMN(struct row, library, "NCCL", "", TEXT),
    COLUMN(struct row, sizes, "sizes", "", TEXT),
    COLUMN(struct row, unit, "times what", "", TEXT),
    COLUMN(struct row, gain, "gain", "", TEXT),
    COLUMN(struct row, bounds, "interval of the gain", "", TEXT),
    COLUMN(struct row, about, "about the gain", "", TEXT),
};
static const char *const whats[ADVICES] = {
    [ADVICE_REGISTER]  = "Register the user buffers",
    [ADVICE_THREADS]   = "Use a thread per rank rather than a process per rank",
    [ADVICE_PROCESSES] = "Use a process per rank rather than threads",
    [ADVICE_EITHER]    = "Threads or processes: choose by convenience",
    [ADVICE_SEVERAL]   = "Launch from several workers rather than from one thread",
    [ADVICE_GRAPH]     = "Replay small calls of one thread from a CUDA graph",
    [ADVICE_NATIVE]    = "Call the native collective from one thread, not grouped sends and receives",
    [ADVICE_BIND]      = "Bind the workers to cores",
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "advice", .title = "Recommendations", .when = STORY_NO_WHEN, .hidden = true);
// clang-format on

/* "1.27 to 1.30, corrected for selection; measured: 1.45" */
static const char *about_of(struct arena *arena, const struct row *row)
{
	const char *text = row->bounds ? row->bounds : "";
	if (row->corrected)
		text = arena_text(arena, "%s%scorrected for selection; measured: %.2f", text,
		                  *text ? ", " : "", row->ratio.estimate);
	if (row->up_to != ENTRY_NO_BYTES)
		text = arena_text(arena, "%s%sfaster at every size up to %s", text,
		                  *text ? ", " : "", format_size(row->up_to).text);
	return text;
}

static struct row row_of(const struct summary *s, struct arena *arena,
                         const struct advice_item *item)
{
	const struct stats_ratio *r = &item->ratio, *e = &item->expect;
	/* Correction for the selection brings the gain to the interval's lower end, and nothing
	 * says how much larger it is. */
	const bool at_end =
	    !item->equal &&
	    log(e->estimate /
	        e->lo)<0.02 * log(e->hi / e->lo), corrected = log(r->estimate / e->estimate)> 0.05 *
	        fabs(log(r->estimate));
	const int digits = item->equal ? 3 : 2;
	const char *gain = arena_text(arena, "%.*f", digits, e->estimate);
	struct row row = {
	    .what = whats[item->what],
	    .collective = coll_info(item->coll)->name,
	    .metric = metric_info(item->metric)->name,
	    .from = s->variants[item->from].name,
	    .to = s->variants[item->to].name,
	    .from_bytes = item->range.lo,
	    .to_bytes = item->range.hi,
	    .ratio = *r,
	    .expect = *e,
	    .equal = item->equal,
	    .up_to = item->up_to ? item->up_to : ENTRY_NO_BYTES,
	    .library = s->variants[item->to].library,
	    .sizes = arena_copy(arena, format_range(item->range).text),
	    .unit = item->metric == METRIC_BUSBW ? "bandwidth" : "speed",
	    .gain = at_end ? arena_text(arena, "%s to %.2f", gain, e->hi) : gain,
	    .bounds =
	        at_end ? NULL : arena_text(arena, "%.*f to %.*f", digits, e->lo, digits, e->hi),
	    .corrected = corrected};
	row.about = about_of(arena, &row);
	return row;
}

/* Whether one sentence says both. */
static bool is_said_with(const struct row *a, const struct row *b)
{
	return a->what == b->what && !strcmp(a->metric, b->metric) &&
	       (strcmp(a->collective, b->collective) || !strcmp(a->sizes, b->sizes)) &&
	       !strcmp(a->library, b->library);
}

static bool is_same_pair(const struct row *a, const struct row *b)
{
	return !strcmp(a->from, b->from) && !strcmp(a->to, b->to);
}

/* "threads-registered reaches 1.28 times the bandwidth of threads (1.27 to 1.30)" */
static void add_item(struct phrase *p, const struct story_table *t, const struct row *row)
{
	phrase_add_row(p, t, row,
	               row->equal ? "{from} and {to} have the same {unit} ({gain}, {bounds})"
	                          : "{to} reaches {gain} times the {unit} of {from}[ ({about})]");
}

/* For several collectives: "threads against single: 1.56 in all_reduce, 1.57 in all_gather". */
static void add_pair(struct phrase *p, const struct story_table *t, const struct row *first)
{
	const struct row *rows = t->rows;
	unsigned *of = ARENA_ARRAY(p->story->arena, unsigned, t->nrows), n = 0;
	for (unsigned i = (unsigned)(first - rows); i < t->nrows; i++)
		if (is_said_with(first, &rows[i]) && is_same_pair(first, &rows[i]))
			of[n++] = i;
	phrase_add(p, t, of, n, "{to} against {from}: [{gain} in {collective}]");
}

/* The same for page 1: of one row its gain, of several the range of their gains. */
static void advise_briefly(struct story *story, const struct story_table *t,
                           const struct row *first, bool several)
{
	const struct row *rows = t->rows;
	unsigned *of = ARENA_ARRAY(story->arena, unsigned, t->nrows), n = 0;
	bool libraries = false;
	for (unsigned i = 0; i < t->nrows; i++) {
		if (is_said_with(first, &rows[i]))
			of[n++] = i;
		libraries |= strcmp(rows[i].library, first->library) != 0;
	}
	struct phrase p = phrase_begin(story);
	phrase_add_row(&p, t, first, "{what}");
	if (!first->equal)
		phrase_add(&p, t, of, n,
		           n > 1 ? ": {expect:range} times the {0.unit}"
		                 : ": {gain} times the {unit}");
	phrase_add_row(&p, t, first, several ? " ({sizes}" : " ({collective}, {sizes}");
	phrase_add_row(&p, t, first, libraries ? "[, NCCL {library}])." : ").");
	phrase_end(&p, STORY_ADVICE);
}

/* The sentence of a row and of all rows that share it. */
static void advise(struct story *story, const struct story_table *t, const struct row *first)
{
	const struct row *end = story_row(t, t->nrows);
	bool several = false, corrected = false;
	struct phrase p = phrase_begin(story);
	for (const struct row *row = first; row < end; row++) {
		const bool with = is_said_with(first, row);
		several |= with && strcmp(row->collective, first->collective);
		corrected |= with && row->corrected;
	}
	phrase_add_row(&p, t, first,
	               several ? "{what} ({sizes}[, NCCL {library}]): times the {unit}, "
	                       : "{what} ({collective}, {sizes}[, NCCL {library}]): ");
	for (const struct row *row = first; row < end; row++) {
		bool said = !is_said_with(first, row);
		for (const struct row *k = first; k < row && several; k++)
			said |= is_said_with(first, k) && is_same_pair(k, row);
		if (said)
			continue;
		phrase_words(&p, row == first ? "" : "; ");
		(several ? add_pair : add_item)(&p, t, row);
	}
	phrase_words(&p, several && corrected ? "; corrected for selection." : ".");
	phrase_end(&p, STORY_ITEM);
	advise_briefly(story, t, first, several);
}

/* Nothing if the run cannot distinguish variants. */
static void tell(const struct analysis *a, struct story *story)
{
	const struct advice advice = regimes_tell(&a->regimes)
	                                 ? advice_make(a->s, &a->regimes, story->arena)
	                                 : (struct advice){.nitems = 0};
	struct row *rows = ARENA_ARRAY(story->arena, struct row, advice.nitems + 1);
	for (unsigned i = 0; i < advice.nitems; i++)
		rows[i] = row_of(a->s, story->arena, &advice.items[i]);
	const struct story_table *t = story_table(story, &form, rows, advice.nitems);
	for (unsigned i = 0; i < advice.nitems; i++) {
		unsigned first = 0;
		while (!is_said_with(&rows[first], &rows[i]))
			first++;
		if (first == i)
			advise(story, t, &rows[i]);
	}
}

const struct chapter chapter_advice = {"advice", "What to do, in full", CHAPTER_BODY, tell};
