/* Processes that are set apart from each other (isolate, visible = own): what it costs them
 * against the reference, and which other variant gives that back. Pure.
 *
 * A variant loses where its bandwidth at large sizes is sure to be less than the reference's. A
 * remedy is a variant that is still set apart, has nothing of its own that the loser shares,
 * differs from it in namespaces and environment alone, and does not lose. Of several the one that
 * changes least is named. A variant none of whose trials went through is a loser too: it fails. */
#ifndef LAUNCHGAP_CONTAINERS_H
#define LAUNCHGAP_CONTAINERS_H

#include "evidence.h"
#include "regime.h"

#define CONTAINERS_MOST 32

struct containers_row {
	unsigned variant;
	const struct verdict *verdict; /* against the reference, of the regime; borrowed */
	const char *fails; /* what its first trial said, where all failed; borrowed, or NULL */
	bool loses;
	int remedy; /* the variant that gives it back, or -1 */
};

struct containers {
	const struct regime *regime; /* the large one, borrowed; NULL: there is nothing to say */
	unsigned n;
	struct containers_row rows[CONTAINERS_MOST];
};

void containers_make(const struct summary *summary, const struct regimes *regimes,
                     struct containers *out);
/* What its processes have of their own: "GPU, host name, /dev/shm". */
void containers_own(const struct settings *settings, char *text, size_t bytes);
/* What a remedy changes: "they share /dev/shm and the IPC namespace; NCCL_HOSTID = same". */
void containers_remedy(const struct settings *loser, const struct settings *remedy, char *text,
                       size_t bytes);
/* Whether any named remedy shares what its loser has of its own (an ISOLATE_ kind), or sets
 * NCCL_HOSTID: what its reader has to do. */
bool containers_shares(const struct summary *summary, const struct containers *containers,
                       int kind);
bool containers_names_host(const struct summary *summary, const struct containers *containers);

#endif
