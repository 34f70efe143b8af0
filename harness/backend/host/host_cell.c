/* A cell: the moves of its calls, the inputs of its buffers and their check. Never in a timed
 * call. */
#include "host.h"

/* Waits until nobody reads this worker's buffers any more. Only the limit has to wait: after a
 * handshake all readers are done. */
static int wait_readers(const struct backend_ctx *ctx, struct status *st)
{
	for (unsigned peer = 0; ctx->transport != HOST_FIFO && peer < ctx->place.nranks; peer++)
		while (atomic_load_explicit(&host_flags(ctx, peer)->posted, memory_order_acquire) <
		       ctx->ranks[0].phases)
			if (team_pause(ctx->place.team))
				return status_set(st, "host: the team failed between two cells");
	return 0;
}

/* A rank's moves in a call. */
static int call_plan(const struct backend_ctx *ctx, struct host_rank *rank, struct status *st)
{
	const struct split_place *at = &ctx->places[rank->rank];
	struct steps_plan *plan = &rank->plan;
	if (steps_plan(&ctx->call, at->index, plan, st))
		return -1;
	for (unsigned m = 0; m < plan->npulls + plan->npushes; m++) {
		struct steps_move *move =
		    m < plan->npulls ? &plan->pulls[m] : &plan->pushes[m - plan->npulls];
		const struct split_place *of = ctx->places;
		while (of->color != at->color || of->index != move->place)
			of++;
		move->peer = (unsigned)(of - ctx->places);
	}
	return 0;
}

/* --- the cell --- */

int host_cell_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                      unsigned slots, struct status *st)
{
	if (wait_readers(ctx, st))
		return -1;
	ctx->call = steps_call(ctx->place.trial, cell);
	ctx->reduction = (struct host_reduction){cell->dtype, cell->op, ctx->call.nranks};
	ctx->seed = seed;
	ctx->slots = slots;
	ctx->phases = steps_phases(&ctx->call);
	ctx->waits = steps_waits(cell->coll);
	ctx->access_stride = cell->coll == COLL_ACCESS ? ctx->place.trial->settings.stride : 0;
	for (unsigned i = 0; i < ctx->place.count; i++) {
		struct host_rank *rank = &ctx->ranks[i];
		if (call_plan(ctx, rank, st) || host_move_plan(ctx, rank, st))
			return -1;
	}
	return 0;
}

void host_cell_buffers(const struct backend_ctx *ctx, unsigned i, struct buffers *out)
{
	const struct trial *trial = ctx->place.trial;
	const struct host_rank *rank = &ctx->ranks[i];
	*out = buffers_of(trial, &ctx->call.cell, &ctx->call.parts, ctx->places[rank->rank],
	                  ctx->slots, ctx->seed, (char *)rank->own.send, (char *)rank->own.recv);
}
