/* Untrusted input: text of records, libraries and logs, and files that a user or a record names. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Whether text is UTF-8 and has nothing that a terminal could interpret as a command: no control
 * character but tab and newline (C0, DEL, C1), and none of Unicode's direction marks. */
bool sanitize_is_clean(const char *text);
/* Replaces each by a blank, and each byte that is not UTF-8. */
void sanitize_text(char *text);

/* As one word of a shell, which runs nothing in it: in single quotes where it is not plain, control
 * characters as blanks. What does not fit into SANITIZE_WORD of its length is left out. */
#define SANITIZE_WORD(LENGTH) (4 * (LENGTH) + 8)
void sanitize_word(const char *word, char *out, size_t bytes);

/* Takes half a character from the end of UTF-8 text that was cut to fit. */
void sanitize_end(char *text);

/* Opens a regular file of at most `most` bytes (0: any) for reading; follows links. -1 with *why:
 * it cannot be read, is longer, or is no regular file. */
int sanitize_open(const char *file, off_t most, const char **why);
/* The same as a stream, or NULL. Whatever an experiment names is opened so; errors about what it
 * holds name the line and do not quote it, as it may be a secret. */
FILE *sanitize_stream(const char *file, off_t most, const char **why);
