#include "device.h"

#include <ctype.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define HAVE_NVTX 1
#endif

#include "../symbols.h"

int device_ok(cudaError_t result, const char *what, struct status *st)
{
	if (result == cudaSuccess)
		return 0;
	return status_set(st, "%s: %s", what, cudaGetErrorString(result));
}

unsigned device_count(struct status *st)
{
	int n = 0, driver = 0;
	cudaError_t result = cudaGetDeviceCount(&n);
	/* Without a driver CUDA says that its version is too low. */
	if (result == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess &&
	    !driver)
		status_set(st, "CUDA shows no GPU: no NVIDIA driver is loaded");
	else if (result != cudaSuccess)
		status_set(st, "CUDA shows no GPU (%s)", cudaGetErrorString(result));
	else if (n == 0)
		status_set(st, "CUDA shows no GPU");
	return result == cudaSuccess ? (unsigned)n : 0;
}

int device_numa_node(unsigned device)
{
	char pci[32], file[96];
	int node = -1;
	FILE *f;
	if (cudaDeviceGetPCIBusId(pci, sizeof pci, (int)device) != cudaSuccess)
		return -1;
	for (char *p = pci; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	snprintf(file, sizeof file, "/sys/bus/pci/devices/%s/numa_node", pci);
	f = fopen(file, "re");
	if (f && fscanf(f, "%d", &node) != 1)
		node = -1;
	if (f)
		fclose(f);
	return node;
}

/* 0: CUDA does not say. */
static unsigned attribute(unsigned device, enum cudaDeviceAttr which)
{
	int value = 0;
	bool known = cudaDeviceGetAttribute(&value, which, (int)device) == cudaSuccess;
	return known && value > 0 ? (unsigned)value : 0;
}

unsigned device_compute(unsigned device)
{
	return attribute(device, cudaDevAttrComputeCapabilityMajor) * 10 +
	       attribute(device, cudaDevAttrComputeCapabilityMinor);
}

unsigned device_sms(unsigned device)
{
	return attribute(device, cudaDevAttrMultiProcessorCount);
}

size_t device_memory(unsigned device)
{
	struct cudaDeviceProp prop;
	return cudaGetDeviceProperties(&prop, (int)device) == cudaSuccess ? prop.totalGlobalMem : 0;
}

bool device_shared(unsigned device)
{
	int mode;
	return cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, (int)device) == cudaSuccess &&
	       mode == cudaComputeModeDefault;
}

void device_describe(unsigned device, char *text, size_t bytes)
{
	struct cudaDeviceProp prop;
	char pci[32] = "?";
	cudaDeviceGetPCIBusId(pci, sizeof pci, (int)device);
	if (cudaGetDeviceProperties(&prop, (int)device) == cudaSuccess)
		snprintf(text, bytes, "%s at %s", prop.name, pci);
	else
		snprintf(text, bytes, "GPU %u at %s", device, pci);
}

int device_use(unsigned device, struct status *st)
{
	return device_ok(cudaSetDevice((int)device), "cudaSetDevice", st);
}

int device_sleep(unsigned device, struct status *st)
{
	if (device_use(device, st))
		return -1;
	return device_ok(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), "cudaSetDeviceFlags",
	                 st);
}

int device_pin(void **out, size_t bytes, struct status *st)
{
	return device_ok(cudaHostAlloc(out, bytes, cudaHostAllocPortable | cudaHostAllocMapped),
	                 "cudaHostAlloc", st);
}

int device_copy(void *to, const void *from, size_t bytes, cudaStream_t stream, const char *what,
                struct status *st)
{
	if (device_ok(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), what, st))
		return -1;
	return device_ok(cudaStreamSynchronize(stream), what, st);
}

int device_stream(cudaStream_t *out, struct status *st)
{
	return device_ok(cudaStreamCreateWithFlags(out, cudaStreamNonBlocking),
	                 "cudaStreamCreateWithFlags", st);
}

int device_event(cudaEvent_t *out, struct status *st)
{
	return device_ok(cudaEventCreateWithFlags(out, cudaEventDisableTiming), "cudaEventCreate",
	                 st);
}

/* NVTX's headers call a profiler that has come along (Nsight Systems), else they do nothing. */
void device_mark(const char *text)
{
#if HAVE_NVTX
	if (text)
		nvtxRangePushA(text);
	else
		nvtxRangePop();
#else
	(void)text;
#endif
}

/* The runtime has loaded the driver, and needs it until the process ends. */
void device_find_words(struct device_words *out)
{
	static const struct symbol symbols[] = {
	    {"cuStreamWriteValue32_v2", offsetof(struct device_words, write), false},
	    {"cuStreamWaitValue32_v2", offsetof(struct device_words, wait), false}};
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	*out = (struct device_words){NULL, NULL};
	if (driver)
		symbols_find(driver, symbols, sizeof symbols / sizeof *symbols, out);
}

static size_t element_bytes(const struct buffers *b)
{
	return coll_dtype_bytes(b->question.dtype);
}

static int fill(const struct buffers *b, struct status *st)
{
	const struct device_place *at = b->at;
	size_t element = element_bytes(b);
	if (device_use(at->device, st) ||
	    device_ok(device_launch_poison(b->recv, b->question.dtype, b->slots * b->question.count,
	                                   at->stream),
	              "poisoning", st) ||
	    device_ok(device_launch_fill(b->in_place ? b->recv : b->send, &b->question,
	                                 b->span.send_at / element, b->span.send_bytes / element,
	                                 b->slots, at->stream),
	              "filling", st))
		return -1;
	return device_ok(cudaStreamSynchronize(at->stream), "filling", st);
}

/* The first wrong element, as it is and as it should be. The receive sides begin at `at`. */
static int explain(const struct buffers *b, uint64_t at, cudaStream_t stream,
                   struct backend_verdict *out, struct status *st)
{
	size_t element = element_bytes(b);
	uint64_t base = out->wrong_at / b->question.count * b->question.count;
	out->expected = value_expected(&b->question, base, out->wrong_at - base - at);
	/* Its bytes go to the low end, as hosts of GPUs are little-endian. */
	return device_copy(&out->got, b->recv + out->wrong_at * element, element, stream,
	                   "reading back", st);
}

static int check(const struct buffers *b, struct backend_verdict *out, struct status *st)
{
	const struct device_place *of = b->at;
	const cudaStream_t stream = of->stream;
	unsigned long long host[2] = {0, ~0ull}, *tally = NULL;
	uint64_t at = b->span.recv_at / element_bytes(b);
	struct backend_verdict found = {0};
	int result = -1;
	if (device_use(of->device, st) ||
	    device_ok(cudaMalloc((void **)&tally, sizeof host), "cudaMalloc", st))
		return -1;
	if (device_ok(cudaMemcpyAsync(tally, host, sizeof host, cudaMemcpyHostToDevice, stream),
	              "checking", st) ||
	    device_ok(device_launch_check(b->recv, &b->question, at,
	                                  b->span.recv_bytes / element_bytes(b), b->slots, tally,
	                                  stream),
	              "checking", st) ||
	    device_copy(host, tally, sizeof host, stream, "checking", st))
		goto out;
	found.wrong = host[0];
	found.wrong_at = host[0] ? host[1] : 0;
	if (found.wrong && explain(b, at, stream, &found, st))
		goto out;
	*out = found;
	result = 0;
out:
	cudaFree(tally);
	return result;
}

static int corrupt(const struct buffers *b, size_t byte, struct status *st)
{
	const struct device_place *at = b->at;
	unsigned char value;
	if (device_use(at->device, st) ||
	    device_copy(&value, b->recv + byte, 1, at->stream, "corrupting", st))
		return -1;
	value ^= 1;
	return device_copy(b->recv + byte, &value, 1, at->stream, "corrupting", st);
}

const struct buffers_memory device_buffers = {fill, check, corrupt};
