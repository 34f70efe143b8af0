/* What the GPU backends need of the CUDA runtime. Who touches a device makes it current. */
#pragma once

#include <cuda_runtime_api.h>

#include "../../core/buffers.h"

/* GPUs that CUDA shows, in its order; 0 with the reason. Starts no context. */
unsigned device_count(struct status *st);
int device_numa_node(unsigned device);
/* These start no context. 0: CUDA does not say. */
unsigned device_compute(unsigned device); /* 90 for 9.0 */
unsigned device_sms(unsigned device);
size_t device_memory(unsigned device); /* all of it, in bytes */
/* Whether several processes can have a context there, by its compute mode. */
bool device_shared(unsigned device);
void device_describe(unsigned device, char *text, size_t bytes);
int device_use(unsigned device, struct status *st);
/* Makes waiting for the device's streams sleep. Before the device has a context. */
int device_sleep(unsigned device, struct status *st);
/* 0, or -1 and "what: CUDA's words". */
int device_ok(cudaError_t result, const char *what, struct status *st);

/* Pinned memory that every GPU sees; cudaFreeHost. */
int device_pin(void **out, size_t bytes, struct status *st);
/* Either way. Blocks. `what`: for the error's sentence. */
int device_copy(void *to, const void *from, size_t bytes, cudaStream_t stream, const char *what,
                struct status *st);
/* On the current device; the event tells order, not time. */
int device_stream(cudaStream_t *out, struct status *st);
int device_event(cudaEvent_t *out, struct status *st);

void device_mark(const char *text);

/* Buffers on a GPU or in pinned memory, filled and checked by its kernels. Each blocks. */
struct device_place {
	unsigned device;
	cudaStream_t stream;
};
extern const struct buffers_memory device_buffers; /* buffers' `at`: a device_place */

/* Holds the stream until *flag (pinned, device address) is not 0; gives up after 10 s. */
cudaError_t device_launch_hold(const volatile int *flag, cudaStream_t stream);
/* Takes so many clock cycles of the current GPU: finer than %globaltimer. */
cudaError_t device_launch_spin(int64_t cycles, cudaStream_t stream);

/* The driver's: a stream writes a word (CUDA 11.7 on), or waits for one as large; or NULL. */
typedef int device_word_fn(cudaStream_t stream, unsigned long long at, uint32_t value,
                           unsigned flags);
struct device_words {
	device_word_fn *write, *wait;
};
void device_find_words(struct device_words *out);
/* After all that the stream holds, and visible after it; *at: pinned, of the current device's. */
static inline cudaError_t device_write(device_word_fn *write, uint32_t *at, uint32_t value,
                                       cudaStream_t stream)
{
	return (cudaError_t)write(stream, (uintptr_t)at, value, 0 /* with a memory barrier */);
}
#define DEVICE_LINE_BYTES 128

/* In device_kernels.cu; asynchronous. Unlike cudaMemset they do not change where the GPU places its
 * next blocks. `n` elements of each slot from its element `at` on. The tally: wrong ones, the
 * first. */
cudaError_t device_launch_poison(void *arena, enum dtype dtype, uint64_t n, cudaStream_t stream);
cudaError_t device_launch_fill(void *arena, const struct value_question *question, uint64_t at,
                               uint64_t n, unsigned slots, cudaStream_t stream);
cudaError_t device_launch_check(const void *arena, const struct value_question *question,
                                uint64_t at, uint64_t n, unsigned slots,
                                unsigned long long tally[2], cudaStream_t stream);
/* Copies n elements; neighbouring threads take those `stride` apart, then those next to them. */
cudaError_t device_launch_access(void *to, const void *from, enum dtype dtype, uint64_t n,
                                 unsigned stride, cudaStream_t stream);
/* By one thread whose loads depend on each other: n round trips to the source. */
cudaError_t device_launch_chase(void *to, const void *from, enum dtype dtype, uint64_t n,
                                cudaStream_t stream);
