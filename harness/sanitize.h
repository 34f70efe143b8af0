/* What comes from elsewhere: text that a record, a library or a log holds, and files that a
 * user or a record names. */
#ifndef LAUNCHGAP_SANITIZE_H
#define LAUNCHGAP_SANITIZE_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether UTF-8 text has nothing that a terminal could take for a command: no control character
 * but tab and newline (C0, DEL, C1), and none of Unicode's marks of direction. */
bool sanitize_is_clean(const char *text);
/* Puts a blank in the place of each. */
void sanitize_text(char *text);

/* Opens a regular file of `most` bytes at most (0: any) for reading; links are followed. -1
 * with *why: it cannot be read, is longer, or is something else (a pipe would be waited for, a
 * device has no end). */
int sanitize_open(const char *file, off_t most, const char **why);

#endif
