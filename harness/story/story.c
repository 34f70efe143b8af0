#include "story.h"

struct entry *story_row(const struct story_table *t, unsigned row)
{
	return t->rows + (size_t)t->form->width * row;
}

const struct column *story_column(const struct story_table *t, const char *key)
{
	for (unsigned c = 0; c < t->form->ncolumns; c++)
		if (!strcmp(t->form->columns[c].key, key))
			return &t->form->columns[c];
	return NULL;
}

struct entry *story_entry(const struct story_table *t, unsigned row, const char *key)
{
	return &story_row(t, row)[story_column(t, key)->at];
}

static struct story_chapter *now(struct story *s)
{
	return &s->chapters[s->nchapters];
}

void story_add_block(struct story *s, struct story_block block)
{
	struct story_chapter *c = now(s);
	struct story_block *blocks = arena_more(s->arena, c->blocks, c->nblocks, sizeof *blocks);
	blocks[c->nblocks++] = block;
	c->blocks = blocks;
}

const struct story_chapter *story_find(const struct story *s, const char *name)
{
	for (unsigned i = 0; s && i < s->nchapters; i++)
		if (!strcmp(s->chapters[i].chapter->name, name))
			return &s->chapters[i];
	return NULL;
}

void story_choose_lead(struct story *s, const char *name)
{
	const struct story_chapter *asked = story_find(s, name);
	const struct story_chapter *other = NULL;
	s->lead = asked && asked->lead ? asked : NULL;
	s->strip = NULL;
	for (unsigned i = 0; i < s->nchapters; i++) {
		const struct story_chapter *c = &s->chapters[i];
		s->lead = !s->lead && c->unasked && c->lead ? c : s->lead;
		s->strip = c->lead && c->lead->form->bars ? c : s->strip;
		other = c->lead && c->chapter->place == CHAPTER_FIRST ? c : other;
	}
	if (s->lead && (s->lead->lead->form->bars || !s->strip))
		s->strip = s->lead;
	s->strip = s->strip ? s->strip : other;
}

const struct story_table *story_find_table(const struct story *s, const char *name)
{
	/* Includes the chapter that is reporting. */
	for (unsigned i = 0; i <= s->nchapters; i++)
		for (unsigned b = 0; b < s->chapters[i].nblocks; b++) {
			const struct story_block *block = &s->chapters[i].blocks[b];
			if (block->kind == STORY_TABLE && !strcmp(block->table->form->name, name))
				return block->table;
		}
	return NULL;
}

/* Subtracts from *i the sentences before it. */
static const struct story_sentence *said_by(const struct story_chapter *c, enum story_role role,
                                            unsigned *i)
{
	for (unsigned b = 0; c && b < c->nblocks; b++) {
		const struct story_sentence *one = c->blocks[b].sentence;
		if (one && one->roles & role && !(*i)--)
			return one;
	}
	return NULL;
}

const struct story_sentence *story_said(const struct story *s, enum story_role role, unsigned i)
{
	const struct story_sentence *one = NULL;
	for (unsigned c = 0; c < s->nchapters && !one; c++)
		one = said_by(&s->chapters[c], role, &i);
	return one || role != STORY_ADVICE ? one : story_said(s, STORY_HINT, i);
}

/* The i-th of all chapters but the leading one. */
static const struct story_sentence *said_by_others(const struct story *s, enum story_role role,
                                                   unsigned *i)
{
	const struct story_sentence *one = NULL;
	for (unsigned c = 0; c < s->nchapters && !one; c++)
		if (&s->chapters[c] != s->lead)
			one = said_by(&s->chapters[c], role, i);
	return one;
}

const struct story_sentence *story_answer(const struct story *s, unsigned i)
{
	static const enum story_role roles[] = {STORY_CAVEAT, STORY_ANSWER, STORY_OPEN};
	const struct story_sentence *one = NULL;
	if (story_said(s, STORY_INSTEAD, 0))
		return story_said(s, STORY_INSTEAD, i);
	for (size_t r = 0; r < sizeof roles / sizeof *roles && !one; r++) {
		one = said_by(s->lead, roles[r], &i);
		one = one ? one : said_by_others(s, roles[r], &i);
	}
	return one;
}

const struct story_sentence *story_headline(const struct story *s)
{
	const struct story_sentence *one = story_said(s, STORY_INSTEAD, 0);
	unsigned i = 0;
	one = one ? one : said_by(s->lead, STORY_HEADLINE, &i);
	one = one ? one : said_by(s->lead, STORY_ANSWER, &i);
	one = one ? one : story_said(s, STORY_HEADLINE, 0);
	return one ? one : story_answer(s, 0);
}

bool story_says_headline(const struct story *s, const struct chapter *chapter)
{
	const struct story_sentence *headline = story_headline(s);
	bool says = false;
	for (unsigned i = 0; i < s->nchapters; i++)
		for (unsigned b = 0; b < s->chapters[i].nblocks; b++)
			says |= s->chapters[i].chapter == chapter && headline &&
			        s->chapters[i].blocks[b].sentence == headline;
	return says;
}

const struct story_table *story_rows(struct story *s, const struct story_form *form,
                                     struct entry *rows, unsigned n)
{
	struct story_table *t = ARENA_NEW(s->arena, struct story_table);
	*t = (struct story_table){form, rows, n};
	return t;
}

/* The index of an entry's text among those seen before. */
static unsigned place_of(struct story *s, const struct entry *e, const char **texts, unsigned *n)
{
	char text[ENTRY_TEXT_BYTES];
	unsigned at = 0;
	entry_write(e, text, sizeof text);
	while (at < *n && strcmp(texts[at], text))
		at++;
	if (at == *n)
		texts[(*n)++] = arena_copy(s->arena, text);
	return at;
}

/* An independent table: the first column is that of `down`, the others are of `value`. */
const struct story_table *story_pivot(struct story *s, const struct story_table *t,
                                      const unsigned *rows, unsigned n, const char *down,
                                      const char *across, const char *value)
{
	const struct column *names = story_column(t, down), *heads = story_column(t, across),
	                    *values = story_column(t, value);
	const char **downs = ARENA_ARRAY(s->arena, const char *, n),
	           **acrosses = ARENA_ARRAY(s->arena, const char *, n);
	struct {
		unsigned row, column;
	} *places = arena_array(s->arena, n, sizeof *places);
	unsigned nrows = 0, ncolumns = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct entry *from = story_row(t, rows[i]);
		places[i].row = place_of(s, &from[names->at], downs, &nrows);
		places[i].column = place_of(s, &from[heads->at], acrosses, &ncolumns);
	}
	const unsigned width = ncolumns + 1;
	struct column *columns = ARENA_ARRAY(s->arena, struct column, width);
	struct entry *all = ARENA_ARRAY(s->arena, struct entry, (size_t)nrows * width);
	columns[0] = (struct column){names->key, names->head, names->unit, names->kind, 0, 0};
	for (unsigned c = 0; c < ncolumns; c++)
		columns[c + 1] =
		    (struct column){acrosses[c], acrosses[c], "", values->kind, c + 1, 0};
	for (unsigned i = 0; i < nrows * width; i++)
		all[i] = entry_none(columns[i % width].kind);
	for (unsigned i = 0; i < n; i++) {
		const struct entry *from = story_row(t, rows[i]);
		struct entry *to = all + places[i].row * width;
		to[0] = from[names->at];
		to[places[i].column + 1] = from[values->at];
	}
	struct story_form *form = ARENA_NEW(s->arena, struct story_form);
	*form = (struct story_form){.name = t->form->name,
	                            .title = t->form->title,
	                            .columns = columns,
	                            .ncolumns = width,
	                            .width = width};
	return story_rows(s, form, all, nrows);
}

/* Both in one paragraph, with all rows that they use. */
static struct story_sentence joined(struct arena *arena, struct story_sentence first,
                                    const struct story_sentence *second)
{
	first.text = arena_text(arena, "%s %s", first.text, second->text);
	for (unsigned i = 0; i < second->nbases; i++) {
		struct story_basis *bases =
		    arena_more(arena, first.bases, first.nbases, sizeof *bases);
		bases[first.nbases++] = second->bases[i];
		first.bases = bases;
	}
	return first;
}

static void add_sentence(struct story *s, struct story_sentence sentence)
{
	struct story_chapter *c = now(s);
	const struct story_sentence *last = c->nblocks ? c->blocks[c->nblocks - 1].sentence : NULL;
	struct story_sentence *kept = ARENA_NEW(s->arena, struct story_sentence);
	if (sentence.roles & STORY_MORE && last && last->roles == sentence.roles) {
		sentence = joined(s->arena, *last, &sentence);
		c->nblocks--;
	}
	*kept = sentence;
	story_add_block(s, (struct story_block){STORY_SENTENCE, .sentence = kept});
}

void story_note(struct story *s, unsigned roles, const char *text)
{
	if (*text)
		add_sentence(s, (struct story_sentence){.roles = roles, .text = text});
}

void story_file(struct story *s, const char *name, const char *text)
{
	struct story_chapter *c = now(s);
	const struct story_block *last = c->nblocks ? &c->blocks[c->nblocks - 1] : NULL;
	if (last && last->kind == STORY_FILE && !strcmp(last->name, name)) {
		text = arena_text(s->arena, "%s%s", last->text, text);
		c->nblocks--;
	}
	story_add_block(s, (struct story_block){STORY_FILE, .text = text, .name = name});
}

void phrase_end(struct phrase *p, unsigned roles)
{
	if (p->used)
		add_sentence(p->story,
		             (struct story_sentence){roles, p->text, p->bases, p->nbases});
}
