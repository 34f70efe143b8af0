/* Processes that are isolated from each other (isolate, visible = own): what it costs them
 * against the reference, and which other variant gives that back. Pure.
 *
 * A variant loses where its bandwidth at large sizes is sure to be less than the reference's,
 * or where none of its trials went through. A remedy is a variant that is still isolated, has
 * nothing of its own that the loser shares, differs from it in namespaces and environment
 * alone, and does not lose; of one that has a single thing of its own it may be the reference,
 * which shares it. Of several the one that changes least is named, with all that it changes: a
 * part of it was measured to be enough nowhere. */
#ifndef LAUNCHGAP_CONTAINERS_H
#define LAUNCHGAP_CONTAINERS_H

#include "advice.h"
#include "evidence.h"
#include "regime.h"

#define CONTAINERS_MOST 32

struct containers_row {
	unsigned variant;
	const struct verdict *verdict; /* against the reference, of the regime; borrowed */
	const char *fails; /* what its first trial said, where all failed; borrowed, or NULL */
	bool loses;
	int remedy; /* the variant that gives it back, or -1 */
	const struct verdict
	    *restored; /* the remedy's against the reference; NULL: it is that, or none */
};

struct containers {
	const struct regime
	    *regime; /* the large one, borrowed; NULL: there is nothing to say */
	unsigned n;
	struct containers_row rows[CONTAINERS_MOST];
};

void containers_make(const struct summary *summary, const struct regimes *regimes,
                     struct containers *out);
/* What its processes have of their own: "GPU, host name, /dev/shm". */
void containers_own(const struct settings *settings, char *text, size_t bytes);
/* All that a remedy changes: "share IPC namespace, /dev/shm; set NCCL_HOSTID = same; unset X".
 * how: with the ways to do it. */
void containers_remedy(const struct settings *loser, const struct settings *remedy, bool how,
                       char *text, size_t bytes);
/* A sentence for each remedy, of the variant that is isolated most: the whole of what to do,
 * and which parts of it were not enough. */
void containers_advise(const struct summary *summary, const struct containers *containers,
                       struct advice *out);

#endif
