/* Inside of the host backend. The data flow, one file each:
 *
 *   host_supports  what can be carried out, on which transport, and the sentences why not
 *   host_step      what a collective moves (pure)
 *   host_reduce    what datatypes and operations mean (pure); host_float has the small floats
 *   host_memory    where buffers, flags and slots lie, and who touches their pages
 *   host_cell      a cell: its lists of moves, what its buffers hold and what they must
 *   host_move      the timed path: moves what the steps say, a bounded piece a poll
 *   host_work      of a step of training: its products, and when its buckets may move
 *   host_tensor    ranks that share a model: what they sum, and when
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

/* The communicators that a rank is in: that of all collectives, and where ranks share a model,
 * that of those at its place in their groups. Two ranks are together in one of them at most. */
enum host_which { HOST_MAIN, HOST_TENSOR, HOST_COMMS };

/* direct, shared: how far a rank is in a communicator, in phases since the trial began. */
struct host_progress {
	/* What may be read of this rank; written by it alone. */
	alignas(HOST_LINE_BYTES) _Atomic uint64_t posted;
	/* Reads of this rank's buffers that are done; added to by its readers. */
	alignas(HOST_LINE_BYTES) _Atomic uint64_t consumed;
};

struct host_flags {
	struct host_progress of[HOST_COMMS];
	/* direct, rank 0's only: workers that have closed. */
	alignas(HOST_LINE_BYTES) _Atomic unsigned closed;
};

/* fifo: one ordered pair; pieces since the trial began. */
struct host_ring {
	alignas(HOST_LINE_BYTES) _Atomic uint64_t pushed; /* by the sender alone */
	alignas(HOST_LINE_BYTES) _Atomic uint64_t popped; /* by the receiver alone */
};

struct host_buffers {
	/* An arena each, behind the offset that is asked for; of activations, behind the
	 * arenas. */
	uint8_t *send, *recv;
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

#define HOST_SUM_PHASES 2 /* of an all_reduce */

#define HOST_TILE_FLOATS (3 * 32 * 32) /* of a product: two factors and what they come to */

/* What a rank has to have done in a call before a phase may begin. */
struct host_stage {
	uint64_t tiles;
	size_t copied;
	unsigned sums; /* of activations */
};

/* Of a layer's activations. */
struct host_sum {
	uint64_t flops; /* of a pass, which are behind it then */
	size_t elements;
};

/* A place in a list of moves. */
struct host_cursor {
	unsigned next;
	size_t done; /* bytes of move `next` */
};

/* What a rank does in a call. */
struct host_plan {
	struct host_move *pulls, *pushes;
	unsigned npulls, npushes;
	uint64_t reads; /* of its buffers by others */
};

/* A rank in one of its communicators. */
struct host_part {
	struct host_buffers own;
	struct host_plan plan; /* of the call being carried out */
	size_t base;                  /* its slot's offset into all arenas */
	uint64_t phases;              /* carried out before it */
	uint64_t reads; /* of this rank's buffers by others, this call's included */
	struct host_cursor pull, push;
	unsigned open; /* phases that may begin */
};

struct host_rank {
	alignas(HOST_LINE_BYTES) unsigned rank;
	struct host_part parts[HOST_COMMS];
	/* Calls issued and not begun, oldest first. */
	unsigned *queue;
	unsigned head, count;
	/* The call being carried out. */
	bool running;
	uint64_t tiles;     /* of its work: products made */
	size_t copied;      /* bytes, into buckets */
	unsigned summed;    /* of its activations' sums: those that are over */
	bool summing;       /* one is being carried out */
	uint64_t sum_tiles; /* products before the next one */
	/* The cell. */
	struct host_plan *plans; /* the main one, then those of a pass's sums */
	int64_t extra_ns; /* of work at the end of each call: a known delay to be found again */
	struct sample_spans spans; /* of its last call, in a timeline's cell */
	float *tile;               /* HOST_TILE_FLOATS */
	struct host_stage *stages; /* of the cell's phases, and of the call's end */
	/* Evidence. */
	struct host_tally tally, watched; /* since open; in the stretch that is watched */
	size_t most_bytes;                /* in one poll */
};

/* One of the communicators, of a cell. */
struct host_comm {
	unsigned nranks;
	struct host_place *places;  /* everybody's, by rank */
	unsigned *members;          /* ranks, group by group */
	struct host_buffers *peers; /* direct, shared: everybody's, by rank */
	unsigned phases;            /* of a call */
	bool waits;
	struct host_reduction reduction;
};

struct backend_ctx {
	struct backend_place place;
	enum host_transport transport;
	uint8_t *store;
	size_t stride;       /* one rank's share of the store */
	size_t slots_offset; /* fifo: of the slots in it */
	struct host_comm comms[HOST_COMMS];
	struct host_rank *ranks;   /* this worker's */
	unsigned *queues;          /* behind ranks[].queue */
	unsigned queue_calls;      /* that one holds */
	struct host_plan *plans;   /* behind ranks[].plans */
	struct host_move *moves;   /* behind the plans */
	unsigned most_moves;       /* that a main one's pulls hold, and its pushes */
	struct host_stage *stages; /* behind ranks[].stages */
	float *tiles;              /* behind ranks[].tile */
	bool shown, joined;        /* others may read our buffers; we know theirs */
	unsigned slots;            /* of the cell; 0: nothing prepared */
	size_t access_stride;      /* of a cell of access; 0: what is copied lies together */
	struct host_call call;
	struct host_sum *sums; /* of a pass */
	unsigned nsums;        /* of a pass; 0: no model is shared */
	unsigned call_sums;    /* of a call of the cell */
	uint64_t pass_flops;   /* of the cell, where ranks share a model; so are its sums' */
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
/* What a rank does in a call of a communicator, into the plan's moves. */
void host_cell_plan(const struct host_comm *comm, const struct host_call *call, unsigned rank,
                    struct host_plan *plan);
/* backend.h's check and digest. */
int host_cell_check(struct backend_ctx *ctx, unsigned i, struct backend_verdict *out,
                    struct status *st);
int host_cell_digest(struct backend_ctx *ctx, unsigned i, uint64_t *out, struct status *st);
/* Plans the cell's work; begins a call's; says whether all is done; does a piece where it need
 * not wait, and says whether that lets a phase begin. */
void host_work_plan(const struct backend_ctx *ctx, struct host_rank *rank);
void host_work_start(const struct backend_ctx *ctx, struct host_rank *rank);
bool host_work_over(const struct backend_ctx *ctx, const struct host_rank *rank);
bool host_work(const struct backend_ctx *ctx, struct host_rank *rank);
/* Whether there is nothing for it to do before the sum that is due is over; takes that it is,
 * and says whether that lets a phase begin. */
bool host_work_waits(const struct host_rank *rank);
bool host_work_summed(const struct backend_ctx *ctx, struct host_rank *rank);
/* Products before a call's sum. */
uint64_t host_work_before(const struct backend_ctx *ctx, unsigned sum);

/* Models that ranks share: sums of a pass; 0 where each has one of its own. Then nothing is
 * done by what follows, of the cell: plan (before the work is planned, which waits for sums),
 * prepare, check, which adds to what is there. */
unsigned host_tensor_count(const struct trial *trial);
void host_tensor_plan(struct backend_ctx *ctx);
void host_tensor_prepare(const struct backend_ctx *ctx);
void host_tensor_check(const struct backend_ctx *ctx, unsigned i, struct backend_verdict *out);
/* Carries on with the rank's calls: 1 when all are done. Never blocks. */
int host_move(struct backend_ctx *ctx, struct host_rank *rank);

#endif
