/* Ranks that share a model (tensor.h): a communicator of their own, split from the same world
 * as the groups that reduce gradients, on the stream of the work: nothing overlaps with what
 * waits for it. */
#ifdef HAVE_CUDA_NCCL
#include <string.h>

#include "../tensor.h"
#include "nccl.h"

bool nccl_tensor_reduces(const struct backend_ctx *ctx)
{
	return ctx->tensors && tensor_sums(ctx->cell.coll);
}

int nccl_tensor_open(struct backend_ctx *ctx, struct place *p, struct status *st)
{
	const size_t bytes = tensor_bytes(ctx->trial);
	for (unsigned i = 0; i < 2; i++)
		if (device_use(p->device, st) ||
		    device_ok(cudaMalloc((void **)&p->activations[i], bytes),
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

static struct buffers buffers_of(const struct backend_ctx *ctx, const struct place *p)
{
	return tensor_buffers(ctx->trial, ctx->cell.dtype, p->rank, ctx->seed,
	                      p->activations[0], p->activations[1]);
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
	tensor_verdict_add(ctx->trial, ctx->cell.dtype, out, &own);
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
		nccl_follow(ctx, &ctx->places[i], ctx->places[i].stream,
		            ctx->places[i].compute);
	return nccl_meet(ctx);
}

#else
typedef int nccl_tensor_left_out; /* built without CUDA or NCCL */
#endif
