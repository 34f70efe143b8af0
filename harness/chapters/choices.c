/* Which algorithm and protocol NCCL took at each size, by its log: a table, and where the choice
 * changes, which the curves of bandwidth show. NCCL decides by size among algorithms (RING, TREE,
 * NVLS) and protocols (LL, LL128, SIMPLE); sends and receives have none to choose. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "chapters.h"
#include "run.h"

#define MOST_BESIDE 3 /* variants side by side; more are below each other */

/* A variant's choice for a collective at a size. */
struct row {
	const char *collective, *variant;
	size_t asked_bytes;
	const char *algorithm, *protocol;
	unsigned channels;
	const char *choice; /* "RING LL 8" */
};

/* Neighbouring sizes of one choice. */
struct span {
	const char *collective, *variant, *variants; /* variants: all with the same spans */
	const char *choice;                          /* "RING LL" */
	size_t from_bytes, to_bytes;
	const char *where; /* "from 128 KiB to 1 MiB" */
	unsigned first;    /* of its variant's spans */
};

/* In a picture: between two sizes the choice changes. */
struct mark {
	const char *what, *variant, *before, *after;
	double at; /* bytes */
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, collective, "collective", "", TEXT),
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN_AS(struct row, asked_bytes, "asked_bytes", "size", "", BYTES, 0),
    COLUMN(struct row, algorithm, "algorithm", "", TEXT),
    COLUMN(struct row, protocol, "protocol", "", TEXT),
    COLUMN(struct row, channels, "channels", "", COUNT),
    COLUMN_AS(struct row, choice, "choice", "", "", TEXT, ONLY_PEOPLE),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "choices", .title = "NCCL's choices by size", .when = STORY_NO_WHEN, .file = "choices.csv", .hidden = true);

static const struct column span_columns[] = {
    COLUMN(struct span, collective, "collective", "", TEXT),
    COLUMN(struct span, variants, "variants", "", TEXT),
    COLUMN(struct span, choice, "algorithm and protocol", "", TEXT),
    COLUMN(struct span, from_bytes, "from", "", BYTES),
    COLUMN(struct span, to_bytes, "to", "", BYTES),
    COLUMN(struct span, where, "sizes", "", TEXT),
};
static const struct story_form span_form =
    STORY_FORM(struct span, span_columns, .name = "choice_spans", .title = "Sizes of one choice", .when = STORY_NO_WHEN, .hidden = true);

static const struct column mark_columns[] = {
    COLUMN(struct mark, what, "collective", "", TEXT),
    COLUMN(struct mark, variant, "variant", "", TEXT),
    COLUMN(struct mark, before, "below", "", TEXT),
    COLUMN(struct mark, after, "above", "", TEXT),
    COLUMN(struct mark, at, "bytes", "", NUMBER),
};
static const struct story_form mark_form =
    STORY_FORM(struct mark, mark_columns, .name = "choice_marks", .title = "Where the choice changes", .when = STORY_NO_WHEN, .hidden = true, .drawn = STORY_ARRAYS);
// clang-format on

static bool is_same(const struct path_choice *a, const struct path_choice *b)
{
	return !strcmp(a->algorithm, b->algorithm) && !strcmp(a->protocol, b->protocol);
}

static const char *text_of(struct arena *arena, const struct path_choice *c)
{
	return arena_text(arena, "%s %s", c->algorithm, c->protocol);
}

/* --- rows: a collective's groups differ in pace, datatype, …, and a choice is of its size alone --- */

static bool has_row(const struct row *rows, unsigned n, const char *collective, size_t asked)
{
	for (unsigned i = 0; i < n; i++)
		if (rows[i].collective == collective && rows[i].asked_bytes == asked)
			return true;
	return false;
}

/* In the order of sizes. */
static unsigned add_rows(const struct analysis *a, struct arena *arena, unsigned v, unsigned g,
                         struct row *rows, unsigned n)
{
	const struct summary_group *group = &a->s->groups[g];
	const char *name = coll_info(group->cell.coll)->name;
	for (unsigned i = 0; i < group->nsizes; i++) {
		const struct path_choice *c = evidence_choice(a->s, &a->evidence, v, g, i);
		const size_t asked = group->asked_bytes[i];
		unsigned at = n;
		if (!c || has_row(rows, n, name, asked))
			continue;
		for (; at && rows[at - 1].collective == name && rows[at - 1].asked_bytes > asked;
		     at--)
			rows[at] = rows[at - 1];
		rows[at] = (struct row){
		    .collective = name,
		    .variant = a->s->variants[v].name,
		    .asked_bytes = asked,
		    .algorithm = c->algorithm,
		    .protocol = c->protocol,
		    .channels = c->channels,
		    .choice = arena_text(arena, "%s %u", text_of(arena, c), c->channels)};
		n++;
	}
	return n;
}

/* All sizes of all collectives. */
static unsigned most_rows(const struct summary *s)
{
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		n += s->groups[g].nsizes;
	return n;
}

/* By collective, variant and size. */
static struct row *rows_of(const struct analysis *a, struct arena *arena, unsigned *nrows)
{
	const struct summary *s = a->s;
	struct row *rows = ARENA_ARRAY(arena, struct row, (size_t)most_rows(s) * s->nvariants + 1);
	*nrows = 0;
	for (unsigned coll = 0; coll < COLL_KINDS; coll++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			struct row *own = rows + *nrows;
			unsigned n = 0;
			for (unsigned g = 0; g < s->ngroups && summary_is_asked(s, v); g++)
				if (s->groups[g].cell.coll == coll && !s->groups[g].limit)
					n = add_rows(a, arena, v, g, own, n);
			*nrows += n;
		}
	return rows;
}

static bool is_of(const struct row *a, const struct row *b)
{
	return a->collective == b->collective && a->variant == b->variant;
}

/* --- spans --- */

static const char *where_of(struct arena *arena, const struct span *s, bool first, bool last)
{
	char from[32], to[32];
	coll_size_label(s->from_bytes, from, sizeof from);
	coll_size_label(s->to_bytes, to, sizeof to);
	return first && last                  ? "at all sizes"
	       : first                        ? arena_text(arena, "up to %s", to)
	       : last                         ? arena_text(arena, "from %s up", from)
	       : s->from_bytes == s->to_bytes ? arena_text(arena, "at %s", from)
	                                      : arena_text(arena, "from %s to %s", from, to);
}

static unsigned spans_of(struct arena *arena, const struct row *rows, unsigned nrows,
                         struct span *spans)
{
	unsigned n = 0;
	for (unsigned i = 0, end; i < nrows; i = end) {
		const bool first = !i || !is_of(&rows[i - 1], &rows[i]);
		for (end = i + 1; end < nrows && is_of(&rows[i], &rows[end]) &&
		                  !strcmp(rows[i].algorithm, rows[end].algorithm) &&
		                  !strcmp(rows[i].protocol, rows[end].protocol);)
			end++;
		spans[n] = (struct span){
		    .collective = rows[i].collective,
		    .variant = rows[i].variant,
		    .variants = rows[i].variant,
		    .choice = arena_text(arena, "%s %s", rows[i].algorithm, rows[i].protocol),
		    .from_bytes = rows[i].asked_bytes,
		    .to_bytes = rows[end - 1].asked_bytes,
		    .first = first ? n : spans[n - 1].first};
		spans[n].where =
		    where_of(arena, &spans[n], first, end == nrows || !is_of(&rows[i], &rows[end]));
		n++;
	}
	return n;
}

/* How many spans the variant has that begins at `first`. */
static unsigned count(const struct span *spans, unsigned n, unsigned first)
{
	unsigned k = 0;
	while (first + k < n && spans[first + k].first == first)
		k++;
	return k;
}

static bool is_equal(const struct span *spans, unsigned n, unsigned a, unsigned b)
{
	const unsigned k = count(spans, n, a);
	bool equal = spans[a].collective == spans[b].collective && k == count(spans, n, b);
	for (unsigned i = 0; i < k && equal; i++)
		equal = !strcmp(spans[a + i].choice, spans[b + i].choice) &&
		        !strcmp(spans[a + i].where, spans[b + i].where);
	return equal;
}

/* Variants of equal spans share them: "a, b". */
static unsigned merge(struct arena *arena, struct span *spans, unsigned n, struct span *out)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < n; i += count(spans, n, i)) {
		unsigned same = 0;
		while (same < i && (spans[same].first != same || !is_equal(spans, n, same, i)))
			same++;
		if (same < i)
			spans[same].variants =
			    arena_text(arena, "%s, %s", spans[same].variants, spans[i].variant);
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned same = 0;
		while (!is_equal(spans, n, same, spans[i].first))
			same += count(spans, n, same);
		if (same != spans[i].first)
			continue;
		out[kept] = spans[i];
		out[kept++].variants = spans[same].variants;
	}
	return kept;
}

/* The answer, if asked for, is of the first variants of each collective: the reference. */
static void say_spans(struct story *story, bool answers, const struct story_table *t)
{
	const struct span *spans = t->rows;
	unsigned *of = ARENA_ARRAY(story->arena, unsigned, t->nrows + 1), n;
	for (unsigned i = 0; i < t->nrows; i += n) {
		for (n = 0; i + n < t->nrows && spans[i + n].first == spans[i].first; n++)
			of[n] = i + n;
		const bool first = !i || spans[i - 1].collective != spans[i].collective;
		story_say(story, STORY_BODY | (answers && first ? STORY_ANSWER : 0), t, of, n,
		          "For {0.collective} NCCL takes [{choice} {where}], with {0.variants}.");
	}
}

/* --- for pictures --- */

/* The reference, or the first variant with choices. */
static int marked_variant(const struct analysis *a)
{
	const int reference = a->s->reference;
	if (reference >= 0 && a->evidence.paths[reference].nchoices)
		return reference;
	for (unsigned v = 0; v < a->s->nvariants; v++)
		if (summary_is_asked(a->s, v) && a->evidence.paths[v].nchoices)
			return (int)v;
	return -1;
}

static void tell_marks(const struct analysis *a, struct story *story)
{
	struct arena *arena = story->arena;
	struct mark *marks = ARENA_ARRAY(arena, struct mark, most_rows(a->s) + 1);
	const int v = marked_variant(a);
	unsigned n = 0;
	for (unsigned g = 0; g < a->s->ngroups && v >= 0; g++) {
		const struct summary_group *group = &a->s->groups[g];
		const struct path_choice *last = NULL, *c;
		size_t from = 0;
		for (unsigned i = 0; i < group->nsizes && group->cell.pace == PACE_STREAM; i++) {
			if (!(c = evidence_choice(a->s, &a->evidence, v, g, i)))
				continue;
			if (last && !is_same(last, c))
				marks[n++] = (struct mark){
				    .what = arena_copy(arena,
				                       coll_word(&group->cell, group->nranks).text),
				    .variant = a->s->variants[v].name,
				    .before = text_of(arena, last),
				    .after = text_of(arena, c),
				    .at = sqrt((double)from * (double)group->asked_bytes[i])};
			last = c;
			from = group->asked_bytes[i];
		}
	}
	story_table(story, &mark_form, marks, n);
}

/* --- the section --- */

/* Of each collective: the choice of each variant at each size. */
static void tell_collectives(struct story *story, const struct story_table *t)
{
	const struct row *rows = t->rows;
	unsigned *of = ARENA_ARRAY(story->arena, unsigned, t->nrows + 1);
	for (unsigned i = 0, n; i < t->nrows; i += n) {
		unsigned variants = 0;
		for (n = 0; i + n < t->nrows && rows[i + n].collective == rows[i].collective; n++) {
			of[n] = i + n;
			variants += !n || rows[i + n].variant != rows[i + n - 1].variant;
		}
		story_part(story, arena_text(story->arena, "%s: algorithm, protocol, channels",
		                             rows[i].collective));
		if (variants > MOST_BESIDE)
			story_pivot(story, t, of, n, "variant", "asked_bytes", "choice");
		else
			story_pivot(story, t, of, n, "asked_bytes", "variant", "choice");
	}
}

static void tell(const struct analysis *a, struct story *story)
{
	unsigned nrows;
	struct row *rows = rows_of(a, story->arena, &nrows);
	struct span *spans = ARENA_ARRAY(story->arena, struct span, nrows + 1);
	struct span *merged = ARENA_ARRAY(story->arena, struct span, nrows + 1);
	const unsigned nspans =
	    merge(story->arena, spans, spans_of(story->arena, rows, nrows, spans), merged);
	if (!nrows)
		return;
	const bool leads = !strcmp(run_text(a->s->run, "leads"), chapter_choices.name);
	const struct story_table *t = story_table(story, &span_form, merged, nspans);
	story_lead(story, t, "collective variants choice where");
	say_spans(story, leads, t);
	tell_collectives(story, story_table(story, &form, rows, nrows));
	story_note(
	    story, STORY_BODY,
	    "By the log of a separate job, which calls each collective at every size. Sends and "
	    "receives have nothing to choose, and older libraries log no choice.");
	story_files(story, "All choices");
	tell_marks(a, story);
}

const struct chapter chapter_choices = {"choices", "Why: NCCL's choice by size", CHAPTER_BODY,
                                        tell};
