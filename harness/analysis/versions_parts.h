/* What the files of versions share with each other and with nobody else. */
#ifndef LAUNCHGAP_VERSIONS_PARTS_H
#define LAUNCHGAP_VERSIONS_PARTS_H

#include <limits.h>

#include "versions.h"

#define VERSIONS_NONE UINT_MAX

/* One version's variants; VERSIONS_NONE: not there. */
struct versions_pick {
	const char *version;
	unsigned variants[VERSIONS_MODES];
};

/* The versions to be compared, ascending; none or at least two. `picks` has room for as many as
 * there are variants. `missing`: struct versions'. -1: out of memory. */
int versions_pick(const struct summary *summary, struct versions_pick *picks, unsigned *n,
                  char *missing, size_t bytes);

#endif
