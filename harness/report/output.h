/* The files that a report writes. Each takes its name once it is complete, and replaces any file of
 * that name: a reader never sees half a file, and the target of a link of that name is not
 * touched. */
#ifndef LAUNCHGAP_OUTPUT_H
#define LAUNCHGAP_OUTPUT_H

#include <stdio.h>

#include "../status.h"

/* NULL if it cannot be made. The caller ends it with output_close. */
FILE *output_open(const char *file, struct status *st);
/* -1 if any of it could not be written: a full disk shows at the latest when the last bytes are
 * flushed. Then the earlier file remains. */
int output_close(FILE *out, const char *file, struct status *st);

#endif
