/* A table of texts, to be shown on a terminal or as Markdown. */
#ifndef LAUNCHGAP_TABLE_H
#define LAUNCHGAP_TABLE_H

#include <stdio.h>

#define TABLE_CELL_BYTES 96

struct table;

/* The first row is the header; the first `left` columns are texts, the others are set right.
 * NULL when memory is out, which all functions here accept. The caller frees with table_free.
 */
struct table *table_new(unsigned columns, unsigned left);
void table_free(struct table *table);

/* Begins a row, all empty. */
void table_row(struct table *table);
/* Fills a column of the last row; longer texts are cut. */
void table_put(struct table *table, unsigned column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Rows become columns; of them the first is a text. */
void table_turn(struct table *table);

/* At most `width` characters wide: columns that do not fit go on below, after the first again.
 */
void table_text(const struct table *table, FILE *out, unsigned width);
void table_markdown(const struct table *table, FILE *out);

/* Text from elsewhere, so that Markdown takes it as text. */
void table_escape(FILE *out, const char *text);

#endif
