/* A spec in the making. */
#ifndef LAUNCHGAP_BUILD_H
#define LAUNCHGAP_BUILD_H

#include "keys.h"

#define BUILD_COMMAND_LINE UINT_MAX /* an override's section */

struct build {
	const char *backend;
	struct text text;
	const char *only; /* names with commas between, or NULL */
	bool no_libraries;
	unsigned nread; /* entries of the files; behind them lie the overrides */
	spec_lookup_fn *lookup;
	struct spec *spec;
	struct spec_variant defaults; /* what [experiment] says for every variant */
	/* Values for a backend that does not run now are read all the same, to here, so that
	 * an error does not wait for another machine. NULL: there was none yet. */
	struct spec *elsewhere;
	struct spec_variant elsewhere_variant;
};

/* -1, with `file:line: what`. */
int build_fail(const struct build *b, struct text_place at, const char *what,
               struct status *st);
/* Whether an entry names what its section starts from. */
bool build_is_like(const struct text_entry *entry);
/* Reads spec.file, over the file that it is like, into text. */
int build_read_text(struct build *b, struct status *st);
/* A key of a section, without the backend in front. */
struct build_key {
	const char *name; /* as it is written, where it has an unknown backend in front */
	bool here;        /* it holds here: plain, or of the backend that runs */
};
/* The next entry of a section's layer from *i on, which begins at 0: its plain keys, or those
 * with a backend in front. NULL: there is none. */
const struct text_entry *build_next(const struct build *b, unsigned section, bool prefixed,
                                    unsigned *i, struct build_key *key);
/* Applies one section's entries, plain keys before a backend's. */
int build_layers(struct build *b, unsigned section, const struct keys_target *target,
                 struct status *st);

#endif
