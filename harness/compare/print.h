/* What a comparison says: the answer, its tables, and what is to be known of the two sides; for
 * people in 80 columns, or as one JSON object of the same tables. Nothing is decided here. */
#ifndef LAUNCHGAP_PRINT_H
#define LAUNCHGAP_PRINT_H

#include <stdio.h>

#include "comparison.h"

/* -1 only when memory is out or `out` takes no more. */
int print_comparison(const struct comparison *c, bool json, FILE *out, struct status *st);

#endif
