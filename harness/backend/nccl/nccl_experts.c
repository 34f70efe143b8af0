/* A layer of a mixture of experts: tokens go to the ranks of their experts (sends and receives,
 * as alltoallv has them), these work, and the results go back the same way. Nothing overlaps:
 * each part is of what the one before it brought. */
#ifdef HAVE_CUDA_NCCL
#include "nccl.h"

/* From a token's width to four times that and back, forward: 16 width² for each token that
 * came. */
static uint64_t flops_of(const struct backend_ctx *ctx, const struct place *p)
{
	return 16 * value_received_before(&ctx->parts, p->me, ctx->n) *
	       ctx->trial->settings.hidden;
}

static void work(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++) {
		const struct place *p = &ctx->places[i];
		nccl_follow(ctx, p, p->compute, p->stream);
		nccl_multiply(ctx, p, flops_of(ctx, p));
		nccl_follow(ctx, p, p->stream, p->compute);
	}
}

/* There: to the experts, whose tokens lie in the second half of what their ranks receive, or,
 * where they do not go back, in the first one. */
static void move(struct backend_ctx *ctx, bool back)
{
	size_t half = ctx->cell.coll == COLL_MOE_DISPATCH ? 0 : ctx->cell.bytes / 2;
	nccl_keep(ctx, ctx->api.GroupStart(), NULL);
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		const size_t *sent = p->counts, *received = p->counts + ctx->n;
		if (back)
			nccl_exchange(ctx, p, p->round_to + half, p->round_to, received, sent);
		else
			nccl_exchange(ctx, p, p->round_from, p->round_to + half, sent,
			              received);
	}
	nccl_keep(ctx, ctx->api.GroupEnd(), NULL);
	nccl_settle(ctx);
}

void nccl_experts(struct backend_ctx *ctx)
{
	enum coll_kind coll = ctx->cell.coll;
	if (coll != COLL_MOE_COMPUTE)
		move(ctx, false);
	if (coll == COLL_MOE_DISPATCH)
		return;
	/* As with other rounds (nccl_coll). */
	if (coll != COLL_MOE_COMPUTE && ctx->fresh && !ctx->capturing && nccl_meet(ctx))
		return;
	if (coll != COLL_MOE_COMMUNICATION)
		work(ctx);
	if (coll != COLL_MOE_COMPUTE)
		move(ctx, true);
}

#else
typedef int nccl_experts_left_out; /* built without CUDA or NCCL */
#endif
