#include "table.h"

#include <math.h>
#include <string.h>

#include "../sanitize.h"
#include "../terminal.h"

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

static bool is_text(enum column_kind kind)
{
	return kind == KIND_TEXT || kind == KIND_WORD;
}

/* Row 0 is the head. */
static void cell_text(const struct story_table *t, unsigned row, unsigned column,
                      char text[ENTRY_TEXT_BYTES])
{
	const struct column *c = &t->form->columns[column];
	const struct entry e = row ? entry_at(t, row - 1, column) : entry_none(KIND_TEXT);
	if (row)
		entry_write(&e, text, ENTRY_TEXT_BYTES);
	else
		snprintf(text, ENTRY_TEXT_BYTES, "%s%s%s", c->head,
		         c->unit[0] && c->head[0] ? ", " : "", c->unit);
	sanitize_end(text);
}

/* --- bars --- */

#define MOST_SPREAD 1.5 /* an interval's end that is farther than so many times is cut */
#define LEAST_BAR   10  /* columns; in fewer none is drawn */
#define MOST_BAR    40
#define PAGE_BAR    20 /* in Markdown */

/* Full up to the interval's lower end, light up to its upper end. */
static const char *bar_text(struct arena *arena, const struct entry *e, double scale, unsigned room,
                            bool utf8)
{
	const bool spans = e->has && isfinite(e->lo);
	const char *const full = utf8 ? "█" : "#", *const light = utf8 ? "░" : "-";
	const double to = !e->has ? 0 : spans ? e->lo : e->x, ends = spans ? e->hi : to;
	const unsigned n = (unsigned)(to * scale + 0.5);
	unsigned all = (unsigned)(ends * scale + 0.5);
	all = all > room ? room : all;
	char text[4 * MOST_BAR + 1] = "";
	for (unsigned i = 0; i < all; i++)
		strcat(text, i < n ? full : light);
	return arena_copy(arena, text);
}

struct entry table_bar(const struct story_table *t, unsigned row)
{
	struct entry e =
	    t->form->bar ? story_row(t, row)[t->form->bar - 1] : entry_at(t, row, table_bars(t));
	bool other = e.has;
	for (unsigned c = 0; c < t->form->ncolumns; c++) {
		const struct entry word = entry_at(t, row, c);
		other |= word.kind == KIND_WORD && word.has && strcmp(word.text, "reference") != 0;
	}
	return other ? e : (struct entry){.kind = KIND_RATIO, .has = true, .x = 1, .lo = NAN};
}

double table_longest_bar(const struct story_table *t)
{
	double most = 1;
	for (unsigned r = 0; r < t->nrows; r++) {
		const struct entry e = table_bar(t, r);
		if (e.has && e.x > most)
			most = e.x;
	}
	for (unsigned r = 0; r < t->nrows; r++) {
		const struct entry e = table_bar(t, r);
		if (e.has && isfinite(e.hi) && e.hi > most && e.hi < MOST_SPREAD * most)
			most = e.hi;
	}
	return most;
}

unsigned table_bars(const struct story_table *t)
{
	unsigned bars = 0;
	for (unsigned c = 1; t->form->bars && c < t->form->ncolumns; c++)
		if (!strcmp(t->form->columns[c].key, t->form->bars))
			bars = c;
	return bars;
}

/* Into the last column of the grid. */
static void put_bars(struct arena *arena, const struct story_table *t, const struct grid *g,
                     unsigned room, bool utf8)
{
	const unsigned n = g->ncolumns;
	const double most = table_longest_bar(t);
	g->left[n - 1] = true;
	g->texts[n - 1] = utf8 ? "░ interval" : "- interval";
	for (unsigned r = 0; r < t->nrows; r++) {
		const struct entry e = table_bar(t, r);
		g->texts[(size_t)(r + 2) * n - 1] = bar_text(arena, &e, room / most, room, utf8);
	}
}

/* Of the first columns, with room for one more if that has bars. */
static struct grid grid_of(struct arena *arena, const struct story_table *t, unsigned columns,
                           bool bars)
{
	const unsigned n = columns + bars;
	struct grid g = {.ncolumns = n,
	                 .nrows = t->nrows + 1,
	                 .texts = ARENA_ARRAY(arena, const char *, (size_t)n *(t->nrows + 1)),
	                 .left = ARENA_ARRAY(arena, bool, n)};
	char text[ENTRY_TEXT_BYTES];
	for (unsigned r = 0; r < g.nrows; r++) {
		for (unsigned c = 0; c < columns; c++) {
			cell_text(t, r, c, text);
			g.texts[(size_t)r * n + c] = arena_copy(arena, text);
			g.left[c] = !c || is_text(t->form->columns[c].kind);
		}
		if (bars)
			g.texts[(size_t)r * n + columns] = "";
	}
	return g;
}

struct grid table_grid(struct arena *arena, const struct story_table *t, bool bars)
{
	bars &= table_bars(t) > 0;
	const struct grid g = grid_of(arena, t, t->form->ncolumns, bars);
	if (bars)
		put_bars(arena, t, &g, PAGE_BAR, true);
	return g;
}

bool table_is_bold(const struct story_table *t, unsigned row, unsigned column, const char *text)
{
	return row && column < t->form->ncolumns && t->form->columns[column].kind == KIND_WORD &&
	       entry_decided(text);
}

/* Where a column of verdicts is left out, a row without a ratio has its verdict's word there. */
static void put_words(struct arena *arena, const struct story_table *t, const struct grid *g,
                      unsigned bars)
{
	for (unsigned r = 0; r < t->nrows; r++) {
		const struct entry word = entry_at(t, r, t->form->ncolumns - 1);
		if (*word.text && !entry_at(t, r, bars).has)
			g->texts[(size_t)(r + 1) * g->ncolumns + bars] =
			    arena_text(arena, "%.*s", (int)strcspn(word.text, ":"), word.text);
	}
}

void table_write_text(struct arena *arena, const struct story_table *t, bool with_bars, FILE *out,
                      unsigned indent, unsigned width)
{
	const unsigned bars = with_bars ? table_bars(t) : 0, all = t->form->ncolumns;
	unsigned used = 0, columns = all;
	if (!t->nrows)
		return;
	const struct arena_mark mark = arena_mark(arena);
	struct grid g = grid_of(arena, t, all, false);
	for (unsigned c = 0; c < all; c++)
		used += grid_column_width(&g, c) + 2;
	if (bars && used > width + 2 && bars < all - 1 &&
	    t->form->columns[all - 1].kind == KIND_WORD)
		used -= grid_column_width(&g, --columns) + 2;
	const bool drawn = bars && used + LEAST_BAR <= width;
	g = grid_of(arena, t, columns, drawn);
	if (columns < all)
		put_words(arena, t, &g, bars);
	if (drawn)
		put_bars(arena, t, &g, width - used < MOST_BAR ? width - used : MOST_BAR,
		         terminal_has_utf8());
	grid_write(arena, &g, out, indent, width);
	arena_release(arena, mark);
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
