/* The resources of a trial: communicators, registered buffers, streams, the gate. */
#include "../../clock.h"
#include "../../memory.h"
#include "../device/nvml.h"
#include "nccl.h"

#define MAILBOX_COMM NCCL_UNIQUE_ID_BYTES

_Static_assert(MAILBOX_COMM + sizeof(ncclComm_t) <= TEAM_MAILBOX_BYTES,
               "an id and a communicator fit into a mailbox");

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

void nccl_group(struct backend_ctx *ctx, nccl_grouped_fn *part, const void *of)
{
	nccl_keep(ctx, ctx->api.GroupStart(), NULL);
	for (unsigned i = 0; i < ctx->count && ctx->failed == ncclSuccess; i++)
		part(ctx, &ctx->places[i], of);
	nccl_keep(ctx, ctx->api.GroupEnd(), NULL);
}

/* --- communicators --- */

static bool wants_config(const struct settings *set)
{
	return set->min_ctas || set->max_ctas || set->cta_policy != CTA_LIBRARY;
}

/* NCCL refuses a minimum without a maximum (parseCommConfig, 2.28.3): so it is MAXCHANNELS. */
#define CTAS_MOST 64

static int most_ctas(const struct settings *set)
{
	if (set->max_ctas || !set->min_ctas)
		return set->max_ctas ? (int)set->max_ctas : INT_MIN;
	return set->min_ctas > CTAS_MOST ? (int)set->min_ctas : CTAS_MOST;
}

static struct nccl_config config_of(const struct settings *set)
{
	return (struct nccl_config){
	    .size = sizeof(struct nccl_config),
	    .magic = NCCL_CONFIG_MAGIC,
	    .version = NCCL_AT(2, 27, 0),
	    .blocking = true,
	    .cga_cluster_size = INT_MIN, /* unset */
	    .min_ctas = set->min_ctas ? (int)set->min_ctas : INT_MIN,
	    .max_ctas = most_ctas(set),
	    .split_share = INT_MIN,
	    .traffic_class = INT_MIN,
	    .collnet_enable = INT_MIN,
	    .cta_policy =
	        set->cta_policy == CTA_LIBRARY ? INT_MIN : (int)set->cta_policy - (int)CTA_DEFAULT,
	    .shrink_share = INT_MIN,
	    .nvls_ctas = INT_MIN,
	};
}

static ncclResult_t init_rank(struct backend_ctx *ctx, ncclUniqueId id, unsigned rank,
                              ncclComm_t *out)
{
	struct nccl_config config = config_of(&ctx->trial->settings);
	if (!wants_config(&ctx->trial->settings))
		return ctx->api.CommInitRank(out, (int)ctx->nranks, id, (int)rank);
	return ctx->api.CommInitRankConfig(out, (int)ctx->nranks, id, (int)rank, &config);
}

static void abort_comms(struct backend_ctx *ctx, ncclComm_t *comms, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (comms[i])
			ctx->api.CommAbort(comms[i]);
}

/* Communicators of the ranks from `first` on, in one group. After a failure there are none. */
static int init_ranks(struct backend_ctx *ctx, ncclUniqueId id, unsigned first, unsigned count,
                      ncclComm_t *comms, struct status *st)
{
	nccl_keep(ctx, ctx->api.GroupStart(), NULL);
	for (unsigned i = 0; i < count && ctx->failed == ncclSuccess; i++) {
		/* Ending the group would wait for ranks that never join: it stays open. */
		if (device_use(trial_device(ctx->trial, first + i), st))
			return -1;
		nccl_keep(ctx, init_rank(ctx, id, first + i, &comms[i]), NULL);
	}
	nccl_keep(ctx, ctx->api.GroupEnd(), NULL);
	if (!nccl_ok(ctx, ctx->failed, NULL, "ncclCommInitRank", st) && !team_failure(ctx->team))
		return 0;
	abort_comms(ctx, comms, count);
	return status_set(st, "another rank failed");
}

/* Each worker makes its own; grouped, the process's first makes all, for the mailbox. */
static int init_all(struct backend_ctx *ctx, ncclUniqueId id, struct status *st)
{
	const struct settings *set = &ctx->trial->settings;
	const unsigned workers = set->init == INIT_GROUPED ? set->layout.threads : 1;
	const bool makes = ctx->where.worker % workers == 0;
	const unsigned all = makes ? workers * ctx->count : 0;
	ncclComm_t *comms = memory_take((size_t)workers * ctx->count, sizeof(ncclComm_t));
	int result = makes ? init_ranks(ctx, id, ctx->where.first, all, comms, st) : 0;
	for (unsigned i = 0; !result && i < all; i++)
		memcpy((char *)team_mailbox(ctx->team, ctx->where.first + i) + MAILBOX_COMM,
		       &comms[i], sizeof comms[i]);
	if (!result && workers > 1 && team_meet(ctx->team)) {
		abort_comms(ctx, comms, all);
		result = status_set(st, "another rank failed");
	}
	for (unsigned i = 0; !result && i < ctx->count; i++)
		memcpy(&ctx->places[i].comm,
		       (char *)team_mailbox(ctx->team, ctx->places[i].rank) + MAILBOX_COMM,
		       sizeof ctx->places[i].comm);
	free(comms);
	return result;
}

static void split(struct backend_ctx *ctx, struct place *p, const void *of)
{
	(void)of;
	p->world = p->comm;
	p->comm = NULL;
	nccl_keep(ctx, ctx->api.CommSplit(p->world, (int)p->color, (int)p->rank, &p->comm, NULL),
	          p->world);
}

/* api = device writes into receive buffers by their windows. */
enum registration nccl_registration(const struct trial *trial)
{
	const enum registration how = trial->settings.registration;
	return how == REGISTER_NONE && nccl_moves(&trial->settings) ? REGISTER_RECV_WINDOW : how;
}

static void register_arenas(struct backend_ctx *ctx, struct place *p, const void *of)
{
	const enum registration *how = of;
	const size_t bytes = ctx->trial->arena_bytes + ctx->trial->settings.offset_bytes;
	for (unsigned arena = *how == REGISTER_RECV_WINDOW; arena < 2; arena++)
		nccl_keep(ctx,
		          *how >= REGISTER_WINDOW
		              ? ctx->api.CommWindowRegister(p->comm, p->arenas[arena], bytes,
		                                            &p->handles[arena], NCCL_SYMMETRIC)
		              : ctx->api.CommRegister(p->comm, p->arenas[arena], bytes,
		                                      &p->handles[arena]),
		          p->comm);
}

static int nccl_register(struct backend_ctx *ctx, struct status *st)
{
	const enum registration how = nccl_registration(ctx->trial);
	if (how == REGISTER_NONE)
		return 0;
	nccl_group(ctx, register_arenas, &how);
	if (nccl_ok(ctx, ctx->failed, ctx->failed_comm, "registering the buffers", st))
		return -1;
	return nccl_moves(&ctx->trial->settings) ? nccl_move_open(ctx, st) : 0;
}

static int nccl_make_comms(struct backend_ctx *ctx, struct status *st)
{
	ncclUniqueId id;
	if (nccl_ok(ctx, ctx->failed, NULL, "giving communicators back", st))
		return -1;
	if (ctx->where.first == 0) {
		if (nccl_ok(ctx, ctx->api.GetUniqueId(&id), NULL, "ncclGetUniqueId", st))
			return -1;
		memcpy(team_mailbox(ctx->team, 0), &id, sizeof id);
	}
	if (nccl_team(team_share(ctx->team), st))
		return -1;
	memcpy(&id, team_mailbox(ctx->team, 0), sizeof id);
	int64_t begin = clock_now_ns();
	bool groups = ctx->trial->settings.split.op != SPLIT_NONE;
	if (init_all(ctx, id, st))
		return -1;
	if (groups)
		nccl_group(ctx, split, NULL);
	if (nccl_ok(ctx, ctx->failed, ctx->failed_comm, "ncclCommSplit", st))
		return -1;
	if (!ctx->init_ns)
		ctx->init_ns = clock_now_ns() - begin;
	return 0;
}

int nccl_connect(struct backend_ctx *ctx, struct status *st)
{
	return nccl_make_comms(ctx, st) || nccl_register(ctx, st) ? -1 : 0;
}

static void deregister_arenas(struct backend_ctx *ctx, struct place *p)
{
	bool window = nccl_registration(ctx->trial) >= REGISTER_WINDOW;
	for (unsigned arena = 0; arena < 2; arena++) {
		void *handle = p->handles[arena];
		if (handle)
			nccl_keep(ctx,
			          window ? ctx->api.CommWindowDeregister(p->comm, handle)
			                 : ctx->api.CommDeregister(p->comm, handle),
			          p->comm);
		p->handles[arena] = NULL;
	}
}

static void release_cell(struct backend_ctx *ctx)
{
	nccl_drop_cell(ctx);
	for (unsigned i = 0; i < ctx->count; i++) {
		nccl_move_close(ctx, &ctx->places[i]);
		deregister_arenas(ctx, &ctx->places[i]);
	}
}

void nccl_disconnect(struct backend_ctx *ctx)
{
	release_cell(ctx);
	/* The groups' first, as they were split from the world. */
	for (unsigned k = 0; k < 2 * ctx->count; k++) {
		struct place *p = &ctx->places[k % ctx->count];
		ncclComm_t *comm = k < ctx->count ? &p->comm : &p->world;
		cudaSetDevice((int)p->device);
		if (*comm)
			nccl_keep(ctx, ctx->api.CommDestroy(*comm), NULL);
		*comm = NULL;
	}
}

/* Like nccl_disconnect, after a failure: waits for our own kernels alone: their waits end. */
static void nccl_abort(struct backend_ctx *ctx)
{
	nccl_move_await(ctx);
	nccl_drop_graphs(ctx);
	for (struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
		cudaSetDevice((int)p->device);
		abort_comms(ctx, &p->comm, 1);
		abort_comms(ctx, &p->world, 1);
		p->comm = p->world = NULL;
	}
}

/* --- buffers, and the whole --- */

static int allocate(struct backend_ctx *ctx, const struct place *p, enum nccl_arena arena,
                    char **out, size_t bytes, struct status *st)
{
	if (arena == ARENA_HOST)
		return nccl_links_pin(ctx, p, out, bytes, st);
	if (ctx->allocates)
		return nccl_ok(ctx, ctx->api.MemAlloc((void **)out, bytes), NULL, "ncclMemAlloc",
		               st);
	return device_ok(cudaMalloc((void **)out, bytes), "cudaMalloc", st);
}

/* For plain copies: every rank's buffers, if all are in one address space. */
static int exchange_arenas(struct backend_ctx *ctx, const struct backend_place *place,
                           struct status *st)
{
	if (nccl_team(team_meet(place->team), st)) /* all have read the library's id */
		return -1;
	for (unsigned i = 0; i < ctx->count; i++)
		memcpy(team_mailbox(place->team, ctx->places[i].rank),
		       &(struct nccl_peer){ctx->places[i].send, ctx->places[i].recv,
		                           ctx->places[i].round},
		       sizeof(struct nccl_peer));
	if (nccl_team(team_meet(place->team), st))
		return -1;
	if (place->processes > 1)
		return 0;
	if (!ctx->peers)
		ctx->peers = memory_take(ctx->nranks, sizeof *ctx->peers);
	for (unsigned r = 0; r < ctx->nranks; r++)
		memcpy(&ctx->peers[r], team_mailbox(place->team, r), sizeof ctx->peers[r]);
	return nccl_links_open(ctx, st);
}

/* Words for each local rank, if the driver writes them: tried once. */
static int make_words(struct backend_ctx *ctx, struct status *st)
{
	const size_t bytes = (size_t)ctx->count * 2 * DEVICE_LINE_BYTES;
	if (ctx->trial->settings.wait != WAIT_QUERY)
		device_find_words(&ctx->driver);
	if (!ctx->driver.write)
		return 0;
	if (device_pin((void **)&ctx->words, bytes, st))
		return -1;
	memset(ctx->words, 0, bytes);
	ctx->issued = 1;
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		p->word = (uint32_t *)(void *)(ctx->words + (size_t)i * 2 * DEVICE_LINE_BYTES);
		p->round = p->word + DEVICE_LINE_BYTES / sizeof *p->word;
		p->awaited = ctx->issued;
		if (device_use(p->device, st))
			return -1;
		if (device_write(ctx->driver.write, p->word, p->awaited, p->stream) !=
		    cudaSuccess) {
			ctx->driver.write = NULL;
			return 0;
		}
		if (device_ok(cudaStreamSynchronize(p->stream), "cudaStreamSynchronize", st))
			return -1;
	}
	return 0;
}

static void release(struct backend_ctx *ctx, enum nccl_arena arena, char *at)
{
	if (arena == ARENA_HOST)
		cudaFreeHost(at);
	else if (!ctx->allocates)
		cudaFree(at);
	else if (at)
		ctx->api.MemFree(at);
}

/* Adds how much memory there was if a rank's two arenas did not fit. */
static int explain_room(const struct place *p, size_t bytes, struct status *st)
{
	const struct status why = *st;
	size_t left = 0, all = 0;
	if (cudaMemGetInfo(&left, &all) != cudaSuccess || 2 * bytes <= left)
		return -1;
	st->text[0] = '\0'; /* the first error stays */
	return status_set(
	    st,
	    "%.300s: a rank's two buffers take %zu MiB, and GPU %u has %zu of its %zu MiB free; "
	    "ask for smaller sizes, of a training step for a smaller model or datatype",
	    why.text, 2 * bytes >> 20, p->device, left >> 20, all >> 20);
}

/* Replaces the arenas while the old ones exist: else the allocator would return the same memory.
 * After an error the old ones stay. */
static int make_arenas(struct backend_ctx *ctx, struct place *p, struct status *st)
{
	const struct trial *trial = ctx->trial;
	size_t bytes = trial->arena_bytes + trial->settings.offset_bytes;
	char *fresh[ARENAS] = {NULL, NULL, NULL};
	const unsigned n = nccl_links_host(trial) ? ARENAS : ARENA_HOST;
	bool failed = device_use(p->device, st);
	for (unsigned arena = 0; arena < n; arena++)
		failed =
		    failed || allocate(ctx, p, (enum nccl_arena)arena, &fresh[arena], bytes, st);
	for (unsigned arena = 0; arena < n; arena++) {
		release(ctx, (enum nccl_arena)arena, failed ? fresh[arena] : p->arenas[arena]);
		p->arenas[arena] = failed ? p->arenas[arena] : fresh[arena];
	}
	if (failed)
		return explain_room(p, bytes, st);
	p->send = p->arenas[ARENA_SEND] + trial->settings.offset_bytes;
	p->recv = p->arenas[ARENA_RECV] + trial->settings.offset_bytes;
	if (n > ARENA_HOST)
		p->host = p->arenas[ARENA_HOST] + trial->settings.offset_bytes;
	return 0;
}

static int open_place(struct backend_ctx *ctx, struct place *p, struct status *st)
{
	const struct trial *trial = ctx->trial;
	struct split split = trial->settings.split;
	struct split_place group = split_place(split, ctx->nranks, p->rank);
	p->me = group.index;
	p->color = group.color;
	p->next = split_peer(split, ctx->nranks, p->color, (p->me + 1) % ctx->n);
	p->next_device = trial_device(trial, p->next);
	p->extra_ns = settings_extra_ns(&trial->settings, p->rank);
	if (make_arenas(ctx, p, st) ||
	    device_ok(cudaDeviceGetAttribute(&p->clock_khz, cudaDevAttrClockRate, (int)p->device),
	              "cudaDeviceGetAttribute", st) ||
	    device_stream(&p->stream, st))
		return -1;
	p->at = (struct device_place){p->device, p->stream};
	return nccl_trains(trial) ? nccl_train_open(ctx, p, st) : 0;
}

void nccl_read_memory(struct backend_ctx *ctx, enum nccl_reading reading)
{
	for (struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
		size_t left = 0, all;
		if (cudaSetDevice((int)p->device) != cudaSuccess ||
		    cudaMemGetInfo(&left, &all) != cudaSuccess)
			left = 0;
		p->free_bytes[reading] = left;
	}
}

const struct place *nccl_fullest(const struct backend_ctx *ctx)
{
	const struct place *fullest = NULL;
	long long most = 0;
	while (ctx->before)
		ctx = ctx->before;
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
	for (unsigned i = 0; i < ctx->count; i++) {
		struct place *p = &ctx->places[i];
		p->rank = ctx->where.first + i;
		p->device = trial_device(ctx->trial, p->rank);
	}
	nccl_read_memory(ctx, READ_BARE);
	for (unsigned i = 0; i < ctx->count; i++)
		if (open_place(ctx, &ctx->places[i], st))
			return -1;
	nccl_read_memory(ctx, READ_BUFFERS);
	return 0;
}

static int open_ctx(struct backend_ctx *ctx, const struct backend_place *place, struct status *st)
{
	const struct trial *trial = place->trial;
	ctx->trial = trial;
	ctx->team = place->team;
	ctx->where = *place;
	ctx->nranks = place->nranks;
	ctx->count = place->count;
	ctx->n = trial_comm_ranks(trial);
	if (nccl_api_load(trial->settings.nccl, &ctx->api, st) ||
	    (nccl_trains(trial) && blas_load(&ctx->math, st)))
		return -1;
	ctx->allocates =
	    trial->settings.allocator != ALLOCATOR_CUDA && ctx->api.MemAlloc && ctx->api.MemFree;
	return 0;
}

/* Freeing nothing makes a GPU's context, if setting it has not. */
int nccl_wake(const struct backend_place *place, struct status *st)
{
	const struct settings *set = &place->trial->settings;
	struct nccl_api api;
	for (unsigned i = 0; i < place->count; i++) {
		const unsigned device = trial_device(place->trial, place->first + i);
		if ((set->wait == WAIT_BLOCK ? device_sleep : device_use)(device, st) ||
		    device_ok(cudaFree(NULL), "making the GPU's context", st))
			return -1;
	}
	return nccl_api_load(set->nccl, &api, st);
}

int nccl_open(const struct backend_place *place, struct backend_ctx **out, struct status *st)
{
	struct backend_ctx *ctx =
	    memory_take(1, sizeof *ctx + place->count * sizeof ctx->places[0]);
	*out = ctx;
	if (open_ctx(ctx, place, st) || open_places(ctx, st) ||
	    (place->trial->settings.start == START_GATED && /* every device reads the gate */
	     device_pin((void **)(uintptr_t)&ctx->gate, sizeof *ctx->gate, st)) ||
	    make_words(ctx, st) || nccl_make_comms(ctx, st))
		return -1;
	nccl_read_memory(ctx, READ_COMM);
	if (nccl_register(ctx, st))
		return -1;
	nccl_read_memory(ctx, READ_REGISTER);
	return exchange_arenas(ctx, place, st);
}

static void close_place(struct backend_ctx *ctx, struct place *p)
{
	nvml_watch_close(p->watch);
	p->watch = NULL;
	cudaSetDevice((int)p->device);
	nccl_train_close(ctx, p);
	nccl_links_drop(p);
	nccl_move_free(ctx, p);
	if (p->stream)
		cudaStreamDestroy(p->stream);
	p->stream = NULL;
	for (unsigned arena = 0; arena < ARENAS; arena++) {
		release(ctx, (enum nccl_arena)arena, p->arenas[arena]);
		p->arenas[arena] = NULL;
	}
}

static void give_back(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++)
		close_place(ctx, &ctx->places[i]);
	cudaFreeHost((void *)(uintptr_t)ctx->gate);
	cudaFreeHost(ctx->move_failed);
	cudaFreeHost(ctx->words);
	ctx->gate = NULL;
	ctx->words = NULL;
	ctx->move_failed = NULL;
}

static int deregister(struct backend_ctx *ctx, struct status *st)
{
	release_cell(ctx);
	if (nccl_ok(ctx, ctx->failed, ctx->failed_comm, "deregistering the buffers", st))
		return -1;
	/* No registration refers to memory that is freed. */
	return nccl_team(team_meet(ctx->team), st);
}

int nccl_reallocate(struct backend_ctx *ctx, struct status *st)
{
	if (deregister(ctx, st))
		return -1;
	for (unsigned i = 0; i < ctx->count; i++)
		if (make_arenas(ctx, &ctx->places[i], st))
			return -1;
	return nccl_register(ctx, st) ? -1 : exchange_arenas(ctx, &ctx->where, st);
}

/* --- a new connection beside the old one ---
 *
 * ncclCommDestroy joins a thread of the communicator that looks only every 500 ms whether it should
 * end (ncclProxyServiceUDS in NCCL's src/proxy.cc, 2.21.5 to 2.30.7): 0.50 s, where making a second
 * communicator takes 0.04 s (2 × H100, NCCL 2.28.3). So old communicators stay until the job's end,
 * where they are not destroyed either; meanwhile that thread wakes twice a second. */

/* Communicators that a process keeps: each has some 20 files open, 1024 are a usual limit. */
#define MOST_KEPT 32

/* Whether each local GPU could hold again what the first connection took, and a quarter more. */
static bool has_room(const struct backend_ctx *ctx)
{
	const struct settings *set = &ctx->trial->settings;
	const unsigned each = 1 + (set->split.op != SPLIT_NONE);
	const struct backend_ctx *first = ctx;
	unsigned kept = ctx->count * set->layout.threads * each;
	for (; first->before; first = first->before)
		kept += ctx->count * set->layout.threads * each;
	for (unsigned i = 0; i < ctx->count; i++) {
		const size_t bare = first->places[i].free_bytes[READ_BARE],
		             end = first->places[i].free_bytes[READ_END],
		             used = bare > end ? bare - end : 0,
		             left = ctx->places[i].free_bytes[READ_END];
		if (!used || !left || left < used + used / 4)
			return false;
	}
	return kept <= MOST_KEPT;
}

int nccl_renew(struct backend_ctx **at, struct status *st)
{
	struct backend_ctx *old = *at, *fresh = NULL;
	const struct backend_place where = old->where;
	bool room = false;
	nccl_read_memory(old, READ_END);
	/* All workers have to do the same. */
	if (deregister(old, st) ||
	    nccl_team(team_agree(where.team, where.first, has_room(old), &room), st))
		return -1;
	if (!room) {
		*at = NULL;
		nccl_close(old);
		return nccl_team(team_meet(where.team), st) ? -1 : nccl_open(&where, at, st);
	}
	/* None of the new buffers is an old one, as those still exist. */
	int result = nccl_open(&where, &fresh, st);
	if (fresh) {
		fresh->before = old;
		*at = fresh;
	}
	if (!result)
		give_back(old);
	return result;
}

/* The connection and those before; communicators by nccl_disconnect, nccl_abort, release_cell. */
static void end(struct backend_ctx *ctx, void (*comms)(struct backend_ctx *))
{
	for (const struct backend_ctx *c = ctx; c; c = c->before)
		if (c->failed != ncclSuccess || c->cuda_failed != cudaSuccess ||
		    team_failure(c->team))
			comms = nccl_abort;
	while (ctx) {
		struct backend_ctx *before = ctx->before;
		if (ctx->api.handle) {
			comms(ctx);
			give_back(ctx);
		}
		for (unsigned i = 0; i < ctx->count; i++)
			steps_plan_free(&ctx->places[i].plan);
		free(ctx->peers);
		free(ctx);
		ctx = before;
	}
}

void nccl_close(struct backend_ctx *ctx)
{
	end(ctx, nccl_disconnect);
}

/* Nothing is finalized: NCCL 2.30.7 crashed as its threads ended during the process's exit. */
void nccl_leave(struct backend_ctx *ctx)
{
	end(ctx, release_cell);
}
