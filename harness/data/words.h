/* Words of a file of a person's own, and where one is that is wrong. */
#pragma once

#include "../arena.h"

/* The first `word` as a whole word, or NULL. */
const char *words_find(const char *text, const char *word);
/* -1, with "FILE:LINE:COLUMN: WHATWHICH". The place is that of the first `word` from a line on, as
 * a whole word; without one the begin of that line. text: all of the file. */
int words_refuse(const char *file, const char *text, unsigned line, const char *word,
                 const char *what, const char *which, struct status *st);

/* A copy without blanks around it. */
char *words_trimmed(struct arena *arena, const char *text, size_t bytes);
/* The next part of "a | b | c", "" after the last. */
char *words_next(struct arena *arena, const char **rest, const char *between);
/* The index of a word in a list that ends with NULL, or -1. */
int words_index(const char *const *words, const char *word);
/* A word and its value in front of *rest: "by title"; NULL: it is another. */
const char *words_option(struct arena *arena, const char **rest, const char *word);
/* Whether a word is next in the line, which then goes on after it. */
bool words_takes(const char **rest, const char *word);
