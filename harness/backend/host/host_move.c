/* The timed path. A piece moves only when the other side is ready for it; else the poll returns. And the
 * work of a training step: products of small matrices instead of a GPU's large ones, and copies into
 * buckets; and which phases of a call may begin after it. All in bounded pieces. */
#include <stdlib.h>
#include <string.h>

#include "../../clock.h"
#include "host.h"

#define JOIN_NS 20000 /* pieces of a lane this close together are drawn as one */

/* --- work --- */

#define TILE       32 /* rows and columns of a matrix */
#define TILE_FLOPS (UINT64_C(2) * TILE * TILE * TILE)

_Static_assert(HOST_TILE_FLOATS == 3 * TILE * TILE, "two factors and their product");

static uint64_t flops_of(const struct buckets *buckets, const struct bucket *bucket)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < bucket->layers; i++)
		sum += buckets->network->layers[bucket->layer + i].flops;
	return sum;
}

static unsigned sums_of(const struct buckets *buckets, const struct bucket *bucket)
{
	unsigned sums = 0;
	for (unsigned i = 0; i < bucket->layers; i++)
		sums += buckets->network->layers[bucket->layer + i].activations > 0;
	return sums;
}

/* Products before a sum of the call. */
static uint64_t work_before(const struct backend_ctx *ctx, unsigned sum)
{
	uint64_t passes = sum / ctx->nsums;
	return (passes * ctx->pass_flops + ctx->sums[sum % ctx->nsums].flops) / TILE_FLOPS;
}

/* An expert's forward work: from a token's width to four times that and back, which takes 16 width²
 * FLOPs per token received. */
static void plan_expert(const struct backend_ctx *ctx, struct host_rank *rank)
{
	const struct steps_call *call = &ctx->call;
	const struct split_place *at = &ctx->comms[HOST_MAIN].places[rank->rank];
	uint64_t came = value_received_before(&call->parts, at->index, call->nranks);
	uint64_t tiles = 16 * came * ctx->place.trial->settings.hidden / TILE_FLOPS;
	bool works = call->cell.coll == COLL_MOE_STEP || call->cell.coll == COLL_MOE_COMPUTE;
	for (unsigned phase = 1; phase <= ctx->comms[HOST_MAIN].phases; phase++)
		rank->stages[phase].tiles = works ? tiles : 0;
}

/* All passes but the last are work alone. A bucket is reduced once the work of all its layers is done,
 * with the sums of their activations, and, if the bucket is separate, its gradients are copied. */
int host_move_plan(const struct backend_ctx *ctx, struct host_rank *rank, struct status *st)
{
	const struct settings *set = &ctx->place.trial->settings;
	const struct steps_call *call = &ctx->call;
	const struct buckets *buckets = &call->buckets;
	bool works = call->cell.coll == COLL_DDP_STEP || call->cell.coll == COLL_DDP_COMPUTE;
	size_t element = coll_dtype_bytes(call->cell.dtype), copied = 0;
	struct bucket bucket, *last = NULL;
	unsigned phase = 0, phases = ctx->comms[HOST_MAIN].phases;
	struct host_stage *stages = reallocarray(rank->stages, phases + 1, sizeof *stages);
	if (!stages)
		return status_set(st, "host: no memory for the stages of a step");
	rank->stages = stages;
	memset(stages, 0, (phases + 1) * sizeof *stages);
	if (coll_info(call->cell.coll)->is & COLL_ROUTED)
		plan_expert(ctx, rank);
	if (!(coll_info(call->cell.coll)->is & COLL_TRAINS))
		return 0;
	uint64_t flops = 0, passes = works ? set->batch : 0;
	unsigned sums = ctx->call_sums ? ctx->call_sums - ctx->nsums : 0;
	if (buckets->network)
		flops = (set->accumulation - 1) * network_sums(buckets->network).flops * passes;
	for (; buckets_next(buckets, last, &bucket); last = &bucket) {
		flops += flops_of(buckets, &bucket) * passes;
		sums += ctx->call_sums ? sums_of(buckets, &bucket) : 0;
		copied = call->copied ? (bucket.at + bucket.elements) * element : 0;
		for (unsigned i = 0; bucket.elements && i < 2 && phase < phases; i++)
			rank->stages[phase++] =
			    (struct host_stage){flops / TILE_FLOPS, copied, sums};
	}
	rank->stages[phases] = (struct host_stage){flops / TILE_FLOPS, copied, sums};
	return 0;
}

static bool is_reached(const struct host_rank *rank, const struct host_stage *stage)
{
	return rank->tiles >= stage->tiles && rank->copied >= stage->copied &&
	       rank->summed >= stage->sums;
}

/* Returns whether it opened one. */
static bool open_phases(const struct backend_ctx *ctx, struct host_rank *rank)
{
	unsigned *open = &rank->parts[HOST_MAIN].open, before = *open;
	while (*open < ctx->comms[HOST_MAIN].phases && is_reached(rank, &rank->stages[*open]))
		++*open;
	return *open > before;
}

static void work_start(const struct backend_ctx *ctx, struct host_rank *rank)
{
	rank->tiles = 0;
	rank->copied = 0;
	rank->summed = 0;
	rank->sum_tiles = ctx->call_sums ? work_before(ctx, 0) : 0;
	rank->parts[HOST_MAIN].open = 0;
	open_phases(ctx, rank);
}

static bool work_over(const struct backend_ctx *ctx, const struct host_rank *rank)
{
	return is_reached(rank, &rank->stages[ctx->comms[HOST_MAIN].phases]);
}

static const struct host_stage *stage_of(const struct host_rank *rank)
{
	return &rank->stages[rank->parts[HOST_MAIN].open];
}

static bool work_waits(const struct host_rank *rank)
{
	return rank->summed < stage_of(rank)->sums && rank->tiles >= rank->sum_tiles;
}

static bool work_summed(const struct backend_ctx *ctx, struct host_rank *rank)
{
	if (++rank->summed < ctx->call_sums)
		rank->sum_tiles = work_before(ctx, rank->summed);
	return open_phases(ctx, rank);
}

/* c += a b; the values do not matter, as zeros take as long. */
static void multiply(float *tile)
{
	const float *a = tile, *b = a + TILE * TILE;
	float *c = tile + 2 * TILE * TILE;
	for (unsigned i = 0; i < TILE; i++)
		for (unsigned k = 0; k < TILE; k++)
			for (unsigned j = 0; j < TILE; j++)
				c[i * TILE + j] += a[i * TILE + k] * b[k * TILE + j];
}

static bool host_work(const struct backend_ctx *ctx, struct host_rank *rank)
{
	const struct host_stage *stage = stage_of(rank);
	if (rank->tiles < stage->tiles) {
		multiply(rank->tile);
		rank->tiles++;
	} else if (rank->copied < stage->copied) {
		size_t left = stage->copied - rank->copied;
		size_t bytes = left < HOST_PIECE_BYTES ? left : HOST_PIECE_BYTES;
		const struct host_part *part = &rank->parts[HOST_MAIN];
		size_t at = part->base + rank->copied;
		memcpy(part->own.send + at, part->own.recv + at, bytes);
		rank->copied += bytes;
		rank->tally.moved += bytes;
	}
	return open_phases(ctx, rank);
}

/* --- moves --- */

struct budget {
	size_t bytes;
	unsigned pieces;
};

/* The piece of a strided access that begins at byte `done`. */
static void carry_strided(const struct backend_ctx *ctx, uint8_t *to, const uint8_t *from,
                          size_t done, size_t bytes)
{
	size_t element = coll_dtype_bytes(ctx->call.cell.dtype);
	buffers_copy_strided(to - done, from - done, element, ctx->call.cell.bytes / element,
	                     ctx->access_stride, done / element, bytes / element);
}

/* Moves one piece into this rank's receive buffer, as its step says. */
static void carry(const struct backend_ctx *ctx, const struct host_reduction *reduction,
                  const struct steps_move *move, uint8_t *to, const uint8_t *from, size_t done,
                  size_t bytes)
{
	switch (move->step.touch) {
	case STEP_COPY:
		if (ctx->access_stride)
			carry_strided(ctx, to, from, done, bytes);
		else
			memcpy(to, from, bytes);
		break;
	case STEP_FIRST:
		host_reduce_first(reduction, move->place, to, from, bytes);
		break;
	case STEP_COMBINE:
	case STEP_LAST:
		host_reduce_combine(reduction, move->place, move->step.touch == STEP_LAST, to, from,
		                    bytes);
		break;
	}
}

static size_t piece_bytes(const struct steps_move *move, const struct host_cursor *at)
{
	size_t left = move->step.bytes - at->done;
	return left < HOST_PIECE_BYTES ? left : HOST_PIECE_BYTES;
}

/* Pieces are never cut to fit the budget: they have the same size on every transport. */
static bool afford(struct budget *left, size_t bytes)
{
	if (left->pieces == 0 || left->bytes < bytes)
		return false;
	left->pieces--;
	left->bytes -= bytes;
	return true;
}

static void advance(struct host_cursor *at, const struct steps_move *move, size_t bytes)
{
	at->done += bytes;
	if (at->done == move->step.bytes)
		*at = (struct host_cursor){.next = at->next + 1};
}

/* The functions below are inline so that the compiler knows the communicator: a second one then
 * costs a small call nothing. */
static inline unsigned pull_phase(const struct host_comm *comm, const struct host_part *part)
{
	return part->pull.next < part->plan.npulls ? part->plan.pulls[part->pull.next].phase
	                                           : comm->phases;
}

static inline bool says(const struct backend_ctx *ctx, const struct host_comm *comm)
{
	return comm->waits && ctx->transport != HOST_FIFO;
}

/* Publishes what others may read: all phases up to the one that this rank is pulling for, if its
 * work is that far. */
static inline void post(const struct backend_ctx *ctx, const struct host_rank *rank,
                        enum host_which which)
{
	const struct host_part *part = &rank->parts[which];
	unsigned phases = ctx->comms[which].phases;
	unsigned phase = pull_phase(&ctx->comms[which], part);
	unsigned begun = phase < phases ? phase + 1 : phase;
	uint64_t readable = part->phases + (begun < part->open ? begun : part->open);
	_Atomic uint64_t *posted = &host_flags(ctx, rank->rank)->of[which].posted;
	/* Storing the same value would only take the cache line from those who poll it. */
	if (atomic_load_explicit(posted, memory_order_relaxed) != readable)
		atomic_store_explicit(posted, readable, memory_order_release);
}

/* The next piece to pull, or NULL while it is not ready. */
static inline const uint8_t *pull_from(const struct backend_ctx *ctx, const struct host_rank *rank,
                                       enum host_which which, const struct steps_move *move)
{
	const struct host_comm *comm = &ctx->comms[which];
	const struct host_part *part = &rank->parts[which];
	const struct step *step = &move->step;
	const struct host_buffers *source = &part->own;
	if (move->peer != rank->rank) {
		if (ctx->transport == HOST_FIFO) {
			struct host_ring *ring = host_ring(ctx, move->peer, rank->rank);
			uint64_t at = atomic_load_explicit(&ring->popped, memory_order_relaxed);
			if (atomic_load_explicit(&ring->pushed, memory_order_acquire) == at)
				return NULL;
			return host_slot(ctx, move->peer, rank->rank, at);
		}
		if (comm->waits &&
		    atomic_load_explicit(&host_flags(ctx, move->peer)->of[which].posted,
		                         memory_order_acquire) < part->phases + move->phase + 1)
			return NULL;
		source = &comm->peers[move->peer];
	}
	return (step->side == STEP_SEND ? source->send : source->recv) + part->base + step->from +
	       part->pull.done;
}

/* Releases what was read: the slot, or, after a move's last piece, the peer's buffer. */
static inline void pull_release(const struct backend_ctx *ctx, const struct host_rank *rank,
                                enum host_which which, const struct steps_move *move, bool last)
{
	if (move->peer == rank->rank)
		return;
	if (ctx->transport == HOST_FIFO) {
		struct host_ring *ring = host_ring(ctx, move->peer, rank->rank);
		uint64_t at = atomic_load_explicit(&ring->popped, memory_order_relaxed);
		atomic_store_explicit(&ring->popped, at + 1, memory_order_release);
	} else if (ctx->comms[which].waits && last) {
		atomic_fetch_add_explicit(&host_flags(ctx, move->peer)->of[which].consumed, 1,
		                          memory_order_release);
	}
}

static inline bool pull(const struct backend_ctx *ctx, struct host_rank *rank,
                        enum host_which which, struct budget *left)
{
	const struct host_comm *comm = &ctx->comms[which];
	struct host_part *part = &rank->parts[which];
	if (part->pull.next == part->plan.npulls)
		return false;
	const struct steps_move *move = &part->plan.pulls[part->pull.next];
	size_t bytes = piece_bytes(move, &part->pull);
	const uint8_t *from = move->phase < part->open ? pull_from(ctx, rank, which, move) : NULL;
	if (!from || !afford(left, bytes))
		return false;
	uint8_t *to = part->own.recv + part->base + move->step.to + part->pull.done;
	carry(ctx, &comm->reduction, move, to, from, part->pull.done, bytes);
	if (move->peer != rank->rank)
		rank->tally.delivered += bytes;
	advance(&part->pull, move, bytes);
	bool last = part->pull.done == 0;
	pull_release(ctx, rank, which, move, last);
	if (last && says(ctx, comm) && pull_phase(comm, part) != move->phase)
		post(ctx, rank, which);
	return true;
}

/* fifo only. A phase is pushed once the earlier phases are pulled, as it is made from them. */
static inline bool push(const struct backend_ctx *ctx, struct host_rank *rank,
                        enum host_which which, struct budget *left)
{
	struct host_part *part = &rank->parts[which];
	if (part->push.next == part->plan.npushes)
		return false;
	const struct steps_move *move = &part->plan.pushes[part->push.next];
	const struct step *step = &move->step;
	struct host_ring *ring = host_ring(ctx, rank->rank, move->peer);
	uint64_t at = atomic_load_explicit(&ring->pushed, memory_order_relaxed);
	size_t bytes = piece_bytes(move, &part->push);
	if (pull_phase(&ctx->comms[which], part) < move->phase || move->phase >= part->open ||
	    at - atomic_load_explicit(&ring->popped, memory_order_acquire) == HOST_FIFO_SLOTS ||
	    !afford(left, bytes))
		return false;
	const uint8_t *from = step->side == STEP_SEND ? part->own.send : part->own.recv;
	memcpy(host_slot(ctx, rank->rank, move->peer, at),
	       from + part->base + step->from + part->push.done, bytes);
	atomic_store_explicit(&ring->pushed, at + 1, memory_order_release);
	advance(&part->push, move, bytes);
	return true;
}

static inline bool carry_on(const struct backend_ctx *ctx, struct host_rank *rank,
                            enum host_which which, struct budget *left)
{
	bool moved = ctx->transport == HOST_FIFO && push(ctx, rank, which, left);
	moved |= pull(ctx, rank, which, left);
	return moved;
}

/* It has pulled everything, and nobody needs its buffers any more. */
static inline bool is_through(const struct backend_ctx *ctx, const struct host_rank *rank,
                              enum host_which which)
{
	const struct host_part *part = &rank->parts[which];
	if (part->pull.next < part->plan.npulls)
		return false;
	if (ctx->transport == HOST_FIFO)
		return part->push.next == part->plan.npushes;
	return !ctx->comms[which].waits ||
	       atomic_load_explicit(&host_flags(ctx, rank->rank)->of[which].consumed,
	                            memory_order_acquire) == part->reads;
}

static inline void part_start(const struct backend_ctx *ctx, struct host_rank *rank,
                              enum host_which which)
{
	struct host_part *part = &rank->parts[which];
	part->pull = part->push = (struct host_cursor){0};
	part->reads += ctx->comms[which].waits ? part->plan.npushes : 0; /* others pull those */
	if (says(ctx, &ctx->comms[which]))
		post(ctx, rank, which);
}

static bool call_start(const struct backend_ctx *ctx, struct host_rank *rank)
{
	if (rank->count == 0)
		return false;
	rank->parts[HOST_MAIN].base = rank->queue[rank->head] * ctx->call.cell.bytes;
	rank->head = (rank->head + 1) % ctx->queue_calls;
	rank->count--;
	rank->running = true;
	rank->spans.n = 0;
	work_start(ctx, rank);
	part_start(ctx, rank, HOST_MAIN);
	return true;
}

/* The next sum of activations. Each is a separate call, because the next one writes where this one is
 * read. Returns whether it made progress. */
static bool sum(const struct backend_ctx *ctx, struct host_rank *rank, struct budget *left)
{
	if (!rank->summing && !work_waits(rank))
		return false;
	if (!rank->summing) {
		rank->parts[HOST_TENSOR].plan = rank->plans[1 + rank->summed % ctx->nsums];
		part_start(ctx, rank, HOST_TENSOR);
	}
	rank->summing = true;
	bool moved = carry_on(ctx, rank, HOST_TENSOR, left);
	if (!is_through(ctx, rank, HOST_TENSOR))
		return moved;
	rank->summing = false;
	rank->parts[HOST_TENSOR].phases += ctx->comms[HOST_TENSOR].phases;
	if (work_summed(ctx, rank) && says(ctx, &ctx->comms[HOST_MAIN]))
		post(ctx, rank, HOST_MAIN);
	return true;
}

/* A call ends for a rank when nobody needs its buffers any more, as after an NCCL kernel. */
static bool call_over(const struct backend_ctx *ctx, const struct host_rank *rank)
{
	return work_over(ctx, rank) && is_through(ctx, rank, HOST_MAIN);
}

/* The injected delay is work, as the CPU is the device here: a wait would overlap with the copies that
 * the same worker makes for its other ranks. */
static void work_for(int64_t ns)
{
	int64_t until = clock_now_ns() + ns;
	while (clock_now_ns() < until)
		continue;
}

static void call_end(const struct backend_ctx *ctx, struct host_rank *rank)
{
	/* Without a handshake only the next prepare reads this, and nobody polls it. */
	if (!ctx->comms[HOST_MAIN].waits)
		post(ctx, rank, HOST_MAIN);
	if (rank->extra_ns)
		work_for(rank->extra_ns);
	rank->parts[HOST_MAIN].phases += ctx->comms[HOST_MAIN].phases;
	rank->running = false;
}

/* Only a timeline's cell reads the clock at each piece. */
static bool records(const struct backend_ctx *ctx)
{
	return ctx->call.cell.pass == PASS_TIMELINE;
}

/* Records what ran since begin_ns; returns its end. */
static int64_t record(const struct backend_ctx *ctx, struct host_rank *rank, enum sample_lane lane,
                      int64_t begin_ns)
{
	int64_t now = records(ctx) ? clock_now_ns() : 0;
	if (now)
		sample_spans_add(&rank->spans, lane, begin_ns, now, JOIN_NS);
	return now;
}

static void work(const struct backend_ctx *ctx, struct host_rank *rank)
{
	if (work_over(ctx, rank) || work_waits(rank))
		return;
	int64_t begin = records(ctx) ? clock_now_ns() : 0;
	if (host_work(ctx, rank) && says(ctx, &ctx->comms[HOST_MAIN]))
		post(ctx, rank, HOST_MAIN);
	record(ctx, rank, LANE_WORK, begin);
}

int host_move(struct backend_ctx *ctx, unsigned i)
{
	struct host_rank *rank = &ctx->ranks[i];
	struct budget left = {HOST_POLL_BYTES, HOST_POLL_PIECES};
	while (rank->running || call_start(ctx, rank)) {
		int64_t begin = records(ctx) ? clock_now_ns() : 0;
		bool summed = ctx->call_sums && sum(ctx, rank, &left);
		begin = summed ? record(ctx, rank, LANE_ACTIVATIONS, begin) : begin;
		bool moved = carry_on(ctx, rank, HOST_MAIN, &left);
		if (moved)
			record(ctx, rank, LANE_COMMUNICATION, begin);
		if (call_over(ctx, rank))
			call_end(ctx, rank);
		else if (!moved && !summed)
			break;
	}
	/* One core does both: moving has priority over computing. */
	if (rank->running && left.pieces == HOST_POLL_PIECES)
		work(ctx, rank);
	size_t bytes = HOST_POLL_BYTES - left.bytes;
	rank->tally.moved += bytes;
	if (bytes > rank->most_bytes)
		rank->most_bytes = bytes;
	return !rank->running;
}
