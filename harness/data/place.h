/* Where in a file of a person's own a word is that is wrong. */
#pragma once

#include "../status.h"

/* -1, with "FILE:LINE:COLUMN: WHATWHICH". The place is that of the first `word` from a line on, as
 * a whole word; without one the begin of that line. text: all of the file. */
int place_refuse(const char *file, const char *text, unsigned line, const char *word,
                 const char *what, const char *which, struct status *st);
