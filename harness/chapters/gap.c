/* The gap that the experiment asks about, from one variant to another, factor by factor
 * (waterfall.h): how much of it each step explains, and what is left. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"

#define NAMED      3   /* factors in a sentence */
#define NEARLY_ALL 0.8 /* an interval that begins below is not "all", whatever it covers */

struct row {
	const char *step, *variants;
	const char *verdict;
	const char *factor;    /* as in the file, or "rest" */
	const char *of_gap;    /* the share's interval in words, or "" */
	double change;         /* per cent */
	double end_lo, end_hi; /* of the bar */
	int rest, beyond;
	struct waterfall_step of;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, step, "step", "", TEXT),
    COLUMN(struct row, variants, "variants", "", TEXT),
    COLUMN_AS(struct row, of.from_gbs, "from_gbs", "from", "GB/s", NUMBER, 0),
    COLUMN_AS(struct row, of.to_gbs, "to_gbs", "to", "GB/s", NUMBER, 0),
    COLUMN_AS(struct row, of.ratio, "ratio", "ratio", "", RATIO, 0),
    COLUMN_AS(struct row, of.share.estimate, "share", "share of the gap", "", SHARE, 0),
    COLUMN_AS(struct row, of.share.lo, "share_lo", "at least", "", SHARE, 0),
    COLUMN_AS(struct row, of.share.hi, "share_hi", "at most", "", SHARE, 0),
    COLUMN(struct row, verdict, "verdict", "", WORD),
    COLUMN_AS(struct row, factor, "factor", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, of_gap, "of_gap", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, change, "change", "", "%", NUMBER, ONLY_FILES),
    COLUMN_AS(struct row, end_lo, "end_lo", "", "GB/s", NUMBER, ONLY_FILES),
    COLUMN_AS(struct row, end_hi, "end_hi", "", "GB/s", NUMBER, ONLY_FILES),
    COLUMN_AS(struct row, rest, "rest", "", "", FLAG, ONLY_FILES),
    COLUMN_AS(struct row, beyond, "beyond", "", "", FLAG, ONLY_FILES),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "waterfall", .title = "From one end of the gap to the other",
               .when = STORY_NO_WHEN, .drawn = STORY_ARRAYS);

enum { UNMEASURED = 1, MEASURED = 2, SHARED = 4, ALONE = 8 };

/* The gap as a whole. */
struct whole {
	const char *from, *to;
	struct stats_ratio ratio; /* bandwidth of to ÷ from */
	const char *verdict;
	double detectable;
	struct stats_ratio explained; /* a share */
	const char *explained_share, *left_share, *back_share;
	unsigned ncells, nblocks;
	const char *basis, *why;
	unsigned when;
};
static const struct column whole_columns[] = {
    COLUMN(struct whole, from, "from", "", TEXT),
    COLUMN(struct whole, to, "to", "", TEXT),
    COLUMN(struct whole, ratio, "ratio", "", RATIO),
    COLUMN(struct whole, verdict, "verdict", "", WORD),
    COLUMN(struct whole, detectable, "least effect", "", NUMBER),
    COLUMN(struct whole, explained, "explained", "", RATIO),
    COLUMN(struct whole, explained_share, "in words", "", TEXT),
    COLUMN(struct whole, left_share, "left", "", TEXT),
    COLUMN(struct whole, back_share, "taken back", "", TEXT),
    COLUMN_AS(struct whole, ncells, "cells", "cells", "", COUNT, 0),
    COLUMN_AS(struct whole, nblocks, "blocks", "trials of each", "", COUNT, 0),
    COLUMN(struct whole, basis, "basis", "", TEXT),
    COLUMN(struct whole, why, "why", "", TEXT),
};
static const struct story_form whole_form =
    STORY_FORM(struct whole, whole_columns, .name = "gap", .title = "The gap", .when = offsetof(struct whole, when),
               .hidden = true, .drawn = STORY_ARRAYS);

static const struct sentence whole_sentences[] = {
    {STORY_BODY, UNMEASURED, "From {from} to {to}: {why}."},
    {STORY_BODY, MEASURED, "Bandwidth of {to} is {ratio:full} times that of {from} ({verdict}; {basis})."},
    {STORY_ANSWER, SHARED | ALONE, "{to} reaches {ratio} times the bandwidth of {from} ({ratio:interval})."},
};
// clang-format on

static struct whole whole_of(const struct analysis *a, bool by_version, struct arena *arena)
{
	const struct waterfall *w = &a->waterfall;
	const struct stats_ratio *e = &w->explained;
	char verdict[VERDICT_TEXT_BYTES];
	struct whole whole = {.from = a->asked.gap.from,
	                      .to = a->asked.gap.to,
	                      .ratio = w->gap.ratio,
	                      .detectable = w->gap.detectable,
	                      .explained = *e,
	                      .ncells = w->ncells,
	                      .nblocks = w->nblocks,
	                      .why = w->why.kind || w->nsteps ? reason_text(arena, &w->why)
	                                                      : "the gap was not measured",
	                      .when = w->nsteps ? MEASURED : UNMEASURED};
	verdict_text(&w->gap, verdict, sizeof verdict);
	whole.verdict = arena_copy(arena, verdict);
	whole.basis = arena_text(arena, "%u cell%s, %u trial%s of each", w->ncells,
	                         format_plural(w->ncells), w->nblocks, format_plural(w->nblocks));
	if (!w->nsteps || isnan(e->estimate))
		return whole;
	whole.when |= SHARED | (by_version ? 0 : ALONE);
	whole.explained_share = arena_copy(arena, format_shares(e->lo, e->hi).text);
	whole.left_share = arena_copy(arena, format_shares(1 - e->hi, 1 - e->lo).text);
	whole.back_share = arena_copy(arena, format_shares(e->lo - 1, e->hi - 1).text);
	return whole;
}

static struct row row_of(const struct summary *s, const struct waterfall_step *step,
                         struct arena *arena)
{
	char verdict[VERDICT_TEXT_BYTES];
	verdict_text(&step->verdict, verdict, sizeof verdict);
	if (step->at_odds)
		snprintf(verdict, sizeof verdict, "undecided: mean and estimate disagree");
	return (struct row){
	    .step = arena_text(arena, "%s%s", step->rest ? "what is left" : step->name,
	                       step->backwards ? " (taken back)" : ""),
	    .variants = arena_text(arena, "%s → %s", s->variants[step->from].name,
	                           s->variants[step->to].name),
	    .verdict = arena_text(arena, "%s%s", step->rest ? "no factor" : verdict,
	                          step->placebo ? ", a placebo" : ""),
	    .factor = step->name,
	    .of_gap = isnan(step->share.estimate)
	                  ? ""
	                  : arena_copy(arena, format_shares(step->share.lo, step->share.hi).text),
	    .change = 100 * (step->ratio.estimate - 1),
	    .end_lo = step->from_gbs * step->verdict.ratio.lo,
	    .end_hi = step->from_gbs * step->verdict.ratio.hi,
	    .rest = step->rest,
	    .beyond = verdict_effect(&step->verdict) != 0,
	    .of = *step};
}

/* The factors that count to one side of 0, the largest first, each with its share unless that is
 * the whole answer. */
static void add_names(struct phrase *p, const struct story_table *t, const struct waterfall *w,
                      bool against, bool shares)
{
	unsigned order[WATERFALL_MAX_STEPS], n = 0;
	double sizes[WATERFALL_MAX_STEPS] = {0}; /* of those that are not named: negative */
	for (unsigned i = 0; i < w->nsteps; i++) {
		const double share = w->steps[i].share.estimate;
		const bool named = w->steps[i].counts && (share < 0) == against;
		sizes[i] = named ? fabs(share) : -1;
		n += named;
	}
	stats_order(sizes, w->nsteps, order);
	for (unsigned i = 0; i < n && i < NAMED; i++) {
		phrase_words(p, i + 1 == n && i ? " and " : i ? ", " : "");
		phrase_add(p, t, &order[i], 1,
		           shares || n > 1 ? "{factor} ({of_gap})" : "{factor}");
	}
	if (n > NAMED)
		phrase_words(p, " and others");
}

static const char *explained_text(const struct stats_ratio *e)
{
	if (e->hi - e->lo < 1e-9) /* no other step */
		return " all of the gap";
	if (e->lo > 1)
		return " more than the gap ({explained_share}); the other steps take "
		       "{back_share} back";
	if (e->hi < 1)
		return " {explained_share} of the gap; nothing here is shown to explain the "
		       "other {left_share}";
	if (e->lo >= NEARLY_ALL)
		return " all of the gap ({explained_share})";
	return " {explained_share} of the gap: too wide to say whether anything is left";
}

/* "zero-copy explains all of the gap (98 to 106 %)"; without shares, why there are none. */
static void say_explained(struct story *story, const struct story_table *whole,
                          const struct story_table *steps, const struct waterfall *w,
                          unsigned roles, const char *begin)
{
	struct phrase p = phrase_begin(story);
	unsigned against = 0, n = 0;
	for (unsigned i = 0; i < w->nsteps; i++) {
		against += w->steps[i].counts && w->steps[i].share.estimate < 0;
		n += w->steps[i].counts && !(w->steps[i].share.estimate < 0);
	}
	phrase_add(&p, whole, NULL, 0, begin);
	if (isnan(w->explained.estimate)) {
		phrase_add(&p, whole, NULL, 0, "{why}");
	} else if (!n) {
		phrase_add(&p, whole, NULL, 0,
		           "no factor explains any of the gap beyond the margin");
	} else {
		add_names(&p, steps, w, false, against);
		phrase_words(&p, n == 1 ? " explains" : " explain");
		phrase_add(&p, whole, NULL, 0, explained_text(&w->explained));
	}
	if (n && against) {
		phrase_words(&p, "; ");
		add_names(&p, steps, w, true, true);
		phrase_words(&p, against == 1 ? " works against it" : " work against it");
	}
	phrase_words(&p, ".");
	phrase_end(&p, roles);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct waterfall *w = &a->waterfall;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, w->nsteps);
	struct whole *whole = ARENA_NEW(story->arena, struct whole);
	const bool shared = run_explains_gap(a);
	if (!a->asked.gap.from[0])
		return;
	story_settles(story);
	*whole = whole_of(a, run_by_version(a, story->arena), story->arena);
	for (unsigned i = 0; i < w->nsteps; i++)
		rows[i] = row_of(a->s, &w->steps[i], story->arena);
	const struct story_table *facts = story_table(story, &whole_form, whole, 1);
	if (!w->nsteps) {
		STORY_TELL(story, facts, whole_sentences);
		return;
	}
	/* The sentences come first, though the story gets their rows after them. */
	const struct story_table *steps = story_rows(story, &form, rows, w->nsteps);
	say_explained(story, facts, steps, w, STORY_STRESS | STORY_CAPTION,
	              shared ? "" : "No shares are given: ");
	STORY_TELL(story, facts, whole_sentences);
	if (shared)
		say_explained(story, facts, steps, w, STORY_ANSWER, "Between {from} and {to}, ");
	story_show(story, steps);
	story_picture(story, "waterfall", shared);
	story_note(story, STORY_BODY,
	           "GB/s are geometric means over the gap's cells, in the blocks that hold every "
	           "variant on the way. Ratios and shares are estimates of their own, with 95 % "
	           "intervals. A step explains where its verdict is faster or slower and it is no "
	           "placebo. In another order of the steps shares may differ.");
}

const struct chapter chapter_gap = {"gap", "Why: what explains the gap", CHAPTER_BODY, tell};
