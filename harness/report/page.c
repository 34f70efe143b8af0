#include "page.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "../sanitize.h"
#include "../terminal.h"

#define NARROW_INDENT 6 /* on a terminal that has no room for a text beside its lead */

/* A paragraph begins after one empty line, except at the top. */
static void begin(struct page *p)
{
	if (p->opened && p->kind == PAGE_TERMINAL)
		fputc('\n', p->out);
	p->opened = true;
}

/* --- at a run's end ---------------------------------------------------------------------- */

#define END_LINES 6 /* that name the files, and what had no room */

struct page_short {
	FILE *to;
	struct arena_stream *written; /* all of the page */
	size_t done;                  /* of it: it is there, or was left out */
	unsigned left;                /* lines */
	const char *title;            /* of the section */
	bool whole, any, cut;         /* its beginning is there; its end is not */
	char rest[PAGE_TEXT_BYTES];
};

void page_short_begin(struct page *p)
{
	struct page_short *s = p->shortens = ARENA_NEW(p->arena, struct page_short);
	*s = (struct page_short){
	    .to = p->out, .written = arena_stream(p->arena), .left = PAGE_SHORT_LINES - END_LINES};
	p->out = s->written->out;
}

void page_section(struct page *p, const char *title, bool whole)
{
	struct page_short *s = p->shortens;
	if (!s)
		return;
	if (s->cut)
		status_add(s->rest, sizeof s->rest, "%s%s%s",
		           *s->rest ? ", " : "In the report too: ", s->any ? "the rest of " : "",
		           s->title);
	s->title = title;
	s->whole = whole;
	s->any = s->cut = false;
}

/* A paragraph, an item or a table, with the heading before it. */
static void block_ends(struct page *p)
{
	struct page_short *s = p->shortens;
	if (!s)
		return;
	const char *text = arena_written(p->arena, s->written) + s->done;
	const size_t bytes = s->written->bytes - s->done;
	unsigned lines = 0;
	for (size_t i = 0; i < bytes; i++)
		lines += text[i] == '\n';
	s->done += bytes;
	s->cut |= !s->whole && lines > s->left;
	if (s->cut)
		return;
	fwrite(text, 1, bytes, s->to);
	s->left -= lines < s->left ? lines : s->left;
	s->any = true;
}

void page_short_end(struct page *p)
{
	struct page_short *s = p->shortens;
	page_section(p, "", true);
	p->out = s->to;
	p->shortens = NULL;
	if (*s->rest)
		page_say(p, "%s.", s->rest);
	arena_undo(p->arena, s->written);
}

void page_bind_units(char *text, size_t bytes)
{
	static const char *const units[] = {"%",  "GB/s", "KiB",   "MiB",   "GiB",
	                                    "µs", "ms",   "ranks", "blocks"};
	static const char hard[] = "\u00a0"; /* a blank that does not break */
	for (char *at = text; (at = strchr(at, ' ')); at++) {
		bool unit = false;
		for (size_t i = 0; i < sizeof units / sizeof *units; i++)
			unit |= !strncmp(at + 1, units[i], strlen(units[i]));
		if (!unit || at == text || !isdigit((unsigned char)at[-1]) ||
		    strlen(text) + sizeof hard > bytes)
			continue;
		memmove(at + 2, at + 1, strlen(at + 1) + 1);
		memcpy(at, hard, 2);
	}
}

void page_wrap(FILE *out, const char *lead, unsigned indent, const char *text)
{
	const unsigned most = terminal_prose_columns();
	unsigned column = terminal_width(lead);
	size_t led = strlen(lead);
	bool below = false; /* all of the text is below its lead */
	if (indent > most * 2 / 5) {
		indent = NARROW_INDENT;
		below = column + terminal_width(text) > most;
		if (column > indent && !lead[strspn(lead, " ")]) /* the lead is a line above */
			column = led = indent;
	}
	for (bool first = true; *text; first = false) {
		size_t bytes = strcspn(text, " \n");
		char word[PAGE_TEXT_BYTES];
		snprintf(word, sizeof word, "%.*s", (int)bytes, text);
		unsigned width = terminal_width(word);
		bool breaks =
		    column > indent && ((first && below) || column + !first + width > most);
		while (first && breaks && led && lead[led - 1] == ' ')
			led--;
		if (first)
			fwrite(lead, 1, led, out);
		if (breaks)
			fprintf(out, "\n%*s", (int)indent, "");
		else if (!first)
			fputc(' ', out);
		for (const char *c = word; *c; c++) {
			bool hard = !strncmp(c, "\u00a0", 2);
			fputc(hard || (unsigned char)*c < ' ' || *c == 0x7F ? ' ' : *c, out);
			c += hard;
		}
		column = (breaks ? indent : column + !first) + width;
		text += bytes;
		text += strspn(text, " \n");
	}
	fputc('\n', out);
}

#define FORMAT(text)                                                                               \
	char text[PAGE_TEXT_BYTES];                                                                \
	va_list args;                                                                              \
	va_start(args, format);                                                                    \
	vsnprintf(text, sizeof text, format, args);                                                \
	va_end(args);                                                                              \
	sanitize_end(text)

void page_line(unsigned indent, const char *format, ...)
{
	FORMAT(text);
	char lead[32];
	snprintf(lead, sizeof lead, "%*s", (int)indent, "");
	page_wrap(stdout, lead, indent, text);
}

/* --- a terminal's ------------------------------------------------------------------------ */

static void terminal_heading(struct page *p, unsigned level, const char *text)
{
	(void)level;
	page_wrap(p->out, "", 0, text);
}

static void terminal_text(struct page *p, enum page_text as, const char *text)
{
	const char *lead = as == PAGE_ITEM ? "  - " : "  ";
	page_wrap(p->out, lead, (unsigned)strlen(lead), text);
}

static void terminal_table(struct page *p, const struct story_table *t)
{
	table_write_text(p->arena, t, p->shortens || p->bars, p->out, 2, terminal_columns() - 2);
}

static void terminal_code(struct page *p, const char *text)
{
	fprintf(p->out, "  %s\n", text);
}

static void terminal_picture(struct page *p, const char *name, const char *caption, bool says)
{
	(void)caption;
	(void)says;
	fprintf(p->out, "  plots/%s.png\n", name);
}

static void terminal_files(struct page *p, const char *what, const char *const *files, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		what = arena_text(p->arena, "%s%s%s", what, i ? ", " : ": ", files[i]);
	page_wrap(p->out, "  ", 2, what);
}

static const struct page_form page_terminal = {.heading = terminal_heading,
                                               .text = terminal_text,
                                               .table = terminal_table,
                                               .code = terminal_code,
                                               .picture = terminal_picture,
                                               .files = terminal_files};

/* --- any --------------------------------------------------------------------------------- */

static const struct page_form *form_of(const struct page *p)
{
	return p->kind == PAGE_TERMINAL   ? &page_terminal
	       : p->kind == PAGE_MARKDOWN ? &page_markdown
	                                  : &page_html;
}

void page_begin(struct page *p, const char *title)
{
	if (form_of(p)->begin)
		form_of(p)->begin(p, title);
}

void page_end(struct page *p)
{
	if (form_of(p)->end)
		form_of(p)->end(p);
}

void page_heading(struct page *p, unsigned level, const char *format, ...)
{
	FORMAT(text);
	p->level = level;
	if (level == 1) /* no link leads to it */
		page_bind_units(text, sizeof text);
	begin(p);
	form_of(p)->heading(p, level, text);
}

void page_part(struct page *p, const char *format, ...)
{
	FORMAT(text);
	begin(p);
	form_of(p)->heading(p, p->level + 1, text);
}

static void keep(struct page *p, const char *text)
{
	if (p->sentences)
		json_array_append_new(p->sentences, json_string(text));
}

static void put_text(struct page *p, enum page_text as, char text[PAGE_TEXT_BYTES])
{
	if (as == PAGE_ITEM)
		p->opened = true;
	else
		begin(p);
	keep(p, text);
	page_bind_units(text, PAGE_TEXT_BYTES);
	form_of(p)->text(p, as, text);
	block_ends(p);
}

void page_say(struct page *p, const char *format, ...)
{
	FORMAT(text);
	if (text[0])
		put_text(p, PAGE_SAY, text);
}

void page_stress(struct page *p, const char *format, ...)
{
	FORMAT(text);
	put_text(p, PAGE_STRESS, text);
}

void page_item(struct page *p, const char *format, ...)
{
	FORMAT(text);
	put_text(p, PAGE_ITEM, text);
}

void page_headline(struct page *p, const char *text)
{
	if (p->kind == PAGE_TERMINAL) {
		page_say(p, "%s", text);
		return;
	}
	keep(p, text);
	page_heading(p, 1, "%s", text);
}

void page_end_list(struct page *p)
{
	if (form_of(p)->end_list)
		form_of(p)->end_list(p);
}

void page_table(struct page *p, const struct story_table *t)
{
	struct table shown;
	char common[1200] = "";
	if (!t->nrows)
		return;
	begin(p);
	if (p->tables)
		json_array_append_new(p->tables, table_to_json(t));
	if (t->form->common) {
		table_less(t, 0, &shown);
		table_drop_common(&shown, common, sizeof common);
		t = &shown.told;
	}
	const struct arena_mark mark = arena_mark(p->arena);
	form_of(p)->table(p, t);
	arena_release(p->arena, mark);
	block_ends(p);
	if (*common)
		page_say(p, "%s: %s.", t->form->common, common);
}

void page_table_shown(struct page *p, const struct story_table *told)
{
	struct table shown;
	table_less(told, ONLY_FILES, &shown);
	table_drop_empty(&shown);
	page_table(p, &shown.told);
}

void page_code(struct page *p, const char *text)
{
	begin(p);
	form_of(p)->code(p, text);
	block_ends(p);
}

void page_picture(struct page *p, const char *name, const char *caption, bool says)
{
	begin(p);
	form_of(p)->picture(p, name, caption, says && caption[0]);
	block_ends(p);
}

void page_files(struct page *p, const char *what, const char *const *files, unsigned n)
{
	begin(p);
	form_of(p)->files(p, what, files, n);
	block_ends(p);
}

void page_front(struct page *p, bool begins)
{
	if (form_of(p)->front)
		form_of(p)->front(p, begins);
}

void page_anchor(const char *heading, char *out, size_t bytes)
{
	size_t n = 0;
	for (; *heading && n + 1 < bytes; heading++) {
		unsigned char c = (unsigned char)*heading;
		if (isalnum(c) || c == '-' || c == '_' || c >= 0x80)
			out[n++] = (char)tolower(c);
		else if (c == ' ')
			out[n++] = '-';
	}
	out[n] = '\0';
	sanitize_end(out);
}

void page_links(struct page *p, const char *const *headings, unsigned n)
{
	if (form_of(p)->links)
		form_of(p)->links(p, headings, n);
}
