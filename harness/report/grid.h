/* A table of texts, to be shown on a terminal or as Markdown. */
#ifndef LAUNCHGAP_GRID_H
#define LAUNCHGAP_GRID_H

#include <stdio.h>

#define TABLE_CELL_BYTES 96

struct grid;

/* The first row is the header; the first `left` columns are texts, the others are set right.
 * NULL when memory is out, which all functions here accept. The caller frees with grid_free.
 */
struct grid *grid_new(unsigned columns, unsigned left);
void grid_free(struct grid *table);

/* Begins a row, all empty. */
void grid_row(struct grid *table);
/* Fills a column of the last row; longer texts are cut. */
void grid_put(struct grid *table, unsigned column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Rows become columns; of them the first is a text. */
void grid_turn(struct grid *table);

/* At most `width` characters wide: columns that do not fit go on below, after the first again.
 */
void grid_text(const struct grid *table, FILE *out, unsigned width);
void grid_markdown(const struct grid *table, FILE *out);

/* Text from elsewhere, so that Markdown takes it as text. */
void grid_escape(FILE *out, const char *text);

#endif
