/* A stand-in for CUDA's runtime: as many GPUs as STANDIN_GPUS says, else 4, each with STANDIN_MIB
 * of memory for a process, else 64 GiB. It is the host's; a stream is a thread that does one thing
 * after the other, so that calls return before their work is done, as on a GPU. Streams can be
 * captured, with CUDA's refusals. inject.h describes errors (STANDIN_CUDART; `kernel`: of all that
 * a stream does), and how what a process leaves at its end is told. */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "cudart.h"
#include "inject.h"
#include "standin.h"

#define enter        standin_enter_cuda
#define enter_unsafe standin_enter_unsafe

/* A function begins, or gives the error that it is to give. */
#define ENTER(ASKED)                                                                               \
	do {                                                                                       \
		const cudaError_t error_ = ASKED;                                                  \
		if (error_)                                                                        \
			return error_;                                                             \
	} while (0)

#define CLOCK_KHZ 1980000

struct item {
	standin_work *work;
	struct item *next;
	size_t bytes;
	_Alignas(16) char args[];
};

/* Until the process ends: others may name one that is destroyed. */
struct kept {
	struct kept *before;
};

/* As it is captured, and what it is instantiated as. Of streams that joined by waiting for an event
 * of it, what they do comes in the order in which it was issued. */
struct CUgraph_st {
	struct kept is;
	struct item *items;
	cudaStream_t origin; /* while it is captured */
	unsigned users;
};

struct CUstream_st {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	unsigned device;
	struct item *first, **last;
	bool busy, closing;
	cudaError_t failed;
	cudaGraph_t capture; /* that it was last part of */
};

struct CUevent_st {
	struct kept is;
	uint32_t recorded, reached; /* how often */
	cudaGraph_t capture;        /* that the last record was for */
};

static struct {
	pthread_once_t once;
	unsigned gpus, number[MOST_GPUS]; /* of those that this process sees */
	struct inject inject;
	pthread_mutex_t lock;
	atomic_int queued; /* in streams, and not done */
	atomic_int streams, events, graphs;
	struct kept *kept;
} here = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local unsigned current;
static _Thread_local unsigned captures; /* that this thread has begun */
static _Thread_local struct CUstream_st *working;

static void write_calls(void)
{
	inject_write(&here.inject, "memory, streams, events, graphs",
	             memory_blocks() + here.streams + here.events + here.graphs);
}

/* Numbers with ',' between, as CUDA_VISIBLE_DEVICES has them; up to the first that is none. */
static void see(const char *visible)
{
	unsigned all = here.gpus, at;
	char *end;
	for (here.gpus = 0; here.gpus < all; here.gpus++, visible = end + (*end == ',')) {
		at = (unsigned)strtoul(visible, &end, 10);
		if (end == visible || at >= all)
			break;
		here.number[here.gpus] = at;
	}
}

/* As CUDA's own: it is there from the first call on, takes what signals its creator did not block,
 * and waits for what never comes. */
static void *wait_for_events(void *nothing)
{
	for (;;)
		pause();
	return nothing;
}

static void begin(void)
{
	pthread_t events;
	if (!pthread_create(&events, NULL, wait_for_events, NULL))
		pthread_detach(events);
	const char *gpus = getenv("STANDIN_GPUS"), *visible = getenv("CUDA_VISIBLE_DEVICES");
	here.gpus = gpus ? (unsigned)atoi(gpus) : 4;
	for (unsigned i = 0; i < here.gpus; i++)
		here.number[i] = i;
	if (visible)
		see(visible);
	inject_read(&here.inject, getenv("STANDIN_CUDART"));
	atexit(write_calls);
}

static void *keep(size_t bytes)
{
	struct kept *made = calloc(1, bytes);
	pthread_mutex_lock(&here.lock);
	made->before = here.kept;
	here.kept = made;
	pthread_mutex_unlock(&here.lock);
	return made;
}

cudaError_t standin_enter_cuda(const char *function)
{
	pthread_once(&here.once, begin);
	return (cudaError_t)inject_ask(&here.inject, function);
}

cudaError_t standin_enter_unsafe(const char *function)
{
	cudaError_t error = enter(function);
	return error ? error : captures ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

/* --- devices --- */

cudaError_t cudaGetDeviceCount(int *count)
{
	cudaError_t error = enter(__func__);
	*count = error ? 0 : (int)here.gpus;
	return error ? error : here.gpus ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaSetDevice(int device)
{
	ENTER(enter(__func__));
	if (device < 0 || (unsigned)device >= here.gpus)
		return cudaErrorInvalidDevice;
	current = (unsigned)device;
	return cudaSuccess;
}

#define VERSION 13000 /* 13.0, as the driver's */

/* Does, and answers as it is to. */
#define ANSWERS(NAME, DOES, ...)                                                                   \
	cudaError_t NAME(__VA_ARGS__)                                                              \
	{                                                                                          \
		DOES;                                                                              \
		return enter(#NAME);                                                               \
	}
ANSWERS(cudaSetDeviceFlags, , unsigned flags)
ANSWERS(cudaDeviceEnablePeerAccess, , int peer, unsigned flags)
ANSWERS(cudaGetLastError, , void)
ANSWERS(cudaGraphUpload, , cudaGraphExec_t exec, cudaStream_t stream)
ANSWERS(cudaGetDevice, *device = (int)current, int *device)
ANSWERS(cudaRuntimeGetVersion, *version = VERSION, int *version)
ANSWERS(cudaDriverGetVersion, *version = VERSION, int *version)
ANSWERS(cudaDeviceCanAccessPeer, *can = device != peer && !getenv("STANDIN_NO_PEERS"), int *can,
        int device, int peer)

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	ENTER(enter(__func__));
	if (device < 0 || (unsigned)device >= here.gpus)
		return cudaErrorInvalidDevice;
	*value = attribute == cudaDevAttrComputeCapabilityMajor   ? 9
	         : attribute == cudaDevAttrComputeCapabilityMinor ? 0
	         : attribute == cudaDevAttrClockRate              ? CLOCK_KHZ
	         : attribute == cudaDevAttrComputeMode && getenv("STANDIN_EXCLUSIVE")
	             ? cudaComputeModeExclusiveProcess
	             : cudaComputeModeDefault;
	return attribute == cudaDevAttrMultiProcessorCount ? cudaErrorInvalidValue : cudaSuccess;
}

/* As standin_nvml.c knows them: GPU 0 is its third, which has every counter. */
int standin_gpu(int device)
{
	return here.number[device];
}

cudaError_t cudaDeviceGetPCIBusId(char *pci, int bytes, int device)
{
	cudaError_t error = enter(__func__);
	if (!error)
		snprintf(pci, (size_t)bytes, "0000:%02x:00.0", here.number[device] + 3);
	return error;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	cudaError_t error = enter("cudaGetDeviceProperties");
	prop->totalGlobalMem = error ? 0 : standin_gpu_bytes();
	if (!error)
		snprintf(prop->name, sizeof prop->name, "Stand-in GPU");
	return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
	return error == cudaSuccess                 ? "no error"
	       : error == cudaErrorMemoryAllocation ? "out of memory"
	       : error == cudaErrorNoDevice         ? "no CUDA-capable device is detected"
	       : error == cudaErrorInvalidDevice    ? "invalid device ordinal"
	       : error == cudaErrorIllegalAddress   ? "an illegal memory access was encountered"
	       : error == cudaErrorStreamCaptureUnsupported
	           ? "operation not permitted when stream is capturing"
	           : "unspecified launch failure";
}

unsigned standin_current(void)
{
	return current;
}

bool standin_is_busy(void)
{
	return atomic_load(&here.queued) > 0;
}

/* --- streams --- */

static void item_do(struct item *item)
{
	cudaError_t error = enter("kernel");
	if (error)
		standin_stream_fail(error);
	else
		item->work(item->args);
}

static void *stream_run(void *arg)
{
	struct CUstream_st *s = arg;
	working = s;
	current = s->device;
	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (!s->first && !s->closing)
			pthread_cond_wait(&s->moved, &s->lock);
		struct item *item = s->first;
		if (!item)
			break;
		s->busy = true;
		s->first = item->next;
		if (!s->first)
			s->last = &s->first;
		bool sound = !s->failed;
		pthread_mutex_unlock(&s->lock);
		if (sound)
			item_do(item);
		free(item);
		atomic_fetch_sub(&here.queued, 1);
		pthread_mutex_lock(&s->lock);
		s->busy = false;
		pthread_cond_broadcast(&s->moved);
	}
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->moved);
	free(s);
	return NULL;
}

void standin_stream_fail(cudaError_t error)
{
	pthread_mutex_lock(&working->lock);
	if (!working->failed)
		working->failed = error;
	pthread_mutex_unlock(&working->lock);
}

static struct CUstream_st *stream_make(void)
{
	struct CUstream_st *s = calloc(1, sizeof *s);
	pthread_t thread;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->moved, NULL);
	s->device = current;
	s->last = &s->first;
	if (pthread_create(&thread, NULL, stream_run, s))
		abort();
	pthread_detach(thread);
	return s;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
	ENTER(enter_unsafe(__func__));
	*out = stream_make();
	here.streams++;
	return cudaSuccess;
}

static void graph_leave(cudaGraph_t g)
{
	struct item *item;
	here.graphs--;
	if (--g->users)
		return;
	while ((item = g->items)) {
		g->items = item->next;
		free(item);
	}
}

/* That the stream is part of; NULL: it is not captured. */
static cudaGraph_t captured(const struct CUstream_st *s)
{
	return s->capture && s->capture->origin ? s->capture : NULL;
}

static void capture_end(cudaGraph_t g)
{
	g->origin = NULL;
	captures--;
}

/* What is in it is still done. */
cudaError_t cudaStreamDestroy(cudaStream_t s)
{
	cudaError_t error = enter(__func__);
	cudaGraph_t graph = captured(s);
	if (graph && graph->origin == s) {
		capture_end(graph);
		graph_leave(graph);
	}
	pthread_mutex_lock(&s->lock);
	s->closing = true;
	pthread_cond_broadcast(&s->moved);
	pthread_mutex_unlock(&s->lock);
	here.streams--;
	return error;
}

static cudaError_t stream_put(struct CUstream_st *s, struct item *item)
{
	pthread_mutex_lock(&s->lock);
	cudaError_t failed = s->failed;
	if (!failed) {
		atomic_fetch_add(&here.queued, 1);
		*s->last = item;
		s->last = &item->next;
		pthread_cond_broadcast(&s->moved);
	}
	pthread_mutex_unlock(&s->lock);
	if (failed)
		free(item);
	return failed;
}

static cudaError_t stream_add(cudaStream_t s, standin_work *work, const void *args, size_t bytes)
{
	struct item *item = calloc(1, sizeof *item + bytes), **last;
	item->work = work;
	item->bytes = bytes;
	memcpy(item->args, args, bytes);
	if (!captured(s))
		return stream_put(s, item);
	for (last = &s->capture->items; *last;)
		last = &(*last)->next;
	*last = item;
	return cudaSuccess;
}

cudaError_t standin_launch(const char *name, cudaStream_t stream, standin_work *work,
                           const void *args, size_t bytes)
{
	cudaError_t error = enter(name);
	return error ? error : stream_add(stream, work, args, bytes);
}

cudaError_t cudaStreamQuery(cudaStream_t s)
{
	cudaError_t error = enter(__func__);
	if (error)
		return error;
	if (captured(s))
		return cudaErrorStreamCaptureUnsupported;
	pthread_mutex_lock(&s->lock);
	error = s->failed ? s->failed : s->first || s->busy ? cudaErrorNotReady : cudaSuccess;
	pthread_mutex_unlock(&s->lock);
	return error;
}

/* In the order of streams: also of events. */
struct word {
	uint32_t *at, value;
};

static void write_word(void *args)
{
	const struct word *w = args;
	__atomic_store_n(w->at, w->value, __ATOMIC_RELEASE);
}

static void await_word(void *args)
{
	const struct word *w = args;
	while ((int32_t)(__atomic_load_n(w->at, __ATOMIC_ACQUIRE) - w->value) < 0)
		sched_yield();
}

/* The driver's; its library is this one by another name. */
static int add_word(const char *name, cudaStream_t stream, standin_work *work,
                    unsigned long long at, uint32_t value, unsigned flags)
{
	const struct word word = {(uint32_t *)(uintptr_t)at, value};
	cudaError_t error = enter(name);
	if (error || flags)
		return error ? (int)error : (int)cudaErrorInvalidValue;
	return (int)stream_add(stream, work, &word, sizeof word);
}

int cuStreamWriteValue32_v2(cudaStream_t stream, unsigned long long at, uint32_t value,
                            unsigned flags)
{
	return add_word(__func__, stream, write_word, at, value, flags);
}

int cuStreamWaitValue32_v2(cudaStream_t stream, unsigned long long at, uint32_t value,
                           unsigned flags)
{
	return add_word(__func__, stream, await_word, at, value, flags);
}

static cudaError_t stream_wait(struct CUstream_st *s)
{
	cudaError_t error;
	pthread_mutex_lock(&s->lock);
	while ((s->first || s->busy) && !s->failed)
		pthread_cond_wait(&s->moved, &s->lock);
	error = s->failed;
	pthread_mutex_unlock(&s->lock);
	return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	const cudaError_t error = enter_unsafe(__func__);
	/* A GPU that failed writes no more to its callers' stacks. */
	const cudaError_t ended =
	    error == cudaErrorStreamCaptureUnsupported ? error : stream_wait(stream);
	return error ? error : ended;
}

/* --- copies --- */

struct copy {
	void *to;
	const void *from;
	size_t bytes;
	int value;
};

static void copy_work(void *args)
{
	const struct copy *c = args;
	if (c->from)
		memmove(c->to, c->from, c->bytes);
	else if (c->value || !memory_clear(c->to, c->bytes))
		memset(c->to, c->value, c->bytes);
}

/* To the host it returns after the copy, as CUDA does where the memory is not pinned. */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t s)
{
	cudaError_t error = enter(__func__);
	struct copy c = {.to = to, .from = from, .bytes = bytes};
	if (!error && (memory_is_foreign(from) || memory_is_foreign(to)))
		error = cudaErrorInvalidValue;
	if (!error)
		error = stream_add(s, copy_work, &c, sizeof c);
	return error || kind != cudaMemcpyDeviceToHost || captured(s) ? error : stream_wait(s);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
	cudaError_t error = enter(__func__);
	struct copy c = {.to = to, .from = from, .bytes = bytes};
	if (!error && captured(stream))
		error = cudaErrorStreamCaptureUnsupported;
	return error ? error : stream_add(stream, copy_work, &c, sizeof c);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
	cudaError_t error = enter(__func__);
	struct copy c = {.to = to, .bytes = bytes, .value = value};
	return error ? error : stream_add(stream, copy_work, &c, sizeof c);
}

/* --- events --- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
	ENTER(enter("cudaEventCreate"));
	*out = keep(sizeof **out);
	here.events++;
	return cudaSuccess;
}

ANSWERS(cudaEventDestroy, here.events--, cudaEvent_t event)

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	ENTER(enter(__func__));
	event->capture = captured(stream);
	if (event->capture)
		return cudaSuccess;
	const struct word word = {&event->reached, ++event->recorded};
	return stream_add(stream, write_word, &word, sizeof word);
}

/* For a stream that is captured: from here on the other one is captured too. */
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t event, unsigned flags)
{
	cudaError_t error = enter(__func__);
	const struct word word = {&event->reached, event->recorded};
	if (error)
		return error;
	if (!event->capture)
		return stream_add(s, await_word, &word, sizeof word);
	if (captured(s) && s->capture != event->capture)
		return cudaErrorStreamCaptureUnsupported;
	s->capture = event->capture;
	return cudaSuccess;
}

/* --- graphs --- */

cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode)
{
	ENTER(enter(__func__));
	s->capture = keep(sizeof *s->capture);
	s->capture->origin = s;
	s->capture->users = 1;
	here.graphs++;
	captures++;
	return cudaSuccess;
}

/* Whatever it answers, the stream captures no more. */
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out)
{
	cudaError_t error = enter(__func__);
	if (!captured(s))
		return cudaErrorIllegalState;
	capture_end(s->capture);
	if (error)
		graph_leave(s->capture);
	else
		*out = s->capture;
	return error;
}

ANSWERS(cudaStreamIsCapturing,
        *status = captured(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone,
        cudaStream_t stream, enum cudaStreamCaptureStatus *status)

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                          unsigned long long flags)
{
	ENTER(enter_unsafe(__func__));
	here.graphs++;
	graph->users++;
	*out = (cudaGraphExec_t)graph;
	return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	cudaError_t error = enter(__func__);
	const struct item *item = ((cudaGraph_t)exec)->items;
	for (; !error && item; item = item->next)
		error = stream_add(stream, item->work, item->args, item->bytes);
	return error;
}

ANSWERS(cudaGraphDestroy, graph_leave(graph), cudaGraph_t graph)
ANSWERS(cudaGraphExecDestroy, graph_leave((cudaGraph_t)exec), cudaGraphExec_t exec)
