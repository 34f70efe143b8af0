/* What the experiment claims, and the outcome (analysis/claims.h decides). Page 1 gives a claim
 * with its ratio; if claims ask the same of two versions of the library, both are side by side. All
 * details are at the end. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/claim_pairs.h"
#include "../config/family.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"

enum { ANSWERS = 1, ANSWERS_LAST = 2 };

struct row {
	const char *claim, *text, *test, *left, *right, *metric, *unit;
	double left_value, right_value;
	struct stats_ratio ratio;
	const char *verdict, *rests_on;
	int primary;
	const char *metric_name, *regime; /* regime: its A/A line applies */
	double by;                        /* a share */
	const char *about, *said;         /* "Bus bandwidth"; "holds", "is undecided: …" */
	unsigned when;
	struct claims_result of;
};

/* On page 1: claims of one question share a row. */
struct brief {
	const char *claim, *verdict, *verdict_new;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, claim, "claim", "", TEXT),
    COLUMN(struct row, text, "text", "", TEXT),
    COLUMN(struct row, test, "test", "", TEXT),
    COLUMN(struct row, left, "left", "", TEXT),
    COLUMN(struct row, right, "right", "", TEXT),
    COLUMN(struct row, metric, "metric", "", TEXT),
    COLUMN(struct row, unit, "unit", "", TEXT),
    COLUMN(struct row, left_value, "left", "", NUMBER),
    COLUMN(struct row, right_value, "right", "", NUMBER),
    COLUMN(struct row, ratio, "left ÷ right", "", RATIO),
    COLUMN(struct row, verdict, "verdict", "", WORD),
    COLUMN_AS(struct row, of.p, "p", "p", "", NUMBER, 0),
    COLUMN_AS(struct row, of.p_adjusted, "p_adjusted", "p, family", "", NUMBER, 0),
    COLUMN(struct row, rests_on, "on what, or why", "", TEXT),
    COLUMN_AS(struct row, primary, "primary", "", "", FLAG, ONLY_FILES),
    COLUMN_AS(struct row, metric_name, "metric_name", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, regime, "regime", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, by, "by", "", "", SHARE, ONLY_FILES),
    COLUMN_AS(struct row, of.contrast.sizes.lo, "from_bytes", "", "", BYTES, ONLY_FILES),
    COLUMN_AS(struct row, of.contrast.sizes.hi, "to_bytes", "", "", BYTES, ONLY_FILES),
    COLUMN_AS(struct row, of.contrast.ncells, "cells", "", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct row, ratio.confidence, "confidence", "", "", SHARE, ONLY_FILES),
    COLUMN_AS(struct row, of.detectable, "detectable", "", "", NUMBER, ONLY_FILES),
    COLUMN_AS(struct row, about, "about", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, said, "said", "", "", TEXT, ONLY_FILES),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "claims", .title = "Claims", .when = offsetof(struct row, when));

/* Unless the sentences by version say it. */
#define PRIMARY_SAID "'{text}' {said}. {about} of {left} is {ratio:full} times that of {right}."
static const struct sentence sentences[] = {
    {STORY_ANSWER, ANSWERS, PRIMARY_SAID},
    {STORY_OPEN, ANSWERS_LAST, PRIMARY_SAID},
};

enum { PRIMARY = 1, FURTHER = 2, FURTHER_ONE = 4, CLAIMS = 8, ALL_CONFIRMED = 16, SOME_CONFIRMED = 32, NONE_CONFIRMED = 64,
       TOO_FEW = 128, UNTESTED = 256, ONE_CONFIRMED = 512 };

/* All claims but the primary one form a family. */
struct family {
	const char *primary, *verdict;
	unsigned claims, decided, confirmed;
	double alpha;
	const char *chance;
	unsigned wants, has; /* blocks that confirmation needs; the fewest that any claim has */
	unsigned untested;
	unsigned when;
};
static const struct column family_columns[] = {
    COLUMN(struct family, primary, "the primary claim", "", TEXT),
    COLUMN(struct family, verdict, "its verdict", "", WORD),
    COLUMN(struct family, claims, "further claims", "", COUNT),
    COLUMN(struct family, decided, "decided", "", COUNT),
    COLUMN(struct family, confirmed, "confirmed together", "", COUNT),
    COLUMN(struct family, alpha, "tested at", "", SHARE),
    COLUMN(struct family, chance, "wrong by chance", "", TEXT),
    COLUMN(struct family, wants, "blocks to confirm one", "", COUNT),
    COLUMN(struct family, has, "fewest trials", "", COUNT),
    COLUMN(struct family, untested, "not to be tested here", "", COUNT),
};
static const struct story_form family_form =
    STORY_FORM(struct family, family_columns, .name = "claims_family", .title = "Claims as a family", .when = offsetof(struct family, when), .hidden = true);

#define IN_ONE_PARAGRAPH (STORY_BODY | STORY_MORE)
#define TESTED_AT "tested at {alpha}: on average {chance} of them would be called wrongly by chance."
#define CORRECTED "Bonferroni's correction for their number confirms "
static const struct sentence family_sentences[] = {
    {IN_ONE_PARAGRAPH, PRIMARY, "The primary claim, {primary}: {verdict}."},
    {IN_ONE_PARAGRAPH, FURTHER, "{claims} further claims, each " TESTED_AT},
    {IN_ONE_PARAGRAPH, FURTHER_ONE, "{claims} further claim, tested at {alpha}."},
    {IN_ONE_PARAGRAPH, CLAIMS, "{claims} claims, each " TESTED_AT},
    {IN_ONE_PARAGRAPH, ALL_CONFIRMED, CORRECTED "all {decided} that are decided."},
    {IN_ONE_PARAGRAPH, ONE_CONFIRMED, CORRECTED "the one that is decided."},
    {IN_ONE_PARAGRAPH, SOME_CONFIRMED, CORRECTED "{confirmed} of the {decided} that are decided; the others read 'taken alone'."},
    {IN_ONE_PARAGRAPH, NONE_CONFIRMED, CORRECTED "none: each verdict is taken alone."},
    {IN_ONE_PARAGRAPH, TOO_FEW, "To confirm one of so many takes {wants} blocks at least; the fewest trials of a claim are {has}."},
    {STORY_BODY, UNTESTED, "{untested} more claim{untested:s} cannot be tested here; Claims in full says why."},
};

/* Claims that were asked after the run. */
struct later {
	const char *date, *launchgap;
};
static const struct column later_columns[] = {
    COLUMN(struct later, date, "asked", "", TEXT),
    COLUMN(struct later, launchgap, "by launchgap", "", TEXT),
};
static const struct story_form later_form =
    STORY_FORM(struct later, later_columns, .name = "claims_later", .title = "Claims that came later", .when = STORY_NO_WHEN, .hidden = true);
static const struct sentence later_sentences[] = {
    {IN_ONE_PARAGRAPH, 0, "These claims were asked after the run, on {date} by launchgap {launchgap}: what was measured was planned without them."},
};
// clang-format on

/* --- in words --- */

/* Another backend has to answer it: this run cannot. */
static bool is_elsewhere(const struct claims_result *r)
{
	return r->claim->test == CLAIM_NEEDS &&
	       !strncmp(r->claim->needs, CLAIM_NEEDS_BACKEND, sizeof CLAIM_NEEDS_BACKEND - 1);
}

/* The data it uses, with those paths, or why it cannot be tested. */
static const char *rests_on(const struct analysis *a, struct arena *arena,
                            const struct claims_result *r)
{
	const struct contrast *c = &r->contrast;
	if (r->outcome == CLAIMS_UNTESTED)
		return reason_text(arena, &c->why);
	const char *cells = metric_info(r->claim->metric)->whole
	                        ? "whole trials"
	                        : arena_text(arena, "%u cell%s, %s", c->ncells,
	                                     format_plural(c->ncells), format_range(c->sizes).text);
	const char *ways = run_ways(a, arena, r->claim);
	return arena_text(
	    arena, "%s%s, %u trial%s of each%s%s%s%s", r->primary ? "the primary claim; " : "",
	    cells, c->ratio.blocks, format_plural(c->ratio.blocks),
	    record_traits(a->s->run, NULL)->analogue ? "; tested on the host analogue" : "",
	    ways ? "; " : "", ways ? ways : "",
	    contrast_unexpected(a->s, r->claim->left, r->claim->right)
	        ? "; NOT on the expected path"
	        : "");
}

/* --- in full --- */

/* Whether it is about the two ends of the gap, which the sentences by version report. */
static bool is_by_version(const struct analysis *a, const struct story *story,
                          const struct claim *c)
{
	const struct gap *gap = &a->asked.gap;
	return run_by_version(a, story->arena) &&
	       ((!strcmp(gap->from, c->left) && !strcmp(gap->to, c->right)) ||
	        (!strcmp(gap->from, c->right) && !strcmp(gap->to, c->left)));
}

/* Whether it may precede what the run cannot decide: it is decided, or the run can distinguish
 * variants. */
static bool is_sure(const struct analysis *a, const struct claims_result *r)
{
	return r->outcome != CLAIMS_UNDECIDED || regimes_tell(&a->regimes) || run_explains_gap(a);
}

static const char *capital(struct arena *arena, const char *text)
{
	return arena_text(arena, "%c%s", text[0] & ~0x20, text + 1);
}

static struct row row_of(const struct analysis *a, const struct story *story,
                         const struct claims_result *r)
{
	struct arena *arena = story->arena;
	const struct claim *c = r->claim;
	const struct metric_info *metric = metric_info(c->metric);
	const bool tested = r->outcome != CLAIMS_UNTESTED, needs = c->test == CLAIM_NEEDS;
	const double scale = !strcmp(metric->unit, "µs") ? 1e-3 : 1; /* times are in ns */
	const int regime = claim_regime(c);
	const bool answers =
	    r->primary && !isnan(r->contrast.ratio.estimate) && !is_by_version(a, story, c);
	struct row row = {.claim = c->name,
	                  .text = c->text,
	                  .left_value = tested ? r->contrast.left_side.value * scale : NAN,
	                  .right_value = tested ? r->contrast.right_side.value * scale : NAN,
	                  .ratio = *claims_interval(r),
	                  .verdict = verdict_claim_text(arena, r, true),
	                  .rests_on = rests_on(a, arena, r),
	                  .primary = r->primary,
	                  .metric_name = metric->name,
	                  .regime =
	                      regime < 0 || needs ? NULL : claim_regime_name((unsigned)regime),
	                  .by = c->by,
	                  .about = capital(arena, metric->summary),
	                  .when = !answers        ? 0
	                          : is_sure(a, r) ? ANSWERS
	                                          : ANSWERS_LAST,
	                  .of = *r};
	row.said = arena_text(arena, "%s%s",
	                      r->outcome == CLAIMS_UNDECIDED ? "is "
	                      : r->outcome == CLAIMS_LITTLE  ? "does not hold as it stands: "
	                                                     : "",
	                      row.verdict);
	if (needs)
		return row;
	row.test = arena_text(arena, "%s%s %.3g %%", claim_test_name(c->test),
	                      c->test == CLAIM_WITHIN ? "" : " by", 100 * c->by);
	if (c->of > 0)
		row.test = arena_text(arena, "%s of %.3g %%", row.test, 100 * c->of);
	row.left = run_side(arena, c, false);
	row.right = run_side(arena, c, true);
	row.metric = metric->summary;
	row.unit = metric->unit;
	return row;
}

static void tell_full(const struct analysis *a, struct story *story)
{
	const unsigned n = a->asked.nclaims;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, n + 1);
	for (unsigned i = 0; i < n; i++)
		rows[i] = row_of(a, story, &a->claims[i]);
	if (!n)
		return;
	story_say(story, STORY_BODY, run_facts(story), NULL, 0,
	          "Each rests on one number per block: the geometric mean of left ÷ right over "
	          "its cells. It is tested on one side: each end of an interval is a bound of "
	          "{confidence} by itself. It holds when the interval is beyond what it says, and "
	          "does not hold when all of it is short of that; 'less, by under …' lies between "
	          "the two. Else it is undecided. 'Within' holds by two such tests; if it does "
	          "not, the interval is of {confidence}, both ends together. Staged and direct: "
	          "the data path of large sizes, where the evidence has it.");
	const struct story_table *t = story_table(story, &form, rows, n);
	STORY_TELL(story, t, sentences);
}

/* --- on page 1 --- */

/* "holds, 0.811". An undecided one says what cannot be seen; the section at the end says how many
 * blocks it needs. marked: verdicts taken alone are distinguished from others. */
static const char *brief_of(struct arena *arena, const struct claims_result *r, bool marked)
{
	char unseen[128] = "";
	if (!r || r->outcome == CLAIMS_UNTESTED)
		return NULL;
	const char *verdict = verdict_claim_text(arena, r, marked);
	if (r->outcome == CLAIMS_UNDECIDED && r->contrast.odd.block)
		verdict_odd_text(&r->contrast.odd, unseen, sizeof unseen);
	else if (r->outcome == CLAIMS_UNDECIDED)
		verdict_unseen_text(r->detectable, unseen, sizeof unseen);
	return arena_text(arena, "%.*s, %s%s%s", (int)strcspn(verdict, ":"), verdict,
	                  format_estimate(claims_interval(r)->estimate).text, *unseen ? "; " : "",
	                  unseen);
}

/* A column of verdicts for each of two versions, or a single one. */
static struct story_form *brief_form(struct arena *arena, const struct claim_pairs *pairs)
{
	const bool two = *pairs->libraries[1];
	struct column *list = ARENA_ARRAY(arena, struct column, 3);
	struct story_form *out = ARENA_NEW(arena, struct story_form);
	list[0] = (struct column)COLUMN(struct brief, claim, "the claim", "", TEXT);
	list[1] = (struct column)COLUMN(struct brief, verdict, "verdict", "", WORD);
	list[2] = (struct column)COLUMN(struct brief, verdict_new, "", "", WORD);
	for (unsigned k = 0; k < 2 && two; k++)
		list[1 + k].head = arena_text(arena, "NCCL %.32s", pairs->libraries[k]);
	*out = (struct story_form){.name = "claims_short",
	                           .title = "Claims",
	                           .columns = list,
	                           .ncolumns = two ? 3 : 2,
	                           .row_bytes = sizeof(struct brief),
	                           .when = STORY_NO_WHEN};
	return out;
}

static struct family family_of(const struct analysis *a, struct arena *arena)
{
	const unsigned n = a->asked.nclaims;
	const struct claims_result *results = a->claims, *primary = claims_primary(results, n);
	struct family f = {
	    .has = UINT_MAX, .alpha = FAMILY_ALPHA, .confirmed = claims_confirmed(results, n)};
	for (unsigned i = 0; i < n; i++) {
		const struct claims_result *r = &results[i];
		/* Lines of a source have their own table. */
		f.untested +=
		    r->outcome == CLAIMS_UNTESTED && !is_elsewhere(r) && !r->claim->source[0];
		if (r->primary || isnan(r->p))
			continue;
		f.claims++;
		f.decided += claims_decided(r);
		if (r->alone && r->contrast.nblocks < f.has)
			f.has = r->contrast.nblocks;
	}
	f.chance = arena_text(arena, "%.2g", f.claims * FAMILY_ALPHA);
	/* At this look. */
	f.wants = f.claims ? family_blocks(f.claims, 1 - a->s->looks.confidence) : 0;
	f.when = f.untested ? UNTESTED : 0;
	if (f.claims + !!primary < 2)
		return f;
	if (primary) {
		f.primary = primary->claim->name;
		f.verdict = verdict_claim_text(arena, primary, true);
	}
	f.when |= (!primary        ? CLAIMS
	           : f.claims == 1 ? PRIMARY | FURTHER_ONE
	                           : PRIMARY | FURTHER) |
	          (f.claims == 1 || !f.decided ? 0 /* there is nothing to correct for */
	           : !f.confirmed              ? NONE_CONFIRMED
	           : f.confirmed < f.decided   ? SOME_CONFIRMED
	           : f.decided == 1            ? ONE_CONFIRMED
	                                       : ALL_CONFIRMED) |
	          (f.has < f.wants ? TOO_FEW : 0);
	return f;
}

/* In one paragraph. */
static void tell_family(const struct analysis *a, struct story *story, const struct family *family,
                        bool rows)
{
	const json_t *asked = json_object_get(a->s->run->environment, "asked_later");
	const char *created = json_string_value(json_object_get(asked, "created"));
	struct later *row = ARENA_NEW(story->arena, struct later);
	if (asked)
		*row = (struct later){arena_text(story->arena, "%.10s", created),
		                      json_string_value(json_object_get(asked, "launchgap"))};
	const struct story_table *later = story_table(story, &later_form, row, asked != NULL),
	                         *all = story_table(story, &family_form, family, 1);
	if (rows)
		story_note(story, IN_ONE_PARAGRAPH,
		           "A number is the ratio that its claim is about; Claims in full says of "
		           "what, with the interval.");
	STORY_TELL(story, later, later_sentences);
	STORY_TELL(story, all, family_sentences);
}

static bool is_tested(const struct claim_pair *pair)
{
	bool tested = false;
	for (unsigned k = 0; k < 2; k++)
		tested |= pair->of[k] && pair->of[k]->outcome != CLAIMS_UNTESTED;
	return tested;
}

static void tell(const struct analysis *a, struct story *story)
{
	struct arena *arena = story->arena;
	struct claim_pairs *pairs = ARENA_NEW(arena, struct claim_pairs);
	struct brief *rows = ARENA_ARRAY(arena, struct brief, a->asked.nclaims + 1);
	struct family *family = ARENA_NEW(arena, struct family);
	unsigned nrows = 0;
	bool tested = false;
	claim_pairs_find(a, pairs);
	*family = family_of(a, arena);
	for (unsigned i = 0; i < pairs->n; i++) {
		const struct claim_pair *pair = &pairs->list[i];
		const struct claims_result *named = pair->of[1] ? pair->of[1] : pair->of[0];
		tested |= is_tested(pair);
		/* If none is confirmed, the sentence below says so for all. */
		if (is_tested(pair) && !claim_pair_sourced(pair))
			rows[nrows++] = (struct brief){
			    .claim = named->claim->text,
			    .verdict = brief_of(arena, pair->of[0], family->confirmed),
			    .verdict_new = brief_of(arena, pair->of[1], family->confirmed)};
	}
	if (!tested)
		return;
	story_table(story, brief_form(arena, pairs), rows, nrows);
	tell_family(a, story, family, nrows);
}

const struct chapter chapter_claims = {"claims", "Claims", CHAPTER_FIRST, tell},
                     chapter_tests = {"tests", "Claims in full", CHAPTER_APPENDIX, tell_full};
