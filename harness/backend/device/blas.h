/* Matrix products by cuBLAS (CUDA 11 on), loaded at run time, and declared here. */
#pragma once

#include "device.h"

struct blas {
	void *library;
	int (*create)(void **handle);
	int (*destroy)(void *handle);
	int (*set_stream)(void *handle, cudaStream_t stream);
	int (*set_workspace)(void *handle, void *workspace, size_t bytes);
	int (*multiply)(void *handle, int turn_a, int turn_b, int m, int n, int k,
	                const void *alpha, const void *a, int type_a, int lead_a, const void *b,
	                int type_b, int lead_b, const void *beta, void *c, int type_c, int lead_c,
	                int compute, int algorithm);
};

struct blas_place {
	void *handle;
	void *workspace;
	char *factors[3]; /* two matrices, and their product */
};

/* float16, bfloat16 and float64 itself; float32 for all others. */
enum dtype blas_dtype(enum dtype dtype);

int blas_load(struct blas *out, struct status *st);
/* On the current device, for products of at most side × depth by depth × side elements of numbers:
 * zeros would draw less power. Blocks. blas_close also frees what an error left. */
int blas_open(const struct blas *blas, struct blas_place *p, unsigned side, unsigned depth,
              enum dtype dtype, cudaStream_t stream, struct status *st);
/* On the place's stream. cuBLAS's status. float16 and bfloat16 sum in float32; float32 is TF32. */
int blas_multiply(const struct blas *blas, const struct blas_place *p, unsigned side,
                  unsigned depth, enum dtype dtype);
void blas_close(const struct blas *blas, struct blas_place *p);
