#include "stage.h"

#include <stdlib.h>

#ifdef HAVE_CUDA_NCCL
#include "device.h"

static void stage_close(struct stage *s)
{
	cudaSetDevice((int)s->device);
	cudaFree(s->send);
	cudaFree(s->recv);
	cudaFreeHost(s->out);
	cudaFreeHost(s->in);
	cudaFreeHost(s->digests);
	if (s->stream)
		cudaStreamDestroy(s->stream);
	free(s);
}

static int stage_open(unsigned device, size_t arena_bytes, size_t call_bytes, struct stage **out,
                      struct status *st)
{
	struct stage *s = calloc(1, sizeof *s);
	*out = NULL;
	if (!s)
		return status_set(st, "out of memory for staging");
	s->device = device;
	if (device_use(device, st) || device_stream((cudaStream_t *)&s->stream, st) ||
	    device_ok(cudaMalloc((void **)&s->send, arena_bytes), "cudaMalloc", st) ||
	    device_ok(cudaMalloc((void **)&s->recv, arena_bytes), "cudaMalloc", st) ||
	    device_pin((void **)&s->out, call_bytes, st) ||
	    device_pin((void **)&s->in, call_bytes, st)) {
		stage_close(s);
		return -1;
	}
	*out = s;
	return 0;
}

static int stage_copy(struct stage *s, void *to, const void *from, size_t bytes, struct status *st)
{
	return bytes ? device_copy(to, from, bytes, s->stream, "staging", st) : 0;
}

static int stage_fill(struct stage *s, const struct buffers *b, struct status *st)
{
	return device_prepare(s->device, b, s->stream, st);
}

static int stage_check(struct stage *s, const struct buffers *b, struct backend_verdict *out,
                       struct status *st)
{
	return device_check(s->device, b, s->stream, out, st);
}

static int stage_digest(struct stage *s, const struct buffers *b, uint64_t *out, struct status *st)
{
	return device_digest(s->device, b->recv + b->span.recv_at, b->span.recv_bytes, s->stream,
	                     &s->digests, out, st);
}

static int stage_corrupt(struct stage *s, void *byte, struct status *st)
{
	return device_corrupt(s->device, byte, s->stream, st);
}

const struct stage_calls stage_calls = {.devices = device_count,
                                        .numa_node = device_numa_node,
                                        .open = stage_open,
                                        .close = stage_close,
                                        .copy = stage_copy,
                                        .fill = stage_fill,
                                        .check = stage_check,
                                        .digest = stage_digest,
                                        .corrupt = stage_corrupt};

#else

static unsigned no_devices(struct status *st)
{
	status_set(st, "memory = device: this program is built without CUDA");
	return 0;
}

static int no_open(unsigned device, size_t arena_bytes, size_t call_bytes, struct stage **out,
                   struct status *st)
{
	(void)device, (void)arena_bytes, (void)call_bytes, (void)out;
	no_devices(st);
	return -1;
}

const struct stage_calls stage_calls = {.devices = no_devices, .open = no_open};
#endif
