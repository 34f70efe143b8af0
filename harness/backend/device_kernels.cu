/* Filling and checking buffers on the GPU, at the speed of its memory: the same pure functions
 * as on the host (value.h), one element a thread and step. */
extern "C" {
#include "device.h"
}

#define THREADS 256

static unsigned blocks_for(size_t count)
{
	size_t blocks = (count + THREADS - 1) / THREADS;
	return (unsigned)(blocks < 65535 ? blocks : 65535);
}

__global__ void fill(float *to, size_t count, uint64_t seed, unsigned rank)
{
	size_t step = (size_t)gridDim.x * blockDim.x;
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += step)
		to[i] = value_input(seed, rank, i);
}

/* Bits are compared, not numbers: poison is a NaN, and −0 is not 0. */
__global__ void check(const float *data, struct device_question q, unsigned long long *tally)
{
	size_t step = (size_t)gridDim.x * blockDim.x, all = q.count * q.slots;
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < all; i += step) {
		size_t base = i / q.count * q.count;
		float right =
		    value_expected(q.coll, q.nranks, q.rank, q.seed, base, q.count, i - base);
		if (__float_as_uint(data[i]) == __float_as_uint(right))
			continue;
		atomicAdd(&tally[0], 1ull);
		atomicMin(&tally[1], (unsigned long long)i);
	}
}

#define HOLD_NS 10000000000ull

__device__ unsigned long long device_clock_ns(void)
{
	unsigned long long t;
	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
	return t;
}

__global__ void hold(const volatile int *flag)
{
	unsigned long long begin = device_clock_ns();
	while (*flag == 0 && device_clock_ns() - begin < HOLD_NS)
		;
}

extern "C" cudaError_t device_launch_hold(const volatile int *flag, cudaStream_t stream)
{
	hold<<<1, 1, 0, stream>>>(flag);
	return cudaGetLastError();
}

extern "C" cudaError_t device_launch_fill(float *to, size_t count, uint64_t seed, unsigned rank,
                                          cudaStream_t stream)
{
	fill<<<blocks_for(count), THREADS, 0, stream>>>(to, count, seed, rank);
	return cudaGetLastError();
}

extern "C" cudaError_t device_launch_check(const float *data, const struct device_question *q,
                                           unsigned long long tally[2], cudaStream_t stream)
{
	check<<<blocks_for(q->count * q->slots), THREADS, 0, stream>>>(data, *q, tally);
	return cudaGetLastError();
}
