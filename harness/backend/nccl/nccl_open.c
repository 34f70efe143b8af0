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
		unsigned rank = ctx->places[i].rank, next = ctx->places[i].next;
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

/* Buffers begin offset_bytes behind what was allocated. */
static int open_place(struct backend_ctx *ctx, struct place *p, struct status *st)
{
	const struct trial *trial = ctx->trial;
	struct split split = trial->settings.split;
	struct split_place group = split_place(split, ctx->nranks, p->rank);
	size_t bytes = trial->arena_bytes + trial->settings.offset_bytes;
	p->me = group.index;
	p->color = group.color;
	p->next = split_peer(split, ctx->nranks, p->color, (p->me + 1) % ctx->n);
	if (device_use(p->rank, st) || allocate(ctx, &p->arenas[0], bytes, st) ||
	    allocate(ctx, &p->arenas[1], bytes, st))
		return -1;
	p->send = p->arenas[0] + trial->settings.offset_bytes;
	p->recv = p->arenas[1] + trial->settings.offset_bytes;
	return device_ok(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking),
	                 "cudaStreamCreateWithFlags", st);
}

void nccl_read_memory(struct backend_ctx *ctx, enum nccl_reading reading)
{
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		size_t left = 0, all;
		if (cudaSetDevice((int)p->rank) != cudaSuccess ||
		    cudaMemGetInfo(&left, &all) != cudaSuccess)
			left = 0;
		p->free_bytes[reading] = left;
	}
}

const struct place *nccl_fullest(const struct backend_ctx *ctx)
{
	const struct place *fullest = NULL;
	long long most = 0;
	for (unsigned i = 0; i < ctx->count; i++) {
		const size_t *left = ctx->places[i].free_bytes;
		long long used = (long long)left[READ_BARE] - (long long)left[READ_END];
		if (!left[READ_BARE] || !left[READ_END] || (fullest && used <= most))
			continue;
		fullest = &ctx->places[i];
		most = used;
	}
	return fullest;
}

static int open_places(struct backend_ctx *ctx, struct status *st)
{
	for (unsigned i = 0; i < ctx->count; i++)
		ctx->places[i].rank = ctx->where.first + i;
	nccl_read_memory(ctx, READ_BARE);
	for (unsigned i = 0; i < ctx->count; i++)
		if (open_place(ctx, &ctx->places[i], st))
			return -1;
	nccl_read_memory(ctx, READ_BUFFERS);
	return 0;
}

static int open_ctx(struct backend_ctx *ctx, const struct backend_place *place,
                    struct status *st)
{
	const struct trial *trial = place->trial;
	ctx->trial = trial;
	ctx->team = place->team;
	ctx->where = *place;
	ctx->nranks = place->nranks;
	ctx->count = place->count;
	ctx->n = trial_comm_ranks(trial);
	ctx->counts = calloc((size_t)2 * ctx->n * ctx->count, sizeof *ctx->counts);
	if (!ctx->counts)
		return status_set(st, "out of memory for the parts of %u ranks", ctx->n);
	for (unsigned i = 0; i < ctx->count; i++)
		ctx->places[i].counts = &ctx->counts[(size_t)2 * ctx->n * i];
	if (nccl_api_load(trial->settings.nccl, &ctx->api, st))
		return -1;
	ctx->allocates = trial->settings.allocator != ALLOCATOR_CUDA && ctx->api.MemAlloc &&
	                 ctx->api.MemFree;
	return 0;
}

int nccl_open(const struct backend_place *place, struct backend_ctx **out, struct status *st)
{
	struct backend_ctx *ctx = calloc(1, sizeof *ctx + place->count * sizeof ctx->places[0]);
	if (!ctx)
		return status_set(st, "out of memory for %u ranks", place->count);
	*out = ctx;
	if (open_ctx(ctx, place, st) || open_places(ctx, st) || make_gate(ctx, place, st) ||
	    nccl_make_comms(ctx, st))
		return -1;
	nccl_read_memory(ctx, READ_COMM);
	if (nccl_register(ctx, st))
		return -1;
	nccl_read_memory(ctx, READ_REGISTER);
	return exchange_arenas(ctx, place, st);
}

static void close_place(struct backend_ctx *ctx, struct place *p)
{
	cudaSetDevice((int)p->rank);
	if (p->stream)
		cudaStreamDestroy(p->stream);
	for (unsigned arena = 0; arena < 2; arena++) {
		if (!ctx->allocates)
			cudaFree(p->arenas[arena]);
		else if (p->arenas[arena])
			ctx->api.MemFree(p->arenas[arena]);
	}
}

void nccl_close(struct backend_ctx *ctx)
{
	if (!ctx)
		return;
	if (ctx->api.handle) {
		bool well = ctx->failed == ncclSuccess && ctx->cuda_failed == cudaSuccess &&
		            !team_failure(ctx->team);
		(well ? nccl_disconnect : nccl_abort)(ctx);
		nccl_watch_close(ctx);
		for (unsigned i = 0; i < ctx->count; i++)
			close_place(ctx, &ctx->places[i]);
	}
	cudaFreeHost((void *)(uintptr_t)ctx->gate);
	cudaFreeHost(ctx->stage);
	free(ctx->counts);
	free(ctx->peers);
	free(ctx);
}

#else
typedef int nccl_open_left_out; /* built without CUDA or NCCL */
#endif
