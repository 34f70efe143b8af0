/* The memory that a variant used, as its workers said at the end of their trials. Pure. */
#ifndef LAUNCHGAP_MEMORY_H
#define LAUNCHGAP_MEMORY_H

#include "summary.h"

/* Bytes: medians over all workers of all trials, each worker for the one of its GPUs that used
 * most (host, and older records: its first rank). NaN where no worker says it. */
struct memory_use {
	double buffers, comm, calls;
	double registering; /* of buffers; older records include it in comm */
	double rank;        /* these together, worker by worker */
	double process;     /* a worker's process: the most CPU memory that it held at once */
};

struct memory_use memory_of(const struct summary *summary, unsigned variant);

#endif
