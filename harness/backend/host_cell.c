/* A cell: what its calls will do, what is put into the buffers and what must be found there.
 * Never in a timed call. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host.h"

static void fill(const struct backend_ctx *ctx, struct host_rank *rank)
{
	size_t bytes = ctx->slots * ctx->cell.bytes;
	float *send = (void *)rank->own.send;

	for (size_t k = 0; k < bytes / sizeof *send; k++)
		send[k] = value_input(ctx->seed, rank->rank, k);
	memset(rank->own.recv, VALUE_POISON_BYTE, bytes);
}

/* Whoever reads this worker's buffers is through with them. Only the limit needs the wait:
 * after a handshake it is over at once. */
static int wait_readers(const struct backend_ctx *ctx, struct status *st)
{
	for (unsigned peer = 0; ctx->path != HOST_FIFO && peer < ctx->place.nranks; peer++)
		while (atomic_load_explicit(&host_flags(ctx, peer)->posted,
		                            memory_order_acquire) < ctx->ranks[0].phases)
			if (team_pause(ctx->place.team) != 0)
				return status_set(st,
				                  "host: the team broke up between two cells");
	return 0;
}

static void plan_rank(const struct backend_ctx *ctx, struct host_rank *rank)
{
	enum coll_kind coll = ctx->cell.coll;
	unsigned n = ctx->place.nranks;

	rank->npulls = host_step_pulls(coll, n, ctx->cell.bytes, rank->rank, rank->pulls);
	rank->npushes = host_step_pushes(coll, n, ctx->cell.bytes, rank->rank, rank->pushes);
	/* What others pull is what this rank would push. */
	rank->reads_per_call = ctx->waits ? rank->npushes : 0;
}

int host_cell_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                      unsigned slots, struct status *st)
{
	if (wait_readers(ctx, st) != 0)
		return -1;
	ctx->cell = *cell;
	ctx->seed = seed;
	ctx->slots = slots;
	ctx->phases = host_step_phases(cell->coll);
	ctx->waits = host_step_waits(cell->coll);
	for (unsigned i = 0; i < ctx->place.count; i++) {
		plan_rank(ctx, &ctx->ranks[i]);
		fill(ctx, &ctx->ranks[i]);
	}
	return 0;
}

/* Bits, not values: the answer is exact, and poison is no number. */
static bool same(float a, float b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

void host_cell_check(const struct backend_ctx *ctx, const struct host_rank *rank,
                     struct backend_verdict *out)
{
	struct backend_verdict verdict = {0};
	const float *recv = (const void *)rank->own.recv;
	size_t count = ctx->cell.bytes / sizeof *recv;

	for (size_t base = 0; base < ctx->slots * count; base += count) {
		for (size_t i = 0; i < count; i++) {
			float right = value_expected(ctx->cell.coll, ctx->place.nranks,
			                             rank->rank, ctx->seed, base, count, i);

			if (same(recv[base + i], right))
				continue;
			if (verdict.wrong++ == 0)
				verdict.wrong_at = base + i;
		}
	}
	verdict.digest = XXH3_64bits(recv, ctx->cell.bytes);
	*out = verdict;
}
