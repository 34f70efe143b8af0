/* The layout of buffers, flags and slots.
 *
 * One rank's share of the team's store is a whole number of pages, which its worker places:
 *
 *   flags | fifo: a ring from each rank | fifo: the rings' slots | shared: buffers
 *
 * A ring and its slots are in the receiver's share. On the other transports the buffers are
 * mapped outside the store, shared and anonymous: the same kind of page as the store's:
 *
 *   send arena | receive arena
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "host.h"

/* What a rank sends to the others at open; used within one process only. */
typedef struct host_buffers mailbox;

_Static_assert(sizeof(mailbox) <= TEAM_MAILBOX_BYTES, "the mailbox is too small");

/* Before the fifo's slots or the shared arenas. */
static size_t head_bytes(enum host_transport transport, unsigned nranks)
{
	size_t rings = transport == HOST_FIFO ? nranks : 0;
	return buffers_pages(sizeof(struct host_flags) + rings * sizeof(struct host_ring));
}

/* Whole pages for an offset and an arena. */
static size_t arena_bytes(const struct trial *trial)
{
	return buffers_pages(trial->arena_bytes + trial->settings.offset_bytes);
}

static size_t buffers_bytes(const struct trial *trial)
{
	return 2 * arena_bytes(trial);
}

static struct host_buffers buffers_at(const struct trial *trial, uint8_t *at)
{
	at += trial->settings.offset_bytes;
	return (struct host_buffers){at, at + arena_bytes(trial)};
}

static size_t stride_bytes(enum host_transport transport, const struct trial *trial)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	size_t head = head_bytes(transport, nranks);
	if (transport == HOST_FIFO)
		return head + (size_t)nranks * HOST_FIFO_SLOTS * HOST_PIECE_BYTES;
	return transport == HOST_SHARED ? head + buffers_bytes(trial) : head;
}

int host_memory_needs(enum host_transport transport, const struct trial *trial, size_t *store,
                      size_t *all)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	size_t share, total, buffers;
	if (trial->arena_bytes > SIZE_MAX / 8)
		return -1;
	buffers = transport == HOST_SHARED ? 0 : buffers_bytes(trial);
	/* One more page: the store need not begin at a page. */
	if (__builtin_mul_overflow(stride_bytes(transport, trial), nranks, &share) ||
	    __builtin_add_overflow(share, buffers_pages(1), &share) ||
	    __builtin_mul_overflow(buffers, nranks, &buffers) ||
	    __builtin_add_overflow(share, buffers, &total))
		return -1;
	*store = share;
	*all = total;
	return 0;
}

void host_memory_share(enum host_transport transport, const struct trial *trial, size_t *buffers,
                       size_t *comm)
{
	*buffers = buffers_bytes(trial);
	*comm = stride_bytes(transport, trial) - (transport == HOST_SHARED ? *buffers : 0);
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

/* The slots of the ring between two ranks, if any cell uses it. */
static int touch_slots(const struct backend_ctx *ctx, unsigned from, unsigned to, bool fresh,
                       struct status *st)
{
	if (from == to || !pair_used(ctx, from, to))
		return 0;
	return buffers_touch("host", host_slot(ctx, from, to, 0),
	                     HOST_FIFO_SLOTS * HOST_PIECE_BYTES, fresh, st);
}

/* Maps or finds one rank's arenas, and touches all that it owns. */
static int place(struct backend_ctx *ctx, struct host_rank *rank, struct status *st)
{
	unsigned n = ctx->place.nranks;
	size_t all = buffers_bytes(ctx->place.trial);
	size_t head = head_bytes(ctx->transport, n);
	uint8_t *share = ctx->store + rank->rank * ctx->stride;
	uint8_t *at = share + head;
	if (buffers_touch("host", share, head, true, st))
		return -1;
	memset(share, 0, head); /* an earlier opening left its counts */
	for (unsigned from = 0; ctx->transport == HOST_FIFO && from < n; from++)
		if (touch_slots(ctx, from, rank->rank, true, st))
			return -1;
	if (ctx->transport != HOST_SHARED) {
		at = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			return status_set(st,
			                  "host: cannot map %zu bytes for rank %u's buffers: %s",
			                  all, rank->rank, strerror(errno));
	}
	rank->own = buffers_at(ctx->place.trial, at);
	return buffers_touch("host", at, all, true, st);
}

/* Maps the pages of another process's rank into this process, as far as it will use them. Threads of
 * one process share their page tables. */
static int reach(struct backend_ctx *ctx, unsigned peer, struct status *st)
{
	size_t head = head_bytes(ctx->transport, ctx->place.nranks);
	uint8_t *share = ctx->store + peer * ctx->stride;
	if (buffers_touch("host", share, head, false, st))
		return -1;
	for (unsigned i = 0; i < ctx->place.count; i++) {
		unsigned rank = ctx->ranks[i].rank;
		if (ctx->transport == HOST_FIFO && touch_slots(ctx, rank, peer, false, st))
			return -1;
		if (ctx->transport == HOST_SHARED && pair_used(ctx, peer, rank))
			return buffers_touch("host", share + head, ctx->stride - head, false, st);
	}
	return 0;
}

/* Finds a peer's buffers. fifo never accesses them. */
static void find(struct backend_ctx *ctx, unsigned peer)
{
	uint8_t *share = ctx->store + peer * ctx->stride;
	size_t head = head_bytes(ctx->transport, ctx->place.nranks);
	const mailbox *said = team_mailbox(ctx->place.team, peer);
	if (ctx->transport == HOST_DIRECT)
		ctx->peers[peer] = *said;
	else if (ctx->transport == HOST_SHARED)
		ctx->peers[peer] = buffers_at(ctx->place.trial, share + head);
}

int host_memory_open(struct backend_ctx *ctx, struct status *st)
{
	const struct backend_place *at = &ctx->place;
	unsigned per_process = at->nranks / at->processes;
	ctx->store = (uint8_t *)buffers_pages((uintptr_t)team_store(at->team));
	ctx->stride = stride_bytes(ctx->transport, at->trial);
	ctx->slots_offset = head_bytes(ctx->transport, at->nranks);
	for (unsigned i = 0; i < at->count; i++) {
		mailbox *out = team_mailbox(at->team, ctx->ranks[i].rank);
		if (place(ctx, &ctx->ranks[i], st))
			return -1;
		*out = ctx->ranks[i].own;
	}
	ctx->shown = true;
	if (team_meet(at->team))
		return status_set(st, "host: the team failed while buffers were placed");
	for (unsigned peer = 0; peer < at->nranks; peer++) {
		find(ctx, peer);
		if (peer / per_process != at->process && reach(ctx, peer, st))
			return -1;
	}
	ctx->joined = true;
	return 0;
}

/* A worker that gives up must not unmap buffers that another still reads: on the direct transport the
 * last one to close unmaps all. If not all have opened, the process's end unmaps them. */
void host_memory_close(struct backend_ctx *ctx)
{
	const struct backend_place *at = &ctx->place;
	unsigned offset = at->trial->settings.offset_bytes;
	size_t bytes = buffers_bytes(at->trial);
	if (ctx->transport == HOST_SHARED)
		return;
	if (ctx->transport == HOST_FIFO || !ctx->shown) {
		for (unsigned i = 0; i < at->count; i++)
			if (ctx->ranks[i].own.send)
				munmap(ctx->ranks[i].own.send - offset, bytes);
	} else if (ctx->joined && atomic_fetch_add(&host_flags(ctx, 0)->closed, 1) + 1 ==
	                              team_shape(at->team)->nworkers) {
		for (unsigned peer = 0; peer < at->nranks; peer++)
			munmap(ctx->peers[peer].send - offset, bytes);
	}
}
