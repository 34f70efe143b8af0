/* What the experiment claims, and the outcome (analysis/claims.h decides). Page 1 gives a claim
 * with its ratio; if claims ask the same of two versions of the library, both are side by side. All
 * details are at the end. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/format.h"
#include "chapters.h"
#include "run.h"

/* How a verdict may err; the probabilities allow for looks at the run (contrast_p). */
#define ALPHA (1 - VERDICT_CONFIDENCE)

enum { ANSWERS = 1, ANSWERS_LAST = 2 };

struct row {
	const char *claim, *text, *test, *left, *right, *metric, *unit;
	double left_value, right_value;
	struct stats_ratio ratio;
	const char *verdict;
	double p, p_adjusted;
	const char *rests_on;
	int primary;
	const char *metric_name, *regime; /* regime: its A/A line applies */
	double by;                        /* a share */
	size_t from_bytes, to_bytes;
	unsigned cells;
	double detectable;
	const char *about, *said; /* "Bus bandwidth"; "holds", "is undecided: …" */
	unsigned when;
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
    COLUMN(struct row, p, "p", "", NUMBER),
    COLUMN(struct row, p_adjusted, "p, Holm", "", NUMBER),
    COLUMN(struct row, rests_on, "on what, or why", "", TEXT),
    COLUMN_AS(struct row, primary, "primary", "", "", FLAG, ONLY_FILES),
    COLUMN_AS(struct row, metric_name, "metric_name", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, regime, "regime", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, by, "by", "", "", SHARE, ONLY_FILES),
    COLUMN_AS(struct row, from_bytes, "from_bytes", "", "", BYTES, ONLY_FILES),
    COLUMN_AS(struct row, to_bytes, "to_bytes", "", "", BYTES, ONLY_FILES),
    COLUMN_AS(struct row, cells, "cells", "", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct row, detectable, "detectable", "", "", NUMBER, ONLY_FILES),
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

enum { PRIMARY = 1, ONE = 2, SEVERAL = 4, CONFIRMS = 8, OTHERS_ALONE = 16, NONE_CONFIRMED = 32, TOO_FEW = 64,
       UNTESTED_ONE = 128, UNTESTED = 256 };

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
    COLUMN(struct family, confirmed, "confirmed by Holm", "", COUNT),
    COLUMN(struct family, alpha, "tested at", "", SHARE),
    COLUMN(struct family, chance, "wrong by chance", "", TEXT),
    COLUMN(struct family, wants, "blocks to confirm one", "", COUNT),
    COLUMN(struct family, has, "fewest trials", "", COUNT),
    COLUMN(struct family, untested, "not to be tested here", "", COUNT),
};
static const struct story_form family_form =
    STORY_FORM(struct family, family_columns, .name = "claims_family", .title = "Claims as a family", .when = offsetof(struct family, when), .hidden = true);

/* In one paragraph, as far as they apply. */
static const struct sentence family_parts[] = {
    {0, PRIMARY, "The primary claim, {primary}: {verdict}. "},
    {0, PRIMARY | SEVERAL, "{claims} further claims, each tested at {alpha}: on average {chance} of them would be called wrongly by chance."},
    {0, PRIMARY | ONE, "{claims} further claim, tested at {alpha}: on average {chance} of them would be called wrongly by chance."},
    {0, SEVERAL, "{claims} claims, each tested at {alpha}: on average {chance} of them would be called wrongly by chance."},
    {0, CONFIRMS | OTHERS_ALONE, " Holm's correction for their number confirms {confirmed} of the {decided} that are decided; the others read 'taken alone'."},
    {0, CONFIRMS, " Holm's correction for their number confirms {confirmed} of the {decided} that are decided."},
    {0, NONE_CONFIRMED, " Holm's correction for their number confirms none: each verdict is taken alone."},
    {0, TOO_FEW, " To confirm one of so many takes {wants} blocks at least; the fewest trials of a claim are {has}."},
};
static const struct sentence untested_sentences[] = {
    {STORY_BODY, UNTESTED, "{untested} more claims cannot be tested here; Claims in full says why."},
    {STORY_BODY, UNTESTED_ONE, "{untested} more claim cannot be tested here; Claims in full says why."},
};
// clang-format on

/* --- in words --- */

/* "holds", "holds (taken alone)", "less, by under 2 %", "does not hold", "undecided (less):
 * effects under 6 % cannot be seen here; needs about 7 more blocks", "cannot be tested here".
 */
static const char *verdict_of_claim(struct arena *arena, const struct claims_result *r, bool alone)
{
	static const char *const texts[] = {[CLAIMS_HOLD] = "holds",
	                                    [CLAIMS_FAIL] = "does not hold",
	                                    [CLAIMS_UNTESTED] = "cannot be tested here"};
	const int direction = verdict_direction(&r->contrast.ratio);
	const char *word = direction > 0 ? "more" : direction < 0 ? "less" : "";
	const char *taken = r->alone && alone ? " (taken alone)" : "";
	char text[VERDICT_TEXT_BYTES];
	if (r->outcome == CLAIMS_LITTLE)
		return arena_text(arena, "%s, by under %.3g %%%s", word, 100 * r->claim->by, taken);
	if (r->outcome != CLAIMS_UNDECIDED)
		return arena_text(arena, "%s%s", texts[r->outcome], taken);
	verdict_undecided_text(word, r->detectable, r->more_blocks, &r->contrast.odd, text,
	                       sizeof text);
	return arena_copy(arena, text);
}

/* Another backend has to answer it: this run cannot. */
static bool is_elsewhere(const struct claims_result *r)
{
	return r->claim->test == CLAIM_NEEDS &&
	       !strncmp(r->claim->needs, CLAIM_NEEDS_BACKEND, sizeof CLAIM_NEEDS_BACKEND - 1);
}

/* "staged" or "direct"; NULL if the variant's path is not known. */
static const char *way_of(const struct analysis *a, const char *name)
{
	const int v = index_variant(a->s, name);
	const char *way = v < 0 ? "" : a->evidence->paths[v].data_path;
	return !strcmp(way, "staged") || !strcmp(way, "direct") ? way : NULL;
}

/* The paths that the data of its two variants takes at large sizes, if both are known and the
 * claim's figure depends on them: "; both staged", "; a staged, b direct"; else "". */
static const char *paths_text(const struct analysis *a, struct arena *arena, const struct claim *c)
{
	const char *left = way_of(a, c->left), *right = way_of(a, c->right);
	if (!metric_info(c->metric)->data_path || !left || !right)
		return "";
	return !strcmp(left, right)
	           ? arena_text(arena, "; both %s", left)
	           : arena_text(arena, "; %s %s, %s %s", c->left, left, c->right, right);
}

/* The data it uses, with those paths, or why it cannot be tested. */
static const char *rests_on(const struct analysis *a, struct arena *arena,
                            const struct claims_result *r)
{
	const struct contrast *c = &r->contrast;
	if (r->outcome == CLAIMS_UNTESTED)
		return c->why;
	const char *cells = metric_info(r->claim->metric)->whole
	                        ? "whole trials"
	                        : arena_text(arena, "%u cell%s, %s", c->ncells,
	                                     format_plural(c->ncells), format_range(c->sizes).text);
	return arena_text(
	    arena, "%s%s, %u trial%s of each%s%s%s", r->primary ? "the primary claim; " : "", cells,
	    c->ratio.blocks, format_plural(c->ratio.blocks),
	    record_traits(a->s->run, NULL)->analogue ? "; tested on the host analogue" : "",
	    paths_text(a, arena, r->claim),
	    contrast_unexpected(a->s, r->claim->left, r->claim->right)
	        ? "; NOT on the expected path"
	        : "");
}

/* --- in full --- */

/* Whether it is about the two ends of the gap, which the sentences by version report. */
static bool is_by_version(const struct analysis *a, const struct story *story,
                          const struct claim *c)
{
	const struct gap *gap = &a->f->asked.gap;
	return run_by_version(a, story->arena) &&
	       ((!strcmp(gap->from, c->left) && !strcmp(gap->to, c->right)) ||
	        (!strcmp(gap->from, c->right) && !strcmp(gap->to, c->left)));
}

/* Whether it may precede what the run cannot decide: it is decided, or the run can distinguish
 * variants. */
static bool is_sure(const struct analysis *a, const struct claims_result *r)
{
	return r->outcome != CLAIMS_UNDECIDED || regimes_tell(a->regimes) || run_explains_gap(a);
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
	                  .ratio = r->contrast.ratio,
	                  .verdict = verdict_of_claim(arena, r, true),
	                  .p = r->p,
	                  .p_adjusted = r->p_adjusted,
	                  .rests_on = rests_on(a, arena, r),
	                  .primary = r->primary,
	                  .metric_name = metric->name,
	                  .regime =
	                      regime < 0 || needs ? NULL : claim_regime_name((unsigned)regime),
	                  .by = c->by,
	                  .from_bytes = r->contrast.sizes.lo,
	                  .to_bytes = r->contrast.sizes.hi,
	                  .cells = r->contrast.ncells,
	                  .detectable = r->detectable,
	                  .about = capital(arena, metric->summary),
	                  .when = !answers        ? 0
	                          : is_sure(a, r) ? ANSWERS
	                                          : ANSWERS_LAST};
	row.said = arena_text(arena, "%s%s",
	                      r->outcome == CLAIMS_UNDECIDED ? "is "
	                      : r->outcome == CLAIMS_LITTLE  ? "does not hold as it stands: "
	                                                     : "",
	                      row.verdict);
	if (needs)
		return row;
	row.test = arena_text(arena, "%s%s %.3g %%", claim_test_name(c->test),
	                      c->test == CLAIM_WITHIN ? "" : " by", 100 * c->by);
	row.left = c->left;
	row.right = c->right;
	row.metric = metric->summary;
	row.unit = metric->unit;
	return row;
}

static void tell_full(const struct analysis *a, struct story *story)
{
	const unsigned n = a->f->asked.nclaims;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, n + 1);
	for (unsigned i = 0; i < n; i++)
		rows[i] = row_of(a, story, &a->f->claims[i]);
	if (!n)
		return;
	story_say(story, STORY_BODY, run_facts(story), NULL, 0,
	          "Each rests on one number per block: the geometric mean of left ÷ right over "
	          "its cells. It holds when the whole {confidence} interval is beyond what it "
	          "says, and does not hold when all of it is short of that; 'less, by under …' "
	          "lies between the two. Else it is undecided. Staged and direct: the data path "
	          "of large sizes, where the evidence has it.");
	const struct story_table *t = story_table(story, &form, rows, n);
	STORY_TELL(story, t, sentences);
}

/* --- on page 1 --- */

static const struct summary_variant *variant_of(const struct summary *s, const char *name)
{
	const int v = index_variant(s, name);
	return v < 0 ? NULL : &s->variants[v];
}

/* The version of the library of both variants of a claim; "": they have two, or it is not known. */
static const char *library_of(const struct summary *s, const struct claim *c)
{
	const struct summary_variant *left = variant_of(s, c->left),
	                             *right = variant_of(s, c->right);
	return left && right && !strcmp(left->library, right->library) ? left->library : "";
}

/* Whether two variants are the same except for the library. */
static bool same_but_library(const struct summary *s, const char *a, const char *b)
{
	const struct summary_variant *x = variant_of(s, a), *y = variant_of(s, b);
	char keys[512];
	if (!x || !y || !x->settings || !y->settings)
		return false;
	struct settings as = *y->settings;
	memcpy(as.nccl, x->settings->nccl, sizeof as.nccl);
	return !settings_differ(x->settings, &as, keys, sizeof keys);
}

static bool same_question(const struct summary *s, const struct claim *a, const struct claim *b)
{
	return a->metric == b->metric && a->test == b->test && a->regime == b->regime &&
	       a->pace == b->pace && a->coll == b->coll && a->bytes.lo == b->bytes.lo &&
	       a->bytes.hi == b->bytes.hi && same_but_library(s, a->left, b->left) &&
	       same_but_library(s, a->right, b->right);
}

/* Which claim asks the same of another version; -1: none. The first claim of one version is paired
 * with the first that asks the same of the other. */
static int counterpart(const struct analysis *a, unsigned which)
{
	const struct claim *claim = a->f->claims[which].claim;
	const char *library = library_of(a->s, claim);
	unsigned skip = 0;
	for (unsigned i = 0; i < which; i++)
		skip += !strcmp(library_of(a->s, a->f->claims[i].claim), library) &&
		        same_question(a->s, claim, a->f->claims[i].claim);
	for (unsigned i = 0; i < a->f->asked.nclaims && *library; i++) {
		const char *other = library_of(a->s, a->f->claims[i].claim);
		if (*other && strcmp(other, library) &&
		    same_question(a->s, claim, a->f->claims[i].claim) && !skip--)
			return (int)i;
	}
	return -1;
}

/* The two versions that claims are asked of side by side, the older first. Returns whether there
 * are two, and no claim is about a third. */
static bool libraries_of(const struct analysis *a, const char *out[2])
{
	unsigned n = 0;
	bool paired = false;
	for (unsigned i = 0; i < a->f->asked.nclaims; i++) {
		const char *library = library_of(a->s, a->f->claims[i].claim);
		paired |= counterpart(a, i) >= 0;
		if (!*library || (n && !strcmp(library, out[0])) ||
		    (n == 2 && !strcmp(library, out[1])))
			continue;
		if (n == 2)
			return false;
		out[n++] = library;
	}
	if (n == 2 && strverscmp(out[0], out[1]) > 0) {
		const char *newer = out[0];
		out[0] = out[1];
		out[1] = newer;
	}
	return paired;
}

/* "holds, 0.811". An undecided one says what cannot be seen; the section at the end says how many
 * blocks it needs. marked: verdicts taken alone are distinguished from others. */
static const char *brief_of(struct arena *arena, const struct claims_result *r, bool marked)
{
	char unseen[128] = "";
	if (!r || r->outcome == CLAIMS_UNTESTED)
		return NULL;
	const char *verdict = verdict_of_claim(arena, r, marked);
	if (r->outcome == CLAIMS_UNDECIDED && r->contrast.odd.block)
		verdict_odd_text(&r->contrast.odd, unseen, sizeof unseen);
	else if (r->outcome == CLAIMS_UNDECIDED)
		verdict_unseen_text(r->detectable, unseen, sizeof unseen);
	return arena_text(arena, "%.*s, %s%s%s", (int)strcspn(verdict, ":"), verdict,
	                  format_estimate(r->contrast.ratio.estimate).text, *unseen ? "; " : "",
	                  unseen);
}

/* A column of verdicts for each of two versions, or a single one. */
static struct story_form *brief_form(struct arena *arena, bool two, const char *libraries[2])
{
	struct column *list = ARENA_ARRAY(arena, struct column, 3);
	struct story_form *out = ARENA_NEW(arena, struct story_form);
	list[0] = (struct column)COLUMN(struct brief, claim, "the claim", "", TEXT);
	list[1] = (struct column)COLUMN(struct brief, verdict, "verdict", "", WORD);
	list[2] = (struct column)COLUMN(struct brief, verdict_new, "", "", WORD);
	for (unsigned k = 0; k < 2 && two; k++)
		list[1 + k].head = arena_text(arena, "NCCL %.32s", libraries[k]);
	*out = (struct story_form){.name = "claims_short",
	                           .title = "Claims",
	                           .columns = list,
	                           .ncolumns = two ? 3 : 2,
	                           .row_bytes = sizeof(struct brief),
	                           .when = STORY_NO_WHEN};
	return out;
}

static struct brief brief_row(const struct analysis *a, struct arena *arena, unsigned which,
                              int other, const char *newer, bool marked)
{
	const struct claims_result *all = a->f->claims, *of[2] = {NULL, NULL};
	const bool side = newer && !strcmp(library_of(a->s, all[which].claim), newer);
	of[side] = &all[which];
	if (other >= 0)
		of[!side] = &all[other];
	return (struct brief){.claim = (of[1] ? of[1] : of[0])->claim->text,
	                      .verdict = brief_of(arena, of[0], marked),
	                      .verdict_new = brief_of(arena, of[1], marked)};
}

/* The fewest blocks at which the least possible probability, 2 ÷ 2^blocks, passes Holm's first
 * step. */
static unsigned blocks_for(unsigned family)
{
	return (unsigned)ceil(log2(2 * family / ALPHA) - 1e-9);
}

static struct family family_of(const struct analysis *a, struct arena *arena)
{
	const unsigned n = a->f->asked.nclaims;
	const struct claims_result *results = a->f->claims, *primary = claims_primary(results, n);
	struct family f = {.has = UINT_MAX, .alpha = ALPHA};
	for (unsigned i = 0; i < n; i++) {
		const struct claims_result *r = &results[i];
		f.untested += r->outcome == CLAIMS_UNTESTED && !is_elsewhere(r);
		if (r->primary || isnan(r->p))
			continue;
		f.claims++;
		f.decided += claims_decided(r);
		f.confirmed += claims_decided(r) && !r->alone;
		if (r->alone && r->contrast.nblocks < f.has)
			f.has = r->contrast.nblocks;
	}
	f.chance = arena_text(arena, "%.2g", f.claims * ALPHA);
	f.wants = f.claims ? blocks_for(f.claims) : 0;
	f.when = !f.untested ? 0 : f.untested == 1 ? UNTESTED_ONE : UNTESTED;
	if (f.claims + !!primary < 2)
		return f;
	if (primary) {
		f.primary = primary->claim->name;
		f.verdict = verdict_of_claim(arena, primary, true);
	}
	f.when |= (primary ? PRIMARY : 0) | (f.claims == 1 ? ONE : SEVERAL) |
	          (f.confirmed ? CONFIRMS | (f.confirmed < f.decided ? OTHERS_ALONE : 0)
	           : f.decided ? NONE_CONFIRMED
	                       : 0) |
	          (f.has < f.wants ? TOO_FEW : 0);
	return f;
}

/* Of parts that say the same at different length, the first that applies. */
static void say_family(struct story *story, const struct story_table *t, unsigned when)
{
	struct phrase p = phrase_begin(story);
	unsigned done = UNTESTED | UNTESTED_ONE;
	for (size_t i = 0; i < sizeof family_parts / sizeof *family_parts; i++) {
		const unsigned needs = family_parts[i].when;
		const unsigned says = needs == PRIMARY ? PRIMARY : needs & ~(unsigned)PRIMARY;
		if ((when & needs) != needs || done & says)
			continue;
		phrase_add(&p, t, NULL, 0, family_parts[i].text);
		done |= needs == PRIMARY ? 0 : says;
	}
	phrase_end(&p, STORY_BODY);
}

static void tell(const struct analysis *a, struct story *story)
{
	const unsigned n = a->f->asked.nclaims;
	const char *libraries[2] = {"", ""};
	const bool two = libraries_of(a, libraries);
	struct brief *rows = ARENA_ARRAY(story->arena, struct brief, n + 1);
	struct family *family = ARENA_NEW(story->arena, struct family);
	unsigned nrows = 0;
	*family = family_of(a, story->arena);
	for (unsigned i = 0; i < n; i++) {
		const int other = two ? counterpart(a, i) : -1;
		const bool tested = a->f->claims[i].outcome != CLAIMS_UNTESTED ||
		                    (other >= 0 && a->f->claims[other].outcome != CLAIMS_UNTESTED);
		/* If none is confirmed, the sentence below says so for all. */
		if (tested && (other < 0 || (unsigned)other > i))
			rows[nrows++] = brief_row(a, story->arena, i, other,
			                          two ? libraries[1] : NULL, family->confirmed);
	}
	if (!nrows)
		return;
	story_table(story, brief_form(story->arena, two, libraries), rows, nrows);
	story_note(story, STORY_BODY,
	           "A number is the ratio that its claim is about; Claims in full says of what, "
	           "with the interval.");
	const struct story_table *t = story_table(story, &family_form, family, 1);
	say_family(story, t, family->when);
	STORY_TELL(story, t, untested_sentences);
}

const struct chapter chapter_claims = {"claims", "Claims", CHAPTER_FIRST, tell},
                     chapter_tests = {"tests", "Claims in full", CHAPTER_APPENDIX, tell_full};
