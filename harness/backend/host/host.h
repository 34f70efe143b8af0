/* Inside of the host backend. The data flow, one file each:
 *
 *   host_supports  what can be carried out, on which transport, and the sentences why not
 *   host_step      what a collective moves (pure)
 *   host_reduce    what datatypes and operations mean (pure); host_float has the small floats
 *   host_memory    where buffers, flags and slots lie, and who touches their pages
 *   host_cell      a cell: its lists of moves, what its buffers hold and what they must
 *   host_move      the timed path: moves what the steps say, a bounded piece a poll
 *   host_work      of a step of training: its products, and when its buckets may move
 *   host           the backend's table: open, prepare, check, describe
 *
 * All counters that ranks share only ever grow, within a cell and from cell to cell: nothing is
 * reset, so no reset can race with a rank that is still reading. */
#ifndef LAUNCHGAP_HOST_H
#define LAUNCHGAP_HOST_H

#include <stdalign.h>
#include <stdatomic.h>

#include "../buffers.h"
#include "../../core/sample.h"
#include "host_reduce.h"
#include "host_step.h"

/* Every transport copies in pieces of the same size with the same routine, so that they differ
 * in how often a byte is copied and in nothing else. */
#define HOST_PIECE_BYTES ((size_t)64 << 10)
/* What one poll may move: a worker with many ranks gets round to all of them. */
#define HOST_POLL_BYTES  (4 * HOST_PIECE_BYTES)
#define HOST_POLL_PIECES 64 /* the same for pieces so small that bytes never add up */
#define HOST_FIFO_SLOTS  4  /* of one piece each, for every ordered pair of ranks */
/* Two lines: the neighbour line is prefetched with its pair. */
#define HOST_LINE_BYTES 128

enum host_transport { HOST_DIRECT, HOST_FIFO, HOST_SHARED };

/* direct, shared: how far a rank is, in phases since the trial began. */
struct host_flags {
	/* What may be read of this rank; written by it alone. */
	alignas(HOST_LINE_BYTES) _Atomic uint64_t posted;
	/* Reads of this rank's buffers that are done; added to by its readers. */
	alignas(HOST_LINE_BYTES) _Atomic uint64_t consumed;
	/* direct, rank 0's only: workers that have closed. */
	alignas(HOST_LINE_BYTES) _Atomic unsigned closed;
};

/* fifo: one ordered pair; pieces since the trial began. */
struct host_ring {
	alignas(HOST_LINE_BYTES) _Atomic uint64_t pushed; /* by the sender alone */
	alignas(HOST_LINE_BYTES) _Atomic uint64_t popped; /* by the receiver alone */
};

struct host_buffers {
	uint8_t *send, *recv; /* an arena each, behind the offset that is asked for */
};

/* A rank's place in its communicator: the whole team's, or a group of it. */
struct host_place {
	unsigned color, index;
	unsigned first; /* of its group, in the list of members */
};

/* Bytes that a rank has moved: all of its copies, and those that came from other ranks. */
struct host_tally {
	uint64_t moved, delivered;
};

#define HOST_TILE_FLOATS (3 * 32 * 32) /* of a product: two factors and what they come to */

/* What a rank has to have done in a call before a phase may begin. */
struct host_stage {
	uint64_t tiles;
	size_t copied;
};

/* A place in a list of moves. */
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
	/* The call being carried out. */
	bool running;
	size_t base;     /* its slot's offset into all arenas */
	uint64_t phases; /* carried out before it */
	uint64_t reads;  /* of this rank's buffers by others, this call's included */
	struct host_cursor pull, push;
	uint64_t tiles; /* of its work: products made */
	size_t copied;  /* bytes, into buckets */
	unsigned open;  /* phases that may begin */
	/* The cell. */
	struct host_move *pulls, *pushes;
	unsigned npulls, npushes;
	uint64_t reads_per_call;
	int64_t extra_ns; /* of work at the end of each call: a known delay to be found again */
	struct sample_spans spans; /* of its last call, in a timeline's cell */
	float *tile; /* HOST_TILE_FLOATS */
	struct host_stage *stages; /* of the cell's phases, and of the call's end */
	/* Evidence. */
	struct host_tally tally, watched; /* since open; in the stretch that is watched */
	size_t most_bytes;                /* in one poll */
};

struct backend_ctx {
	struct backend_place place;
	enum host_transport transport;
	uint8_t *store;
	size_t stride;              /* one rank's share of the store */
	size_t slots_offset;        /* fifo: of the slots in it */
	struct host_buffers *peers; /* direct, shared: everybody's, by rank */
	struct host_place *places;  /* everybody's, by rank */
	unsigned *members;          /* ranks, group by group */
	struct host_rank *ranks;    /* this worker's */
	unsigned *queues;           /* behind ranks[].queue */
	unsigned queue_calls;       /* that one holds */
	struct host_move *moves;    /* behind ranks[].pulls and pushes */
	unsigned most_moves;        /* that one holds */
	struct host_stage *stages;  /* behind ranks[].stages */
	float *tiles;               /* behind ranks[].tile */
	bool shown, joined;         /* others may read our buffers; we know theirs */
	unsigned slots, phases;     /* of the cell; no slots: nothing prepared */
	bool waits;
	size_t access_stride; /* of a cell of access; 0: what is copied lies together */
	struct host_call call;
	struct host_reduction reduction;
	uint64_t seed;
	int64_t watch_ns;    /* how long; while it lasts, since when */
	struct status error; /* of issue, kept for poll */
};

static inline struct host_flags *host_flags(const struct backend_ctx *ctx, unsigned rank)
{
	return (struct host_flags *)(ctx->store + rank * ctx->stride);
}

static inline struct host_ring *host_ring(const struct backend_ctx *ctx, unsigned from,
                                          unsigned to)
{
	return (struct host_ring *)(host_flags(ctx, to) + 1) + from;
}

static inline uint8_t *host_slot(const struct backend_ctx *ctx, unsigned from, unsigned to,
                                 uint64_t piece)
{
	size_t slot = (size_t)from * HOST_FIFO_SLOTS + piece % HOST_FIFO_SLOTS;

	return ctx->store + to * ctx->stride + ctx->slots_offset + slot * HOST_PIECE_BYTES;
}

/* One call of a cell, as the communicator of each rank makes it. */
static inline struct host_call host_call_of(const struct trial *trial, const struct cell *cell)
{
	unsigned nranks = trial_comm_ranks(trial);

	struct cell whole = trial_whole(&trial->network, nranks, cell);

	return (struct host_call){whole, nranks, coll_parts(&whole, &trial->weights, nranks),
	                          trial_buckets(trial, cell),
	                          coll_info(cell->coll)->is & COLL_TRAINS && cell->in_place &&
	                              !trial->settings.bucket_view};
}

/* The transport of a trial, or -1 when it has no such name. */
int host_supports_transport(const struct trial *trial);
const char *host_supports_transport_name(enum host_transport transport);
/* The table's two; the store of what is refused is 0. */
int host_supports(const struct trial *trial, struct status *st);
size_t host_supports_store(const struct trial *trial);
/* One cell on a transport that is possible. */
int host_supports_cell(const struct trial *trial, const struct cell *cell,
                       enum host_transport transport, struct status *st);

/* Bytes of the team's store, and of that plus the buffers outside it; -1 when size_t is too
 * small. */
int host_memory_needs(enum host_transport transport, const struct trial *trial, size_t *store,
                      size_t *all);
/* What one rank's share of them is: its two arenas, and what serves moving data between ranks.
 */
void host_memory_share(enum host_transport transport, const struct trial *trial,
                       size_t *buffers, size_t *comm);
/* Places and touches this worker's buffers, and learns where the others' are: meets the team
 * once. On error, host_memory_close frees what there is. */
int host_memory_open(struct backend_ctx *ctx, struct status *st);
void host_memory_close(struct backend_ctx *ctx);

/* Plans the cell's moves, fills its slots of the send arenas and poisons those of the receive
 * arenas. Waits for readers of the cell before. */
int host_cell_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                      unsigned slots, struct status *st);
/* backend.h's check and digest. */
int host_cell_check(struct backend_ctx *ctx, unsigned i, struct backend_verdict *out,
                    struct status *st);
int host_cell_digest(struct backend_ctx *ctx, unsigned i, uint64_t *out, struct status *st);
int host_cell_peek(struct backend_ctx *ctx, unsigned i, bool received, void *out, size_t *bytes,
                   struct status *st);
/* Plans the cell's work; begins a call's; says whether all is done; does a piece, and says whether
 * that lets a phase begin. */
void host_work_plan(const struct backend_ctx *ctx, struct host_rank *rank);
void host_work_start(const struct backend_ctx *ctx, struct host_rank *rank);
bool host_work_over(const struct backend_ctx *ctx, const struct host_rank *rank);
bool host_work(const struct backend_ctx *ctx, struct host_rank *rank);
/* Carries on with the rank's calls: 1 when all are done. Never blocks. */
int host_move(struct backend_ctx *ctx, struct host_rank *rank);

#endif
