/* Whether a report says only what its tables have: of each sentence of each chapter, each
 * number is an entry of the rows that it names, as any of the ways to write one gives it, and
 * each word of a verdict is that of one of these rows. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* True; or false, with the first sentence that does not and the reason. */
bool sentences_right(const json_t *report, char *why, size_t bytes);
/* The table of a name, in the report's list of chapters; or NULL. */
const json_t *sentences_table(const json_t *chapters, const char *name);
