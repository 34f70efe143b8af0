/* Files that are part of the program, so that one binary has all: SQL, chapters, what reference records
 * reached. The Makefile lists them. */
#ifndef LAUNCHGAP_TEXTS_H
#define LAUNCHGAP_TEXTS_H

#include <stddef.h>

/* One of them by its path in the source tree; NULL: there is none. */
const char *texts_find(const char *path);

#endif
