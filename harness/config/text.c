/* Reads INI through inih, with a reader of our own: a distribution's inih may be built without
 * line numbers in its handler, cuts lines at 200 bytes in silence, merges repeated sections,
 * drops empty ones, and joins indented lines to the value above. The reader counts and sees all
 * that. */
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "../foreign.h"
#include "../trial/field.h"

#define TEXT_MOST_BYTES (1 << 20) /* of a file */

struct reader {
	FILE *in;
	const char *file;
	unsigned line;
	char *buffer; /* getline's */
	size_t buffer_bytes;
	bool top; /* nothing but comments so far */
	bool failed;
	struct text *text;
	struct status *st;
};

static int reader_fail(struct reader *r, const char *what)
{
	r->failed = true;
	return status_set(r->st, "%s:%u: %s", r->file, r->line, what);
}

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
		return reader_fail(r, "the question on top is longer than 510 bytes; an empty "
		                      "comment line ends it");
	sprintf(question + used, "%s%s", used ? " " : "", line);
	return 0;
}

static bool section_parse(const char *line, struct text_section *out)
{
	const char *end = strchr(line, ']');
	if (!end)
		return false;
	const char *rest = end + 1 + strspn(end + 1, " \t");
	if (*rest && !is_comment(*rest))
		return false;

	char inner[256];
	size_t n = (size_t)(end - line - 1);
	if (n >= sizeof inner)
		return false;
	memcpy(inner, line + 1, n);
	inner[n] = '\0';

	char *save = NULL;
	char *kind = strtok_r(inner, " \t", &save);
	char *name = strtok_r(NULL, " \t", &save);
	if (!kind || strtok_r(NULL, " \t", &save))
		return false;
	if (!field_is_name(kind, sizeof out->kind) ||
	    (name && !field_is_name(name, sizeof out->name)))
		return false;
	strcpy(out->kind, kind);
	strcpy(out->name, name ? name : "");
	return true;
}

static int section_add(struct reader *r, const char *line)
{
	struct text *text = r->text;
	struct text_section new = {.at = {0, r->line}};
	if (!section_parse(line, &new))
		return reader_fail(
		    r, "not a section; allowed is [kind] or [kind NAME], a NAME having "
		       "at most 40 letters, digits, '-', '_', '.'");
	unsigned old = text_find(text, &new);
	if (old < text->nsections) {
		r->failed = true;
		return status_set(r->st,
		                  "%s:%u: section [%s%s%s] is there already, in line %u; "
		                  "allowed is one of a name",
		                  r->file, r->line, new.kind, new.name[0] ? " " : "", new.name,
		                  text->sections[old].at.line);
	}
	return text_add_section(text, &new) ? reader_fail(r, "out of memory") : 0;
}

/* What the record could not hold (its strings are JSON) is refused here, where the line is
 * known. */
static bool is_text(const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (iscntrl((unsigned char)line[i]) && line[i] != '\t')
			return false;
	json_t *s = json_stringn(line, n);
	json_decref(s);
	return s != NULL;
}

/* The next line without its end, or NULL at the end of the file or on an error. */
static char *line_next(struct reader *r)
{
	errno = 0;
	ssize_t n = getline(&r->buffer, &r->buffer_bytes, r->in);
	if (n < 0) {
		if (!feof(r->in) || ferror(r->in)) {
			r->failed = true;
			status_set(r->st, "%s: cannot be read: %s", r->file, strerror(errno));
		}
		return NULL;
	}
	r->line++;
	while (n > 0 && (r->buffer[n - 1] == '\n' || r->buffer[n - 1] == '\r'))
		n--;
	if (!is_text(r->buffer, (size_t)n)) {
		reader_fail(r, "not text; allowed is UTF-8 without control characters");
		return NULL;
	}
	r->buffer[n] = '\0';
	bool marked = r->line == 1 && !strncmp(r->buffer, "\xEF\xBB\xBF", 3);
	return r->buffer + (marked ? 3 : 0);
}

/* inih's fgets. Comments go no further than here, so they may be of any length. */
static char *reader_line(char *out, int bytes, void *stream)
{
	struct reader *r = stream;
	char *line = r->failed ? NULL : line_next(r);
	if (!line)
		return NULL;

	const char *first = line + strspn(line, " \t");
	if (is_comment(*first)) {
		if (r->top && question_add(r, first))
			return NULL;
		return strcpy(out, "\n");
	}
	if (!*first) {
		r->top = r->top && !r->text->question[0];
		return strcpy(out, "\n");
	}
	r->top = false;
	if (first != line) {
		reader_fail(r, "indented; allowed are lines that start in the first column");
		return NULL;
	}
	if (strlen(line) + 3 > (size_t)bytes) {
		r->failed = true;
		status_set(r->st, "%s:%u: the line is too long; allowed are %d bytes", r->file,
		           r->line, bytes - 3);
		return NULL;
	}
	if (*line == '[' && section_add(r, line))
		return NULL;
	return strcpy(out, line);
}

static int entry_add(struct reader *r, const char *key, const char *value)
{
	struct text *text = r->text;
	if (!value || !*key)
		return reader_fail(r, "not an entry; allowed is key = value");
	if (text->nsections == 0)
		return reader_fail(r,
		                   "a key before any section; allowed is [experiment] first");
	unsigned now = text->nsections - 1;
	for (unsigned i = 0; i < text->nentries; i++) {
		const struct text_entry *old = &text->entries[i];
		if (old->section != now || strcmp(old->key, key))
			continue;
		r->failed = true;
		return status_set(r->st,
		                  "%s:%u: '%s' is there already, in line %u; allowed is once "
		                  "in a section",
		                  r->file, r->line, key, old->at.line);
	}
	if (text_add(text, now, (struct text_place){0, r->line}, key, value))
		return reader_fail(r, "out of memory");
	return 0;
}

/* inih's handler. The section that it passes is cut at 50 bytes, ours is not. */
static int reader_entry(void *user, const char *section, const char *key, const char *value)
{
	(void)section;
	struct reader *r = user;
	if (!key) /* an inih that announces sections */
		return 1;
	return !r->failed && entry_add(r, key, value) == 0;
}

int text_read(const char *file, struct text *out, struct status *st)
{
	struct text text = {0};
	struct reader r = {.file = file, .top = true, .text = &text, .st = st};
	const char *why = NULL;
	int fd = foreign_open(file, TEXT_MOST_BYTES, &why);
	r.in = fd < 0 ? NULL : fdopen(fd, "r");
	if (!r.in) {
		if (fd >= 0)
			close(fd);
		return status_set(st, "%s: cannot be read: %s", file,
		                  why ? why : strerror(errno));
	}

	int wrong = ini_parse_stream(reader_line, &r, reader_entry, &r);
	if (wrong > 0 && !r.failed) {
		r.line = (unsigned)wrong;
		reader_fail(&r, "not an entry; allowed is key = value");
	} else if (wrong < 0 && !r.failed) {
		r.failed = true;
		status_set(st, "%s: cannot be read: out of memory", file);
	}
	free(r.buffer);
	fclose(r.in);
	if (r.failed) {
		text_free(&text);
		return -1;
	}
	*out = text;
	return 0;
}

unsigned text_find(const struct text *text, const struct text_section *like)
{
	unsigned i = 0;
	while (i < text->nsections && (strcmp(text->sections[i].kind, like->kind) ||
	                               strcmp(text->sections[i].name, like->name)))
		i++;
	return i;
}

int text_add_section(struct text *text, const struct text_section *section)
{
	struct text_section *grown =
	    realloc(text->sections, (text->nsections + 1) * sizeof *grown);
	if (!grown)
		return -1;
	text->sections = grown;
	text->sections[text->nsections++] = *section;
	return 0;
}

int text_add(struct text *text, unsigned section, struct text_place at, const char *key,
             const char *value)
{
	struct text_entry *grown =
	    realloc(text->entries, (text->nentries + 1) * sizeof text->entries[0]);
	if (!grown)
		return -1;
	text->entries = grown;
	struct text_entry new = {section, at, strdup(key), strdup(value)};
	if (!new.key || !new.value) {
		free(new.key);
		free(new.value);
		return -1;
	}
	text->entries[text->nentries++] = new;
	return 0;
}

void text_drop(struct text *text, unsigned entry)
{
	free(text->entries[entry].key);
	free(text->entries[entry].value);
	memmove(&text->entries[entry], &text->entries[entry + 1],
	        (--text->nentries - entry) * sizeof text->entries[0]);
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
