#ifdef HAVE_CUDA_NCCL
#include <stdlib.h>
#include <string.h>

#include "nccl.h"

int nccl_ok(struct backend_ctx *ctx, ncclResult_t result, ncclComm_t comm, const char *what,
            struct status *st)
{
	const char *more;
	if (result == ncclSuccess)
		return 0;
	more = ctx->api.GetLastError ? ctx->api.GetLastError(comm) : NULL;
	return status_set(st, "%s: %s%s%s", what, ctx->api.GetErrorString(result),
	                  more && more[0] ? ": " : "", more ? more : "");
}

static int allocate(struct backend_ctx *ctx, char **out, size_t bytes, struct status *st)
{
	if (ctx->allocates)
		return nccl_ok(ctx, ctx->api.MemAlloc((void **)out, bytes), NULL,
		               "ncclMemAlloc", st);
	return device_ok(cudaMalloc((void **)out, bytes), "cudaMalloc", st);
}

static int connect_ranks(struct backend_ctx *ctx, const struct backend_place *place,
                         struct status *st)
{
	ncclUniqueId id;
	if (place->first == 0) {
		if (nccl_ok(ctx, ctx->api.GetUniqueId(&id), NULL, "ncclGetUniqueId", st))
			return -1;
		memcpy(team_mail(place->team, 0), &id, sizeof id);
	}
	if (team_meet(place->team))
		return status_set(st, "another rank failed");
	memcpy(&id, team_mail(place->team, 0), sizeof id);
	ncclResult_t result = ctx->api.GroupStart();
	for (unsigned i = 0; i < ctx->count && result == ncclSuccess; i++) {
		if (device_use(ctx->places[i].rank, st))
			return -1;
		result = ctx->api.CommInitRank(&ctx->places[i].comm, (int)ctx->nranks, id,
		                               (int)ctx->places[i].rank);
	}
	if (result == ncclSuccess)
		result = ctx->api.GroupEnd();
	return nccl_ok(ctx, result, NULL, "ncclCommInitRank", st);
}

/* For the limit's copies: every rank's receive arena, where all lie in one address space. */
static int exchange_arenas(struct backend_ctx *ctx, const struct backend_place *place,
                           struct status *st)
{
	int reachable;
	if (team_meet(place->team)) /* all have read the library's id */
		return status_set(st, "another rank failed");
	for (unsigned i = 0; i < ctx->count; i++)
		memcpy(team_mail(place->team, ctx->places[i].rank), &ctx->places[i].recv,
		       sizeof(char *));
	if (team_meet(place->team))
		return status_set(st, "another rank failed");
	if (place->processes > 1)
		return 0;
	ctx->peers = calloc(ctx->nranks, sizeof *ctx->peers);
	if (!ctx->peers)
		return status_set(st, "out of memory for %u peers", ctx->nranks);
	for (unsigned r = 0; r < ctx->nranks; r++)
		memcpy(&ctx->peers[r], team_mail(place->team, r), sizeof(char *));
	for (unsigned i = 0; i < ctx->count; i++) {
		unsigned rank = ctx->places[i].rank, next = (rank + 1) % ctx->nranks;
		if (device_use(rank, st))
			return -1;
		/* Without peer access CUDA takes the copy through the host, which is then the
		 * limit. */
		if (cudaDeviceCanAccessPeer(&reachable, (int)rank, (int)next) == cudaSuccess &&
		    reachable)
			cudaDeviceEnablePeerAccess((int)next, 0);
		cudaGetLastError(); /* "already enabled" is fine */
	}
	return 0;
}

/* The gate is there only where it is asked for: pinned memory that every device can read. */
static int make_gate(struct backend_ctx *ctx, const struct backend_place *place,
                     struct status *st)
{
	if (place->trial->settings.start != START_GATED)
		return 0;
	return device_ok(cudaHostAlloc((void **)(uintptr_t)&ctx->gate, sizeof *ctx->gate,
	                               cudaHostAllocPortable | cudaHostAllocMapped),
	                 "cudaHostAlloc", st);
}

int nccl_open(const struct backend_place *place, struct backend_ctx **out, struct status *st)
{
	struct backend_ctx *ctx = calloc(1, sizeof *ctx + place->count * sizeof ctx->places[0]);
	if (!ctx)
		return status_set(st, "out of memory for %u ranks", place->count);
	*out = ctx;
	ctx->nranks = place->nranks;
	ctx->count = place->count;
	ctx->native = !strcmp(place->trial->settings.api, "native");
	if (nccl_api_load(place->trial->settings.nccl, &ctx->api, st))
		return -1;
	ctx->allocates = ctx->api.MemAlloc && ctx->api.MemFree;
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		p->rank = place->first + i;
		if (device_use(p->rank, st) ||
		    allocate(ctx, &p->send, place->trial->arena_bytes, st) ||
		    allocate(ctx, &p->recv, place->trial->arena_bytes, st) ||
		    device_ok(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking),
		              "cudaStreamCreateWithFlags", st))
			return -1;
	}
	if (make_gate(ctx, place, st) || connect_ranks(ctx, place, st) ||
	    exchange_arenas(ctx, place, st))
		return -1;
	return 0;
}

static void close_place(struct backend_ctx *ctx, struct place *p, bool abort)
{
	cudaSetDevice((int)p->rank);
	if (p->comm)
		(abort ? ctx->api.CommAbort : ctx->api.CommDestroy)(p->comm);
	if (p->stream)
		cudaStreamDestroy(p->stream);
	if (ctx->allocates) {
		if (p->send)
			ctx->api.MemFree(p->send);
		if (p->recv)
			ctx->api.MemFree(p->recv);
	} else {
		cudaFree(p->send);
		cudaFree(p->recv);
	}
}

void nccl_close(struct backend_ctx *ctx)
{
	if (!ctx)
		return;
	for (unsigned i = 0; ctx->api.handle && i < ctx->count; i++)
		close_place(ctx, &ctx->places[i], ctx->failed != ncclSuccess);
	cudaFreeHost((void *)(uintptr_t)ctx->gate);
	free(ctx->peers);
	free(ctx);
}

#else
typedef int nccl_open_left_out; /* built without CUDA or NCCL */
#endif
