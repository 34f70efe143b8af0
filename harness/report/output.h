/* The files that a report writes. */
#ifndef LAUNCHGAP_OUTPUT_H
#define LAUNCHGAP_OUTPUT_H

#include <stdio.h>

#include "../status.h"

/* NULL where it cannot be made. The caller ends it with output_close. */
FILE *output_open(const char *file, struct status *st);
/* -1 where anything of it could not be written: a full disk shows itself at the latest when the
 * last bytes are pushed out. */
int output_close(FILE *out, const char *file, struct status *st);

#endif
