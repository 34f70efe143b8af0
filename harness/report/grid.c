#include "grid.h"

#include <string.h>

#include "../terminal.h"

#define GAP           2   /* blanks between columns */
#define LEAST_WRAPPED 18  /* characters of a column of sentences */
#define NARROWEST     14  /* where all columns fit then */
#define MOST_WORD     48  /* of an unbreakable word: a longer one is a list of paths */
#define MOST_KEYS     3   /* columns that distinguish rows */
#define MOST_KEY_ROWS 200 /* each is compared with each */

/* A grid being written. */
struct fitted {
	const struct grid *g;
	unsigned indent, *widths;
	const char **rest; /* per column: the part of a row that is not written yet */
};

static unsigned width_of(const char *text, size_t bytes)
{
	unsigned n = 0;
	for (size_t i = 0; i < bytes; i++)
		n += terminal_width_at(text + i);
	return n;
}

static const char *text_at(const struct grid *g, unsigned row, unsigned column)
{
	return g->texts[(size_t)row * g->ncolumns + column];
}

unsigned grid_column_width(const struct grid *g, unsigned column)
{
	unsigned most = 0;
	for (unsigned r = 0; r < g->nrows; r++) {
		unsigned width = terminal_width(text_at(g, r, column));
		most = width > most ? width : most;
	}
	return most;
}

/* How many bytes of the text go on a line of that width: whole words, or as much of the first as
 * fits. */
static size_t line_bytes(const char *text, unsigned width)
{
	size_t fits = 0;
	for (size_t at = 0; text[at];) {
		size_t end = at + strspn(text + at, " ");
		end += strcspn(text + end, " ");
		unsigned n = 0;
		for (size_t i = 0; i < end; i++) {
			const unsigned more = terminal_width_at(text + i);
			if (more && n + more > width && !fits && i)
				return i;
			n += more;
		}
		if (n > width && fits)
			break;
		fits = at = end;
	}
	return fits;
}

/* A row of columns from..to after the first `keys`; a text wider than its column continues
 * below. */
static void put_row(const struct fitted *f, FILE *out, unsigned row, unsigned keys, unsigned from,
                    unsigned to)
{
	for (unsigned c = 0; c < to; c++)
		f->rest[c] = text_at(f->g, row, c);
	for (bool more = true; more;) {
		unsigned pending = f->indent; /* blanks with nothing after them yet */
		more = false;
		for (unsigned c = 0; c < to; c = c + 1 == keys ? from : c + 1) {
			const char *text = f->rest[c];
			const size_t n = line_bytes(text, f->widths[c]);
			const unsigned width = width_of(text, n);
			const unsigned pad = width < f->widths[c] ? f->widths[c] - width : 0;
			const bool left = f->g->left[c];
			pending += c ? GAP : 0;
			if (n)
				fprintf(out, "%*s%.*s", (int)(pending + (left ? 0 : pad)), "",
				        (int)n, text);
			pending = !n ? pending + pad : left ? pad : 0;
			f->rest[c] = text + n + strspn(text + n, " ");
			more |= *f->rest[c] != '\0';
		}
		fputc('\n', out);
	}
}

/* The longest unbreakable word of a column, or `least`; a longer one than `bound` breaks. */
static unsigned longest_word(const struct grid *g, unsigned column, unsigned least, unsigned bound)
{
	unsigned most = least;
	for (unsigned r = 0; r < g->nrows; r++) {
		size_t bytes;
		for (const char *word = text_at(g, r, column); *word; word += bytes) {
			word += strspn(word, " ");
			bytes = strcspn(word, " ");
			unsigned width = width_of(word, bytes);
			most = width > most ? width : most;
		}
	}
	return most < bound ? most : bound;
}

static unsigned total_width(const struct fitted *f)
{
	unsigned total = 0;
	for (unsigned c = 0; c < f->g->ncolumns; c++)
		total += f->widths[c] + (c ? GAP : 0);
	return total;
}

/* Columns of a word before it breaks: beside it there is room for the widest number, or a text. */
static unsigned word_bound(const struct fitted *f, unsigned width)
{
	unsigned number = LEAST_WRAPPED;
	for (unsigned c = 0; c < f->g->ncolumns; c++)
		if (!f->g->left[c] && f->widths[c] > number)
			number = f->widths[c];
	const unsigned rest = width > number + GAP ? width - number - GAP : 0;
	return rest < LEAST_WRAPPED ? LEAST_WRAPPED : rest < MOST_WORD ? rest : MOST_WORD;
}

/* Makes the widest column of texts narrower, as far as needed for all columns to fit. */
static void narrow(const struct fitted *f, unsigned width, unsigned least)
{
	const struct grid *g = f->g;
	for (unsigned c = 0; c < g->ncolumns; c++)
		f->widths[c] = grid_column_width(g, c);
	const unsigned bound = word_bound(f, width);
	while (total_width(f) > width) {
		unsigned widest = g->ncolumns;
		for (unsigned c = 0; c < g->ncolumns; c++)
			if (g->left[c] && f->widths[c] > longest_word(g, c, least, bound) &&
			    (widest == g->ncolumns || f->widths[c] > f->widths[widest]))
				widest = c;
		if (widest == g->ncolumns)
			return;
		f->widths[widest]--;
	}
}

static bool rows_differ(const struct grid *g, unsigned a, unsigned b, unsigned columns)
{
	bool differ = false;
	for (unsigned c = 0; c < columns && !differ; c++)
		differ = strcmp(text_at(g, a, c), text_at(g, b, c)) != 0;
	return differ;
}

/* How many of the first columns distinguish the rows; they are repeated where a grid continues
 * below. 1 if MOST_KEYS columns are not enough. */
static unsigned keys_of(const struct grid *g)
{
	for (unsigned keys = 1; keys <= MOST_KEYS && keys < g->ncolumns; keys++) {
		bool apart = g->nrows - 1 <= MOST_KEY_ROWS;
		for (unsigned a = 1; a < g->nrows && apart; a++)
			for (unsigned b = a + 1; b < g->nrows && apart; b++)
				apart = rows_differ(g, a, b, keys);
		if (apart)
			return keys;
	}
	return 1;
}

/* The same, unless too little would be left for the widest of the other columns. */
static unsigned keys_within(const struct fitted *f, unsigned width)
{
	const unsigned keys = keys_of(f->g);
	unsigned used = 0, widest = 0;
	for (unsigned c = 0; c < f->g->ncolumns; c++) {
		used += c < keys ? f->widths[c] + GAP : 0;
		widest = c >= keys && f->widths[c] > widest ? f->widths[c] : widest;
	}
	return used + widest <= width ? keys : 1;
}

static void write_fitted(const struct fitted *f, FILE *out, unsigned width)
{
	const struct grid *g = f->g;
	const unsigned keys = total_width(f) > width ? keys_within(f, width) : 1;
	unsigned from = keys;
	do {
		unsigned used = f->widths[0], to = from;
		for (unsigned c = 1; c < keys; c++)
			used += GAP + f->widths[c];
		while (to < g->ncolumns && (to == from || used + GAP + f->widths[to] <= width))
			used += GAP + f->widths[to++];
		if (from > keys)
			fputc('\n', out);
		for (unsigned r = 0; r < g->nrows; r++)
			put_row(f, out, r, keys, from, to);
		from = to;
	} while (from < g->ncolumns);
}

void grid_write(struct arena *arena, const struct grid *g, FILE *out, unsigned indent,
                unsigned width)
{
	struct fitted f = {.g = g,
	                   .indent = indent,
	                   .widths = ARENA_ARRAY(arena, unsigned, g->ncolumns),
	                   .rest = ARENA_ARRAY(arena, const char *, g->ncolumns)};
	narrow(&f, width, NARROWEST);
	if (total_width(&f) > width)
		narrow(&f, width, LEAST_WRAPPED);
	/* The head of a number may be longer than there is room for beside the first column. */
	const unsigned beside =
	    f.widths[0] + GAP + LEAST_WRAPPED < width ? width - f.widths[0] - GAP : LEAST_WRAPPED;
	for (unsigned c = 1; c < g->ncolumns; c++)
		if (!g->left[c] && f.widths[c] > beside)
			f.widths[c] = beside;
	write_fitted(&f, out, width);
}
