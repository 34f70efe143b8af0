/* Pages as HTML: one file with its pictures in it, so that it can be sent and read anywhere: no
 * network, no script. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "../markup.h"
#include "page.h"

#define FIGURE_BYTES 40 /* longer is a text that begins with a digit */

// clang-format off
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--back:#fff;--line:#d0d7de;--soft:#f6f8fa;--pale:#57606a;--link:#0550ae;--up:#0969da;--down:#bc4c00}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--back:#0d1117;--line:#30363d;--soft:#161b22;--pale:#9198a1;--link:#79c0ff;--up:#58a6ff;--down:#f0883e}"
    "img{filter:invert(.93) hue-rotate(180deg) brightness(1.3)}}"
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
    "th{background:var(--soft);text-wrap:balance}th:not([align=right]){text-align:left}td[align=right]{white-space:nowrap}td>em{display:none}"
    /* The bar to the estimate, its interval, a line where the reference is, and a mark of the verdict's shape. */
    "svg{display:block;width:100%;min-width:5.5rem;height:20px;overflow:visible;color:var(--pale)}svg svg{color:inherit;min-width:0}table:has(svg) td{white-space:nowrap}svg.up{color:var(--up)}svg.down{color:var(--down)}"
    "svg *{fill:currentColor}svg path{stroke:currentColor}svg .to{opacity:.3}"
    "svg .one{stroke:var(--ink);stroke-dasharray:2}svg.open .mark{fill:var(--back)}"
    /* A table's cells one below the other. A picture is whole, and readable once it is touched. */
    "@media(max-width:36rem){.picture:not(:target)::after{content:'Tap to enlarge';font-size:.85rem;color:var(--pale)}body{padding:1rem .8rem 3rem}h1{font-size:1.5rem}table,tbody,tr,th,td{display:block;width:auto;max-width:none}thead{display:none}"
    "tr{padding:.4rem 0;border-bottom:1px solid var(--line)}td{border:0;padding:.1rem 0;text-align:right;min-height:1.2rem}"
    "td:first-child{text-align:left;font-weight:600}td:not(:first-child)>em{font-style:normal;display:block;float:left;font-weight:400;color:var(--pale);padding-right:1rem}"
    "table:has(svg) tr{display:grid;grid-template-columns:1fr auto}table:has(svg) td:nth-child(3){grid-area:1/2}table:has(svg) td:nth-child(2){text-align:left}"
    "table:has(svg) thead{display:block}thead tr{padding:0;border:0}table:has(svg) th:not(:first-child,:nth-last-child(2)){display:none}table:has(svg) td:last-child{grid-column:1/3}table:has(svg) td:nth-child(n+3)>em{display:none}}"
    /* Its edge is one colour: dark pages turn all of a picture round. */
    "img{display:block;width:100%;max-width:56rem;height:auto;background:#fff;border:1px solid #d0d7de;border-radius:4px}"
    /* Page 1 in one screen: the picture beside the strip and what follows that. */
    "@media(min-width:64rem){.front{display:grid;grid-template:auto auto 1fr/minmax(0,1fr) minmax(0,1fr);gap:0 1.4rem}.front>*{grid-area:2/1/4/2}.front>:first-child{grid-area:1/1}.front>.trust{grid-area:3/2}.front>p{grid-area:1/2/3/3;margin:.8rem 0}"
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

/* A name such as NCCL_BUFFSIZE is broken after an underscore, and nowhere else. */
static void put(FILE *out, const char *text)
{
	for (size_t n; *text; text += n) {
		char part[PAGE_TEXT_BYTES];
		n = strcspn(text, "_");
		n += text[n] == '_';
		snprintf(part, sizeof part, "%.*s", (int)n, text);
		markup_escape(out, part);
		fputs(text[n] ? "<wbr>" : "", out);
	}
}

#define LINE_PIXELS   24 /* of page 1, whose columns have room for so many characters */
#define LINE_CHARS    60
#define COLUMN_PIXELS 600

static void put_heading(struct page *p, unsigned level, const char *text)
{
	char anchor[128];
	/* Below the picture, if that is the shorter column. */
	if (p->front && p->left > p->right && !strcmp(text, PAGE_1_TRUST))
		fputs("</div>\n<div class=\"trust\">\n", p->out);
	p->left += 2 * LINE_PIXELS;
	page_anchor(text, anchor, sizeof anchor);
	fprintf(p->out, "<h%u><a id=\"%s\"></a>", level, anchor);
	put(p->out, text);
	fprintf(p->out, "</h%u>\n", level);
}

static void put_text(struct page *p, enum page_text as, const char *text)
{
	static const char *const around[][2] = {[PAGE_SAY] = {"<p>", "</p>\n"},
	                                        [PAGE_STRESS] = {"<p><strong>", "</strong></p>\n"},
	                                        [PAGE_ITEM] = {"<li>", "</li>\n"}};
	p->left += (unsigned)(1 + strlen(text) / LINE_CHARS) * LINE_PIXELS;
	if (as == PAGE_ITEM && !p->listing)
		fputs("<ul>\n", p->out);
	p->listing |= as == PAGE_ITEM;
	fputs(around[as][0], p->out);
	put(p->out, text);
	fputs(around[as][1], p->out);
}

static void end_list(struct page *p)
{
	if (p->listing)
		fputs("</ul>\n", p->out);
	p->listing = false;
}

static void put_code(struct page *p, const char *text)
{
	fputs("<pre><code>", p->out);
	markup_escape(p->out, text);
	fputs("\n</code></pre>\n", p->out);
}

static void put_link(FILE *out, const char *before, const char *to, const char *text)
{
	fprintf(out, "%s<a href=\"", before);
	markup_escape(out, to);
	fputs("\">", out);
	put(out, text);
	fputs("</a>", out);
}

static void put_files(struct page *p, const char *what, const char *const *files, unsigned n)
{
	fputs("<p>", p->out);
	put(p->out, what);
	for (unsigned i = 0; i < n; i++)
		put_link(p->out, i ? ", " : ": ", files[i], files[i]);
	fputs(".</p>\n", p->out);
}

/* Those that a page begins with are its contents. */
static void put_links(struct page *p, const char *const *headings, unsigned n)
{
	fputs(p->opened ? "<p>" : "<nav>\n<p>", p->out);
	for (unsigned i = 0; i < n; i++) {
		char to[128] = "#";
		page_anchor(headings[i], to + 1, sizeof to - 1);
		put_link(p->out, i ? " · " : "", to, headings[i]);
	}
	fputs(p->opened ? "</p>\n" : "</p>\n</nav>\n", p->out);
}

/* --- pictures ---------------------------------------------------------------------------- */

static void put_base64(FILE *in, FILE *out)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char b[3];
	for (size_t n; (n = fread(b, 1, 3, in)) > 0;) {
		const unsigned bits =
		    (unsigned)b[0] << 16 | (n > 1 ? (unsigned)b[1] << 8 : 0) | (n > 2 ? b[2] : 0);
		for (unsigned i = 0; i < 4; i++)
			fputc(i > n ? '=' : digits[bits >> (18 - 6 * i) & 63], out);
	}
}

/* Of a picture in a column of page 1; 0: not known. */
static unsigned pixels_of(FILE *in)
{
	char head[1024] = "";
	double width = 1, height = 0;
	head[fread(head, 1, sizeof head - 1, in)] = '\0';
	rewind(in);
	const char *box = strstr(head, "viewBox=\"0 0 ");
	if (box)
		sscanf(box, "viewBox=\"0 0 %lf %lf", &width, &height);
	return width > 0 ? (unsigned)(COLUMN_PIXELS * height / width) : 0;
}

/* It opens large without a script: a link on the picture leads to the picture's own address. A
 * second link, over it, leads to the place before it. */
static void put_image(struct page *p, FILE *in, const char *kind, const char *alt)
{
	const unsigned nth = ++p->pictures;
	p->right = pixels_of(in);
	fprintf(p->out,
	        "<p><a id=\"at-picture-%u\"></a><span class=\"picture\" id=\"picture-%u\"><a "
	        "href=\"#picture-%u\"><img alt=\"",
	        nth, nth, nth);
	markup_escape(p->out, alt);
	fprintf(p->out, "\" src=\"data:image/%s;base64,", kind);
	put_base64(in, p->out);
	fprintf(p->out, "\"></a><a class=\"close\" href=\"#at-picture-%u\">close</a></span></p>\n",
	        nth);
}

static void put_picture(struct page *p, const char *name, const char *caption, bool says)
{
	static const char *const kinds[][2] = {{"svg", "svg+xml"}, {"png", "png"}};
	FILE *in = NULL;
	if (says)
		put_text(p, PAGE_SAY, caption);
	fputs(p->front ? "</div>\n" : "", p->out);
	for (unsigned k = 0; k < 2 && !in; k++) {
		in = fopen(arena_text(p->arena, "%s/plots/%s.%s", p->dir, name, kinds[k][0]), "rb");
		if (in)
			put_image(p, in, kinds[k][1], caption[0] ? caption : name);
	}
	if (in)
		fclose(in);
	fputs(p->front ? "<div>\n" : "", p->out);
}

static void put_front(struct page *p, bool begins)
{
	if (begins || p->front)
		fputs(begins ? "<div class=\"front\">\n<div>\n" : "</div>\n</div>\n", p->out);
	p->front = begins;
	p->left = p->right = 0;
}

/* --- tables ------------------------------------------------------------------------------ */

/* A number stays with its unit. */
static void put_words(FILE *out, const char *text)
{
	char bound[2 * ENTRY_TEXT_BYTES];
	snprintf(bound, sizeof bound, "%s", text);
	page_bind_units(bound, sizeof bound);
	markup_escape(out, bound);
}

/* Of a cell "0.992 (0.990 to 0.996)" and "16 MiB": a narrow screen breaks it before the interval,
 * and nowhere else. */
static void put_cell(FILE *out, const char *text)
{
	char bound[2 * ENTRY_TEXT_BYTES], *to = bound;
	bool within = false;
	if (!isdigit((unsigned char)*text) || strlen(text) > FIGURE_BYTES) {
		put_words(out, text);
		return;
	}
	for (; *text; text++) {
		within |= *text == '(';
		const bool breaks = *text != ' ' || (!within && text[1] == '(');
		to += sprintf(to, "%.*s", breaks ? 1 : 2, breaks ? text : "\u00a0");
	}
	markup_escape(out, bound);
}

#define BAR_WIDTH 93 /* % of the drawing, so that a mark has room at its end */

/* What the terminal draws of characters, with the shape of the verdict before it. */
static void put_bar(FILE *out, const struct story_table *t, unsigned row, const char *verdict)
{
	static const struct {
		const char *text, *name, *path;
	} shapes[] = {{"▲", "up", "m-6 5h12l-6-11z"},
	              {"▼", "down", "m-6-5h12l-6 11z"},
	              {"?", "open", "m-6 0 6-6 6 6-6 6z"},
	              {"", "same", "m-4-4h8v8h-8z"}};
	const struct entry e = table_bar(t, row),
	                   *ratio = &story_row(t, row)[t->form->columns[table_bars(t)].at];
	const bool spans = isfinite(e.lo);
	if (!e.has)
		return;
	const double at = e.x, lo = spans ? e.lo : at, hi = spans ? e.hi : at,
	             one = ratio->has ? at / ratio->x : at, most = table_longest_bar(t),
	             scale = BAR_WIDTH / most, x = at * scale;
	unsigned k = 0;
	while (strncmp(verdict, shapes[k].text, strlen(shapes[k].text)) != 0)
		k++;
	fprintf(out,
	        "<strong><svg class=\"%s\" aria-hidden=\"true\"><rect class=\"to\" y=\"6\" "
	        "width=\"%.2f%%\" height=\"8\"></rect><svg x=\"%.2f%%\"><path class=\"one\" "
	        "d=\"M0 0v20\"></path></svg><rect x=\"%.2f%%\" y=\"9\" width=\"%.2f%%\" "
	        "height=\"2\"></rect><svg x=\"%.2f%%\"><path class=\"mark\" d=\"M0 "
	        "10%s\"></path></svg></svg></strong>",
	        shapes[k].name, x, one * scale, lo * scale, (fmin(hi, most) - lo) * scale, x,
	        shapes[k].path);
}

/* Each cell has its column's head too, which a phone shows beside it. */
static void put_row(FILE *out, const struct story_table *t, const struct grid *g, unsigned row)
{
	const char *const *texts = g->texts + (size_t)row * g->ncolumns, *tag = row ? "td" : "th";
	const unsigned bars = g->ncolumns > t->form->ncolumns ? table_bars(t) : 0;
	for (unsigned c = 0; c < g->ncolumns; c++) {
		const bool bar = c == t->form->ncolumns, bold = table_is_bold(t, row, c, texts[c]);
		const char *head = g->texts[c] + (bar ? strlen("░ ") : 0);
		fprintf(out, "<%s%s>%s", tag, g->left[c] ? "" : " align=\"right\"",
		        row ? "<em>" : "");
		(row ? put : put_words)(out, head);
		fputs(row ? "</em>" : "", out);
		fputs(bold ? "<strong>" : "", out);
		if (row && bar)
			put_bar(out, t, row - 1, texts[bars - 1]);
		else if (row)
			(bold ? put : put_cell)(out, texts[c]);
		fprintf(out, bold ? "</strong></%s>\n" : "</%s>\n", tag);
	}
}

static void put_table(struct page *p, const struct story_table *t)
{
	const struct grid g = table_grid(p->arena, t, p->bars);
	p->left += g.nrows * LINE_PIXELS;
	for (unsigned r = 0; r < g.nrows; r++) {
		fputs(!r ? "<table>\n<thead>\n" : r == 1 ? "<tbody>\n" : "", p->out);
		fputs("<tr>\n", p->out);
		put_row(p->out, t, &g, r);
		fputs(r ? "</tr>\n" : "</tr>\n</thead>\n", p->out);
	}
	fputs("</tbody>\n</table>\n", p->out);
}

static void put_begin(struct page *p, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
	      p->out);
	markup_escape(p->out, title);
	fprintf(p->out, "</title>\n<style>%s</style>\n</head>\n<body>\n", style);
}

static void put_end(struct page *p)
{
	fputs("</body>\n</html>\n", p->out);
}

const struct page_form page_html = {.begin = put_begin,
                                    .end = put_end,
                                    .heading = put_heading,
                                    .text = put_text,
                                    .end_list = end_list,
                                    .table = put_table,
                                    .code = put_code,
                                    .picture = put_picture,
                                    .files = put_files,
                                    .links = put_links,
                                    .front = put_front};
