#include "table.h"

#include <math.h>
#include <string.h>

#include "../sanitize.h"
#include "../terminal.h"
#include "grid.h"

/* --- some of the columns --- */

void table_less(const struct story_table *told, unsigned less, struct table *out)
{
	out->told = *told;
	out->form = *told->form;
	out->told.form = &out->form;
	out->form.columns = out->columns;
	out->form.ncolumns = 0;
	for (unsigned c = 0; c < told->form->ncolumns && out->form.ncolumns < TABLE_COLUMNS; c++)
		if (!(told->form->columns[c].only & less))
			out->columns[out->form.ncolumns++] = told->form->columns[c];
}

static void drop_column(struct table *t, unsigned column)
{
	t->form.ncolumns--;
	memmove(&t->columns[column], &t->columns[column + 1],
	        (t->form.ncolumns - column) * sizeof *t->columns);
}

void table_keep(struct table *t, const char *keys)
{
	for (unsigned c = t->form.ncolumns; c-- > 0;) {
		const char *key = t->columns[c].key, *at = keys;
		const size_t n = strlen(key);
		while ((at = strstr(at, key)) &&
		       !((at == keys || at[-1] == ' ') && (!at[n] || at[n] == ' ')))
			at += n;
		if (!at)
			drop_column(t, c);
	}
}

static struct entry entry_at(const struct story_table *t, unsigned row, unsigned column)
{
	return story_row(t, row)[t->form->columns[column].at];
}

void table_drop_empty(struct table *t)
{
	for (unsigned c = t->form.ncolumns; c-- > 0 && t->told.nrows;) {
		bool any = false;
		for (unsigned r = 0; r < t->told.nrows && !any; r++) {
			const struct entry e = entry_at(&t->told, r, c);
			any = e.has && (e.kind != KIND_FLAG || e.count);
		}
		if (!any)
			drop_column(t, c);
	}
}

void table_drop_common(struct table *t, char *said, size_t bytes)
{
	said[0] = '\0';
	for (unsigned c = 1; t->form.common && t->told.nrows > 1 && c < t->form.ncolumns;) {
		const struct entry first = entry_at(&t->told, 0, c);
		bool common = first.kind == KIND_TEXT;
		for (unsigned r = 1; r < t->told.nrows && common; r++)
			common = !strcmp(first.text, entry_at(&t->told, r, c).text);
		if (!common) {
			c++;
			continue;
		}
		if (first.has)
			status_add(said, bytes, "%s%s %s", *said ? ", " : "", t->columns[c].head,
			           first.text);
		drop_column(t, c);
	}
}

/* --- for people --- */

static void cell_text(const struct story_table *t, unsigned row, unsigned column,
                      char text[ENTRY_TEXT_BYTES])
{
	const struct entry e = entry_at(t, row, column);
	entry_write(&e, text, ENTRY_TEXT_BYTES);
	sanitize_end(text);
}

static void head_text(const struct column *c, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s%s%s", c->head, c->unit[0] && c->head[0] ? ", " : "", c->unit);
}

static bool is_text(enum column_kind kind)
{
	return kind == KIND_TEXT || kind == KIND_WORD;
}

static bool is_left(const struct story_table *t, unsigned column)
{
	return is_text(t->form->columns[column].kind) || column == 0;
}

/* --- bars --- */

#define MOST_SPREAD 1.5 /* an interval's end that is farther than so many times is cut */
#define LEAST_BAR   10  /* columns; in fewer none is drawn */
#define MOST_BAR    40
#define PAGE_BAR    20 /* in Markdown */

/* Full up to the interval's lower end, light up to its upper end; 1 is the reference's, which has no
 * ratio. */
static const char *bar_text(struct arena *arena, const struct entry *e, double scale, unsigned room,
                            bool utf8)
{
	const bool spans = e->has && isfinite(e->lo);
	const char *const full = utf8 ? "█" : "#", *const light = utf8 ? "░" : "-";
	const double to = !e->has ? 1 : spans ? e->lo : e->x, ends = spans ? e->hi : to;
	const unsigned n = (unsigned)(to * scale + 0.5);
	unsigned all = (unsigned)(ends * scale + 0.5);
	all = all > room ? room : all;
	char text[4 * MOST_BAR + 1] = "";
	for (unsigned i = 0; i < all; i++)
		strcat(text, i < n ? full : light);
	return arena_copy(arena, text);
}

static double longest_bar(const struct story_table *t, unsigned column)
{
	double most = 1;
	for (unsigned r = 0; r < t->nrows; r++) {
		const struct entry e = entry_at(t, r, column);
		if (e.has && e.x > most)
			most = e.x;
	}
	for (unsigned r = 0; r < t->nrows; r++) {
		const struct entry e = entry_at(t, r, column);
		if (e.has && isfinite(e.hi) && e.hi > most && e.hi < MOST_SPREAD * most)
			most = e.hi;
	}
	return most;
}

/* In the column after that of the form's bars, if there is room beside the others. */
static bool draw_bars(struct arena *arena, const struct story_table *t, struct grid *g,
                      unsigned width)
{
	const unsigned column = g->ncolumns - 2, n = g->ncolumns;
	unsigned used = 0;
	for (unsigned c = 0; c <= column; c++)
		used += grid_column_width(g, c) + 2;
	if (used + LEAST_BAR > width)
		return false;
	const unsigned room = width - used < MOST_BAR ? width - used : MOST_BAR;
	const double most = longest_bar(t, column);
	for (unsigned r = 0; r < t->nrows; r++) {
		const struct entry e = entry_at(t, r, column);
		g->texts[(size_t)(r + 1) * n + column + 1] =
		    bar_text(arena, &e, room / most, room, terminal_has_utf8());
	}
	g->left[column + 1] = true;
	g->texts[column + 1] = terminal_has_utf8() ? "░ interval" : "- interval";
	return true;
}

/* The column of the form's bars; 0: there are none. */
static unsigned bars_of(const struct story_table *t)
{
	unsigned bars = 0;
	for (unsigned c = 1; t->form->bars && c < t->form->ncolumns; c++)
		if (!strcmp(t->form->columns[c].key, t->form->bars))
			bars = c;
	return bars;
}

/* --- a terminal --- */

void table_write_text(struct arena *arena, const struct story_table *t, bool with_bars, FILE *out,
                      unsigned indent, unsigned width)
{
	const unsigned bars = with_bars ? bars_of(t) : 0, n = bars ? bars + 2 : t->form->ncolumns,
	               told = bars ? bars + 1 : n;
	char text[ENTRY_TEXT_BYTES];
	if (!t->nrows)
		return;
	const struct arena_mark mark = arena_mark(arena);
	struct grid grid = {.ncolumns = n,
	                    .nrows = t->nrows + 1,
	                    .texts = ARENA_ARRAY(arena, const char *, (size_t)n *(t->nrows + 1)),
	                    .left = ARENA_ARRAY(arena, bool, n)};
	for (unsigned c = 0; c < told; c++) {
		grid.left[c] = is_left(t, c);
		head_text(&t->form->columns[c], text, sizeof text);
		grid.texts[c] = arena_copy(arena, text);
	}
	for (unsigned r = 0; r < t->nrows; r++)
		for (unsigned c = 0; c < told; c++) {
			cell_text(t, r, c, text);
			grid.texts[(size_t)(r + 1) * n + c] = arena_copy(arena, text);
		}
	if (!bars || draw_bars(arena, t, &grid, width))
		grid_write(arena, &grid, out, indent, width);
	else
		table_write_text(arena, t, false, out, indent, width);
	arena_release(arena, mark);
}

void table_escape(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (strchr("|`*_<>[]&\\", c))
			fprintf(out, "\\%c", c);
		else
			fputc(c < ' ' || c == 0x7F ? ' ' : c, out);
	}
}

void table_write_markdown(const struct story_table *t, struct arena *arena, FILE *out)
{
	const struct column *columns = t->form->columns;
	const unsigned ncolumns = t->form->ncolumns, bars = arena ? bars_of(t) : 0;
	const double most = bars ? longest_bar(t, bars) : 1;
	char text[ENTRY_TEXT_BYTES];
	for (unsigned c = 0; c < ncolumns; c++) {
		head_text(&columns[c], text, sizeof text);
		fputs("| ", out);
		table_escape(out, text);
		fputc(' ', out);
	}
	fputs(bars ? "| ░ interval |\n" : "|\n", out);
	for (unsigned c = 0; c < ncolumns; c++)
		fputs(is_left(t, c) ? "|---" : "|---:", out);
	fputs(bars ? "|---|\n" : "|\n", out);
	for (unsigned r = 0; r < t->nrows; r++) {
		for (unsigned c = 0; c < ncolumns; c++) {
			const enum column_kind kind = columns[c].kind;
			cell_text(t, r, c, text);
			const bool bold = kind == KIND_WORD && entry_decided(text);
			fputs(bold ? "| **" : "| ", out);
			table_escape(out, text);
			fputs(bold ? "** " : " ", out);
		}
		const struct entry e = entry_at(t, r, bars);
		if (bars)
			fprintf(out, "| %s ", bar_text(arena, &e, PAGE_BAR / most, PAGE_BAR, true));
		fputs("|\n", out);
	}
	fputc('\n', out);
}

/* --- for programs --- */

static bool has_interval(enum column_kind kind)
{
	return kind == KIND_SPREAD || kind == KIND_RATIO;
}

bool table_ends_cdata(const char *begin, const char *at)
{
	return *at == '>' && at - begin >= 2 && at[-1] == ']' && at[-2] == ']';
}

/* How rows of CSV are written: the digits of a number, the text for no number, and whether gnuplot
 * reads them or a spreadsheet may. */
struct csv {
	int digits;
	const char *none;
	bool gnuplot;
};

static void csv_text(FILE *out, struct csv as, const char *text)
{
	const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "", *begin = text;
	fputs(quote, out);
	if (!as.gnuplot && *text && strchr("=+-@\t", *text))
		fputc('\'', out);
	for (; *text; text++) {
		if (*text == '"' || (as.gnuplot && table_ends_cdata(begin, text)))
			fputc(*text == '"' ? '"' : ' ', out);
		fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
	}
	fputs(quote, out);
}

void table_csv_text(FILE *out, const char *text)
{
	csv_text(out, (struct csv){.digits = 0}, text);
}

static void csv_number(FILE *out, struct csv as, double x)
{
	if (isfinite(x))
		fprintf(out, "%.*g", as.digits, x);
	else
		fputs(as.none, out);
}

static void csv_cell(FILE *out, struct csv as, const struct entry *e)
{
	if (is_text(e->kind))
		csv_text(out, as, e->text);
	else if (e->has && (e->kind == KIND_COUNT || e->kind == KIND_BYTES || e->kind == KIND_FLAG))
		fprintf(out, "%lld", e->count);
	else if (e->kind == KIND_SHARE && e->has)
		fprintf(out, "%.4g", e->x);
	else if (e->kind == KIND_NUMBER || has_interval(e->kind))
		csv_number(out, as, e->has ? e->x : NAN);
	for (unsigned i = 0; i < 2 && has_interval(e->kind); i++) {
		fputc(',', out);
		csv_number(out, as, !e->has ? NAN : i ? e->hi : e->lo);
	}
}

static void write_csv(const struct story_table *t, FILE *out, struct csv as)
{
	for (unsigned c = 0; c < t->form->ncolumns; c++) {
		const char *key = t->form->columns[c].key;
		fprintf(out, "%s%s", c ? "," : "", key);
		if (has_interval(t->form->columns[c].kind))
			fprintf(out, ",%s_lo,%s_hi", key, key);
	}
	fputc('\n', out);
	for (unsigned r = 0; r < t->nrows; r++) {
		for (unsigned c = 0; c < t->form->ncolumns; c++) {
			const struct entry e = entry_at(t, r, c);
			fputs(c ? "," : "", out);
			csv_cell(out, as, &e);
		}
		fputc('\n', out);
	}
}

void table_write_csv(const struct story_table *t, FILE *out)
{
	write_csv(t, out, (struct csv){6, "", false});
}

void table_write_gnuplot(const struct story_table *t, FILE *out)
{
	fprintf(out, "$%s <<EOD\n", t->form->name);
	write_csv(t, out, (struct csv){9, "NaN", true});
	fputs("EOD\n", out);
}

json_t *table_figure(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *entry_to_json(const struct entry *e)
{
	if (!e->has)
		return json_null();
	switch (e->kind) {
	case KIND_TEXT:
	case KIND_WORD:
		return json_string(e->text);
	case KIND_COUNT:
	case KIND_BYTES:
		return json_integer((json_int_t)e->count);
	case KIND_FLAG:
		return json_boolean(e->count);
	case KIND_SPREAD:
		return json_pack("{s:o, s:o, s:o}", "value", table_figure(e->x), "lo",
		                 table_figure(e->lo), "hi", table_figure(e->hi));
	case KIND_RATIO:
		return json_pack("{s:o, s:o, s:o, s:i}", "estimate", table_figure(e->x), "lo",
		                 table_figure(e->lo), "hi", table_figure(e->hi), "blocks",
		                 (int)e->blocks);
	default:
		return table_figure(e->x);
	}
}

json_t *table_to_json(const struct story_table *t)
{
	static const char *const kinds[KINDS] = {
	    [KIND_TEXT] = "text",   [KIND_WORD] = "verdict",  [KIND_COUNT] = "count",
	    [KIND_BYTES] = "bytes", [KIND_FLAG] = "flag",     [KIND_NUMBER] = "number",
	    [KIND_SHARE] = "share", [KIND_SPREAD] = "spread", [KIND_RATIO] = "ratio"};
	json_t *columns = json_array(), *rows = json_array();
	for (unsigned c = 0; c < t->form->ncolumns; c++) {
		const struct column *column = &t->form->columns[c];
		json_array_append_new(columns, json_pack("{s:s, s:s, s:s, s:s}", "key", column->key,
		                                         "head", column->head, "unit", column->unit,
		                                         "kind", kinds[column->kind]));
	}
	for (unsigned r = 0; r < t->nrows; r++) {
		json_t *row = json_array();
		for (unsigned c = 0; c < t->form->ncolumns; c++) {
			const struct entry e = entry_at(t, r, c);
			json_array_append_new(row, entry_to_json(&e));
		}
		json_array_append_new(rows, row);
	}
	return json_pack("{s:s, s:s, s:o, s:o}", "name", t->form->name, "title", t->form->title,
	                 "columns", columns, "rows", rows);
}
