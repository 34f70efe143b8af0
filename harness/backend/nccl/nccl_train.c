/* A step of data-parallel training: the backward pass as matrix products on a stream of its
 * own, and on the rank's stream the buckets of its gradients, each as soon as its last gradient
 * is there. The step ends when both streams have.
 *
 * What PyTorch's DistributedDataParallel does otherwise: it scales by 1 ÷ ranks in a kernel of
 * its own and then sums (the library's average does both here, where op = avg); and its
 * optimizer follows, which is no part of this step. */
#ifdef HAVE_CUDA_NCCL
#include <string.h>

#include "../tensor.h"
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

/* The largest sides and depths of all layers, and the widest datatype of the cells. */
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
	if (device_ok(cudaStreamCreateWithFlags(&p->compute, cudaStreamNonBlocking),
	              "cudaStreamCreateWithFlags", st) ||
	    device_ok(cudaEventCreateWithFlags(&p->ready, cudaEventDisableTiming),
	              "cudaEventCreateWithFlags", st))
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

/* The first error stays. */
static void keep(struct backend_ctx *ctx, cudaError_t result)
{
	if (ctx->cuda_failed == cudaSuccess)
		ctx->cuda_failed = result;
}

static void use(struct backend_ctx *ctx, const struct place *p)
{
	keep(ctx, cudaSetDevice((int)p->device));
}

void nccl_follow(struct backend_ctx *ctx, const struct place *p, cudaStream_t to,
                 cudaStream_t from)
{
	use(ctx, p);
	keep(ctx, cudaEventRecord(p->ready, from));
	keep(ctx, cudaStreamWaitEvent(to, p->ready, 0));
}

void nccl_multiply(struct backend_ctx *ctx, const struct place *p, uint64_t flops)
{
	struct network_product product = network_product(flops);
	for (unsigned k = 0; k < product.times && ctx->cuda_failed == cudaSuccess; k++)
		if (blas_multiply(&ctx->math, &p->blas, product.side, product.depth,
		                  ctx->cell.dtype))
			keep(ctx, cudaErrorLaunchFailure);
}

static void layers(struct backend_ctx *ctx, const struct place *p, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++)
		nccl_multiply(ctx, p, flops_of(ctx->trial, i));
}

int nccl_train_warm(struct backend_ctx *ctx, struct status *st)
{
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		use(ctx, p);
		layers(ctx, p, 0, ctx->trial->network.n);
		if (coll_info(ctx->cell.coll)->is & COLL_ROUTED)
			nccl_multiply(ctx, p,
			              (uint64_t)16 * ctx->elements / 2 *
			                  ctx->trial->settings.hidden);
		keep(ctx, cudaStreamSynchronize(p->compute));
	}
	return device_ok(ctx->cuda_failed, "a layer's product", st);
}

/* A bucket's gradients into the bucket, or back, tensor by tensor. */
static void copy(struct backend_ctx *ctx, const struct bucket *b, char *to, const char *from,
                 cudaStream_t stream)
{
	const struct network *network = ctx->buckets.network;
	size_t element = coll_dtype_bytes(ctx->cell.dtype), at = b->at * element;
	if (!network)
		keep(ctx, cudaMemcpyAsync(to + at, from + at, b->elements * element,
		                          cudaMemcpyDeviceToDevice, stream));
	for (unsigned i = b->layer; network && i < b->layer + b->layers; i++) {
		size_t bytes = network_aligned(network->layers[i].elements) * element;
		if (bytes)
			keep(ctx, cudaMemcpyAsync(to + at, from + at, bytes,
			                          cudaMemcpyDeviceToDevice, stream));
		at += bytes;
	}
}

/* Where a call's buckets lie: with their gradients, or in the send arena. */
static char *bucket_of(const struct backend_ctx *ctx, const struct place *p)
{
	bool view = ctx->trial->settings.bucket_view || !ctx->cell.in_place;
	return view ? NULL : p->send + (p->round_to - p->recv);
}

/* A pass through layers of all local ranks: where ranks share a model, each waits for its
 * activations' reduction before it goes on. -1: a rank failed. */
static int pass_through(struct backend_ctx *ctx, unsigned first, unsigned n)
{
	const struct network_layer *of = ctx->trial->network.layers;
	const bool works = ctx->cell.coll != COLL_DDP_COMMUNICATION;
	const bool reduces = nccl_tensor_reduces(ctx);
	for (unsigned end = first + n, last; first < end; first = last + 1) {
		for (last = first; last + 1 < end && !(reduces && of[last].activations);)
			last++;
		for (unsigned i = 0; works && i < ctx->count; i++) {
			use(ctx, &ctx->places[i]);
			layers(ctx, &ctx->places[i], first, last + 1 - first);
		}
		if (reduces && of[last].activations &&
		    nccl_tensor_reduce(ctx, tensor_elements(ctx->trial, last)))
			return -1;
	}
	return 0;
}

/* A bucket's work, unless a pass through it did that, with what it takes for the rank's stream to
 * go on with it. */
static void produce(struct backend_ctx *ctx, const struct place *p, const struct bucket *b)
{
	use(ctx, p);
	if (ctx->cell.coll != COLL_DDP_COMMUNICATION && !nccl_tensor_reduces(ctx))
		layers(ctx, p, b->layer, b->layers);
	if (bucket_of(ctx, p) && b->elements)
		copy(ctx, b, bucket_of(ctx, p), p->round_to, p->compute);
	nccl_follow(ctx, p, p->stream, p->compute);
}

static void reduce(struct backend_ctx *ctx, struct place *p, const struct bucket *b)
{
	size_t at = b->at * coll_dtype_bytes(ctx->cell.dtype);
	char *bucket = bucket_of(ctx, p), *to = bucket ? bucket : p->round_to;
	const char *from = bucket ? bucket : p->round_from;
	nccl_keep(ctx,
	          ctx->api.AllReduce(from + at, to + at, b->elements, ctx->type, p->op, p->comm,
	                             p->stream),
	          p->comm);
}

/* Of all local ranks: one worker's are in one group. */
static void reduce_all(struct backend_ctx *ctx, const struct bucket *b)
{
	bool grouped = ctx->count > 1;
	if (grouped)
		nccl_keep(ctx, ctx->api.GroupStart(), NULL);
	for (unsigned i = 0; i < ctx->count; i++)
		reduce(ctx, &ctx->places[i], b);
	if (grouped)
		nccl_keep(ctx, ctx->api.GroupEnd(), NULL);
	nccl_settle(ctx);
}

/* The last pass, whose gradients are reduced. In the first call after prepare each bucket ends
 * everywhere before the next one, as connecting for it may have to wait for the GPU
 * (nccl_coll).
 */
static void last_pass(struct backend_ctx *ctx)
{
	bool reduces = ctx->cell.coll != COLL_DDP_COMPUTE;
	struct bucket bucket, *last = NULL;
	for (; buckets_next(&ctx->buckets, last, &bucket); last = &bucket) {
		if (nccl_tensor_reduces(ctx) && pass_through(ctx, bucket.layer, bucket.layers))
			return; /* the loop's next wait says why */
		for (unsigned i = 0; i < ctx->count; i++)
			produce(ctx, &ctx->places[i], &bucket);
		if (!reduces || !bucket.elements)
			continue;
		reduce_all(ctx, &bucket);
		if (ctx->fresh && !ctx->capturing && nccl_meet(ctx))
			return; /* the loop's next wait says why */
	}
}

static void copy_back(struct backend_ctx *ctx, const struct place *p)
{
	struct bucket bucket, *last = NULL;
	use(ctx, p);
	for (; buckets_next(&ctx->buckets, last, &bucket); last = &bucket)
		if (bucket.elements)
			copy(ctx, &bucket, p->round_to, bucket_of(ctx, p), p->stream);
}

void nccl_train(struct backend_ctx *ctx)
{
	const unsigned passes = ctx->trial->settings.accumulation;
	const bool reduces = nccl_tensor_reduces(ctx);
	bool works = ctx->cell.coll != COLL_DDP_COMMUNICATION;
	for (unsigned i = 0; i < ctx->count; i++) {
		const struct place *p = &ctx->places[i];
		nccl_follow(ctx, p, p->compute, p->stream);
		for (unsigned pass = 1; works && !reduces && pass < passes; pass++)
			layers(ctx, p, 0, ctx->trial->network.n);
	}
	for (unsigned pass = 1; reduces && pass < passes; pass++)
		if (pass_through(ctx, 0, ctx->trial->network.n))
			return;
	last_pass(ctx);
	for (unsigned i = 0; i < ctx->count && ctx->cell.coll != COLL_DDP_COMPUTE; i++)
		if (bucket_of(ctx, &ctx->places[i]))
			copy_back(ctx, &ctx->places[i]);
}

#else
typedef int nccl_train_left_out; /* built without CUDA or NCCL */
#endif
