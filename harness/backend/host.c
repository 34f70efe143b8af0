/* The host backend: real copies in CPU memory, made by the workers as they poll. A rank is a
 * pair of buffers. See host.h for the files, host_memory.c for the layout. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

static const char *const path_names[] = {"direct", "fifo", "shared"};

static bool only_copies(const struct trial *trial)
{
	for (unsigned c = 0; c < trial->ncells; c++)
		if (host_step_waits(trial->cells[c].coll))
			return false;
	return trial->ncells > 0;
}

/* The data path of a trial, or -1 when it has no such name. auto: the peer's memory itself
 * where it can be read, slots where not; the limit is a copy without a partner, so slots cannot
 * carry it. */
static int path_of(const struct trial *trial)
{
	const char *name = trial->settings.path;

	if (name[0] == '\0' || strcmp(name, "auto") == 0) {
		if (trial->settings.layout.processes == 1)
			return HOST_DIRECT;
		return only_copies(trial) ? HOST_SHARED : HOST_FIFO;
	}
	for (int path = HOST_DIRECT; path <= HOST_SHARED; path++)
		if (strcmp(name, path_names[path]) == 0)
			return path;
	return -1;
}

static unsigned host_capacity(struct status *st)
{
	(void)st;
	return UINT_MAX;
}

static int supports_cell(const struct cell *cell, enum host_path path, unsigned nranks,
                         struct status *st)
{
	const char *refusal =
	    host_step_refuses(nranks, cell->bytes, coll_dtype_bytes(cell->dtype));

	if (cell->in_place)
		return status_set(st, "host: collectives in place are not built yet");
	if (cell->dtype != DTYPE_FLOAT32 || cell->op != OP_SUM)
		return status_set(st, "host: only float32 and sum are built so far");
	if (!host_step_waits(cell->coll) && path == HOST_FIFO)
		return status_set(st, "host: the limit is copied from the peer's buffer: "
		                      "path = direct or shared, not fifo");
	if (refusal)
		return status_set(st, "host: %zu bytes for %u ranks: %s", cell->bytes, nranks,
		                  refusal);
	return 0;
}

static int host_supports(const struct trial *trial, struct status *st)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	size_t pages = (size_t)sysconf(_SC_PHYS_PAGES), page = (size_t)sysconf(_SC_PAGESIZE);
	size_t store, all;
	int path = path_of(trial);

	if (path < 0)
		return status_set(st, "path = %s: allowed are auto, direct, fifo, shared",
		                  trial->settings.path);
	if (path == HOST_DIRECT && trial->settings.layout.processes > 1)
		return status_set(st,
		                  "host: path = direct reads a peer's buffer by its address: "
		                  "that needs one process; shared reads it from any");
	for (unsigned c = 0; c < trial->ncells; c++)
		if (supports_cell(&trial->cells[c], (enum host_path)path, nranks, st) != 0)
			return -1;
	if (host_memory_needs((enum host_path)path, nranks, trial->arena_bytes, &store, &all) !=
	    0)
		return status_set(
		    st,
		    "host: %u ranks with 2 arenas of %zu bytes each are more than "
		    "can be addressed",
		    nranks, trial->arena_bytes);
	if (all / page >= pages)
		return status_set(st,
		                  "host: %u ranks need %zu MiB of memory and this machine has "
		                  "%zu: ask for smaller sizes or fewer ranks",
		                  nranks, all >> 20, pages * page >> 20);
	return 0;
}

/* 0 for what host_supports refuses. */
static size_t host_store_bytes(const struct trial *trial)
{
	size_t store, all;
	int path = path_of(trial);

	if (path < 0 ||
	    host_memory_needs((enum host_path)path, layout_ranks(trial->settings.layout),
	                      trial->arena_bytes, &store, &all) != 0)
		return 0;
	return store;
}

static int host_numa_node(unsigned rank)
{
	(void)rank;
	return -1;
}

/* A worker issues no more than this between two waits. */
static unsigned queue_calls(const struct trial *trial)
{
	unsigned calls = trial->calls > trial->warmup ? trial->calls : trial->warmup;

	calls = calls > trial->isolated_calls ? calls : trial->isolated_calls;
	return calls > 0 ? calls : 1;
}

static unsigned most_moves(const struct trial *trial, unsigned nranks)
{
	unsigned phases = 1;

	for (unsigned c = 0; c < trial->ncells; c++)
		if (host_step_phases(trial->cells[c].coll) > phases)
			phases = host_step_phases(trial->cells[c].coll);
	return phases * nranks;
}

static int allocate(struct backend_ctx *ctx, struct status *st)
{
	const struct backend_place *place = &ctx->place;
	unsigned moves = most_moves(place->trial, place->nranks);

	ctx->most_moves = moves;
	ctx->queue_calls = queue_calls(place->trial);
	ctx->peers = calloc(place->nranks, sizeof(*ctx->peers));
	ctx->queues = calloc((size_t)place->count * ctx->queue_calls, sizeof(*ctx->queues));
	ctx->moves = calloc((size_t)place->count * 2 * moves, sizeof(*ctx->moves));
	/* Aligned, or two workers' ranks would share a cache line. */
	ctx->ranks = aligned_alloc(HOST_LINE_BYTES, place->count * sizeof(*ctx->ranks));
	if (ctx->ranks)
		memset(ctx->ranks, 0, place->count * sizeof(*ctx->ranks));
	if (!ctx->peers || !ctx->queues || !ctx->moves || !ctx->ranks)
		return status_set(st, "host: no memory for the state of %u ranks",
		                  place->count);
	for (unsigned i = 0; i < place->count; i++) {
		struct host_rank *rank = &ctx->ranks[i];

		rank->rank = place->first + i;
		rank->queue = ctx->queues + (size_t)i * ctx->queue_calls;
		rank->pulls = ctx->moves + (size_t)i * 2 * moves;
		rank->pushes = rank->pulls + moves;
	}
	return 0;
}

static int host_open(const struct backend_place *place, struct backend_ctx **out,
                     struct status *st)
{
	struct backend_ctx *ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return status_set(st, "host: no memory");
	*out = ctx; /* close() frees it, whatever happens from here on */
	ctx->place = *place;
	ctx->path = (enum host_path)path_of(place->trial);
	if (allocate(ctx, st) != 0)
		return -1;
	for (unsigned i = 0; i < place->count; i++) {
		const struct settings *set = &place->trial->settings;
		if (set->delay_rank < 0 || (unsigned)set->delay_rank == place->first + i)
			ctx->ranks[i].extra_ns = set->extra_ns;
	}
	return host_memory_open(ctx, st);
}

static int host_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                        unsigned slots, struct status *st)
{
	if (supports_cell(cell, ctx->path, ctx->place.nranks, st) != 0)
		return -1;
	if (slots == 0 || slots > ctx->place.trial->arena_bytes / cell->bytes)
		return status_set(st,
		                  "host: %u buffers of %zu bytes do not fit an arena of %zu",
		                  slots, cell->bytes, ctx->place.trial->arena_bytes);
	if (host_step_phases(cell->coll) * ctx->place.nranks > ctx->most_moves)
		return status_set(st,
		                  "host: a collective that is not one of the trial's cells");
	for (unsigned i = 0; i < ctx->place.count; i++)
		if (ctx->ranks[i].running || ctx->ranks[i].count > 0)
			return status_set(st, "host: rank %u has calls in flight",
			                  ctx->ranks[i].rank);
	ctx->error.text[0] = '\0';
	return host_cell_prepare(ctx, cell, seed, slots, st);
}

/* begin and end: nothing to group. hold and release: what is issued begins with the first poll,
 * and nobody polls before all have issued. */
static void host_nothing(struct backend_ctx *ctx)
{
	(void)ctx;
}

static void host_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	struct host_rank *rank = &ctx->ranks[i];

	if (slot >= ctx->slots) {
		status_set(&ctx->error, "host: buffer %u of %u prepared ones", slot,
		           ctx->slots);
	} else if (rank->count == ctx->queue_calls) {
		status_set(&ctx->error, "host: more than %u calls in flight", ctx->queue_calls);
	} else {
		rank->queue[(rank->head + rank->count) % ctx->queue_calls] = slot;
		rank->count++;
	}
}

static int host_idle(struct backend_ctx *ctx, unsigned i)
{
	return ctx->error.text[0] ? -1 : host_move(ctx, &ctx->ranks[i]);
}

static void host_error(struct backend_ctx *ctx, struct status *st)
{
	status_set(st, "%s", ctx->error.text);
}

static int host_check(struct backend_ctx *ctx, unsigned i, struct backend_verdict *out,
                      struct status *st)
{
	if (ctx->slots == 0)
		return status_set(st,
		                  "host: nothing was prepared, so there is nothing to check");
	host_cell_check(ctx, &ctx->ranks[i], out);
	return 0;
}

static void host_describe(struct backend_ctx *ctx, char *text, size_t bytes)
{
	uint64_t moved = 0;
	size_t most = 0;

	for (unsigned i = 0; i < ctx->place.count; i++) {
		moved += ctx->ranks[i].moved_bytes;
		if (ctx->ranks[i].most_bytes > most)
			most = ctx->ranks[i].most_bytes;
	}
	int used = snprintf(
	    text, bytes,
	    "path=%s\npiece_bytes=%zu\nidle_bytes=%zu\nfifo_slots=%d\npage_bytes=%ld\n",
	    path_names[ctx->path], HOST_PIECE_BYTES, HOST_IDLE_BYTES, HOST_FIFO_SLOTS,
	    sysconf(_SC_PAGESIZE));

	/* Evidence once there is some: on the fifo path twice the bytes are moved. */
	if (moved > 0 && used > 0 && (size_t)used < bytes)
		snprintf(text + used, bytes - (size_t)used,
		         "moved_bytes=%llu\nidle_bytes_most=%zu\n", (unsigned long long)moved,
		         most);
}

static void host_close(struct backend_ctx *ctx)
{
	if (!ctx)
		return;
	if (ctx->ranks)
		host_memory_close(ctx);
	free(ctx->ranks);
	free(ctx->moves);
	free(ctx->queues);
	free(ctx->peers);
	free(ctx);
}

const struct backend backend_host = {
    .name = "host",
    .summary = "real copies in CPU memory by the workers themselves",
    .carries_data = true,
    .capacity = host_capacity,
    .supports = host_supports,
    .store_bytes = host_store_bytes,
    .numa_node = host_numa_node,
    .open = host_open,
    .prepare = host_prepare,
    .begin = host_nothing,
    .issue = host_issue,
    .end = host_nothing,
    .idle = host_idle,
    .hold = host_nothing,
    .release = host_nothing,
    .error = host_error,
    .check = host_check,
    .describe = host_describe,
    .close = host_close,
};
