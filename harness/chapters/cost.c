/* What a call costs if the device takes no time, so that all of it is the harness: for each pace,
 * at the smallest size of its first collective. */
#include <math.h>

#include "../analysis/analysis.h"
#include "chapters.h"
#include "run.h"

enum { SINGLE = 1, STREAM = 2 };

struct row {
	const char *variant, *collective, *pace;
	size_t asked_bytes;
	double us; /* isolated: p50 */
	unsigned when;
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
    STORY_FORM(struct row, columns, .name = "cost", .title = "What a call costs the harness", .when = offsetof(struct row, when), .hidden = true);

static const struct sentence sentences[] = {
    {STORY_ANSWER, SINGLE, "A single call costs the harness itself, in µs (p50): [{variant} {us}]."},
    {STORY_ANSWER, STREAM, "Back to back a call costs, in µs: [{variant} {us}]."},
};
// clang-format on

/* Whether only the harness takes time in every variant. */
static bool is_harness_alone(const struct summary *s)
{
	if (s->carries_data)
		return false;
	for (unsigned v = 0; v < s->nvariants; v++)
		if (s->variants[v].measured &&
		    (s->run->variants[v].settings.delay_ns ||
		     s->run->variants[v].settings.extra_ns || !s->variants[v].traits->launches))
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
				    .us = pace == PACE_ISOLATED ? row->p50_us : row->time_us,
				    .when = pace == PACE_ISOLATED ? SINGLE : STREAM};
		}
	return n;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct row *rows = ARENA_ARRAY(story->arena, struct row, 2 * (size_t)s->nvariants + 1);
	if (!is_harness_alone(s))
		return;
	const unsigned single = rows_of(s, story->arena, PACE_ISOLATED, rows),
	               all = single + rows_of(s, story->arena, PACE_STREAM, rows + single);
	STORY_TELL(story, story_table(story, &form, rows, all), sentences);
}

const struct chapter chapter_cost = {"cost", "", CHAPTER_BODY, tell};
