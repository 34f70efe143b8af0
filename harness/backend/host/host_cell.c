/* A cell: what its calls will do, what is put into the buffers and what must be found there.
 * Never in a timed call. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host.h"

static struct value_question question_of(const struct backend_ctx *ctx,
                                         const struct host_rank *rank)
{
	const struct cell *cell = &ctx->call.cell;
	const struct host_place *at = &ctx->places[rank->rank];
	bool split = ctx->place.trial->settings.split.op != SPLIT_NONE;

	return (struct value_question){
	    .coll = cell->coll,
	    .dtype = cell->dtype,
	    .op = cell->op,
	    .nranks = ctx->call.nranks,
	    .rank = at->index,
	    .root = cell->root,
	    .seed = split ? value_mix(ctx->seed + at->color) : ctx->seed,
	    .count = cell->bytes / coll_dtype_bytes(cell->dtype),
	    .parts = ctx->call.parts,
	};
}

/* An element's bits, from and to memory: low bytes first, as on all machines we know. */
static uint64_t element_get(const uint8_t *at, size_t bytes)
{
	uint64_t bits = 0;

	memcpy(&bits, at, bytes);
	return bits;
}

static void element_put(uint8_t *at, size_t bytes, uint64_t bits)
{
	memcpy(at, &bits, bytes);
}

static void fill(const struct backend_ctx *ctx, struct host_rank *rank)
{
	const struct cell *cell = &ctx->call.cell;
	struct value_question q = question_of(ctx, rank);
	struct coll_span span = coll_span(cell, &ctx->call.parts, q.nranks, q.rank);
	size_t element = coll_dtype_bytes(cell->dtype), count = span.send_bytes / element;
	uint8_t *send = (cell->in_place ? rank->own.recv : rank->own.send) + span.send_at;

	memset(rank->own.recv, VALUE_POISON_BYTE, ctx->slots * cell->bytes);
	for (unsigned slot = 0; slot < ctx->slots; slot++)
		for (size_t k = 0; k < count; k++)
			element_put(send + slot * cell->bytes + k * element, element,
			            value_input(&q, q.rank, slot * q.count + k));
}

/* Whoever reads this worker's buffers is through with them. Only the limit needs the wait:
 * after a handshake it is over at once. */
static int wait_readers(const struct backend_ctx *ctx, struct status *st)
{
	for (unsigned peer = 0; ctx->transport != HOST_FIFO && peer < ctx->place.nranks; peer++)
		while (atomic_load_explicit(&host_flags(ctx, peer)->posted,
		                            memory_order_acquire) < ctx->ranks[0].phases)
			if (team_pause(ctx->place.team) != 0)
				return status_set(st,
				                  "host: the team broke up between two cells");
	return 0;
}

static void plan_rank(const struct backend_ctx *ctx, struct host_rank *rank)
{
	const struct host_place *at = &ctx->places[rank->rank];
	const unsigned *members = ctx->members + at->first;

	rank->npulls = host_step_pulls(&ctx->call, at->index, rank->pulls);
	rank->npushes = host_step_pushes(&ctx->call, at->index, rank->pushes);
	for (unsigned m = 0; m < rank->npulls; m++)
		rank->pulls[m].peer = members[rank->pulls[m].place];
	for (unsigned m = 0; m < rank->npushes; m++)
		rank->pushes[m].peer = members[rank->pushes[m].place];
	/* What others pull is what this rank would push. */
	rank->reads_per_call = ctx->waits ? rank->npushes : 0;
}

int host_cell_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                      unsigned slots, struct status *st)
{
	if (wait_readers(ctx, st) != 0)
		return -1;
	ctx->call = host_call_of(ctx->place.trial, cell);
	ctx->reduction = (struct host_reduction){cell->dtype, cell->op, ctx->call.nranks};
	ctx->seed = seed;
	ctx->slots = slots;
	ctx->phases = host_step_phases(&ctx->call);
	ctx->waits = host_step_waits(cell->coll);
	host_work_plan(ctx);
	for (unsigned i = 0; i < ctx->place.count; i++) {
		plan_rank(ctx, &ctx->ranks[i]);
		fill(ctx, &ctx->ranks[i]);
	}
	return 0;
}

int host_cell_check(struct backend_ctx *ctx, unsigned i, struct backend_verdict *out,
                    struct status *st)
{
	if (ctx->slots == 0)
		return status_set(st,
		                  "host: nothing was prepared, so there is nothing to check");
	const struct cell *cell = &ctx->call.cell;
	const struct host_rank *rank = &ctx->ranks[i];
	struct value_question q = question_of(ctx, rank);
	struct coll_span span = coll_span(cell, &ctx->call.parts, q.nranks, q.rank);
	size_t element = coll_dtype_bytes(cell->dtype), count = span.recv_bytes / element;
	const uint8_t *recv = rank->own.recv + span.recv_at;
	struct backend_verdict verdict = {0};

	for (unsigned slot = 0; slot < ctx->slots; slot++) {
		for (size_t at = 0; at < count; at++) {
			uint64_t base = slot * q.count, right = value_expected(&q, base, at);
			uint64_t got =
			    element_get(recv + slot * cell->bytes + at * element, element);

			if (got == right || verdict.wrong++ > 0)
				continue;
			verdict.wrong_at = base + span.recv_at / element + at;
			verdict.expected = right;
			verdict.got = got;
		}
	}
	*out = verdict;
	return 0;
}

int host_cell_digest(struct backend_ctx *ctx, unsigned i, uint64_t *out, struct status *st)
{
	const struct host_rank *rank = &ctx->ranks[i];
	struct value_question q = question_of(ctx, rank);
	struct coll_span span = coll_span(&ctx->call.cell, &ctx->call.parts, q.nranks, q.rank);
	(void)st;
	*out = XXH3_64bits(rank->own.recv + span.recv_at, span.recv_bytes);
	return 0;
}

int host_cell_peek(struct backend_ctx *ctx, unsigned i, bool received, void *out, size_t *bytes,
                   struct status *st)
{
	const struct host_rank *rank = &ctx->ranks[i];
	struct value_question q = question_of(ctx, rank);
	struct coll_span span = coll_span(&ctx->call.cell, &ctx->call.parts, q.nranks, q.rank);
	const uint8_t *from =
	    received ? rank->own.recv + span.recv_at : rank->own.send + span.send_at;
	size_t most = received ? span.recv_bytes : span.send_bytes;
	(void)st;
	*bytes = *bytes < most ? *bytes : most;
	memcpy(out, from, *bytes);
	return 0;
}
