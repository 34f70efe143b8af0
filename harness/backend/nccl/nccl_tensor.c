/* Ranks that share a model, as in tensor parallelism: behind a layer's work they reduce what it
 * came to (activations' gradients), and go on with the sum. A communicator of their own, split from
 * the same world as the groups that reduce gradients, on the stream of the work: nothing overlaps
 * with what waits for it.
 *
 * Those at one place of their groups share one: with split = MOD:2 four ranks are two groups that
 * reduce gradients, 0 with 2 and 1 with 3, and two models, of 0 with 1 and of 2 with 3. */
#ifdef HAVE_CUDA_NCCL
#include <string.h>

#include "nccl.h"

bool nccl_shares(const struct trial *trial)
{
	return trial->settings.tensor && network_activations(&trial->network) &&
	       nccl_trains(trial);
}

bool nccl_tensor_reduces(const struct backend_ctx *ctx)
{
	return ctx->tensors &&
	       (ctx->cell.coll == COLL_DDP_STEP || ctx->cell.coll == COLL_DDP_COMMUNICATION);
}

/* Of the largest, in the cell's datatype. */
static struct cell cell_of(const struct backend_ctx *ctx, enum dtype dtype)
{
	const uint64_t samples = ctx->trial->settings.batch;
	return (struct cell){.coll = COLL_ALL_REDUCE,
	                     .dtype = dtype,
	                     .op = OP_SUM,
	                     .bytes = network_activations(&ctx->trial->network) * samples *
	                              coll_dtype_bytes(dtype)};
}

int nccl_tensor_open(struct backend_ctx *ctx, struct place *p, struct status *st)
{
	const struct trial *trial = ctx->trial;
	size_t most = 0;
	for (unsigned r = 0; r < p->rank; r++)
		p->share += split_place(trial->settings.split, ctx->nranks, r).index == p->me;
	for (unsigned c = 0; c < trial->ncells; c++) {
		size_t bytes = cell_of(ctx, trial->cells[c].dtype).bytes;
		most = bytes > most ? bytes : most;
	}
	for (unsigned i = 0; i < 2; i++)
		if (device_use(p->device, st) ||
		    device_ok(cudaMalloc((void **)&p->activations[i], most),
		              "cudaMalloc of activations", st))
			return -1;
	return 0;
}

void nccl_tensor_close(struct place *p)
{
	for (unsigned i = 0; i < 2; i++) {
		if (p->activations[i])
			cudaFree(p->activations[i]);
		p->activations[i] = NULL;
	}
}

int nccl_tensor_split(struct backend_ctx *ctx, struct status *st)
{
	nccl_keep(ctx, ctx->api.GroupStart(), NULL);
	for (unsigned i = 0; i < ctx->count && ctx->failed == ncclSuccess; i++) {
		struct place *p = &ctx->places[i];
		nccl_keep(
		    ctx,
		    ctx->api.CommSplit(p->world, (int)p->me, (int)p->rank, &p->tensor, NULL),
		    p->world);
	}
	nccl_keep(ctx, ctx->api.GroupEnd(), NULL);
	nccl_settle(ctx);
	return nccl_ok(ctx, ctx->failed, ctx->failed_comm, "ncclCommSplit", st);
}

/* Inputs differ from those of the groups of gradients, whose colours are below nranks. */
static struct buffers buffers_of(const struct backend_ctx *ctx, const struct place *p)
{
	const struct cell cell = cell_of(ctx, ctx->cell.dtype);
	const struct value_parts parts = coll_parts(&cell, &ctx->trial->weights, ctx->tensors);
	return (struct buffers){
	    .question = buffers_question(ctx->trial, &cell, &parts, ctx->tensors, p->share,
	                                 ctx->nranks + p->me, ctx->seed),
	    .span = coll_span(&cell, &parts, ctx->tensors, p->share),
	    .slots = 1,
	    .send = p->activations[0],
	    .recv = p->activations[1],
	};
}

int nccl_tensor_prepare(struct backend_ctx *ctx, struct status *st)
{
	for (unsigned i = 0; nccl_tensor_reduces(ctx) && i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		struct buffers buffers = buffers_of(ctx, p);
		if (device_prepare(p->device, &buffers, p->stream, st))
			return -1;
	}
	return 0;
}

int nccl_tensor_check(struct backend_ctx *ctx, struct place *p, struct backend_verdict *out,
                      struct status *st)
{
	struct backend_verdict own = {0};
	if (!nccl_tensor_reduces(ctx))
		return 0;
	struct buffers buffers = buffers_of(ctx, p);
	if (device_check(p->device, &buffers, p->stream, &own, st))
		return -1;
	own.wrong += out->wrong;
	if (!out->wrong)
		*out = own;
	out->wrong = own.wrong;
	return 0;
}

int nccl_tensor_reduce(struct backend_ctx *ctx, uint64_t elements)
{
	bool grouped = ctx->count > 1;
	if (grouped)
		nccl_keep(ctx, ctx->api.GroupStart(), NULL);
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		nccl_keep(ctx,
		          ctx->api.AllReduce(p->activations[0], p->activations[1], elements,
		                             ctx->type, ncclSum, p->tensor, p->compute),
		          p->tensor);
	}
	if (grouped)
		nccl_keep(ctx, ctx->api.GroupEnd(), NULL);
	nccl_settle(ctx);
	if (!ctx->fresh || ctx->capturing)
		return 0;
	/* As with buckets (nccl_train): the first one may have to connect. */
	for (unsigned i = 0; i < ctx->count; i++)
		nccl_follow(ctx, &ctx->places[i], ctx->places[i].stream, ctx->places[i].compute);
	return nccl_meet(ctx);
}

#else
typedef int nccl_tensor_left_out; /* built without CUDA or NCCL */
#endif
