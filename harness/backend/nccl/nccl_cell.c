#ifdef HAVE_CUDA_NCCL
#include <string.h>

#include "nccl.h"

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

/* premulsum's is made for each communicator; none is of what does not ask. */
static const int ops[OP_KINDS] = {
    [OP_SUM] = ncclSum, [OP_PROD] = ncclProd, [OP_MIN] = ncclMin,
    [OP_MAX] = ncclMax, [OP_AVG] = NCCL_AVG,
};

/* Made of sends and receives, which have to be in one group. */
static bool is_moved(const struct backend_ctx *ctx, enum coll_kind coll)
{
	switch (coll) {
	case COLL_ALLTOALL:
	case COLL_GATHER:
	case COLL_SCATTER:
		return !ctx->native;
	case COLL_ALLTOALLV:
	case COLL_SENDRECV:
	case COLL_SENDRECV_PAIRS:
	case COLL_SENDRECV_BOTH:
		return true;
	default:
		return false;
	}
}

static void take_grouping(struct backend_ctx *ctx)
{
	const struct settings *set = &ctx->trial->settings;
	enum coll_kind coll = ctx->cell.coll;
	bool one = coll != COLL_COPY && coll != COLL_HYPERCUBE;
	ctx->native = !strcmp(set->api, "native") && nccl_has_native(&ctx->api, coll);
	ctx->grouped = one && set->grouping == GROUPING_AUTO;
	ctx->bracketed = !ctx->grouped && is_moved(ctx, coll);
}

static void take_sides(struct backend_ctx *ctx, struct place *p)
{
	struct coll_span span = coll_span(&ctx->cell, &ctx->parts, ctx->n, p->me);
	p->from = ctx->cell.in_place ? p->recv + span.send_at : p->send;
	p->to = p->recv + span.recv_at;
	for (unsigned r = 0; ctx->cell.coll == COLL_ALLTOALLV && r < ctx->n; r++) {
		p->counts[r] = value_part(&ctx->parts, p->me, r);
		p->counts[ctx->n + r] = value_part(&ctx->parts, r, p->me);
	}
}

static int take_op(struct backend_ctx *ctx, struct place *p, struct status *st)
{
	uint64_t scale = value_scale_bits(ctx->cell.dtype, p->me);
	p->op = (ncclRedOp_t)ops[ctx->cell.op];
	if (ctx->cell.op != OP_PREMULSUM)
		return 0;
	if (nccl_ok(ctx,
	            ctx->api.RedOpCreatePreMulSum(&p->op, &scale, ctx->type,
	                                          NCCL_HOST_IMMEDIATE, p->comm),
	            p->comm, "ncclRedOpCreatePreMulSum", st))
		return -1;
	p->own_op = true;
	return 0;
}

int nccl_take_cell(struct backend_ctx *ctx, const struct cell *cell, struct status *st)
{
	nccl_drop_cell(ctx);
	ctx->cell = *cell;
	ctx->fresh = true;
	ctx->type = (ncclDataType_t)types[cell->dtype];
	ctx->elements = cell->bytes / coll_dtype_bytes(cell->dtype);
	ctx->part = ctx->elements / ctx->n;
	take_grouping(ctx);
	ctx->parts = coll_parts(cell, &ctx->trial->weights, ctx->n);
	for (unsigned i = 0; i < ctx->count; i++) {
		take_sides(ctx, &ctx->places[i]);
		if (take_op(ctx, &ctx->places[i], st))
			return -1;
	}
	return 0;
}

void nccl_drop_cell(struct backend_ctx *ctx)
{
	nccl_drop_graphs(ctx);
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		if (p->own_op)
			ctx->api.RedOpDestroy(p->op, p->comm);
		p->own_op = false;
	}
}

#else
typedef int nccl_cell_left_out; /* built without CUDA or NCCL */
#endif
