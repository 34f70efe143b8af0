/* Steps of training: one stream has the products, the rank's own reduces each bucket as soon as its
 * last gradient is ready. PyTorch's DistributedDataParallel scales in its own kernel (here op = avg
 * does both), and adds its optimizer. */

#include "nccl.h"

bool nccl_trains(const struct trial *trial)
{
	for (unsigned c = 0; c < trial->ncells; c++)
		if (nccl_coll(trial->cells[c].coll)->trains)
			return true;
	return false;
}

static uint64_t flops_of(const struct trial *trial, unsigned layer)
{
	return trial->network.layers[layer].flops * trial->settings.batch;
}

/* The largest side and depth of all layers' products, and the widest datatype of the cells. */
static void largest(const struct backend_ctx *ctx, unsigned *side, unsigned *depth,
                    enum dtype *dtype)
{
	const struct trial *trial = ctx->trial;
	*side = *depth = 1;
	for (unsigned i = 0; i < trial->network.n; i++) {
		struct network_product p = network_product(flops_of(trial, i));
		*side = p.side > *side ? p.side : *side;
		*depth = p.depth > *depth ? p.depth : *depth;
	}
	*dtype = trial->cells[0].dtype;
	for (unsigned c = 0; c < trial->ncells; c++) {
		if (coll_info(trial->cells[c].coll)->is & COLL_ROUTED) {
			*side = NETWORK_MOST_SIDE;
			*depth = NETWORK_MOST_DEPTH;
		}
		if (coll_dtype_bytes(blas_dtype(trial->cells[c].dtype)) >
		    coll_dtype_bytes(blas_dtype(*dtype)))
			*dtype = trial->cells[c].dtype;
	}
}

int nccl_train_open(struct backend_ctx *ctx, struct place *p, struct status *st)
{
	unsigned side, depth;
	enum dtype dtype;
	largest(ctx, &side, &depth, &dtype);
	if (device_stream(&p->compute, st) || device_event(&p->ready, st))
		return -1;
	return blas_open(&ctx->math, &p->blas, side, depth, dtype, p->compute, st);
}

void nccl_train_close(struct backend_ctx *ctx, struct place *p)
{
	if (!p->compute)
		return;
	blas_close(&ctx->math, &p->blas);
	if (p->ready)
		cudaEventDestroy(p->ready);
	cudaStreamDestroy(p->compute);
	p->compute = NULL;
}

/* What `to` is given from here on waits for what `from` was given. */
static void follow(struct backend_ctx *ctx, const struct place *p, cudaStream_t to,
                   cudaStream_t from)
{
	nccl_use(ctx, p);
	nccl_keep_cuda(ctx, cudaEventRecord(p->ready, from));
	nccl_keep_cuda(ctx, cudaStreamWaitEvent(to, p->ready, 0));
}

static void multiply(struct backend_ctx *ctx, const struct place *p, uint64_t flops)
{
	struct network_product product = network_product(flops);
	for (unsigned k = 0; k < product.times && ctx->cuda_failed == cudaSuccess; k++)
		if (blas_multiply(&ctx->math, &p->blas, product.side, product.depth,
		                  ctx->call.cell.dtype))
			nccl_keep_cuda(ctx, cudaErrorLaunchFailure);
}

static void layers(struct backend_ctx *ctx, const struct place *p, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++)
		multiply(ctx, p, flops_of(ctx->trial, i));
}

int nccl_train_warm(struct backend_ctx *ctx, struct status *st)
{
	for (struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
		nccl_use(ctx, p);
		layers(ctx, p, 0, ctx->trial->network.n);
		if (coll_info(ctx->call.cell.coll)->is & COLL_ROUTED)
			multiply(ctx, p,
			         (uint64_t)16 * ctx->elements / 2 * ctx->trial->settings.hidden);
		nccl_keep_cuda(ctx, cudaStreamSynchronize(p->compute));
	}
	return device_ok(ctx->cuda_failed, "a layer's product", st);
}

/* --- a step of data-parallel training --- */

/* Tensor by tensor, into the bucket or back. */
static void copy(struct backend_ctx *ctx, const struct bucket *b, char *to, const char *from,
                 cudaStream_t stream)
{
	const struct network *network = ctx->call.buckets.network;
	size_t element = coll_dtype_bytes(ctx->call.cell.dtype), at = b->at * element;
	if (!network)
		nccl_keep_cuda(ctx, cudaMemcpyAsync(to + at, from + at, b->elements * element,
		                                    cudaMemcpyDeviceToDevice, stream));
	for (unsigned i = b->layer; network && i < b->layer + b->layers; i++) {
		size_t bytes = network_aligned(network->layers[i].elements) * element;
		if (bytes)
			nccl_keep_cuda(ctx, cudaMemcpyAsync(to + at, from + at, bytes,
			                                    cudaMemcpyDeviceToDevice, stream));
		at += bytes;
	}
}

/* A call's separate buckets, in the send arena; NULL if gradients are views of the buckets. */
static char *bucket_of(const struct backend_ctx *ctx, const struct place *p)
{
	bool view = ctx->trial->settings.bucket_view || !ctx->call.cell.in_place;
	return view ? NULL : p->send + (p->round_to - p->recv);
}

/* A bucket's work and its copy; then the rank's stream may continue with it. */
static void produce(struct backend_ctx *ctx, const struct place *p, const struct bucket *b)
{
	nccl_use(ctx, p);
	if (ctx->call.cell.coll != COLL_DDP_COMMUNICATION)
		layers(ctx, p, b->layer, b->layers);
	if (bucket_of(ctx, p) && b->elements)
		copy(ctx, b, bucket_of(ctx, p), p->round_to, p->compute);
	follow(ctx, p, p->stream, p->compute);
}

static void reduce(struct backend_ctx *ctx, struct place *p, const void *of)
{
	const struct bucket *b = of;
	size_t at = b->at * coll_dtype_bytes(ctx->call.cell.dtype);
	char *bucket = bucket_of(ctx, p), *to = bucket ? bucket : p->round_to;
	const char *from = bucket ? bucket : p->round_from;
	nccl_keep(ctx,
	          ctx->api.AllReduce(from + at, to + at, b->elements, ctx->type, p->op, p->comm,
	                             p->stream),
	          p->comm);
}

/* The last pass. In the first call after prepare a bucket ends before the next (nccl_coll). */
static void last_pass(struct backend_ctx *ctx)
{
	bool reduces = ctx->call.cell.coll != COLL_DDP_COMPUTE;
	struct bucket bucket, *last = NULL;
	for (; buckets_next(&ctx->call.buckets, last, &bucket); last = &bucket) {
		for (unsigned i = 0; i < ctx->count; i++)
			produce(ctx, &ctx->places[i], &bucket);
		if (!reduces || !bucket.elements)
			continue;
		if (ctx->count > 1)
			nccl_group(ctx, reduce, &bucket);
		else /* a worker with one rank has no need of a group */
			reduce(ctx, &ctx->places[0], &bucket);
		if (ctx->fresh && !ctx->capturing && nccl_meet(ctx))
			return; /* the loop's next wait reports it */
	}
}

void nccl_train(struct backend_ctx *ctx)
{
	const unsigned passes = ctx->trial->settings.accumulation;
	bool works = ctx->call.cell.coll != COLL_DDP_COMMUNICATION;
	for (const struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
		follow(ctx, p, p->compute, p->stream);
		for (unsigned pass = 1; works && pass < passes; pass++)
			layers(ctx, p, 0, ctx->trial->network.n);
	}
	last_pass(ctx);
	for (const struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
		struct bucket bucket, *last = NULL;
		if (ctx->call.cell.coll == COLL_DDP_COMPUTE || !bucket_of(ctx, p))
			continue;
		nccl_use(ctx, p);
		for (; buckets_next(&ctx->call.buckets, last, &bucket); last = &bucket)
			if (bucket.elements)
				copy(ctx, &bucket, p->round_to, bucket_of(ctx, p), p->stream);
	}
}

/* --- a layer of a mixture of experts: there, work, back; each part needs the one before --- */

/* Tokens go to their experts in the first phase, and back in the second. */
void nccl_experts(struct backend_ctx *ctx)
{
	static const unsigned there = 0, back = 1;
	enum coll_kind coll = ctx->call.cell.coll;
	if (coll != COLL_MOE_COMPUTE)
		nccl_group(ctx, nccl_move_phase, &there);
	if (coll == COLL_MOE_DISPATCH)
		return;
	/* As with other rounds (nccl_coll). */
	if (coll != COLL_MOE_COMPUTE && ctx->fresh && !ctx->capturing && nccl_meet(ctx))
		return;
	for (unsigned i = 0; i < ctx->count && coll != COLL_MOE_COMMUNICATION; i++) {
		const struct place *p = &ctx->places[i];
		follow(ctx, p, p->compute, p->stream);
		multiply(ctx, p,
		         steps_expert_flops(&ctx->call, p->me, ctx->trial->settings.hidden));
		follow(ctx, p, p->stream, p->compute);
	}
	if (coll != COLL_MOE_COMPUTE)
		nccl_group(ctx, nccl_move_phase, &back);
}
