/* Prints a comparison: the answer, its tables, and facts about the two sides; for people in 80
 * columns, or as one JSON object with the same tables. Nothing is decided here. */
#ifndef LAUNCHGAP_PRINT_H
#define LAUNCHGAP_PRINT_H

#include <stdio.h>

#include "comparison.h"

/* -1 only if memory is out or `out` cannot be written. */
int print_comparison(const struct comparison *c, bool json, FILE *out, struct status *st);

#endif
