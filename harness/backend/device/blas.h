/* Matrix products on a GPU, by NVIDIA's cuBLAS: loaded at run time, so that nothing needs it to
 * build or start. Its interface is declared anew (cublas_api.h of CUDA 11 and later). */
#ifndef LAUNCHGAP_BLAS_H
#define LAUNCHGAP_BLAS_H

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

/* What one GPU's products need; its stream runs them. */
struct blas_place {
	void *handle;
	void *workspace;
	char *factors[3]; /* two matrices, and their product */
};

/* What products for gradients of a datatype are made in: float16, bfloat16 and float64 as they
 * are; all others as float32. */
enum dtype blas_dtype(enum dtype dtype);

/* -1 with the sentence where the library is missing or too old. */
int blas_load(struct blas *out, struct status *st);
/* On the current device, for products of at most side × depth by depth × side elements of a
 * datatype, which are filled with numbers: zeros would draw less power. Blocks. What is there
 * on error, blas_close frees. */
int blas_open(const struct blas *blas, struct blas_place *p, unsigned side, unsigned depth,
              enum dtype dtype, cudaStream_t stream, struct status *st);
/* One product on the place's stream, on the current device; the status of cuBLAS, 0: well.
 * float16 and bfloat16 are summed in float32, float32 is taken by tensor cores (TF32). */
int blas_multiply(const struct blas *blas, const struct blas_place *p, unsigned side,
                  unsigned depth, enum dtype dtype);
void blas_close(const struct blas *blas, struct blas_place *p);

#endif
