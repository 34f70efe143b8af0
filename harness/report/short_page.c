#include "short_page.h"

#include <string.h>

#include "../arena.h"
#include "../status.h"
#include "../terminal.h"

#define FILES_LINES 2
#define MOST        64
#define MOST_BLOCKS 512
#define LEAST_LINES 6 /* of a section that is cut: fewer are of no use */

struct part {
	const char *title;
	enum short_page_use use;
	size_t from, to;      /* in the text; to: what is kept of it */
	unsigned lines, kept; /* of all of it, and of what is kept */
	unsigned more;        /* rows that the last kept table lacks */
};

/* A paragraph, an item or a table, with the heading before it: it is kept whole, but for a table's last
 * rows. */
struct block {
	size_t to;
	bool rows;
};

struct short_page {
	FILE *to;
	struct arena_stream *kept;
	const char *text;
	struct part parts[MOST];
	struct block blocks[MOST_BLOCKS];
	unsigned n, nblocks;
};

static void block_ends(struct page *page, bool rows)
{
	struct short_page *s = page->shortens;
	if (s->nblocks == MOST_BLOCKS)
		return;
	fflush(s->kept->out);
	s->blocks[s->nblocks++] = (struct block){s->kept->bytes, rows};
}

void short_page_begin(struct page *page)
{
	struct short_page *s = ARENA_NEW(page->arena, struct short_page);
	s->to = page->out;
	s->kept = arena_stream(page->arena);
	page->out = s->kept->out;
	page->shortens = s;
	page->block_ends = block_ends;
}

void short_page_mark(struct page *page, const char *title, enum short_page_use use)
{
	struct short_page *s = page->shortens;
	if (!s || s->n == MOST)
		return;
	fflush(s->kept->out);
	s->parts[s->n++] = (struct part){.title = title, .use = use, .from = s->kept->bytes};
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

/* Of a table: as many whole rows as have room with the line that counts the others. A row begins
 * without a blank after its indent; a table that goes on below another is not cut. */
static void keep_rows(const struct short_page *s, struct part *p, size_t to, unsigned most)
{
	unsigned lines = 0, rows = 0, kept = 0;
	const char *from = s->text + p->to, *end = s->text + to, *cut = from;
	for (const char *line = from; line < end; line = strchr(line, '\n') + 1, lines++) {
		const bool begins = !strncmp(line, "  ", 2) && line[2] != ' ';
		if (begins && lines + 1 <= most) {
			cut = line;
			kept = rows;
		}
		if (*line == '\n' && rows)
			return;
		rows += begins;
	}
	/* The head is one of them. */
	if (kept < 2)
		return;
	p->more = rows - kept;
	p->kept += lines_of(from, (size_t)(cut - from)) + 1;
	p->to = (size_t)(cut - s->text);
}

/* Keeps its first blocks that have room in so many lines. */
static void keep(const struct short_page *s, struct part *p, size_t end, unsigned most)
{
	p->to = p->from;
	p->kept = p->more = 0;
	for (unsigned i = 0; i < s->nblocks && most >= LEAST_LINES; i++) {
		const struct block *b = &s->blocks[i];
		if (b->to <= p->from || b->to > end)
			continue;
		const unsigned lines = lines_of(s->text + p->to, b->to - p->to);
		if (p->kept + lines > most) {
			if (b->rows)
				keep_rows(s, p, b->to, most - p->kept);
			return;
		}
		p->kept += lines;
		p->to = b->to;
	}
}

static void write_part(const struct short_page *s, const struct part *p)
{
	fwrite(s->text + p->from, 1, p->to - p->from, s->to);
	if (p->more)
		fprintf(s->to, "  %u more row%s in report.md.\n", p->more, p->more == 1 ? "" : "s");
}

/* Drops and cuts parts until the page has room for them and for the line that names them. */
static void choose(struct short_page *s)
{
	unsigned lines = 0;
	for (unsigned i = 0; i < s->n; i++) {
		struct part *p = &s->parts[i];
		const size_t to = i + 1 < s->n ? s->parts[i + 1].from : s->kept->bytes;
		p->to = to;
		p->lines = p->kept = lines_of(s->text + p->from, to - p->from);
		lines += p->lines;
	}
	bool names = false;
	char text[PAGE_TEXT_BYTES];
	for (struct part *p; (p = least(s));) {
		name_rest(s, text, sizeof text);
		const unsigned naming =
		                   names ? 2 + terminal_width(text) / (terminal_prose_columns() - 2)
		                         : 0,
		               room = SHORT_PAGE_LINES - FILES_LINES - naming;
		if (lines <= room)
			return;
		const unsigned over = lines - room + (names ? 0 : 2);
		const unsigned had = p->kept;
		const size_t end = p + 1 < s->parts + s->n ? p[1].from : s->kept->bytes;
		keep(s, p, end, had > over ? had - over : 0);
		names = true;
		lines -= had - p->kept;
	}
}

void short_page_end(struct page *page)
{
	struct short_page *s = page->shortens;
	char text[PAGE_TEXT_BYTES];
	s->text = arena_written(page->arena, s->kept);
	choose(s);
	page->out = s->to;
	page->shortens = NULL;
	page->block_ends = NULL;
	for (unsigned i = 0; i < s->n; i++)
		if (s->parts[i].kept)
			write_part(s, &s->parts[i]);
	name_rest(s, text, sizeof text);
	page_say(page, "%s", text);
	arena_undo(page->arena, s->kept);
}
