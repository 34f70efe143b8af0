/* Internals of the host backend:
 *
 *   host           what is possible, on which transport; a cell's moves; the backend's table
 *   host_memory    the layout of buffers, flags and slots, and who touches their pages
 *   host_move      the timed path: moves, and the work of a training step, a bounded piece per poll
 *   host_reduce    arithmetic of datatypes and operations (pure)
 *
 * Counters that ranks share only grow, from cell to cell too: no reset can race with a reader. */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>

#include "../../core/buffers.h"
#include "../../core/sample.h"
#include "../steps.h"
#include "host_reduce.h"

/* Every transport copies the same pieces, and differs only in how often a byte is copied. */
#define HOST_PIECE_BYTES ((size_t)64 << 10)
/* The most that one poll moves, so that a worker with many ranks serves all of them. */
#define HOST_POLL_BYTES  (4 * HOST_PIECE_BYTES)
#define HOST_POLL_PIECES 64 /* the same for very small pieces */
#define HOST_FIFO_SLOTS  4  /* of one piece each, for every ordered pair of ranks */
/* Two cache lines: the prefetcher loads them as a pair. */
#define HOST_LINE_BYTES 128

enum host_transport { HOST_DIRECT, HOST_FIFO, HOST_SHARED };

/* direct, shared: a rank's phases since the trial began. */
struct host_flags {
	/* Phases that others may read from this rank; only it writes this. */
	alignas(HOST_LINE_BYTES) _Atomic uint64_t posted;
	/* Completed reads of this rank's buffers; its readers add to it. */
	alignas(HOST_LINE_BYTES) _Atomic uint64_t consumed;
};

/* fifo: one ordered pair; pieces since the trial began. */
struct host_ring {
	alignas(HOST_LINE_BYTES) _Atomic uint64_t pushed; /* by the sender alone */
	alignas(HOST_LINE_BYTES) _Atomic uint64_t popped; /* by the receiver alone */
};

struct host_buffers {
	/* An arena each, after the `offset` of the settings. */
	uint8_t *send, *recv;
};

/* Bytes that a rank has moved: all of its copies, and those that came from other ranks. */
struct host_tally {
	uint64_t moved, delivered;
};

#define HOST_TILE_FLOATS (3 * 32 * 32) /* of a product: two factors and the result */

/* The work that a rank must have done in a call before a phase may begin. */
struct host_stage {
	uint64_t tiles;
	size_t copied;
};

struct host_cursor {
	unsigned next;
	size_t done; /* bytes of move `next` */
};

struct host_rank {
	alignas(HOST_LINE_BYTES) unsigned rank;
	struct host_buffers own;
	/* Calls issued and not begun, oldest first. */
	unsigned *queue;
	unsigned head, count;
	bool running;
	size_t base;     /* its slot's offset into all arenas */
	uint64_t phases; /* of all earlier calls */
	uint64_t reads;  /* of this rank's buffers by others, including this call */
	struct host_cursor pull, push;
	unsigned open;  /* phases that may begin */
	uint64_t tiles; /* products computed */
	size_t copied;  /* bytes copied into buckets */
	struct steps_plan plan;
	int64_t extra_ns;                 /* of work at the end of each call: a known delay */
	struct sample_spans spans;        /* of its last call, in a timeline's cell */
	struct host_stage *stages;        /* of the cell's phases, and of the call's end */
	struct host_tally tally, watched; /* since open; in the watched stretch */
	size_t most_bytes;                /* in one poll */
	float tile[HOST_TILE_FLOATS];
};

struct backend_ctx {
	struct backend_place place;
	enum host_transport transport;
	uint8_t *store;
	size_t stride;                                    /* one rank's share of the store, */
	size_t slots_at, buffers_at, offset, arena_bytes; /* and what is in it */
	struct split_place *places; /* everybody's, by rank; all groups have the same size */
	struct host_rank *ranks;    /* this worker's */
	unsigned queue_calls;       /* capacity of a queue */
	unsigned slots;             /* of the cell; 0: nothing prepared */
	size_t access_stride;       /* of a cell of access; 0: contiguous */
	struct steps_call call;
	unsigned phases; /* of a call */
	bool waits;
	struct host_reduction reduction;
	uint64_t seed;
	int64_t watch_ns; /* length of the watched stretch; during it, its start */
};

static inline uint8_t *host_share(const struct backend_ctx *ctx, unsigned rank)
{
	return ctx->store + rank * ctx->stride;
}

static inline struct host_flags *host_flags(const struct backend_ctx *ctx, unsigned rank)
{
	return (struct host_flags *)host_share(ctx, rank);
}

static inline struct host_buffers host_buffers(const struct backend_ctx *ctx, unsigned rank)
{
	uint8_t *send = host_share(ctx, rank) + ctx->buffers_at + ctx->offset;
	return (struct host_buffers){send, send + ctx->arena_bytes};
}

static inline struct host_ring *host_ring(const struct backend_ctx *ctx, unsigned from, unsigned to)
{
	return (struct host_ring *)(host_flags(ctx, to) + 1) + from;
}

static inline uint8_t *host_slot(const struct backend_ctx *ctx, unsigned from, unsigned to,
                                 uint64_t piece)
{
	size_t slot = (size_t)from * HOST_FIFO_SLOTS + piece % HOST_FIFO_SLOTS;
	return host_share(ctx, to) + ctx->slots_at + slot * HOST_PIECE_BYTES;
}

/* Bytes of the team's store; SIZE_MAX if size_t is too small. */
size_t host_memory_needs(enum host_transport transport, const struct trial *trial);
/* One rank's share of them: its two arenas, and the memory for moving data between ranks. */
void host_memory_share(enum host_transport transport, const struct trial *trial, size_t *buffers,
                       size_t *comm);
/* Places and touches this worker's buffers, and maps those of the others: meets the team once. */
int host_memory_open(struct backend_ctx *ctx, struct status *st);

void host_move_plan(const struct backend_ctx *ctx, struct host_rank *rank);

/* Continues the calls of local rank i: 1 when all are done. Never blocks. */
int host_move(struct backend_ctx *ctx, unsigned i);
