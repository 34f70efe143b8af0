#include "html.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../markup.h"
#include "page.h"

#define FIGURE_BYTES 40 /* longer is a text that begins with a digit */

// clang-format off
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--back:#fff;--line:#d0d7de;--soft:#f6f8fa;--pale:#57606a;--link:#0550ae;--up:#0969da;--down:#bc4c00}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--back:#0d1117;--line:#30363d;--soft:#161b22;--pale:#9198a1;--link:#79c0ff;--up:#58a6ff;--down:#f0883e}"
    "img{filter:invert(.93) hue-rotate(180deg)}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;padding:1rem 1.2rem 4rem;max-width:90rem;color:var(--ink);background:var(--back);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;overflow-wrap:break-word}"
    /* Contents: a line that scrolls, lines that wrap, or beside the page. */
    "nav p{margin:0;overflow-x:auto;scrollbar-width:none;white-space:nowrap;font-size:0}nav a{font-size:.85rem;margin-right:1rem;text-decoration:none}"
    "@media(min-width:64rem){nav p{white-space:normal}nav a{display:inline-block}}"
    "@media(min-width:90rem){body{padding-left:14.2rem}nav{position:fixed;top:0;bottom:0;width:12rem;margin-left:-13.2rem;padding:1.2rem 0;overflow-y:auto}"
    "nav a{display:block;padding:.15rem 0;line-height:1.3}}"
    "body>:not(.front,h1,nav){max-width:min(62rem,100%)}nav+p{margin:.6rem 0 0;color:var(--pale)}"
    "h1{font-size:1.8rem;line-height:1.2;margin:.4rem 0 1rem}"
    "h2{font-size:1.25rem;margin:1.4rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}"
    "h3{font-size:1.05rem;margin:1.5rem 0 .5rem}h4{font-size:1rem;margin:1.2rem 0 .4rem}"
    "a{color:var(--link)}"
    "table{display:block;width:max-content;max-width:100%;overflow-x:auto;border-collapse:collapse;"
    "font-size:.86rem;font-variant-numeric:tabular-nums;margin:.8rem 0}"
    "th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);vertical-align:top;min-width:3.2rem;max-width:28rem}"
    "th{background:var(--soft)}th:not([align=right]){text-align:left}td[align=right]{white-space:nowrap}td>em{display:none}"
    /* The bar to the estimate, its interval, a line where the reference is, and a mark of the verdict's shape. */
    "svg{display:block;width:100%;min-width:5.5rem;height:20px;overflow:visible;color:var(--pale)}svg svg{color:inherit;min-width:0}table:has(svg) :is(th,td){white-space:nowrap}svg.up{color:var(--up)}svg.down{color:var(--down)}"
    "svg *{fill:currentColor}svg path{stroke:currentColor}svg .to{opacity:.3}"
    "svg .one{stroke:var(--ink);stroke-dasharray:2}svg.open .mark{fill:var(--back)}"
    /* A table's cells one below the other. A picture is whole, and readable once it is touched. */
    "@media(max-width:36rem){.picture:not(:target)::after{content:'Tap to enlarge';font-size:.85rem;color:var(--pale)}body{padding:1rem .8rem 3rem}h1{font-size:1.5rem}table,tbody,tr,td{display:block;width:auto;max-width:none}thead{display:none}"
    "tr{padding:.4rem 0;border-bottom:1px solid var(--line)}td{border:0;padding:.1rem 0;text-align:right;min-height:1.2rem}"
    "td:first-child{text-align:left;font-weight:600}td:not(:first-child)>em{font-style:normal;display:block;float:left;font-weight:400;color:var(--pale);padding-right:1rem}"
    "table:has(svg) tr{display:grid;grid-template-columns:1fr auto}table:has(svg) td:nth-child(3){grid-area:1/2}table:has(svg) td:nth-child(2){text-align:left}"
    "table:has(svg) thead,table:has(svg) th:first-child{display:block}table:has(svg) th{display:none}table:has(svg) td:last-child{grid-column:1/3}table:has(svg) td:nth-child(n+3)>em{display:none}}"
    /* Its edge is one colour: dark pages turn all of a picture round. */
    "img{display:block;width:100%;max-width:56rem;height:auto;background:#fff;border:1px solid #d0d7de;border-radius:4px}"
    /* Page 1 in one screen: the picture beside the strip and what follows that. */
    "@media(min-width:64rem){.front{display:grid;grid-template:auto auto 1fr/minmax(0,1fr) minmax(0,1fr);gap:0 1.4rem}.front>*{grid-area:2/1/4/2}.front>:first-child{grid-area:1/1}.front>:last-child{grid-area:3/2}.front>p{grid-area:1/2/3/3;margin:.8rem 0}"
    ".front h2{margin:.3rem 0}.front ul,.front div p{margin:.25rem 0}.front ul{padding-left:1.2rem}.front :is(th,td){padding:.17rem .4rem}.front table:not(:has(svg)) :is(th,td){padding:.17rem .2rem;white-space:normal}}"
    /* A click on a picture shows it as large as it was drawn, or as the window; another click
     * closes it. */
    ".picture{display:block;position:relative;overflow-x:auto}.close{display:none}"
    ".picture:target{position:fixed;inset:0;z-index:1;overflow:auto;background:var(--back);display:grid;"
    "grid-template:minmax(100%,max-content)/max-content}.picture:target>a{grid-area:1/1}"
    ".picture:target img{width:max(900px,100vw);max-width:none;border:0}"
    ".picture:target .close{display:block;position:relative;color:transparent}"
    "pre{background:var(--soft);padding:.7rem;overflow-x:auto;border-radius:4px;font-size:.85rem}"
    "@media print{body{max-width:none;font-size:10.5pt;padding:0}nav{display:none}table{display:table;width:auto;overflow:visible;font-size:8pt}"
    "pre{white-space:pre-wrap}h2,h3,h4{break-after:avoid}tr,img{break-inside:avoid}a{color:inherit;text-decoration:none}}";
// clang-format on

/* A file as base64, which the caller frees; NULL if it cannot be read. */
static char *encoded(const char *file)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	FILE *in = fopen(file, "rb");
	char *text = NULL;
	size_t bytes = 0, n;
	unsigned char b[3];
	if (!in)
		return NULL;
	FILE *out = open_memstream(&text, &bytes);
	while (out && (n = fread(b, 1, 3, in)) > 0) {
		uint32_t bits =
		    (uint32_t)b[0] << 16 | (n > 1 ? (uint32_t)b[1] << 8 : 0) | (n > 2 ? b[2] : 0);
		for (unsigned i = 0; i < 4; i++)
			fputc(i > n ? '=' : digits[bits >> (18 - 6 * i) & 63], out);
	}
	fclose(in);
	if (out)
		fclose(out);
	return text;
}

/* A node's text, without markup. The caller frees it. */
static char *text_of(cmark_node *node)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	for (cmark_node *child = cmark_node_first_child(node); out && child;
	     child = cmark_node_next(child))
		if (cmark_node_get_literal(child))
			fputs(cmark_node_get_literal(child), out);
	if (out)
		fclose(out);
	return text;
}

static void put_inline(cmark_node *before, const char *html)
{
	cmark_node *node = cmark_node_new(CMARK_NODE_CUSTOM_INLINE);
	if (node && cmark_node_set_on_enter(node, html) && cmark_node_insert_before(before, node))
		return;
	cmark_node_free(node);
}

/* Replaces a link to the picture by the picture itself. It opens large without a script: a link on
 * the picture leads to the picture's own address. A second link, over it, leads to the place before
 * it. */
static void embed(cmark_node *image, const char *dir, unsigned nth)
{
	static const char *const kinds[][2] = {{"svg", "svg+xml"}, {"png", "png"}};
	const char *url = cmark_node_get_url(image);
	size_t n = strlen(url);
	char *alt = text_of(image), *data = NULL, *html = NULL;
	size_t bytes = 0;
	unsigned k = 0;
	for (; k < 2 && !data && n > 4; k++) {
		char file[PATH_MAX];
		if (snprintf(file, sizeof file, "%s/%.*s%s", dir, (int)(n - 3), url, kinds[k][0]) <
		    (int)sizeof file)
			data = encoded(file);
	}
	FILE *out = data && alt ? open_memstream(&html, &bytes) : NULL;
	if (out) {
		fprintf(out,
		        "<a id=\"at-picture-%u\"></a><span class=\"picture\" "
		        "id=\"picture-%u\"><a href=\"#picture-%u\"><img alt=\"",
		        nth, nth, nth);
		markup_escape(out, alt);
		fprintf(out,
		        "\" src=\"data:image/%s;base64,%s\"></a><a class=\"close\" "
		        "href=\"#at-picture-%u\">close</a></span>",
		        kinds[k - 1][1], data, nth);
		fclose(out);
		put_inline(image, html);
		cmark_node_free(image);
	}
	free(html);
	free(data);
	free(alt);
}

static void put_anchor(cmark_node *heading)
{
	char anchor[128], html[192];
	char *text = text_of(heading);
	if (text && cmark_node_first_child(heading)) {
		page_anchor(text, anchor, sizeof anchor);
		snprintf(html, sizeof html, "<a id=\"%s\"></a>", anchor);
		put_inline(cmark_node_first_child(heading), html);
	}
	free(text);
}

/* Of a cell "0.992 (0.990 to 0.996)" and "16 MiB": a narrow screen breaks it before the interval, and nowhere else. */
static void bind_figure(cmark_node *node)
{
	const char *text = cmark_node_get_literal(node);
	char *bound = NULL;
	size_t bytes = 0;
	bool within = false;
	if (!isdigit((unsigned char)*text) || strlen(text) > FIGURE_BYTES) {
		char words[1024];
		if (snprintf(words, sizeof words, "%s", text) < (int)sizeof words) {
			page_bind_units(words, sizeof words);
			cmark_node_set_literal(node, words);
		}
		return;
	}
	FILE *out = open_memstream(&bound, &bytes);
	for (; out && *text; text++) {
		within |= *text == '(';
		if (*text == ' ' && (within || text[1] != '('))
			fputs("\u00a0", out);
		else
			fputc(*text, out);
	}
	if (out && !fclose(out))
		cmark_node_set_literal(node, bound);
	free(bound);
}

/* --- tables --- */

/* Of a cell, whose nodes can be text and what marks it up: a first node that holds another one. */
static void put_in_cell(cmark_node *cell, cmark_node_type kind, cmark_node *node)
{
	cmark_node *holder = cmark_node_new(kind);
	if (holder && cmark_node_append_child(holder, node) &&
	    cmark_node_prepend_child(cell, holder))
		return;
	cmark_node_free(holder);
}

/* "1.23 (1.22 to 1.24)"; without an interval its ends are the estimate, "-" is the reference's 1. */
struct figure {
	double at, lo, hi;
};

static struct figure figure_of(cmark_node *cell)
{
	char *text = text_of(cell);
	struct figure f = {1, 1, 1};
	const int n = text ? sscanf(text, "%lf (%lf to %lf)", &f.at, &f.lo, &f.hi) : 0;
	free(text);
	return n == 3 ? f : (struct figure){f.at, f.at, f.at};
}

#define MOST_SPREAD 1.5 /* an interval's end that is farther than so many times is cut */
#define BAR_WIDTH   93  /* % of the drawing, so that a mark has room at its end */

/* What the terminal draws of characters: of the figure in the cell before it, with the verdict's shape of
 * the cell before that. */
static void draw_bar(cmark_node *cell, double most)
{
	static const struct {
		const char *text, *name, *path;
	} shapes[] = {{"▲", "up", "m-6 5h12l-6-11z"},
	              {"▼", "down", "m-6-5h12l-6 11z"},
	              {"?", "open", "m-6 0 6-6 6 6-6 6z"},
	              {"", "same", "m-4-4h8v8h-8z"}};
	cmark_node *figure = cmark_node_previous(cell);
	const struct figure f = figure_of(figure);
	const double scale = BAR_WIDTH / most, x = f.at * scale;
	char *verdict = text_of(cmark_node_previous(figure)), html[640];
	unsigned k = 0;
	while (verdict && strncmp(verdict, shapes[k].text, strlen(shapes[k].text)) != 0)
		k++;
	snprintf(html, sizeof html,
	         "<svg class=\"%s\" aria-hidden=\"true\"><rect class=\"to\" y=\"6\" "
	         "width=\"%.2f%%\" height=\"8\"></rect><svg x=\"%.2f%%\"><path class=\"one\" "
	         "d=\"M0 0v20\"></path></svg><rect x=\"%.2f%%\" y=\"9\" width=\"%.2f%%\" "
	         "height=\"2\"></rect><svg x=\"%.2f%%\"><path class=\"mark\" d=\"M0 "
	         "10%s\"></path></svg></svg>",
	         shapes[k].name, x, scale, f.lo * scale, (fmin(f.hi, most) - f.lo) * scale, x,
	         shapes[k].path);
	free(verdict);
	while (cmark_node_first_child(cell))
		cmark_node_free(cmark_node_first_child(cell));
	cmark_node *drawing = cmark_node_new(CMARK_NODE_CUSTOM_INLINE);
	cmark_node_set_on_enter(drawing, html);
	put_in_cell(cell, CMARK_NODE_STRONG, drawing);
}

static void draw_bars(cmark_node *table)
{
	double most = 1;
	for (unsigned pass = 0; pass < 3; pass++)
		for (cmark_node *row = cmark_node_next(cmark_node_first_child(table)); row;
		     row = cmark_node_next(row)) {
			cmark_node *cell = cmark_node_last_child(row);
			const struct figure f = figure_of(cmark_node_previous(cell));
			if (pass == 2)
				draw_bar(cell, most);
			else if (!pass || f.hi < MOST_SPREAD * most)
				most = fmax(most, pass ? f.hi : f.at);
		}
}

/* Each cell has its column's head too, which a phone shows beside it. */
static void complete_table(cmark_node *table)
{
	cmark_node *heads = cmark_node_first_child(table);
	char *last = text_of(cmark_node_last_child(heads));
	if (last && !strncmp(last, "░ ", strlen("░ "))) {
		cmark_node_set_literal(cmark_node_first_child(cmark_node_last_child(heads)),
		                       last + strlen("░ "));
		draw_bars(table);
	}
	free(last);
	unsigned column = 0;
	for (cmark_node *head = cmark_node_first_child(heads); head;
	     head = cmark_node_next(head), column++) {
		char *text = text_of(head);
		for (cmark_node *row = cmark_node_next(heads); text && row;
		     row = cmark_node_next(row)) {
			cmark_node *cell = cmark_node_first_child(row),
			           *label = cmark_node_new(CMARK_NODE_TEXT);
			for (unsigned c = 0; c < column; c++)
				cell = cmark_node_next(cell);
			cmark_node_set_literal(label, text);
			put_in_cell(cell, CMARK_NODE_EMPH, label);
		}
		free(text);
	}
}

static bool is_in_cell(cmark_node *node)
{
	return !strcmp(cmark_node_get_type_string(cmark_node_parent(node)), "table_cell");
}

static cmark_node *new_block(const char *enter, const char *exit)
{
	cmark_node *block = cmark_node_new(CMARK_NODE_CUSTOM_BLOCK);
	cmark_node_set_on_enter(block, enter);
	cmark_node_set_on_exit(block, exit);
	return block;
}

/* The paragraph of links that a page begins with. */
static void put_contents(cmark_node *document)
{
	cmark_node *first = cmark_node_first_child(document), *nav;
	if (!first || !cmark_node_first_child(first) ||
	    cmark_node_get_type(cmark_node_first_child(first)) != CMARK_NODE_LINK)
		return;
	nav = new_block("<nav>", "</nav>");
	cmark_node_insert_before(first, nav);
	cmark_node_append_child(nav, first);
}

static bool is_picture(cmark_node *block)
{
	cmark_node *first = cmark_node_first_child(block);
	return first && cmark_node_get_type(first) == CMARK_NODE_IMAGE;
}

static bool is_heading(cmark_node *block, const char *title)
{
	char *text = cmark_node_get_type(block) == CMARK_NODE_HEADING ? text_of(block) : NULL;
	const bool is = text && !strcmp(text, title);
	free(text);
	return is;
}

/* Page 1 after its headline, if it has a picture: the strip with its names, that, what to do and
 * whether to believe it are cells of one block. */
static void put_front(cmark_node *document)
{
	cmark_node *node = cmark_node_first_child(document), *front, *strip, *rest, *trust;
	while (node && !(cmark_node_get_type(node) == CMARK_NODE_HEADING &&
	                 cmark_node_get_heading_level(node) == 1))
		node = cmark_node_next(node);
	cmark_node *picture = node ? cmark_node_next(node) : NULL;
	while (picture && !is_picture(picture) &&
	       cmark_node_get_type(picture) != CMARK_NODE_HEADING)
		picture = cmark_node_next(picture);
	if (!picture || !is_picture(picture))
		return;
	front = new_block("<div class=\"front\">", "</div>");
	strip = new_block("<div>", "</div>");
	rest = new_block("<div>", "</div>");
	trust = new_block("<div>", "</div>");
	cmark_node_insert_after(node, front);
	cmark_node_append_child(front, strip);
	while ((node = cmark_node_next(front)) != picture)
		cmark_node_append_child(strip, node);
	cmark_node_append_child(front, picture);
	cmark_node_append_child(front, rest);
	while ((node = cmark_node_next(front)) && !is_heading(node, PAGE_1_ENDS)) {
		if (is_heading(node, PAGE_1_TRUST)) {
			cmark_node_insert_after(rest, trust);
			rest = trust;
		}
		cmark_node_append_child(rest, node);
	}
}

/* A name such as NCCL_BUFFSIZE is broken after an underscore, and nowhere else. */
static void part_names(cmark_node *node)
{
	const char *text = cmark_node_get_literal(node), *end;
	while ((end = strpbrk(text, "_")) && end[1]) {
		char *first = strndup(text, (size_t)(end + 1 - text)), *rest = strdup(end + 1);
		cmark_node *part = cmark_node_new(CMARK_NODE_TEXT);
		if (first && rest && cmark_node_set_literal(part, first) &&
		    cmark_node_insert_before(node, part)) {
			put_inline(node, "<wbr>");
			cmark_node_set_literal(node, rest);
		}
		free(first);
		free(rest);
		text = cmark_node_get_literal(node);
	}
}

static void complete(cmark_node *document, const char *dir)
{
	for (cmark_node *node = cmark_node_first_child(document); node;
	     node = cmark_node_next(node))
		if (!strcmp(cmark_node_get_type_string(node), "table"))
			complete_table(node);
	put_front(document);
	cmark_iter *iter = cmark_iter_new(document);
	cmark_event_type event;
	unsigned pictures = 0;
	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
		cmark_node *node = cmark_iter_get_node(iter);
		if (event == CMARK_EVENT_EXIT && cmark_node_get_type(node) == CMARK_NODE_IMAGE)
			embed(node, dir, ++pictures);
		else if (event == CMARK_EVENT_EXIT &&
		         cmark_node_get_type(node) == CMARK_NODE_HEADING)
			put_anchor(node);
		else if (cmark_node_get_type(node) == CMARK_NODE_TEXT) {
			if (is_in_cell(node))
				bind_figure(node);
			part_names(node);
		}
	}
	cmark_iter_free(iter);
	put_contents(document);
}

int html_write(const char *markdown, const char *dir, const char *title, FILE *out,
               struct status *st)
{
	cmark_gfm_core_extensions_ensure_registered();
	cmark_parser *parser = cmark_parser_new(CMARK_OPT_DEFAULT);
	cmark_syntax_extension *table = cmark_find_syntax_extension("table");
	if (!parser || !table)
		return status_set(st, "out of memory for the report's HTML");
	cmark_parser_attach_syntax_extension(parser, table);
	cmark_parser_feed(parser, markdown, strlen(markdown));
	cmark_node *document = cmark_parser_finish(parser);
	complete(document, dir);
	char *body = cmark_render_html(document, CMARK_OPT_DEFAULT,
	                               cmark_parser_get_syntax_extensions(parser));
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
	      out);
	markup_escape(out, title);
	fprintf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n%s</body>\n</html>\n", style,
	        body ? body : "");
	free(body);
	cmark_node_free(document);
	cmark_parser_free(parser);
	return 0;
}
