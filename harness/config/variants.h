/* The variants of a spec in the making, beyond what sections say: one for each library, and
 * those that the command line keeps. */
#ifndef LAUNCHGAP_VARIANTS_H
#define LAUNCHGAP_VARIANTS_H

#include "build.h"

/* With --no-libraries: that no variant and no value of the search names a library, another file
 * or a network address. Loads none. */
int variants_name_none(struct build *b, struct status *st);
/* Puts one variant per library in the place of each that names several (each = …). Behind all
 * sections, as others may be like it. */
int variants_spread(struct build *b, struct status *st);
/* That no key of the command line makes another variant of one that has a name of its own.
 * before: the variants without the command line. */
int variants_check(struct build *b, const struct spec_variant *before, struct status *st);
/* Those that --only names alone, once they are spread. */
int variants_keep(struct build *b, struct status *st);

#endif
