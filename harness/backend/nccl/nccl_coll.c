/* NCCL's collectives, one row each: its own call; sends and receives, if it has no call or if
 * api = grouped; or work outside of any group. A test ensures that a collective without a row is
 * refused. */
#include <stddef.h>
#include <string.h>

#include "nccl.h"

/* --- NCCL's own calls, and the same with a configuration per call --- */

// clang-format off
#define CALL(NAME, FUNCTION, ...) \
	static void NAME(struct backend_ctx *ctx, struct place *p, const char *from, char *to) \
	{ \
		nccl_keep(ctx, ctx->api.FUNCTION(from, to, __VA_ARGS__), p->comm); \
	}
#define ON p->comm, p->stream
#define ROOT (int)ctx->cell.root
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

/* --- sends and receives; two ranks that meet twice in a call do so in the same order --- */

static void send(struct backend_ctx *ctx, struct place *p, const char *from, size_t first,
                 size_t count, unsigned peer)
{
	nccl_keep(ctx,
	          ctx->api.Send(from + first * coll_dtype_bytes(ctx->cell.dtype), count, ctx->type,
	                        (int)peer, p->comm, p->stream),
	          p->comm);
}

static void receive(struct backend_ctx *ctx, struct place *p, char *to, size_t first, size_t count,
                    unsigned peer)
{
	nccl_keep(ctx,
	          ctx->api.Recv(to + first * coll_dtype_bytes(ctx->cell.dtype), count, ctx->type,
	                        (int)peer, p->comm, p->stream),
	          p->comm);
}

static void move_alltoall(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	for (unsigned r = 0; r < ctx->n; r++) {
		send(ctx, p, from, r * ctx->part, ctx->part, r);
		receive(ctx, p, to, r * ctx->part, ctx->part, r);
	}
}

/* A part is empty for both its sender and its receiver, and both omit it. */
void nccl_exchange(struct backend_ctx *ctx, struct place *p, const char *from, char *to,
                   const size_t *sent, const size_t *received)
{
	for (size_t r = 0, first = 0, end = 0; r < ctx->n; r++) {
		if (sent[r])
			send(ctx, p, from, first, sent[r], (unsigned)r);
		if (received[r])
			receive(ctx, p, to, end, received[r], (unsigned)r);
		first += sent[r];
		end += received[r];
	}
}

static void move_alltoallv(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	nccl_exchange(ctx, p, from, to, p->counts, p->counts + ctx->n);
}

static void move_ring(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	send(ctx, p, from, 0, ctx->elements, (p->me + 1) % ctx->n);
	receive(ctx, p, to, 0, ctx->elements, (p->me + ctx->n - 1) % ctx->n);
}

static void move_pairs(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	send(ctx, p, from, 0, ctx->elements, p->me ^ 1);
	receive(ctx, p, to, 0, ctx->elements, p->me ^ 1);
}

static void move_halves(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	unsigned peer = (p->me + ctx->n / 2) % ctx->n;
	send(ctx, p, from, 0, ctx->elements, peer);
	receive(ctx, p, to, 0, ctx->elements, peer);
}

static void move_pair(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	unsigned sender = value_pair_from(ctx->cell.root),
	         receiver = value_pair_to(ctx->cell.root, ctx->n);
	if (p->me == sender)
		send(ctx, p, from, 0, ctx->elements, receiver);
	if (p->me == receiver)
		receive(ctx, p, to, 0, ctx->elements, sender);
}

/* With one element the first half is empty on all ranks, which omit it. */
static void move_both(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	size_t half = ctx->elements / 2, rest = ctx->elements - half;
	unsigned next = (p->me + 1) % ctx->n, last = (p->me + ctx->n - 1) % ctx->n;
	if (half) {
		send(ctx, p, from, 0, half, next);
		receive(ctx, p, to, 0, half, last);
	}
	send(ctx, p, from, half, rest, last);
	receive(ctx, p, to, half, rest, next);
}

static void move_gather(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	send(ctx, p, from, 0, ctx->part, ctx->cell.root);
	for (unsigned r = 0; p->me == ctx->cell.root && r < ctx->n; r++)
		receive(ctx, p, to, r * ctx->part, ctx->part, r);
}

static void move_scatter(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	for (unsigned r = 0; p->me == ctx->cell.root && r < ctx->n; r++)
		send(ctx, p, from, r * ctx->part, ctx->part, r);
	receive(ctx, p, to, 0, ctx->part, ctx->cell.root);
}

/* --- without a group around all --- */

/* The limit. A stream in capture accepts no peer copy, only a copy between addresses. */
static void put_copy(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	char *peer = ctx->peers[p->next].recv + (to - p->to);
	size_t bytes = ctx->cell.bytes;
	if (nccl_use(ctx, p))
		nccl_keep_cuda(
		    ctx, ctx->capturing
		             ? cudaMemcpyAsync(peer, from, bytes, cudaMemcpyDefault, p->stream)
		             : cudaMemcpyPeerAsync(peer, (int)p->next_device, from, (int)p->device,
		                                   bytes, p->stream));
}

/* Without NCCL: the rank's GPU reads and writes its own memory. */
static void put_access(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	if (nccl_use(ctx, p))
		nccl_keep_cuda(ctx, device_launch_access(to, from, ctx->cell.dtype, ctx->elements,
		                                         ctx->trial->settings.stride, p->stream));
}

/* The rounds begin when all local ranks have been issued. */
static void put_rounds(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	(void)ctx;
	p->round_from = from;
	p->round_to = to;
}

/* The own part first, as a rank passes on what it has. In place it is there already. */
static void hypercube_own(struct backend_ctx *ctx, struct place *p)
{
	size_t bytes = ctx->cell.bytes / ctx->n;
	if (!ctx->cell.in_place && nccl_use(ctx, p))
		nccl_keep_cuda(ctx, cudaMemcpyAsync(p->round_to + p->me * bytes, p->round_from,
		                                    bytes, cudaMemcpyDeviceToDevice, p->stream));
}

/* Round k joins cubes of 2^k ranks: sends all of the own cube's data to the peer. */
static void hypercube_round(struct backend_ctx *ctx, struct place *p, const void *k)
{
	unsigned size = 1u << *(const unsigned *)k, cube = p->me & ~(size - 1), peer = p->me ^ size;
	send(ctx, p, p->round_to, cube * ctx->part, size * ctx->part, peer);
	receive(ctx, p, p->round_to, (cube ^ size) * ctx->part, size * ctx->part, peer);
}

static unsigned hypercube_rounds(unsigned nranks)
{
	unsigned n = 0;
	while (1u << n < nranks)
		n++;
	return n;
}

/* Forth, then back. */
static void pingpong_round(struct backend_ctx *ctx, struct place *p, const void *of)
{
	const unsigned k = *(const unsigned *)of;
	unsigned first = value_pair_from(ctx->cell.root),
	         second = value_pair_to(ctx->cell.root, ctx->n);
	if (p->me == (k ? second : first))
		send(ctx, p, k ? p->round_to : p->round_from, 0, ctx->elements, k ? first : second);
	if (p->me == (k ? first : second))
		receive(ctx, p, p->round_to, 0, ctx->elements, k ? second : first);
}

static unsigned pingpong_rounds(unsigned nranks)
{
	(void)nranks;
	return 2;
}

/* Connecting for a round while another rank's kernel of the previous round still waits can deadlock
 * threads of one process (NVIDIA/nccl#787). So in the first call after prepare each round ends on all
 * ranks before the next one begins. */
int nccl_meet(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++)
		while (cudaStreamQuery(ctx->places[i].stream) == cudaErrorNotReady)
			if (ctx->failed != ncclSuccess || team_pause(ctx->team))
				return -1;
	return team_meet(ctx->team);
}

void nccl_rounds(struct backend_ctx *ctx)
{
	const struct nccl_coll *row = nccl_coll(ctx->cell.coll);
	for (unsigned i = 0; row->first && i < ctx->count; i++)
		row->first(ctx, &ctx->places[i]);
	for (unsigned k = 0, n = row->rounds(ctx->n); k < n; k++) {
		if (ctx->fresh && k && nccl_meet(ctx))
			return; /* the loop's next wait reports it */
		nccl_group(ctx, row->round, &k);
	}
}

/* --- the rows --- */

#define SINCE_2_28(NAME)                                                                           \
	.native = "nccl" #NAME, .since = NCCL_AT(2, 28, 3),                                        \
	.symbol = offsetof(struct nccl_api, NAME)

// clang-format off
static const struct nccl_coll rows[COLL_KINDS] = {
    [COLL_ALL_REDUCE]     = {.call = call_all_reduce, .configured = configured_all_reduce},
    [COLL_ALL_GATHER]     = {.call = call_all_gather, .configured = configured_all_gather},
    [COLL_REDUCE_SCATTER] = {.call = call_reduce_scatter, .configured = configured_reduce_scatter},
    [COLL_BROADCAST]      = {.call = call_broadcast},
    [COLL_REDUCE]         = {.call = call_reduce},
    [COLL_ALLTOALL]       = {.move = move_alltoall, .call = call_alltoall, .configured = configured_alltoall,
                             SINCE_2_28(AlltoAll)},
    [COLL_ALLTOALLV]      = {.move = move_alltoallv, .parts = true},
    [COLL_SENDRECV]       = {.move = move_ring},
    [COLL_SENDRECV_PAIRS] = {.move = move_pairs},
    [COLL_SENDRECV_BOTH]  = {.move = move_both},
    [COLL_SENDRECV_HALVES] = {.move = move_halves},
    [COLL_PAIR]           = {.move = move_pair},
    [COLL_PINGPONG]       = {.put = put_rounds, .round = pingpong_round, .rounds = pingpong_rounds},
    [COLL_GATHER]         = {.move = move_gather, .call = call_gather, SINCE_2_28(Gather)},
    [COLL_SCATTER]        = {.move = move_scatter, .call = call_scatter, SINCE_2_28(Scatter)},
    [COLL_HYPERCUBE]      = {.put = put_rounds, .first = hypercube_own, .round = hypercube_round,
                             .rounds = hypercube_rounds},
    [COLL_DDP_STEP]       = {.put = put_rounds, .trains = true},
    [COLL_DDP_COMMUNICATION] = {.put = put_rounds, .trains = true},
    [COLL_DDP_COMPUTE]    = {.put = put_rounds, .trains = true},
    [COLL_ACCESS]         = {.put = put_access},
    [COLL_TO_DEVICE]      = {.put = nccl_put_local},
    [COLL_TO_HOST]        = {.put = nccl_put_local},
    [COLL_PAIR_COPY]      = {.put = nccl_put_pair, .one_process = true},
    [COLL_PAIR_STAGED]    = {.put = nccl_put_staged, .one_process = true},
    [COLL_MOE_STEP]       = {.put = put_rounds, .trains = true, .parts = true},
    [COLL_MOE_COMMUNICATION] = {.put = put_rounds, .trains = true, .parts = true},
    [COLL_MOE_DISPATCH]   = {.put = put_rounds, .trains = true, .parts = true},
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
