/* Filling and checking buffers on the GPU: the same pure functions as on the host (value.h),
 * one element a thread and step, as unsigned integers of the element's size. */
extern "C" {
#include "device.h"
}

#define THREADS    256
#define MAX_BLOCKS 65535 /* what a grid's y may have; more than enough of x */

/* What a kernel goes through: x takes the elements of a slot, y the slots. */
struct stretch {
	struct value_question q;
	uint64_t at, n;
	unsigned slots;
};

static dim3 grid_for(const struct stretch *s)
{
	uint64_t x = (s->n + THREADS - 1) / THREADS;
	return dim3((unsigned)(x < MAX_BLOCKS ? x : MAX_BLOCKS),
	            s->slots < MAX_BLOCKS ? s->slots : MAX_BLOCKS);
}

template <typename T> __global__ void fill(T *arena, const struct stretch s)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;
	uint64_t first = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
	for (unsigned slot = blockIdx.y; slot < s.slots; slot += gridDim.y) {
		uint64_t base = slot * s.q.count;
		for (uint64_t i = first; i < s.n; i += step)
			arena[base + s.at + i] = (T)value_input(&s.q, s.q.rank, base + i);
	}
}

/* A thread keeps its own count, so that where all is wrong the atomics are still few. */
template <typename T>
__global__ void check(const T *arena, const struct stretch s, unsigned long long *tally)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;
	uint64_t begin = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
	unsigned long long wrong = 0, first = ~0ull;
	for (unsigned slot = blockIdx.y; slot < s.slots; slot += gridDim.y) {
		uint64_t base = slot * s.q.count;
		for (uint64_t i = begin; i < s.n; i += step) {
			unsigned long long at = base + s.at + i;
			if (arena[at] == (T)value_expected(&s.q, base, i))
				continue;
			if (wrong++ == 0) /* a thread goes upwards */
				first = at;
		}
	}
	if (wrong) {
		atomicAdd(&tally[0], wrong);
		atomicMin(&tally[1], first);
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

extern "C" cudaError_t device_launch_fill(void *arena, const struct value_question *question,
                                          uint64_t at, uint64_t n, unsigned slots,
                                          cudaStream_t stream)
{
	const struct stretch s = {*question, at, n, slots};
	if (n == 0 || slots == 0) /* a grid of nothing is an error */
		return cudaSuccess;
	switch (value_width(question->dtype)) {
	case 8:
		fill<<<grid_for(&s), THREADS, 0, stream>>>((uint8_t *)arena, s);
		break;
	case 16:
		fill<<<grid_for(&s), THREADS, 0, stream>>>((uint16_t *)arena, s);
		break;
	case 32:
		fill<<<grid_for(&s), THREADS, 0, stream>>>((uint32_t *)arena, s);
		break;
	default:
		fill<<<grid_for(&s), THREADS, 0, stream>>>((uint64_t *)arena, s);
	}
	return cudaGetLastError();
}

extern "C" cudaError_t device_launch_check(const void *arena,
                                           const struct value_question *question, uint64_t at,
                                           uint64_t n, unsigned slots,
                                           unsigned long long tally[2], cudaStream_t stream)
{
	const struct stretch s = {*question, at, n, slots};
	if (n == 0 || slots == 0)
		return cudaSuccess;
	switch (value_width(question->dtype)) {
	case 8:
		check<<<grid_for(&s), THREADS, 0, stream>>>((const uint8_t *)arena, s, tally);
		break;
	case 16:
		check<<<grid_for(&s), THREADS, 0, stream>>>((const uint16_t *)arena, s, tally);
		break;
	case 32:
		check<<<grid_for(&s), THREADS, 0, stream>>>((const uint32_t *)arena, s, tally);
		break;
	default:
		check<<<grid_for(&s), THREADS, 0, stream>>>((const uint64_t *)arena, s, tally);
	}
	return cudaGetLastError();
}
