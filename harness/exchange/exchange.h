/* How the processes of a job find each other and swap a few kilobytes, before they share anything.
 * Never in a timed call. Not for several threads at once. */
#ifndef LAUNCHGAP_EXCHANGE_H
#define LAUNCHGAP_EXCHANGE_H

#include "../status.h"

#define EXCHANGE_MOST_BYTES ((size_t)16 << 20) /* of all ranks in one call */

struct exchange;

unsigned exchange_rank(const struct exchange *x);
unsigned exchange_size(const struct exchange *x);
/* That its ranks share; NULL: there is none. */
const char *exchange_secret(const struct exchange *x);
/* All call the same functions in the same order with equal `bytes`. After an error all further calls
 * return its text. */

/* Each gives `bytes`; all get those of all, in the order of ranks. Blocks until all gave. */
int exchange_all(struct exchange *x, const void *mine, void *all, size_t bytes, struct status *st);
/* Bytes of rank 0, to all. */
int exchange_first(struct exchange *x, void *data, size_t bytes, struct status *st);
/* Does not wait for the others. NULL is allowed. */
void exchange_close(struct exchange *x);

/* A place in a world that meets through a door of rank 0 (door.h). */
struct exchange_seat {
	unsigned rank, size;
	int door; /* rank 0: a listening socket, which it closes in any case; or -1: it opens one */
	const char *address; /* of the door */
	const char *secret;
	unsigned timeout_s; /* for the meeting, and for each call afterwards */
};
/* Blocks until all have come. Rank 0 without a door listens at all its host's addresses, at the port of
 * `address`; if that is loopback, there alone. All go through rank 0, which tells all others why it
 * fails: they wait for its word up to twice timeout_s. */
int exchange_open_tcp(const struct exchange_seat *seat, struct exchange **out, struct status *st);

/* The processes that MPI's launcher started together; the error names what MPI lacks. Once in a
 * process. Closing it ends MPI. */
int exchange_open_mpi(struct exchange **out, struct status *st);

/* What carries one out. `of` is its own. */
struct exchange_way {
	int (*all)(void *of, const void *mine, void *all, size_t bytes, struct status *st);
	int (*first)(void *of, void *data, size_t bytes, struct status *st);
	void (*close)(void *of);
};
/* For the ways. secret: copied; may be NULL. Takes `of`: closes it on errors. */
int exchange_make(const struct exchange_way *way, void *of, unsigned rank, unsigned size,
                  const char *secret, struct exchange **out, struct status *st);

#endif
