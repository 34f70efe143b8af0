/* A spec in the making. */
#ifndef LAUNCHGAP_SPEC_BUILD_H
#define LAUNCHGAP_SPEC_BUILD_H

#include "spec_keys.h"
#include "spec_text.h"

#define SPEC_COMMAND_LINE UINT_MAX /* an override's section */

struct spec_build {
	const char *backend;
	struct spec_text text;
	const char *only; /* names with commas between, or NULL */
	unsigned nread;   /* entries of the files; behind them lie the overrides */
	spec_lookup_fn *lookup;
	struct spec spec;
	struct spec_variant defaults; /* what [experiment] says for every variant */
	/* Values for a backend that does not run now are read all the same, to here, so that
	 * an error does not wait for another machine. */
	struct spec elsewhere;
	struct spec_variant elsewhere_variant;
};

/* -1, with `file:line: what`. */
int spec_build_fail(const struct spec_build *b, struct spec_place at, const char *what,
                    struct status *st);
/* Reads spec.file, over the file that it is like, into text. */
int spec_like_read(struct spec_build *b, struct status *st);
/* Applies every section of the text, in order. */
int spec_build_sections(struct spec_build *b, struct status *st);
/* Applies one section's entries, plain keys before a backend's. */
int spec_build_layers(struct spec_build *b, unsigned section, const struct spec_target *target,
                      struct status *st);

/* Puts one variant per library in the place of each that names several (each = …). Behind all
 * sections, as others may be like it. */
int spec_each_spread(struct spec_build *b, struct status *st);
/* spec_claims.c: one section. spec_claims_finish.c: when all are read and before variants are
 * spread, what they name and leave open. */
int spec_claims_factor(struct spec_build *b, unsigned section, struct status *st);
int spec_claims_claim(struct spec_build *b, unsigned section, struct status *st);
int spec_claims_finish(struct spec_build *b, struct status *st);

struct spec_variant *spec_build_find(struct spec *spec, const char *name);
/* "key = 'NAME' names no variant (did you mean 'a'?); allowed is a, b, c". where: "", " above"
 */
void spec_build_no_variant(const struct spec *spec, const char *key, const char *name,
                           const char *where, char *what, size_t bytes);

/* spec_only.c: before the command line's layer, that none of its keys would make another
 * variant of one; after variants are spread, those that SPEC_ONLY names alone. */
int spec_only_check(struct spec_build *b, const struct spec_variant *before, struct status *st);
int spec_only_keep(struct spec_build *b, struct status *st);
/* That what is said of collectives (op, root) is heeded by one; of the files, or of the command
 * line. */
int spec_heeded(struct spec_build *b, bool command_line, struct status *st);

#endif
