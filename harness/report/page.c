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

static void block_ends(struct page *p, bool rows)
{
	if (p->block_ends)
		p->block_ends(p, rows);
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

static void put_heading(struct page *p, unsigned level, const char *text)
{
	begin(p);
	if (p->kind == PAGE_TERMINAL) {
		page_wrap(p->out, "", 0, text);
		return;
	}
	fprintf(p->out, "%.*s ", (int)level, "######");
	table_escape(p->out, text);
	fputs("\n\n", p->out);
}

void page_heading(struct page *p, unsigned level, const char *format, ...)
{
	FORMAT(text);
	p->level = level;
	if (level == 1) /* no link leads to it */
		page_bind_units(text, sizeof text);
	put_heading(p, level, text);
}

void page_part(struct page *p, const char *format, ...)
{
	FORMAT(text);
	put_heading(p, p->level + 1, text);
}

static void keep(struct page *p, const char *text)
{
	if (p->sentences)
		json_array_append_new(p->sentences, json_string(text));
}

/* lead: on a terminal; before and after: in Markdown. */
static void put_text(struct page *p, char text[PAGE_TEXT_BYTES], const char *lead,
                     const char *before, const char *after)
{
	keep(p, text);
	page_bind_units(text, PAGE_TEXT_BYTES);
	if (p->kind == PAGE_TERMINAL) {
		page_wrap(p->out, lead, (unsigned)strlen(lead), text);
		block_ends(p, false);
		return;
	}
	fputs(before, p->out);
	table_escape(p->out, text);
	fputs(after, p->out);
}

void page_say(struct page *p, const char *format, ...)
{
	FORMAT(text);
	if (!text[0])
		return;
	begin(p);
	put_text(p, text, "  ", "", "\n\n");
}

void page_stress(struct page *p, const char *format, ...)
{
	FORMAT(text);
	begin(p);
	put_text(p, text, "  ", "**", "**\n\n");
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

void page_item(struct page *p, const char *format, ...)
{
	FORMAT(text);
	p->opened = true;
	put_text(p, text, "  - ", "- ", "\n");
}

void page_end_list(struct page *p)
{
	if (p->kind == PAGE_MARKDOWN)
		fputc('\n', p->out);
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
	if (p->kind == PAGE_TERMINAL)
		table_write_text(p->arena, t, p->shortens || p->bars, p->out, 2,
		                 terminal_columns() - 2);
	else
		table_write_markdown(t, p->bars ? p->arena : NULL, p->out);
	block_ends(p, true);
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
	fprintf(p->out, p->kind == PAGE_TERMINAL ? "  %s\n" : "```\n%s\n```\n\n", text);
	block_ends(p, false);
}

void page_picture(struct page *p, const char *name, const char *caption, bool says)
{
	begin(p);
	if (p->kind == PAGE_TERMINAL) {
		fprintf(p->out, "  plots/%s.png\n", name);
		block_ends(p, false);
		return;
	}
	if (says && caption[0]) {
		table_escape(p->out, caption);
		fputs("\n\n", p->out);
	}
	fputs("![", p->out);
	table_escape(p->out, caption[0] ? caption : name);
	fprintf(p->out, "](plots/%s.png)\n\n", name);
}

void page_files(struct page *p, const char *what, const char *const *files, unsigned n)
{
	char text[PAGE_TEXT_BYTES];
	begin(p);
	snprintf(text, sizeof text, "%s: ", what);
	for (unsigned i = 0; i < n; i++) {
		size_t used = strlen(text);
		const char *comma = i ? ", " : "";
		if (p->kind == PAGE_TERMINAL)
			snprintf(text + used, sizeof text - used, "%s%s", comma, files[i]);
		else
			snprintf(text + used, sizeof text - used, "%s[%s](%s)", comma, files[i],
			         files[i]);
	}
	if (p->kind == PAGE_TERMINAL)
		page_wrap(p->out, "  ", 2, text);
	else
		fprintf(p->out, "%s.\n\n", text);
	block_ends(p, false);
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
	if (p->kind == PAGE_TERMINAL)
		return;
	for (unsigned i = 0; i < n; i++) {
		char anchor[128];
		page_anchor(headings[i], anchor, sizeof anchor);
		fprintf(p->out, "%s[%s](#%s)", i ? " · " : "", headings[i], anchor);
	}
	fputs("\n\n", p->out);
}
