/* The timed path: moves, and the work of a training step (small matrices' products, copies into
 * buckets), in bounded pieces, each when the other side is ready. */
#include "../../clock.h"
#include "../../memory.h"
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

static void plan_expert(const struct backend_ctx *ctx, struct host_rank *rank)
{
	const struct steps_call *call = &ctx->call;
	const uint64_t flops = steps_expert_flops(call, ctx->places[rank->rank].index,
	                                          ctx->place.trial->settings.hidden);
	bool works = call->cell.coll == COLL_MOE_STEP || call->cell.coll == COLL_MOE_COMPUTE;
	for (unsigned phase = 1; phase <= ctx->phases; phase++)
		rank->stages[phase].tiles = works ? flops / TILE_FLOPS : 0;
}

/* A bucket is reduced once its layers' work is done and its gradients are copied, if they are. */
void host_move_plan(const struct backend_ctx *ctx, struct host_rank *rank)
{
	const struct settings *set = &ctx->place.trial->settings;
	const struct steps_call *call = &ctx->call;
	const struct buckets *buckets = &call->buckets;
	bool works = call->cell.coll == COLL_DDP_STEP || call->cell.coll == COLL_DDP_COMPUTE;
	size_t element = coll_dtype_bytes(call->cell.dtype), copied = 0;
	struct bucket bucket, *last = NULL;
	unsigned phase = 0, phases = ctx->phases;
	rank->stages = memory_more(rank->stages, phases + 1, sizeof *rank->stages);
	memset(rank->stages, 0, (phases + 1) * sizeof *rank->stages);
	if (coll_info(call->cell.coll)->is & COLL_ROUTED)
		plan_expert(ctx, rank);
	if (!(coll_info(call->cell.coll)->is & COLL_TRAINS))
		return;
	uint64_t flops = 0, passes = works ? set->batch : 0;
	if (buckets->network)
		flops = (set->accumulation - 1) * network_sums(buckets->network).flops * passes;
	for (; buckets_next(buckets, last, &bucket); last = &bucket) {
		flops += flops_of(buckets, &bucket) * passes;
		copied = call->copied ? (bucket.at + bucket.elements) * element : 0;
		for (unsigned i = 0; bucket.elements && i < 2 && phase < phases; i++)
			rank->stages[phase++] = (struct host_stage){flops / TILE_FLOPS, copied};
	}
	rank->stages[phases] = (struct host_stage){flops / TILE_FLOPS, copied};
}

static bool is_reached(const struct host_rank *rank, const struct host_stage *stage)
{
	return rank->tiles >= stage->tiles && rank->copied >= stage->copied;
}

static bool open_phases(const struct backend_ctx *ctx, struct host_rank *rank)
{
	const unsigned before = rank->open;
	while (rank->open < ctx->phases && is_reached(rank, &rank->stages[rank->open]))
		rank->open++;
	return rank->open > before;
}

static bool work_over(const struct backend_ctx *ctx, const struct host_rank *rank)
{
	return is_reached(rank, &rank->stages[ctx->phases]);
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
	const struct host_stage *stage = &rank->stages[rank->open];
	if (rank->tiles < stage->tiles) {
		multiply(rank->tile);
		rank->tiles++;
	} else if (rank->copied < stage->copied) {
		size_t left = stage->copied - rank->copied;
		size_t bytes = left < HOST_PIECE_BYTES ? left : HOST_PIECE_BYTES;
		size_t at = rank->base + rank->copied;
		memcpy(rank->own.send + at, rank->own.recv + at, bytes);
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

static void carry_strided(const struct backend_ctx *ctx, uint8_t *to, const uint8_t *from,
                          size_t done, size_t bytes)
{
	size_t element = coll_dtype_bytes(ctx->call.cell.dtype);
	buffers_copy_strided(to - done, from - done, element, ctx->call.cell.bytes / element,
	                     ctx->access_stride, done / element, bytes / element);
}

/* Moves one piece into this rank's receive buffer, as its step says. */
static void carry(const struct backend_ctx *ctx, const struct steps_move *move, uint8_t *to,
                  const uint8_t *from, size_t done, size_t bytes)
{
	switch (move->step.touch) {
	case STEP_COPY:
		if (ctx->access_stride)
			carry_strided(ctx, to, from, done, bytes);
		else
			memcpy(to, from, bytes);
		break;
	case STEP_FIRST:
		host_reduce_first(&ctx->reduction, move->place, to, from, bytes);
		break;
	case STEP_COMBINE:
	case STEP_LAST:
		host_reduce_combine(&ctx->reduction, move->place, move->step.touch == STEP_LAST, to,
		                    from, bytes);
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

static unsigned pull_phase(const struct backend_ctx *ctx, const struct host_rank *rank)
{
	return rank->pull.next < rank->plan.npulls ? rank->plan.pulls[rank->pull.next].phase
	                                           : ctx->phases;
}

static bool says(const struct backend_ctx *ctx)
{
	return ctx->waits && ctx->transport != HOST_FIFO;
}

/* Publishes what others may read: phases up to that which this rank pulls for. */
static void post(const struct backend_ctx *ctx, const struct host_rank *rank)
{
	unsigned phase = pull_phase(ctx, rank);
	unsigned begun = phase < ctx->phases ? phase + 1 : phase;
	uint64_t readable = rank->phases + (begun < rank->open ? begun : rank->open);
	_Atomic uint64_t *posted = &host_flags(ctx, rank->rank)->posted;
	/* Storing the same value would only take the cache line from those who poll it. */
	if (atomic_load_explicit(posted, memory_order_relaxed) != readable)
		atomic_store_explicit(posted, readable, memory_order_release);
}

/* The next piece to pull, or NULL while it is not ready. */
static const uint8_t *pull_from(const struct backend_ctx *ctx, const struct host_rank *rank,
                                const struct steps_move *move)
{
	const struct step *step = &move->step;
	if (move->peer != rank->rank) {
		if (ctx->transport == HOST_FIFO) {
			struct host_ring *ring = host_ring(ctx, move->peer, rank->rank);
			uint64_t at = atomic_load_explicit(&ring->popped, memory_order_relaxed);
			if (atomic_load_explicit(&ring->pushed, memory_order_acquire) == at)
				return NULL;
			return host_slot(ctx, move->peer, rank->rank, at);
		}
		if (ctx->waits &&
		    atomic_load_explicit(&host_flags(ctx, move->peer)->posted,
		                         memory_order_acquire) < rank->phases + move->phase + 1)
			return NULL;
	}
	const struct host_buffers source = host_buffers(ctx, move->peer);
	return (step->side == STEP_SEND ? source.send : source.recv) + rank->base + step->from +
	       rank->pull.done;
}

/* Releases what was read: the slot, or, after a move's last piece, the peer's buffer. */
static void pull_release(const struct backend_ctx *ctx, const struct host_rank *rank,
                         const struct steps_move *move, bool last)
{
	if (move->peer == rank->rank)
		return;
	if (ctx->transport == HOST_FIFO) {
		struct host_ring *ring = host_ring(ctx, move->peer, rank->rank);
		uint64_t at = atomic_load_explicit(&ring->popped, memory_order_relaxed);
		atomic_store_explicit(&ring->popped, at + 1, memory_order_release);
	} else if (ctx->waits && last) {
		atomic_fetch_add_explicit(&host_flags(ctx, move->peer)->consumed, 1,
		                          memory_order_release);
	}
}

static bool pull(const struct backend_ctx *ctx, struct host_rank *rank, struct budget *left)
{
	if (rank->pull.next == rank->plan.npulls)
		return false;
	const struct steps_move *move = &rank->plan.pulls[rank->pull.next];
	size_t bytes = piece_bytes(move, &rank->pull);
	const uint8_t *from = move->phase < rank->open ? pull_from(ctx, rank, move) : NULL;
	if (!from || !afford(left, bytes))
		return false;
	uint8_t *to = rank->own.recv + rank->base + move->step.to + rank->pull.done;
	carry(ctx, move, to, from, rank->pull.done, bytes);
	if (move->peer != rank->rank)
		rank->tally.delivered += bytes;
	advance(&rank->pull, move, bytes);
	bool last = rank->pull.done == 0;
	pull_release(ctx, rank, move, last);
	if (last && says(ctx) && pull_phase(ctx, rank) != move->phase)
		post(ctx, rank);
	return true;
}

/* fifo only. A phase is pushed once the earlier phases are pulled, as it is made from them. */
static bool push(const struct backend_ctx *ctx, struct host_rank *rank, struct budget *left)
{
	if (rank->push.next == rank->plan.npushes)
		return false;
	const struct steps_move *move = &rank->plan.pushes[rank->push.next];
	const struct step *step = &move->step;
	struct host_ring *ring = host_ring(ctx, rank->rank, move->peer);
	uint64_t at = atomic_load_explicit(&ring->pushed, memory_order_relaxed);
	size_t bytes = piece_bytes(move, &rank->push);
	if (pull_phase(ctx, rank) < move->phase || move->phase >= rank->open ||
	    at - atomic_load_explicit(&ring->popped, memory_order_acquire) == HOST_FIFO_SLOTS ||
	    !afford(left, bytes))
		return false;
	const uint8_t *from = step->side == STEP_SEND ? rank->own.send : rank->own.recv;
	memcpy(host_slot(ctx, rank->rank, move->peer, at),
	       from + rank->base + step->from + rank->push.done, bytes);
	atomic_store_explicit(&ring->pushed, at + 1, memory_order_release);
	advance(&rank->push, move, bytes);
	return true;
}

/* It has pulled everything, and nobody needs its buffers any more. */
static bool is_through(const struct backend_ctx *ctx, const struct host_rank *rank)
{
	if (rank->pull.next < rank->plan.npulls)
		return false;
	if (ctx->transport == HOST_FIFO)
		return rank->push.next == rank->plan.npushes;
	return !ctx->waits || atomic_load_explicit(&host_flags(ctx, rank->rank)->consumed,
	                                           memory_order_acquire) == rank->reads;
}

static bool call_start(const struct backend_ctx *ctx, struct host_rank *rank)
{
	if (rank->count == 0)
		return false;
	rank->base = rank->queue[rank->head] * ctx->call.cell.bytes;
	rank->head = (rank->head + 1) % ctx->queue_calls;
	rank->count--;
	rank->running = true;
	rank->spans.n = 0;
	rank->tiles = 0;
	rank->copied = 0;
	rank->open = 0;
	open_phases(ctx, rank);
	rank->pull = rank->push = (struct host_cursor){0};
	rank->reads += ctx->waits ? rank->plan.npushes : 0; /* others pull those */
	if (says(ctx))
		post(ctx, rank);
	return true;
}

static void call_end(const struct backend_ctx *ctx, struct host_rank *rank)
{
	/* Without a handshake only the next prepare reads this, and nobody polls it. */
	if (!ctx->waits)
		post(ctx, rank);
	/* Work, not a wait, which would overlap with copies for the worker's other ranks. */
	const int64_t until = rank->extra_ns ? clock_now_ns() + rank->extra_ns : 0;
	while (until && clock_now_ns() < until)
		continue;
	rank->phases += ctx->phases;
	rank->running = false;
}

/* Only a timeline's cell reads the clock at each piece. */
static bool records(const struct backend_ctx *ctx)
{
	return ctx->call.cell.pass == PASS_TIMELINE;
}

static void record(const struct backend_ctx *ctx, struct host_rank *rank, enum sample_lane lane,
                   int64_t begin_ns)
{
	if (records(ctx))
		sample_spans_add(&rank->spans, lane, begin_ns, clock_now_ns(), JOIN_NS);
}

static void work(const struct backend_ctx *ctx, struct host_rank *rank)
{
	if (work_over(ctx, rank))
		return;
	int64_t begin = records(ctx) ? clock_now_ns() : 0;
	if (host_work(ctx, rank) && says(ctx))
		post(ctx, rank);
	record(ctx, rank, LANE_WORK, begin);
}

int host_move(struct backend_ctx *ctx, unsigned i)
{
	struct host_rank *rank = &ctx->ranks[i];
	struct budget left = {HOST_POLL_BYTES, HOST_POLL_PIECES};
	while (rank->running || call_start(ctx, rank)) {
		int64_t begin = records(ctx) ? clock_now_ns() : 0;
		bool moved = ctx->transport == HOST_FIFO && push(ctx, rank, &left);
		moved |= pull(ctx, rank, &left);
		if (moved)
			record(ctx, rank, LANE_COMMUNICATION, begin);
		if (work_over(ctx, rank) && is_through(ctx, rank))
			call_end(ctx, rank);
		else if (!moved)
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
