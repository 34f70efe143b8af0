/* Files that are part of the program, so that one binary has all: SQL, chapters, what reference
 * records reached. The Makefile lists them. */
#pragma once

#include <stddef.h>

/* One of them by its path in the source tree; NULL: there is none. */
const char *texts_find(const char *path);
/* Of the i-th; NULL: there are no more. */
const char *texts_path(size_t i);
