/* The keys of [experiment], and those of a variant: its settings, the library's path and `each`. */
#pragma once

#include "../trial/field.h"
#include "spec.h"

/* Where values go. A section that takes both scopes ([experiment]) sets both. */
struct keys_target {
	struct spec *spec;            /* NULL: keys of the experiment are not allowed here */
	struct spec_variant *variant; /* NULL: keys of a variant are not allowed here */
	spec_lookup_fn *lookup;
	bool closed; /* --no-libraries: no value may name a library, a file, a host or a program */
};

/* Of [experiment], in the order of help; of a variant those that are no plain settings. */
extern const struct fields keys_fields, keys_variant_fields;
bool keys_of_variant(const char *key);
/* Errors have no place. */
int keys_apply(const struct keys_target *target, const char *key, const char *value,
               struct status *st);

/* --- the kinds of sections: what reads each, and the rows of its keys for help --- */

#define KEY_TABLE_PARTS 4

struct build;

struct key_table {
	const char *name, *head; /* "variant", "[variant NAME]" */
	bool backends;           /* its keys may be of some backends alone */
	int (*apply)(struct build *b, unsigned section, struct status *st);
	const struct fields *parts[KEY_TABLE_PARTS]; /* NULL after the last */
};

/* NULL: there are no more. */
const struct key_table *key_table_at(unsigned i);
/* Calls `use` with each row that has a word about it, in order. */
void key_table_each(const struct key_table *table, void (*use)(const struct field *row, void *arg),
                    void *arg);
/* What follows a key's help in documents (keys.txt), up to the line's end; "": nothing. */
const char *key_more(const struct key_table *table, const char *key);
/* The backends that use a key, if not all do: "nccl, host"; else "". */
void key_backends(const struct field *row, char *names, size_t bytes);
