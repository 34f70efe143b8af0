/* The story's tables (story/story.h) as each format has them; story/column.h defines how an entry
 * of each kind is written.
 *
 * A table may be written with only some of its columns: the rows are the same, and are not
 * copied. */
#ifndef LAUNCHGAP_TABLE_H
#define LAUNCHGAP_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "../story/story.h"
#include "grid.h"

#define TABLE_COLUMNS 64 /* more are omitted */

/* A story's table with some of its columns. It points into itself: it must not be copied. */
struct table {
	struct story_table told; /* for the functions below */
	struct story_form form;
	struct column columns[TABLE_COLUMNS];
};

/* All columns but those of `less`: ONLY_FILES for people, ONLY_PEOPLE for programs, 0. Rows are
 * borrowed. */
void table_less(const struct story_table *told, unsigned less, struct table *out);
/* Removes all columns but those of these keys, separated by blanks. */
void table_keep(struct table *table, const char *keys);
/* Removes columns in which no row has a value. */
void table_drop_empty(struct table *table);
/* If the form asks for it, removes TEXT columns after the first that are equal in all of several
 * rows, and lists them in `said`: "head text", with commas. */
void table_drop_common(struct table *table, char *said, size_t bytes);

/* As a grid (grid.h); nothing for no rows. with_bars: those of the form's `bars`, if they have
 * room; for columns that have none the last one is left out, if it has verdicts. */
void table_write_text(struct arena *arena, const struct story_table *table, bool with_bars,
                      FILE *out, unsigned indent, unsigned width);
/* The same as texts, beneath their heads. bars: in a column after the others, if the form asks for
 * them. */
struct grid table_grid(struct arena *arena, const struct story_table *table, bool bars);
/* Whether the text of a grid's row, from 1 on, is a verdict that was decided. */
bool table_is_bold(const struct story_table *table, unsigned row, unsigned column,
                   const char *text);
/* The column of the form's bars; 0: there are none. What a row's bar is of, and the longest one,
 * unless an interval's end is much farther: then it is cut. */
unsigned table_bars(const struct story_table *table);
struct entry table_bar(const struct story_table *table, unsigned row);
double table_longest_bar(const struct story_table *table);
void table_write_csv(const struct story_table *table, FILE *out);
/* CSV as a data block of gnuplot, $name, for `set datafile separator comma`: nine digits, NaN
 * for no number. */
void table_write_gnuplot(const struct story_table *table, FILE *out);
/* Whether the character at `at` is the > of "]]>": XML forbids that in a text, and gnuplot writes
 * it into its SVG. A blank has to precede it. */
bool table_ends_cdata(const char *begin, const char *at);
/* A number of report.json: null if it is none. */
json_t *table_figure(double x);
/* {"name", "title", "columns": [{"key", "head", "unit", "kind"}], "rows": [[…]]}. The caller owns
 * the reference; NULL if out of memory. */
json_t *table_to_json(const struct story_table *table);

#endif
