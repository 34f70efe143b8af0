/* Backends whose library works in CPU memory and blocks: issuing a call completes it. Common to
 * them: buffers, cells, checks, sends and receives in rounds, staging for buffers on a GPU. A
 * library (mpi, gloo) adds how ranks connect, its own collectives and how two ranks exchange
 * data. A worker has one rank: a thread in a call for one rank could not make the others'. */
#ifndef LAUNCHGAP_BLOCKING_H
#define LAUNCHGAP_BLOCKING_H

#include "../buffers.h"

/* A rank's place in its communicator: the whole team's, or a group of it. */
struct blocking_place {
	struct team *team;
	unsigned rank; /* of the team */
	unsigned n, me, color;
	struct split split;
};

/* One call. from, to: the start of the rank's send side and receive side; in place both are in one
 * buffer. */
struct blocking_call {
	enum coll_kind coll;
	enum dtype dtype;
	enum op op;
	unsigned n, me, root;
	bool in_place;
	size_t element;        /* bytes */
	size_t elements, part; /* of a whole buffer, and of one rank's part */
	/* alltoallv, in elements, by rank: counts and offsets of what is sent, and of what is
	 * received. */
	const int *sent, *sent_at, *received, *received_at;
	const char *from;
	char *to;
};

/* Sends to one rank while it receives from one. UINT_MAX: none. */
struct blocking_exchange {
	unsigned to, from;
	const char *out;
	char *in;
	size_t out_elements, in_elements, element;
};

struct blocking_library {
	const char *name;
	/* Whether the library has a call for it. */
	bool (*carries)(enum coll_kind coll);
	/* A sentence why it cannot carry a cell out, or NULL; pure. */
	const char *(*refuses)(const struct cell *cell);
	/* The same of a layout. */
	const char *(*refuses_layout)(struct layout layout);
	/* May block and may team_meet. *link is the argument of the others; on error NULL. */
	int (*connect)(const struct blocking_place *place, void **link, struct status *st);
	void (*disconnect)(void *link);
	/* Blocks until the rank's part is done. */
	int (*call)(void *link, const struct blocking_call *call, struct status *st);
	int (*exchange)(void *link, const struct blocking_exchange *exchange, struct status *st);
	/* "key=value" lines. */
	void (*describe)(void *link, char *text, size_t bytes);
};

/* Of backend.h, for the library's own table. */
int blocking_supports(const struct blocking_library *library, const struct trial *trial,
                      struct status *st);
int blocking_open(const struct blocking_library *library, const struct backend_place *place,
                  struct backend_ctx **out, struct status *st);

/* The rest of the table is the same for all of them: BLOCKING_ROWS. */
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
	.numa_node = blocking_numa_node, .prepare = blocking_prepare, \
	.begin = blocking_nothing, .issue = blocking_issue, .end = blocking_nothing, \
	.poll = blocking_poll, .error = blocking_error, \
	.disconnect = blocking_disconnect, .connect = blocking_connect, \
	.corrupt = blocking_corrupt, .check = blocking_check, .digest = blocking_digest, \
	.describe = blocking_describe, .close = blocking_close
// clang-format on

#endif
