/* The files that a report writes. Each takes its name once it is whole, in the place of
 * whatever had it: a reader sees no half of one, and what a link of that name leads to is not
 * touched. */
#ifndef LAUNCHGAP_OUTPUT_H
#define LAUNCHGAP_OUTPUT_H

#include <stdio.h>

#include "../status.h"

/* NULL where it cannot be made. The caller ends it with output_close. */
FILE *output_open(const char *file, struct status *st);
/* -1 where anything of it could not be written: a full disk shows itself at the latest when the
 * last bytes are pushed out. What stood there before stays then. */
int output_close(FILE *out, const char *file, struct status *st);

#endif
