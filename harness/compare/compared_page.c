/* Two results on one page: what differs, what is open, what is the same, what could not be compared. */
#include "../arena.h"
#include "../report/page.h"
#include "told.h"

#define SHORT_ROWS 12 /* of a page that is not whole */

static void put_table(struct page *p, const struct story_table *told)
{
	struct table shown;
	table_less(told, ONLY_FILES, &shown);
	table_drop_empty(&shown);
	page_table(p, &shown.told);
}

/* --- its sections ------------------------------------------------------------------------ */

static const struct section {
	const char *title;
	unsigned parts;
	bool always, in_short;
	const char *none; /* if there are no rows and it is always there */
} sections[] = {
    {"Differences", TOLD_DIFFERENT, true, true, "None is decided."},
    {"Undecided", TOLD_OPEN, false, false, ""},
    {"The same", TOLD_ALIKE, false, false, ""},
    {"The machine's limit, not counted", TOLD_UNCOUNTED, false, false, ""},
};
#define NSECTIONS (sizeof sections / sizeof *sections)
#define APART     "Could not be compared"
#define SIDES     "The two sides"

/* Below the verdicts the sizes, kind by kind. */
static void put_sizes(struct page *p, const struct told *t, unsigned parts)
{
	struct told_kind *kinds = ARENA_ARRAY(t->arena, struct told_kind, t->c->ngroups + 1);
	const unsigned n = told_kinds(t, parts, kinds);
	for (unsigned i = 0; i < n; i++) {
		page_part(p, "%s", kinds[i].title);
		put_table(p, &kinds[i].cells);
	}
}

static void put_section(struct page *p, const struct told *t, const struct section *s)
{
	struct story_table verdicts = told_verdicts(t, s->parts);
	const unsigned all = verdicts.nrows;
	if ((!all && !s->always) || (!p->whole && !s->in_short))
		return;
	page_heading(p, 2, "%s", s->title);
	if (!all)
		page_say(p, "%s", s->none);
	if (!p->whole && all > SHORT_ROWS)
		verdicts.nrows = SHORT_ROWS;
	put_table(p, &verdicts);
	if (verdicts.nrows < all)
		page_say(p, "%u more.", all - verdicts.nrows);
	if (p->whole)
		put_sizes(p, t, s->parts);
}

static bool has_notes(const struct told *t, enum told_about about)
{
	for (unsigned i = 0; i < t->nnotes; i++)
		if (t->notes[i].about == about)
			return true;
	return false;
}

static void put_notes(struct page *p, const struct told *t, enum told_about about)
{
	for (unsigned i = 0; i < t->nnotes; i++) {
		const struct told_note *note = &t->notes[i];
		if (note->about == about)
			page_item(p, "%s%s%s", note->side, *note->side ? ": " : "", note->text);
	}
	if (has_notes(t, about))
		page_end_list(p);
}

static void put_links(struct page *p, const struct told *t)
{
	const char *titles[NSECTIONS + 2];
	unsigned n = 0;
	for (size_t i = 0; i < NSECTIONS; i++)
		if (told_verdicts(t, sections[i].parts).nrows)
			titles[n++] = sections[i].title;
	if (has_notes(t, TOLD_APART))
		titles[n++] = APART;
	titles[n++] = SIDES;
	page_links(p, titles, n);
}

/* --- all of it --------------------------------------------------------------------------- */

static void put_top(struct page *p, const struct told *t)
{
	const struct comparison *c = t->c;
	page_heading(p, 1, "%s", told_title(t));
	if (c->refused)
		page_stress(p, "Nothing was compared: %s.", c->refused);
	for (unsigned i = 0; i < t->nanswers; i++)
		(i || c->refused ? page_say : page_stress)(p, "%s", t->answers[i]);
	page_item(p, "A: %s", c->left.path);
	page_item(p, "B: %s", c->right.path);
	page_end_list(p);
}

void compared_page(struct page *p, const struct told *t)
{
	put_top(p, t);
	if (p->whole)
		put_links(p, t);
	for (size_t i = 0; i < NSECTIONS && !t->c->refused; i++)
		put_section(p, t, &sections[i]);
	if (has_notes(t, TOLD_APART))
		page_heading(p, 2, APART);
	put_notes(p, t, TOLD_APART);
	if (!p->whole)
		return;
	page_heading(p, 2, SIDES);
	put_table(p, &t->facts);
	put_notes(p, t, TOLD_OF_SIDES);
	if (t->c->refused)
		return;
	page_say(p, "%s", told_method);
	page_say(p, "%s", told_cells_are);
}
