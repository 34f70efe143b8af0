/* Messages between the stand-ins for CUDA's runtime and NCCL, beyond those of the real ones. */
#pragma once

#include <cuda_runtime_api.h>

/* Part of a stream's work: `bytes` at `args` are copied, and copied again for each replay of a
 * graph. An error is injected by `name`. Returns after the work is in the stream. */
typedef void standin_work(void *args);
cudaError_t standin_launch(const char *name, cudaStream_t stream, standin_work *work,
                           const void *args, size_t bytes);
/* From within the work: the stream has failed for good. */
void standin_stream_fail(cudaError_t error);

/* A function of CUDA's that has a stand-in elsewhere begins: the error that it is to give. */
cudaError_t standin_enter_cuda(const char *name);

/* A file of the memory that an address of a GPU is in, and the place in it; -1: it is in none. */
int standin_memory(const void *at, size_t *offset);
/* Memory of NCCL's own on a device of this process, copied only while that is current. */
cudaError_t standin_take(void **out, size_t bytes, int device);
/* As cudaFree, and waits for no stream. */
void standin_release(void *at);

/* Which of the machine's GPUs a device of this process is. */
int standin_gpu(int device);
