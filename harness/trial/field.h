/* A key: how files and records write it, where its value goes, its default and help. Pure. */
#pragma once

#include <jansson.h>

#include "../status.h"

#define FIELD_SECOND_NS 1000000000ull
#define FIELD_DAY_NS    (86400 * FIELD_SECOND_NS)
#define FIELD_MAX_BITS  16 /* words of a FIELD_WORDS */
/* "-again" and a file's suffix still fit after it. */
#define FIELD_NAME_BYTES 41

/* The kind of a value: how it is written, and the type that it is stored in. */
enum field_kind {
	FIELD_NUMBER,  /* lo to hi; unsigned */
	FIELD_AUTO,    /* the same, or auto: 0 */
	FIELD_WIDE,    /* lo to hi; uint64_t */
	FIELD_RANK,    /* lo to hi, or all: -1; int */
	FIELD_SECONDS, /* lo to hi ns, a bare number is seconds; unsigned, rounded up */
	FIELD_NS,      /* 0 to hi ns, with a unit; int64_t */
	FIELD_PERCENT, /* lo to hi hundredths of a percent; double, 0.01 is 1 % */
	FIELD_REAL,    /* of JSON alone: a number from 0 up; double */
	FIELD_RATE,    /* the same, or null and none: NaN */
	FIELD_SIGNED,  /* of JSON alone: any number; double */
	FIELD_FLAG,    /* no, yes; bool */
	FIELD_WORD,    /* a word by its index; an enum, unsigned */
	FIELD_MAYBE,   /* a word by its index, or none: -1, null in JSON; int */
	FIELD_WORDS,   /* words separated by commas, or none: 0; bits, unsigned */
	FIELD_CHOICE,  /* a word; char[bytes] */
	FIELD_NAME,    /* letters, digits, '-', '_', '.'; char[bytes] */
	FIELD_TEXT,    /* 1 to bytes - 1 bytes; char[bytes] */
	FIELD_RANGE,   /* LO..HI or one size; size_t lo, hi. In JSON a list, null: no end */
	FIELD_LAYOUT,  /* PxTxR, up to hi ranks; struct layout */
	FIELD_SPLIT,   /* struct split */
	/* Of JSON alone. How many a list has is an unsigned at `bytes`; at most hi; 0: any. */
	FIELD_LIST,   /* allocated structs of `list` */
	FIELD_ARRAY,  /* the same in place */
	FIELD_TEXTS,  /* char[hi][lo] in place */
	FIELD_OBJECT, /* a struct of `list` in place; null: it stays as it is */
	FIELD_OWN,    /* the row's own; in no JSON */
};

struct field;
/* Rows of a struct of so many bytes. */
struct fields {
	const struct field *rows;
	size_t n, bytes;
};
// clang-format off
#define FIELDS_OF(ROWS, TYPE) {ROWS, sizeof(ROWS) / sizeof *(ROWS), sizeof(TYPE)}
// clang-format on

/* Errors have no place. */
typedef int field_read_fn(const struct field *field, const char *text, void *base,
                          struct status *st);
/* The i-th word, NULL after the last. */
typedef const char *field_word_fn(unsigned i);

struct field {
	const char *key;
	enum field_kind kind;
	size_t at, bytes;         /* offset; bytes of a text with its 0 */
	uint64_t lo, hi;          /* inclusive */
	const char *const *words; /* NULL-terminated, or */
	field_word_fn *word;
	const struct fields *list;
	field_read_fn *read; /* replaces the kind's own */
	bool (*names)(
	    const char *text); /* whether it names a library, file, host or program; NULL: no */
	const char *json;      /* its member, if that is not the key */
	bool special;          /* used by backends that name it (struct backend), not by all */
	bool optional;         /* JSON may lack it; then it stays as it is */
	bool record;           /* in JSON only, where it has to be within lo and hi */
	bool check;            /* asked of a variant; not a setting in which two could differ */
	const char *initial;   /* the default, as a file would write it; NULL: 0 */
	const char *otherwise; /* help shows this instead: "required", or the key that it follows */
	const char *help;
	const char *value; /* help shows it for a value: "FILE" */
};

/* The row of a key that files may say, or NULL. */
const struct field *field_find(const struct fields *of, const char *key);
int field_read(const struct field *field, const char *text, void *base, struct status *st);
void field_defaults(const struct fields *of, void *base);
/* The i-th word that may be written; NULL: there are no more, or the row has none. */
const char *field_word(const struct field *field, unsigned i);
/* What may be written, for help: "none, core", "1 to 1024". */
void field_allowed(const struct field *field, char *out, size_t bytes);

/* A new reference, NULL when memory is out or a text is not UTF-8. */
json_t *field_to_json(const struct field *field, const void *base);
/* What it allocates is the caller's, after an error too. List elements begin as defaults. */
int field_from_json(const struct field *field, const json_t *value, void *base, struct status *st);

json_t *field_object(const struct fields *of, const void *base);
int field_object_take(const struct fields *of, const json_t *json, void *base, struct status *st);

/* --- for rows with their own reader --- */

/* The row's words, each once, as indices; `list` holds as many as there are. */
int field_word_list(const struct field *field, const char *text, unsigned *list, unsigned *count,
                    struct status *st);
/* "2%", within the row's bounds. */
int field_percent(const struct field *field, const char *text, double *out, struct status *st);
/* Letters, digits, '-', '_' and '.', the last not first, nor '-'; it fits. */
bool field_is_name(const char *text, size_t bytes);
