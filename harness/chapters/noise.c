/* The noise of the run: the reference compared with itself (A/A), by regime, and which differences
 * it hides. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/format.h"
#include "chapters.h"
#include "run.h"

/* A regime; the large sizes come first. */
struct row {
	const char *regime;       /* "large", "the largest (1 MiB)" */
	struct stats_ratio twin;  /* the speed of the reference compared with itself */
	const char *label;        /* "large", "the largest" */
	const char *hides, *why;  /* which differences cannot be distinguished, and why; or NULL */
	const char *hides_in_all; /* the same for all regimes, if none can distinguish variants */
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, regime, "regime", "", TEXT),
    COLUMN(struct row, twin, "the reference against itself", "", RATIO),
    COLUMN(struct row, label, "sizes", "", TEXT),
    COLUMN(struct row, hides, "cannot", "", TEXT),
    COLUMN(struct row, why, "why", "", TEXT),
    COLUMN(struct row, hides_in_all, "cannot in any regime", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "noise", .title = "The reference against itself", .when = STORY_NO_WHEN, .hidden = true);
// clang-format on

#define SMALL_DIFFERENCES "resolve small differences"
#define THE_VARIANTS      "distinguish the variants"

static struct row row_of(const struct regime *g, struct arena *arena)
{
	return (struct row){
	    .regime = g->third ? arena_text(arena, "%s (%s)", g->label, format_range(g->sizes).text)
	                       : g->label,
	    .twin = g->twin < 0 ? STATS_NO_RATIO : g->contrasts[g->twin].verdict.ratio,
	    .label = g->label,
	    .hides = g->tells               ? NULL
	             : regime_has_beyond(g) ? SMALL_DIFFERENCES
	                                    : THE_VARIANTS,
	    .why = g->why};
}

/* "A/A (the reference against itself): large 1.000 ±0.4%, small 0.987 ±7.0%." */
static void say_lines(struct story *story, const struct story_table *t)
{
	const struct row *rows = t->rows;
	struct phrase p = phrase_begin(story);
	for (unsigned i = 0; i < t->nrows; i++)
		if (!isnan(rows[i].twin.estimate))
			phrase_add_row(&p, t, &rows[i],
			               p.used ? ", {regime} {twin:brief}"
			                      : "A/A (the reference against itself): {regime} "
			                        "{twin:brief}");
	phrase_words(&p, ".");
	phrase_end(&p, STORY_TRUST);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct regimes *regimes = a->regimes;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, regimes->n + 1);
	bool small = run_explains_gap(a);
	for (unsigned i = 0; i < regimes->n; i++) {
		rows[i] = row_of(&regimes->list[regimes->n - 1 - i], story->arena);
		small |= rows[i].hides && !strcmp(rows[i].hides, SMALL_DIFFERENCES);
	}
	const bool none = regimes->n && !regimes_tell(regimes);
	if (none)
		rows[0].hides_in_all = small ? SMALL_DIFFERENCES : THE_VARIANTS;
	const struct story_table *t = story_table(story, &form, rows, regimes->n);
	say_lines(story, t);
	if (none && !run_lacks_blocks(a))
		story_say_row(story, STORY_OPEN, t, rows,
		              "This run cannot {hides_in_all}. {why}");
	/* If no regime can distinguish variants, the answer has the first one's reason. */
	for (unsigned i = 0; i < regimes->n; i++)
		if (rows[i].hides && !(none && !strcmp(rows[i].why, rows[0].why)))
			story_say_row(story, STORY_BODY, t, &rows[i],
			              "At {label} sizes it cannot {hides}. {why}");
}

const struct chapter chapter_noise = {"noise", "", CHAPTER_FIRST, tell};
