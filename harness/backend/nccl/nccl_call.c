#ifdef HAVE_CUDA_NCCL
#include "../../clock.h"
#include "nccl.h"

#define ASK_NS 1000000 /* between two questions for asynchronous errors, while waiting */

void nccl_keep(struct backend_ctx *ctx, ncclResult_t result, ncclComm_t comm)
{
	if (result == ncclSuccess || (int)result == NCCL_IN_PROGRESS ||
	    ctx->failed != ncclSuccess)
		return;
	ctx->failed = result;
	ctx->failed_comm = comm;
}

/* A communicator may not be used again while the library is still busy taking a call in. */
void nccl_settle_comm(struct backend_ctx *ctx, ncclComm_t comm)
{
	ncclResult_t async = ncclSuccess;
	if (!comm || !ctx->trial->settings.nonblocking)
		return;
	for (;;) {
		ncclResult_t result = ctx->api.CommGetAsyncError(comm, &async);
		nccl_keep(ctx, result, comm);
		if (result != ncclSuccess || (int)async != NCCL_IN_PROGRESS)
			break;
		if (team_pause(ctx->team)) /* the loop's next wait says so */
			break;
	}
	nccl_keep(ctx, async, comm);
}

/* Splitting is told by the parent's state, all else by the communicator's own. */
void nccl_settle(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++) {
		nccl_settle_comm(ctx, ctx->places[i].world);
		nccl_settle_comm(ctx, ctx->places[i].comm);
	}
}

void nccl_begin(struct backend_ctx *ctx)
{
	if (ctx->grouped)
		nccl_keep(ctx, ctx->api.GroupStart(), NULL);
}

/* A stream that is captured takes no copy between peers, only one between addresses. */
static void copy(struct backend_ctx *ctx, struct place *p, const char *from, unsigned slot)
{
	char *to = ctx->peers[p->next] + slot * ctx->cell.bytes;
	size_t bytes = ctx->cell.bytes;
	cudaError_t result = cudaSetDevice((int)p->rank);
	if (result == cudaSuccess)
		result = ctx->capturing
		             ? cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, p->stream)
		             : cudaMemcpyPeerAsync(to, (int)p->next, from, (int)p->rank, bytes,
		                                   p->stream);
	if (result != cudaSuccess)
		ctx->cuda_failed = result;
}

/* What NCCL has a call of its own for. */
static ncclResult_t call(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	const struct nccl_api *api = &ctx->api;
	int root = (int)ctx->cell.root;
	switch (ctx->cell.coll) {
	case COLL_ALL_REDUCE:
		return api->AllReduce(from, to, ctx->elements, ctx->type, p->op, p->comm,
		                      p->stream);
	case COLL_ALL_GATHER:
		return api->AllGather(from, to, ctx->part, ctx->type, p->comm, p->stream);
	case COLL_REDUCE_SCATTER:
		return api->ReduceScatter(from, to, ctx->part, ctx->type, p->op, p->comm,
		                          p->stream);
	case COLL_BROADCAST:
		return api->Broadcast(from, to, ctx->elements, ctx->type, root, p->comm,
		                      p->stream);
	case COLL_REDUCE:
		return api->Reduce(from, to, ctx->elements, ctx->type, p->op, root, p->comm,
		                   p->stream);
	case COLL_ALLTOALL:
		return api->AlltoAll(from, to, ctx->part, ctx->type, p->comm, p->stream);
	case COLL_GATHER:
		return api->Gather(from, to, ctx->part, ctx->type, root, p->comm, p->stream);
	case COLL_SCATTER:
		return api->Scatter(from, to, ctx->part, ctx->type, root, p->comm, p->stream);
	default:
		return ncclInvalidUsage;
	}
}

/* What is made of sends and receives; false: nothing is. */
static bool move(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	switch (ctx->cell.coll) {
	case COLL_ALLTOALL:
		nccl_alltoall(ctx, p, from, to);
		return true;
	case COLL_ALLTOALLV:
		nccl_alltoallv(ctx, p, from, to);
		return true;
	case COLL_SENDRECV:
		nccl_ring(ctx, p, from, to);
		return true;
	case COLL_SENDRECV_PAIRS:
		nccl_pairs(ctx, p, from, to);
		return true;
	case COLL_SENDRECV_BOTH:
		nccl_both(ctx, p, from, to);
		return true;
	case COLL_GATHER:
		nccl_gather(ctx, p, from, to);
		return true;
	case COLL_SCATTER:
		nccl_scatter(ctx, p, from, to);
		return true;
	default:
		return false;
	}
}

void nccl_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	struct place *p = &ctx->places[i];
	const char *from = p->from + slot * ctx->cell.bytes;
	char *to = p->to + slot * ctx->cell.bytes;
	if (ctx->cell.coll == COLL_COPY) {
		copy(ctx, p, from, slot);
		return;
	}
	if (ctx->cell.coll == COLL_HYPERCUBE) {
		p->slot = slot;
		return;
	}
	if (ctx->bracketed)
		nccl_keep(ctx, ctx->api.GroupStart(), NULL);
	if (ctx->native || !move(ctx, p, from, to))
		nccl_keep(ctx, call(ctx, p, from, to), p->comm);
	if (ctx->bracketed)
		nccl_keep(ctx, ctx->api.GroupEnd(), NULL);
	if (!ctx->grouped)
		nccl_settle(ctx);
}

void nccl_end(struct backend_ctx *ctx)
{
	if (ctx->cell.coll == COLL_HYPERCUBE)
		nccl_hypercube(ctx);
	if (ctx->grouped) {
		nccl_keep(ctx, ctx->api.GroupEnd(), NULL);
		nccl_settle(ctx);
	}
	ctx->fresh = false;
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
		nccl_keep(ctx, ctx->api.CommGetAsyncError(p->comm, &async), p->comm);
		nccl_keep(ctx, async, p->comm);
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
