/* Members of a JSON object that may hold anything: rows say what they have to be. */
#pragma once

#include <jansson.h>

#include "../status.h"

/* Where a sentence points. */
struct member_place {
	const char *file;
	unsigned line; /* 0: none */
	struct status *st;
};

/* -1, with a sentence that begins with file:line. */
#define member_bad(PLACE, ...) status_at((PLACE)->st, (PLACE)->file, (PLACE)->line, __VA_ARGS__)

/* What a member has to be; JSON_TRUE: true or false. */
struct member {
	const char *key; /* NULL: no more */
	json_type type;
	json_int_t lo, hi; /* of a number, or of a text's bytes; hi = 0: any */
	bool optional, null;
};
// clang-format off
#define MEMBER(KEY, TYPE)        {.key = KEY, .type = TYPE}
#define MEMBER_COUNT(KEY, LEAST) {.key = KEY, .type = JSON_INTEGER, .lo = LEAST, .hi = INT_MAX}
#define MEMBER_NAME(KEY, BYTES)  {.key = KEY, .type = JSON_STRING, .lo = 1, .hi = (BYTES) - 1}
#define MEMBER_END               {.key = NULL}
// clang-format on
/* Whether all that is in `rows` is there as they say: then it is read without a question. */
int member_check(const struct member_place *at, const json_t *from, const struct member *rows);

/* Of a key; "" and 0 if it has none. */
const char *member_or_empty(const json_t *from, const char *key);
json_int_t member_number(const json_t *from, const char *key);
