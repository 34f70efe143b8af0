/* What each factor does to bandwidth and latency, the largest effect first (analysis/factors.h
 * judges them). */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"

#define NAMED 4 /* in one sentence */
#define MANY  8 /* the question is about them, and ratios of so many variants hide each other */

/* The verdict that a sentence uses: of bandwidth, or of latency if only that was measured. */
enum {
	EFFECT = 1,
	NONE = 2,
	OPEN = 4,
	ALARM = 8,
	ON_BANDWIDTH = 16,
	ON_LATENCY = 32,
	ON_BOTH = 64,
	UNTESTED = 128,
	/* In the answer, which names the first few of each. */
	SAID_EFFECT = 256,
	SAID_NONE = 512,
	SAID_OPEN = 1024,
};

/* A factor. Those that could not be tested come last. */
struct row {
	unsigned nth;
	const char *factor, *setting, *from, *to;
	int placebo;
	const char *word, *latency_word, *text, *why;
	const char *what, *variants, *sizes, *verdict, *latency_verdict; /* for people */
	const char *alarm, *not_acted, *label, *bandwidth_label, *latency_label;
	/* In the answer: effects beyond the margin; more: in the last that is named, so many are
	 * not. */
	const char *called, *before_latency;
	struct stats_ratio bandwidth_effect, latency_effect;
	unsigned more;
	unsigned when;
	struct factors_result of;
};

// clang-format off
static const struct column columns[] = {
    COLUMN_AS(struct row, factor, "factor", "factor", "", TEXT, 0),
    COLUMN_AS(struct row, what, "text", "what", "", TEXT, 0),
    COLUMN(struct row, variants, "variants", "", TEXT),
    COLUMN(struct row, setting, "setting", "", TEXT),
    COLUMN(struct row, sizes, "sizes", "", TEXT),
    COLUMN_AS(struct row, of.bandwidth.ratio, "bandwidth", "effect on bandwidth", "", RATIO, 0),
    COLUMN(struct row, verdict, "verdict", "", WORD),
    COLUMN_AS(struct row, of.latency.ratio, "latency", "effect on latency", "", RATIO, 0),
    COLUMN(struct row, latency_verdict, "verdict of latency", "", WORD),
    COLUMN_AS(struct row, from, "from", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, to, "to", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, alarm, "alarm", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, not_acted, "not_acted", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, label, "label", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, bandwidth_label, "bandwidth_label", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, latency_label, "latency_label", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, called, "called", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, bandwidth_effect, "bandwidth_effect", "", "", RATIO, ONLY_FILES),
    COLUMN_AS(struct row, before_latency, "before_latency", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, latency_effect, "latency_effect", "", "", RATIO, ONLY_FILES),
    COLUMN_AS(struct row, more, "more", "", "", COUNT, ONLY_FILES),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "effects", .title = "What each factor does", .when = offsetof(struct row, when), .drawn = STORY_ARRAYS);

static const struct column file_columns[] = {
    COLUMN(struct row, nth, "nth", "", COUNT),
    COLUMN(struct row, factor, "factor", "", TEXT),
    COLUMN(struct row, setting, "setting", "", TEXT),
    COLUMN(struct row, from, "from", "", TEXT),
    COLUMN(struct row, to, "to", "", TEXT),
    COLUMN(struct row, placebo, "placebo", "", FLAG),
    COLUMN_AS(struct row, of.bandwidth.ratio, "effect", "effect on bandwidth", "", RATIO, 0),
    COLUMN_AS(struct row, word, "verdict", "verdict", "", WORD, 0),
    COLUMN(struct row, text, "text", "", TEXT),
    COLUMN(struct row, why, "why", "", TEXT),
    COLUMN_AS(struct row, of.ncells, "cells", "cells", "", COUNT, 0),
    COLUMN_AS(struct row, of.bandwidth.ratio.blocks, "blocks", "blocks", "", COUNT, 0),
    COLUMN_AS(struct row, of.latency.ratio, "latency", "effect on latency", "", RATIO, 0),
    COLUMN_AS(struct row, latency_word, "latency_verdict", "verdict of latency", "", WORD, 0),
    COLUMN_AS(struct row, of.latency.ratio.blocks, "latency_blocks", "blocks of latency", "", COUNT, 0),
    COLUMN_AS(struct row, of.bandwidth.detectable, "detectable", "could be seen from", "", NUMBER, 0),
    COLUMN_AS(struct row, of.latency.detectable, "latency_detectable", "could be seen of latency from", "", NUMBER, 0),
};
static const struct story_form file_form =
    STORY_FORM(struct row, file_columns, .name = "factors", .title = "Each factor", .when = offsetof(struct row, when), .file = "factors.csv", .hidden = true, .drawn = STORY_BLOCK);

/* Of all: one row. */
struct whole {
	double by_chance;      /* the largest ratio expected if none had an effect */
	const char *unlatency; /* why latency is not judged */
	unsigned drawn_effects, drawn_none, drawn_open; /* in the caption */
	bool alike; /* all have the same sizes, which then need not be given */
};
static const struct column whole_columns[] = {
    COLUMN(struct whole, by_chance, "largest by chance", "", NUMBER),
    COLUMN_AS(struct whole, unlatency, "latency_why", "why latency is not judged", "", TEXT, 0),
    COLUMN(struct whole, drawn_effects, "more with an effect, placebos too", "", COUNT),
    COLUMN(struct whole, drawn_none, "no difference", "", COUNT),
    COLUMN(struct whole, drawn_open, "undecided", "", COUNT),
};
static const struct story_form whole_form =
    STORY_FORM(struct whole, whole_columns, .name = "all_factors", .title = "All factors", .when = STORY_NO_WHEN, .hidden = true);

/* "Register the buffers: 1.60 times the bandwidth (1.59 to 1.61)" */
#define EFFECTS "{called}[: {bandwidth_effect} times the bandwidth ({bandwidth_effect:interval})]" \
                "[{before_latency}{latency_effect} times the speed of small calls ({latency_effect:interval})]"
static const struct sentence answers[] = {
    {STORY_ANSWER, SAID_EFFECT, "By factor: [" EFFECTS "|; " EFFECTS "][; and {more} more]."},
    {STORY_ANSWER, SAID_NONE, "Factors without a difference: [" EFFECTS "|; " EFFECTS "][; and {more} more]."},
    {STORY_ANSWER, SAID_OPEN, "Undecided factors: [" EFFECTS "|; " EFFECTS "][; and {more} more]."},
};

/* A placebo with an effect; among the warnings too. */
static const struct sentence alarm = {STORY_STRESS, ALARM, "The placebo {factor} has an effect on {alarm}, where it should have none: trust no factor of this run before the cause is known."};
#define ALARM_OF(what) "THE PLACEBO HAS AN EFFECT on {alarm}: factor {factor} should change nothing, and " what ". Either the setting" \
    "[ ({setting})] does something in this library after all, or the run has a bias: trust no factor of it before that is known. " \
    "Run it again with more blocks, and look whether the A/A line is off as well."
#define OF_BANDWIDTH "bandwidth of {to} is {bandwidth:full} times that of {from}"
#define OF_LATENCY "latency of {from} is {latency:full} times that of {to}"
static const struct sentence warnings[] = {
    {STORY_WARNING, ON_BOTH, ALARM_OF(OF_BANDWIDTH ", and " OF_LATENCY)},
    {STORY_WARNING, ON_BANDWIDTH, ALARM_OF(OF_BANDWIDTH)},
    {STORY_WARNING, ON_LATENCY, ALARM_OF(OF_LATENCY)},
};
static const struct sentence untested = {STORY_ITEM, UNTESTED, "Cannot be tested here, {why}: [{factor}]."};
// clang-format on

/* --- the rows --- */

/* Rows are sorted by this. */
static const struct verdict *main_of(const struct factors_result *r)
{
	return factors_judged(&r->bandwidth) ? &r->bandwidth : &r->latency;
}

/* In full; for a placebo also what it means. What is true of the factor is said with the first
 * verdict that is judged. */
static const char *verdict_said(struct arena *arena, const struct factors_result *r,
                                const struct verdict *v)
{
	const bool first = v == main_of(r);
	char verdict[VERDICT_TEXT_BYTES];
	if (!factors_judged(v))
		return NULL;
	verdict_text(v, verdict, sizeof verdict);
	return arena_text(
	    arena, "%s%s%s%s%s%s", verdict,
	    r->factor->placebo && verdict_effect(v) ? ": THE PLACEBO HAS AN EFFECT" : "",
	    first && factors_proper(r) ? ", as a placebo should be" : "",
	    first && r->unexpected ? "; NOT on the expected path" : "",
	    first && r->acted.act ? "; " : "", first ? setting_text(arena, &r->acted) : "");
}

static const char *word_of(const struct verdict *v)
{
	return factors_judged(v) ? verdict_word(v->kind) : NULL;
}

static struct row row_of(struct arena *arena, const struct factors_result *r)
{
	const struct factor *f = r->factor;
	const struct verdict *v = main_of(r);
	const bool latency = verdict_effect(&r->latency),
	           both = latency && verdict_effect(&r->bandwidth);
	const char *alarmed = factors_alarm(r);
	return (struct row){
	    .factor = f->name,
	    .setting = f->setting,
	    .from = f->from,
	    .to = f->to,
	    .placebo = f->placebo,
	    .word = word_of(&r->bandwidth),
	    .latency_word = word_of(&r->latency),
	    .text = f->text,
	    .why = reason_text(arena, &r->why),
	    .what = f->text[0]   ? f->text
	            : f->placebo ? "placebo"
	                         : NULL,
	    .variants = arena_text(arena, "%s → %s", f->from, f->to),
	    .sizes = arena_copy(arena, format_range(r->sizes).text),
	    .verdict = verdict_said(arena, r, &r->bandwidth),
	    .latency_verdict = verdict_said(arena, r, &r->latency),
	    .alarm = alarmed,
	    .not_acted = setting_text(arena, &r->acted),
	    .bandwidth_label = arena_copy(arena, format_ratio(&r->bandwidth.ratio, true).text),
	    .latency_label = arena_copy(arena, format_ratio(&r->latency.ratio, true).text),
	    .called = f->text[0] ? f->text : f->name,
	    .before_latency = verdict_beyond(&r->bandwidth) ? ", " : ": ",
	    .bandwidth_effect = verdict_beyond(&r->bandwidth) ? r->bandwidth.ratio : STATS_NO_RATIO,
	    .latency_effect = verdict_beyond(&r->latency) ? r->latency.ratio : STATS_NO_RATIO,
	    .more = ENTRY_NO_COUNT,
	    .when = (verdict_effect(v)              ? EFFECT
	             : v->kind == VERDICT_UNDECIDED ? OPEN
	                                            : NONE) |
	            (!alarmed  ? 0
	             : both    ? ALARM | ON_BOTH
	             : latency ? ALARM | ON_LATENCY
	                       : ALARM | ON_BANDWIDTH) |
	            (r->why.kind ? UNTESTED : 0),
	    .of = *r};
}

/* The largest effect first, in either direction; then, in the file's order, those that were not
 * measured. Returns how many were. */
static unsigned rows_make(const struct analysis *a, struct arena *arena, struct row *rows,
                          struct whole *whole)
{
	const unsigned n = a->asked.nfactors;
	double sizes[CLAIM_MAX] = {0};
	unsigned order[CLAIM_MAX], tested = 0;
	struct stats_ratio ratios[CLAIM_MAX];
	for (unsigned i = 0; i < n; i++) {
		ratios[i] = main_of(&a->factors[i])->ratio;
		sizes[i] = isnan(ratios[i].estimate) ? -1 : fabs(log(ratios[i].estimate));
	}
	whole->by_chance = n > 1 ? exp(stats_largest_by_chance(ratios, n)) : NAN;
	stats_order(sizes, n, order);
	for (unsigned i = 0; i < n; i++) {
		rows[i] = row_of(arena, &a->factors[order[i]]);
		rows[i].nth = i + 1;
		tested += !*rows[i].why;
	}
	whole->alike = true;
	for (unsigned i = 0; i < tested; i++)
		whole->alike &= !strcmp(rows[i].sizes, rows[0].sizes);
	/* A variable's name shows that it is a variable. */
	for (unsigned i = 0; i < n; i++)
		rows[i].label =
		    arena_text(arena, "%s%s%s",
		               rows[i].setting + (strncmp(rows[i].setting, "env.", 4) ? 0 : 4),
		               whole->alike ? "" : ", ", whole->alike ? "" : rows[i].sizes);
	return tested;
}

/* --- in words --- */

static bool is_none(const struct factors_result *r)
{
	return (!factors_judged(&r->bandwidth) || verdict_within(&r->bandwidth)) &&
	       (!factors_judged(&r->latency) || verdict_within(&r->latency));
}

/* The file's own factors by their effect; placebos are omitted. */
static void choose_answers(struct row *rows, unsigned nrows)
{
	static const unsigned said[] = {SAID_EFFECT, SAID_NONE, SAID_OPEN};
	struct row *last[] = {NULL, NULL, NULL};
	unsigned n[] = {0, 0, 0};
	for (unsigned i = 0; i < nrows; i++) {
		struct row *row = &rows[i];
		const bool effect =
		    verdict_beyond(&row->of.bandwidth) || verdict_beyond(&row->of.latency);
		const unsigned kind = effect ? 0 : is_none(&row->of) ? 1 : 2;
		if (row->placebo)
			continue;
		if (n[kind]++ < NAMED) {
			row->when |= said[kind];
			last[kind] = row;
		} else {
			last[kind]->more = n[kind] - NAMED;
		}
	}
}

/* "pod: 0.00936 times the bandwidth; shm: 0.00970 times the bandwidth; no difference: 4" */
static void caption(struct story *story, const struct story_table *t, struct whole *whole,
                    const struct story_table *facts)
{
	struct phrase p = phrase_begin(story);
	unsigned said = 0;
	for (unsigned i = 0; i < t->nrows; i++) {
		const struct row *row = story_row(t, i);
		whole->drawn_none += (row->when & NONE) != 0;
		whole->drawn_open += (row->when & OPEN) != 0;
		if (!(row->when & EFFECT))
			continue;
		if (said++ >= NAMED) {
			whole->drawn_effects++;
			continue;
		}
		phrase_words(&p, "; ");
		phrase_add_row(&p, t, row,
		               factors_judged(&row->of.bandwidth)
		                   ? "{factor}: {bandwidth} times the bandwidth"
		                   : "{factor}: {latency} times the speed");
		if (!whole->alike)
			phrase_add_row(&p, t, row, " ({sizes})");
	}
	if (whole->drawn_effects)
		phrase_add(&p, facts, NULL, 0, "; {drawn_effects} more with an effect");
	if (said && whole->drawn_none)
		phrase_add(&p, facts, NULL, 0, "; no difference in {drawn_none}");
	if (said && whole->drawn_open)
		phrase_add(&p, facts, NULL, 0, "; undecided in {drawn_open}");
	if (said)
		phrase_add(&p, t, NULL, 0, ""); /* the rows that are counted */
	phrase_end(&p, STORY_CAPTION);
	if (!said && t->nrows)
		story_note(story, STORY_CAPTION,
		           !whole->drawn_none ? "No factor's effect is decided here"
		           : whole->drawn_open
		               ? "No factor has an effect beyond the margin, as far as is decided"
		               : "No factor has an effect beyond the margin");
}

static void tell(const struct analysis *a, struct story *story)
{
	const unsigned n = a->asked.nfactors;
	struct reason why = {.kind = REASON_NONE};
	if (!n)
		return;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, n);
	struct whole *whole = ARENA_NEW(story->arena, struct whole);
	const unsigned tested = rows_make(a, story->arena, rows, whole);
	if (summary_has_pace(a->s, PACE_ISOLATED))
		why = contrast_oversubscribed(a->s, METRIC_LATENCY);
	whole->unlatency = reason_text(story->arena, &why);
	choose_answers(rows, tested);
	const struct story_table *facts = story_table(story, &whole_form, whole, 1),
	                         *file = story_table(story, &file_form, rows, n),
	                         *t = story_rows(story, &form, rows, tested);
	story_tell(story, t, &alarm, 1);
	if (tested)
		story_say(
		    story, STORY_BODY, run_facts(story), NULL, 0,
		    "Each factor is two variants that differ in one setting, the largest effect "
		    "first. Effect on bandwidth: stream bandwidth after ÷ before; on latency: p50 "
		    "of isolated calls before ÷ after. Above 1 is faster in both. Margin "
		    "{margin}.");
	if (whole->by_chance > 1)
		story_say(story, STORY_BODY, facts, NULL, 0,
		          "The largest of several overstates. Had none an effect, the largest "
		          "would come out near {by_chance:more} by chance.");
	story_say(story, STORY_BODY, facts, NULL, 0,
	          "[Latency is not judged, with {latency_why}.]");
	story_show(story, t);
	story_lead(story, story_rows(story, &file_form, rows, tested),
	           "factor setting effect verdict latency latency_verdict");
	story_tell(story, file, &untested, 1);
	story_files(story, "All of it");
	story_picture(story, "factors", n >= MANY);
	caption(story, t, whole, facts);
	if (!story->settled && !run_lacks_blocks(a))
		STORY_TELL(story, t, answers);
	STORY_TELL(story, t, warnings);
}

const struct chapter chapter_factors = {"factors", "Why: factors", CHAPTER_BODY, tell};
