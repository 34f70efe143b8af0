/* NCCL: a GPU per rank, collectives by the library that `nccl` names. */
#include "backend.h"

#ifdef HAVE_CUDA_NCCL
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../clock.h"
#include "device.h"
#include "nccl_api.h"

#define ASK_NS 1000000 /* between two questions for asynchronous errors, while waiting */

struct place {
	unsigned rank; /* its device has the same number */
	ncclComm_t comm;
	cudaStream_t stream;
	char *send, *recv;
	int64_t asked_ns; /* when asynchronous errors were last asked for */
};

struct backend_ctx {
	struct nccl_api api;
	unsigned nranks, count;
	struct cell cell;
	uint64_t seed;
	unsigned slots;
	size_t elements, part; /* of a buffer, and of one rank's share in it */
	bool native;           /* alltoall by ncclAlltoAll */
	bool allocates;        /* by ncclMemAlloc */
	ncclResult_t failed;   /* the first error of the timed path */
	cudaError_t cuda_failed;
	ncclComm_t failed_comm;
	char **peers; /* copy: every rank's receive arena */
	struct place places[];
};

static const char *nccl_missing(void)
{
	return NULL;
}

static unsigned nccl_capacity(struct status *st)
{
	struct nccl_api api;
	unsigned n = device_count(st);
	return n && !nccl_api_load("", &api, st) ? n : 0;
}

static bool wants_native(const struct trial *trial)
{
	return !strcmp(trial->settings.api, "native");
}

static int nccl_supports(const struct trial *trial, struct status *st)
{
	struct nccl_api api;
	unsigned gpus = device_count(st), ranks = layout_ranks(trial->settings.layout);
	if (!gpus)
		return -1;
	if (ranks > gpus)
		return status_set(st, "%u ranks want as many GPUs, and CUDA shows %u", ranks,
		                  gpus);
	for (unsigned i = 0; i < trial->ncells; i++)
		if (trial->cells[i].coll == COLL_COPY && trial->settings.layout.processes > 1)
			return status_set(st, "copy needs all GPUs in one process");
	if (nccl_api_load(trial->settings.nccl, &api, st))
		return -1;
	if (wants_native(trial) && !api.AlltoAll)
		return status_set(
		    st,
		    "api = native wants ncclAlltoAll, which NCCL has from 2.28.3 on; "
		    "this is %s",
		    api.version);
	return 0;
}

static size_t nccl_store_bytes(const struct trial *trial)
{
	(void)trial;
	return 0;
}

/* NCCL's own words for an error: its name, and what the library last said of it. */
static int nccl_ok(struct backend_ctx *ctx, ncclResult_t result, ncclComm_t comm,
                   const char *what, struct status *st)
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

static int nccl_open(const struct backend_place *place, struct backend_ctx **out,
                     struct status *st)
{
	struct backend_ctx *ctx = calloc(1, sizeof *ctx + place->count * sizeof ctx->places[0]);
	if (!ctx)
		return status_set(st, "out of memory for %u ranks", place->count);
	*out = ctx;
	ctx->nranks = place->nranks;
	ctx->count = place->count;
	ctx->native = wants_native(place->trial);
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
	return connect_ranks(ctx, place, st) || exchange_arenas(ctx, place, st) ? -1 : 0;
}

static int nccl_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                        unsigned slots, struct status *st)
{
	ctx->cell = *cell;
	ctx->seed = seed;
	ctx->slots = slots;
	ctx->elements = cell->bytes / sizeof(float);
	ctx->part = ctx->elements / ctx->nranks;
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		if (device_prepare(p->rank, p->send, p->recv, ctx->elements * slots, seed,
		                   p->rank, p->stream, st))
			return -1;
	}
	return 0;
}

static void keep(struct backend_ctx *ctx, ncclResult_t result, ncclComm_t comm)
{
	if (result == ncclSuccess || ctx->failed != ncclSuccess)
		return;
	ctx->failed = result;
	ctx->failed_comm = comm;
}

static void nccl_begin(struct backend_ctx *ctx)
{
	keep(ctx, ctx->api.GroupStart(), NULL);
}

static void alltoall(struct backend_ctx *ctx, struct place *p, const char *send, char *recv)
{
	size_t step = ctx->part * sizeof(float);
	if (ctx->native) {
		keep(ctx,
		     ctx->api.AlltoAll(send, recv, ctx->part, ncclFloat, p->comm, p->stream),
		     p->comm);
		return;
	}
	for (unsigned r = 0; r < ctx->nranks; r++) {
		keep(ctx,
		     ctx->api.Send(send + r * step, ctx->part, ncclFloat, (int)r, p->comm,
		                   p->stream),
		     p->comm);
		keep(ctx,
		     ctx->api.Recv(recv + r * step, ctx->part, ncclFloat, (int)r, p->comm,
		                   p->stream),
		     p->comm);
	}
}

static void sendrecv(struct backend_ctx *ctx, struct place *p, const char *send, char *recv)
{
	int next = (int)((p->rank + 1) % ctx->nranks);
	int last = (int)((p->rank + ctx->nranks - 1) % ctx->nranks);
	keep(ctx, ctx->api.Send(send, ctx->elements, ncclFloat, next, p->comm, p->stream),
	     p->comm);
	keep(ctx, ctx->api.Recv(recv, ctx->elements, ncclFloat, last, p->comm, p->stream),
	     p->comm);
}

static void copy(struct backend_ctx *ctx, struct place *p, const char *send, unsigned slot)
{
	unsigned next = (p->rank + 1) % ctx->nranks;
	cudaError_t result = cudaSetDevice((int)p->rank);
	if (result == cudaSuccess)
		result =
		    cudaMemcpyPeerAsync(ctx->peers[next] + slot * ctx->cell.bytes, (int)next,
		                        send, (int)p->rank, ctx->cell.bytes, p->stream);
	if (result != cudaSuccess)
		ctx->cuda_failed = result;
}

static void nccl_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	struct place *p = &ctx->places[i];
	const char *send = p->send + slot * ctx->cell.bytes;
	char *recv = p->recv + slot * ctx->cell.bytes;
	switch (ctx->cell.coll) {
	case COLL_ALL_REDUCE:
		keep(ctx,
		     ctx->api.AllReduce(send, recv, ctx->elements, ncclFloat, ncclSum, p->comm,
		                        p->stream),
		     p->comm);
		break;
	case COLL_ALLTOALL:
		alltoall(ctx, p, send, recv);
		break;
	case COLL_SENDRECV:
		sendrecv(ctx, p, send, recv);
		break;
	case COLL_COPY:
		copy(ctx, p, send, slot);
		break;
	case COLL_KINDS:
		break;
	}
}

static void nccl_end(struct backend_ctx *ctx)
{
	keep(ctx, ctx->api.GroupEnd(), NULL);
}

static int nccl_idle(struct backend_ctx *ctx, unsigned i)
{
	struct place *p = &ctx->places[i];
	cudaError_t result = cudaStreamQuery(p->stream);
	if (ctx->failed != ncclSuccess || ctx->cuda_failed != cudaSuccess)
		return -1;
	if (result == cudaSuccess)
		return 1;
	if (result != cudaErrorNotReady) {
		ctx->cuda_failed = result;
		return -1;
	}
	int64_t now = clock_now_ns();
	if (now - p->asked_ns > ASK_NS) {
		ncclResult_t async = ncclSuccess;
		p->asked_ns = now;
		keep(ctx, ctx->api.CommGetAsyncError(p->comm, &async), p->comm);
		keep(ctx, async, p->comm);
	}
	return ctx->failed == ncclSuccess ? 0 : -1;
}

static void nccl_error(struct backend_ctx *ctx, struct status *st)
{
	if (nccl_ok(ctx, ctx->failed, ctx->failed_comm, "NCCL", st))
		return;
	device_ok(ctx->cuda_failed, "CUDA", st);
}

static int nccl_check(struct backend_ctx *ctx, unsigned i, struct backend_verdict *out,
                      struct status *st)
{
	struct place *p = &ctx->places[i];
	struct device_question question = {ctx->cell.coll, ctx->nranks,   p->rank,
	                                   ctx->seed,      ctx->elements, ctx->slots};
	if (device_check(p->rank, p->recv, &question, p->stream, out, st))
		return -1;
	/* Only the last call, on one buffer of fresh inputs, is digested. */
	if (ctx->slots > 1)
		return 0;
	return device_digest(p->rank, p->recv, ctx->cell.bytes, p->stream, &out->digest, st);
}

static void nccl_describe(struct backend_ctx *ctx, char *text, size_t bytes)
{
	char device[128];
	int at = snprintf(text, bytes, "library=%s\nlibrary_file=%s\nallocator=%s\napi=%s\n",
	                  ctx->api.version, ctx->api.file,
	                  ctx->allocates ? "ncclMemAlloc" : "cudaMalloc",
	                  ctx->native ? "native" : "grouped");
	for (unsigned i = 0; i < ctx->count && at > 0 && (size_t)at < bytes; i++) {
		device_describe(ctx->places[i].rank, device, sizeof device);
		at += snprintf(text + at, bytes - (size_t)at, "device_%u=%s\n",
		               ctx->places[i].rank, device);
	}
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

static void nccl_close(struct backend_ctx *ctx)
{
	if (!ctx)
		return;
	for (unsigned i = 0; ctx->api.handle && i < ctx->count; i++)
		close_place(ctx, &ctx->places[i], ctx->failed != ncclSuccess);
	free(ctx->peers);
	free(ctx);
}

static int nccl_numa_node(unsigned rank)
{
	return device_numa_node(rank);
}

#else
#define LEFT_OUT                                                                               \
	"built without CUDA's or NCCL's headers; with nvcc and nccl.h (NVIDIA's cuda-toolkit " \
	"and "                                                                                 \
	"libnccl-dev) a fresh `make` would add measuring on GPUs"

static const char *nccl_missing(void)
{
	return LEFT_OUT;
}

static unsigned nccl_capacity(struct status *st)
{
	status_set(st, LEFT_OUT);
	return 0;
}

static int nccl_supports(const struct trial *trial, struct status *st)
{
	(void)trial;
	return status_set(st, LEFT_OUT);
}
#endif

/* Left out, only the three that say so are called. */
const struct backend backend_nccl = {
    .name = "nccl",
    .summary = "NVIDIA's library, loaded by path; a GPU per rank",
    .carries_data = true,
    .missing = nccl_missing,
    .capacity = nccl_capacity,
    .supports = nccl_supports,
#ifdef HAVE_CUDA_NCCL
    .store_bytes = nccl_store_bytes,
    .numa_node = nccl_numa_node,
    .open = nccl_open,
    .prepare = nccl_prepare,
    .begin = nccl_begin,
    .issue = nccl_issue,
    .end = nccl_end,
    .idle = nccl_idle,
    .error = nccl_error,
    .check = nccl_check,
    .describe = nccl_describe,
    .close = nccl_close,
#endif
};
