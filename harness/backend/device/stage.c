#include "stage.h"
#include "../../memory.h"

#ifdef HAVE_CUDA_NCCL
#include "device.h"

struct own {
	struct stage s;
	struct device_place place;
};

static void stage_close(struct stage *s)
{
	struct own *own = (struct own *)s;
	cudaSetDevice((int)own->place.device);
	cudaFree(s->send);
	cudaFree(s->recv);
	cudaFreeHost(s->out);
	cudaFreeHost(s->in);
	if (own->place.stream)
		cudaStreamDestroy(own->place.stream);
	free(own);
}

static int stage_open(unsigned device, size_t arena_bytes, size_t call_bytes, struct stage **out,
                      struct status *st)
{
	struct own *own = memory_take(1, sizeof *own);
	*out = NULL;
	struct stage *s = &own->s;
	s->memory = &device_buffers;
	s->at = &own->place;
	own->place = (struct device_place){.device = device};
	if (device_use(device, st) || device_stream(&own->place.stream, st) ||
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
	const struct device_place *at = s->at;
	return bytes ? device_copy(to, from, bytes, at->stream, "staging", st) : 0;
}

const struct stage_calls stage_calls = {.devices = device_count,
                                        .numa_node = device_numa_node,
                                        .open = stage_open,
                                        .close = stage_close,
                                        .copy = stage_copy};

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
