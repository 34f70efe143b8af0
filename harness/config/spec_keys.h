/* The keys of an experiment file: one row each says where it may stand, what it may be, and
 * which field it sets. A new key is a new row. */
#ifndef LAUNCHGAP_SPEC_KEYS_H
#define LAUNCHGAP_SPEC_KEYS_H

#include "spec.h"

enum spec_scope { SPEC_SCOPE_EXPERIMENT, SPEC_SCOPE_VARIANT };

/* Where values go. A section that takes both scopes ([experiment]) sets both. */
struct spec_target {
	struct spec *spec;            /* NULL: keys of the experiment are not allowed here */
	struct spec_variant *variant; /* NULL: keys of a variant are not allowed here */
	spec_lookup_fn *lookup;
};

/* The part behind a backend's name ("bytes" of "host.bytes") with the name in `backend`, or the
 * key itself with "". NULL: what stands before the dot is no backend. */
const char *spec_keys_split(const char *key, char backend[TRIAL_NAME_BYTES]);
/* Whether a key (without a backend) belongs to a scope. */
bool spec_keys_in(enum spec_scope scope, const char *key);
/* Sets the fields of one key. Errors say what is wrong and what is allowed, without a place. */
int spec_keys_apply(const struct spec_target *target, const char *key, const char *value,
                    struct status *st);

/* For the files that read values. */

/* The i-th allowed word, or NULL behind the last. */
typedef const char *spec_word_fn(unsigned i);

struct spec_key;

struct spec_value {
	const char *text;
	spec_lookup_fn *lookup;
};

/* Reads one kind of value into the field, which the row's offset names. */
typedef int spec_value_fn(const struct spec_key *key, const struct spec_value *value,
                          void *field, struct status *st);

struct spec_key {
	const char *name;
	enum spec_scope scope;
	size_t offset; /* into struct spec or struct spec_variant */
	spec_value_fn *read;
	spec_word_fn *word; /* of words; NULL: those of the setting of that name */
	uint64_t lo, hi;    /* of numbers, inclusive; hi: bytes of a text, with its 0 */
};

/* spec_numbers.c. Field: unsigned, unsigned (0: auto), uint64_t, unsigned seconds, int64_t ns,
 * int (-1: all), struct layout. */
spec_value_fn spec_number_unsigned, spec_number_ranks, spec_number_u64, spec_number_seconds,
    spec_number_ns, spec_number_rank, spec_number_layout;

/* spec_sizes.c. Field: struct spec. */
spec_value_fn spec_sizes_read;

/* spec_blocks.c. Field: struct spec, double (0.01: 1 %; bounds in hundredths of a percent). */
spec_value_fn spec_number_blocks, spec_number_percent;

/* spec_words.c. Field: enum, bool, char[TRIAL_NAME_BYTES], char[hi], char[TRIAL_NAME_BYTES],
 * struct spec, bool[PACE_KINDS], struct spec_variant. */
spec_value_fn spec_word_enum, spec_word_yes, spec_word_text, spec_word_free, spec_word_name,
    spec_word_colls, spec_word_paces, spec_word_library;
spec_word_fn spec_word_coll, spec_word_dtype, spec_word_op, spec_word_pace, spec_word_backend,
    spec_word_no_yes;

/* spec_what.c: what is called. Field: struct spec, but for the last: struct settings. */
spec_value_fn spec_what_dtypes, spec_what_ops, spec_what_roots, spec_what_in_place,
    spec_what_counts, spec_what_flip, spec_what_split, spec_what_expect, spec_what_below;
/* spec_each.c. Field: struct spec_variant. */
spec_value_fn spec_each_read;
/* Copies text with every ${NAME} looked up; `name` is the last of them, and untouched without
 * one. 1: it is unset or empty. */
int spec_word_expand(const char *text, spec_lookup_fn *lookup, char *out, size_t bytes,
                     char name[TRIAL_NAME_BYTES], struct status *st);
/* spec_claims.c. Field: struct gap, struct claim_range. */
spec_value_fn spec_claims_gap, spec_claims_range;
/* A list of words, each once, as indices in the order given; `list` holds as many as there are.
 */
int spec_word_list(const struct spec_key *key, const char *text, unsigned *list,
                   unsigned *count, struct status *st);

#endif
