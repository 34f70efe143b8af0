/* A cell's calls: decisions before them, the timed path, calls replayed from a graph. */
#include "../../clock.h"
#include "nccl.h"

#define ASK_NS 1000000 /* between two queries for errors, while waiting */

/* NCCL's own numbers; they have never changed. */
static const int types[DTYPE_KINDS] = {
    [DTYPE_INT8] = ncclInt8,
    [DTYPE_UINT8] = ncclUint8,
    [DTYPE_INT32] = ncclInt32,
    [DTYPE_UINT32] = ncclUint32,
    [DTYPE_INT64] = ncclInt64,
    [DTYPE_UINT64] = ncclUint64,
    [DTYPE_FLOAT16] = ncclFloat16,
    [DTYPE_BFLOAT16] = NCCL_BFLOAT16,
    [DTYPE_FLOAT32] = ncclFloat32,
    [DTYPE_FLOAT64] = ncclFloat64,
    [DTYPE_FLOAT8_E4M3] = NCCL_FLOAT8_E4M3,
    [DTYPE_FLOAT8_E5M2] = NCCL_FLOAT8_E5M2,
};

/* premulsum's operation is each communicator's. Collectives that do not reduce have none. */
static const int ops[OP_KINDS] = {
    [OP_SUM] = ncclSum, [OP_PROD] = ncclProd, [OP_MIN] = ncclMin,
    [OP_MAX] = ncclMax, [OP_AVG] = NCCL_AVG,
};

/* Chooses the functions of the cell's calls, so that the timed path decides nothing. */
static void take_way(struct backend_ctx *ctx)
{
	const struct settings *set = &ctx->trial->settings;
	const struct nccl_coll *row = nccl_coll(ctx->call.cell.coll);
	bool native =
	    !strcmp(set->api, "native") && nccl_has_native(&ctx->api, ctx->call.cell.coll);
	nccl_part_fn *put = nccl_moves(set) && row->device ? nccl_put_moves
	                    : nccl_copies(set)             ? nccl_put_copies
	                                                   : row->put;
	ctx->issue = put                     ? put
	             : row->moves && !native ? nccl_move
	             : set->call_ctas        ? row->configured
	                                     : row->call;
	ctx->config = (struct nccl_coll_config){.size = sizeof ctx->config,
	                                        .magic = NCCL_CONFIG_MAGIC,
	                                        .version = NCCL_AT(2, 31, 0),
	                                        .min_ctas = INT_MIN, /* unset */
	                                        .max_ctas = (int)set->call_ctas,
	                                        .nvls_ctas = INT_MIN,
	                                        .cga_cluster_size = INT_MIN,
	                                        .force_algorithm = 1,
	                                        .cta_policy = INT_MIN};
	const unsigned is = coll_info(ctx->call.cell.coll)->is;
	ctx->end = is & COLL_ROUTED   ? nccl_experts
	           : row->trains      ? nccl_train
	           : is & COLL_ROUNDS ? nccl_rounds
	                              : NULL;
	ctx->grouped = !put;
}

static void take_sides(struct backend_ctx *ctx, struct place *p)
{
	const struct nccl_coll *row = nccl_coll(ctx->call.cell.coll);
	p->span = coll_span(&ctx->call.cell, &ctx->call.parts, ctx->n, p->me);
	p->from = ctx->call.cell.in_place ? p->recv + p->span.send_at : nccl_send_of(ctx, p);
	p->to = nccl_recv_of(ctx, p) + p->span.recv_at;
	if (row->moves)
		steps_plan(&ctx->call, p->me, &p->plan);
}

static int take_op(struct backend_ctx *ctx, struct place *p, struct status *st)
{
	uint64_t scale = value_scale_bits(ctx->call.cell.dtype, p->me);
	p->op = (ncclRedOp_t)ops[ctx->call.cell.op];
	if (ctx->call.cell.op != OP_PREMULSUM)
		return 0;
	if (nccl_ok(ctx,
	            ctx->api.RedOpCreatePreMulSum(&p->op, &scale, ctx->type, NCCL_HOST_IMMEDIATE,
	                                          p->comm),
	            p->comm, "ncclRedOpCreatePreMulSum", st))
		return -1;
	p->own_op = true;
	return 0;
}

int nccl_take_cell(struct backend_ctx *ctx, const struct cell *cell, struct status *st)
{
	nccl_drop_cell(ctx);
	ctx->call = steps_call(ctx->trial, cell);
	ctx->fresh = true;
	ctx->type = (ncclDataType_t)types[cell->dtype];
	ctx->elements = ctx->call.cell.bytes / coll_dtype_bytes(cell->dtype);
	ctx->part = ctx->elements / ctx->n;
	take_way(ctx);
	for (struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
		take_sides(ctx, p);
		if (take_op(ctx, p, st) || nccl_links_take(ctx, p, st) ||
		    (ctx->issue == nccl_put_moves && nccl_move_take(ctx, p, st)))
			return -1;
	}
	return nccl_coll(cell->coll)->trains ? nccl_train_warm(ctx, st) : 0;
}

void nccl_drop_cell(struct backend_ctx *ctx)
{
	nccl_drop_graphs(ctx);
	for (struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
		if (p->own_op)
			ctx->api.RedOpDestroy(p->op, p->comm);
		p->own_op = false;
		nccl_links_drop(p);
	}
}

/* --- the timed path --- */

void nccl_keep(struct backend_ctx *ctx, ncclResult_t result, ncclComm_t comm)
{
	if (result == ncclSuccess || (int)result == NCCL_IN_PROGRESS || ctx->failed != ncclSuccess)
		return;
	ctx->failed = result;
	ctx->failed_comm = comm;
}

void nccl_begin(struct backend_ctx *ctx)
{
	if (ctx->grouped)
		nccl_keep(ctx, ctx->api.GroupStart(), NULL);
}

void nccl_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	struct place *p = &ctx->places[i];
	/* A kernel before the call; on a clock below the GPU's highest the delay is longer. */
	if (p->extra_ns && nccl_use(ctx, p))
		nccl_keep_cuda(ctx,
		               device_launch_spin(p->extra_ns * p->clock_khz / 1000000, p->stream));
	ctx->issue(ctx, p, p->from + slot * ctx->call.cell.bytes,
	           p->to + slot * ctx->call.cell.bytes);
}

void nccl_end(struct backend_ctx *ctx)
{
	if (ctx->end)
		ctx->end(ctx);
	if (ctx->grouped)
		nccl_keep(ctx, ctx->api.GroupEnd(), NULL);
	ctx->fresh = false;
	ctx->issued++;
}

/* The first look after calls has the stream write a word after them; from then on a look is a load,
 * where asking CUDA takes almost 1 µs. Not where the calls are issued. */
static cudaError_t look(struct backend_ctx *ctx, struct place *p)
{
	if (!ctx->driver.write)
		return cudaStreamQuery(p->stream);
	if (p->awaited != ctx->issued && nccl_use(ctx, p)) {
		p->awaited = ctx->issued;
		nccl_keep_cuda(ctx,
		               device_write(ctx->driver.write, p->word, p->awaited, p->stream));
	}
	return __atomic_load_n(p->word, __ATOMIC_ACQUIRE) == ctx->issued ? cudaSuccess
	                                                                 : cudaErrorNotReady;
}

int nccl_poll(struct backend_ctx *ctx, unsigned i)
{
	struct place *p = &ctx->places[i];
	cudaError_t result = look(ctx, p);
	if (ctx->failed != ncclSuccess || ctx->cuda_failed != cudaSuccess ||
	    nccl_move_late(ctx, NULL))
		return -1;
	if (result == cudaSuccess)
		return 1;
	int64_t now = clock_now_ns();
	if (result == cudaErrorNotReady && now - p->asked_ns > ASK_NS) {
		ncclResult_t async = ncclSuccess;
		p->asked_ns = now;
		nccl_keep(ctx, ctx->api.CommGetAsyncError(p->comm, &async), p->comm);
		nccl_keep(ctx, async, p->comm);
		result = cudaStreamQuery(p->stream); /* no word comes after an error */
	}
	if (result != cudaErrorNotReady)
		nccl_keep_cuda(ctx, result); /* success: the word comes at the next look */
	return ctx->failed == ncclSuccess && ctx->cuda_failed == cudaSuccess ? 0 : -1;
}

/* poll finds errors. */
void nccl_block(struct backend_ctx *ctx, unsigned i)
{
	/* If one rank did not accept a call, the others' streams would wait for ever. */
	if (ctx->failed == ncclSuccess && ctx->cuda_failed == cudaSuccess)
		cudaStreamSynchronize(ctx->places[i].stream);
}

void nccl_hold(struct backend_ctx *ctx)
{
	__atomic_store_n(ctx->gate, 0, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < ctx->count; i++)
		if (nccl_use(ctx, &ctx->places[i]))
			nccl_keep_cuda(ctx, device_launch_hold(ctx->gate, ctx->places[i].stream));
}

void nccl_release(struct backend_ctx *ctx)
{
	__atomic_store_n(ctx->gate, 1, __ATOMIC_RELEASE);
}

/* --- graphs --- */

static int capture_begin(struct backend_ctx *ctx, struct status *st)
{
	nccl_drop_graphs(ctx);
	ctx->capturing = true;
	for (unsigned i = 0; i < ctx->count; i++)
		if (device_use(ctx->places[i].device, st) ||
		    device_ok(cudaStreamBeginCapture(ctx->places[i].stream,
		                                     cudaStreamCaptureModeThreadLocal),
		              "cudaStreamBeginCapture", st))
			return -1;
	return 0;
}

/* Uploads the graph, so that the first replay is like the others. */
static int make_ready(struct place *p, struct status *st)
{
	if (device_use(p->device, st) ||
	    device_ok(cudaGraphInstantiateWithFlags(&p->graph, p->captured, 0),
	              "cudaGraphInstantiate", st) ||
	    device_ok(cudaGraphUpload(p->graph, p->stream), "cudaGraphUpload", st))
		return -1;
	return device_ok(cudaStreamSynchronize(p->stream), "cudaGraphUpload", st);
}

/* On all streams, even after an error: one that stays in capture cannot be destroyed; and before
 * the first graph is instantiated, which CUDA refuses in a thread that still captures. */
static int capture_end(struct backend_ctx *ctx, struct status *st)
{
	int result = nccl_ok(ctx, ctx->failed, ctx->failed_comm, "capturing", st) ||
	                     device_ok(ctx->cuda_failed, "capturing", st)
	                 ? -1
	                 : 0;
	ctx->capturing = false;
	for (struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
		p->captured = NULL;
		if (device_use(p->device, st) ||
		    device_ok(cudaStreamEndCapture(p->stream, &p->captured), "cudaStreamEndCapture",
		              st))
			result = -1;
	}
	for (struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
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

/* Nothing to replay before a capture. */
void nccl_replay(struct backend_ctx *ctx)
{
	ctx->issued++;
	for (struct place *p = ctx->places; p < ctx->places + ctx->count; p++)
		if (p->graph && nccl_use(ctx, p))
			nccl_keep_cuda(ctx, cudaGraphLaunch(p->graph, p->stream));
}

void nccl_drop_graphs(struct backend_ctx *ctx)
{
	for (struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
		if (p->graph)
			cudaGraphExecDestroy(p->graph);
		p->graph = NULL;
	}
}
