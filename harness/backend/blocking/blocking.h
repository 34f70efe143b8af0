/* Backends whose library works in CPU memory and blocks: issuing a call completes it. Common to
 * them: buffers, cells, checks, sends and receives in rounds, staging for buffers on a GPU. A
 * library (mpi, gloo) adds how ranks connect, its own collectives and how two ranks exchange
 * data. A worker has one rank: a thread in a call for one rank could not make the others'. */
#ifndef LAUNCHGAP_BLOCKING_H
#define LAUNCHGAP_BLOCKING_H

#include "../../coll/call.h"
#include "../buffers.h"
#include "../steps.h"

/* A rank's place in its communicator: the whole team's, or a group of it. */
struct blocking_place {
	struct team *team;
	unsigned rank; /* of the team */
	unsigned n, me, color;
	struct split split;
};

/* Datatypes that all of them reduce, as bits. */
#define BLOCKING_REDUCES                                                                           \
	(1u << DTYPE_INT8 | 1u << DTYPE_UINT8 | 1u << DTYPE_INT32 | 1u << DTYPE_UINT32 |           \
	 1u << DTYPE_INT64 | 1u << DTYPE_UINT64 | 1u << DTYPE_FLOAT32 | 1u << DTYPE_FLOAT64)

struct blocking_library {
	const char *name;
	unsigned reduces; /* datatypes, as bits; and the sentence on all others */
	const char *reduces_else;
	const char *sums_bytes_else; /* NULL: it sums 8-bit integers as all others do */
	/* A sentence why it cannot carry out what the settings ask for, or NULL; pure. */
	const char *(*refuses)(const struct settings *settings);
	/* May block and may team_meet. *link is the argument of the calls. */
	int (*connect)(const struct blocking_place *place, const struct coll_calls **calls,
	               void **link, struct status *st);
	/* "key=value" lines, while it is connected. */
	void (*describe)(struct team *team, char *text, size_t bytes);
};
extern const struct blocking_library blocking_gloo, blocking_mpi;

/* Their tables are the same, but for what they run on: BLOCKING_ROWS. */
int blocking_supports(const struct trial *trial, struct status *st);
int blocking_open(const struct backend_place *place, struct backend_ctx **out, struct status *st);
int blocking_numa_node(const struct trial *trial, unsigned rank);
int blocking_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                     unsigned slots, struct status *st);
void blocking_nothing(struct backend_ctx *ctx);
void blocking_issue(struct backend_ctx *ctx, unsigned i, unsigned slot);
int blocking_poll(struct backend_ctx *ctx, unsigned i);
void blocking_error(struct backend_ctx *ctx, struct status *st);
void blocking_disconnect(struct backend_ctx *ctx);
int blocking_connect(struct backend_ctx *ctx, struct status *st);
int blocking_corrupt(struct backend_ctx *ctx, unsigned i, size_t byte, struct status *st);
int blocking_check(struct backend_ctx *ctx, unsigned i, struct backend_verdict *out,
                   struct status *st);
int blocking_digest(struct backend_ctx *ctx, unsigned i, uint64_t *out, struct status *st);
void blocking_describe(struct backend_ctx *ctx, char *text, size_t bytes);
void blocking_close(struct backend_ctx *ctx);

/* Keys that all of them use. */
extern const char *const blocking_uses[];

#define BLOCKING_ARENA_BYTES ((size_t)8 << 20) /* more than the L2 of the core that owns it */

// clang-format off
#define BLOCKING_ROWS \
	.uses = blocking_uses, .arena_bytes = BLOCKING_ARENA_BYTES, \
	.supports = blocking_supports, .numa_node = blocking_numa_node, \
	.open = blocking_open, .prepare = blocking_prepare, \
	.begin = blocking_nothing, .issue = blocking_issue, .end = blocking_nothing, \
	.poll = blocking_poll, .error = blocking_error, \
	.disconnect = blocking_disconnect, .connect = blocking_connect, \
	.corrupt = blocking_corrupt, .check = blocking_check, .digest = blocking_digest, \
	.describe = blocking_describe, .close = blocking_close
// clang-format on

#endif
