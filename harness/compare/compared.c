#include "compared.h"

#include "../arena.h"
#include "../story/story.h"
#include "side.h"

int compared_tell(struct compared *t, const char *file, const char *chapter, struct status *st)
{
	db_seal(t->db);
	story_make(t->db, NULL, 0, t->arena, &t->story);
	story_add(&t->story, t->db, file, chapter);
	const struct story_sentence *wrong = story_said(&t->story, STORY_WARNING, 0);
	return wrong ? status_set(st, "%s", wrong->text) : 0;
}

const char *compared_text(const struct compared *t, const char *query)
{
	struct status st = {""};
	struct db_rows *rows = side_ask(t->arena, t->db, query);
	const char *text =
	    db_next(rows) && db_text(rows, 0) ? arena_copy(t->arena, db_text(rows, 0)) : NULL;
	arena_need(t->arena, !db_end(rows, &st));
	return text;
}

static struct story_table rows_of(const struct compared *t, const struct compared_section *s)
{
	const struct story_table *all = s->table ? story_find_table(&t->story, s->table) : NULL;
	if (!all)
		return (struct story_table){.nrows = 0};
	const size_t bytes = all->form->width * sizeof *all->rows;
	const char *query = arena_text(t->arena, "SELECT rowid FROM %s %s", s->table, s->where);
	struct entry *rows = arena_array(t->arena, all->nrows, bytes);
	unsigned n = 0;
	struct status st = {""};
	struct db_rows *found = side_ask(t->arena, t->db, query);
	for (; db_next(found); n++)
		memcpy(rows + n * all->form->width, story_row(all, (unsigned)db_real(found, 0) - 1),
		       bytes);
	arena_need(t->arena, !db_end(found, &st));
	return (struct story_table){all->form, rows, n};
}

/* --- the page ---------------------------------------------------------------------------- */

/* HTML makes an id of a heading, and several sections may have a kind. */
static void put_kinds(struct page *p, const char *section, const struct story_table *rows)
{
	const bool html = p->kind == PAGE_HTML;
	for (unsigned i = 0, end; i < rows->nrows; i = end) {
		const char *title = story_entry(rows, i, "title")->text;
		for (end = i;
		     end < rows->nrows && !strcmp(title, story_entry(rows, end, "title")->text);)
			end++;
		const struct story_table kind = {rows->form, story_row(rows, i), end - i};
		page_part(p, "%s%s%s", html ? section : "", html ? ": " : "", title);
		page_table_shown(p, &kind);
	}
}

static void put_items(struct page *p, const struct story_table *rows)
{
	for (unsigned i = 0; i < rows->nrows; i++) {
		const char *side = story_entry(rows, i, "side")->text;
		page_item(p, "%s%s%s", side, *side ? ": " : "", story_entry(rows, i, "text")->text);
	}
	page_end_list(p);
}

static void put_section(struct page *p, const struct compared *t, const struct compared_section *s)
{
	struct story_table rows = rows_of(t, s);
	const struct story_sentence *said;
	const unsigned all = rows.nrows;
	const bool none = !all && s->none && !t->refused;
	if (!p->whole && !s->in_short)
		return;
	if (s->title && (all || none))
		page_heading(p, 2, "%s", s->title);
	for (unsigned i = 0; s->says && (said = story_said(&t->story, STORY_BODY, i)); i++)
		page_say(p, "%s", said->text);
	if (none)
		page_say(p, "%s", s->none);
	if (!all)
		return;
	if (!p->whole && s->most && all > s->most)
		rows.nrows = s->most;
	if (s->kinds)
		put_kinds(p, s[-1].title, &rows);
	else
		(s->items ? put_items : page_table_shown)(p, &rows);
	if (rows.nrows < all)
		page_say(p, "%u more.", all - rows.nrows);
}

static void put_links(struct page *p, const struct compared *t)
{
	const char *titles[16];
	unsigned n = 0;
	for (const struct compared_section *s = t->sections; s->table || s->says; s++)
		if (s->title && rows_of(t, s).nrows)
			titles[n++] = s->title;
	page_links(p, titles, n);
}

void compared_page(const struct compared *t, enum page_kind kind, bool whole, FILE *out)
{
	struct page page = {.kind = kind, .out = out, .arena = t->arena, .whole = whole},
	            *p = &page;
	const struct story_sentence *said;
	page_begin(p, t->title);
	page_heading(p, 1, "%s", t->title);
	if (t->refused)
		page_stress(p, "Nothing was compared: %s.", t->refused);
	for (unsigned i = 0; (said = story_said(&t->story, STORY_ANSWER, i)); i++)
		(said->roles & STORY_STRESS ? page_stress : page_say)(p, "%s", said->text);
	for (unsigned i = 0; i < t->npaths; i++)
		page_item(p, "%c: %s", 'A' + i, t->paths[i]);
	page_end_list(p);
	if (whole && t->links)
		put_links(p, t);
	for (const struct compared_section *s = t->sections; s->table || s->says; s++)
		put_section(p, t, s);
	page_end(p);
}

json_t *compared_tables(const struct compared *t)
{
	json_t *list = json_array();
	for (const char *const *name = t->tables; *name; name++) {
		const struct story_table *all = story_find_table(&t->story, *name);
		struct table data;
		if (!all)
			continue;
		table_less(all, ONLY_PEOPLE, &data);
		json_array_append_new(list, table_to_json(&data.told));
	}
	return list;
}
