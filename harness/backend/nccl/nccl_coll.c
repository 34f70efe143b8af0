/* NCCL's collectives, a row each: its own call; sends and receives; or work outside any group. */
#include "nccl.h"

/* --- NCCL's own calls, and the same with a configuration per call --- */

// clang-format off
#define CALL(NAME, FUNCTION, ...) \
	static void NAME(struct backend_ctx *ctx, struct place *p, const char *from, char *to) \
	{ \
		nccl_keep(ctx, ctx->api.FUNCTION(from, to, __VA_ARGS__), p->comm); \
	}
#define ON p->comm, p->stream
#define ROOT (int)ctx->call.cell.root
CALL(call_all_reduce,     AllReduce,     ctx->elements, ctx->type, p->op, ON)
CALL(call_all_gather,     AllGather,     ctx->part, ctx->type, ON)
CALL(call_reduce_scatter, ReduceScatter, ctx->part, ctx->type, p->op, ON)
CALL(call_broadcast,      Broadcast,     ctx->elements, ctx->type, ROOT, ON)
CALL(call_reduce,         Reduce,        ctx->elements, ctx->type, p->op, ROOT, ON)
CALL(call_alltoall,       AlltoAll,      ctx->part, ctx->type, ON)
CALL(call_gather,         Gather,        ctx->part, ctx->type, ROOT, ON)
CALL(call_scatter,        Scatter,       ctx->part, ctx->type, ROOT, ON)
CALL(configured_all_reduce,     AllReduceConfig,     ctx->elements, ctx->type, p->op, ON, &ctx->config)
CALL(configured_all_gather,     AllGatherConfig,     ctx->part, ctx->type, ON, &ctx->config)
CALL(configured_reduce_scatter, ReduceScatterConfig, ctx->part, ctx->type, p->op, ON, &ctx->config)
CALL(configured_alltoall,       AlltoAllConfig,      ctx->part, ctx->type, ON, &ctx->config)
// clang-format on

/* --- sends and receives (steps.h) --- */

/* A rank's part of a phase. What it keeps, it sends to itself. */
static void move(struct backend_ctx *ctx, struct place *p, const char *from, char *to,
                 unsigned phase)
{
	const size_t element = coll_dtype_bytes(ctx->call.cell.dtype);
	char *recv = to - p->span.recv_at;
	const char *sides[] = {[STEP_SEND] = from - p->span.send_at, [STEP_RECV] = recv};
	const bool rounds =
	    coll_info(ctx->call.cell.coll)->is & COLL_ROUNDS; /* copy what it keeps */
	for (unsigned k = 0; k < p->plan.npushes + p->plan.npulls; k++) {
		const bool pulls = k >= p->plan.npushes;
		const struct steps_move *m =
		    pulls ? &p->plan.pulls[k - p->plan.npushes] : &p->plan.pushes[k];
		const size_t count = m->step.bytes / element;
		if (m->phase != phase || (m->place == p->me && rounds))
			continue;
		if (!pulls || m->place == p->me)
			nccl_keep(ctx,
			          ctx->api.Send(sides[m->step.side] + m->step.from, count,
			                        ctx->type, (int)m->place, p->comm, p->stream),
			          p->comm);
		if (pulls)
			nccl_keep(ctx,
			          ctx->api.Recv(recv + m->step.to, count, ctx->type, (int)m->place,
			                        p->comm, p->stream),
			          p->comm);
	}
}

void nccl_move(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	move(ctx, p, from, to, 0);
}

void nccl_move_phase(struct backend_ctx *ctx, struct place *p, const void *phase)
{
	move(ctx, p, p->round_from, p->round_to, *(const unsigned *)phase);
}

/* --- without a group around all --- */

/* The limit. A stream in capture accepts no peer copy, only a copy between addresses. */
static void put_copy(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	char *peer = ctx->peers[p->next].recv + (to - p->to);
	size_t bytes = ctx->call.cell.bytes;
	if (nccl_use(ctx, p))
		nccl_keep_cuda(
		    ctx, ctx->capturing
		             ? cudaMemcpyAsync(peer, from, bytes, cudaMemcpyDefault, p->stream)
		             : cudaMemcpyPeerAsync(peer, (int)p->next_device, from, (int)p->device,
		                                   bytes, p->stream));
}

static void put_access(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	if (nccl_use(ctx, p))
		nccl_keep_cuda(ctx,
		               device_launch_access(to, from, ctx->call.cell.dtype, ctx->elements,
		                                    ctx->trial->settings.stride, p->stream));
}

/* The rounds begin when all local ranks have been issued. */
static void put_rounds(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	(void)ctx;
	p->round_from = from;
	p->round_to = to;
}

/* Connecting for a round while another rank's kernel of the previous one waits can deadlock threads
 * of one process (NVIDIA/nccl#787): so the first call after prepare ends each round before the
 * next. */
int nccl_meet(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++)
		while (cudaStreamQuery(ctx->places[i].stream) == cudaErrorNotReady)
			if (ctx->failed != ncclSuccess || team_pause(ctx->team))
				return -1;
	return team_meet(ctx->team);
}

/* First what a rank keeps, as it passes on what it has; then each phase, whose sends may be of what
 * the last one received. */
void nccl_rounds(struct backend_ctx *ctx)
{
	for (const struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
		const struct step *own = &p->plan.pulls[0].step; /* the first turn */
		if (p->plan.npulls && p->plan.pulls[0].place == p->me && nccl_use(ctx, p))
			nccl_keep_cuda(ctx, cudaMemcpyAsync(p->round_to + own->to,
			                                    p->round_from + own->from, own->bytes,
			                                    cudaMemcpyDeviceToDevice, p->stream));
	}
	for (unsigned k = 0, n = steps_phases(&ctx->call); k < n; k++) {
		if (ctx->fresh && k && nccl_meet(ctx))
			return; /* the loop's next wait reports it */
		nccl_group(ctx, nccl_move_phase, &k);
	}
}

/* --- the rows --- */

#define SINCE_2_28(NAME)                                                                           \
	.native = "nccl" #NAME, .since = NCCL_AT(2, 28, 3),                                        \
	.symbol = offsetof(struct nccl_api, NAME)

// clang-format off
static const struct nccl_coll rows[COLL_KINDS] = {
    [COLL_ALL_REDUCE]     = {.call = call_all_reduce, .configured = configured_all_reduce},
    [COLL_ALL_GATHER]     = {.device = true, .call = call_all_gather, .configured = configured_all_gather},
    [COLL_REDUCE_SCATTER] = {.call = call_reduce_scatter, .configured = configured_reduce_scatter},
    [COLL_BROADCAST]      = {.call = call_broadcast},
    [COLL_REDUCE]         = {.call = call_reduce},
    [COLL_ALLTOALL]       = {.moves = true, .device = true, .call = call_alltoall, .configured = configured_alltoall,
                             SINCE_2_28(AlltoAll)},
    [COLL_ALLTOALLV]      = {.moves = true, .device = true},
    [COLL_SENDRECV]       = {.moves = true, .device = true},
    [COLL_SENDRECV_PAIRS] = {.moves = true, .device = true},
    [COLL_SENDRECV_BOTH]  = {.moves = true, .device = true},
    [COLL_SENDRECV_HALVES] = {.moves = true, .device = true},
    [COLL_PAIR]           = {.moves = true, .device = true},
    [COLL_PINGPONG]       = {.moves = true, .put = put_rounds},
    [COLL_GATHER]         = {.moves = true, .call = call_gather, SINCE_2_28(Gather)},
    [COLL_SCATTER]        = {.moves = true, .call = call_scatter, SINCE_2_28(Scatter)},
    [COLL_HYPERCUBE]      = {.moves = true, .put = put_rounds},
    [COLL_DDP_STEP]       = {.put = put_rounds, .trains = true},
    [COLL_DDP_COMMUNICATION] = {.put = put_rounds, .trains = true},
    [COLL_DDP_COMPUTE]    = {.put = put_rounds, .trains = true},
    [COLL_ACCESS]         = {.put = put_access},
    [COLL_TO_DEVICE]      = {.put = nccl_put_local},
    [COLL_TO_HOST]        = {.put = nccl_put_local},
    [COLL_PAIR_COPY]      = {.put = nccl_put_pair, .one_process = true},
    [COLL_PAIR_STAGED]    = {.put = nccl_put_staged, .one_process = true},
    [COLL_MOE_STEP]       = {.put = put_rounds, .trains = true, .moves = true},
    [COLL_MOE_COMMUNICATION] = {.put = put_rounds, .trains = true, .moves = true},
    [COLL_MOE_DISPATCH]   = {.put = put_rounds, .trains = true, .moves = true},
    [COLL_MOE_COMPUTE]    = {.put = put_rounds, .trains = true},
    [COLL_COPY]           = {.put = put_copy, .one_process = true},
    [COLL_INIT]           = {.connects = true},
};
// clang-format on

const struct nccl_coll *nccl_coll(enum coll_kind coll)
{
	return &rows[coll];
}

bool nccl_has_native(const struct nccl_api *api, enum coll_kind coll)
{
	const struct nccl_coll *row = &rows[coll];
	void *symbol = NULL;
	if (!row->native)
		return false;
	memcpy(&symbol, (const char *)api + row->symbol, sizeof symbol);
	return api->at >= row->since && symbol;
}
