/* NCCL: a GPU per rank, collectives by the library that `nccl` names. */
#include "backend.h"

#ifdef HAVE_CUDA_NCCL
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nccl.h"
#include "nvml.h"
#include "trace.h"

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

static void nccl_trace(struct backend_ctx *ctx, bool on)
{
	ctx->traced = true;
	if (on)
		trace_begin();
	else
		trace_end();
}

static void nccl_trace_read(struct backend_ctx *ctx, unsigned i, struct sample *rows,
                            unsigned n)
{
	trace_read(ctx->places[i].rank, rows, n);
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

/* Appends a fact as far as there is room. */
static void __attribute__((format(printf, 3, 4)))
add(char *text, size_t bytes, const char *format, ...)
{
	size_t at = strlen(text);
	va_list args;
	va_start(args, format);
	vsnprintf(text + at, bytes - at, format, args);
	va_end(args);
}

/* The clocks of the ranks' GPUs, while they are still warm from the last call. */
static void describe_clocks(const struct backend_ctx *ctx, char *text, size_t bytes)
{
	char now[128] = "", most[128] = "", why[128] = "none";
	for (unsigned i = 0; i < ctx->count; i++) {
		struct nvml_clocks c;
		char pci[32];
		if (cudaDeviceGetPCIBusId(pci, sizeof pci, (int)ctx->places[i].rank) !=
		        cudaSuccess ||
		    !nvml_read(NVML_LIBRARY, pci, &c) || !c.busy)
			continue;
		add(now, sizeof now, "%s%u", now[0] ? " " : "", c.sm_mhz);
		add(most, sizeof most, "%s%u", most[0] ? " " : "", c.sm_max_mhz);
		if (strcmp(c.throttle, "none"))
			snprintf(why, sizeof why, "%s", c.throttle);
	}
	if (now[0])
		add(text, bytes, "clock_sm_mhz=%s\nclock_sm_max_mhz=%s\nthrottle=%s\n", now,
		    most, why);
}

static void nccl_describe(struct backend_ctx *ctx, char *text, size_t bytes)
{
	char device[128];
	snprintf(text, bytes, "library=%s\nlibrary_file=%s\nallocator=%s\napi=%s\n",
	         ctx->api.version, ctx->api.file,
	         ctx->allocates ? "ncclMemAlloc" : "cudaMalloc",
	         ctx->native ? "native" : "grouped");
	describe_clocks(ctx, text, bytes);
	if (ctx->traced)
		add(text, bytes, "trace=%s\n", trace_missing() ? trace_missing() : "CUPTI");
	for (unsigned i = 0; i < ctx->count; i++) {
		device_describe(ctx->places[i].rank, device, sizeof device);
		add(text, bytes, "device_%u=%s\n", ctx->places[i].rank, device);
	}
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
    .hold = nccl_hold,
    .release = nccl_release,
    .trace = nccl_trace,
    .trace_read = nccl_trace_read,
    .check = nccl_check,
    .describe = nccl_describe,
    .close = nccl_close,
#endif
};
