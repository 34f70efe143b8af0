/* The kernel of api = device. */
extern "C" {
#include "nccl_move.h"
}

#define THREADS 512
/* Loads of 16 bytes that a thread has in flight. */
#define AHEAD 8

/* Of a thread block. */
struct move_here {
	unsigned cta, thread, threads;
};

static __device__ __forceinline__ bool move_any(struct move_here, bool bad)
{
	return __syncthreads_or(bad);
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
	for (; i < words; i += threads)
		target[i] = source[i];
	return words * sizeof(T);
}

/* By the widest words that fit both sides: the bytes up to the first such word and those after the last
 * one are copied one by one. */
static __device__ __forceinline__ void copy_by_stores(struct move_here h, char *to,
                                                      const char *from, size_t bytes)
{
	const size_t apart = (uintptr_t)to ^ (uintptr_t)from;
	const unsigned width = apart % 16 == 0 ? 16 : apart % 8 == 0 ? 8 : apart % 4 == 0 ? 4 : 1;
	size_t head = -(uintptr_t)to % width, done = 0;
	if (head > bytes)
		head = bytes;
	for (size_t i = h.thread; i < head; i += h.threads)
		to[i] = from[i];
	if (width == 16)
		done = copy_words<uint4>(to + head, from + head, bytes - head, h.thread, h.threads);
	else if (width == 8)
		done =
		    copy_words<uint64_t>(to + head, from + head, bytes - head, h.thread, h.threads);
	else if (width == 4)
		done =
		    copy_words<uint32_t>(to + head, from + head, bytes - head, h.thread, h.threads);
	for (size_t i = head + done + h.thread; i < bytes; i += h.threads)
		to[i] = from[i];
}

static __device__ __forceinline__ void move_copy(const struct move_call *, struct move_here h,
                                                 char *to, const char *from, size_t bytes)
{
	copy_by_stores(h, to, from, bytes);
}

/* All threads' stores come before the release that follows it. */
static __device__ __forceinline__ void move_flush(struct move_here)
{
	__syncthreads();
}

#include "nccl_move_block.h"

__global__ void __launch_bounds__(THREADS) move(const __grid_constant__ struct move_call call)
{
	move_block(&call, {blockIdx.x, threadIdx.x, blockDim.x});
}

extern "C" cudaError_t device_prepare_move(void)
{
	struct cudaFuncAttributes attributes;
	return cudaFuncGetAttributes(&attributes, (const void *)move);
}

static unsigned blocks_of(const struct move_call *call)
{
	return call->ctas + call->own_ctas;
}

extern "C" cudaError_t device_launch_move(const struct move_call *call, cudaStream_t stream)
{
	move<<<blocks_of(call), THREADS, 0, stream>>>(*call);
	return cudaGetLastError();
}

static struct cudaKernelNodeParams node_of(const struct move_call *call, void *arguments[1])
{
	struct cudaKernelNodeParams node = {};
	arguments[0] = (void *)call;
	node.func = (void *)move;
	node.gridDim = dim3(blocks_of(call));
	node.blockDim = dim3(THREADS);
	node.kernelParams = arguments;
	return node;
}

extern "C" cudaError_t device_add_move(cudaGraph_t graph, const struct move_call *call,
                                       cudaGraphNode_t *out)
{
	void *arguments[1];
	const struct cudaKernelNodeParams node = node_of(call, arguments);
	return cudaGraphAddKernelNode(out, graph, NULL, 0, &node);
}

extern "C" cudaError_t device_set_move(cudaGraphExec_t graph, cudaGraphNode_t node,
                                       const struct move_call *call)
{
	void *arguments[1];
	const struct cudaKernelNodeParams params = node_of(call, arguments);
	return cudaGraphExecKernelNodeSetParams(graph, node, &params);
}
