/* The keys of an experiment file: those of [experiment], whose rows are here, and those of a
 * variant: its settings, the library's path and `each`. */
#ifndef LAUNCHGAP_KEYS_H
#define LAUNCHGAP_KEYS_H

#include "../trial/field.h"
#include "spec.h"

/* Where values go. A section that takes both scopes ([experiment]) sets both. */
struct keys_target {
	struct spec *spec;            /* NULL: keys of the experiment are not allowed here */
	struct spec_variant *variant; /* NULL: keys of a variant are not allowed here */
	spec_lookup_fn *lookup;
	bool closed; /* --no-libraries: no value may name a library, a file, a host or a program */
};

/* All rows of [experiment], in the order in which help shows them. */
field_rows_fn keys_fields;
/* Those of a variant that are not plain settings. */
field_rows_fn keys_variant_fields;
/* Whether a key is one of a variant. */
bool keys_of_variant(const char *key);
/* Sets the fields of one key. Errors say what is wrong and what is allowed, without a place. */
int keys_apply(const struct keys_target *target, const char *key, const char *value,
               struct status *st);

#endif
