/* Ranks that share a model (tensor.h): in a communicator of their own they sum a layer's
 * activations behind its work, and the work behind it waits for the sum. Buckets of gradients
 * go on beside that. */
#include "../tensor.h"
#include "host.h"

unsigned host_tensor_count(const struct trial *trial)
{
	unsigned sums = 0;

	for (unsigned i = 0; tensor_ranks(trial) && i < trial->network.n; i++)
		sums += trial->network.layers[i].activations > 0;
	return sums;
}

/* Behind which work of a pass, and how much. */
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

void host_tensor_plan(struct backend_ctx *ctx)
{
	struct host_comm *comm = &ctx->comms[HOST_TENSOR];
	const enum dtype dtype = ctx->call.cell.dtype;
	bool sums = ctx->nsums && tensor_sums(ctx->call.cell.coll);

	ctx->call_sums = sums ? ctx->nsums * ctx->place.trial->settings.accumulation : 0;
	if (!sums)
		return;
	list_sums(ctx);
	comm->phases = HOST_SUM_PHASES;
	comm->waits = true;
	comm->reduction = (struct host_reduction){dtype, OP_SUM, comm->nranks};
	for (unsigned i = 0; i < ctx->place.count; i++) {
		struct host_rank *rank = &ctx->ranks[i];

		rank->parts[HOST_TENSOR].open = HOST_SUM_PHASES;
		for (unsigned s = 0; s < ctx->nsums; s++) {
			const struct host_call call = {
			    .cell = {.coll = COLL_ALL_REDUCE,
			             .dtype = dtype,
			             .op = OP_SUM,
			             .bytes = ctx->sums[s].elements * coll_dtype_bytes(dtype)},
			    .nranks = comm->nranks};

			host_cell_plan(comm, &call, rank->rank, &rank->plans[1 + s]);
		}
	}
}

static struct buffers buffers_of(const struct backend_ctx *ctx, unsigned i)
{
	const struct host_rank *rank = &ctx->ranks[i];
	const struct host_buffers *own = &rank->parts[HOST_TENSOR].own;

	return tensor_buffers(ctx->place.trial, ctx->call.cell.dtype, rank->rank, ctx->seed,
	                      (char *)own->send, (char *)own->recv);
}

void host_tensor_prepare(const struct backend_ctx *ctx)
{
	for (unsigned i = 0; ctx->call_sums && i < ctx->place.count; i++) {
		struct buffers buffers = buffers_of(ctx, i);

		buffers_fill(&buffers);
	}
}

void host_tensor_check(const struct backend_ctx *ctx, unsigned i, struct backend_verdict *out)
{
	struct backend_verdict own = {0};

	if (!ctx->call_sums)
		return;
	struct buffers buffers = buffers_of(ctx, i);

	buffers_check(&buffers, &own);
	tensor_verdict_add(ctx->place.trial, ctx->call.cell.dtype, out, &own);
}
