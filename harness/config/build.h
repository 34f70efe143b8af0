/* A spec in the making. */
#pragma once

#include "keys.h"

#define BUILD_COMMAND_LINE UINT_MAX /* an override's section */

struct spec_text {
	const struct spec_source *from;
	struct text text; /* of the file, followed by the command line's entries */
};

struct build {
	const struct spec_text *from;
	const char *backend;
	struct spec *spec;
	struct spec_variant defaults; /* what [experiment] says for every variant */
	/* Where values go that do not count. */
	struct spec_variant elsewhere_variant;
	struct spec elsewhere;
};

/* The entry that counts of a section; NULL: it does not say the key. */
const struct text_entry *build_find(const struct build *b, unsigned section, const char *key);

/* All of a section's entries, also those that do not count: an error shows on every machine. `read`
 * says errors without their place. */
int build_section(struct build *b, unsigned section,
                  int (*read)(struct build *b, const struct text_entry *entry, void *to,
                              struct status *st),
                  void *to, struct status *st);

/* --- what a kind of section does with its entries (keys.h) --- */

int spec_claims_factor(struct build *b, unsigned section, struct status *st);
int spec_claims_claim(struct build *b, unsigned section, struct status *st);
int spec_claims_source(struct build *b, unsigned section, struct status *st);
/* After all are read and before variants are expanded. */
int spec_claims_finish(struct build *b, struct status *st);

/* --- variants beyond what sections say (variants.c) --- */

/* A variant per library for each that names several (each = …); last, as others may be like it. */
int variants_spread(struct build *b, struct status *st);
/* An error: the command line turns a variant into another. before: those without it. */
int variants_check(struct build *b, const struct spec_variant *before, struct status *st);
/* Keeps the variants that --only names, after they are expanded. */
int variants_keep(struct build *b, struct status *st);
