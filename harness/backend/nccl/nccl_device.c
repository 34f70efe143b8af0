/* api = device: calls by a kernel that writes into the peers' memory, which NCCL maps (windows,
 * from 2.28.3 on). NCCL's own flags and barriers wait without end, so these are
 * device_protocol.h's. From 2.29.2 on a function names the peers' addresses; in 2.28 they are read
 * from the window itself. */
#include "../../clock.h"
#include "device_protocol.h"
#include "nccl.h"

/* --- which part of a buffer goes where --- */

struct plan {
	unsigned me, n;
	struct move_part parts[MOVE_PARTS];
};

/* Each rank begins with the next one; its own part is the last, if it is not there already. */
static struct plan plan_of(const struct backend_ctx *ctx, unsigned rank)
{
	const size_t side = coll_span(&ctx->call.cell, &ctx->call.parts, ctx->n, rank).send_at;
	struct plan plan = {.me = rank};
	for (unsigned k = 1; k <= ctx->n; k++) {
		const unsigned peer = (rank + k) % ctx->n;
		const struct step step = steps_of(&ctx->call, peer, rank, 0);
		if (step.bytes)
			plan.parts[plan.n++] = (struct move_part){.peer = peer,
			                                          .from = step.from - side,
			                                          .to = step.to,
			                                          .bytes = step.bytes};
	}
	return plan;
}

/* --- how --- */

/* By the most that a rank sends to others, as measured on 2 and 4 × H200 (moves of
 * results/reference/4x-h200 and 2x-h200): alltoall, µs or GB/s to peers. Of this the launch is 4.2
 * µs in a stream, 0.5 in a graph.
 *
 *   a buffer            4 KiB    64 KiB   256 KiB  1 MiB  4 MiB  16 MiB  64 MiB  256 MiB
 *   4 ranks, a stream   4.6 µs   4.8 µs   5.1 µs   94     199    296     333     353
 *   4 ranks, a graph    3.9      4.0      4.3      104    209    300     338     353
 *   2 ranks, a graph    3.4      3.5      3.8      104    184    291     338     358
 *
 * What brought it: a launch while the call before runs (0.8 to 0.9 µs), packets of 12 + 4 bytes and
 * one for each thread, tiles in turn in place of a share for each block (264 → 294 GB/s at 16 MiB),
 * rounds in step (343 → 353 at 256 MiB). No gain: bulk copies, no entry barrier, 256 threads, more
 * blocks than multiprocessors, tiles from a counter, a prefetch. */
// clang-format off
static const struct {
	size_t most;
	enum move_way way;
	unsigned ctas, own_ctas, threads;
	bool rounds;
} table[] = {
    {4 << 10,   MOVE_PACKET, 4,   0,  128, false},
    {16 << 10,  MOVE_PACKET, 16,  0,  128, false},
    {64 << 10,  MOVE_PACKET, 64,  0,  128, false},
    {256 << 10, MOVE_PACKET, 128, 0,  256, false},
    {1 << 20,   MOVE_PACKET, 128, 0,  512, false},
    {4 << 20,   MOVE_STORE,  48,  16, 512, false},
    {SIZE_MAX,  MOVE_STORE,  96,  32, 512, true},
};
// clang-format on

#define MEASURED_GPUS 4 /* up to so many GPUs the table was measured */

static const char *const way_names[MOVE_WAYS] = {"packets", "stores", "bulk"};

/* MOVE_WAYS: no path of this name. */
static enum move_way way_of(const char *path)
{
	enum move_way way = MOVE_PACKET;
	while (way < MOVE_WAYS && strcmp(path, way_names[way]))
		way++;
	return way;
}

bool nccl_moves(const struct settings *settings)
{
	return !strncmp(settings->api, "device", strlen("device"));
}

/* Gives each part its packets in each block's slot; whether all fit. */
static bool place_packets(struct plan *plan, unsigned ctas)
{
	const size_t all = (size_t)MOVE_WORD * ctas;
	bool fits = true;
	for (struct move_part *part = plan->parts; part < plan->parts + plan->n; part++) {
		const size_t n = part->peer == plan->me ? 0 : (part->bytes + all - 1) / all;
		part->packets = (unsigned)n;
		fits = fits && n <= MOVE_PACKETS;
	}
	return fits;
}

static bool fit(const struct backend_ctx *ctx, const struct move_call *c)
{
	bool fits = true;
	for (unsigned r = 0; c->way == MOVE_PACKET && r < ctx->n; r++) {
		struct plan plan = plan_of(ctx, r);
		fits = fits && place_packets(&plan, c->ctas);
	}
	return fits;
}

/* path = packets, stores or bulk, in place of the table's; with as many blocks. */
static void force(struct move_call *c, enum move_way way)
{
	if (way == MOVE_PACKET)
		c->own_ctas = 0;
	else if (c->way == MOVE_PACKET)
		c->own_ctas = c->ctas;
	c->threads = MOVE_THREADS;
	c->way = way;
}

/* What a GPU has of something, for each of the ranks that share it. */
static unsigned per_rank(const struct backend_ctx *ctx, unsigned n)
{
	const unsigned ranks = ctx->trial->settings.ranks_per_gpu;
	return (n + ranks - 1) / ranks;
}

/* The same on all ranks: by the rank that sends most, and by the fullest slot. */
static int choose(const struct backend_ctx *ctx, struct move_call *c, struct status *st)
{
	const unsigned asked = ctx->trial->settings.call_ctas;
	size_t most = 0;
	unsigned row = 0;
	for (unsigned r = 0; r < ctx->n; r++) {
		const struct plan plan = plan_of(ctx, r);
		size_t sent = 0;
		for (unsigned k = 0; k < plan.n; k++)
			sent += plan.parts[k].peer == r ? 0 : plan.parts[k].bytes;
		most = sent > most ? sent : most;
	}
	while (table[row].most < most)
		row++;
	do {
		c->way = table[row].way;
		/* A block waits for one of a rank on the same GPU, which needs room for both. */
		c->ctas = asked ? asked : per_rank(ctx, table[row].ctas);
		c->own_ctas = per_rank(ctx, table[row].own_ctas);
		c->threads = table[row].threads;
		/* Each rank sends as much to every other one, from the next one on. */
		c->rounds = table[row].rounds && (ctx->call.cell.coll == COLL_ALLTOALL ||
		                                  ctx->call.cell.coll == COLL_ALL_GATHER);
	} while (!fit(ctx, c) && row++ < sizeof table / sizeof *table);
	if (way_of(ctx->trial->settings.path) < MOVE_WAYS)
		force(c, way_of(ctx->trial->settings.path));
	if (fit(ctx, c))
		return 0;
	return status_set(st,
	                  "path = packets: a slot of %u thread blocks holds %u KiB, which is less "
	                  "than goes to one rank; allowed are more call_ctas, and stores",
	                  c->ctas, c->ctas * MOVE_PACKETS * MOVE_WORD >> 10);
}

/* --- requests that cannot be fulfilled --- */

int nccl_move_refuse(const struct trial *trial, const struct cell *cell, unsigned compute,
                     struct status *st)
{
	const struct settings *set = &trial->settings;
	const struct nccl_coll *row = nccl_coll(cell->coll);
	const bool own = row->call || row->moves || row->trains;
	const bool forced = strcmp(set->path, "auto") != 0;
	if (forced && (!nccl_moves(set) || way_of(set->path) == MOVE_WAYS))
		return status_set(st,
		                  "path = %s: with nccl allowed are auto and, with api = device, "
		                  "packets, stores and bulk",
		                  set->path);
	if (!nccl_moves(set))
		return 0;
	if (own && !row->device)
		return status_set(st,
		                  "api = %s has no kernel for %s; allowed are alltoall, alltoallv, "
		                  "all_gather, sendrecv in all its forms, and pair",
		                  set->api, coll_info(cell->coll)->name);
	if (way_of(set->path) == MOVE_BULK && compute < 90)
		return status_set(st,
		                  "path = bulk: GPUs of compute capability 9.0 or later have bulk "
		                  "copies; one here has %u.%u",
		                  compute / 10, compute % 10);
	if (trial_comm_ranks(trial) > MOVE_RANKS)
		return status_set(st, "api = %s: allowed are %d ranks of a communicator; it has %u",
		                  set->api, MOVE_RANKS, trial_comm_ranks(trial));
	if (set->call_ctas > MOVE_CTAS)
		return status_set(st, "call_ctas = %u: api = %s allows up to %d", set->call_ctas,
		                  set->api, MOVE_CTAS);
	if (set->allocator == ALLOCATOR_CUDA)
		return status_set(
		    st, "api = %s needs memory of ncclMemAlloc; allowed is allocator = nccl",
		    set->api);
	if (set->registration == REGISTER_LOCAL)
		return status_set(st,
		                  "api = %s registers the receive buffer as a window; allowed are "
		                  "register = none, window and recv-window",
		                  set->api);
	return 0;
}

/* --- the peers' memory --- */

/* struct ncclWindow_vidmem as of 2.28.3 to 2.28.9, as far as it is used. */
struct window {
	void *host;
	char *base; /* of rank 0's memory */
	int lsa_rank, world_rank;
	uint32_t stride; /* from one rank to the next, in 4 GiB */
};

static int read_window(struct backend_ctx *ctx, struct place *p, const void *at, char **base,
                       size_t *stride, struct status *st)
{
	struct cudaPointerAttributes is;
	struct window window;
	if (device_ok(cudaPointerGetAttributes(&is, at), "cudaPointerGetAttributes", st))
		return -1;
	if (is.type != cudaMemoryTypeDevice || ctx->api.TeamLsa(p->comm).nranks != (int)ctx->n)
		return status_set(st,
		                  "api = %s: NCCL %s maps no memory of all ranks to each other "
		                  "here (NCCL_DEBUG=INFO says why)",
		                  ctx->trial->settings.api, ctx->api.version);
	if (device_copy(&window, at, sizeof window, p->stream, "reading a window", st))
		return -1;
	if (window.lsa_rank != (int)p->me || !window.stride)
		return status_set(st, "api = %s: a window of NCCL %s has not the form of 2.28",
		                  ctx->trial->settings.api, ctx->api.version);
	*base = window.base;
	*stride = (size_t)window.stride << 32;
	return 0;
}

/* Where a window's memory of rank 0 is seen from rank p, and how far on that of each next rank. */
static int find_peers(struct backend_ctx *ctx, struct place *p, void *at, char **base,
                      size_t *stride, struct status *st)
{
	const char *api = ctx->trial->settings.api;
	if (!at)
		return status_set(
		    st,
		    "api = %s: NCCL %s registers no windows here: each GPU has to reach the "
		    "others' memory, and NCCL_WIN_ENABLE and NCCL_CUMEM_ENABLE must not be 0",
		    api, ctx->api.version);
	if (!ctx->api.GetPeerDevicePointer)
		return read_window(ctx, p, at, base, stride, st);
	*stride = 0;
	for (unsigned r = 0; r < ctx->n; r++) {
		void *peer = NULL;
		if (nccl_ok(ctx, ctx->api.GetPeerDevicePointer(at, 0, (int)r, &peer), p->comm,
		            "ncclGetPeerDevicePointer", st))
			return -1;
		if (r == 0)
			*base = peer;
		if (r == 1)
			*stride = (size_t)((uintptr_t)peer - (uintptr_t)*base);
		if (!peer || (char *)peer != *base + r * *stride)
			return status_set(st, "api = %s: NCCL %s maps no memory of rank %u here",
			                  api, ctx->api.version, r);
	}
	return 0;
}

/* Zeroed before a peer can reach it. */
static int make_channels(struct backend_ctx *ctx, struct place *p, struct status *st)
{
	const size_t bytes = MOVE_CTAS * protocol_channel_bytes(ctx->n, MOVE_PACKETS);
	if (device_use(p->device, st) || device_ok(device_prepare_move(), "loading a kernel", st))
		return -1;
	if (!p->channels &&
	    nccl_ok(ctx, ctx->api.MemAlloc((void **)&p->channels, bytes), NULL, "ncclMemAlloc", st))
		return -1;
	if (device_ok(cudaMemsetAsync(p->channels, 0, bytes, p->stream), "cudaMemsetAsync", st))
		return -1;
	return device_ok(cudaStreamSynchronize(p->stream), "cudaMemsetAsync", st);
}

static void register_channels(struct backend_ctx *ctx, struct place *p, const void *of)
{
	const size_t bytes = MOVE_CTAS * protocol_channel_bytes(ctx->n, MOVE_PACKETS);
	(void)of;
	nccl_keep(ctx,
	          ctx->api.CommWindowRegister(p->comm, p->channels, bytes, &p->channels_window,
	                                      NCCL_SYMMETRIC),
	          p->comm);
}

/* Half of what a cell may take, so that the wait says whom it waited for first; half of that again
 * is for a rank's words. */
#define LIMIT_NS 20000000000ull

int nccl_move_open(struct backend_ctx *ctx, struct status *st)
{
	const unsigned timeout_s = ctx->trial->cell_timeout_s;
	for (unsigned i = 0; i < ctx->count; i++)
		if (make_channels(ctx, &ctx->places[i], st))
			return -1;
	nccl_group(ctx, register_channels, NULL);
	if (nccl_ok(ctx, ctx->failed, ctx->failed_comm, "registering the channels", st))
		return -1;
	if (!ctx->move_failed &&
	    device_pin((void **)&ctx->move_failed, ctx->count * sizeof *ctx->move_failed, st))
		return -1;
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		struct move_call *c = &p->move;
		*c = (struct move_call){
		    .failed = &ctx->move_failed[i],
		    .limit_ns = timeout_s ? timeout_s * 500000000ull : LIMIT_NS,
		    .me = p->me,
		    .nranks = ctx->n,
		    .turns = strcmp(ctx->trial->settings.api, "device") ? PROTOCOL_TURNS : 1};
		ctx->move_failed[i] = 0;
		/* What NCCL keeps of a window is read with its GPU current: else CUDA refuses. */
		if (device_use(p->device, st) ||
		    find_peers(ctx, p, p->channels_window, &c->channels, &c->channels_stride, st) ||
		    find_peers(ctx, p, p->handles[ARENA_RECV], &p->peers_recv, &c->recv_stride, st))
			return -1;
		p->peers_recv += ctx->trial->settings.offset_bytes;
	}
	return nccl_team(team_meet(ctx->team), st);
}

void nccl_move_await(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++)
		if (ctx->places[i].channels)
			cudaStreamSynchronize(ctx->places[i].stream);
}

void nccl_move_close(struct backend_ctx *ctx, struct place *p)
{
	if (p->channels_window)
		nccl_keep(ctx, ctx->api.CommWindowDeregister(p->comm, p->channels_window), p->comm);
	p->channels_window = NULL;
}

void nccl_move_free(struct backend_ctx *ctx, struct place *p)
{
	if (p->channels)
		ctx->api.MemFree(p->channels);
	p->channels = NULL;
}

/* --- a cell --- */

int nccl_move_take(struct backend_ctx *ctx, struct place *p, struct status *st)
{
	struct move_call *c = &p->move;
	if (choose(ctx, c, st))
		return -1;
	bool copies = false; /* an own part */
	/* Ranks that share a GPU wait for each other: a later call must not take their room. */
	c->early = ctx->trial->settings.ranks_per_gpu == 1 && device_compute(p->device) >= 90;
	c->nsends = c->nreceives = 0;
	for (unsigned r = 0; r < ctx->n; r++) {
		struct plan plan = plan_of(ctx, r);
		place_packets(&plan, c->ctas);
		if (r == p->me)
			move_cut(c, plan.parts, plan.n);
		for (unsigned k = 0; k < plan.n; k++) {
			struct move_part part = plan.parts[k];
			if (r == p->me)
				c->sends[c->nsends++] = part;
			copies = copies || (r == p->me && part.peer == r);
			if (r == p->me || part.peer != p->me)
				continue;
			part.peer = r;
			c->receives[c->nreceives++] = part;
		}
	}
	if (!copies)
		c->own_ctas = 0;
	return 0;
}

/* --- the timed path --- */

void nccl_put_moves(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	const size_t slot = (size_t)(to - p->to);
	p->move.from = from;
	p->move.to = p->recv + slot;
	p->move.recv = p->peers_recv + slot;
	if (nccl_use(ctx, p))
		nccl_keep_cuda(ctx, device_launch_move(&p->move, p->stream));
}

bool nccl_move_late(const struct backend_ctx *ctx, struct status *st)
{
	static const char *const awaited[] = {[PROTOCOL_BEGIN] = "to begin",
	                                      [PROTOCOL_END] = "to write",
	                                      [PROTOCOL_DATA] = "to send"};
	for (unsigned i = 0; ctx->move_failed && i < ctx->count; i++) {
		const uint32_t failed = __atomic_load_n(&ctx->move_failed[i], __ATOMIC_ACQUIRE);
		if (!failed)
			continue;
		if (st) {
			/* It may have failed, and says why as soon as it has a core. */
			const int64_t most_ns = (int64_t)ctx->places[i].move.limit_ns / 2,
			              until = clock_now_ns() + most_ns;
			while (!team_failure(ctx->team) && clock_now_ns() < until)
				clock_sleep_until(clock_now_ns() + 1000000);
			status_set(st,
			           "api = %s: rank %u waited %.3g s for rank %u %s, and gave up: a "
			           "rank died, had no core, or never came",
			           ctx->trial->settings.api, ctx->places[i].rank,
			           (double)ctx->places[i].move.limit_ns / 1e9,
			           split_peer(ctx->trial->settings.split, ctx->nranks,
			                      ctx->places[i].color, protocol_failed_peer(failed)),
			           awaited[protocol_failed_for(failed)]);
		}
		return true;
	}
	return false;
}

/* --- what the report shows --- */

void nccl_move_describe(const struct backend_ctx *ctx, char *text, size_t bytes)
{
	char rows[512] = "";
	if (!nccl_moves(&ctx->trial->settings))
		return;
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
		status_add(rows, sizeof rows, "%s%zu %s %u %u", i ? ", " : "",
		           table[i].most == SIZE_MAX ? 0 : table[i].most, way_names[table[i].way],
		           per_rank(ctx, table[i].ctas), per_rank(ctx, table[i].own_ctas));
	status_add(text, bytes,
	           "device_table=%s\ndevice_basis=%s\ndevice_barrier=%s\ndevice_launch=%s\n", rows,
	           per_rank(ctx, ctx->nranks) > MEASURED_GPUS ? "predicted" : "measured",
	           strcmp(ctx->trial->settings.api, "device") ? "none" : "entry",
	           ctx->places[0].move.early ? "programmatic dependent launch" : "stream order");
}
