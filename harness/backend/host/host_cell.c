/* A cell: the moves of its calls, the inputs of its buffers and their check. Never in a timed
 * call. */
#include "../tensor.h"
#include "host.h"

/* Waits until nobody reads this worker's buffers any more. Only the limit has to wait: after a
 * handshake all readers are done. */
static int wait_readers(const struct backend_ctx *ctx, struct status *st)
{
	for (unsigned peer = 0; ctx->transport != HOST_FIFO && peer < ctx->place.nranks; peer++)
		while (atomic_load_explicit(&host_flags(ctx, peer)->of[HOST_MAIN].posted,
		                            memory_order_acquire) <
		       ctx->ranks[0].parts[HOST_MAIN].phases)
			if (team_pause(ctx->place.team))
				return status_set(st, "host: the team failed between two cells");
	return 0;
}

/* A rank's moves in a call of a communicator. */
static int call_plan(const struct host_comm *comm, const struct steps_call *call, unsigned rank,
                     struct steps_plan *plan, struct status *st)
{
	const struct split_place *at = &comm->places[rank];
	if (steps_plan(call, at->index, plan, st))
		return -1;
	for (unsigned m = 0; m < plan->npulls + plan->npushes; m++) {
		struct steps_move *move =
		    m < plan->npulls ? &plan->pulls[m] : &plan->pushes[m - plan->npulls];
		const struct split_place *of = comm->places;
		while (of->color != at->color || of->index != move->place)
			of++;
		move->peer = (unsigned)(of - comm->places);
	}
	return 0;
}

/* --- ranks that share a model (tensor.h): after a layer's work they sum its activations in their
 * own communicator, and the next work waits for the sum. Buckets of gradients move meanwhile. --- */

unsigned host_cell_sums(const struct trial *trial)
{
	unsigned sums = 0;
	for (unsigned i = 0; tensor_ranks(trial) && i < trial->network.n; i++)
		sums += trial->network.layers[i].activations > 0;
	return sums;
}

/* After which work of a pass each sum comes, and its size. */
static void list_sums(struct backend_ctx *ctx)
{
	const struct trial *trial = ctx->place.trial;
	const struct network *network = &trial->network;
	bool works = ctx->call.cell.coll == COLL_DDP_STEP;
	uint64_t flops = 0;
	for (unsigned i = 0, sum = 0; i < network->n; i++) {
		flops += works ? network->layers[i].flops * trial->settings.batch : 0;
		if (network->layers[i].activations)
			ctx->sums[sum++] = (struct host_sum){flops, tensor_elements(trial, i)};
	}
	ctx->pass_flops = flops;
}

static int sums_plan(struct backend_ctx *ctx, struct status *st)
{
	struct host_comm *comm = &ctx->comms[HOST_TENSOR];
	const enum dtype dtype = ctx->call.cell.dtype;
	bool sums = ctx->nsums && tensor_sums(ctx->call.cell.coll);
	ctx->call_sums = sums ? ctx->nsums * ctx->place.trial->settings.accumulation : 0;
	if (!sums)
		return 0;
	list_sums(ctx);
	comm->phases = HOST_SUM_PHASES;
	comm->waits = true;
	comm->reduction = (struct host_reduction){dtype, OP_SUM, comm->nranks};
	for (unsigned i = 0; i < ctx->place.count; i++) {
		struct host_rank *rank = &ctx->ranks[i];
		rank->parts[HOST_TENSOR].open = HOST_SUM_PHASES;
		for (unsigned s = 0; s < ctx->nsums; s++) {
			const struct steps_call call = {
			    .cell = {.coll = COLL_ALL_REDUCE,
			             .dtype = dtype,
			             .op = OP_SUM,
			             .bytes = ctx->sums[s].elements * coll_dtype_bytes(dtype)},
			    .nranks = comm->nranks};
			if (call_plan(comm, &call, rank->rank, &rank->plans[1 + s], st))
				return -1;
		}
	}
	return 0;
}

/* --- the cell --- */

int host_cell_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                      unsigned slots, struct status *st)
{
	struct host_comm *comm = &ctx->comms[HOST_MAIN];
	if (wait_readers(ctx, st))
		return -1;
	ctx->call = steps_call(ctx->place.trial, cell);
	comm->reduction = (struct host_reduction){cell->dtype, cell->op, comm->nranks};
	ctx->seed = seed;
	ctx->slots = slots;
	comm->phases = steps_phases(&ctx->call);
	comm->waits = steps_waits(cell->coll);
	ctx->access_stride = cell->coll == COLL_ACCESS ? ctx->place.trial->settings.stride : 0;
	if (sums_plan(ctx, st))
		return -1;
	for (unsigned i = 0; i < ctx->place.count; i++) {
		struct host_rank *rank = &ctx->ranks[i];
		if (call_plan(comm, &ctx->call, rank->rank, &rank->plans[0], st) ||
		    host_move_plan(ctx, rank, st))
			return -1;
		rank->parts[HOST_MAIN].plan = rank->plans[0];
	}
	return 0;
}

unsigned host_cell_buffers(const struct backend_ctx *ctx, unsigned i, struct buffers *out)
{
	const struct trial *trial = ctx->place.trial;
	const struct host_rank *rank = &ctx->ranks[i];
	const struct host_buffers *own = &rank->parts[HOST_MAIN].own,
	                          *sums = &rank->parts[HOST_TENSOR].own;
	out[0] = buffers_of(trial, &ctx->call.cell, &ctx->call.parts,
	                    ctx->comms[HOST_MAIN].places[rank->rank], ctx->slots, ctx->seed,
	                    (char *)own->send, (char *)own->recv);
	if (!ctx->call_sums)
		return 1;
	out[1] = tensor_buffers(trial, ctx->call.cell.dtype, rank->rank, ctx->seed,
	                        (char *)sums->send, (char *)sums->recv);
	return 2;
}
