#include "grid.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2 /* blanks between columns */

struct grid {
	unsigned columns, left, rows;
	char (*cells)[TABLE_CELL_BYTES];
};

struct grid *grid_new(unsigned columns, unsigned left)
{
	struct grid *table = calloc(1, sizeof *table);
	if (table)
		*table = (struct grid){.columns = columns, .left = left};
	return table;
}

void grid_free(struct grid *table)
{
	if (table)
		free(table->cells);
	free(table);
}

void grid_row(struct grid *table)
{
	if (!table)
		return;
	size_t row = (size_t)table->columns * TABLE_CELL_BYTES;
	char(*more)[TABLE_CELL_BYTES] = realloc(table->cells, (table->rows + 1) * row);
	if (!more)
		return;
	table->cells = more;
	memset(table->cells[(size_t)table->rows * table->columns], 0, row);
	table->rows++;
}

void grid_put(struct grid *table, unsigned column, const char *format, ...)
{
	if (!table || !table->rows || column >= table->columns)
		return;
	char *cell = table->cells[(size_t)(table->rows - 1) * table->columns + column];
	va_list args;
	va_start(args, format);
	vsnprintf(cell, TABLE_CELL_BYTES, format, args);
	va_end(args);
	/* Cut between characters, not within one. */
	size_t n = strlen(cell);
	if (n == TABLE_CELL_BYTES - 1) {
		while (n && ((unsigned char)cell[n - 1] & 0xC0) == 0x80)
			n--;
		cell[n ? n - 1 : 0] = 0;
	}
}

static const char *cell(const struct grid *table, unsigned row, unsigned column)
{
	return table->cells[(size_t)row * table->columns + column];
}

void grid_turn(struct grid *table)
{
	if (!table || !table->rows)
		return;
	char(*cells)[TABLE_CELL_BYTES] =
	    malloc((size_t)table->rows * table->columns * TABLE_CELL_BYTES);
	if (!cells)
		return;
	for (unsigned r = 0; r < table->rows; r++)
		for (unsigned c = 0; c < table->columns; c++)
			memcpy(cells[(size_t)c * table->rows + r], cell(table, r, c),
			       TABLE_CELL_BYTES);
	free(table->cells);
	*table = (struct grid){
	    .columns = table->rows, .left = 1, .rows = table->columns, .cells = cells};
}

/* Characters, not bytes: those that go on a character do not count. */
static unsigned text_width(const char *text)
{
	unsigned n = 0;
	for (; *text; text++)
		n += ((unsigned char)*text & 0xC0) != 0x80;
	return n;
}

static unsigned column_width(const struct grid *table, unsigned column)
{
	unsigned most = 0;
	for (unsigned r = 0; r < table->rows; r++)
		if (text_width(cell(table, r, column)) > most)
			most = text_width(cell(table, r, column));
	return most;
}

/* Nothing follows the last of a line, not even blanks. */
static void put_cell(const struct grid *table, FILE *out, unsigned row, unsigned column,
                     bool last)
{
	const char *text = cell(table, row, column);
	int pad = (int)(column_width(table, column) - text_width(text));
	int gap = column ? GAP : 0;
	if (column < table->left)
		fprintf(out, "%*s%s%*s", gap, "", text, last ? 0 : pad, "");
	else
		fprintf(out, "%*s%s", gap + pad, "", text);
}

void grid_text(const struct grid *table, FILE *out, unsigned width)
{
	if (!table || !table->rows)
		return;
	unsigned from = 1;
	do {
		unsigned used = column_width(table, 0), to = from;
		while (to < table->columns &&
		       (to == from || used + GAP + column_width(table, to) <= width))
			used += GAP + column_width(table, to++);
		if (from > 1)
			fputc('\n', out);
		for (unsigned r = 0; r < table->rows; r++) {
			put_cell(table, out, r, 0, to == 1);
			for (unsigned c = from; c < to; c++)
				put_cell(table, out, r, c, c + 1 == to);
			fputc('\n', out);
		}
		from = to;
	} while (from < table->columns);
}

void grid_escape(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (strchr("|`*_<>[]\\", c))
			fprintf(out, "\\%c", c);
		else
			fputc(c < ' ' || c == 0x7F ? ' ' : c, out);
	}
}

void grid_markdown(const struct grid *table, FILE *out)
{
	if (!table)
		return;
	for (unsigned r = 0; r < table->rows; r++) {
		fputc('|', out);
		for (unsigned c = 0; c < table->columns; c++) {
			fputc(' ', out);
			grid_escape(out, cell(table, r, c));
			fputs(" |", out);
		}
		fputc('\n', out);
		if (r > 0)
			continue;
		fputc('|', out);
		for (unsigned c = 0; c < table->columns; c++)
			fputs(c < table->left ? "---|" : "---:|", out);
		fputc('\n', out);
	}
	fputc('\n', out);
}
