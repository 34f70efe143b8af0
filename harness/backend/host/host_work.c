/* The work of a training step: products of small matrices instead of a GPU's large ones, and copies
 * into buckets; and which phases of a call may begin after it. In the timed path, a bounded piece at
 * a time. */
#include <string.h>

#include "host.h"

#define TILE       32 /* rows and columns of a matrix */
#define TILE_FLOPS (UINT64_C(2) * TILE * TILE * TILE)

_Static_assert(HOST_TILE_FLOATS == 3 * TILE * TILE, "two factors and their product");

static uint64_t flops_of(const struct buckets *buckets, const struct bucket *bucket)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < bucket->layers; i++)
		sum += buckets->network->layers[bucket->layer + i].flops;
	return sum;
}

static unsigned sums_of(const struct buckets *buckets, const struct bucket *bucket)
{
	unsigned sums = 0;
	for (unsigned i = 0; i < bucket->layers; i++)
		sums += buckets->network->layers[bucket->layer + i].activations > 0;
	return sums;
}

/* Products before a sum of the call. */
static uint64_t host_work_before(const struct backend_ctx *ctx, unsigned sum)
{
	uint64_t passes = sum / ctx->nsums;
	return (passes * ctx->pass_flops + ctx->sums[sum % ctx->nsums].flops) / TILE_FLOPS;
}

/* An expert's forward work: from a token's width to four times that and back, which takes 16 width²
 * FLOPs per token received. */
static void plan_expert(const struct backend_ctx *ctx, struct host_rank *rank)
{
	const struct host_call *call = &ctx->call;
	const struct host_place *at = &ctx->comms[HOST_MAIN].places[rank->rank];
	uint64_t came = value_received_before(&call->parts, at->index, call->nranks);
	uint64_t tiles = 16 * came * ctx->place.trial->settings.hidden / TILE_FLOPS;
	bool works = call->cell.coll == COLL_MOE_STEP || call->cell.coll == COLL_MOE_COMPUTE;
	for (unsigned phase = 1; phase <= ctx->comms[HOST_MAIN].phases; phase++)
		rank->stages[phase].tiles = works ? tiles : 0;
}

/* All passes but the last are work alone. A bucket is reduced once the work of all its layers is done,
 * with the sums of their activations, and, if the bucket is separate, its gradients are copied. */
void host_work_plan(const struct backend_ctx *ctx, struct host_rank *rank)
{
	const struct settings *set = &ctx->place.trial->settings;
	const struct host_call *call = &ctx->call;
	const struct buckets *buckets = &call->buckets;
	bool works = call->cell.coll == COLL_DDP_STEP || call->cell.coll == COLL_DDP_COMPUTE;
	size_t element = coll_dtype_bytes(call->cell.dtype), copied = 0;
	struct bucket bucket, *last = NULL;
	unsigned phase = 0, phases = ctx->comms[HOST_MAIN].phases;
	memset(rank->stages, 0, (phases + 1) * sizeof *rank->stages);
	if (coll_info(call->cell.coll)->is & COLL_ROUTED)
		plan_expert(ctx, rank);
	if (!(coll_info(call->cell.coll)->is & COLL_TRAINS))
		return;
	uint64_t flops = 0, passes = works ? set->batch : 0;
	unsigned sums = ctx->call_sums ? ctx->call_sums - ctx->nsums : 0;
	if (buckets->network)
		flops = (set->accumulation - 1) * network_flops(buckets->network) * passes;
	for (; buckets_next(buckets, last, &bucket); last = &bucket) {
		flops += flops_of(buckets, &bucket) * passes;
		sums += ctx->call_sums ? sums_of(buckets, &bucket) : 0;
		copied = call->copied ? (bucket.at + bucket.elements) * element : 0;
		for (unsigned i = 0; bucket.elements && i < 2 && phase < phases; i++)
			rank->stages[phase++] =
			    (struct host_stage){flops / TILE_FLOPS, copied, sums};
	}
	rank->stages[phases] = (struct host_stage){flops / TILE_FLOPS, copied, sums};
}

static bool is_reached(const struct host_rank *rank, const struct host_stage *stage)
{
	return rank->tiles >= stage->tiles && rank->copied >= stage->copied &&
	       rank->summed >= stage->sums;
}

/* Returns whether it opened one. */
static bool open_phases(const struct backend_ctx *ctx, struct host_rank *rank)
{
	unsigned *open = &rank->parts[HOST_MAIN].open, before = *open;
	while (*open < ctx->comms[HOST_MAIN].phases && is_reached(rank, &rank->stages[*open]))
		++*open;
	return *open > before;
}

void host_work_start(const struct backend_ctx *ctx, struct host_rank *rank)
{
	rank->tiles = 0;
	rank->copied = 0;
	rank->summed = 0;
	rank->sum_tiles = ctx->call_sums ? host_work_before(ctx, 0) : 0;
	rank->parts[HOST_MAIN].open = 0;
	open_phases(ctx, rank);
}

bool host_work_over(const struct backend_ctx *ctx, const struct host_rank *rank)
{
	return is_reached(rank, &rank->stages[ctx->comms[HOST_MAIN].phases]);
}

static const struct host_stage *stage_of(const struct host_rank *rank)
{
	return &rank->stages[rank->parts[HOST_MAIN].open];
}

bool host_work_waits(const struct host_rank *rank)
{
	return rank->summed < stage_of(rank)->sums && rank->tiles >= rank->sum_tiles;
}

bool host_work_summed(const struct backend_ctx *ctx, struct host_rank *rank)
{
	if (++rank->summed < ctx->call_sums)
		rank->sum_tiles = host_work_before(ctx, rank->summed);
	return open_phases(ctx, rank);
}

/* c += a b; the values do not matter, as zeros take as long. */
static void multiply(float *tile)
{
	const float *a = tile, *b = a + TILE * TILE;
	float *c = tile + 2 * TILE * TILE;
	for (unsigned i = 0; i < TILE; i++)
		for (unsigned k = 0; k < TILE; k++)
			for (unsigned j = 0; j < TILE; j++)
				c[i * TILE + j] += a[i * TILE + k] * b[k * TILE + j];
}

bool host_work(const struct backend_ctx *ctx, struct host_rank *rank)
{
	const struct host_stage *stage = stage_of(rank);
	if (rank->tiles < stage->tiles) {
		multiply(rank->tile);
		rank->tiles++;
	} else if (rank->copied < stage->copied) {
		size_t left = stage->copied - rank->copied;
		size_t bytes = left < HOST_PIECE_BYTES ? left : HOST_PIECE_BYTES;
		const struct host_part *part = &rank->parts[HOST_MAIN];
		size_t at = part->base + rank->copied;
		memcpy(part->own.send + at, part->own.recv + at, bytes);
		rank->copied += bytes;
		rank->tally.moved += bytes;
	}
	return open_phases(ctx, rank);
}
