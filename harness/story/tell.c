#include "story.h"

#include <math.h>

#include "../data/words.h"
#include "../texts.h"
#include "chapter_file.h"

/* Of a table those rows that have in a column what a row of another has there. */
struct match {
	const char *key; /* NULL: all rows */
	const struct story_table *of;
	unsigned row;
};

struct teller {
	const struct chapter_file *file;
	struct db *db;
	struct story *story;
	const struct story_table **tables; /* one for each part; NULL: it is none */
	struct status *st;
	struct match each; /* within each: its rows */
};

static int wrong(const struct teller *t, const struct chapter_part *part, const char *what,
                 const char *which)
{
	return words_refuse(t->file->file, t->file->text, part->line, which, what, which, t->st);
}

/* Of a table's column, whose line is below the table's. */
static int wrong_column(const struct teller *t, const struct chapter_part *part, const char *what,
                        const char *key)
{
	return words_refuse(t->file->file, t->file->text, part->line + 1, key, what, key, t->st);
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

/* Where a query has a column's value, its ends, and its blocks. */
struct place {
	int at, lo, hi, blocks;
};

static double real_of(const struct db_rows *rows, int at)
{
	return at < 0 ? NAN : db_real(rows, (unsigned)at);
}

/* The column that "{key}" names; or NULL. */
static const char *key_of(struct arena *arena, const char *words)
{
	return *words == '{' ? arena_text(arena, "%.*s", (int)strcspn(words + 1, "}"), words + 1)
	                     : NULL;
}

static struct entry entry_of(struct arena *arena, const struct db_rows *rows, enum column_kind kind,
                             const struct place *from)
{
	struct entry e = entry_none(kind);
	const double x = real_of(rows, from->at);
	const char *text = db_text(rows, (unsigned)from->at);
	e.has = text != NULL;
	switch (kind) {
	case KIND_TEXT:
	case KIND_WORD:
		e.has = text && *text;
		e.text = e.has ? arena_copy(arena, text) : "";
		return e;
	case KIND_COUNT:
	case KIND_BYTES:
	case KIND_FLAG:
		e.count = !text ? 0 : kind == KIND_FLAG ? x != 0 : (long long)x;
		return e;
	case KIND_RATIO:
		e.blocks = (unsigned)fmax(0, real_of(rows, from->blocks));
		/* fall through */
	case KIND_SPREAD:
		e.lo = real_of(rows, from->lo);
		e.hi = real_of(rows, from->hi);
		/* fall through */
	default:
		e.x = x;
		e.has = isfinite(x);
		return e;
	}
}

/* Words are no number, which SQLite would read as 0, and a number is no text, which it would write
 * with all its digits. */
static bool fits(const struct db_rows *rows, enum column_kind kind, int at)
{
	const bool words = kind == KIND_TEXT || kind == KIND_WORD;
	const char *text = words ? NULL : db_text(rows, (unsigned)at);
	char *end = NULL;
	if (words)
		return !db_is_real(rows, (unsigned)at);
	return !text || !*text || (strtod(text, &end), end > text);
}

/* Where each column of a table is in its query's, and a head in braces another one. */
static int find_columns(const struct teller *t, const struct chapter_part *part,
                        const struct db_rows *rows, struct place *places)
{
	for (unsigned i = 0; i < part->form.ncolumns; i++) {
		const struct column *c = &part->form.columns[i];
		const char *keys[] = {c->key, key_of(t->story->arena, c->head)};
		places[i] = (struct place){
		    column_of(rows, c->key, ""), column_of(rows, c->key, "_lo"),
		    column_of(rows, c->key, "_hi"), column_of(rows, c->key, "_blocks")};
		for (unsigned k = 0; k < 2 && keys[k]; k++)
			if (column_of(rows, keys[k], "") < 0)
				return wrong_column(t, part, "the query has no column ", keys[k]);
	}
	return 0;
}

/* What the query's first row has of a title or head that is "{key}"; "" of nothing. */
static const char *words_of(struct arena *arena, const struct db_rows *first, const char *words)
{
	const char *key = key_of(arena, words);
	const int at = key ? column_of(first, key, "") : -1;
	const char *text = at < 0 ? NULL : db_text(first, (unsigned)at);
	return !key ? words : text ? arena_copy(arena, text) : "";
}

/* The form of a table's rows; of `first` its words are. */
static struct story_form *form_of(struct arena *arena, const struct story_form *from,
                                  const struct db_rows *first)
{
	struct story_form *form = ARENA_NEW(arena, struct story_form);
	struct column *columns = ARENA_ARRAY(arena, struct column, from->ncolumns);
	*form = *from;
	form->title = words_of(arena, first, from->title);
	for (unsigned i = 0; i < from->ncolumns; i++) {
		columns[i] = from->columns[i];
		columns[i].at = i;
		form->bar = strcmp(columns[i].key, "bar") ? form->bar : i + 1;
		columns[i].head = words_of(arena, first, from->columns[i].head);
	}
	form->columns = columns;
	form->width = from->ncolumns;
	return form;
}

/* A chapter's files are its own, and those of chapters before it are theirs. */
static int check_file(const struct teller *t, const struct chapter_part *part, const char *name)
{
	if (!chapter_may_write(name))
		return wrong(t, part, CHAPTER_WRITES, name);
	for (unsigned c = 0; c < t->story->nchapters; c++) {
		const struct story_chapter *other = &t->story->chapters[c];
		for (unsigned i = 0; i < other->nblocks; i++) {
			const struct story_block *b = &other->blocks[i];
			const char *taken = b->kind == STORY_TABLE ? b->table->form->file : b->name;
			if (taken && !strcmp(taken, name) &&
			    strcmp(other->chapter->name, t->file->chapter.name) != 0)
				return wrong(t, part, "another chapter writes ", name);
		}
	}
	return 0;
}

static int make_table(const struct teller *t, const struct chapter_part *part,
                      const struct story_table **out)
{
	struct arena *arena = t->story->arena;
	const struct db_source all = {
	    .file = part->query.file,
	    .sql = arena_text(arena, "SELECT * FROM \"%s\" ORDER BY rowid", part->name),
	    .line = part->line};
	struct entry *all_rows = NULL;
	unsigned n = 0;
	if ((part->form.file && check_file(t, part, part->form.file)) ||
	    db_keep(t->db, part->name, &part->query, t->st))
		return -1;
	struct db_rows *rows = db_ask(t->db, &all, t->st);
	struct place *places = ARENA_ARRAY(arena, struct place, part->form.ncolumns + 1);
	if (!rows || find_columns(t, part, rows, places))
		return -1;
	bool more = db_next(rows);
	const struct column *unfit = NULL;
	const struct story_form *form = form_of(arena, &part->form, rows);
	for (; more && n <= CHAPTER_ROWS; more = db_next(rows), n++) {
		all_rows = arena_more(arena, all_rows, n, form->width * sizeof *all_rows);
		for (unsigned i = 0; i < form->width; i++) {
			const struct column *c = &form->columns[i];
			if (!fits(rows, c->kind, places[i].at))
				unfit = c;
			all_rows[n * form->width + i] = entry_of(arena, rows, c->kind, &places[i]);
		}
	}
	*out = story_rows(t->story, form, all_rows, n);
	if (db_end(rows, t->st))
		return -1;
	if (n > CHAPTER_ROWS)
		return words_refuse(t->file->file, t->file->text, part->query.line, "",
		                    "more rows than a table may have: ",
		                    arena_text(arena, "%u", CHAPTER_ROWS), t->st);
	return !unfit ? 0
	              : wrong_column(t, part,
	                             unfit->kind > KIND_WORD
	                                 ? "no number, as its kind says, is in column "
	                                 : "a number, but no kind of number, is in column ",
	                             unfit->key);
}

/* The table that a part is about. -1: there is none of that name. */
static int table_of(const struct teller *t, const struct chapter_part *part,
                    const struct story_table **out)
{
	for (unsigned i = 0; i < t->file->nparts; i++)
		if ((*out = t->tables[i]) && !strcmp((*out)->form->name, part->name))
			return 0;
	return wrong(t, part, "the chapter has no table ", part->name);
}

/* What a row has in a column of its query, as text; NULL: there is no such column. */
static const char *text_of(const struct teller *t, const struct chapter_part *part,
                           const struct story_table *of, unsigned row, const char *key)
{
	struct arena *arena = t->story->arena;
	const struct db_source source = {.file = part->query.file,
	                                 .sql = arena_text(arena,
	                                                   "SELECT [%s] FROM %s WHERE rowid = %u",
	                                                   key, of->form->name, row + 1),
	                                 .line = part->line};
	struct db_rows *found = db_ask(t->db, &source, t->st);
	const char *text = found && db_next(found) && db_text(found, 0)
	                       ? arena_copy(arena, db_text(found, 0))
	                       : "";
	return !found || db_end(found, t->st) ? NULL : text;
}

static const char *matching(struct arena *arena, const char *from, const char *name,
                            const struct match *m)
{
	return !m->key ? from
	               : arena_text(arena,
	                            "(SELECT rowid, * FROM %s WHERE [%s] IS (SELECT [%s] FROM %s "
	                            "WHERE rowid = %u)) AS %s",
	                            from, m->key, m->key, m->of->form->name, m->row + 1, name);
}

/* What a part's own condition and order leave of the first `most` rows of a table or a view, and
 * `by`; *n of them. Errors are at its place in the file. */
static int rows_of(const struct teller *t, const struct chapter_part *part, const char *name,
                   unsigned most, const struct match *by, unsigned *rows, unsigned *n)
{
	struct arena *arena = t->story->arena;
	const char *from = matching(arena, name, name, &t->each),
	           *begin = arena_text(arena, "SELECT %s FROM %s ", part->view ? "1" : "rowid",
	                               by ? matching(arena, from, name, by) : from);
	const struct db_source source = {part->query.file,
	                                 arena_text(arena, "%s%s", begin, part->query.sql),
	                                 part->query.line, part->query.shift - (int)strlen(begin)};
	struct db_rows *found = db_ask(t->db, &source, t->st);
	*n = 0;
	while (found && *n < most && db_next(found)) {
		const double row = db_real(found, 0);
		if (row >= 1 && row <= most) /* a UNION may add what is no row of it */
			rows[(*n)++] = (unsigned)row - 1;
	}
	return !found || db_end(found, t->st) ? -1 : 0;
}

/* --- what is said of them --- */

/* How a sentence about a row of a table, or about several, goes on. *listed: an "also" was said. */
static int go_on(const struct teller *t, const struct chapter_part *from, struct phrase *p,
                 const struct story_table *of, unsigned row, bool *listed)
{
	struct chapter_part own = *from, *part = &own;
	const struct story_table *also;
	own.name = phrase_row(t->story->arena, of, row, from->name);
	if (table_of(t, part, &also) ||
	    chapter_check(t->file, part, also->form, t->story->arena, t->st))
		return -1;
	unsigned *rows = ARENA_ARRAY(t->story->arena, unsigned, also->nrows + 1), n;
	if (rows_of(t, part, own.name, also->nrows, &(struct match){part->by, of, row}, rows, &n))
		return -1;
	if (n && part->also) {
		phrase_words(p, *listed ? "; " : " ");
		*listed = true;
	}
	if (n && strpbrk(part->text, "{["))
		phrase_add(p, also, rows, n, part->text);
	else if (n)
		phrase_words(p, part->text);
	return 0;
}

/* What parts have said together: to a file, or where roles say, and into the row that it fills. */
static int keep_text(const struct teller *t, const struct chapter_part *part,
                     const struct story_table *of, unsigned row, struct phrase *p)
{
	if (part->file) {
		const char *name = phrase_row(t->story->arena, of, row, part->file);
		if (check_file(t, part, name))
			return -1;
		story_file(t->story, name, p->text);
		return 0;
	}
	if (part->fills && p->used) {
		struct entry *filled = story_entry(of, row, part->fills);
		filled->text = p->text;
		filled->has = true;
	}
	phrase_end(p, part->roles);
	return 0;
}

/* A sentence and the parts in which it goes on: of each row, of all together, or of those of which
 * it says the same but for its lists, ranges and parts. */
static int tell_sentence(const struct teller *t, const struct chapter_part *part, unsigned nparts,
                         const struct story_table *of, const unsigned *rows, unsigned n)
{
	struct arena *arena = t->story->arena;
	const char *text = part->text, **texts = ARENA_ARRAY(arena, const char *, n + 1);
	const bool joined = nparts || part->fills || part->file,
	           plain = !joined && !strpbrk(text, "{["),
	           gathers = strstr(text, ":list}") || strstr(text, ":range}") || strchr(text, '[');
	unsigned *same = ARENA_ARRAY(arena, unsigned, n + 1);
	if (n && plain && !*part->query.sql) {
		story_note(t->story, part->roles, text);
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		texts[i] = plain || part->together ? ""
		           : joined || !gathers    ? arena_text(arena, "%u", i)
		                                   : phrase_common(t->story, of, rows[i], text);
	for (unsigned i = 0, nsame; i < n; i++) {
		struct phrase p = phrase_begin(t->story);
		bool listed = false;
		if (!texts[i])
			continue;
		same[0] = rows[i];
		nsame = 1;
		for (unsigned k = i + 1; k < n; k++)
			if (texts[k] && !strcmp(texts[k], texts[i])) {
				same[nsame++] = rows[k];
				texts[k] = NULL;
			}
		phrase_add(&p, of, same, nsame, text);
		for (unsigned k = 1; k <= nparts; k++)
			if (go_on(t, part + k, &p, of, rows[i], &listed))
				return -1;
		if (keep_text(t, part, of, rows[i], &p))
			return -1;
	}
	return 0;
}

static int tell_pivot(const struct teller *t, const struct chapter_part *part,
                      const struct story_table *of)
{
	struct story *story = t->story;
	unsigned *rows = ARENA_ARRAY(story->arena, unsigned, of->nrows + 1), n;
	const char *value =
	    t->each.key ? text_of(t, part, t->each.of, t->each.row, t->each.key) : "";
	const char *const keys[] = {part->down, part->across, part->value};
	for (unsigned i = 0; i < 3; i++)
		if (!story_column(of, keys[i]))
			return wrong(t, part, "the table has no column ", keys[i]);
	if (!value || rows_of(t, part, part->name, of->nrows, NULL, rows, &n))
		return -1;
	if (!n)
		return 0;
	const struct story_table *pivot =
	    story_pivot(story, of, rows, n, part->down, part->across, part->value);
	if (pivot->nrows <= part->beside)
		pivot = story_pivot(story, of, rows, n, part->across, part->down, part->value);
	if (*part->text)
		story_add_block(
		    story, (struct story_block){
		               STORY_PART, .text = arena_text(story->arena, "%s%s%s", value,
		                                              *value ? ": " : "", part->text)});
	story_add_block(story, (struct story_block){STORY_PIVOT, .table = pivot});
	return 0;
}

/* Rows of a table as a separate one, which nothing shows. */
static const struct story_table *some_of(struct story *story, const struct story_table *of,
                                         const struct story_form *form, const unsigned *rows,
                                         unsigned n)
{
	const size_t width = of->form->width;
	struct entry *some = ARENA_ARRAY(story->arena, struct entry, n * width + 1);
	for (unsigned i = 0; i < n; i++)
		memcpy(some + i * width, story_row(of, rows[i]), width * sizeof *some);
	return story_rows(story, form, some, n);
}

/* Within each: the rows of one value, as a table of that name. */
static int show_some(const struct teller *t, const struct chapter_part *part,
                     const struct story_table *of)
{
	struct arena *arena = t->story->arena;
	unsigned *rows = ARENA_ARRAY(arena, unsigned, of->nrows + 1), n;
	struct story_form *form = ARENA_NEW(arena, struct story_form);
	struct chapter_part any = *part;
	any.query.sql = "";
	*form = *of->form;
	form->name = text_of(t, part, t->each.of, t->each.row, t->each.key);
	if (!form->name || rows_of(t, &any, part->name, of->nrows, NULL, rows, &n))
		return -1;
	form->title = n ? text_of(t, part, of, rows[0], of->form->title) : "";
	if (n && form->title)
		story_add_block(
		    t->story, (struct story_block){STORY_TABLE,
		                                   .table = some_of(t->story, of, form, rows, n)});
	return form->title ? 0 : -1;
}

/* What story.h has of that name. */
static void tell_mark(struct story *story, const struct chapter_part *part,
                      const struct story_table *of, const unsigned *rows, unsigned n)
{
	struct phrase heading = phrase_begin(story);
	struct story_chapter *now = &story->chapters[story->nchapters];
	switch (part->mark) {
	case MARK_HEADING:
	case MARK_CODE:
		phrase_add(&heading, of, rows, n, part->text);
		story_add_block(
		    story, (struct story_block){part->mark == MARK_CODE ? STORY_CODE : STORY_PART,
		                                .text = heading.text});
		break;
	case MARK_FILES:
		story_add_block(story, (struct story_block){STORY_FILES, .text = part->text});
		break;
	case MARK_LEAD:
		now->lead = some_of(story, of, of->form, rows, n);
		now->lead_keys = part->text;
		break;
	case MARK_UNASKED:
		now->unasked = true;
		break;
	case MARK_SETTLES:
		story->settled = true;
		break;
	default:
		phrase_add(&heading, of, rows, n, part->text);
		for (const char *at = heading.text, *end; *at; at = end + (*end == ' ')) {
			end = at + strcspn(at, " ");
			story->pictures = arena_more(story->arena, story->pictures,
			                             story->npictures, sizeof *story->pictures);
			story->pictures[story->npictures++] = (struct story_picture){
			    arena_text(story->arena, "%.*s", (int)(end - at), at),
			    part->mark == MARK_FRONT, now->chapter};
		}
	}
}

/* If the view has a row. */
static int tell_note(const struct teller *t, const struct chapter_part *part)
{
	unsigned row, n;
	if (rows_of(t, part, part->name, 1, NULL, &row, &n))
		return -1;
	if (n && part->kind == PART_MARK)
		tell_mark(t->story, part, NULL, NULL, 0);
	else if (n)
		story_note(t->story, part->roles, part->text);
	return 1;
}

static int tell_part(const struct teller *t, const struct chapter_part *part);

/* What is between each and end, value by value. Returns how many parts that were, or -1. */
static int tell_each(const struct teller *t, const struct chapter_part *first)
{
	const struct chapter_part *end = first, *last = t->file->parts + t->file->nparts;
	const struct story_table *of;
	while (end < last && end->kind != PART_END)
		end++;
	if (table_of(t, first, &of))
		return -1;
	unsigned *rows = ARENA_ARRAY(t->story->arena, unsigned, 2 * of->nrows + 1), n,
	         *same = rows + of->nrows, nsame;
	bool *done = ARENA_ARRAY(t->story->arena, bool, of->nrows + 1);
	if (rows_of(t, first, first->name, of->nrows, NULL, rows, &n))
		return -1;
	struct teller one = *t;
	for (const struct chapter_part *part = first; part < end; part++)
		db_index(t->db, part->name, first->by);
	for (unsigned i = 0; i < n; i++) {
		if (done[rows[i]])
			continue;
		one.each = (struct match){first->by, of, rows[i]};
		if (rows_of(&one, first, first->name, of->nrows, NULL, same, &nsame))
			return -1;
		for (unsigned k = 0; k < nsame; k++)
			done[same[k]] = true;
		for (int at = 1, told; first + at < end; at += told)
			if ((told = tell_part(&one, first + at)) < 0)
				return -1;
	}
	return (int)(end - first) + (end < last);
}

/* Returns how many parts that were, or -1. */
static int tell_part(const struct teller *t, const struct chapter_part *part)
{
	if (part->kind == PART_VIEW)
		return 1;
	if (part->kind == PART_EACH)
		return tell_each(t, part);
	const struct chapter_part *last = t->file->parts + t->file->nparts;
	const struct story_table *of;
	unsigned more = 0;
	while (part + more + 1 < last && part[more + 1].kind == PART_AND)
		more++;
	if (part->view)
		return tell_note(t, part);
	if (table_of(t, part, &of))
		return -1;
	if (part->kind == PART_PIVOT)
		return tell_pivot(t, part, of) ? -1 : 1;
	if (part->kind == PART_TABLE && t->each.key)
		return show_some(t, part, of) ? -1 : 1;
	if (part->kind == PART_TABLE) {
		if (of->nrows)
			story_add_block(t->story, (struct story_block){STORY_TABLE, .table = of});
		return 1;
	}
	unsigned *rows = ARENA_ARRAY(t->story->arena, unsigned, of->nrows + 1), n;
	if (rows_of(t, part, part->name, of->nrows, NULL, rows, &n))
		return -1;
	if (part->kind == PART_SENTENCE)
		return tell_sentence(t, part, more, of, rows, n) ? -1 : (int)more + 1;
	if (n)
		tell_mark(t->story, part, of, rows, n);
	return 1;
}

/* What chapters before have said: one row. */
static int keep_story(struct db *db, struct story *story, struct status *st)
{
	const struct db_source told = {
	    .file = "story",
	    .sql = arena_text(story->arena, "SELECT %d answered, %d settled",
	                      story_said(story, STORY_ANSWER, 0) != NULL, story->settled)};
	return db_keep(db, "story", &told, st);
}

/* -1: a query or a placeholder is wrong; what was said until then has to be withdrawn. */
static int tell_file(const struct chapter_file *file, struct db *db, struct story *story,
                     struct status *st)
{
	const struct teller t = {
	    .file = file,
	    .db = db,
	    .story = story,
	    .tables = ARENA_ARRAY(story->arena, const struct story_table *, file->nparts + 1),
	    .st = st};
	db_drop(db); /* what the chapter before it asked is its own */
	if (keep_story(db, story, st))
		return -1;
	for (unsigned i = 0; i < file->nparts; i++) {
		const struct chapter_part *part = &file->parts[i];
		if (part->kind == PART_VIEW && db_keep(db, part->name, &part->query, st))
			return -1;
		if (part->kind == PART_TABLE && make_table(&t, part, &t.tables[i]))
			return -1;
	}
	for (int i = 0, told; (unsigned)i < file->nparts; i += told)
		if ((told = tell_part(&t, &file->parts[i])) < 0)
			return -1;
	return 0;
}

/* One that is wrong says so, and nothing else, by the name of its file. */
static void tell_text(struct story *s, struct db *db, const char *file, const char *text)
{
	struct chapter_file *chapter = ARENA_NEW(s->arena, struct chapter_file);
	struct story_chapter *now = &s->chapters[s->nchapters];
	struct status st = {0};
	*now = (struct story_chapter){.chapter = &chapter->chapter};
	if (chapter_read(file, text, s->arena, chapter, &st) || tell_file(chapter, db, s, &st)) {
		chapter->chapter = (struct chapter){.name = file, .title = file};
		*now = (struct story_chapter){.chapter = &chapter->chapter};
		story_note(s, STORY_WARNING, arena_copy(s->arena, st.text));
	}
	s->nchapters += now->nblocks > 0;
}

void story_add(struct story *s, struct db *db, const char *file, const char *text)
{
	struct story_chapter *more = ARENA_ARRAY(s->arena, struct story_chapter, s->nchapters + 2);
	memcpy(more, s->chapters, s->nchapters * sizeof *more);
	s->chapters = more;
	const unsigned before = s->nchapters;
	db_theirs(db, true);
	tell_text(s, db, file, text);
	db_theirs(db, false);
	for (unsigned i = 0; i < before; i++)
		if (!strcmp(more[i].chapter->name, more[before].chapter->name)) {
			memmove(&more[i], &more[i + 1], (before - i) * sizeof *more);
			s->nchapters--;
			break;
		}
}

void story_make(struct db *db, const char *const *names, unsigned n, struct arena *arena,
                struct story *out)
{
	*out = (struct story){.arena = arena,
	                      .chapters = ARENA_ARRAY(arena, struct story_chapter, n + 1)};
	for (unsigned i = 0; i < n; i++) {
		const char *file = arena_text(arena, "harness/chapters/%s.chapter", names[i]);
		tell_text(out, db, file, texts_find(file));
	}
}
