#ifdef HAVE_CUDA_NCCL
#include "nccl.h"

/* Sends and receives of collectives that NCCL has no call for, or of those that it has when
 * api = grouped asks for them. Two ranks that meet twice in a call do so in the same order. */

static void send(struct backend_ctx *ctx, struct place *p, const char *from, size_t first,
                 size_t count, unsigned peer)
{
	nccl_keep(ctx,
	          ctx->api.Send(from + first * coll_dtype_bytes(ctx->cell.dtype), count,
	                        ctx->type, (int)peer, p->comm, p->stream),
	          p->comm);
}

static void receive(struct backend_ctx *ctx, struct place *p, char *to, size_t first,
                    size_t count, unsigned peer)
{
	nccl_keep(ctx,
	          ctx->api.Recv(to + first * coll_dtype_bytes(ctx->cell.dtype), count,
	                        ctx->type, (int)peer, p->comm, p->stream),
	          p->comm);
}

void nccl_alltoall(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	for (unsigned r = 0; r < ctx->n; r++) {
		send(ctx, p, from, r * ctx->part, ctx->part, r);
		receive(ctx, p, to, r * ctx->part, ctx->part, r);
	}
}

/* An empty part is as empty for its sender as for its receiver, and is left out by both. */
void nccl_alltoallv(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	const size_t *sent = p->counts, *received = p->counts + ctx->n;
	for (size_t r = 0, first = 0, end = 0; r < ctx->n; r++) {
		if (sent[r])
			send(ctx, p, from, first, sent[r], (unsigned)r);
		if (received[r])
			receive(ctx, p, to, end, received[r], (unsigned)r);
		first += sent[r];
		end += received[r];
	}
}

void nccl_ring(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	send(ctx, p, from, 0, ctx->elements, (p->me + 1) % ctx->n);
	receive(ctx, p, to, 0, ctx->elements, (p->me + ctx->n - 1) % ctx->n);
}

void nccl_pairs(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	send(ctx, p, from, 0, ctx->elements, p->me ^ 1);
	receive(ctx, p, to, 0, ctx->elements, p->me ^ 1);
}

/* Of one element the first half is empty, for all ranks alike, and is left out. */
void nccl_both(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
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

void nccl_gather(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	send(ctx, p, from, 0, ctx->part, ctx->cell.root);
	for (unsigned r = 0; p->me == ctx->cell.root && r < ctx->n; r++)
		receive(ctx, p, to, r * ctx->part, ctx->part, r);
}

void nccl_scatter(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	for (unsigned r = 0; p->me == ctx->cell.root && r < ctx->n; r++)
		send(ctx, p, from, r * ctx->part, ctx->part, r);
	receive(ctx, p, to, 0, ctx->part, ctx->cell.root);
}

/* Its own part first: what a rank has is what it passes on. In place it is there. */
static void hypercube_own(struct backend_ctx *ctx, struct place *p)
{
	size_t bytes = ctx->cell.bytes / ctx->n, at = p->slot * ctx->cell.bytes;
	if (ctx->cell.in_place)
		return;
	cudaError_t result = cudaSetDevice((int)p->rank);
	if (result == cudaSuccess)
		result = cudaMemcpyAsync(p->to + at + p->me * bytes, p->from + at, bytes,
		                         cudaMemcpyDeviceToDevice, p->stream);
	if (result != cudaSuccess)
		ctx->cuda_failed = result;
}

/* Of the round that joins cubes of `size` ranks: all that the rank's cube has, to its peer. */
static void hypercube_round(struct backend_ctx *ctx, struct place *p, unsigned size)
{
	char *to = p->to + p->slot * ctx->cell.bytes;
	unsigned cube = p->me & ~(size - 1), peer = p->me ^ size;
	send(ctx, p, to, cube * ctx->part, size * ctx->part, peer);
	receive(ctx, p, to, (cube ^ size) * ctx->part, size * ctx->part, peer);
}

/* Connecting for a round while another rank's kernel of the round before still waits can lock
 * threads of one process against each other (NVIDIA/nccl#787): the first call after prepare
 * lets each round end everywhere before the next one. */
static int meet_between_rounds(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++)
		while (cudaStreamQuery(ctx->places[i].stream) == cudaErrorNotReady)
			if (team_pause(ctx->team))
				return -1;
	return team_meet(ctx->team);
}

void nccl_hypercube(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++)
		hypercube_own(ctx, &ctx->places[i]);
	for (unsigned size = 1; size < ctx->n; size *= 2) {
		if (ctx->fresh && size > 1 && meet_between_rounds(ctx))
			return; /* the loop's next wait says why */
		nccl_keep(ctx, ctx->api.GroupStart(), NULL);
		for (unsigned i = 0; i < ctx->count; i++)
			hypercube_round(ctx, &ctx->places[i], size);
		nccl_keep(ctx, ctx->api.GroupEnd(), NULL);
		nccl_settle(ctx);
	}
}

#else
typedef int nccl_moves_left_out; /* built without CUDA or NCCL */
#endif
