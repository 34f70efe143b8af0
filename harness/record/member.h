/* Members of a JSON object that may hold anything: each read returns its value, or a sentence that
 * begins with file:line. All return 0, or -1 with the sentence in at->st. */
#ifndef LAUNCHGAP_MEMBER_H
#define LAUNCHGAP_MEMBER_H

#include <jansson.h>

#include "../status.h"

/* Where a sentence points. */
struct member_place {
	const char *file;
	unsigned line; /* 0: none */
	struct status *st;
};

int member_bad(const struct member_place *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Of a key; "" if it has no text. */
const char *member_or_empty(const json_t *from, const char *key);
/* *out is borrowed from the object. */
int member_text(const struct member_place *at, const json_t *from, const char *key,
                const char **out);
/* A text of 1 to bytes - 1 characters, copied. */
int member_name(const struct member_place *at, const json_t *from, const char *key, char *out,
                size_t bytes);
/* A text that may be null, cut to fit: "" for null. */
int member_error(const struct member_place *at, const json_t *from, const char *key, char *out,
                 size_t bytes);
int member_number(const struct member_place *at, const json_t *from, const char *key,
                  json_int_t least, json_int_t most, json_int_t *out);
int member_count(const struct member_place *at, const json_t *from, const char *key, unsigned least,
                 unsigned *out);

#endif
