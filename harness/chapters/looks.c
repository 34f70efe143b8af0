/* The blocks of the run, and how often its verdicts could be seen before measuring went on
 * (analysis/looks.h). */
#include "../analysis/looks.h"

#include "../analysis/analysis.h"
#include "chapters.h"

enum { ADDED = 1, ADDED_ONE = 2, BY_WIDTH = 4 };

struct row {
	unsigned blocks, looks, first, added;
	const char *confidence; /* to its last digit: 98.75 % */
	unsigned when;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, blocks, "blocks", "", COUNT),
    COLUMN(struct row, looks, "looks", "", COUNT),
    COLUMN(struct row, first, "blocks at the first", "", COUNT),
    COLUMN(struct row, added, "added since", "", COUNT),
    COLUMN(struct row, confidence, "confidence of an interval", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "looks", .title = "Looks", .when = offsetof(struct row, when), .hidden = true);

static const struct sentence sentences[] = {
    {STORY_TRUST, 0, "{blocks} block{blocks:s}."},
    {STORY_TRUST, ADDED_ONE, "{added} block was added after a look at {first}: intervals with it are {confidence} intervals, for {looks} looks."},
    {STORY_TRUST, ADDED, "{added} blocks were added after a look at {first}: intervals with them are {confidence} intervals, for {looks} looks."},
    {STORY_TRUST, BY_WIDTH, "The run chose its blocks by the width of intervals, which are {confidence} intervals."},
};
// clang-format on

static void tell(const struct analysis *a, struct story *story)
{
	const struct looks *l = &a->s->looks;
	struct row *row = ARENA_NEW(story->arena, struct row);
	*row = (struct row){.blocks = a->s->nblocks,
	                    .looks = l->n,
	                    .first = l->first,
	                    .added = l->added,
	                    .confidence = arena_text(story->arena, "%.4g %%", 100 * l->confidence)};
	if (l->n > 1)
		row->when |= l->added == 1 ? ADDED_ONE : ADDED;
	else if (l->by_width)
		row->when |= BY_WIDTH;
	STORY_TELL(story, story_table(story, &form, row, 1), sentences);
}

const struct chapter chapter_looks = {"looks", "", CHAPTER_FRONT, tell};
