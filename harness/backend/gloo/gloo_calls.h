/* The interface of the part that is C++ and linked with Gloo. The program loads that part if it
 * exists (gloo.c), so that it runs on machines without Gloo. Plain C structs alone, so that the
 * part needs no symbol of the program. */
#pragma once

#include "../../coll/call.h"

#define GLOO_PART  "liblaunchgap_gloo.so"
#define GLOO_ENTRY "launchgap_gloo" /* the one name that is looked up */

/* Where a rank listens for one peer, in Gloo's own form. */
struct gloo_address {
	size_t bytes;
	char text[248];
};

/* 0, or -1 with a sentence. All of them block. */
struct gloo_part {
	/* host: where this rank listens; addresses: for each of `size` ranks, its own left out. */
	int (*listen)(int rank, int size, const char *host, int timeout_s, void **link,
	              struct gloo_address *addresses, char why[COLL_CALL_WHY]);
	/* addresses: where each rank listens for this one. */
	int (*connect)(void *link, const struct gloo_address *addresses, char why[COLL_CALL_WHY]);
	struct coll_calls calls;
};
