#ifdef HAVE_CUDA_NCCL
#include "nccl.h"

static int capture_begin(struct backend_ctx *ctx, struct status *st)
{
	nccl_drop_graphs(ctx);
	ctx->capturing = true;
	for (unsigned i = 0; i < ctx->count; i++)
		if (device_use(ctx->places[i].rank, st) ||
		    device_ok(cudaStreamBeginCapture(ctx->places[i].stream,
		                                     cudaStreamCaptureModeThreadLocal),
		              "cudaStreamBeginCapture", st))
			return -1;
	return 0;
}

/* Made ready on the device, so that the first replay is like the others. */
static int make_ready(struct place *p, struct status *st)
{
	if (device_use(p->rank, st) ||
	    device_ok(cudaGraphInstantiateWithFlags(&p->graph, p->captured, 0),
	              "cudaGraphInstantiate", st) ||
	    device_ok(cudaGraphUpload(p->graph, p->stream), "cudaGraphUpload", st))
		return -1;
	return device_ok(cudaStreamSynchronize(p->stream), "cudaGraphUpload", st);
}

static int capture_end_one(struct place *p, struct status *st)
{
	p->captured = NULL;
	if (device_use(p->rank, st))
		return -1;
	return device_ok(cudaStreamEndCapture(p->stream, &p->captured), "cudaStreamEndCapture",
	                 st);
}

/* All streams are ended, whatever the first one says: a stream that stays captured cannot even
 * be given back. And all before the first graph is made ready, which CUDA refuses a thread that
 * still captures. */
static int capture_end(struct backend_ctx *ctx, struct status *st)
{
	int result = nccl_ok(ctx, ctx->failed, ctx->failed_comm, "capturing", st) ||
	                     device_ok(ctx->cuda_failed, "capturing", st)
	                 ? -1
	                 : 0;
	ctx->capturing = false;
	for (unsigned i = 0; i < ctx->count; i++)
		if (capture_end_one(&ctx->places[i], st))
			result = -1;
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		if (!result && make_ready(p, st))
			result = -1;
		if (p->captured)
			cudaGraphDestroy(p->captured);
		p->captured = NULL;
	}
	return result;
}

int nccl_capture(struct backend_ctx *ctx, bool on, struct status *st)
{
	return on ? capture_begin(ctx, st) : capture_end(ctx, st);
}

/* Before anything was captured, there is nothing to replay. */
void nccl_replay(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		cudaError_t result = cudaSuccess;
		if (p->graph)
			result = cudaSetDevice((int)p->rank);
		if (p->graph && result == cudaSuccess)
			result = cudaGraphLaunch(p->graph, p->stream);
		if (result != cudaSuccess)
			ctx->cuda_failed = result;
	}
}

void nccl_drop_graphs(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		if (p->graph)
			cudaGraphExecDestroy(p->graph);
		p->graph = NULL;
	}
}

#else
typedef int nccl_graph_left_out; /* built without CUDA or NCCL */
#endif
