/* How the processes of a job find each other and swap a few kilobytes, before they share anything.
 * Never in a timed call. Not for several threads at once. */
#ifndef LAUNCHGAP_RENDEZVOUS_H
#define LAUNCHGAP_RENDEZVOUS_H

#include "../mpi/mpi_load.h"
#include "peers.h"

#define RENDEZVOUS_MOST_BYTES ((size_t)16 << 20) /* of all ranks in one call */

struct rendezvous {
	const struct mpi_calls *mpi; /* NULL: over TCP, by peers */
	unsigned rank, size;
	char secret[WIRE_SECRET_BYTES]; /* that its ranks share */
	struct peers peers;
};

/* Over TCP; closes the seat's door in any case. After an error all further calls return its text. */
int rendezvous_open_tcp(const struct rendezvous_seat *seat, struct rendezvous **out,
                        struct status *st);
/* The processes that MPI's launcher started together; the error names what MPI lacks. Once in a
 * process. Closing it ends MPI, which ends a process in whose call something fails, and its launcher the
 * others. */
int rendezvous_open_mpi(struct rendezvous **out, struct status *st);
/* Does not wait for the others. NULL is allowed. */
void rendezvous_close(struct rendezvous *x);

/* All call the same functions in the same order with equal `bytes`, and wait for all. */

/* Each gives `bytes`; all get those of all, in the order of ranks. */
int rendezvous_all(struct rendezvous *x, const void *mine, void *all, size_t bytes,
                   struct status *st);
/* Bytes of rank 0, to all. */
int rendezvous_first(struct rendezvous *x, void *data, size_t bytes, struct status *st);

#endif
