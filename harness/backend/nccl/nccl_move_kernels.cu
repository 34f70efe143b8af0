/* The kernel of api = device. */
extern "C" {
#include "nccl_move.h"
}

/* Loads of 16 bytes that a thread has in flight: 8 are no faster, and 16 slower at 1 MiB. */
#define AHEAD 4

/* Of a thread block. */
struct move_here {
	unsigned cta, thread, threads;
};

static __device__ __forceinline__ bool move_any(struct move_here, bool bad)
{
	return __syncthreads_or(bad);
}

static __device__ __forceinline__ void move_warp(struct move_here)
{
	__syncwarp();
}

static __device__ __forceinline__ void move_tell_host(uint32_t *failed, uint32_t failure)
{
	asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(failed), "r"(failure) : "memory");
}

/* Words of T, of which both addresses are multiples; returns the bytes that are copied. */
template <typename T>
static __device__ __forceinline__ size_t copy_words(char *to, const char *from, size_t bytes,
                                                    unsigned thread, unsigned threads)
{
	const T *source = (const T *)from;
	T *target = (T *)to;
	const size_t words = bytes / sizeof(T);
	size_t i = thread;
	for (; i + (AHEAD - 1) * threads < words; i += (size_t)AHEAD * threads) {
		T held[AHEAD];
#pragma unroll
		for (unsigned k = 0; k < AHEAD; k++)
			held[k] = source[i + k * threads];
#pragma unroll
		for (unsigned k = 0; k < AHEAD; k++)
			target[i + k * threads] = held[k];
	}
	/* Fewer than AHEAD are left; they too are loaded at once. */
	T held[AHEAD - 1] = {};
#pragma unroll
	for (unsigned k = 0; k < AHEAD - 1; k++)
		if (i + k * threads < words)
			held[k] = source[i + k * threads];
#pragma unroll
	for (unsigned k = 0; k < AHEAD - 1; k++)
		if (i + k * threads < words)
			target[i + k * threads] = held[k];
	return words * sizeof(T);
}

/* Not inlined, as it is used three times: the kernel's code would be twice as long. Not static:
 * nvcc puts a number of each build into such names. By the widest words that fit both sides: the
 * bytes up to the first such word and those after the last one are copied one by one. */
__device__ __noinline__ void copy_by_stores(struct move_here h, char *to, const char *from,
                                            size_t bytes)
{
	const size_t apart = (uintptr_t)to ^ (uintptr_t)from;
	const unsigned width = apart % 16 == 0  ? 16
	                       : apart % 8 == 0 ? 8
	                       : apart % 4 == 0 ? 4
	                       : apart % 2 == 0 ? 2
	                                        : 1;
	const size_t ahead = -(uintptr_t)to % width, head = ahead < bytes ? ahead : bytes;
	size_t done = head;
	if (head)
		copy_words<char>(to, from, head, h.thread, h.threads);
	to += head, from += head;
	if (width == 16)
		done += copy_words<uint4>(to, from, bytes - head, h.thread, h.threads);
	else if (width == 8)
		done += copy_words<uint64_t>(to, from, bytes - head, h.thread, h.threads);
	else if (width == 4)
		done += copy_words<uint32_t>(to, from, bytes - head, h.thread, h.threads);
	else if (width == 2)
		done += copy_words<uint16_t>(to, from, bytes - head, h.thread, h.threads);
	to += done - head, from += done - head;
	if (bytes > done)
		copy_words<char>(to, from, bytes - done, h.thread, h.threads);
}

/* Bulk copies by way of shared memory, which one thread of the block starts: the stages take turns,
 * each first filled from this GPU's memory, then written to the target. */
#define STAGES      4
#define LAG         2 /* a stage is written so many turns after it began to be filled */
#define STAGE_BYTES 16384

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
struct bulk {
	alignas(128) char stage[STAGES][STAGE_BYTES];
	uint64_t full[STAGES];
	unsigned turns; /* taken by earlier copies of this call */
};
extern __shared__ __align__(128) char shared[];

static __device__ __forceinline__ uint32_t shared_address(const void *at)
{
	return (uint32_t)__cvta_generic_to_shared(at);
}

static __device__ __forceinline__ void bulk_begin(struct move_here h)
{
	struct bulk *b = (struct bulk *)shared;
	if (h.thread == 0) {
		b->turns = 0;
		for (unsigned s = 0; s < STAGES; s++)
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(
			                 shared_address(&b->full[s]))
			             : "memory");
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	}
	__syncthreads();
}

static __device__ __forceinline__ void bulk_fill(struct bulk *b, unsigned turn, const char *from,
                                                 uint32_t bytes)
{
	const uint32_t full = shared_address(&b->full[turn % STAGES]);
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full),
	             "r"(bytes)
	             : "memory");
	asm volatile(
	    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
	    "%2, [%3];" ::"r"(shared_address(b->stage[turn % STAGES])),
	    "l"(from), "r"(bytes), "r"(full)
	    : "memory");
}

static __device__ __forceinline__ void bulk_write(struct bulk *b, unsigned turn, char *to,
                                                  uint32_t bytes)
{
	const uint32_t full = shared_address(&b->full[turn % STAGES]), phase = turn / STAGES % 2;
	uint32_t is_full = 0;
	/* Of this GPU's own memory: it comes. */
	while (!is_full)
		asm volatile("{ .reg .pred p;\n"
		             "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
		             "selp.u32 %0, 1, 0, p; }"
		             : "=r"(is_full)
		             : "r"(full), "r"(phase)
		             : "memory");
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
	             "cp.async.bulk.commit_group;" ::"l"(to),
	             "r"(shared_address(b->stage[turn % STAGES])), "r"(bytes)
	             : "memory");
}

/* bytes: a multiple of 16, as both addresses are. */
__device__ __noinline__ void copy_by_bulk(char *to, const char *from, size_t bytes)
{
	struct bulk *b = (struct bulk *)shared;
	const unsigned n = (unsigned)((bytes + STAGE_BYTES - 1) / STAGE_BYTES), first = b->turns;
	const uint32_t last = (uint32_t)(bytes - (size_t)(n - 1) * STAGE_BYTES);
	for (unsigned k = 0; k < n + LAG; k++) {
		if (k < n) {
			/* The write from this stage has read it. */
			asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(STAGES - LAG - 1)
			             : "memory");
			bulk_fill(b, first + k, from + (size_t)k * STAGE_BYTES,
			          k + 1 < n ? STAGE_BYTES : last);
		}
		if (k >= LAG)
			bulk_write(b, first + k - LAG, to + (size_t)(k - LAG) * STAGE_BYTES,
			           k - LAG + 1 < n ? STAGE_BYTES : last);
	}
	asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
	b->turns = first + n;
}
#else
struct bulk {
};
#endif

static __device__ __forceinline__ void move_copy(const struct move_call *c, struct move_here h,
                                                 char *to, const char *from, size_t bytes)
{
#if __CUDA_ARCH__ >= 900
	const size_t whole = bytes / 16 * 16;
	if (c->way == MOVE_BULK && ((uintptr_t)to | (uintptr_t)from) % 16 == 0 && whole) {
		if (h.thread == 0)
			copy_by_bulk(to, from, whole);
		for (size_t i = whole + h.thread; i < bytes; i += h.threads)
			to[i] = from[i];
		return;
	}
#endif
	copy_by_stores(h, to, from, bytes);
}

/* All threads' stores and the bulk copies come before the release that follows. A bulk copy that is
 * waited for is visible to the thread that started it, as its own stores are (PTX: its completion
 * has the fence between proxies). A fence here would wait for the link again. */
static __device__ __forceinline__ void move_flush(const struct move_call *c, struct move_here h)
{
#if __CUDA_ARCH__ >= 900
	if (c->way == MOVE_BULK && h.thread == 0)
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
	__syncthreads();
}

#include "nccl_move_block.h"

__global__ void __launch_bounds__(MOVE_THREADS, 2)
    move(const __grid_constant__ struct move_call call)
{
	const struct move_here here = {blockIdx.x, threadIdx.x, blockDim.x};
#if __CUDA_ARCH__ >= 900
	/* Launched while the kernel before it runs: all that comes next waits for its end. */
	asm volatile("griddepcontrol.wait;\n"
	             "griddepcontrol.launch_dependents;" ::
	                 : "memory");
	if (call.way == MOVE_BULK)
		bulk_begin(here);
#endif
	move_block(&call, here);
#if __CUDA_ARCH__ >= 900
	/* Of the own part: its blocks have nobody to tell. */
	if (call.way == MOVE_BULK)
		move_flush(&call, here);
#endif
}

extern "C" cudaError_t device_prepare_move(void)
{
	struct cudaFuncAttributes attributes;
	cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)move);
	if (error != cudaSuccess || attributes.binaryVersion < 90)
		return error;
	return cudaFuncSetAttribute((const void *)move, cudaFuncAttributeMaxDynamicSharedMemorySize,
	                            sizeof(struct bulk));
}

extern "C" cudaError_t device_launch_move(const struct move_call *call, cudaStream_t stream)
{
	void *arguments[1] = {(void *)call};
	cudaLaunchAttribute early = {};
	cudaLaunchConfig_t config = {};
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = dim3(call->ctas + call->own_ctas);
	config.blockDim = dim3(call->threads);
	config.dynamicSmemBytes = call->way == MOVE_BULK ? sizeof(struct bulk) : 0;
	config.stream = stream;
	config.attrs = &early;
	config.numAttrs = call->early ? 1 : 0;
	return cudaLaunchKernelExC(&config, (const void *)move, arguments);
}
