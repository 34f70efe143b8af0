/* Texts in rows and columns, fitted to the width of a terminal. */
#ifndef LAUNCHGAP_GRID_H
#define LAUNCHGAP_GRID_H

#include <stdbool.h>
#include <stdio.h>

struct grid {
	unsigned ncolumns, nrows; /* the head is the first row */
	char **texts;             /* row by row */
	bool *left;               /* per column: flush left */
};

/* At most `width` characters wide: sentences go on below in their column; columns that do not
 * fit go on below, behind the first again (or the two or three first that tell the rows apart).
 * -1: memory is out. */
int grid_write(const struct grid *grid, FILE *out, unsigned width);
/* Characters that a text takes on a terminal. */
unsigned grid_width(const char *text);

#endif
