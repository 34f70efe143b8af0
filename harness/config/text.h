/* An experiment file as text: its sections and entries, each with its line. Means nothing yet.
 */
#ifndef LAUNCHGAP_TEXT_H
#define LAUNCHGAP_TEXT_H

#include <stddef.h>

#include "../status.h"

#define TEXT_KIND_BYTES     32
#define TEXT_NAME_BYTES     41 /* "-again" and a file's suffix still fit behind it */
#define TEXT_QUESTION_BYTES 512

/* Where a section or a key stands, for errors, also those found later. */
struct text_place {
	unsigned file; /* 0: the experiment's own, n: its base n - 1 */
	unsigned line; /* 0: the command line */
};

struct text_section {
	struct text_place at;
	char kind[TEXT_KIND_BYTES]; /* "variant" of [variant threads] */
	char name[TEXT_NAME_BYTES]; /* "threads", or "" */
};

struct text_entry {
	unsigned section; /* index */
	struct text_place at;
	char *key, *value;
};

struct text {
	char question[TEXT_QUESTION_BYTES]; /* the comment on top, up to its first empty
	                                            line */
	unsigned nsections, nentries;
	struct text_section *sections;
	struct text_entry *entries;
};

/* Errors read `file:line: …`. The caller frees with text_free. */
int text_read(const char *file, struct text *out, struct status *st);
/* The section of that kind and name, or nsections. */
unsigned text_find(const struct text *text, const struct text_section *like);
/* Append copies. -1 when memory is out. */
int text_add_section(struct text *text, const struct text_section *section);
int text_add(struct text *text, unsigned section, struct text_place at, const char *key,
             const char *value);
void text_drop(struct text *text, unsigned entry);
void text_free(struct text *text);

#endif
