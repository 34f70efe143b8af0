/* An experiment file as text: sections and entries, each with its line. Entries of [variant threads
 * on host] are those of [variant threads], for that backend alone; older files and the command line
 * have the backend in front: host.path = fifo. */
#pragma once

#include "../status.h"
#include "../trial/field.h"

#define TEXT_KIND_BYTES     32
#define TEXT_QUESTION_BYTES 512

/* at: the line; 0: the command line. */
struct text_section {
	unsigned at;
	char kind[TEXT_KIND_BYTES];  /* "variant" of [variant threads] */
	char name[FIELD_NAME_BYTES]; /* "threads", or "" */
	bool all;                    /* it exists for all backends, not for single ones only */
};

struct text_entry {
	unsigned section; /* index */
	unsigned at;
	const char *on; /* the backend that it is for, by its name in the table; "": all */
	bool here;      /* it counts (text_settle) */
	char *key, *value;
};

struct text {
	char question[TEXT_QUESTION_BYTES]; /* the comment on top, up to its first empty line */
	unsigned nsections, nentries;
	struct text_section *sections;
	struct text_entry *entries;
};

/* Errors read `file:line: …`. The caller frees with text_free. */
int text_read(const char *file, struct text *out, struct status *st);
/* Appends a copy of an entry of the command line; `key` may have a backend in front. */
int text_add(struct text *text, unsigned section, const char *key, const char *value,
             struct status *st);
/* Which entries count where a backend runs: an entry for it replaces those of its section for all
 * that say the same or exclude it. NULL: no backend is known yet. */
void text_settle(struct text *text, const char *backend);
/* "host.path" */
void text_key(const struct text_entry *entry, char *out, size_t bytes);
void text_free(struct text *text);
