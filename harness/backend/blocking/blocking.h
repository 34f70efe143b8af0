/* Backends whose library works in CPU memory and blocks. A library (mpi, gloo) adds how ranks
 * connect, its collectives and how two ranks exchange data. A worker has one rank: it could not
 * make others' calls meanwhile. */
#pragma once

#include "../../coll/call.h"
#include "../../core/buffers.h"
#include "../steps.h"

/* A rank's place in its communicator: the whole team's, or a group of it. */
struct blocking_place {
	struct team *team;
	unsigned rank; /* of the team */
	unsigned n, me, color;
	struct split split;
};

/* Datatypes that both reduce, as bits. */
#define BLOCKING_REDUCES                                                                           \
	(1u << DTYPE_INT8 | 1u << DTYPE_UINT8 | 1u << DTYPE_INT32 | 1u << DTYPE_UINT32 |           \
	 1u << DTYPE_INT64 | 1u << DTYPE_UINT64 | 1u << DTYPE_FLOAT32 | 1u << DTYPE_FLOAT64)

struct blocking_library {
	const char *name;
	unsigned reduces; /* datatypes, as bits; and the sentence on all others */
	const char *reduces_else;
	const char *sums_bytes_else; /* NULL: it sums 8-bit integers as all others do */
	const char *(*refuses)(const struct settings *settings);
	/* May block and may team_meet. *link is the argument of the calls. */
	int (*connect)(const struct blocking_place *place, const struct coll_calls **calls,
	               void **link, struct status *st);
	void (*describe)(struct team *team, char *text, size_t bytes);
};
extern const struct blocking_library blocking_gloo, blocking_mpi;

unsigned gloo_capacity(struct status *st);
size_t gloo_store_bytes(const struct trial *trial);
unsigned mpi_capacity(struct status *st);
