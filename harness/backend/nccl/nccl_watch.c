#ifdef HAVE_CUDA_NCCL
#include <stdio.h>

#include "nccl.h"
#include "../device/nvml.h"

/* At the first watch, since not every trial has one. */
static void open_all(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++) {
		struct status st = {0};
		char pci[32];
		if (device_ok(cudaDeviceGetPCIBusId(pci, sizeof pci, (int)ctx->places[i].rank),
		              "cudaDeviceGetPCIBusId", &st) ||
		    nvml_watch_open(NVML_LIBRARY, pci, &ctx->places[i].watch, &st))
			snprintf(ctx->watch_missing, sizeof ctx->watch_missing, "%.*s",
			         (int)sizeof ctx->watch_missing - 1, st.text);
	}
}

void nccl_watch(struct backend_ctx *ctx, bool on)
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

void nccl_watch_read(struct backend_ctx *ctx, unsigned i, struct counters *out)
{
	if (ctx->places[i].watch) {
		nvml_watch_read(ctx->places[i].watch, out);
		return;
	}
	counters_clear(out);
	snprintf(out->missing, sizeof out->missing, "%s", ctx->watch_missing);
}

void nccl_watch_close(struct backend_ctx *ctx)
{
	for (unsigned i = 0; i < ctx->count; i++) {
		nvml_watch_close(ctx->places[i].watch);
		ctx->places[i].watch = NULL;
	}
}

#else
typedef int nccl_watch_left_out; /* built without CUDA or NCCL */
#endif
