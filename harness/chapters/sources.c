/* What a report or a page says, line by line, and whether this run reproduces it: a row for each
 * line that a claim tests, or says that nothing here can test. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/claim_pairs.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"

enum outcome { REPRODUCED, REFUTED, UNDECIDED, UNTESTED, OUTCOMES };

static const char *const words[OUTCOMES] = {"reproduced", "refuted", "undecided",
                                            "cannot be tested here"};

static enum outcome outcome_of(const struct claims_result *r)
{
	static const enum outcome of[] = {[CLAIMS_HOLD] = REPRODUCED,
	                                  [CLAIMS_LITTLE] = REFUTED,
	                                  [CLAIMS_FAIL] = REFUTED,
	                                  [CLAIMS_UNDECIDED] = UNDECIDED,
	                                  [CLAIMS_UNTESTED] = UNTESTED};
	return of[r->outcome];
}

struct row {
	const char *source, *original, *says; /* the line */
	const char *of, *ratio, *ratio_new;   /* what is compared; the ratio, of each version */
	const char *outcome, *outcome_new;
	const char *found, *found_new; /* both: "refuted, 0.999" */
	const char *why;
};

/* A column for each of two versions, or a single one. */
static struct story_form *lines_form(struct arena *arena, const struct claim_pairs *pairs)
{
	static const struct column columns[] = {
	    COLUMN_AS(struct row, source, "source", "", "", TEXT, ONLY_FILES),
	    COLUMN_AS(struct row, original, "original", "in the original", "", TEXT,
	              ONLY_FILLED | ONLY_WIDE),
	    COLUMN(struct row, says, "the source says", "", TEXT),
	    COLUMN(struct row, found, "outcome", "", WORD),
	    COLUMN_AS(struct row, found_new, "found_new", "", "", WORD, ONLY_FILLED),
	    COLUMN_AS(struct row, of, "of", "the ratio is", "", TEXT, ONLY_WIDE),
	    COLUMN_AS(struct row, why, "why", "why", "", TEXT, ONLY_WIDE),
	    COLUMN_AS(struct row, ratio, "ratio", "", "", TEXT, ONLY_FILES),
	    COLUMN_AS(struct row, ratio_new, "ratio_new", "", "", TEXT, ONLY_FILES),
	    COLUMN_AS(struct row, outcome, "outcome", "", "", TEXT, ONLY_FILES),
	    COLUMN_AS(struct row, outcome_new, "outcome_new", "", "", TEXT, ONLY_FILES),
	};
	enum { FOUND_AT = 3, N = sizeof columns / sizeof *columns };
	struct column *list = ARENA_ARRAY(arena, struct column, N);
	struct story_form *out = ARENA_NEW(arena, struct story_form);
	memcpy(list, columns, sizeof columns);
	for (unsigned k = 0; k < 2 && *pairs->libraries[1]; k++)
		list[FOUND_AT + k].head = arena_text(arena, "NCCL %.32s", pairs->libraries[k]);
	*out = (struct story_form){.name = "source_lines",
	                           .title = "The source, line by line",
	                           .columns = list,
	                           .ncolumns = N,
	                           .row_bytes = sizeof(struct row),
	                           .when = STORY_NO_WHEN};
	return out;
}

enum { ONE = 1, TWO = 2, ON = 4 };

/* A source, and how many of its lines have which outcome, with each version. */
struct count {
	const char *by, *where, *machine, *here, *old, *new;
	unsigned lines, reproduced, refuted, undecided, reproduced_new, refuted_new, undecided_new,
	    untested;
	unsigned when;
};
static const struct column count_columns[] = {
    COLUMN(struct count, by, "by", "", TEXT),
    COLUMN(struct count, where, "where", "", TEXT),
    COLUMN(struct count, machine, "its machine", "", TEXT),
    COLUMN(struct count, here, "this machine", "", TEXT),
    COLUMN(struct count, old, "old", "", TEXT),
    COLUMN(struct count, new, "new", "", TEXT),
    COLUMN(struct count, lines, "lines", "", COUNT),
    COLUMN(struct count, reproduced, "reproduced", "", COUNT),
    COLUMN(struct count, refuted, "refuted", "", COUNT),
    COLUMN(struct count, undecided, "undecided", "", COUNT),
    COLUMN_AS(struct count, reproduced_new, "reproduced_new", "", "", COUNT, 0),
    COLUMN_AS(struct count, refuted_new, "refuted_new", "", "", COUNT, 0),
    COLUMN_AS(struct count, undecided_new, "undecided_new", "", "", COUNT, 0),
    COLUMN(struct count, untested, "cannot be tested here", "", COUNT),
};
static const struct story_form count_form =
    STORY_FORM(struct count, count_columns, .name = "sources", .title = "Sources",
               .when = offsetof(struct count, when), .hidden = true);

static const struct sentence sentences[] = {
    {STORY_OPEN | STORY_MORE, ONE,
     "Of {lines} line{lines:s} of {by}: {reproduced} reproduced, {refuted} refuted, {undecided} "
     "undecided[; {untested} cannot be tested here]."},
    {STORY_OPEN | STORY_MORE, TWO,
     "Of {lines} line{lines:s} of {by}: with NCCL {old} {reproduced} reproduced, {refuted} "
     "refuted, "
     "{undecided} undecided; with {new} {reproduced_new} reproduced, {refuted_new} refuted, "
     "{undecided_new} undecided[; {untested} cannot be tested here]."},
    {STORY_OPEN | STORY_MORE, ON, "It measured on {machine}; this run on {here}."},
    {STORY_BODY, 0, "The source is {by}: {where}."},
};

/* --- a line --- */

/* Of the steps that explain the gap, the share of the one between these variants, or NULL. */
static const char *share_of(const struct analysis *a, struct arena *arena, const struct claim *c)
{
	const struct waterfall *w = &a->waterfall;
	const int left = index_variant(a->s, c->left), right = index_variant(a->s, c->right);
	for (unsigned i = 0; i < w->nsteps && c->metric == METRIC_BUSBW; i++) {
		const struct waterfall_step *step = &w->steps[i];
		const bool same = ((int)step->from == left && (int)step->to == right) ||
		                  ((int)step->from == right && (int)step->to == left);
		if (same && step->counts && !isnan(step->share.estimate))
			return arena_text(arena, "explains %s of the gap",
			                  format_shares(step->share.lo, step->share.hi).text);
	}
	return NULL;
}

/* Why a claim comes out as it does, as far as the run shows it; or NULL. */
static const char *why_of(const struct analysis *a, struct arena *arena,
                          const struct claims_result *r)
{
	char unseen[128];
	const char *share;
	if (r->outcome == CLAIMS_UNTESTED)
		return reason_text(arena, &r->contrast.why);
	if (r->outcome == CLAIMS_UNDECIDED && !r->contrast.odd.block) {
		verdict_unseen_text(r->detectable, unseen, sizeof unseen);
		return arena_copy(arena, unseen);
	}
	share = share_of(a, arena, r->claim);
	return share ? share : run_ways(a, arena, r->claim);
}

/* What is said of both versions, each with its own if they differ: text, or "with A x; with B y". */
static const char *of_both(struct arena *arena, const struct claim_pairs *pairs,
                           const char *text[2])
{
	if (!text[0] || !text[1])
		return text[0] ? text[0] : text[1];
	if (!strcmp(text[0], text[1]))
		return text[0];
	return arena_text(arena, "%s with NCCL %s; %s with %s", text[0], pairs->libraries[0],
	                  text[1], pairs->libraries[1]);
}

static const char *ratio_text(struct arena *arena, const struct claims_result *r)
{
	if (r->outcome == CLAIMS_UNTESTED)
		return NULL;
	return arena_copy(arena, format_estimate(claims_interval(r)->estimate).text);
}

/* marked: verdicts that are taken alone are distinguished from those that the family confirms. */
static struct row row_of(const struct analysis *a, struct arena *arena,
                         const struct claim_pairs *pairs, const struct claim_pair *pair,
                         bool marked)
{
	const struct claim *c = claim_pair_sourced(pair), *tested = NULL;
	const char *ratio[2] = {NULL, NULL}, *outcome[2] = {NULL, NULL}, *found[2] = {NULL, NULL},
	           *why[2] = {NULL, NULL};
	for (unsigned k = 2; k--;) {
		const struct claims_result *r = pair->of[k];
		if (!r)
			continue;
		ratio[k] = ratio_text(arena, r);
		outcome[k] = arena_text(arena, "%s%s", words[outcome_of(r)],
		                        r->alone && marked ? " (taken alone)" : "");
		found[k] = arena_text(arena, "%s%s%s", outcome[k], ratio[k] ? ", " : "",
		                      ratio[k] ? ratio[k] : "");
		why[k] = why_of(a, arena, r);
		if (!tested && r->outcome != CLAIMS_UNTESTED)
			tested = r->claim;
	}
	return (struct row){
	    .source = c->source,
	    .original = c->original,
	    .says = c->says,
	    .of = tested ? arena_text(arena, "%s, %s ÷ %s", metric_info(tested->metric)->summary,
	                              run_side(arena, tested, false), run_side(arena, tested, true))
	                 : NULL,
	    .ratio = ratio[0],
	    .ratio_new = ratio[1],
	    .outcome = outcome[0],
	    .outcome_new = outcome[1],
	    .found = found[0],
	    .found_new = found[1],
	    .why = of_both(arena, pairs, why)};
}

/* --- a source --- */

static void count(const struct claim_pair *pair, struct count *c)
{
	unsigned *const of[2][UNTESTED] = {
	    {&c->reproduced, &c->refuted, &c->undecided},
	    {&c->reproduced_new, &c->refuted_new, &c->undecided_new},
	};
	bool tested = false;
	for (unsigned k = 0; k < 2; k++) {
		const enum outcome outcome = pair->of[k] ? outcome_of(pair->of[k]) : UNTESTED;
		if (outcome != UNTESTED)
			++*of[k][outcome];
		tested |= outcome != UNTESTED;
	}
	c->lines++;
	c->untested += !tested;
}

static struct count count_of(const struct analysis *a, struct arena *arena,
                             const struct claim_pairs *pairs, const struct claim_source *source)
{
	char here[256];
	run_machine(a->s, here, sizeof here);
	struct count c = {.by = source->by,
	                  .where = source->where,
	                  .machine = source->machine,
	                  .here = arena_copy(arena, here),
	                  .old = pairs->libraries[0],
	                  .new = pairs->libraries[1],
	                  .when =
	                      (*pairs->libraries[1] ? TWO : ONE) | (source->machine[0] ? ON : 0)};
	for (unsigned i = 0; i < pairs->n; i++) {
		const struct claim *said = claim_pair_sourced(&pairs->list[i]);
		if (said && !strcmp(said->source, source->name))
			count(&pairs->list[i], &c);
	}
	if (!c.untested)
		c.untested = ENTRY_NO_COUNT;
	return c;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct claim_list *asked = &a->asked;
	struct arena *arena = story->arena;
	struct claim_pairs *pairs = ARENA_NEW(arena, struct claim_pairs);
	struct count *counts = ARENA_ARRAY(arena, struct count, asked->nsources + 1);
	struct row *rows = ARENA_ARRAY(arena, struct row, asked->nclaims + 1),
	           *tested = ARENA_ARRAY(arena, struct row, asked->nclaims + 1);
	/* If none is confirmed, the claims' section says once that all are taken alone. */
	const bool marked = claims_confirmed(a->claims, asked->nclaims);
	unsigned n = 0, ntested = 0;
	claim_pairs_find(a, pairs);
	for (unsigned i = 0; i < pairs->n; i++)
		if (claim_pair_sourced(&pairs->list[i]))
			rows[n++] = row_of(a, arena, pairs, &pairs->list[i], marked);
	for (unsigned i = 0; i < n; i++)
		if (rows[i].of)
			tested[ntested++] = rows[i];
	if (!n)
		return;
	for (unsigned i = 0; i < asked->nsources; i++)
		counts[i] = count_of(a, arena, pairs, &asked->sources[i]);
	const struct story_form *form = lines_form(arena, pairs);
	const struct story_table *lines = story_rows(story, form, rows, n);
	STORY_TELL(story, story_table(story, &count_form, counts, asked->nsources), sentences);
	story_show(story, lines);
	story_lead_whole(story, lines, ntested ? story_rows(story, form, tested, ntested) : lines,
	                 "original says found found_new of why");
	story_leads_unasked(story);
	story_link(story);
	story_note(story, STORY_BODY,
	           "Reproduced: the claim about the line holds; refuted: it does not; Claims in "
	           "full has each with its interval.");
}

const struct chapter chapter_sources = {"sources", "What the source says, line by line",
                                        CHAPTER_BODY, tell};
