/* The first line of a record: what its run was made with. */
#ifndef LAUNCHGAP_DESCRIBE_H
#define LAUNCHGAP_DESCRIBE_H

#include <jansson.h>

#include "../config/plan.h"

/* The fields of results/README.md without schema and kind. The caller owns
 * the reference; NULL: out of memory. */
json_t *describe_run(const struct plan *plan, int argc, char *const argv[], const char *commit);

json_t *describe_variant(const struct plan_variant *variant);

#endif
