/* What a comparison of two results says, before it has a form: sentences and tables. Terminal, JSON and page
 * are written from it, and decide nothing. */
#ifndef LAUNCHGAP_TOLD_H
#define LAUNCHGAP_TOLD_H

#include "../story/story.h"
#include "comparison.h"

/* Verdicts by what was found; several form a set. */
enum told_part {
	TOLD_DIFFERENT = 1, /* decided: slower or faster, by however little */
	TOLD_OPEN = 2,
	TOLD_ALIKE = 4,
	TOLD_UNCOUNTED = 8, /* of the machine's limit, or of the reference again */
	TOLD_ALL = 15,
};
enum told_part told_part(enum verdict_kind kind, bool uncounted);

enum told_about {
	TOLD_OF_SIDES, /* what to know of the two */
	TOLD_APART,    /* what is on one side alone */
};

struct told_note {
	const char *side, *text; /* side: "A", "B", or "" for both */
	enum told_about about;
};

/* Cells that differ only in variant and size. */
struct told_kind {
	const struct result_series *of;
	const char *title;
	struct story_table cells;
};

/* All memory is the comparison's arena. */
struct told {
	const struct comparison *c;
	struct arena *arena;
	const char **answers; /* the first ones: a sentence for each kind of verdict */
	unsigned nanswers;
	struct story_table answer, sides, facts; /* facts: the sides without their paths */
	struct told_note *notes;
	unsigned nnotes;
};

void told_make(const struct comparison *c, struct told *out);
/* A row for each verdict of these parts; of those that differ alone the slowest first. */
struct story_table told_verdicts(const struct told *told, unsigned parts);
/* A row for each size: of all; or kind by kind, at most as many as there are groups. Returns how many. */
struct story_table told_cells(const struct told *told);
unsigned told_kinds(const struct told *told, unsigned parts, struct told_kind *out);
struct story_table told_notes(const struct told *told);
/* "h800_alltoall: B compared with A". */
const char *told_title(const struct told *told);

/* compared_page.c: all of it, what differs first, on a Markdown page; unless page->whole only the answer and
 * the first differences. */
struct page;
void compared_page(struct page *page, const struct told *told);
/* What the two tables are of. */
extern const char told_method[], told_cells_are[];

#endif
