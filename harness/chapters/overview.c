/* In how many collectives each variant is faster, as fast or slower than the reference, at the
 * largest size of each: what the picture of all collectives shows. */
#include <math.h>

#include "../analysis/analysis.h"
#include "../analysis/plot_order.h"
#include "chapters.h"
#include "run.h"

enum overview_counts { FASTER, ALIKE, SLOWER, UNDECIDED, COUNTS };

struct row {
	const char *variant, *reference, *verb;
	unsigned collectives, in[COUNTS];
	const char *counts; /* "faster in 3, undecided in 1" */
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, reference, "against", "", TEXT),
    COLUMN(struct row, verb, "is", "", TEXT),
    COLUMN(struct row, collectives, "collectives", "", COUNT),
    COLUMN_AS(struct row, in[FASTER], "faster", "faster", "", COUNT, 0),
    COLUMN_AS(struct row, in[ALIKE], "as_fast", "as fast", "", COUNT, 0),
    COLUMN_AS(struct row, in[SLOWER], "slower", "slower", "", COUNT, 0),
    COLUMN_AS(struct row, in[UNDECIDED], "undecided", "undecided", "", COUNT, 0),
    COLUMN(struct row, counts, "in how many", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "overview", .title = "In how many collectives", .when = STORY_NO_WHEN, .hidden = true);

static const char *const words[COUNTS] = {
    [FASTER] = "faster", [ALIKE] = "as fast", [SLOWER] = "slower", [UNDECIDED] = "undecided"};
// clang-format on

static struct row row_of(const struct summary *s, unsigned v, struct arena *arena)
{
	struct row row = {.variant = s->variants[v].name,
	                  .reference = s->variants[s->reference].name,
	                  .verb = run_are(s->variants[v].name),
	                  .counts = ""};
	for (unsigned g = 0; g < s->ngroups; g++) {
		const struct summary_row *at = index_at(s, v, g, s->groups[g].nsizes - 1);
		if (s->groups[g].cell.pace != PACE_STREAM || !at || isnan(at->ratio.estimate))
			continue;
		const struct verdict verdict = verdict_of(at->ratio, s->margin);
		row.in[verdict_beyond(&verdict) > 0   ? FASTER
		       : verdict_beyond(&verdict) < 0 ? SLOWER
		       : verdict_within(&verdict)     ? ALIKE
		                                      : UNDECIDED]++;
		row.collectives++;
	}
	for (unsigned k = 0; k < COUNTS; k++)
		if (row.in[k])
			row.counts = arena_text(arena, "%s%s%s in %u", row.counts,
			                        *row.counts ? ", " : "", words[k], row.in[k]);
	return row;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	story_picture(story, "overview", !run_explains_gap(a));
	if (s->reference < 0 || s->uncompared.kind)
		return;
	const struct plot_order order = run_drawn(a, story->arena);
	struct row *rows = ARENA_ARRAY(story->arena, struct row, order.main + 1);
	unsigned n = 0;
	for (unsigned i = 0; i < order.main; i++)
		if (s->variants[order.variants[i]].role == ROLE_VARIANT) {
			rows[n] = row_of(s, order.variants[i], story->arena);
			n += rows[n].collectives > 0;
		}
	const struct story_table *t = story_table(story, &form, rows, n);
	if (n)
		story_say(story, STORY_CAPTION, t, NULL, 0,
		          "Of {collectives} collectives against {reference}: [{variant} {verb} "
		          "{counts}|; {variant} {verb} {counts}]");
}

const struct chapter chapter_overview = {"overview", "", CHAPTER_BODY, tell};
