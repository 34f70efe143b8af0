/* Which variants of a run represent threads, processes (and single) on each version of the library:
 * those that otherwise have the reference's settings. A version without them is omitted, because a
 * pair with other settings would answer another question. Pure. */
#ifndef LAUNCHGAP_VERSIONS_H
#define LAUNCHGAP_VERSIONS_H

#include <limits.h>

#include "../arena.h"
#include "reason.h"
#include "summary.h"

#define VERSIONS_NONE UINT_MAX /* no variant */

enum versions_mode { VERSIONS_THREADS, VERSIONS_PROCESSES, VERSIONS_SINGLE, VERSIONS_MODES };
const char *versions_mode_name(enum versions_mode mode);

struct versions_pick {
	const char *version; /* "2.21.5" */
	unsigned variants[VERSIONS_MODES];
};

/* A version that was measured and is omitted, or a pick that others could replace. */
struct versions_remark {
	const char *version;
	/* Why threads and processes are missing; both are there if they are of two files of the
	 * version. */
	struct reason why[2];
	const char *mode, *taken, *others; /* NULL: it is omitted */
};

struct versions {
	struct versions_pick *picks;     /* ascending */
	unsigned n;                      /* at least two, or none */
	unsigned nmodes;                 /* 2, or 3 where single was measured on all versions */
	struct versions_remark *remarks; /* those omitted first */
	unsigned nmissing, nremarks;
};

/* All memory is the arena's. */
void versions_find(const struct summary *summary, struct arena *arena, struct versions *out);

#endif
