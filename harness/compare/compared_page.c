/* Two results on one page: what differs, what is open, what is the same, what could not be compared. */
#include "../report/page.h"
#include "comparison.h"

#define SHORT_ROWS 12 /* of a page that is not whole */

/* --- its sections ------------------------------------------------------------------------ */

static const struct section {
	const char *title, *part;
	bool always, in_short;
	const char *none; /* if there are no rows and it is always there */
} sections[] = {
    {"Differences", "different", true, true, "None is decided."},
    {"Undecided", "undecided", false, false, ""},
    {"The same", "no difference", false, false, ""},
    {"The machine's limit, not counted", "limit", false, false, ""},
};
#define NSECTIONS (sizeof sections / sizeof *sections)
#define APART     "Could not be compared"
#define SIDES     "The two sides"

static void put_kind(void *page, const char *title, const struct story_table *cells)
{
	page_part(page, "%s", title);
	page_table_shown(page, cells);
}

/* The slowest first. */
static int by_speed(const void *a, const void *b, void *speed)
{
	const double x = column_entry(speed, a).x, y = column_entry(speed, b).x;
	return (x > y) - (x < y);
}

static struct story_table rows_of(const struct comparison *of, const char *table, const char *part)
{
	return comparison_rows(of->arena, story_find_table(&of->story, table), "part", part);
}

static void put_section(struct page *p, const struct comparison *of, const struct section *s)
{
	struct story_table verdicts = rows_of(of, "verdicts", s->part);
	const unsigned all = verdicts.nrows;
	if ((!all && !s->always) || (!p->whole && !s->in_short))
		return;
	page_heading(p, 2, "%s", s->title);
	if (s->in_short)
		qsort_r((void *)(uintptr_t)verdicts.rows, all, verdicts.form->row_bytes, by_speed,
		        (void *)(uintptr_t)story_column(&verdicts, "speed"));
	if (!all)
		page_say(p, "%s", s->none);
	if (!p->whole && all > SHORT_ROWS)
		verdicts.nrows = SHORT_ROWS;
	page_table_shown(p, &verdicts);
	if (verdicts.nrows < all)
		page_say(p, "%u more.", all - verdicts.nrows);
	if (!p->whole)
		return;
	const struct story_table cells = rows_of(of, "cells", s->part);
	comparison_each_kind(of, &cells, put_kind, p);
}

static void put_notes(struct page *p, const struct story_table *notes)
{
	for (unsigned i = 0; i < notes->nrows; i++) {
		const char *side = comparison_text(notes, i, "side");
		page_item(p, "%s%s%s", side, *side ? ": " : "", comparison_text(notes, i, "text"));
	}
	if (notes->nrows)
		page_end_list(p);
}

static void put_links(struct page *p, const struct comparison *of)
{
	const char *titles[NSECTIONS + 2];
	unsigned n = 0;
	for (size_t i = 0; i < NSECTIONS; i++)
		if (rows_of(of, "verdicts", sections[i].part).nrows)
			titles[n++] = sections[i].title;
	if (rows_of(of, "notes", "apart").nrows)
		titles[n++] = APART;
	titles[n++] = SIDES;
	page_links(p, titles, n);
}

/* --- all of it --------------------------------------------------------------------------- */

static void put_top(struct page *p, const struct comparison *of)
{
	const struct story_sentence *said;
	page_heading(p, 1, "%s", comparison_title(of));
	if (of->refused)
		page_stress(p, "Nothing was compared: %s.", of->refused);
	for (unsigned i = 0; (said = story_said(&of->story, STORY_ANSWER, i)); i++)
		(i || of->refused ? page_say : page_stress)(p, "%s", said->text);
	page_item(p, "A: %s", of->left.path);
	page_item(p, "B: %s", of->right.path);
	page_end_list(p);
}

void compared_page(struct page *p, const void *comparison)
{
	const struct comparison *of = comparison;
	put_top(p, of);
	if (p->whole)
		put_links(p, of);
	for (size_t i = 0; i < NSECTIONS && !of->refused; i++)
		put_section(p, of, &sections[i]);
	const struct story_table apart = rows_of(of, "notes", "apart"),
	                         known = rows_of(of, "notes", "known");
	if (apart.nrows)
		page_heading(p, 2, APART);
	put_notes(p, &apart);
	if (!p->whole)
		return;
	page_heading(p, 2, SIDES);
	const struct story_table facts = comparison_facts(of);
	page_table_shown(p, &facts);
	put_notes(p, &known);
	if (of->refused)
		return;
	page_say(p, "%s", comparison_method);
	page_say(p, "%s", comparison_cells_are);
}

json_t *compared_tables(const void *comparison)
{
	static const char *const names[] = {"answer", "verdicts", "cells", "sides", "notes"};
	const struct comparison *of = comparison;
	json_t *list = json_array();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct table data;
		table_less(story_find_table(&of->story, names[i]), ONLY_PEOPLE, &data);
		json_array_append_new(list, table_to_json(&data.told));
	}
	return list;
}
