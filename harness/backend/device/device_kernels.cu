/* Filling and checking buffers on the GPU: the same pure functions as on the host (value.h),
 * one element per thread and step, as unsigned integers of the element's size. */
extern "C" {
#include "device.h"
}

/* One block per multiprocessor. A GPU places a kernel's blocks from where the last kernel's ended
 * (seen on H100 and H200 by %smid). Grids that fill all multiprocessors equally leave that place as
 * it was; others, also cudaMemset's, move it by chance, and NCCL's 32 blocks are then elsewhere on
 * each GPU until the next such grid. That is the likely reason why alltoall of 256 MiB on 4 H200
 * differed by 6 % from cell to cell, and nccl-tests without its check did not. */
#define THREADS 1024

static unsigned blocks_here(void)
{
	int device = 0, n = 1;
	if (cudaGetDevice(&device) == cudaSuccess)
		cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, device);
	return (unsigned)n;
}

/* What a kernel works on: elements `at` to at + n of each slot. */
struct stretch {
	struct value_question q;
	uint64_t at, n;
	unsigned slots;
};

/* A thread's share: blocks are spread over a slot, and over several if it is small. */
struct share {
	unsigned slot, next_slot;
	uint64_t first, step;
};

static __device__ struct share share_of(const struct stretch *s)
{
	uint64_t wanted = (s->n + blockDim.x - 1) / blockDim.x;
	unsigned across = wanted < gridDim.x ? (unsigned)wanted : gridDim.x;
	unsigned rows = gridDim.x / across, row = blockIdx.x / across;
	return {row < rows ? row : s->slots, rows,
	        blockIdx.x % across * (uint64_t)blockDim.x + threadIdx.x,
	        across * (uint64_t)blockDim.x};
}

template <typename T>
__global__ void __launch_bounds__(THREADS) poison(T *arena, T value, uint64_t n)
{
	uint64_t step = (uint64_t)gridDim.x * blockDim.x;
	for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < n; i += step)
		arena[i] = value;
}

template <typename T>
__global__ void __launch_bounds__(THREADS) fill(T *arena, const struct stretch s)
{
	const struct share mine = share_of(&s);
	const struct value_rule rule = value_rule(&s.q);
	for (unsigned slot = mine.slot; slot < s.slots; slot += mine.next_slot) {
		uint64_t base = slot * s.q.count;
		for (uint64_t i = mine.first; i < s.n; i += mine.step)
			arena[base + s.at + i] =
			    (T)value_input_by(&s.q, &rule, value_place(&s.q, base + i), s.q.rank);
	}
}

/* Each thread counts for itself, so that there are few atomics even if all is wrong. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    check(const T *arena, const struct stretch s, unsigned long long *tally)
{
	const struct share mine = share_of(&s);
	const struct value_rule rule = value_rule(&s.q);
	unsigned long long wrong = 0, first = ~0ull;
	for (unsigned slot = mine.slot; slot < s.slots; slot += mine.next_slot) {
		uint64_t base = slot * s.q.count;
		for (uint64_t i = mine.first; i < s.n; i += mine.step) {
			unsigned long long at = base + s.at + i;
			if (arena[at] == (T)value_expected_by(&s.q, &rule, base, i))
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

__global__ void spin(long long cycles)
{
	long long begin = clock64();
	while (clock64() - begin < cycles)
		;
}

extern "C" cudaError_t device_launch_spin(int64_t cycles, cudaStream_t stream)
{
	spin<<<1, 1, 0, stream>>>(cycles);
	return cudaGetLastError();
}

/* An element as the unsigned integer of its size. */
template <typename LAUNCH> static cudaError_t launch_as(enum dtype dtype, const LAUNCH &launch)
{
	switch (value_width(dtype)) {
	case 8:
		launch((uint8_t)0);
		break;
	case 16:
		launch((uint16_t)0);
		break;
	case 32:
		launch((uint32_t)0);
		break;
	default:
		launch((uint64_t)0);
	}
	return cudaGetLastError();
}

extern "C" cudaError_t device_launch_poison(void *arena, enum dtype dtype, uint64_t n,
                                            cudaStream_t stream)
{
	static_assert(VALUE_POISON_BYTE == 0xFF, "poison has all bits set");
	return launch_as(dtype, [&](auto zero) {
		poison<<<blocks_here(), THREADS, 0, stream>>>((decltype(zero) *)arena,
		                                              (decltype(zero))~zero, n);
	});
}

extern "C" cudaError_t device_launch_fill(void *arena, const struct value_question *question,
                                          uint64_t at, uint64_t n, unsigned slots,
                                          cudaStream_t stream)
{
	const struct stretch s = {*question, at, n, slots};
	if (n == 0 || slots == 0)
		return cudaSuccess;
	return launch_as(question->dtype, [&](auto zero) {
		fill<<<blocks_here(), THREADS, 0, stream>>>((decltype(zero) *)arena, s);
	});
}

extern "C" cudaError_t device_launch_check(const void *arena, const struct value_question *question,
                                           uint64_t at, uint64_t n, unsigned slots,
                                           unsigned long long tally[2], cudaStream_t stream)
{
	const struct stretch s = {*question, at, n, slots};
	if (n == 0 || slots == 0)
		return cudaSuccess;
	return launch_as(question->dtype, [&](auto zero) {
		check<<<blocks_here(), THREADS, 0, stream>>>((const decltype(zero) *)arena, s,
		                                             tally);
	});
}

/* Loads of a thread in flight: with two blocks per multiprocessor, enough to keep DRAM busy. */
#define AHEAD 8

template <typename T>
__global__ void __launch_bounds__(THREADS)
    access(T *__restrict__ to, const T *__restrict__ from, uint64_t n, unsigned stride)
{
	uint64_t rows = n / stride, step = (uint64_t)gridDim.x * blockDim.x;
	uint64_t first = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
	for (unsigned column = 0; column < stride; column++)
		for (uint64_t row = first; row < rows; row += AHEAD * step) {
			T held[AHEAD];
#pragma unroll
			for (unsigned k = 0; k < AHEAD; k++)
				if (row + k * step < rows)
					held[k] = from[(row + k * step) * stride + column];
#pragma unroll
			for (unsigned k = 0; k < AHEAD; k++)
				if (row + k * step < rows)
					to[(row + k * step) * stride + column] = held[k];
		}
	for (uint64_t i = rows * stride + first; i < n; i += step)
		to[i] = from[i];
}

extern "C" cudaError_t device_launch_access(void *to, const void *from, enum dtype dtype,
                                            uint64_t n, unsigned stride, cudaStream_t stream)
{
	return launch_as(dtype, [&](auto zero) {
		access<<<2 * blocks_here(), THREADS, 0, stream>>>(
		    (decltype(zero) *)to, (const decltype(zero) *)from, n, stride);
	});
}

/* `zero` is 0, which the compiler cannot know. A volatile load is not answered by a cache of this
 * GPU where the memory is another's. */
template <typename T> __global__ void chase(T *to, const volatile T *from, uint64_t n, T zero)
{
	uint64_t at = 0;
	for (uint64_t i = 0; i < n; i++) {
		T held = from[at];
		to[i] = held;
		at = i + 1 + (held & zero);
	}
}

extern "C" cudaError_t device_launch_chase(void *to, const void *from, enum dtype dtype, uint64_t n,
                                           cudaStream_t stream)
{
	return launch_as(dtype, [&](auto zero) {
		chase<<<1, 1, 0, stream>>>((decltype(zero) *)to,
		                           (const volatile decltype(zero) *)from, n, zero);
	});
}
