/* A file line by line, plain, gzip or xz by its first bytes. Errors begin with at->file. */
#pragma once

#include "member.h"

struct lines;

/* The caller owns *out and frees it with lines_close. */
int lines_open(const struct member_place *at, struct lines **out);
/* The next line, without its newline, valid until the next call; may hold any byte. *last: the
 * file ends here, so that the line has no newline and may be empty. *cut: the file's compressed
 * data ends too early. */
int lines_next(struct lines *lines, const struct member_place *at, const char **text, size_t *bytes,
               bool *last, bool *cut);
void lines_close(struct lines *lines); /* NULL is allowed */
