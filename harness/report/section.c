#include "section.h"

const char *section_file(const struct story_block *b)
{
	return b->kind == STORY_TABLE  ? b->table->form->file
	       : b->kind == STORY_FILE ? b->name
	                               : NULL;
}

unsigned section_files(const struct story_chapter *c, const char **files, unsigned most)
{
	unsigned n = 0;
	for (unsigned i = 0; i < c->nblocks && n < most; i++)
		if (section_file(&c->blocks[i]))
			files[n++] = section_file(&c->blocks[i]);
	return n;
}

/* Tables are for programs: a terminal does not name them alone. */
static void write_files(struct page *p, const struct story_chapter *c, const char *what)
{
	const char *files[16];
	const unsigned n = section_files(c, files, sizeof files / sizeof *files);
	bool named = p->kind != PAGE_TERMINAL;
	for (unsigned i = 0; i < c->nblocks; i++)
		named |= c->blocks[i].kind == STORY_FILE;
	if (n && named)
		page_files(p, what, files, n);
}

/* Only for people: data has the source table. */
static void write_shown(struct page *p, const struct story_table *t)
{
	json_t *tables = p->tables;
	p->tables = NULL;
	page_table(p, t);
	p->tables = tables;
}

void section_write_strip(struct page *p, const struct story_chapter *c)
{
	struct table shown;
	table_less(c->lead, 0, &shown);
	table_keep(&shown, c->lead_keys);
	if (shown.told.nrows > SECTION_STRIP_ROWS)
		shown.told.nrows = SECTION_STRIP_ROWS;
	table_drop_empty(&shown);
	p->bars = true;
	write_shown(p, &shown.told);
	p->bars = false;
	for (unsigned i = 0; i < c->nblocks; i++)
		if (c->blocks[i].sentence && c->blocks[i].sentence->roles & STORY_NAMES)
			page_say(p, "%s", c->blocks[i].sentence->text);
}

static bool is_shown(const struct story_block *b)
{
	if (b->kind == STORY_SENTENCE)
		return b->sentence->roles & (STORY_ITEM | STORY_BODY | STORY_STRESS);
	return b->kind != STORY_FILE && !(b->kind == STORY_TABLE && b->table->form->hidden);
}

bool section_shows(const struct story_chapter *c)
{
	for (unsigned i = 0; i < c->nblocks; i++)
		if (is_shown(&c->blocks[i]))
			return true;
	return false;
}

void section_said(const struct story *story, enum story_role role, char *text, size_t bytes)
{
	const struct story_sentence *one;
	text[0] = '\0';
	for (unsigned i = 0; (one = story_said(story, role, i)); i++)
		status_add(text, bytes, "%s%s", i ? " " : "", one->text);
}

void section_write(struct page *p, const struct story_chapter *c)
{
	bool list = false;
	for (unsigned i = 0; i < c->nblocks; i++) {
		const struct story_block *b = &c->blocks[i];
		const unsigned roles = b->kind == STORY_SENTENCE ? b->sentence->roles : 0;
		if (!is_shown(b))
			continue;
		if (list && !(roles & STORY_ITEM))
			page_end_list(p);
		list = roles & STORY_ITEM;
		if (b->kind == STORY_TABLE)
			page_table_shown(p, b->table);
		else if (b->kind == STORY_PIVOT)
			write_shown(p, b->table);
		else if (b->kind == STORY_PART)
			page_part(p, "%s", b->text);
		else if (b->kind == STORY_CODE)
			page_code(p, b->text);
		else if (b->kind == STORY_FILES)
			write_files(p, c, b->text);
		else if (list)
			page_item(p, "%s", b->sentence->text);
		else if (roles & STORY_STRESS)
			page_stress(p, "%s", b->sentence->text);
		else
			page_say(p, "%s", b->sentence->text);
	}
	if (list)
		page_end_list(p);
}

/* --- for programs --- */

static json_t *roles_of(unsigned roles)
{
	/* By their bits; "": in no file. */
	static const char *const names[] = {
	    "answer",  "caption",  "advice",   "warning",        "item",  "body",  "stress",
	    "instead", "caveat",   "open",     "trust",          "row",   "doubt", "",
	    "",        "measured", "headline", "above pictures", "names", "advice"};
	json_t *list = json_array();
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (*names[i] && roles & 1u << i)
			json_array_append_new(list, json_string(names[i]));
	return list;
}

static json_t *sentence_to_json(const struct story_sentence *s)
{
	json_t *of = json_array();
	for (unsigned i = 0; i < s->nbases; i++) {
		json_t *rows = json_array();
		for (unsigned r = 0; r < s->bases[i].n; r++)
			json_array_append_new(rows, json_integer(s->bases[i].rows[r]));
		json_array_append_new(of, json_pack("{s:s, s:o}", "table",
		                                    s->bases[i].table->form->name, "rows", rows));
	}
	return json_pack("{s:o, s:s, s:o}", "roles", roles_of(s->roles), "text", s->text, "of", of);
}

json_t *section_to_json(const struct story_chapter *c)
{
	static const char *const places[] = {"first", "front", "body", "appendix"};
	json_t *tables = json_array(), *sentences = json_array();
	for (unsigned i = 0; i < c->nblocks; i++) {
		const struct story_block *b = &c->blocks[i];
		if (b->kind == STORY_TABLE)
			json_array_append_new(tables, table_to_json(b->table));
		if (b->kind == STORY_SENTENCE)
			json_array_append_new(sentences, sentence_to_json(b->sentence));
	}
	return json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", c->chapter->name, "title",
	                 c->chapter->title, "place", places[c->chapter->place], "tables", tables,
	                 "sentences", sentences);
}
