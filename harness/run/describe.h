/* What a run is made with, for the first line of its record. */
#ifndef LAUNCHGAP_DESCRIBE_H
#define LAUNCHGAP_DESCRIBE_H

#include <jansson.h>

#include "../config/plan.h"

/* The fields of results/README.md, less schema and kind. `why`: why this backend. The caller's
 * reference; NULL: out of memory. */
json_t *describe_run(const struct plan *plan, int argc, char *const argv[], const char *why,
                     const char *commit);

/* A variant, as the list in it describes each. */
json_t *describe_variant(const struct plan_variant *variant);

#endif
