/* What a call costs if the device takes no time, so that all of it is the harness: for each pace,
 * at the smallest size of its first collective. */
#include <math.h>

#include "../analysis/analysis.h"
#include "chapters.h"
#include "run.h"

struct row {
	const char *variant, *collective, *pace;
	size_t asked_bytes;
	double us; /* isolated: p50 */
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, collective, "collective", "", TEXT),
    COLUMN(struct row, pace, "pace", "", TEXT),
    COLUMN(struct row, asked_bytes, "size", "", BYTES),
    COLUMN(struct row, us, "a call", "µs", NUMBER),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "cost", .title = "What a call costs the harness", .when = STORY_NO_WHEN, .hidden = true);
// clang-format on

/* Whether only the harness takes time in every variant. */
static bool is_harness_alone(const struct summary *s)
{
	if (s->carries_data)
		return false;
	for (unsigned v = 0; v < s->nvariants; v++)
		if (s->variants[v].measured &&
		    (s->settings[v].delay_ns || s->settings[v].extra_ns ||
		     !s->variants[v].traits->launches))
			return false;
	return true;
}

/* From the first group of the pace that has any. */
static unsigned rows_of(const struct summary *s, struct arena *arena, enum pace pace,
                        struct row *rows)
{
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups && !n; g++)
		for (unsigned v = 0; v < s->nvariants && s->groups[g].cell.pace == pace; v++) {
			const struct summary_row *row = index_at(s, v, g, 0);
			if (row && row->ntrials && summary_is_asked(s, v))
				rows[n++] = (struct row){
				    .variant = s->variants[v].name,
				    .collective = run_collective(arena, &s->groups[g]),
				    .pace = coll_pace_name(pace),
				    .asked_bytes = row->cell.asked_bytes,
				    .us = pace == PACE_ISOLATED ? row->p50_us : row->time_us};
		}
	return n;
}

/* "A single call costs the harness itself, in µs (p50): threads 0.391, single 0.560." */
static void say(struct story *story, const struct story_table *t, unsigned from, unsigned to,
                const char *begin)
{
	struct phrase p = phrase_begin(story);
	for (unsigned i = from; i < to; i++)
		phrase_add(&p, t, &i, 1,
		           i > from ? ", {variant} {us}"
		                    : arena_text(story->arena, "%s{variant} {us}", begin));
	phrase_words(&p, ".");
	phrase_end(&p, STORY_ANSWER);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, 2 * (size_t)s->nvariants + 1);
	if (!is_harness_alone(s))
		return;
	const unsigned single = rows_of(s, story->arena, PACE_ISOLATED, rows),
	               all = single + rows_of(s, story->arena, PACE_STREAM, rows + single);
	const struct story_table *t = story_table(story, &form, rows, all);
	say(story, t, 0, single, "A single call costs the harness itself, in µs (p50): ");
	say(story, t, single, all, "Back to back a call costs, in µs: ");
}

const struct chapter chapter_cost = {"cost", "", CHAPTER_BODY, tell};
