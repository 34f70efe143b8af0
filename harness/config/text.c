#include "text.h"

#include <ctype.h>
#include <errno.h>

#include "../backend/table.h"
#include "../memory.h"
#include "../sanitize.h"
#include "../suggest.h"

#define TEXT_MOST_BYTES (1 << 20) /* of a file */

struct reader {
	const char *file;
	unsigned line;
	bool top;         /* nothing but comments so far */
	unsigned section; /* that lines are of now */
	const char *on;   /* the backend that they are for; "": all */
	struct text *text;
	struct status *st;
};

#define reader_fail(R, ...) status_at((R)->st, (R)->file, (R)->line, __VA_ARGS__)

static bool is_comment(char c)
{
	return c == ';' || c == '#';
}

static int question_add(struct reader *r, const char *line)
{
	char *question = r->text->question;
	size_t used = strlen(question);
	line += strspn(line, ";# \t");
	if (!*line) {
		r->top = !used;
		return 0;
	}
	if (used + 1 + strlen(line) >= TEXT_QUESTION_BYTES)
		return reader_fail(
		    r,
		    "the question on top is longer than 510 bytes; an empty comment line ends it");
	sprintf(question + used, "%s%s", used ? " " : "", line);
	return 0;
}

/* [kind] or [kind NAME], then perhaps "on BACKEND". */
static bool section_parse(const char *line, struct text_section *out, char on[FIELD_NAME_BYTES])
{
	char words[5][FIELD_NAME_BYTES + 1], inner[256];
	const char *end = strchr(line, ']'), *rest = end ? end + 1 + strspn(end + 1, " \t") : "";
	if (!end || (*rest && !is_comment(*rest)) || (size_t)(end - line) > sizeof inner)
		return false;
	snprintf(inner, sizeof inner, "%.*s", (int)(end - line - 1), line + 1);
	int n =
	    sscanf(inner, "%41s%41s%41s%41s%41s", words[0], words[1], words[2], words[3], words[4]);
	for (int i = 0; i < n; i++)
		if (!field_is_name(words[i], i ? sizeof out->name : sizeof out->kind))
			return false;
	const bool one = n > 2 && !strcmp(words[n - 2], "on");
	strcpy(on, one ? words[n - 1] : "");
	n -= 2 * one;
	if (n != 1 && n != 2)
		return false;
	strcpy(out->kind, words[0]);
	strcpy(out->name, n == 2 ? words[1] : "");
	return true;
}

/* The line in which a section began before for the same machines as the reader's; 0: none did. */
static unsigned section_began(const struct reader *r)
{
	const struct text *text = r->text;
	if (r->section == text->nsections)
		return 0;
	if (!r->on[0])
		return text->sections[r->section].all ? text->sections[r->section].at : 0;
	for (unsigned i = 0; i < text->nentries; i++)
		if (text->entries[i].section == r->section && !strcmp(text->entries[i].on, r->on))
			return text->entries[i].at;
	return 0;
}

static int section_add(struct reader *r, const char *line)
{
	struct text *text = r->text;
	struct text_section new = {.at = r->line};
	char on[FIELD_NAME_BYTES];
	if (!section_parse(line, &new, on))
		return reader_fail(
		    r, "not a section; allowed is [kind] or [kind NAME], a NAME having at most 40 "
		       "letters, digits, '-', '_', '.'; for one backend [kind NAME on host]");
	const struct backend *backend = on[0] ? backend_find(on) : NULL;
	struct suggestion guess = suggest_for(on);
	for (const struct backend *const *b = backend_table; *b; b++)
		suggest_offer(&guess, (*b)->name);
	if (on[0] && !backend)
		return reader_fail(r, "a section for '%s', which is no backend%s; allowed is %s",
		                   on, suggestion_text(&guess).text, guess.allowed);
	r->on = backend ? backend->name : "";
	for (r->section = 0; r->section < text->nsections; r->section++)
		if (!strcmp(text->sections[r->section].kind, new.kind) &&
		    !strcmp(text->sections[r->section].name, new.name))
			break;
	new.all = !backend;
	const unsigned began = section_began(r);
	if (began) {
		return reader_fail(
		    r, "section %.*s is there already, in line %u; allowed is one of a name",
		    (int)strcspn(line, "]") + 1, line, began);
	}
	if (r->section == text->nsections) {
		text->sections =
		    memory_more(text->sections, text->nsections + 1, sizeof *text->sections);
		text->sections[text->nsections++] = new;
	} else if (new.all) {
		text->sections[r->section] = new;
	}
	return 0;
}

/* The record's strings are JSON: other text is an error here, where the line is known. */
static bool is_text(const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (iscntrl((unsigned char)line[i]) && line[i] != '\t')
			return false;
	json_t *s = json_stringn(line, n);
	json_decref(s);
	return s != NULL;
}

/* Keys that exclude each other; but mode and layout may agree, and stay both in a section. */
static const char *const rivals[][2] = {
    {"mode", "layout"}, {"is", "needs"}, {"bytes", "tokens"}, {"bytes", "regime"}};

/* from: the first of these pairs. */
static bool excludes(const char *key, const char *other, size_t from)
{
	for (size_t i = 2 * from; i < 2 * sizeof rivals / sizeof *rivals; i++)
		if (!strcmp(key, rivals[i / 2][i % 2]) && !strcmp(other, rivals[i / 2][!(i % 2)]))
			return true;
	return false;
}

/* A copy. The command line may say a key again. */
static int entry_append(struct text *text, struct text_entry new, const char *file,
                        struct status *st)
{
	for (unsigned i = 0; i < text->nentries; i++) {
		const struct text_entry *old = &text->entries[i];
		if (old->section != new.section || strcmp(old->on, new.on))
			continue;
		if (new.at && !strcmp(old->key, new.key))
			return status_at(
			    st, file, new.at,
			    "'%s' is there already, in line %u; allowed is once in a section",
			    new.key, old->at);
		if (excludes(old->key, new.key, 1))
			return status_at(st, file, new.at,
			                 "%s and %s exclude each other; allowed is one of the two",
			                 old->key, new.key);
	}
	text->entries = memory_more(text->entries, text->nentries + 1, sizeof *text->entries);
	new.key = memory_text(new.key);
	new.value = memory_text(new.value);
	text->entries[text->nentries++] = new;
	return 0;
}

/* Borrows its parts. A key without a backend's name before its dot stays as it is. */
static struct text_entry entry_of(unsigned section, unsigned at, const char *key, const char *value)
{
	char front[TEXT_KIND_BYTES] = "";
	const char *dot = strchr(key, '.');
	if (dot && dot - key < (ptrdiff_t)sizeof front)
		memcpy(front, key, (size_t)(dot - key));
	const struct backend *on = backend_find(front);
	return (struct text_entry){.section = section,
	                           .at = at,
	                           .on = on ? on->name : "",
	                           .key = (char *)(size_t)(on ? dot + 1 : key),
	                           .value = (char *)(size_t)value};
}

void text_key(const struct text_entry *entry, char *out, size_t bytes)
{
	snprintf(out, bytes, "%s%s%s", entry->on, entry->on[0] ? "." : "", entry->key);
}

static char *trim(char *text)
{
	size_t n = strlen(text);
	while (n && strchr(" \t", text[n - 1]))
		n--;
	text[n] = '\0';
	return text;
}

/* "key = value ; comment"; older files may have ':' for '='. */
static int entry_add(struct reader *r, char *key)
{
	struct text *text = r->text;
	char *value = key;
	for (char *c = key; *c; c++)
		if (c[0] == ';' && c > key && isspace((unsigned char)c[-1]))
			*c = '\0';
	strsep(&value, "=:");
	trim(key);
	if (!value || !*key)
		return reader_fail(r, "not an entry; allowed is key = value");
	value = trim(value + strspn(value, " \t"));
	if (text->nsections == 0)
		return reader_fail(r, "a key before any section; allowed is [experiment] first");
	struct text_entry new = entry_of(r->section, r->line, key, value);
	if (r->on[0] && new.on[0])
		return reader_fail(r, "a backend in front of a key, in a section that is for one "
		                      "backend already; allowed is the key alone");
	new.on = r->on[0] ? r->on : new.on;
	return entry_append(text, new, r->file, r->st);
}

static int line_read(struct reader *r, char *line, size_t bytes)
{
	r->line++;
	while (bytes > 0 && strchr("\r\n", line[bytes - 1]))
		bytes--;
	if (!is_text(line, bytes))
		return reader_fail(r, "not text; allowed is UTF-8 without control characters");
	line[bytes] = '\0';
	line += r->line == 1 && !strncmp(line, "\xEF\xBB\xBF", 3) ? 3 : 0;
	const char *first = line + strspn(line, " \t");
	if (is_comment(*first))
		return r->top ? question_add(r, first) : 0;
	r->top = r->top && !*first && !r->text->question[0];
	if (!*first)
		return 0;
	if (first != line)
		return reader_fail(r, "indented; allowed are lines that start in the first column");
	return *line == '[' ? section_add(r, line) : entry_add(r, line);
}

int text_read(const char *file, struct text *out, struct status *st)
{
	struct text text = {0};
	struct reader r = {.file = file, .top = true, .on = "", .text = &text, .st = st};
	const char *why = NULL;
	char *line = NULL;
	size_t room = 0;
	ssize_t bytes;
	int rc = 0;
	FILE *in = sanitize_stream(file, TEXT_MOST_BYTES, &why);
	if (!in)
		return status_set(st, "%s: cannot be read: %s", file, why);
	while (!rc && (bytes = getline(&line, &room, in)) >= 0)
		rc = line_read(&r, line, (size_t)bytes);
	if (!rc && !feof(in))
		rc = status_set(st, "%s: cannot be read: %s", file, strerror(errno));
	free(line);
	fclose(in);
	if (rc) {
		text_free(&text);
		return -1;
	}
	*out = text;
	return 0;
}

int text_add(struct text *text, unsigned section, const char *key, const char *value,
             struct status *st)
{
	return entry_append(text, entry_of(section, 0, key, value), "command line", st);
}

void text_settle(struct text *text, const char *backend)
{
	struct text_entry *all = text->entries;
	for (unsigned i = 0; i < text->nentries; i++)
		all[i].here = !all[i].on[0] || (backend && !strcmp(all[i].on, backend));
	for (unsigned i = 0; i < text->nentries; i++)
		for (unsigned k = 0; all[i].here && all[i].on[0] && k < text->nentries; k++)
			if (all[k].section == all[i].section && !all[k].on[0] &&
			    (!strcmp(all[k].key, all[i].key) ||
			     excludes(all[k].key, all[i].key, 0)))
				all[k].here = false;
}

void text_free(struct text *text)
{
	for (unsigned i = 0; i < text->nentries; i++) {
		free(text->entries[i].key);
		free(text->entries[i].value);
	}
	free(text->entries);
	free(text->sections);
	*text = (struct text){0};
}
