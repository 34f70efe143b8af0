/* What the GPU backends need of the CUDA runtime: devices, and filling and checking buffers
 * where they lie. Functions that touch a device make it the current one. Errors are CUDA's own
 * words. */
#ifndef LAUNCHGAP_DEVICE_H
#define LAUNCHGAP_DEVICE_H

#include <cuda_runtime_api.h>

#include "backend.h"

/* GPUs that CUDA shows, in its order; 0 with the reason. Starts no context. */
unsigned device_count(struct status *st);
int device_numa_node(unsigned device);
/* "NVIDIA H200 at 0000:18:00.0" */
void device_describe(unsigned device, char *text, size_t bytes);
int device_use(unsigned device, struct status *st);
/* 0 when result is cudaSuccess; else -1 and "what: CUDA's words". */
int device_ok(cudaError_t result, const char *what, struct status *st);

/* Writes value_input(seed, rank, 0 …) to count float32 at `to`, and poison to `poison`; returns
 * when the stream has done so. */
int device_prepare(unsigned device, void *to, void *poison, size_t count, uint64_t seed,
                   unsigned rank, cudaStream_t stream, struct status *st);

struct device_question {
	enum coll_kind coll;
	unsigned nranks, rank;
	uint64_t seed;
	size_t count;   /* elements of one buffer */
	unsigned slots; /* buffers, one after the other */
};

/* Counts the elements at `data` that are not value_expected. Blocks. */
int device_check(unsigned device, const void *data, const struct device_question *question,
                 cudaStream_t stream, struct backend_verdict *out, struct status *st);
/* XXH3_64bits of `bytes` at `data`, taken on the host, so that it owes nothing to the kernels.
 */
int device_digest(unsigned device, const void *data, size_t bytes, cudaStream_t stream,
                  uint64_t *out, struct status *st);

/* A kernel that keeps the stream until *flag (pinned host memory, device address) is not 0;
 * gives up by itself after 10 s, so that a dead host holds no GPU. */
cudaError_t device_launch_hold(const volatile int *flag, cudaStream_t stream);

/* In device_kernels.cu; asynchronous. tally: wrong, position of the first wrong. */
cudaError_t device_launch_fill(float *to, size_t count, uint64_t seed, unsigned rank,
                               cudaStream_t stream);
cudaError_t device_launch_check(const float *data, const struct device_question *question,
                                unsigned long long tally[2], cudaStream_t stream);

#endif
