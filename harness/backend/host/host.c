/* The host backend: the workers copy in CPU memory while they poll. A rank is two buffers. */
#include "../../clock.h"
#include "../../memory.h"
#include "../../core/counters.h"
#include "host.h"

/* --- what is possible, on which transport --- */

static const char *const transport_names[] = {"direct", "fifo", "shared"};

static bool only_copies(const struct trial *trial)
{
	for (unsigned c = 0; c < trial->ncells; c++)
		if (steps_waits(trial->cells[c].coll))
			return false;
	return trial->ncells > 0;
}

/* auto: the peer's memory if it can be read, else slots; the limit has no partner. */
static int transport_of(const struct trial *trial)
{
	const char *name = trial->settings.path;
	if (name[0] == '\0' || strcmp(name, "auto") == 0) {
		if (trial->settings.layout.processes == 1)
			return HOST_DIRECT;
		return only_copies(trial) ? HOST_SHARED : HOST_FIFO;
	}
	for (int transport = HOST_DIRECT; transport <= HOST_SHARED; transport++)
		if (strcmp(name, transport_names[transport]) == 0)
			return transport;
	return -1;
}

static int supports_cell(const struct trial *trial, const struct cell *cell,
                         enum host_transport transport, struct status *st)
{
	if (!steps_waits(cell->coll) && transport == HOST_FIFO)
		return status_set(st, "host: the limit is copied from the peer's buffer: path = "
		                      "direct or shared, not fifo");
	if (cell->coll == COLL_INIT)
		return status_set(st,
		                  "host: init makes communicators, and the host backend has none");
	return steps_supports("host", trial, cell, st);
}

static int host_supports(const struct trial *trial, struct status *st)
{
	const struct settings *set = &trial->settings;
	int transport = transport_of(trial);
	if (set->hosts[0])
		return status_set(st, "host: its ranks share memory, which several hosts do not; "
		                      "allowed are backends nccl and mpi");
	if (set->memory == MEMORY_DEVICE)
		return status_set(st,
		                  "host: its ranks copy in CPU memory; allowed is memory = host");
	if (transport < 0)
		return status_set(st, "path = %s: allowed are auto, direct, fifo, shared",
		                  set->path);
	if (transport == HOST_DIRECT && set->layout.processes > 1)
		return status_set(st, "host: path = direct reads a peer's buffer by its address: "
		                      "that needs one process; shared reads it from any");
	for (unsigned c = 0; c < trial->ncells; c++)
		if (supports_cell(trial, &trial->cells[c], (enum host_transport)transport, st))
			return -1;
	return buffers_fit("host", layout_ranks(set->layout),
	                   host_memory_needs((enum host_transport)transport, trial), st);
}

static size_t host_store_bytes(const struct trial *trial)
{
	int transport = transport_of(trial);
	return transport < 0 ? 0 : host_memory_needs((enum host_transport)transport, trial);
}

/* --- opening --- */

/* The most calls that a worker issues between two waits, in whole groups. */
static unsigned queue_calls(const struct trial *trial)
{
	unsigned group = trial_group(trial), most = trial->calls;
	for (unsigned c = 0; c < trial->ncells; c++)
		if (trial_calls(trial, &trial->cells[c]) > most)
			most = trial_calls(trial, &trial->cells[c]);
	return most > group ? (most + group - 1) / group * group : group;
}

static void allocate(struct backend_ctx *ctx)
{
	const struct backend_place *place = &ctx->place;
	const unsigned n = place->nranks;
	ctx->queue_calls = queue_calls(place->trial);
	ctx->places = memory_take(n, sizeof *ctx->places);
	for (unsigned rank = 0; rank < n; rank++)
		ctx->places[rank] = split_place(place->trial->settings.split, n, rank);
	/* Aligned, or two workers' ranks would share a cache line. */
	ctx->ranks = memory_have(aligned_alloc(HOST_LINE_BYTES, place->count * sizeof *ctx->ranks));
	memset(ctx->ranks, 0, place->count * sizeof *ctx->ranks);
	for (unsigned i = 0; i < place->count; i++) {
		struct host_rank *rank = &ctx->ranks[i];
		rank->rank = place->first + i;
		rank->extra_ns = settings_extra_ns(&place->trial->settings, rank->rank);
		rank->queue = memory_take(ctx->queue_calls, sizeof *rank->queue);
	}
}

static int host_open(const struct backend_place *place, struct backend_ctx **out, struct status *st)
{
	struct backend_ctx *ctx = memory_take(1, sizeof *ctx);
	*out = ctx; /* from here on close() frees it */
	ctx->place = *place;
	ctx->transport = (enum host_transport)transport_of(place->trial);
	allocate(ctx);
	return host_memory_open(ctx, st);
}

/* --- a cell: never in a timed call --- */

/* Until nobody reads this worker's buffers: after a handshake only the limit waits. */
static int wait_readers(const struct backend_ctx *ctx, struct status *st)
{
	for (unsigned peer = 0; ctx->transport != HOST_FIFO && peer < ctx->place.nranks; peer++)
		while (atomic_load_explicit(&host_flags(ctx, peer)->posted, memory_order_acquire) <
		       ctx->ranks[0].phases)
			if (team_pause(ctx->place.team))
				return status_set(st, "host: the team failed between two cells");
	return 0;
}

static void call_plan(const struct backend_ctx *ctx, struct host_rank *rank)
{
	const struct split_place *at = &ctx->places[rank->rank];
	struct steps_plan *plan = &rank->plan;
	steps_plan(&ctx->call, at->index, plan);
	for (unsigned m = 0; m < plan->npulls + plan->npushes; m++) {
		struct steps_move *move =
		    m < plan->npulls ? &plan->pulls[m] : &plan->pushes[m - plan->npulls];
		const struct split_place *of = ctx->places;
		while (of->color != at->color || of->index != move->place)
			of++;
		move->peer = (unsigned)(of - ctx->places);
	}
}

static int host_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                        unsigned slots, struct status *st)
{
	if (wait_readers(ctx, st))
		return -1;
	ctx->call = steps_call(ctx->place.trial, cell);
	ctx->reduction = (struct host_reduction){cell->dtype, cell->op, ctx->call.nranks};
	ctx->seed = seed;
	ctx->slots = slots;
	ctx->phases = steps_phases(&ctx->call);
	ctx->waits = steps_waits(cell->coll);
	ctx->access_stride = cell->coll == COLL_ACCESS ? ctx->place.trial->settings.stride : 0;
	for (unsigned i = 0; i < ctx->place.count; i++) {
		call_plan(ctx, &ctx->ranks[i]);
		host_move_plan(ctx, &ctx->ranks[i]);
	}
	return 0;
}

static void host_buffers_of(const struct backend_ctx *ctx, unsigned i, struct buffers *out)
{
	const struct trial *trial = ctx->place.trial;
	const struct host_rank *rank = &ctx->ranks[i];
	*out = buffers_of(trial, &ctx->call.cell, &ctx->call.parts, ctx->places[rank->rank],
	                  ctx->slots, ctx->seed, (char *)rank->own.send, (char *)rank->own.recv);
}

static void host_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	struct host_rank *rank = &ctx->ranks[i];
	rank->queue[(rank->head + rank->count++) % ctx->queue_calls] = slot;
}

static void host_spans(struct backend_ctx *ctx, unsigned i, int64_t from_ns,
                       struct sample_spans *out)
{
	(void)from_ns;
	*out = ctx->ranks[i].spans;
}

/* Instead of hardware counters: the bytes that it copied. */
static void host_watch(struct backend_ctx *ctx, bool on)
{
	int64_t now = clock_now_ns();
	ctx->watch_ns = on ? now : now - ctx->watch_ns;
	for (struct host_rank *rank = ctx->ranks; rank < ctx->ranks + ctx->place.count; rank++) {
		struct host_tally *t = &rank->watched;
		t->moved = rank->tally.moved - (on ? 0 : t->moved);
		t->delivered = rank->tally.delivered - (on ? 0 : t->delivered);
	}
}

static void host_watch_read(struct backend_ctx *ctx, unsigned i, struct counters *out)
{
	const struct host_tally *watched = &ctx->ranks[i].watched;
	counters_clear(out);
	out->seconds = (double)ctx->watch_ns / 1e9;
	out->copied_bytes = (double)watched->moved;
	out->delivered_bytes = (double)watched->delivered;
}

static void host_describe(struct backend_ctx *ctx, char *text, size_t bytes)
{
	uint64_t moved = 0;
	size_t most = 0, buffers, comm;
	host_memory_share(ctx->transport, ctx->place.trial, &buffers, &comm);
	for (unsigned i = 0; i < ctx->place.count; i++) {
		moved += ctx->ranks[i].tally.moved;
		if (ctx->ranks[i].most_bytes > most)
			most = ctx->ranks[i].most_bytes;
	}
	snprintf(text, bytes,
	         "path=%s\nmemory_buffers_bytes=%zu\nmemory_comm_bytes=%zu\n"
	         "memory_calls_bytes=0\n",
	         transport_names[ctx->transport], buffers, comm);
	/* Evidence of the transport: on fifo twice the bytes are moved. */
	if (moved > 0)
		status_add(text, bytes, "moved_bytes=%llu\nidle_bytes_most=%zu\n",
		           (unsigned long long)moved, most);
}

static void host_close(struct backend_ctx *ctx)
{
	if (!ctx)
		return;
	for (unsigned i = 0; ctx->ranks && i < ctx->place.count; i++) {
		struct host_rank *rank = &ctx->ranks[i];
		steps_plan_free(&rank->plan);
		free(rank->queue);
		free(rank->stages);
	}
	free(ctx->ranks);
	free(ctx->places);
	free(ctx);
}

static const char *const uses[] = {"split",        "offset",      "stride", "path",  "memory",
                                   "extra",        "flip",        "hidden", "batch", "first_bucket",
                                   "accumulation", "bucket_view", NULL};

const struct backend backend_host = {
    .uses = uses,
    .arena_bytes = (size_t)8 << 20, /* more than the L2 of the core that owns it */
    .name = "host",
    .summary = "real copies in CPU memory by the workers themselves",
    .is = {.carries_data = true, .analogue = true, .counts_copies = true},
    .supports = host_supports,
    .store_bytes = host_store_bytes,
    .open = host_open,
    .prepare = host_prepare,
    .begin = backend_nothing,
    .issue = host_issue,
    .end = backend_nothing,
    .poll = host_move,
    /* A call begins with the first poll, and nobody polls before all have issued. */
    .hold = backend_nothing,
    .release = backend_nothing,
    .spans = host_spans,
    .watch_ns = 1000000, /* what it counts is exact, in any number of calls */
    .watch = host_watch,
    .watch_read = host_watch_read,
    .buffers = host_buffers_of,
    .describe = host_describe,
    .close = host_close,
};
