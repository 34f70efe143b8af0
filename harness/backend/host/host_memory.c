/* The layout of buffers, flags and slots: one rank's share of the team's store is a whole number of
 * pages, which its worker places:
 *
 *   flags | fifo: a ring from each rank | fifo: the rings' slots | send arena | receive arena
 *
 * A ring and its slots are in the receiver's share. */
#include <sys/mman.h>

#include "host.h"

static size_t head_bytes(enum host_transport transport, unsigned nranks)
{
	size_t rings = transport == HOST_FIFO ? nranks : 0;
	return buffers_pages(sizeof(struct host_flags) + rings * sizeof(struct host_ring));
}

static size_t slots_bytes(enum host_transport transport, unsigned nranks)
{
	return transport == HOST_FIFO ? (size_t)nranks * HOST_FIFO_SLOTS * HOST_PIECE_BYTES : 0;
}

static size_t arena_bytes(const struct trial *trial)
{
	return buffers_pages(trial->arena_bytes + trial->settings.offset_bytes);
}

void host_memory_share(enum host_transport transport, const struct trial *trial, size_t *buffers,
                       size_t *comm)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	*buffers = 2 * arena_bytes(trial);
	*comm = head_bytes(transport, nranks) + slots_bytes(transport, nranks);
}

size_t host_memory_needs(enum host_transport transport, const struct trial *trial)
{
	size_t buffers, comm, all;
	if (trial->arena_bytes > SIZE_MAX / 8)
		return SIZE_MAX;
	host_memory_share(transport, trial, &buffers, &comm);
	/* One more page: the store need not begin at a page. */
	return __builtin_mul_overflow(buffers + comm, layout_ranks(trial->settings.layout), &all) ||
	               __builtin_add_overflow(all, buffers_pages(1), &all)
	           ? SIZE_MAX
	           : all;
}

/* Whether any cell of the trial moves data from one rank to the other. */
static bool pair_used(const struct backend_ctx *ctx, unsigned from, unsigned to)
{
	const struct trial *trial = ctx->place.trial;
	const struct split_place *source = &ctx->places[from], *rank = &ctx->places[to];
	if (source->color != rank->color)
		return false;
	for (unsigned c = 0; c < trial->ncells; c++) {
		struct steps_call call = steps_call(trial, &trial->cells[c]);
		for (unsigned phase = 0; phase < steps_phases(&call); phase++)
			if (steps_of(&call, rank->index, source->index, phase).bytes > 0)
				return true;
	}
	return false;
}

static int touch_slots(const struct backend_ctx *ctx, unsigned from, unsigned to, bool fresh,
                       struct status *st)
{
	if (from == to || !pair_used(ctx, from, to))
		return 0;
	return buffers_touch("host", host_slot(ctx, from, to, 0),
	                     HOST_FIFO_SLOTS * HOST_PIECE_BYTES, fresh, st);
}

/* Touches all that a rank owns, in pages that no earlier opening had. */
static int place(struct backend_ctx *ctx, struct host_rank *rank, struct status *st)
{
	uint8_t *share = host_share(ctx, rank->rank);
	madvise(share, ctx->stride, MADV_REMOVE);
	if (buffers_touch("host", share, ctx->slots_at, true, st))
		return -1;
	memset(share, 0, ctx->slots_at); /* where the kernel removes no pages */
	for (unsigned from = 0; ctx->transport == HOST_FIFO && from < ctx->place.nranks; from++)
		if (touch_slots(ctx, from, rank->rank, true, st))
			return -1;
	rank->own = host_buffers(ctx, rank->rank);
	return buffers_touch("host", share + ctx->buffers_at, ctx->stride - ctx->buffers_at, true,
	                     st);
}

/* Maps the pages of another process's rank, as far as this process will use them. */
static int reach(struct backend_ctx *ctx, unsigned peer, struct status *st)
{
	uint8_t *share = host_share(ctx, peer);
	if (buffers_touch("host", share, ctx->slots_at, false, st))
		return -1;
	for (unsigned i = 0; i < ctx->place.count; i++) {
		unsigned rank = ctx->ranks[i].rank;
		if (ctx->transport == HOST_FIFO && touch_slots(ctx, rank, peer, false, st))
			return -1;
		if (ctx->transport == HOST_SHARED && pair_used(ctx, peer, rank))
			return buffers_touch("host", share + ctx->buffers_at,
			                     ctx->stride - ctx->buffers_at, false, st);
	}
	return 0;
}

int host_memory_open(struct backend_ctx *ctx, struct status *st)
{
	const struct backend_place *at = &ctx->place;
	unsigned per_process = at->nranks / at->processes;
	ctx->store = (uint8_t *)buffers_pages((uintptr_t)team_store(at->team));
	ctx->slots_at = head_bytes(ctx->transport, at->nranks);
	ctx->buffers_at = ctx->slots_at + slots_bytes(ctx->transport, at->nranks);
	ctx->offset = at->trial->settings.offset_bytes;
	ctx->arena_bytes = arena_bytes(at->trial);
	ctx->stride = ctx->buffers_at + 2 * ctx->arena_bytes;
	for (unsigned i = 0; i < at->count; i++)
		if (place(ctx, &ctx->ranks[i], st))
			return -1;
	if (team_meet(at->team))
		return status_set(st, "host: the team failed while buffers were placed");
	for (unsigned peer = 0; peer < at->nranks; peer++)
		if (peer / per_process != at->process && reach(ctx, peer, st))
			return -1;
	return 0;
}
