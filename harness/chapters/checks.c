/* Which data was checked, what was found, and what the check cost. */
#include "../analysis/checks.h"

#include <math.h>

#include "../analysis/analysis.h"
#include "chapters.h"

enum { ALL_RIGHT = 1, WRONG = 2, FRESH = 4, COST = 8, SAME = 16 };

/* Of all cells. */
struct row {
	unsigned cells, wrong_cells, fresh_cells;
	struct checks_cost cost;
	unsigned when;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, cells, "cells", "", COUNT),
    COLUMN(struct row, wrong_cells, "with wrong data", "", COUNT),
    COLUMN(struct row, fresh_cells, "one fresh call checked", "", COUNT),
    COLUMN_AS(struct row, cost.asked_bytes, "asked_bytes", "size", "", BYTES, 0),
    COLUMN_AS(struct row, cost.calls_ms, "calls_ms", "timed calls", "ms", NUMBER, 0),
    COLUMN_AS(struct row, cost.check_ms, "check_ms", "checking", "ms", NUMBER, 0),
    COLUMN_AS(struct row, cost.longest, "longest", "longest in", "", TEXT, 0),
    COLUMN_AS(struct row, cost.longest_calls_ms, "longest_calls_ms", "its timed calls", "ms", NUMBER, 0),
    COLUMN_AS(struct row, cost.longest_check_ms, "longest_check_ms", "its checking", "ms", NUMBER, 0),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "checked", .title = "Cells that were checked", .when = offsetof(struct row, when), .hidden = true);

/* For one collective in one datatype. */
struct kind {
	const char *collective, *dtype;
	unsigned cells, wrong_cells;
};

static const struct column kind_columns[] = {
    COLUMN(struct kind, collective, "collective", "", TEXT),
    COLUMN(struct kind, dtype, "datatype", "", TEXT),
    COLUMN(struct kind, cells, "cells", "", COUNT),
    COLUMN(struct kind, wrong_cells, "with wrong data", "", COUNT),
};
static const struct story_form kind_form =
    STORY_FORM(struct kind, kind_columns, .name = "checks", .title = "Cells that were checked", .when = STORY_NO_WHEN, .hidden = true);

static const struct sentence sentences[] = {
    {STORY_BODY | STORY_TRUST, ALL_RIGHT, "{cells} cell{cells:s} {cells:was} checked, every element against its exact answer: all right."},
    {STORY_BODY | STORY_TRUST, WRONG, "{wrong_cells} of {cells} cells delivered wrong data."},
    {STORY_BODY, SAME, "All variants' outputs are the same, by digest."},
    {STORY_BODY, FRESH, "Of {fresh_cells} of them only one more, fresh call was checked: in place, the timed ones reduce what the calls before them left."},
    {STORY_BODY, COST, "At {asked_bytes} a cell's timed calls took {calls_ms} ms, and checking what they left {check_ms} ms; the longest in {longest}, {longest_calls_ms} and {longest_check_ms} ms."},
};
// clang-format on

/* For several datatypes: a table, collective by datatype. */
static void tell_kinds(const struct summary *s, struct story *story)
{
	struct kind *kinds = ARENA_ARRAY(story->arena, struct kind, COLL_KINDS * DTYPE_KINDS);
	unsigned n = 0, order[COLL_KINDS * DTYPE_KINDS], wrong = 0;
	for (int c = 0; c < COLL_KINDS; c++)
		for (int d = 0; d < DTYPE_KINDS; d++) {
			const struct checks one = checks_count(s, c, d);
			if (!one.cells)
				continue;
			wrong += one.wrong_cells;
			order[n] = n;
			kinds[n++] = (struct kind){coll_info((enum coll_kind)c)->name,
			                           coll_dtype_name((enum dtype)d), one.cells,
			                           one.wrong_cells};
		}
	const struct story_table *t = story_table(story, &kind_form, kinds, n);
	story_pivot(story, t, order, n, "collective", "dtype", "cells");
	if (wrong) {
		story_part(story, "Cells with wrong data");
		story_pivot(story, t, order, n, "collective", "dtype", "wrong_cells");
	}
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	if (!s->carries_data)
		return;
	const struct checks all = checks_count(s, -1, -1);
	const struct checks_cost cost = checks_cost(s);
	struct row *row = ARENA_NEW(story->arena, struct row);
	story_clear(&form, row);
	row->cells = all.cells;
	row->wrong_cells = all.wrong_cells;
	row->fresh_cells = all.fresh_cells;
	if (cost.longest)
		row->cost = cost;
	row->when = (all.wrong_cells ? WRONG : ALL_RIGHT) | (all.fresh_cells ? FRESH : 0) |
	            (cost.longest ? COST : 0) | (s->trouble.kind ? 0 : SAME);
	STORY_TELL(story, story_table(story, &form, row, 1), sentences);
	if (checks_dtypes(s) > 1)
		tell_kinds(s, story);
}

const struct chapter chapter_checks = {"checks", "Correctness", CHAPTER_APPENDIX, tell};
