/* A new connection beside the old one: fresh buffers and communicators are made while the old ones
 * exist, so that none is the old one again; then the old buffers are given back. The old
 * communicators are finalized, so that they have no work, and are not destroyed as long as there is
 * room for them.
 *
 * Why: ncclCommDestroy joins a thread of the communicator that looks only every 500 ms whether it
 * should end (ncclProxyServiceUDS in NCCL's src/proxy.cc, 2.21.5 to 2.30.7). That took 0.50 s, making
 * a second communicator 0.04 s (2 × H100, NCCL 2.28.3). From 2.22.3 on finalizing tells that thread
 * to end, and so a communicator that was finalized half a second ago is destroyed without waiting;
 * before, destroying does both. At a job's end nothing is finalized or destroyed: all ranks are done, and the
 * processes' exit gives everything back. Names in /dev/shm are gone by then: NCCL removes them once
 * all ranks have connected.
 *
 * What a kept communicator does meanwhile: its threads wake twice a second, on the CPUs of helper
 * threads, and none once it is finalized from 2.22.3 on. */

#include "nccl.h"

/* Communicators of a process that are kept: each has some 20 files open, and 1024 are a usual limit. */
#define MOST_KEPT 32

/* What the connection has taken of a GPU's memory, that of all its ranks. */
static size_t used_of(const struct backend_ctx *ctx, const struct place *p, size_t left)
{
	const struct trial *trial = ctx->trial;
	const size_t arenas =
	    2 * (trial->arena_bytes + trial->settings.offset_bytes) * trial->settings.ranks_per_gpu;
	const size_t bare = p->free_bytes[READ_BARE], used = bare > left ? bare - left : 0;
	return used > arenas ? used : arenas;
}

/* Whether each local GPU could hold this connection a second time, and a quarter more. */
static bool has_room(const struct backend_ctx *ctx)
{
	const struct settings *set = &ctx->trial->settings;
	const unsigned each = 1 + (set->split.op != SPLIT_NONE);
	unsigned kept = 0;
	for (const struct backend_ctx *c = ctx; c; c = c->before)
		kept += ctx->count * set->layout.threads * each;
	if (kept > MOST_KEPT)
		return false;
	for (unsigned i = 0; i < ctx->count; i++) {
		const struct place *p = &ctx->places[i];
		size_t left = 0, all;
		if (cudaSetDevice((int)p->device) != cudaSuccess ||
		    cudaMemGetInfo(&left, &all) != cudaSuccess)
			return false;
		const size_t used = used_of(ctx, p, left);
		if (!p->free_bytes[READ_BARE] || left < used + used / 4)
			return false;
	}
	return true;
}

/* Readings before the old buffers were given back become what they would be after that. 0: unknown. */
static void shift(const struct place *old, struct place *fresh)
{
	const size_t before = old->free_bytes[READ_BUFFERS], after = old->free_bytes[READ_END];
	for (unsigned i = READ_BARE; i < READ_END; i++)
		if (before && after && fresh->free_bytes[i])
			fresh->free_bytes[i] += after - before;
		else
			fresh->free_bytes[i] = 0;
}

/* Gives back all of the old connection but its communicators. */
static int retire(struct backend_ctx *old, struct backend_ctx *fresh, struct status *st)
{
	nccl_read_memory(old, READ_BUFFERS);
	nccl_give_back(old);
	nccl_read_memory(old, READ_END);
	for (unsigned i = 0; i < old->count; i++)
		shift(&old->places[i], &fresh->places[i]);
	nccl_finalize(old);
	return nccl_ok(old, old->failed, old->failed_comm, "ncclCommFinalize", st);
}

int nccl_renew(struct backend_ctx **at, struct status *st)
{
	struct backend_ctx *old = *at, *fresh = NULL;
	const struct backend_place where = old->where;
	bool room = false;
	/* All workers have to do the same. */
	if (nccl_deregister(old, st) ||
	    nccl_team(team_agree(where.team, where.first, has_room(old), &room), st))
		return -1;
	if (!room) {
		*at = NULL;
		nccl_close(old);
		return nccl_team(team_meet(where.team), st) ? -1 : nccl_open(&where, at, st);
	}
	int result = nccl_open(&where, &fresh, st);
	if (fresh) {
		fresh->before = old;
		*at = fresh;
	}
	return result ? -1 : retire(old, fresh, st);
}
