/* NCCL: a GPU per rank, collectives by the library that `nccl` names. */
#include "../../core/backend.h"
#include "../../machine.h"
#include "nccl_log.h"

#ifdef HAVE_CUDA_NCCL
#include "nccl.h"
#include "../device/nvml.h"
#include "../device/trace.h"

/* Without GPUs, as for a dry run, nothing is against it. */
static bool nccl_shares(const struct trial *trial)
{
	struct status ignored = {""};
	const unsigned n = device_count(&ignored) ? layout_ranks(trial->settings.layout) : 0;
	unsigned rank = 0;
	while (rank < n && device_shared(trial_device(trial, rank)))
		rank++;
	return rank == n;
}

static unsigned nccl_capacity(struct status *st)
{
	struct nccl_api api;
	const char *shown = machine_env("CUDA_VISIBLE_DEVICES");
	unsigned n = device_count(st);
	if (!n || nccl_api_load("", &api, st))
		return 0;
	if (shown)
		status_set(st,
		           "CUDA_VISIBLE_DEVICES is \"%.60s\", and each process has to see the "
		           "GPUs of all (unset it; srun --gpu-bind=none)",
		           shown);
	return n;
}

static size_t nccl_memory(void)
{
	struct status ignored = {""};
	const unsigned gpus = device_count(&ignored);
	size_t least = gpus ? device_memory(0) : 0;
	for (unsigned gpu = 1; gpu < gpus; gpu++) {
		const size_t bytes = device_memory(gpu);
		least = bytes < least ? bytes : least;
	}
	return least;
}

/* What these GPUs cannot hold even when they are empty, before it costs a trial. */
static int refuse_room(const struct trial *trial, unsigned ranks, struct status *st)
{
	const unsigned each = trial->settings.ranks_per_gpu, on = ranks < each ? ranks : each;
	const size_t bytes = trial->arena_bytes + trial->settings.offset_bytes;
	size_t largest = 0;
	for (unsigned c = 0; c < trial->ncells; c++)
		largest = trial->cells[c].bytes > largest ? trial->cells[c].bytes : largest;
	for (unsigned gpu = 0; gpu < (ranks + each - 1) / each; gpu++) {
		const size_t has = device_memory(gpu) / on; /* 0: not known */
		if (has && 2 * bytes > has)
			return status_set(
			    st,
			    "%zu MiB do not fit: a rank's two buffers take %zu MiB, and GPU %u has "
			    "%zu MiB for each of its ranks; ask for smaller sizes",
			    largest >> 20, 2 * bytes >> 20, gpu, has >> 20);
	}
	return 0;
}

static int nccl_supports(const struct trial *trial, struct status *st)
{
	struct nccl_api api;
	unsigned gpus = device_count(st), ranks = layout_ranks(settings_on_host(&trial->settings));
	unsigned each = trial->settings.ranks_per_gpu, lowest = UINT_MAX;
	if (!gpus)
		return -1;
	if (ranks > gpus * each)
		return status_set(
		    st,
		    "%u ranks need %u GPUs, and CUDA shows %u. Ranks can share a GPU "
		    "(ranks_per_gpu, NCCL 2.30.3 or later): to check results, not for speed",
		    ranks, (ranks + each - 1) / each, gpus);
	if (refuse_room(trial, ranks, st) || nccl_api_load(trial->settings.nccl, &api, st))
		return -1;
	for (unsigned rank = 0; rank < ranks; rank += each) {
		unsigned compute = device_compute(rank / each);
		lowest = compute < lowest ? compute : lowest;
	}
	return nccl_refuse(trial, &api, lowest, st) || nccl_links_refuse_devices(trial, st) ? -1
	                                                                                    : 0;
}

static void nccl_buffers(const struct backend_ctx *ctx, unsigned i, struct buffers *out)
{
	const struct place *p = &ctx->places[i];
	*out = buffers_of(ctx->trial, &ctx->call.cell, &ctx->call.parts,
	                  (struct split_place){p->color, ctx->n, p->me}, ctx->slots, ctx->seed,
	                  nccl_send_of(ctx, p), nccl_recv_of(ctx, p));
	out->memory = &device_buffers;
	out->at = &p->at;
}

static int nccl_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                        unsigned slots, struct status *st)
{
	ctx->seed = seed;
	ctx->slots = slots;
	return nccl_take_cell(ctx, cell, st);
}

static void nccl_mark(struct backend_ctx *ctx, const char *text)
{
	(void)ctx;
	device_mark(text);
}

static void nccl_trace(struct backend_ctx *ctx, bool on)
{
	ctx->traced = true;
	if (on)
		trace_begin();
	else
		trace_end();
}

static void nccl_trace_read(struct backend_ctx *ctx, unsigned i, struct sample *rows, unsigned n)
{
	unsigned ctas = trace_read(ctx->places[i].device, rows, n),
	         *most = &ctx->ctas[ctx->call.cell.coll];
	*most = ctas > *most ? ctas : *most;
}

static void nccl_spans(struct backend_ctx *ctx, unsigned i, int64_t from_ns,
                       struct sample_spans *out)
{
	trace_spans(ctx->places[i].device, from_ns, out);
}

/* --- hardware counters --- */

/* Opens the counters at the first watch, as not every trial has one. */
static void open_all(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++) {
		struct status st = {0};
		char pci[32];
		if (device_ok(cudaDeviceGetPCIBusId(pci, sizeof pci, (int)ctx->places[i].device),
		              "cudaDeviceGetPCIBusId", &st) ||
		    nvml_watch_open(NVML_LIBRARY, pci, &ctx->places[i].watch, &st))
			snprintf(ctx->watch_missing, sizeof ctx->watch_missing, "%.*s",
			         (int)sizeof ctx->watch_missing - 1, st.text);
	}
}

static void nccl_watch(struct backend_ctx *ctx, bool on)
{
	if (on && !ctx->watched) {
		open_all(ctx);
		ctx->watched = true;
	}
	for (unsigned i = 0; i < ctx->count; i++) {
		struct nvml_watch *watch = ctx->places[i].watch;
		if (watch && on)
			nvml_watch_begin(watch);
		else if (watch)
			nvml_watch_end(watch);
	}
}

static void nccl_watch_read(struct backend_ctx *ctx, unsigned i, struct counters *out)
{
	if (ctx->places[i].watch) {
		nvml_watch_read(ctx->places[i].watch, out);
		return;
	}
	counters_clear(out);
	snprintf(out->missing, sizeof out->missing, "%s", ctx->watch_missing);
}

/* A rank's own failure is why the others' kernels waited for it, and may have given up by now. */
static void nccl_error(struct backend_ctx *ctx, struct status *st)
{
	if (!nccl_ok(ctx, ctx->failed, ctx->failed_comm, "NCCL", st) &&
	    !device_ok(ctx->cuda_failed, "CUDA", st))
		nccl_move_late(ctx, st);
}

/* The clocks of the ranks' GPUs, while they are still warm from the last call. */
static void describe_clocks(const struct backend_ctx *ctx, char *text, size_t bytes)
{
	char now[128] = "", most[128] = "", why[128] = "none";
	for (unsigned i = 0; i < ctx->count; i++) {
		struct nvml_clocks c;
		char pci[32];
		if (cudaDeviceGetPCIBusId(pci, sizeof pci, (int)ctx->places[i].device) !=
		        cudaSuccess ||
		    !nvml_read(NVML_LIBRARY, pci, &c) || !c.busy)
			continue;
		status_add(now, sizeof now, "%s%u", now[0] ? " " : "", c.sm_mhz);
		status_add(most, sizeof most, "%s%u", most[0] ? " " : "", c.sm_max_mhz);
		if (strcmp(c.throttle, "none"))
			snprintf(why, sizeof why, "%s", c.throttle);
	}
	if (now[0])
		status_add(text, bytes, "clock_sm_mhz=%s\nclock_sm_max_mhz=%s\nthrottle=%s\n", now,
		           most, why);
}

/* What buffers, communicators and calls took of the GPU whose memory fell most. It would count
 * what jobs in turns took. */
static void describe_memory(struct backend_ctx *ctx, char *text, size_t bytes)
{
	static const char *const names[READINGS] = {NULL, "buffers", "comm", "register", "calls"};
	if (ctx->trial->turns_to)
		return;
	if (!ctx->before)
		nccl_read_memory(ctx, READ_END);
	const struct place *p = nccl_fullest(ctx);
	for (unsigned i = 1; p && i < READINGS; i++)
		if (p->free_bytes[i - 1] && p->free_bytes[i])
			status_add(text, bytes, "memory_%s_bytes=%lld\n", names[i],
			           (long long)p->free_bytes[i - 1] - (long long)p->free_bytes[i]);
}

/* How many arenas the library registered: it may register none without an error. */
static void describe_registration(const struct backend_ctx *ctx, char *text, size_t bytes)
{
	enum registration how = nccl_registration(ctx->trial);
	unsigned taken = 0;
	for (unsigned i = 0; i < ctx->count; i++)
		taken += !!ctx->places[i].handles[0] + !!ctx->places[i].handles[1];
	if (how == REGISTER_NONE)
		status_add(text, bytes, "registered=none\n");
	else
		status_add(text, bytes, "registered=%s, %u of %u buffers\n",
		           settings_words("register")[how], taken,
		           (how == REGISTER_RECV_WINDOW ? 1 : 2) * ctx->count);
}

static void describe_library(const struct backend_ctx *ctx, char *text, size_t bytes)
{
	int runtime = 0, driver = 0;
	if (cudaRuntimeGetVersion(&runtime) == cudaSuccess &&
	    cudaDriverGetVersion(&driver) == cudaSuccess)
		status_add(text, bytes, "cuda=%d.%d\ncuda_of_driver=%d.%d\n", runtime / 1000,
		           runtime % 1000 / 10, driver / 1000, driver % 1000 / 10);
	status_add(text, bytes, "library=%s\nlibrary_file=%s\nallocator=%s\napi=%s\n",
	           ctx->api.version, ctx->api.file, ctx->allocates ? "ncclMemAlloc" : "cudaMalloc",
	           ctx->trial->settings.api);
}

/* The thread blocks that were launched, whatever min_ctas, max_ctas and call_ctas asked for. */
static void describe_launched(const struct backend_ctx *ctx, char *text, size_t bytes)
{
	char launched[256] = "";
	for (int c = 0; c < COLL_KINDS; c++)
		if (ctx->ctas[c])
			status_add(launched, sizeof launched, "%s%s %u", launched[0] ? ", " : "",
			           coll_info((enum coll_kind)c)->name, ctx->ctas[c]);
	if (launched[0])
		status_add(text, bytes, "launched_ctas=%s\nsms=%u\n", launched,
		           device_sms(ctx->places[0].device));
}

static void nccl_describe(struct backend_ctx *ctx, char *text, size_t bytes)
{
	char device[128];
	text[0] = '\0';
	describe_library(ctx, text, bytes);
	describe_registration(ctx, text, bytes);
	nccl_move_describe(ctx, text, bytes);
	status_add(text, bytes, "end_seen=%s\n", ctx->driver.write ? "word" : "query");
	if (!ctx->trial->turns_to) /* jobs in turns connect side by side */
		status_add(text, bytes, "init_ns=%lld\n", (long long)ctx->init_ns);
	describe_memory(ctx, text, bytes);
	describe_clocks(ctx, text, bytes);
	describe_launched(ctx, text, bytes);
	if (ctx->traced)
		status_add(text, bytes, "trace=%s\n", trace_missing() ? trace_missing() : "CUPTI");
	for (unsigned i = 0; i < ctx->count; i++) {
		device_describe(ctx->places[i].device, device, sizeof device);
		status_add(text, bytes, "device_%u=%s\n", ctx->places[i].rank, device);
	}
}

static int nccl_numa_node(const struct trial *trial, unsigned rank)
{
	return device_numa_node(trial_device(trial, rank));
}

#define MEND "nvidia-smi -L && apt-get install libnccl2"
#else
#define MEND "apt-get install nvidia-cuda-toolkit libnccl-dev && make"
#define LEFT_OUT                                                                                   \
	"built without CUDA's or NCCL's headers; with nvcc and nccl.h (NVIDIA's cuda-toolkit "     \
	"and libnccl-dev) a fresh `make` would add measuring on GPUs"

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

/* Without CUDA only the three functions that report so are called. */
static const char *const uses[] = {"split",        "graph",       "offset",    "stride",
                                   "engine",       "peer",        "nccl",      "nccl_below",
                                   "api",          "allocator",   "register",  "cta_policy",
                                   "min_ctas",     "max_ctas",    "call_ctas", "ranks_per_gpu",
                                   "init",         "flip",        "each",      "extra",
                                   "visible",      "hidden",      "batch",     "first_bucket",
                                   "accumulation", "bucket_view", "path",      NULL};

const struct backend backend_nccl = {
    .uses = uses,
    .arena_bytes = (size_t)4 * 64 << 20, /* twice the largest L2 so far (126 MB) */
    .name = "nccl",
    .summary = "NVIDIA's library, loaded by path; a GPU per rank",
    .costs = "GPUs: experiments measure CPU memory instead, which says nothing about GPUs",
    .mend = MEND,
    .is = {.carries_data = true,
           .connects = true,
           .launches = true,
           .gpus = true,
           .traffics = true,
           .library = true,
           .logs_path = true},
    .capacity = nccl_capacity,
    .supports = nccl_supports,
    .log_ask = nccl_log_ask,
    .log_path = nccl_log_path,
#ifdef HAVE_CUDA_NCCL
    .library = nccl_library,
    .memory = nccl_memory,
    .numa_node = nccl_numa_node,
    .shares = nccl_shares,
    .wake = nccl_wake,
    .open = nccl_open,
    .prepare = nccl_prepare,
    .begin = nccl_begin,
    .issue = nccl_issue,
    .end = nccl_end,
    .poll = nccl_poll,
    .block = nccl_block,
    .error = nccl_error,
    .hold = nccl_hold,
    .release = nccl_release,
    .mark = nccl_mark,
    .trace = nccl_trace,
    .trace_read = nccl_trace_read,
    .spans = nccl_spans,
    .capture = nccl_capture,
    .replay = nccl_replay,
    .watch_ns = 2 * NVML_WATCH_NS, /* one sample of GPM's lies before each reading, or more */
    .watch_settle_ns = NVML_WATCH_NS * 6 / 5,
    .watch_lead_ns = 4000000,
    .watch = nccl_watch,
    .watch_read = nccl_watch_read,
    .reallocate = nccl_reallocate,
    .renew = nccl_renew,
    .disconnect = nccl_disconnect,
    .connect = nccl_connect,
    .buffers = nccl_buffers,
    .describe = nccl_describe,
    .close = nccl_close,
    .leave = nccl_leave,
#endif
};
