#include "chapter_file.h"

#include <ctype.h>
#include <strings.h>

#include "../data/words.h"

/* A line of the text, and what it belongs to. */
struct reader {
	const char *file;
	unsigned line;
	struct arena *arena;
	struct chapter_file *out;
	struct status *st;
};

static int wrong(const struct reader *r, const char *what, const char *which)
{
	return words_refuse(r->file, r->out->text, r->line, which, what, which, r->st);
}

static const char *const kinds[] = {"text",   "word",  "count",  "bytes", "flag",
                                    "number", "share", "spread", "ratio", NULL};
static const char *const places[] = {"first", "front", "body", "appendix", NULL};
static const char *const marks[] = {"heading", "code",    "files", "lead", "unasked",
                                    "settles", "picture", "front", NULL};
static const char *const queries[] = {"select", "with", "values", NULL};
/* A sentence begins with none of these, but it may with "Where". */
static const char *const clauses[] = {"from", "where", "and", "or", "order", "limit", NULL};
static const char *const onlys[] = {"files", "people", "filled", NULL};

/* "buffers_mib:number | buffers | MiB | files" */
static int read_column(const struct reader *r, struct chapter_part *table, const char *line)
{
	const char *key = words_next(r->arena, &line, "|");
	const char *name = words_next(r->arena, &key, ":"), *kind = key;
	struct column *columns =
	    arena_more(r->arena, table->form.columns, table->form.ncolumns, sizeof *columns);
	struct column *c = &columns[table->form.ncolumns];
	const int found = *kind ? words_index(kinds, kind) : KIND_TEXT;
	if (found < 0)
		return wrong(r, "no column is of kind ", kind);
	*c = (struct column){.key = name, .kind = (enum column_kind)found};
	c->head = words_next(r->arena, &line, "|");
	c->unit = words_next(r->arena, &line, "|");
	c->head = !*c->head ? name : strcmp(c->head, "-") != 0 ? c->head : "";
	const char *only = words_next(r->arena, &line, "|");
	for (const char *word; *(word = words_next(r->arena, &only, " "));) {
		if (words_index(onlys, word) < 0)
			return wrong(r, "what a column is for is files, people or filled, not ",
			             word);
		c->only |= 1u << words_index(onlys, word);
	}
	table->form.columns = columns;
	table->form.ncolumns++;
	return 0;
}

bool chapter_may_write(const char *name)
{
	const char *end = strrchr(name, '.');
	return end && (!strcmp(end, ".csv") || !strcmp(end, ".conf")) && !strchr(name, '/');
}

static const struct chapter_part *table_named(const struct chapter_file *f, const char *name)
{
	for (unsigned i = 0; i < f->nparts; i++)
		if (f->parts[i].kind == PART_TABLE && !strcmp(f->parts[i].name, name))
			return &f->parts[i];
	return NULL;
}

static int take_columns(const struct reader *r, struct story_form *form, const char *name)
{
	const struct chapter_part *from = table_named(r->out, name);
	if (!from)
		return wrong(r, "no table above is ", name);
	form->columns = from->form.columns;
	form->ncolumns = from->form.ncolumns;
	form->bars = from->form.bars;
	return 0;
}

/* "memory | Memory | hidden | file=memory.csv" */
static int begin_table(const struct reader *r, struct chapter_part *part, const char *rest)
{
	struct story_form *form = &part->form;
	part->kind = PART_TABLE;
	part->name = words_next(r->arena, &rest, "|");
	*form = (struct story_form){.name = part->name, .title = words_next(r->arena, &rest, "|")};
	while (*rest) {
		const char *option = words_next(r->arena, &rest, "|"), *value = strchr(option, '=');
		if (!strcmp(option, "hidden"))
			form->hidden = true;
		else if (!strcmp(option, "arrays") || !strcmp(option, "block"))
			form->drawn = *option == 'a' ? STORY_ARRAYS : STORY_BLOCK;
		else if (value && !strncmp(option, "bars=", 5))
			form->bars = value + 1;
		else if (value && !strncmp(option, "file=", 5)) {
			form->file = value + 1;
			if (!chapter_may_write(form->file))
				return wrong(r, CHAPTER_WRITES, form->file);
		} else if (value && !strncmp(option, "common=", 7))
			form->common = value + 1;
		else if (value && !strncmp(option, "like=", 5)) {
			if (take_columns(r, form, value + 1))
				return -1;
		} else
			return wrong(r, "a table has no option ", option);
	}
	return *form->title ? 0 : wrong(r, "a table is: table NAME | title", "");
}

/* "summary: line by asked_bytes show p50_us beside 3 where …" */
static int begin_pivot(const struct reader *r, struct chapter_part *part, const char *rest)
{
	part->kind = PART_PIVOT;
	part->name = words_next(r->arena, &rest, ":");
	part->down = words_next(r->arena, &rest, " by ");
	part->across = words_next(r->arena, &rest, " show ");
	part->value = words_next(r->arena, &rest, " ");
	const char *beside = words_option(r->arena, &rest, "beside");
	part->beside = beside ? (unsigned)strtoul(beside, NULL, 10) : 0;
	part->query.sql = arena_copy(r->arena, rest);
	return *part->value ? 0
	                    : wrong(r, "a pivot is: pivot TABLE: DOWN by ACROSS show VALUE", "");
}

// clang-format off
static const struct {
	const char *word;
	unsigned role;
} roles[] = {
    {"say", STORY_BODY}, {"item", STORY_ITEM}, {"answer", STORY_ANSWER}, {"caption", STORY_CAPTION}, {"advice", STORY_ADVICE},
    {"warning", STORY_WARNING}, {"stress", STORY_STRESS}, {"instead", STORY_INSTEAD}, {"caveat", STORY_CAVEAT}, {"open", STORY_OPEN},
    {"trust", STORY_TRUST}, {"doubt", STORY_DOUBT}, {"more", STORY_MORE}, {"notice", STORY_NOTICE}, {"measured", STORY_MEASURED},
    {"headline", STORY_HEADLINE}, {"above_pictures", STORY_ABOVE_PICTURES}, {"names", STORY_NAMES}, {"hint", STORY_HINT},
};
// clang-format on

static unsigned role_of(const char *word)
{
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (!strcmp(roles[i].word, word))
			return roles[i].role;
	return 0;
}

/* "say, trust TABLE together where …" */
static int begin_sentence(const struct reader *r, struct chapter_part *part, const char *line)
{
	const char *begin = line;
	for (bool more = true; more;) {
		const size_t bytes = strcspn(line, " ,");
		const char *word = words_trimmed(r->arena, line, bytes);
		const unsigned role = role_of(word);
		if (!role)
			return wrong(r, "no part begins with ", word);
		part->roles |= role;
		more = line[bytes] == ',';
		line += bytes + more;
		line += strspn(line, " ");
	}
	part->kind = PART_SENTENCE;
	part->name = words_next(r->arena, &line, " ");
	part->together = words_takes(&line, "together");
	part->query.sql = arena_copy(r->arena, line);
	part->query.shift = (int)(line - begin);
	return *part->name ? 0 : wrong(r, "of which table?", "");
}

/* A line that begins a part. */
static int begin_part(const struct reader *r, const char *line)
{
	struct chapter_file *f = r->out;
	const char *rest = line;
	const char *word = words_next(r->arena, &rest, " ");
	if (!strcmp(word, "chapter")) {
		f->chapter.name = words_next(r->arena, &rest, "|");
		f->chapter.title = words_next(r->arena, &rest, "|");
		return 0;
	}
	if (!strcmp(word, "place")) {
		const int place = words_index(places, rest);
		f->chapter.place = (enum chapter_place)place;
		return place >= 0 ? 0 : wrong(r, "there is no place ", rest);
	}
	f->parts = arena_more(r->arena, f->parts, f->nparts, sizeof *f->parts);
	struct chapter_part *part = &f->parts[f->nparts++];
	*part = (struct chapter_part){
	    .line = r->line, .query = {.file = r->file, .sql = "", .line = r->line}, .text = ""};
	if (!strcmp(word, "table"))
		return begin_table(r, part, rest);
	if (!strcmp(word, "pivot"))
		return begin_pivot(r, part, rest);
	if (!strcmp(word, "view")) {
		part->kind = PART_VIEW;
		part->name = words_trimmed(r->arena, rest, strlen(rest));
		return 0;
	}
	if (!strcmp(word, "each") || !strcmp(word, "end")) {
		part->kind = word[1] == 'a' ? PART_EACH : PART_END;
		part->name = words_next(r->arena, &rest, " ");
		part->by = words_option(r->arena, &rest, "by");
		part->query.sql = arena_copy(r->arena, rest);
		return part->kind == PART_END || part->by
		           ? 0
		           : wrong(r, "each is: each TABLE by KEY", "");
	}
	if (!strcmp(word, "fill") || !strcmp(word, "write")) {
		part->kind = PART_SENTENCE;
		part->roles = STORY_IN_A_ROW;
		part->name = words_next(r->arena, &rest, " ");
		const char *of = words_next(r->arena, &rest, " ");
		*(*word == 'f' ? &part->fills : &part->file) = of;
		part->query.sql = arena_copy(r->arena, rest);
		return *of ? 0 : wrong(r, "a text is: fill TABLE KEY", "");
	}
	const int mark = words_index(marks, word);
	const bool also = !strcmp(word, "also"), goes_on = also || !strcmp(word, "and");
	if (mark < 0 && !goes_on)
		return begin_sentence(r, part, line);
	if (goes_on &&
	    (f->nparts < 2 || (part[-1].kind != PART_SENTENCE && part[-1].kind != PART_AND)))
		return wrong(r, "only a sentence goes on with: ", word);
	part->kind = goes_on ? PART_AND : PART_MARK;
	part->file = goes_on ? part[-1].file : NULL;
	part->mark = (enum chapter_mark)mark;
	part->also = also;
	part->name = words_next(r->arena, &rest, " ");
	part->by = words_option(r->arena, &rest, "by");
	part->query.sql = arena_copy(r->arena, rest);
	return *part->name ? 0 : wrong(r, "of which table?", "");
}

static bool begins(const char *line, const char *const *words)
{
	const size_t bytes = strcspn(line, " (");
	for (int i = 0; words[i]; i++)
		if (strlen(words[i]) == bytes && !strncasecmp(line, words[i], bytes))
			return true;
	return false;
}

/* A line that goes on with one. */
static int continue_part(const struct reader *r, const char *line)
{
	const char *own = line + strspn(line, " \t");
	struct chapter_part *part = r->out->nparts ? &r->out->parts[r->out->nparts - 1] : NULL;
	if (!part)
		return wrong(r, "this line belongs to no part", "");
	const bool table = part->kind == PART_TABLE;
	const bool capital = isupper((unsigned char)own[0]) && islower((unsigned char)own[1]);
	if (part->kind != PART_VIEW && !table && !*part->text && !capital && begins(own, clauses)) {
		if (!*part->query.sql) {
			part->query.line = r->line;
			part->query.shift = (int)(own - line) - 1;
		}
		part->query.sql = arena_text(r->arena, "%s %s", part->query.sql, own);
		return 0;
	}
	if (part->kind != PART_VIEW && !table) {
		const size_t bytes = strcspn(own, "\\");
		part->text = part->file ? arena_text(r->arena, "%s%.*s%s", part->text, (int)bytes,
		                                     own, own[bytes] ? "" : "\n")
		             : *part->text ? arena_text(r->arena, "%s %s", part->text, own)
		                           : arena_copy(r->arena, own);
		return 0;
	}
	if (table && !*part->query.sql && !begins(own, queries))
		return read_column(r, part, own);
	if (!*part->query.sql)
		part->query.line = r->line;
	part->query.sql = *part->query.sql ? arena_text(r->arena, "%s\n%s", part->query.sql, line)
	                                   : arena_copy(r->arena, line);
	return 0;
}

static bool can_say(const struct column *column, const char *how)
{
	const struct entry none = entry_none(column->kind);
	char text[ENTRY_TEXT_BYTES];
	if (!strcmp(how, "list") || !strcmp(how, "range"))
		return true;
	how += strncmp(how, "range ", 6) ? 0 : 6;
	return entry_say(&none, *how ? how : NULL, text, sizeof text);
}

int chapter_check(const struct chapter_file *f, const struct chapter_part *part,
                  const struct story_form *form, struct arena *arena, struct status *st)
{
	for (const char *at = part->text; (at = strchr(at, '{')); at += at[1] == '{' ? 2 : 1) {
		const char *from = at + 1 + strspn(at + 1, "0123456789");
		from += from > at + 1 && *from == '.';
		const size_t bytes = strcspn(from, ":}"), all = strcspn(from, "}");
		const char *key = arena_text(arena, "%.*s", (int)bytes, from),
		           *whole = arena_text(arena, "%.*s}", (int)all, from),
		           *how = all > bytes ? arena_text(arena, "%.*s", (int)(all - bytes - 1),
		                                           from + bytes + 1)
		                              : "";
		const struct column *c = story_column(&(struct story_table){.form = form}, key);
		if (at[1] == '{' || (c && can_say(c, how)))
			continue;
		return words_refuse(f->file, f->text, part->line, whole,
		                    c ? arena_text(arena, "column %s cannot be said as ", key)
		                      : arena_text(arena, "table %s has no column ", part->name),
		                    c ? how : key, st);
	}
	return 0;
}

/* Whether a text's table is there, with what the text names. */
static int check_keys(struct reader *r, struct chapter_part *part)
{
	const struct chapter_part *table = table_named(r->out, part->name);
	r->line = part->line;
	part->view = !table && !strpbrk(part->text, "{[") &&
	             (part->kind == PART_SENTENCE ||
	              (part->kind == PART_MARK && part->mark >= MARK_UNASKED));
	if (part->view || strchr(part->name, '{'))
		return 0;
	if (!table)
		return wrong(r, "the chapter has no table ", part->name);
	const struct story_table rows = {.form = &table->form};
	const struct column *filled = part->fills ? story_column(&rows, part->fills) : NULL;
	if (part->fills && (!filled || filled->kind != KIND_TEXT))
		return wrong(r, arena_text(r->arena, "table %s has no column of text ", part->name),
		             part->fills);
	return chapter_check(r->out, part, &table->form, r->arena, r->st);
}

/* Whether each has its end; one is not within another. */
static int check_each(struct reader *r)
{
	bool open = false;
	for (unsigned i = 0; i < r->out->nparts; i++) {
		const struct chapter_part *part = &r->out->parts[i];
		r->line = part->line;
		if (part->kind == (open ? PART_EACH : PART_END))
			return wrong(r, "an end belongs to one each", "");
		open = part->kind == PART_EACH || (open && part->kind != PART_END);
	}
	return open ? wrong(r, "an end belongs to one each", "") : 0;
}

int chapter_read(const char *file, const char *text, struct arena *arena, struct chapter_file *out,
                 struct status *st)
{
	struct reader r = {file, 1, arena, out, st};
	*out = (struct chapter_file){.file = file, .text = text};
	for (size_t bytes; *text; text += bytes + (text[bytes] == '\n'), r.line++) {
		bytes = strcspn(text, "\n");
		char *line = arena_take(arena, bytes + 1);
		memcpy(line, text, bytes);
		if (!strncmp(line, "--", 2) || !line[strspn(line, " \t")])
			continue;
		if (isblank((unsigned char)*line) ? continue_part(&r, line) : begin_part(&r, line))
			return -1;
	}
	if (!out->chapter.name)
		return wrong(&r, "a chapter begins with: chapter NAME | title", "");
	const char *last = "";
	for (unsigned i = 0; i < out->nparts; i++) {
		struct chapter_part *part = &out->parts[i];
		const bool goes_on = i + 1 < out->nparts && part[1].kind == PART_AND;
		if (part->kind == PART_AND ||
		    (part->kind == PART_SENTENCE && (*part->text || !goes_on)))
			last = part->text = *part->text ? part->text : last;
	}
	for (unsigned i = 0; i < out->nparts; i++)
		if (*out->parts[i].text && check_keys(&r, &out->parts[i]))
			return -1;
	return check_each(&r);
}
