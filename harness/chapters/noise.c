/* The noise of the run: the reference compared with itself (A/A), by regime, and which differences
 * it hides. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../story/format.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"

enum { TWIN = 1, OPEN = 2, CANNOT = 4 };

/* A regime; the large sizes come first. */
struct row {
	const char *regime;       /* "large", "the largest (1 MiB)" */
	struct stats_ratio twin;  /* the speed of the reference compared with itself */
	const char *label;        /* "large", "the largest" */
	const char *hides, *why;  /* which differences cannot be distinguished, and why; or NULL */
	const char *hides_in_all; /* the same for all regimes, if none can distinguish variants */
	unsigned when;
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
    STORY_FORM(struct row, columns, .name = "noise", .title = "The reference against itself", .when = offsetof(struct row, when), .hidden = true);

static const struct sentence sentences[] = {
    {STORY_TRUST, TWIN, "A/A (the reference against itself): [{regime} {twin:brief}]."},
    {STORY_OPEN, OPEN, "This run cannot {hides_in_all}. {why}"},
    {STORY_BODY, CANNOT, "At {label} sizes it cannot {hides}. {why}"},
};
// clang-format on

#define SMALL_DIFFERENCES "resolve small differences"
#define THE_VARIANTS      "distinguish the variants"

static struct row row_of(const struct summary *s, const struct regime *g, struct arena *arena)
{
	const bool twin = g->twin >= 0;
	return (struct row){
	    .regime = g->third ? arena_text(arena, "%s (%s)", g->label, format_range(g->sizes).text)
	                       : g->label,
	    .twin = twin ? g->contrasts[g->twin].verdict.ratio : STATS_NO_RATIO,
	    .label = g->label,
	    .hides = g->tells               ? NULL
	             : regime_has_beyond(g) ? SMALL_DIFFERENCES
	                                    : THE_VARIANTS,
	    .why = regime_doubt_text(arena, s, g)};
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct regimes *regimes = &a->regimes;
	const unsigned n = run_compares(a->s) ? regimes->n : 0;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, n + 1);
	const bool none = n && !regimes_tell(regimes);
	bool small = run_explains_gap(a);
	for (unsigned i = 0; i < n; i++) {
		struct row *row = &rows[i];
		*row = row_of(a->s, &regimes->list[n - 1 - i], story->arena);
		small |= row->hides && !strcmp(row->hides, SMALL_DIFFERENCES);
		row->when = isnan(row->twin.estimate) ? 0 : TWIN;
		/* If no regime can distinguish variants, the answer has the first one's reason. */
		if (row->hides && !(none && !strcmp(row->why, rows[0].why)))
			row->when |= CANNOT;
	}
	if (none) {
		rows[0].hides_in_all = small ? SMALL_DIFFERENCES : THE_VARIANTS;
		rows[0].when |= run_lacks_blocks(a) ? 0 : OPEN;
	}
	STORY_TELL(story, story_table(story, &form, rows, n), sentences);
}

const struct chapter chapter_noise = {"noise", "", CHAPTER_FIRST, tell};
