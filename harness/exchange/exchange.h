/* How the processes of a job find each other and swap a few kilobytes, before they share anything.
 * Never in a timed call. Not for several threads at once. */
#ifndef LAUNCHGAP_EXCHANGE_H
#define LAUNCHGAP_EXCHANGE_H

#include "../mpi/mpi_load.h"
#include "peers.h"

#define EXCHANGE_MOST_BYTES ((size_t)16 << 20) /* of all ranks in one call */

struct exchange {
	const struct mpi_calls *mpi; /* NULL: over TCP, by peers */
	unsigned rank, size;
	char secret[WIRE_SECRET_BYTES]; /* that its ranks share */
	struct peers peers;
};

/* Over TCP; closes the seat's door in any case. After an error all further calls return its text. */
int exchange_open_tcp(const struct exchange_seat *seat, struct exchange **out, struct status *st);
/* The processes that MPI's launcher started together; the error names what MPI lacks. Once in a
 * process. Closing it ends MPI, which ends a process in whose call something fails, and its launcher the
 * others. */
int exchange_open_mpi(struct exchange **out, struct status *st);
/* Does not wait for the others. NULL is allowed. */
void exchange_close(struct exchange *x);

/* All call the same functions in the same order with equal `bytes`, and wait for all. */

/* Each gives `bytes`; all get those of all, in the order of ranks. */
int exchange_all(struct exchange *x, const void *mine, void *all, size_t bytes, struct status *st);
/* Bytes of rank 0, to all. */
int exchange_first(struct exchange *x, void *data, size_t bytes, struct status *st);

#endif
