/* A run that has too few blocks for a verdict, or was cut off: what each whole block showed, and
 * the command that continues. Blocks show the primary claim or else each regime. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/contrast.h"
#include "../analysis/format.h"
#include "chapters.h"
#include "run.h"

#define NAMED 4 /* variants in a sentence */

struct row {
	unsigned blocks, wanted, least;
	unsigned begun, trials; /* of the block that was cut off */
	const char *command;
};

/* A variant compared with another over the whole blocks. */
struct seen {
	const char *left, *right, *about;
	const char *regime; /* its name; NULL: of the primary claim */
	const char *ratio;  /* the least and the most over the blocks: "0.790 to 0.810" */
	unsigned more;      /* variants of the regime that are not named */
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, blocks, "blocks", "", COUNT),
    COLUMN(struct row, wanted, "asked for", "", COUNT),
    COLUMN_AS(struct row, least, "least_blocks", "a verdict needs", "", COUNT, 0),
    COLUMN(struct row, begun, "trials of the next", "", COUNT),
    COLUMN_AS(struct row, trials, "block_trials", "trials of a block", "", COUNT, 0),
    COLUMN(struct row, command, "to go on", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "unfinished", .title = "Not finished", .when = STORY_NO_WHEN, .hidden = true);

static const struct column seen_columns[] = {
    COLUMN(struct seen, left, "variant", "", TEXT),
    COLUMN(struct seen, right, "against", "", TEXT),
    COLUMN(struct seen, about, "what", "", TEXT),
    COLUMN(struct seen, regime, "sizes", "", TEXT),
    COLUMN(struct seen, ratio, "ratio in each block", "", TEXT),
    COLUMN(struct seen, more, "more variants", "", COUNT),
};
static const struct story_form seen_form =
    STORY_FORM(struct seen, seen_columns, .name = "seen", .title = "What each block showed", .when = STORY_NO_WHEN, .hidden = true);
// clang-format on

struct teller {
	const struct analysis *a;
	struct story *story;
	const struct story_table *facts;
	enum story_role role;
	struct seen *rows;
	unsigned n;
};

static void say_cut(const struct teller *t)
{
	const struct row *row = t->facts->rows;
	const bool of = row->wanted != ENTRY_NO_COUNT;
	struct phrase p = phrase_begin(t->story);
	phrase_add_row(&p, t->facts, row, "Not finished: {blocks}");
	if (of)
		phrase_add_row(&p, t->facts, row, " of {wanted}");
	phrase_words(&p, (of ? row->wanted : row->blocks) == 1 ? " block" : " blocks");
	if (row->begun)
		phrase_add_row(&p, t->facts, row,
		               row->blocks
		                   ? ", and {begun} of the {block_trials} trials of the next"
		                   : ", and {begun} of the {block_trials} trials of the first");
	phrase_words(&p, ".");
	phrase_end(&p, t->role);
}

/* The least and the most of left ÷ right over the blocks that have both; inverted times if it is
 * about speeds. NULL if no block has both. */
static const char *ratio_of(const struct teller *t, const struct contrast *c, bool speed)
{
	const unsigned sides[] = {c->left, c->right};
	struct contrast_select select = c->select;
	struct arena *arena = t->story->arena;
	struct status st = {""};
	double *levels, lo = INFINITY, hi = 0;
	unsigned n;
	select.with = sides;
	select.nwith = 2;
	arena_need(arena, !contrast_levels(t->a->s, c->metric, &select, &levels, &n, &st));
	for (unsigned b = 0; b < n; b++) {
		const double log = levels[2 * b] - levels[2 * b + 1],
		             ratio = exp(speed && contrast_is_time(c->metric) ? -log : log);
		lo = fmin(lo, ratio);
		hi = fmax(hi, ratio);
	}
	free(levels);
	if (n < 2)
		return n ? arena_copy(arena, format_estimate(lo).text) : NULL;
	return arena_text(arena, "%s to %s", format_estimate(lo).text, format_estimate(hi).text);
}

/* The primary claim, if these blocks say something about it. */
static void see_primary(struct teller *t)
{
	const struct summary *s = t->a->s;
	const struct claim_list *asked = &t->a->f->asked;
	for (unsigned i = 0; i < asked->nclaims && asked->primary.n && !t->n; i++) {
		const struct claim *claim = &asked->claims[i];
		const struct metric_info *metric = metric_info(claim->metric);
		const int left = index_variant(s, claim->left),
		          right = index_variant(s, claim->right);
		if (strcmp(claim->name, asked->primary.names[0]) || left < 0 || right < 0 ||
		    metric->counters)
			continue;
		struct contrast c =
		    contrast_none((unsigned)left, (unsigned)right, claim->metric, "");
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
			    .more = ENTRY_NO_COUNT};
	}
}

static void see_regime(struct teller *t, const struct regime *g)
{
	const struct summary *s = t->a->s;
	const unsigned first = t->n;
	for (unsigned v = 0; v < g->nvariants; v++) {
		const struct contrast *c = &g->contrasts[v];
		const char *ratio =
		    (int)v == g->twin || isnan(c->ratio.estimate) ? NULL : ratio_of(t, c, true);
		if (ratio)
			t->rows[t->n++] = (struct seen){
			    .left = s->variants[v].name,
			    .right = s->variants[s->reference].name,
			    .about = arena_copy(t->story->arena, regime_about(g).text),
			    .regime = g->label,
			    .ratio = ratio,
			    .more = ENTRY_NO_COUNT};
	}
	if (t->n - first > NAMED)
		t->rows[first].more = t->n - first - NAMED;
}

/* Of the claim's row, or of a regime's. Returns the next row. */
static unsigned say_seen(const struct teller *t, const struct story_table *seen, unsigned first)
{
	const struct seen *rows = t->rows;
	const char *where = t->a->s->nblocks > 1 ? " in each of the {blocks} blocks: "
	                                         : " in the one whole block: ";
	struct phrase p = phrase_begin(t->story);
	unsigned i = first;
	phrase_add_row(&p, seen, &rows[first],
	               rows[first].regime
	                   ? "At {regime} sizes ({about}), times the speed of {right}"
	                   : "{about} of {left}");
	phrase_add(&p, t->facts, NULL, 0, where);
	if (!rows[i].regime)
		phrase_add_row(&p, seen, &rows[i++], "{ratio} times that of {right}");
	for (; i < t->n && rows[i].regime && rows[i].regime == rows[first].regime; i++)
		if (i - first < NAMED)
			phrase_add_row(&p, seen, &rows[i],
			               i > first ? ", {left} {ratio}" : "{left} {ratio}");
	if (rows[first].more != ENTRY_NO_COUNT)
		phrase_add_row(&p, seen, &rows[first], ", and {more} more variants");
	phrase_words(&p, ".");
	phrase_end(&p, t->role);
	return i;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	const long long wanted = record_blocks_asked(s->run);
	struct row *row = ARENA_NEW(story->arena, struct row);
	if (!run_lacks_blocks(a))
		return;
	*row = (struct row){.blocks = s->nblocks,
	                    .wanted = wanted ? (unsigned)wanted : ENTRY_NO_COUNT,
	                    .least = STATS_MIN_BLOCKS,
	                    .begun = record_begun(s->run),
	                    .trials = record_block_trials(s->run),
	                    .command = run_command(s, story->arena)};
	struct teller t = {
	    .a = a,
	    .story = story,
	    .facts = story_table(story, &form, row, 1),
	    .role = run_is_cut(a) ? STORY_CAVEAT : STORY_OPEN,
	    .rows = ARENA_ARRAY(story->arena, struct seen, REGIME_MOST * s->nvariants + 1)};
	if (s->nblocks)
		see_primary(&t);
	const bool of_claim = t.n;
	for (unsigned i = a->regimes->n; i-- > 0 && s->nblocks && !of_claim;)
		see_regime(&t, &a->regimes->list[i]);
	const struct story_table *seen = story_table(story, &seen_form, t.rows, t.n);
	if (run_is_cut(a))
		say_cut(&t);
	for (unsigned i = 0; i < t.n;)
		i = say_seen(&t, seen, i);
	story_say_row(story, t.role, t.facts, row,
	              "A verdict needs {least_blocks} blocks. {command}");
}

const struct chapter chapter_unfinished = {"unfinished", "", CHAPTER_FRONT, tell};
