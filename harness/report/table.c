#include "table.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../coll/coll.h"
#include "../analysis/words.h"
#include "../story/story.h"
#include "grid.h"

#define CELL_BYTES 1024

struct head {
	char *key, *head, *unit;
	enum table_kind kind;
};

struct table {
	char *name, *title;
	unsigned ncolumns, nrows;
	unsigned at; /* the next column of the last row */
	struct head *columns;
	struct table_value *cells; /* their texts are owned */
	bool failed;
	json_t *whole; /* as it was before columns were dropped for people; or NULL */
};

static const char *const kind_names[TABLE_KINDS] = {
    [TABLE_TEXT] = "text",     [TABLE_VERDICT] = "verdict", [TABLE_COUNT] = "count",
    [TABLE_BYTES] = "bytes",   [TABLE_FLAG] = "flag",       [TABLE_NUMBER] = "number",
    [TABLE_SPREAD] = "spread", [TABLE_RATIO] = "ratio",     [TABLE_SHARE] = "share"};

struct table *table_new(const char *name, const char *title)
{
	struct table *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->name = strdup(name);
	t->title = strdup(title);
	t->failed = !t->name || !t->title;
	return t;
}

static void column_clear(struct head *c)
{
	free(c->key);
	free(c->head);
	free(c->unit);
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->ncolumns; i++)
		column_clear(&t->columns[i]);
	for (size_t i = 0; i < (size_t)t->nrows * t->ncolumns; i++)
		free((char *)t->cells[i].text);
	free(t->columns);
	free(t->cells);
	free(t->name);
	free(t->title);
	json_decref(t->whole);
	free(t);
}

bool table_failed(const struct table *t)
{
	return !t || t->failed;
}

const char *table_title(const struct table *t)
{
	return t && t->title ? t->title : "";
}

unsigned table_rows(const struct table *t)
{
	return t ? t->nrows : 0;
}

void table_column(struct table *t, const char *key, const char *head, const char *unit,
                  enum table_kind kind)
{
	if (table_failed(t))
		return;
	assert(!t->nrows);
	struct head *more = realloc(t->columns, (t->ncolumns + 1) * sizeof *more);
	if (!more) {
		t->failed = true;
		return;
	}
	t->columns = more;
	more[t->ncolumns] = (struct head){strdup(key), strdup(head), strdup(unit), kind};
	const struct head *c = &more[t->ncolumns++];
	t->failed = !c->key || !c->head || !c->unit;
}

void table_columns(struct table *t, const struct table_column *columns, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		table_column(t, columns[i].key, columns[i].head, columns[i].unit,
		             columns[i].kind);
}

struct table *table_of(const char *name, const char *title, const struct table_column *columns,
                       unsigned n)
{
	struct table *t = table_new(name, title);
	table_columns(t, columns, n);
	return t;
}

void table_row(struct table *t)
{
	if (table_failed(t))
		return;
	size_t row = t->ncolumns;
	struct table_value *more = realloc(t->cells, (t->nrows + 1) * row * sizeof *more);
	if (!more) {
		t->failed = true;
		return;
	}
	t->cells = more;
	memset(&more[t->nrows * row], 0, row * sizeof *more);
	t->nrows++;
	t->at = 0;
}

#define KIND(kind) (1u << TABLE_##kind)

struct table_value table_of_text(const char *text)
{
	return (struct table_value){
	    .kinds = KIND(TEXT) | KIND(VERDICT), .has = text[0], .text = text};
}

struct table_value table_of_count(unsigned long long n)
{
	return (struct table_value){
	    .kinds = KIND(COUNT) | KIND(BYTES), .has = true, .count = n};
}

struct table_value table_of_flag(bool yes)
{
	return (struct table_value){.kinds = KIND(FLAG), .has = true, .count = yes};
}

struct table_value table_of_number(double x)
{
	return (struct table_value){
	    .kinds = KIND(NUMBER) | KIND(SHARE), .has = isfinite(x), .x = x};
}

struct table_value table_of_spread(double x, double lo, double hi)
{
	return (struct table_value){
	    .kinds = KIND(SPREAD), .has = isfinite(x), .x = x, .lo = lo, .hi = hi};
}

struct table_value table_of_ratio(const struct stats_ratio *ratio)
{
	return (struct table_value){.kinds = KIND(RATIO),
	                            .has = isfinite(ratio->estimate),
	                            .x = ratio->estimate,
	                            .lo = ratio->lo,
	                            .hi = ratio->hi,
	                            .blocks = ratio->blocks};
}

struct table_value table_of_none(void)
{
	return (struct table_value){.kinds = ~0u};
}

struct table_value table_of_known(bool known, unsigned long long n)
{
	return known ? table_of_count(n) : table_of_none();
}

/* A text that is no longer than a cell; cut between characters, not within one. */
static char *copied(const char *text)
{
	size_t n = strlen(text);
	if (n >= CELL_BYTES - 1)
		for (n = CELL_BYTES - 2; n && ((unsigned char)text[n] & 0xC0) == 0x80;)
			n--;
	return strndup(text, n);
}

void table_put(struct table *t, const struct table_value *values, unsigned n)
{
	for (unsigned i = 0; i < n && !table_failed(t); i++) {
		assert(t->nrows && t->at < t->ncolumns);
		assert(values[i].kinds & 1u << t->columns[t->at].kind);
		struct table_value *to =
		    &t->cells[(size_t)(t->nrows - 1) * t->ncolumns + t->at++];
		*to = values[i];
		to->text = to->has && to->text ? copied(to->text) : NULL;
		t->failed = to->has && values[i].text && !to->text;
	}
}

void table_add(struct table *t, const struct table_value *values, unsigned n)
{
	table_row(t);
	table_put(t, values, n);
}

void table_text(struct table *t, const char *format, ...)
{
	char text[CELL_BYTES];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	TABLE_PUT(t, CELL(text));
}

/* The kind that a told table's column has here. */
static enum table_kind kind_of(enum column_kind kind)
{
	static const enum table_kind kinds[KINDS] = {
	    [KIND_TEXT] = TABLE_TEXT,       [KIND_WORD] = TABLE_VERDICT,
	    [KIND_VERDICT] = TABLE_VERDICT, [KIND_COUNT] = TABLE_COUNT,
	    [KIND_BYTES] = TABLE_BYTES,     [KIND_FLAG] = TABLE_FLAG,
	    [KIND_NUMBER] = TABLE_NUMBER,   [KIND_SHARE] = TABLE_SHARE,
	    [KIND_SPREAD] = TABLE_SPREAD,   [KIND_RATIO] = TABLE_RATIO};
	return kinds[kind];
}

static void put_told(struct table *t, const struct entry *e)
{
	char text[CELL_BYTES];
	if (e->kind == KIND_VERDICT && e->has)
		verdict_text(e->verdict, text, sizeof text);
	const struct table_value value = {.kinds = ~0u,
	                                  .has = e->has,
	                                  .count = e->count,
	                                  .x = e->x,
	                                  .lo = e->lo,
	                                  .hi = e->hi,
	                                  .blocks = e->blocks,
	                                  .text = e->kind == KIND_VERDICT && e->has ? text
	                                                                            : e->text};
	table_put(t, &value, 1);
}

struct table *table_of_told(const struct story_table *told, unsigned less)
{
	const struct story_form *form = told->form;
	struct table *t = table_new(form->name, form->title);
	for (unsigned c = 0; c < form->ncolumns; c++)
		if (!(form->columns[c].only & less))
			table_column(t, form->columns[c].key, form->columns[c].head,
			             form->columns[c].unit, kind_of(form->columns[c].kind));
	for (unsigned r = 0; r < told->nrows; r++) {
		table_row(t);
		for (unsigned c = 0; c < form->ncolumns; c++) {
			const struct entry e =
			    column_entry(&form->columns[c], story_row(told, r));
			if (!(form->columns[c].only & less))
				put_told(t, &e);
		}
	}
	return t;
}

/* The first of a pivot's rows with the same entry in a column as its i-th. */
static unsigned first_with(const struct story_pivot *p, const struct column *column, unsigned i)
{
	char text[CELL_BYTES], other[CELL_BYTES];
	const struct entry e = column_entry(column, story_row(p->table, p->rows[i]));
	entry_write(&e, true, text, sizeof text);
	for (unsigned k = 0; k < i; k++) {
		const struct entry o = column_entry(column, story_row(p->table, p->rows[k]));
		entry_write(&o, true, other, sizeof other);
		if (!strcmp(text, other))
			return k;
	}
	return i;
}

struct table *table_of_pivot(const struct story_pivot *p)
{
	const struct column *down = story_column(p->table, p->down),
	                    *across = story_column(p->table, p->across),
	                    *value = story_column(p->table, p->value);
	struct table *t = table_new(p->table->form->name, p->table->form->title);
	unsigned *row_of = calloc(2 * (size_t)p->n + 1, sizeof *row_of),
	         *column_of = row_of ? row_of + p->n : NULL;
	char text[CELL_BYTES];
	if (t)
		t->failed |= !row_of;
	table_column(t, down->key, down->head, down->unit, kind_of(down->kind));
	for (unsigned i = 0; i < p->n && row_of; i++) {
		const struct entry e = column_entry(across, story_row(p->table, p->rows[i]));
		row_of[i] = first_with(p, down, i);
		column_of[i] = first_with(p, across, i);
		entry_write(&e, true, text, sizeof text);
		if (column_of[i] == i)
			table_column(t, text, text, "", kind_of(value->kind));
	}
	for (unsigned r = 0; r < p->n && row_of; r++) {
		if (row_of[r] != r)
			continue;
		const struct entry name = column_entry(down, story_row(p->table, p->rows[r]));
		table_row(t);
		put_told(t, &name);
		for (unsigned c = 0; c < p->n; c++) {
			struct entry e = {.kind = value->kind};
			for (unsigned i = 0; i < p->n && column_of[c] == c; i++)
				if (row_of[i] == r && column_of[i] == c)
					e = column_entry(value,
					                 story_row(p->table, p->rows[i]));
			if (column_of[c] == c)
				put_told(t, &e);
		}
	}
	free(row_of);
	return t;
}

static const struct table_value *cell_at(const struct table *t, unsigned row, unsigned column)
{
	return &t->cells[(size_t)row * t->ncolumns + column];
}

static void drop_column(struct table *t, unsigned column)
{
	size_t to = 0;
	for (unsigned r = 0; r < t->nrows; r++)
		for (unsigned c = 0; c < t->ncolumns; c++) {
			struct table_value cell = *cell_at(t, r, c);
			if (c == column)
				free((char *)cell.text);
			else
				t->cells[to++] = cell;
		}
	column_clear(&t->columns[column]);
	memmove(&t->columns[column], &t->columns[column + 1],
	        (t->ncolumns - column - 1) * sizeof *t->columns);
	t->ncolumns--;
}

void table_drop(struct table *t, const char *const *keys, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = t ? t->ncolumns : 0; c-- > 0;)
			if (!strcmp(t->columns[c].key, keys[i]))
				drop_column(t, c);
}

void table_keep(struct table *t, const char *keys)
{
	for (unsigned c = t ? t->ncolumns : 0; c-- > 0;) {
		const size_t n = strlen(t->columns[c].key);
		const char *at = keys;
		while ((at = strstr(at, t->columns[c].key)) &&
		       !((at == keys || at[-1] == ' ') && (!at[n] || at[n] == ' ')))
			at += n;
		if (!at)
			drop_column(t, c);
	}
}

void table_drop_empty(struct table *t)
{
	for (unsigned c = t ? t->ncolumns : 0; c-- > 0;) {
		bool any = false;
		for (unsigned r = 0; r < t->nrows && !any; r++)
			any = cell_at(t, r, c)->has &&
			      (t->columns[c].kind != TABLE_FLAG || cell_at(t, r, c)->count);
		if (!any && t->nrows)
			drop_column(t, c);
	}
}

static bool same_text(const struct table_value *a, const struct table_value *b)
{
	return !strcmp(a->text ? a->text : "", b->text ? b->text : "");
}

void table_drop_common(struct table *t, char *said, size_t bytes)
{
	said[0] = '\0';
	if (t && !t->whole)
		t->whole = table_to_json(t);
	for (unsigned c = 1; t && t->nrows > 1 && c < t->ncolumns;) {
		bool common = t->columns[c].kind == TABLE_TEXT;
		for (unsigned r = 1; r < t->nrows && common; r++)
			common = same_text(cell_at(t, 0, c), cell_at(t, r, c));
		if (!common) {
			c++;
			continue;
		}
		const char *text = cell_at(t, 0, c)->text;
		size_t used = strlen(said);
		if (text)
			snprintf(said + used, bytes - used, "%s%s %s", used ? ", " : "",
			         t->columns[c].head, text);
		drop_column(t, c);
	}
}

/* --- for people --- */

static void spread_text(const struct table_value *c, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s", words_number(c->x).text);
	if (isfinite(c->lo))
		words_add(text, bytes, " (%s to %s)", words_number(c->lo).text,
		          words_number(c->hi).text);
}

static void cell_text(const struct table *t, unsigned row, unsigned column, bool full,
                      char *text, size_t bytes)
{
	const struct table_value *c = cell_at(t, row, column);
	const struct stats_ratio ratio = {c->x, c->lo, c->hi, c->blocks, NAN};
	if (!c->has) {
		snprintf(text, bytes, "-");
		return;
	}
	switch (t->columns[column].kind) {
	case TABLE_TEXT:
	case TABLE_VERDICT:
		snprintf(text, bytes, "%s", c->text);
		return;
	case TABLE_COUNT:
		snprintf(text, bytes, "%llu", c->count);
		return;
	case TABLE_BYTES:
		coll_size_label(c->count, text, bytes);
		return;
	case TABLE_FLAG:
		snprintf(text, bytes, "%s", c->count ? "yes" : "-");
		return;
	case TABLE_NUMBER:
		snprintf(text, bytes, "%s", words_number(c->x).text);
		return;
	case TABLE_SPREAD:
		spread_text(c, text, bytes);
		return;
	case TABLE_RATIO:
		snprintf(text, bytes, "%s", words_ratio(&ratio, full).text);
		return;
	case TABLE_SHARE:
		snprintf(text, bytes, "%.0f %%", round(100 * c->x) + 0.0); /* no -0 */
		return;
	default:
		text[0] = '\0';
	}
}

static void head_text(const struct table *t, unsigned column, char *text, size_t bytes)
{
	const struct head *c = &t->columns[column];
	snprintf(text, bytes, "%s%s%s", c->head, c->unit[0] && c->head[0] ? ", " : "", c->unit);
}

static bool is_left(const struct table *t, unsigned column)
{
	enum table_kind kind = t->columns[column].kind;
	return kind == TABLE_TEXT || kind == TABLE_VERDICT || column == 0;
}

void table_write_text(const struct table *t, FILE *out, unsigned width)
{
	if (table_failed(t) || !t->nrows)
		return;
	char text[CELL_BYTES];
	struct grid grid = {.ncolumns = t->ncolumns, .nrows = t->nrows + 1};
	const size_t ntexts = (size_t)grid.ncolumns * grid.nrows;
	size_t n = 0;
	grid.texts = calloc(ntexts + 1, sizeof *grid.texts);
	grid.left = calloc(grid.ncolumns + 1, sizeof *grid.left);
	for (unsigned c = 0; grid.left && c < t->ncolumns; c++)
		grid.left[c] = is_left(t, c);
	for (bool room = grid.texts && grid.left; room && n < ntexts; n += room) {
		const unsigned row = (unsigned)(n / t->ncolumns),
		               c = (unsigned)(n % t->ncolumns);
		if (!row)
			head_text(t, c, text, sizeof text);
		else
			cell_text(t, row - 1, c, false, text, sizeof text);
		grid.texts[n] = strdup(text);
		room = grid.texts[n];
	}
	if (n == ntexts)
		grid_write(&grid, out, width);
	while (n--)
		free(grid.texts[n]);
	free(grid.texts);
	free(grid.left);
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

void table_write_markdown(const struct table *t, FILE *out)
{
	char text[CELL_BYTES];
	if (table_failed(t))
		return;
	for (unsigned c = 0; c < t->ncolumns; c++) {
		head_text(t, c, text, sizeof text);
		fputs("| ", out);
		table_escape(out, text);
		fputc(' ', out);
	}
	fputs("|\n", out);
	for (unsigned c = 0; c < t->ncolumns; c++)
		fputs(is_left(t, c) ? "|---" : "|---:", out);
	fputs("|\n", out);
	for (unsigned r = 0; r < t->nrows; r++) {
		for (unsigned c = 0; c < t->ncolumns; c++) {
			cell_text(t, r, c, true, text, sizeof text);
			bool bold = t->columns[c].kind == TABLE_VERDICT && entry_decided(text);
			fputs(bold ? "| **" : "| ", out);
			table_escape(out, text);
			fputs(bold ? "** " : " ", out);
		}
		fputs("|\n", out);
	}
	fputc('\n', out);
}

/* --- for programs --- */

static bool has_interval(enum table_kind kind)
{
	return kind == TABLE_SPREAD || kind == TABLE_RATIO;
}

bool table_ends_cdata(const char *begin, const char *at)
{
	return *at == '>' && at - begin >= 2 && at[-1] == ']' && at[-2] == ']';
}

/* How rows of CSV are written: how many digits a number has, what stands for none, and whether
 * gnuplot reads them or a spreadsheet may. */
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

static void csv_cell(FILE *out, struct csv as, enum table_kind kind,
                     const struct table_value *c)
{
	if (kind == TABLE_TEXT || kind == TABLE_VERDICT)
		csv_text(out, as, c->text ? c->text : "");
	else if (c->has && (kind == TABLE_COUNT || kind == TABLE_BYTES || kind == TABLE_FLAG))
		fprintf(out, "%llu", c->count);
	else if (kind == TABLE_SHARE && c->has)
		fprintf(out, "%.4g", c->x);
	else if (kind == TABLE_NUMBER || has_interval(kind))
		csv_number(out, as, c->has ? c->x : NAN);
	for (unsigned i = 0; i < 2 && has_interval(kind); i++) {
		fputc(',', out);
		csv_number(out, as, !c->has ? NAN : i ? c->hi : c->lo);
	}
}

static void write_csv(const struct table *t, FILE *out, struct csv as)
{
	for (unsigned c = 0; c < t->ncolumns; c++) {
		const char *key = t->columns[c].key;
		fprintf(out, "%s%s", c ? "," : "", key);
		if (has_interval(t->columns[c].kind))
			fprintf(out, ",%s_lo,%s_hi", key, key);
	}
	fputc('\n', out);
	for (unsigned r = 0; r < t->nrows; r++) {
		for (unsigned c = 0; c < t->ncolumns; c++) {
			fputs(c ? "," : "", out);
			csv_cell(out, as, t->columns[c].kind, cell_at(t, r, c));
		}
		fputc('\n', out);
	}
}

void table_write_csv(const struct table *t, FILE *out)
{
	if (!table_failed(t))
		write_csv(t, out, (struct csv){6, "", false});
}

void table_write_gnuplot(const struct table *t, FILE *out)
{
	if (table_failed(t))
		return;
	fprintf(out, "$%s <<EOD\n", t->name);
	write_csv(t, out, (struct csv){9, "NaN", true});
	fputs("EOD\n", out);
}

static json_t *json_figure(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *cell_to_json(enum table_kind kind, const struct table_value *c)
{
	if (!c->has)
		return json_null();
	switch (kind) {
	case TABLE_TEXT:
	case TABLE_VERDICT:
		return json_string(c->text);
	case TABLE_COUNT:
	case TABLE_BYTES:
		return json_integer((json_int_t)c->count);
	case TABLE_FLAG:
		return json_boolean(c->count);
	case TABLE_SPREAD:
		return json_pack("{s:o, s:o, s:o}", "value", json_figure(c->x), "lo",
		                 json_figure(c->lo), "hi", json_figure(c->hi));
	case TABLE_RATIO:
		return json_pack("{s:o, s:o, s:o, s:i}", "estimate", json_figure(c->x), "lo",
		                 json_figure(c->lo), "hi", json_figure(c->hi), "blocks",
		                 (int)c->blocks);
	default:
		return json_figure(c->x);
	}
}

json_t *table_to_json(const struct table *t)
{
	if (table_failed(t))
		return NULL;
	if (t->whole)
		return json_incref(t->whole);
	json_t *columns = json_array(), *rows = json_array();
	for (unsigned c = 0; c < t->ncolumns; c++) {
		const struct head *column = &t->columns[c];
		json_array_append_new(columns,
		                      json_pack("{s:s, s:s, s:s, s:s}", "key", column->key,
		                                "head", column->head, "unit", column->unit,
		                                "kind", kind_names[column->kind]));
	}
	for (unsigned r = 0; r < t->nrows; r++) {
		json_t *row = json_array();
		for (unsigned c = 0; c < t->ncolumns; c++)
			json_array_append_new(
			    row, cell_to_json(t->columns[c].kind, cell_at(t, r, c)));
		json_array_append_new(rows, row);
	}
	return json_pack("{s:s, s:s, s:o, s:o}", "name", t->name, "title", t->title, "columns",
	                 columns, "rows", rows);
}
