#include "short_page.h"

#include <stdlib.h>
#include <string.h>

#include "../arena.h"
#include "../status.h"
#include "../terminal.h"

#define FILES_LINES 2
#define MOST        64
#define LEAST_LINES 6 /* of a section that is cut: fewer are of no use */

struct part {
	const char *title;
	enum short_page_use use;
	size_t from;
	unsigned lines, kept;
};

struct short_page {
	FILE *to, *out;
	bool opened; /* the page, before */
	char *text;
	size_t bytes;
	struct part parts[MOST];
	unsigned n;
};

static void forget(void *of)
{
	struct short_page *s = of;
	if (s->out)
		fclose(s->out);
	free(s->text);
}

void short_page_begin(struct page *page)
{
	struct short_page *s = ARENA_NEW(page->arena, struct short_page);
	arena_defer(page->arena, forget, s);
	s->to = page->out;
	s->opened = page->opened;
	s->out = open_memstream(&s->text, &s->bytes);
	arena_need(page->arena, s->out);
	page->out = s->out;
	page->shortens = s;
}

void short_page_mark(struct page *page, const char *title, enum short_page_use use)
{
	struct short_page *s = page->shortens;
	if (!s || s->n == MOST)
		return;
	fflush(s->out);
	s->parts[s->n++] = (struct part){.title = title, .use = use, .from = s->bytes};
}

static unsigned lines_of(const char *text, size_t bytes)
{
	unsigned lines = 0;
	for (size_t i = 0; i < bytes; i++)
		lines += text[i] == '\n';
	return lines;
}

/* The last of those that are missed least; NULL: all that is left is always there. */
static struct part *least(struct short_page *s)
{
	struct part *found = NULL;
	for (unsigned i = 0; i < s->n; i++) {
		struct part *p = &s->parts[i];
		if (p->kept && p->use != SHORT_PAGE_ALWAYS && (!found || p->use <= found->use))
			found = p;
	}
	return found;
}

/* "In the report too: the rest of Claims, Results." */
static void name_rest(const struct short_page *s, char *text, size_t bytes)
{
	text[0] = '\0';
	for (unsigned i = 0; i < s->n; i++) {
		const struct part *p = &s->parts[i];
		if (p->kept < p->lines)
			status_add(text, bytes, "%s%s%s", *text ? ", " : "In the report too: ",
			           p->kept ? "the rest of " : "",
			           p->title[0] ? p->title : "the answer");
	}
	status_add(text, bytes, "%s", *text ? "." : "");
}

/* Its first lines without the paragraph or the item that is cut; of a table all that there are. */
static const char *cut(const struct part *p, const char *from)
{
	const char *end = from, *whole = NULL;
	for (unsigned i = 0; i < p->kept; i++) {
		if ((p->use == SHORT_PAGE_ANSWER && *end == '\n') || !strncmp(end, "  - ", 4))
			whole = end;
		end = strchr(end, '\n') + 1;
	}
	if (p->kept == p->lines || *end == '\n' || !strncmp(end, "  - ", 4))
		return end;
	return whole ? whole : end;
}

/* No blank line at the end of what is cut, and no heading: all other lines are indented. */
static void write_part(const struct short_page *s, const struct part *p)
{
	const char *from = s->text + p->from, *end = cut(p, from);
	while (p->kept < p->lines && end > from) {
		const char *line = end - 1;
		while (line > from && line[-1] != '\n')
			line--;
		if (*line == ' ' || line == from)
			break;
		end = line;
	}
	fwrite(from, 1, (size_t)(end - from), s->to);
}

/* Drops and cuts parts until the page has room for them and for the line that names them. False: there is
 * none for the whole answer. */
static bool choose(struct short_page *s)
{
	unsigned lines = 0;
	for (unsigned i = 0; i < s->n; i++) {
		struct part *p = &s->parts[i];
		const size_t to = i + 1 < s->n ? s->parts[i + 1].from : s->bytes;
		p->lines = p->kept = lines_of(s->text + p->from, to - p->from);
		lines += p->lines;
	}
	bool names = false, whole = true;
	char text[PAGE_TEXT_BYTES];
	for (struct part *p; (p = least(s));) {
		name_rest(s, text, sizeof text);
		const unsigned naming =
		                   names ? 2 + terminal_width(text) / (terminal_prose_columns() - 2)
		                         : 0,
		               room = SHORT_PAGE_LINES - FILES_LINES - naming;
		if (lines <= room)
			return whole;
		const unsigned over = lines - room + (names ? 0 : 2);
		const unsigned left = p->kept >= over + LEAST_LINES ? p->kept - over : 0;
		names = true;
		whole &= p->use != SHORT_PAGE_ANSWER;
		lines -= p->kept - left;
		p->kept = left;
	}
	return false;
}

bool short_page_end(struct page *page, bool anyhow)
{
	struct short_page *s = page->shortens;
	char text[PAGE_TEXT_BYTES];
	fflush(s->out);
	const bool has_room = choose(s);
	page->out = s->to;
	page->shortens = NULL;
	if (has_room || anyhow) {
		for (unsigned i = 0; i < s->n; i++)
			if (s->parts[i].kept)
				write_part(s, &s->parts[i]);
		name_rest(s, text, sizeof text);
		page_say(page, "%s", text);
	} else {
		page->opened = s->opened;
	}
	arena_undo(page->arena, s);
	return has_room;
}
