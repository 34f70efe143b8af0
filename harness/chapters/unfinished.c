/* A run that has too few blocks for a verdict, or was cut off: what each whole block showed, and
 * the command that continues. Blocks show the primary claim or else each regime. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/contrast.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "chapters.h"
#include "run.h"

#define NAMED 4 /* variants in a sentence */

enum { ASKED = 1, OPEN_END = 2, CLAIM = 4, SIZES = 8, ONE = 16, SEVERAL = 32 };

struct row {
	unsigned blocks, wanted, least;
	unsigned begun, trials; /* of the block that was cut off */
	const char *cut;        /* "next", "first": which block that is, or NULL */
	const char *command;
	unsigned when;
};

/* A variant compared with another over the whole blocks. */
struct seen {
	const char *left, *right, *about;
	const char *regime; /* its name; NULL: of the primary claim */
	const char *ratio;  /* the least and the most over the blocks: "0.790 to 0.810" */
	unsigned more;      /* variants of the regime that are not named */
	unsigned blocks, when;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, blocks, "blocks", "", COUNT),
    COLUMN(struct row, wanted, "asked for", "", COUNT),
    COLUMN_AS(struct row, least, "least_blocks", "a verdict needs", "", COUNT, 0),
    COLUMN(struct row, begun, "trials of the next", "", COUNT),
    COLUMN_AS(struct row, trials, "block_trials", "trials of a block", "", COUNT, 0),
    COLUMN(struct row, cut, "which block that is", "", TEXT),
    COLUMN(struct row, command, "to go on", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "unfinished", .title = "Not finished", .when = offsetof(struct row, when), .hidden = true);

#define CUT "[, and {begun} of the {block_trials} trials of the {cut}]."
static const struct sentence sentences[] = {
    {STORY_CAVEAT, ASKED, "Not finished: {blocks} of {wanted} block{wanted:s}" CUT},
    {STORY_CAVEAT, OPEN_END, "Not finished: {blocks} block{blocks:s}" CUT},
};

static const struct column seen_columns[] = {
    COLUMN(struct seen, left, "variant", "", TEXT),
    COLUMN(struct seen, right, "against", "", TEXT),
    COLUMN(struct seen, about, "what", "", TEXT),
    COLUMN(struct seen, regime, "sizes", "", TEXT),
    COLUMN(struct seen, ratio, "ratio in each block", "", TEXT),
    COLUMN(struct seen, more, "more variants", "", COUNT),
    COLUMN(struct seen, blocks, "blocks", "", COUNT),
};
static const struct story_form seen_form =
    STORY_FORM(struct seen, seen_columns, .name = "seen", .title = "What each block showed", .when = offsetof(struct seen, when), .hidden = true);
// clang-format on

struct teller {
	const struct analysis *a;
	struct story *story;
	struct seen *rows;
	unsigned n;
};

/* The least and the most of left ÷ right over the blocks that have both; inverted times if it is
 * about speeds. NULL if no block has both. */
static const char *ratio_of(const struct teller *t, const struct contrast *c, bool speed)
{
	const unsigned sides[] = {c->left, c->right};
	struct contrast_select select = c->select;
	struct arena *arena = t->story->arena;
	double lo = INFINITY, hi = 0;
	unsigned n;
	select.with = sides;
	select.nwith = 2;
	const double *levels = contrast_levels(t->a->s, c->metric, &select, &n);
	for (unsigned b = 0; b < n; b++) {
		const double log = levels[2 * b] - levels[2 * b + 1],
		             ratio = exp(speed && contrast_is_time(c->metric) ? -log : log);
		lo = fmin(lo, ratio);
		hi = fmax(hi, ratio);
	}
	if (n < 2)
		return n ? arena_copy(arena, format_estimate(lo).text) : NULL;
	return arena_text(arena, "%s to %s", format_estimate(lo).text, format_estimate(hi).text);
}

/* The primary claim, if these blocks say something about it. */
static void see_primary(struct teller *t)
{
	const struct summary *s = t->a->s;
	const struct claim_list *asked = &t->a->asked;
	for (unsigned i = 0; i < asked->nclaims && !t->n; i++) {
		const struct claim *claim = &asked->claims[i];
		const struct metric_info *metric = metric_info(claim->metric);
		const int left = index_variant(s, claim->left),
		          right = index_variant(s, claim->right);
		if (strcmp(claim->name, asked->primary) || left < 0 || right < 0 ||
		    metric->counters || claim->right_coll[0])
			continue;
		struct contrast c = contrast_none((unsigned)left, (unsigned)right, claim->metric,
		                                  (struct reason){.kind = REASON_NONE});
		c.select = (struct contrast_select){
		    .bytes = claim->bytes, .pace = claim->pace, .coll = claim->coll};
		const char *ratio = ratio_of(t, &c, false);
		if (ratio)
			t->rows[t->n++] = (struct seen){
			    .left = claim->left,
			    .right = claim->right,
			    .about = arena_text(t->story->arena, "%c%s", metric->summary[0] & ~0x20,
			                        metric->summary + 1),
			    .ratio = ratio,
			    .more = ENTRY_NO_COUNT,
			    .blocks = s->nblocks,
			    .when = CLAIM | (s->nblocks > 1 ? SEVERAL : ONE)};
	}
}

static void see_regime(struct teller *t, const struct regime *g)
{
	const struct summary *s = t->a->s;
	const unsigned first = t->n;
	for (unsigned v = 0; v < g->nvariants; v++) {
		const struct contrast *c = &g->contrasts[v];
		const unsigned blocks = s->nblocks > 1 ? SEVERAL : ONE,
		               said = t->n - first < NAMED ? SIZES | blocks : 0;
		const char *ratio =
		    (int)v == g->twin || isnan(c->ratio.estimate) ? NULL : ratio_of(t, c, true);
		if (ratio)
			t->rows[t->n++] = (struct seen){
			    .left = s->variants[v].name,
			    .right = s->variants[s->reference].name,
			    .about = arena_copy(t->story->arena, regime_about(g).text),
			    .regime = g->label,
			    .ratio = ratio,
			    .more = ENTRY_NO_COUNT,
			    .blocks = s->nblocks,
			    .when = said};
	}
	if (t->n - first > NAMED)
		t->rows[first].more = t->n - first - NAMED;
}

static void say_seen(struct story *story, const struct story_table *t, unsigned role)
{
	const struct sentence says[] = {
	    {role, CLAIM | ONE,
	     "{about} of {left} in the one whole block: {ratio} times that of {right}."},
	    {role, CLAIM | SEVERAL,
	     "{about} of {left} in each of the {blocks} blocks: {ratio} times that of {right}."},
	    {role, SIZES | ONE,
	     "At {regime} sizes ({about}), times the speed of {right} in the one whole block: "
	     "[{left} {ratio}][, and {more} more variants]."},
	    {role, SIZES | SEVERAL,
	     "At {regime} sizes ({about}), times the speed of {right} in each of the {blocks} "
	     "blocks: [{left} {ratio}][, and {more} more variants]."},
	};
	STORY_TELL(story, t, says);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	const long long wanted = record_blocks_asked(s->run);
	const unsigned role = run_is_cut(a) ? STORY_CAVEAT : STORY_OPEN;
	struct row *row = ARENA_NEW(story->arena, struct row);
	if (!run_lacks_blocks(a))
		return;
	*row = (struct row){.blocks = s->nblocks,
	                    .wanted = wanted ? (unsigned)wanted : ENTRY_NO_COUNT,
	                    .least = STATS_MIN_BLOCKS,
	                    .begun = record_begun(s->run),
	                    .trials = record_block_trials(s->run),
	                    .cut = !record_begun(s->run) ? NULL
	                           : s->nblocks          ? "next"
	                                                 : "first",
	                    .command = run_command(s, story->arena),
	                    .when = !run_is_cut(a) ? 0
	                            : wanted       ? ASKED
	                                           : OPEN_END};
	struct teller t = {
	    .a = a,
	    .story = story,
	    .rows = ARENA_ARRAY(story->arena, struct seen, REGIME_MOST * s->nvariants + 1)};
	if (s->nblocks)
		see_primary(&t);
	const bool of_claim = t.n;
	for (unsigned i = a->regimes.n; i-- > 0 && s->nblocks && !of_claim;)
		see_regime(&t, &a->regimes.list[i]);
	const struct story_table *facts = story_table(story, &form, row, 1);
	const struct story_table *seen = story_table(story, &seen_form, t.rows, t.n);
	STORY_TELL(story, facts, sentences);
	say_seen(story, seen, role);
	story_say(story, role, facts, NULL, 0, "A verdict needs {least_blocks} blocks. {command}");
}

const struct chapter chapter_unfinished = {"unfinished", "", CHAPTER_FRONT, tell};
