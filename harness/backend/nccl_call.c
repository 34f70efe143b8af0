#ifdef HAVE_CUDA_NCCL
#include "../clock.h"
#include "nccl.h"

#define ASK_NS 1000000 /* between two questions for asynchronous errors, while waiting */

static void keep(struct backend_ctx *ctx, ncclResult_t result, ncclComm_t comm)
{
	if (result == ncclSuccess || ctx->failed != ncclSuccess)
		return;
	ctx->failed = result;
	ctx->failed_comm = comm;
}

void nccl_begin(struct backend_ctx *ctx)
{
	keep(ctx, ctx->api.GroupStart(), NULL);
}

static void alltoall(struct backend_ctx *ctx, struct place *p, const char *send, char *recv)
{
	size_t step = ctx->part * sizeof(float);
	if (ctx->native) {
		keep(ctx,
		     ctx->api.AlltoAll(send, recv, ctx->part, ncclFloat, p->comm, p->stream),
		     p->comm);
		return;
	}
	for (unsigned r = 0; r < ctx->nranks; r++) {
		keep(ctx,
		     ctx->api.Send(send + r * step, ctx->part, ncclFloat, (int)r, p->comm,
		                   p->stream),
		     p->comm);
		keep(ctx,
		     ctx->api.Recv(recv + r * step, ctx->part, ncclFloat, (int)r, p->comm,
		                   p->stream),
		     p->comm);
	}
}

static void sendrecv(struct backend_ctx *ctx, struct place *p, const char *send, char *recv)
{
	int next = (int)((p->rank + 1) % ctx->nranks);
	int last = (int)((p->rank + ctx->nranks - 1) % ctx->nranks);
	keep(ctx, ctx->api.Send(send, ctx->elements, ncclFloat, next, p->comm, p->stream),
	     p->comm);
	keep(ctx, ctx->api.Recv(recv, ctx->elements, ncclFloat, last, p->comm, p->stream),
	     p->comm);
}

static void copy(struct backend_ctx *ctx, struct place *p, const char *send, unsigned slot)
{
	unsigned next = (p->rank + 1) % ctx->nranks;
	cudaError_t result = cudaSetDevice((int)p->rank);
	if (result == cudaSuccess)
		result =
		    cudaMemcpyPeerAsync(ctx->peers[next] + slot * ctx->cell.bytes, (int)next,
		                        send, (int)p->rank, ctx->cell.bytes, p->stream);
	if (result != cudaSuccess)
		ctx->cuda_failed = result;
}

void nccl_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	struct place *p = &ctx->places[i];
	const char *send = p->send + slot * ctx->cell.bytes;
	char *recv = p->recv + slot * ctx->cell.bytes;
	switch (ctx->cell.coll) {
	case COLL_ALL_REDUCE:
		keep(ctx,
		     ctx->api.AllReduce(send, recv, ctx->elements, ncclFloat, ncclSum, p->comm,
		                        p->stream),
		     p->comm);
		break;
	case COLL_ALLTOALL:
		alltoall(ctx, p, send, recv);
		break;
	case COLL_SENDRECV:
		sendrecv(ctx, p, send, recv);
		break;
	case COLL_COPY:
		copy(ctx, p, send, slot);
		break;
	case COLL_KINDS:
		break;
	}
}

void nccl_end(struct backend_ctx *ctx)
{
	keep(ctx, ctx->api.GroupEnd(), NULL);
}

int nccl_idle(struct backend_ctx *ctx, unsigned i)
{
	struct place *p = &ctx->places[i];
	cudaError_t result = cudaStreamQuery(p->stream);
	if (ctx->failed != ncclSuccess || ctx->cuda_failed != cudaSuccess)
		return -1;
	if (result == cudaSuccess)
		return 1;
	if (result != cudaErrorNotReady) {
		ctx->cuda_failed = result;
		return -1;
	}
	int64_t now = clock_now_ns();
	if (now - p->asked_ns > ASK_NS) {
		ncclResult_t async = ncclSuccess;
		p->asked_ns = now;
		keep(ctx, ctx->api.CommGetAsyncError(p->comm, &async), p->comm);
		keep(ctx, async, p->comm);
	}
	return ctx->failed == ncclSuccess ? 0 : -1;
}

void nccl_hold(struct backend_ctx *ctx)
{
	*ctx->gate = 0;
	for (unsigned i = 0; i < ctx->count; i++) {
		cudaError_t result = cudaSetDevice((int)ctx->places[i].rank);
		if (result == cudaSuccess)
			result = device_launch_hold(ctx->gate, ctx->places[i].stream);
		if (result != cudaSuccess)
			ctx->cuda_failed = result;
	}
}

void nccl_release(struct backend_ctx *ctx)
{
	*ctx->gate = 1;
}

#else
typedef int nccl_call_left_out; /* built without CUDA or NCCL */
#endif
