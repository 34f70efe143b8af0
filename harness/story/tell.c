#include "tell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../data/load.h"
#include "../texts.h"
#include "chapter_file.h"

#define SENTENCES 32 /* of a table: a row has a bit for each */

/* A value of a row, whatever its column's kind. */
union slot {
	const char *text;
	unsigned count;
	size_t bytes;
	int flag;
	double x;
	struct stats_interval spread;
	struct stats_ratio ratio;
};

/* A table of the chapter as its rows came. */
struct told_table {
	const char *name;
	const struct story_table *table;
	char *rows;
	unsigned nsentences;
};

struct teller {
	const struct chapter_file *file;
	struct db *db;
	struct story *story;
	struct told_table *tables; /* one for each part */
	struct status *st;
};

static int wrong(const struct teller *t, const struct chapter_part *part, const char *what,
                 const char *which)
{
	return status_set(t->st, "%s:%u: %s%s", part->query.file, part->line, what, which);
}

/* --- tables --- */

/* The query's column of a name and an end, such as "_lo"; below 0: there is none. */
static int column_of(const struct db_rows *rows, const char *key, const char *end)
{
	const size_t bytes = strlen(key);
	for (unsigned i = 0; i < db_ncolumns(rows); i++)
		if (!strncmp(db_name(rows, i), key, bytes) &&
		    !strcmp(db_name(rows, i) + bytes, end))
			return (int)i;
	return -1;
}

static double real_of(const struct db_rows *rows, const char *key, const char *end)
{
	const int at = column_of(rows, key, end);
	return at < 0 ? NAN : db_real(rows, (unsigned)at);
}

static void take_value(struct arena *arena, const struct db_rows *rows, const struct column *c,
                       union slot *to)
{
	const unsigned at = (unsigned)column_of(rows, c->key, "");
	const double x = db_real(rows, at), lo = real_of(rows, c->key, "_lo"),
	             hi = real_of(rows, c->key, "_hi");
	const char *text = db_text(rows, at);
	column_clear(&(struct column){.kind = c->kind}, to);
	if (!text)
		return;
	switch (c->kind) {
	case KIND_COUNT:
		to->count = (unsigned)x;
		break;
	case KIND_BYTES:
		to->bytes = (size_t)x;
		break;
	case KIND_FLAG:
		to->flag = x != 0;
		break;
	case KIND_NUMBER:
	case KIND_SHARE:
		to->x = x;
		break;
	case KIND_SPREAD:
		to->spread = (struct stats_interval){x, lo, hi};
		break;
	case KIND_RATIO:
		to->ratio = (struct stats_ratio){
		    x, lo, hi, (unsigned)fmax(0, real_of(rows, c->key, "_blocks")), NAN};
		break;
	default:
		to->text = arena_copy(arena, text);
	}
}

/* Each line of a table is a column of its query. */
static int check_columns(const struct teller *t, const struct chapter_part *part,
                         const struct db_rows *rows)
{
	for (unsigned i = 0; i < part->form.ncolumns; i++)
		if (column_of(rows, part->form.columns[i].key, "") < 0)
			return wrong(t, part, "the query has no column ",
			             part->form.columns[i].key);
	return 0;
}

static struct story_form *form_of(struct arena *arena, const struct story_form *from)
{
	struct story_form *form = ARENA_NEW(arena, struct story_form);
	struct column *columns = ARENA_ARRAY(arena, struct column, from->ncolumns);
	*form = *from;
	for (unsigned i = 0; i < from->ncolumns; i++) {
		columns[i] = from->columns[i];
		columns[i].offset = i * sizeof(union slot);
	}
	form->columns = columns;
	form->when = from->ncolumns * sizeof(union slot);
	form->row_bytes = form->when + sizeof(union slot);
	return form;
}

static int make_table(const struct teller *t, const struct chapter_part *part,
                      struct told_table *out)
{
	struct arena *arena = t->story->arena;
	const struct story_form *form = form_of(arena, &part->form);
	const struct db_source all = {
	    part->query.file, arena_text(arena, "SELECT * FROM \"%s\" ORDER BY rowid", part->name),
	    part->line};
	unsigned n = 0, room = 0;
	if (db_keep(t->db, "TABLE", part->name, &part->query, t->st))
		return -1;
	struct db_rows *rows = db_ask(t->db, &all, t->st);
	if (!rows || check_columns(t, part, rows))
		return -1;
	for (; db_next(rows); n++) {
		if (n == room) {
			char *more = arena_array(arena, room = 2 * room + 16, form->row_bytes);
			memcpy(more, out->rows ? out->rows : more, n * form->row_bytes);
			out->rows = more;
		}
		for (unsigned i = 0; i < form->ncolumns; i++)
			take_value(arena, rows, &form->columns[i],
			           (union slot *)(out->rows + n * form->row_bytes) + i);
	}
	out->name = part->name;
	out->table = story_rows(t->story, form, out->rows, n);
	return db_end(rows, t->st);
}

/* The table that a part is about, or NULL. */
static struct told_table *table_of(const struct teller *t, const struct chapter_part *part)
{
	for (unsigned i = 0; i < t->file->nparts; i++)
		if (t->tables[i].name && !strcmp(t->tables[i].name, part->name))
			return &t->tables[i];
	wrong(t, part, "the chapter has no table ", part->name);
	return NULL;
}

/* The rows of its table that a part is about, in its order; *n of them. */
static int rows_of(const struct teller *t, const struct chapter_part *part,
                   const struct told_table *of, unsigned *rows, unsigned *n)
{
	const char *sql =
	    arena_text(t->story->arena, "SELECT rowid FROM \"%s\" %s", of->name, part->query.sql);
	const struct db_source source = {part->query.file, sql, part->query.line};
	struct db_rows *found = db_ask(t->db, &source, t->st);
	*n = 0;
	if (!found)
		return -1;
	while (*n < of->table->nrows && db_next(found))
		rows[(*n)++] = (unsigned)db_real(found, 0) - 1;
	return db_end(found, t->st);
}

/* --- what is said of them --- */

static int tell_sentence(const struct teller *t, const struct chapter_part *part,
                         struct told_table *of, const unsigned *rows, unsigned n)
{
	struct story *story = t->story;
	const unsigned nth = of->nsentences++;
	if (!strpbrk(part->text, "{[") && !*part->query.sql) {
		if (n)
			story_note(story, part->roles, part->text);
		return 0;
	}
	if (part->together || !strpbrk(part->text, "{[")) {
		if (n)
			story_say(story, part->roles, of->table, rows, n, part->text);
		return 0;
	}
	if (nth >= SENTENCES)
		return wrong(t, part, "too many sentences about table ", of->name);
	const struct story_form *form = of->table->form;
	for (unsigned i = 0; i < n; i++)
		*(unsigned *)(of->rows + rows[i] * form->row_bytes + form->when) |= 1u << nth;
	const struct sentence one = {part->roles, 1u << nth, part->text};
	story_tell(story, of->table, &one, 1);
	return 0;
}

static int tell_part(const struct teller *t, const struct chapter_part *part)
{
	struct told_table *of = part->kind == PART_VIEW ? NULL : table_of(t, part);
	if (!of)
		return part->kind == PART_VIEW ? 0 : -1;
	if (part->kind == PART_TABLE) {
		story_show(t->story, of->table);
		return 0;
	}
	unsigned *rows = ARENA_ARRAY(t->story->arena, unsigned, of->table->nrows + 1), n;
	if (rows_of(t, part, of, rows, &n))
		return -1;
	if (part->kind == PART_PIVOT)
		story_pivot(t->story, of->table, rows, n, part->down, part->across, part->value);
	else if (part->kind == PART_SENTENCE)
		return tell_sentence(t, part, of, rows, n);
	else if (n)
		story_part(t->story, part->text);
	return 0;
}

/* -1: a query or a placeholder is wrong; what was told until then has to be taken back. */
static int tell_file(const struct chapter_file *file, struct db *db, struct story *story,
                     struct status *st)
{
	const struct teller t = {
	    file, db, story, ARENA_ARRAY(story->arena, struct told_table, file->nparts + 1), st};
	for (unsigned i = 0; i < file->nparts; i++) {
		const struct chapter_part *part = &file->parts[i];
		if (part->kind == PART_VIEW && db_keep(db, "VIEW", part->name, &part->query, st))
			return -1;
		if (part->kind == PART_TABLE && make_table(&t, part, &t.tables[i]))
			return -1;
	}
	for (unsigned i = 0; i < file->nparts; i++)
		if (tell_part(&t, &file->parts[i]))
			return -1;
	return 0;
}

/* A chapter without code is the text of its name. One that is wrong says so, and nothing else. */
static void tell_text(const struct analysis *a, struct story *s, struct db **db, const char *name)
{
	const char *file = arena_text(s->arena, "harness/chapters/%s.chapter", name);
	struct chapter_file *chapter = ARENA_NEW(s->arena, struct chapter_file);
	struct story_chapter *now = &s->chapters[s->nchapters];
	struct status st = {0};
	if (!*db)
		*db = load_run(a->s->run, s->arena, &st);
	const bool read = *db && !chapter_read(file, texts_find(file), s->arena, chapter, &st);
	if (read)
		now->chapter = &chapter->chapter;
	if (!read || tell_file(chapter, *db, s, &st)) {
		*now = (struct story_chapter){.chapter = now->chapter};
		story_note(s, STORY_WARNING | STORY_NOTICE, arena_copy(s->arena, st.text));
	}
}

void story_make(const struct analysis *analysis, const struct chapter *const *chapters, unsigned n,
                struct arena *arena, struct story *out)
{
	struct db *db = NULL;
	*out = (struct story){.arena = arena,
	                      .chapters = ARENA_ARRAY(arena, struct story_chapter, n + 1)};
	for (unsigned i = 0; i < n; i++) {
		struct story_chapter *now = &out->chapters[out->nchapters];
		*now = (struct story_chapter){.chapter = chapters[i]};
		if (chapters[i]->tell)
			chapters[i]->tell(analysis, out);
		else
			tell_text(analysis, out, &db, chapters[i]->name);
		out->nchapters += now->nblocks > 0;
	}
	if (db)
		arena_undo(arena, db);
}
