/* Pages in Markdown, as GitHub has it. */
#include <string.h>

#include "page.h"

static void escape(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (strchr("|`*_<>[]&\\", c))
			fprintf(out, "\\%c", c);
		else
			fputc(c < ' ' || c == 0x7F ? ' ' : c, out);
	}
}

static void put_heading(struct page *p, unsigned level, const char *text)
{
	fprintf(p->out, "%.*s ", (int)level, "######");
	escape(p->out, text);
	fputs("\n\n", p->out);
}

static void put_text(struct page *p, enum page_text as, const char *text)
{
	static const char *const around[][2] = {[PAGE_SAY] = {"", "\n\n"},
	                                        [PAGE_STRESS] = {"**", "**\n\n"},
	                                        [PAGE_ITEM] = {"- ", "\n"}};
	fputs(around[as][0], p->out);
	escape(p->out, text);
	fputs(around[as][1], p->out);
}

static void end_list(struct page *p)
{
	fputc('\n', p->out);
}

static void put_table(struct page *p, const struct story_table *t)
{
	const struct grid g = table_grid(p->arena, t, p->bars);
	for (unsigned r = 0; r < g.nrows; r++) {
		for (unsigned c = 0; c < g.ncolumns; c++) {
			const char *text = g.texts[(size_t)r * g.ncolumns + c];
			const bool bold = table_is_bold(t, r, c, text);
			fputs(bold ? "| **" : "| ", p->out);
			escape(p->out, text);
			fputs(bold ? "** " : " ", p->out);
		}
		fputs("|\n", p->out);
		for (unsigned c = 0; c < g.ncolumns && !r; c++)
			fputs(g.left[c] ? "|---" : "|---:", p->out);
		fputs(r ? "" : "|\n", p->out);
	}
	fputc('\n', p->out);
}

static void put_code(struct page *p, const char *text)
{
	fprintf(p->out, "```\n%s\n```\n\n", text);
}

static void put_picture(struct page *p, const char *name, const char *caption, bool says)
{
	if (says)
		put_text(p, PAGE_SAY, caption);
	fputs("![", p->out);
	escape(p->out, caption[0] ? caption : name);
	fprintf(p->out, "](plots/%s.png)\n\n", name);
}

static void put_files(struct page *p, const char *what, const char *const *files, unsigned n)
{
	fprintf(p->out, "%s: ", what);
	for (unsigned i = 0; i < n; i++)
		fprintf(p->out, "%s[%s](%s)", i ? ", " : "", files[i], files[i]);
	fputs(".\n\n", p->out);
}

static void put_links(struct page *p, const char *const *headings, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char anchor[128];
		page_anchor(headings[i], anchor, sizeof anchor);
		fprintf(p->out, "%s[%s](#%s)", i ? " · " : "", headings[i], anchor);
	}
	fputs("\n\n", p->out);
}

const struct page_form page_markdown = {.heading = put_heading,
                                        .text = put_text,
                                        .end_list = end_list,
                                        .table = put_table,
                                        .code = put_code,
                                        .picture = put_picture,
                                        .files = put_files,
                                        .links = put_links};
