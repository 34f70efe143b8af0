/* Within the stand-in for CUDA's runtime. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>

#define MOST_GPUS 8

/* What a thread that captures may not do: as standin_enter_cuda, and refused there. */
cudaError_t standin_enter_unsafe(const char *function);
size_t standin_gpu_bytes(void);                  /* of a GPU */
unsigned standin_current(void);                  /* device of this thread */
bool standin_is_busy(void);                      /* any stream */
int memory_blocks(void);                         /* that are allocated */
bool memory_clear(const void *at, size_t bytes); /* false: use memset */
bool memory_is_foreign(const void *at); /* of standin_take, and another GPU is the current one */
