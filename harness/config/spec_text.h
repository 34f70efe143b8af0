/* An experiment file as text: its sections and entries, each with its line. Means nothing yet.
 */
#ifndef LAUNCHGAP_SPEC_TEXT_H
#define LAUNCHGAP_SPEC_TEXT_H

#include <stddef.h>

#include "../status.h"
#include "spec_place.h"

#define SPEC_TEXT_KIND_BYTES     32
#define SPEC_TEXT_NAME_BYTES     41 /* "-again" and a file's suffix still fit behind it */
#define SPEC_TEXT_QUESTION_BYTES 512

struct spec_section {
	struct spec_place at;
	char kind[SPEC_TEXT_KIND_BYTES]; /* "variant" of [variant threads] */
	char name[SPEC_TEXT_NAME_BYTES]; /* "threads", or "" */
};

struct spec_entry {
	unsigned section; /* index */
	struct spec_place at;
	char *key, *value;
};

struct spec_text {
	char question[SPEC_TEXT_QUESTION_BYTES]; /* the comment on top, up to its first empty
	                                            line */
	unsigned nsections, nentries;
	struct spec_section *sections;
	struct spec_entry *entries;
};

/* Whether a name is letters, digits, '-', '_' and '.', does not start with '.' or '-', and
 * fits. */
bool spec_text_is_name(const char *text, size_t bytes);

/* Errors read `file:line: …`. The caller frees with spec_text_free. */
int spec_text_read(const char *file, struct spec_text *out, struct status *st);
/* The section of that kind and name, or nsections. */
unsigned spec_text_find(const struct spec_text *text, const struct spec_section *like);
/* Append copies. -1 when memory is out. */
int spec_text_add_section(struct spec_text *text, const struct spec_section *section);
int spec_text_add(struct spec_text *text, unsigned section, struct spec_place at,
                  const char *key, const char *value);
void spec_text_drop(struct spec_text *text, unsigned entry);
void spec_text_free(struct spec_text *text);

#endif
