/* A spec in the making. */
#pragma once

#include "keys.h"

#define BUILD_COMMAND_LINE UINT_MAX /* an override's section */

struct spec_text {
	char name[TRIAL_NAME_BYTES];
	char file[PATH_MAX];
	struct text text;
	unsigned nread;   /* entries of the files; the overrides follow */
	const char *only; /* names separated by commas, or NULL; borrowed */
	bool no_libraries;
};

struct build {
	const struct spec_text *from;
	const char *backend;
	spec_lookup_fn *lookup;
	struct spec *spec;
	struct spec_variant defaults; /* what [experiment] says for every variant */
	/* Values for a backend that does not run now are still read, to here, so that an error
	 * shows on every machine. NULL: none yet. */
	struct spec *elsewhere;
	struct spec_variant elsewhere_variant;
};

/* The next entry of a section's layer from *i on, which begins at 0: those for all backends, or
 * those for one. Those for the lack of a variant are in neither. NULL: no more. */
const struct text_entry *build_next(const struct build *b, unsigned section, bool of_one,
                                    unsigned *i);
bool build_here(const struct build *b, const struct text_entry *entry);
/* The entry that counts of a key of [experiment]: the command line's before one for the running
 * backend before one for all. NULL: none. */
const struct text_entry *build_said(const struct build *b, const char *key);

/* Reads a section's entries, those for all backends before those for one. `read` says errors without
 * their place. */
int build_section(struct build *b, unsigned section,
                  int (*read)(struct build *b, const struct text_entry *entry, void *to,
                              struct status *st),
                  void *to, struct status *st);

/* --- what a kind of section does with its entries (keys.h) --- */

int asked_factor(struct build *b, unsigned section, struct status *st);
int asked_claim(struct build *b, unsigned section, struct status *st);
int asked_source(struct build *b, unsigned section, struct status *st);
/* After all are read and before variants are expanded. */
int asked_finish(struct build *b, struct status *st);

/* --- variants beyond what sections say (variants.c) --- */

/* Puts one variant per library in the place of each that names several (each = …). After all
 * sections, as others may be like it. */
int variants_spread(struct build *b, struct status *st);
/* An error if a key of the command line turns one variant into another that has its own name.
 * before: the variants without the command line. */
int variants_check(struct build *b, const struct spec_variant *before, struct status *st);
/* Keeps the variants that --only names, after they are expanded. */
int variants_keep(struct build *b, struct status *st);
