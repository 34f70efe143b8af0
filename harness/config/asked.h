/* [factor NAME] and [claim NAME]: what the variants are measured for, and what both name and
 * leave open. */
#ifndef LAUNCHGAP_ASKED_H
#define LAUNCHGAP_ASKED_H

#include "build.h"

/* One section. */
int asked_factor(struct build *b, unsigned section, struct status *st);
int asked_claim(struct build *b, unsigned section, struct status *st);
/* When all are read and before variants are spread. */
int asked_finish(struct build *b, struct status *st);

/* The rows of a section, for help. */
const struct field *asked_fields(bool of_claims, size_t *n);

#endif
