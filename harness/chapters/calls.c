/* The calls that the timeline shows, rank by rank: for each collective, one call of each variant
 * that the experiment is about (analysis/calls.h). */
#include "../analysis/calls.h"

#include "../analysis/analysis.h"
#include "../analysis/plot_order.h"
#include "chapters.h"
#include "run.h"

struct row {
	const char *coll, *name, *pass;
	unsigned variant; /* its number among those that are drawn, from 1 */
	unsigned ranks;
	size_t bytes;
	int device; /* whether it has the device's stamps */
	struct calls_line line;
	const char *said; /* of the collective's first call */
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, coll, "collective", "", TEXT),
    COLUMN(struct row, variant, "nth variant", "", COUNT),
    COLUMN(struct row, name, "variant", "", TEXT),
    COLUMN(struct row, pass, "pass", "", TEXT),
    COLUMN(struct row, ranks, "ranks", "", COUNT),
    COLUMN(struct row, bytes, "size", "", BYTES),
    COLUMN(struct row, device, "device's stamps", "", FLAG),
    COLUMN_AS(struct row, line.total_us, "total", "total", "µs", NUMBER, 0),
    COLUMN_AS(struct row, line.before_us, "before", "device begins before", "µs", NUMBER, 0),
    COLUMN_AS(struct row, line.residual_us, "residual", "device's stamps off by", "µs", NUMBER, 0),
    COLUMN_AS(struct row, line.launch_us, "launch", "launched after", "µs", NUMBER, 0),
    COLUMN(struct row, said, "caption", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "calls", .title = "Calls of the timeline", .when = STORY_NO_WHEN, .hidden = true, .drawn = STORY_ARRAYS);
// clang-format on

/* Whether an earlier group has the same collective. */
static bool is_again(const struct summary *s, unsigned group)
{
	for (unsigned g = 0; g < group; g++)
		if (s->groups[g].cell.coll == s->groups[group].cell.coll)
			return true;
	return false;
}

/* Adds those of a collective and returns how many. */
static unsigned rows_of(const struct summary *s, const struct plot_order *order,
                        enum coll_kind coll, struct arena *arena, struct row *rows)
{
	unsigned n = 0;
	for (unsigned i = 0; i < order->main; i++) {
		const struct calls_line line = calls_line_of(s, coll, order->variants[i], arena);
		if (line.cell)
			rows[n++] = (struct row){
			    .coll = arena_copy(arena,
			                       coll_word(&line.cell->cell, line.cell->nranks).text),
			    .variant = i + 1,
			    .name = s->variants[order->variants[i]].name,
			    .pass = coll_pass_name(line.cell->cell.pass),
			    .ranks = line.cell->nranks,
			    .bytes = line.cell->cell.bytes,
			    .device = line.cell->device_clock,
			    .line = line};
	}
	return n;
}

/* What the picture of a collective says of its rows. */
static const char *say(struct story *story, const struct story_table *t, unsigned from, unsigned to)
{
	struct phrase p = phrase_begin(story);
	unsigned *rows = ARENA_ARRAY(story->arena, unsigned, to - from), n = 0;
	while (from < to)
		rows[n++] = from++;
	phrase_add(&p, t, rows, n,
	           "All ranks have launched after [{launch} of {total} µs in {name}|, {launch} of "
	           "{total} in {name}]");
	phrase_end(&p, STORY_IN_A_ROW);
	return p.text;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	unsigned n = 0;
	if (!plot_order_count(s))
		return;
	const struct plot_order order = run_drawn(a, story->arena);
	struct row *rows =
	    ARENA_ARRAY(story->arena, struct row, (size_t)s->ngroups * order.main + 1);
	unsigned *ends = ARENA_ARRAY(story->arena, unsigned, s->ngroups + 1u);
	for (unsigned g = 0; g < s->ngroups; g++) {
		n += is_again(s, g)
		         ? 0
		         : rows_of(s, &order, s->groups[g].cell.coll, story->arena, rows + n);
		ends[g] = n;
	}
	const struct story_table *t = story_rows(story, &form, rows, n);
	for (unsigned g = 0, from = 0; g < s->ngroups; from = ends[g++])
		if (ends[g] > from)
			rows[from].said = say(story, t, from, ends[g]);
	story_show(story, t);
}

const struct chapter chapter_calls = {"calls", "", CHAPTER_BODY, tell};
