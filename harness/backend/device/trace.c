#include "trace.h"
#include "../../memory.h"

#include <pthread.h>

#include "../../clock.h"
#include "../symbols.h"

#if __has_include(<cupti.h>)
#include <cupti.h>

#define BUFFER_BYTES (1 << 20)
#define JOIN_NS      5000 /* kernels this close together are drawn as one */

struct kernel {
	unsigned device, ctas;
	int64_t start_ns, end_ns;
};

/* CUPTI is one per process, its callbacks have no pointer of ours: this file alone keeps state. */
static struct trace {
	pthread_mutex_t lock;
	unsigned users;
	bool tried;
	char missing[256];
	CUptiResult (*enable)(CUpti_ActivityKind);
	CUptiResult (*disable)(CUpti_ActivityKind);
	CUptiResult (*set_buffers)(CUpti_BuffersCallbackRequestFunc,
	                           CUpti_BuffersCallbackCompleteFunc);
	CUptiResult (*flush)(uint32_t);
	CUptiResult (*next)(uint8_t *, size_t, CUpti_Activity **);
	CUptiResult (*set_clock)(CUpti_TimestampCallbackFunc);
	struct kernel *kernels;
	size_t count, room;
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now(void)
{
	return (uint64_t)clock_now_ns();
}

static void give_buffer(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
	*buffer = aligned_alloc(8, BUFFER_BYTES);
	*bytes = *buffer ? BUFFER_BYTES : 0;
	*max_records = 0;
}

static void keep_kernel(const CUpti_ActivityKernel4 *k)
{
	if (trace.count == trace.room) {
		size_t room = trace.room ? 2 * trace.room : 1024;
		trace.kernels = memory_more(trace.kernels, room, sizeof *trace.kernels);
		trace.room = room;
	}
	/* Thread blocks are counted for kernels that move data, not for the work beside them. */
	const bool moves = !k->name || strstr(k->name, "nccl");
	trace.kernels[trace.count++] =
	    (struct kernel){k->deviceId, moves ? (unsigned)(k->gridX * k->gridY * k->gridZ) : 0,
	                    (int64_t)k->start, (int64_t)k->end};
}

static void take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
                        size_t valid)
{
	CUpti_Activity *record = NULL;
	(void)context, (void)stream, (void)bytes;
	pthread_mutex_lock(&trace.lock);
	while (trace.next(buffer, valid, &record) == CUPTI_SUCCESS)
		if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			/* The fields read here have not moved since its oldest version. */
			keep_kernel((const CUpti_ActivityKernel4 *)(const void *)record);
	pthread_mutex_unlock(&trace.lock);
	free(buffer);
}

#define ROW(NAME, SYMBOL) SYMBOL_OF(struct trace, NAME, SYMBOL)
static const struct symbol symbols[] = {ROW(enable, cuptiActivityEnable),
                                        ROW(disable, cuptiActivityDisable),
                                        ROW(set_buffers, cuptiActivityRegisterCallbacks),
                                        ROW(flush, cuptiActivityFlushAll),
                                        ROW(next, cuptiActivityGetNextRecord),
                                        ROW(set_clock, cuptiActivityRegisterTimestampCallback)};

static void load(void)
{
	static const char *const files[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
	                                    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
	                                    "/usr/local/cuda/lib64/libcupti.so"};
	void *handle = NULL;
	trace.tried = true;
	for (unsigned i = 0; i < sizeof files / sizeof *files && !handle; i++)
		handle = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		snprintf(trace.missing, sizeof trace.missing,
		         "no libcupti.so (NVIDIA's cuda-cupti): no device times");
	else if (symbols_find(handle, symbols, sizeof symbols / sizeof *symbols, &trace))
		snprintf(trace.missing, sizeof trace.missing,
		         "CUPTI is older than CUDA 11.6: no device times");
}

void trace_begin(void)
{
	pthread_mutex_lock(&trace.lock);
	if (!trace.tried)
		load();
	bool first = trace.users++ == 0 && !trace.missing[0];
	trace.count = first ? 0 : trace.count;
	pthread_mutex_unlock(&trace.lock);
	if (!first)
		return;
	CUptiResult result = trace.set_clock(now);
	if (result == CUPTI_SUCCESS)
		result = trace.set_buffers(give_buffer, take_buffer);
	if (result == CUPTI_SUCCESS)
		result = trace.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	if (result != CUPTI_SUCCESS)
		snprintf(trace.missing, sizeof trace.missing, "CUPTI refused (%d): no device times",
		         (int)result);
}

void trace_end(void)
{
	pthread_mutex_lock(&trace.lock);
	bool last = --trace.users == 0 && !trace.missing[0];
	pthread_mutex_unlock(&trace.lock);
	if (last)
		trace.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

unsigned trace_read(unsigned device, struct sample *rows, unsigned n)
{
	unsigned ctas = 0;
	if (trace.missing[0])
		return 0;
	trace.flush(1); /* not under the lock: it calls take_buffer */
	pthread_mutex_lock(&trace.lock);
	for (size_t k = 0; k < trace.count; k++) {
		const struct kernel *kernel = &trace.kernels[k];
		unsigned row = n;
		for (unsigned i = 0; i < n && rows[i].start_ns < kernel->end_ns; i++)
			row = i;
		if (kernel->device != device || row == n)
			continue;
		struct sample *s = &rows[row];
		if (!s->device_start_ns || kernel->start_ns < s->device_start_ns)
			s->device_start_ns = kernel->start_ns;
		if (kernel->end_ns > s->device_end_ns)
			s->device_end_ns = kernel->end_ns;
		ctas = kernel->ctas > ctas ? kernel->ctas : ctas;
	}
	pthread_mutex_unlock(&trace.lock);
	return ctas;
}

static int by_start(const void *a, const void *b)
{
	const struct kernel *x = a, *y = b;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* CUPTI does not sort kernels by time. */
void trace_spans(unsigned device, int64_t from_ns, struct sample_spans *out)
{
	pthread_mutex_lock(&trace.lock);
	if (trace.count)
		qsort(trace.kernels, trace.count, sizeof *trace.kernels, by_start);
	for (size_t k = 0; k < trace.count; k++) {
		const struct kernel *kernel = &trace.kernels[k];
		if (kernel->device == device && kernel->start_ns >= from_ns)
			sample_spans_add(out, kernel->ctas ? LANE_COMMUNICATION : LANE_WORK,
			                 kernel->start_ns, kernel->end_ns, JOIN_NS);
	}
	pthread_mutex_unlock(&trace.lock);
}

const char *trace_missing(void)
{
	return trace.missing[0] ? trace.missing : NULL;
}

#else
void trace_begin(void)
{
}

void trace_end(void)
{
}

unsigned trace_read(unsigned device, struct sample *rows, unsigned n)
{
	(void)device, (void)rows, (void)n;
	return 0;
}

void trace_spans(unsigned device, int64_t from_ns, struct sample_spans *out)
{
	(void)device, (void)from_ns, (void)out;
}

const char *trace_missing(void)
{
	return "built without cupti.h: no device times";
}
#endif
