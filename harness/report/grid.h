/* Texts in rows and columns, fitted to the width of a terminal. */
#ifndef LAUNCHGAP_GRID_H
#define LAUNCHGAP_GRID_H

#include <stdbool.h>
#include <stdio.h>

#include "../arena.h"

struct grid {
	unsigned ncolumns, nrows; /* the head is the first row */
	const char **texts;       /* row by row */
	bool *left;               /* per column: flush left */
};

/* Of a column's widest text. */
unsigned grid_column_width(const struct grid *grid, unsigned column);
/* Each line begins with `indent` blanks; `width`: how many characters it has at most after them.
 * Sentences continue below in their column. Columns that do not fit continue below, after the first
 * again (or after the first two or three if these distinguish the rows). */
void grid_write(struct arena *arena, const struct grid *grid, FILE *out, unsigned indent,
                unsigned width);

#endif
