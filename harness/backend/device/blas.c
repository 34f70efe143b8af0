#include "blas.h"

#include "../symbols.h"

#define WORKSPACE_BYTES ((size_t)32 << 20) /* what NVIDIA recommends for its largest GPUs */

/* cudaDataType_t, cublasComputeType_t, cublasGemmAlgo_t. */
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_16BF = 14 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_TF32 = 77 };
enum { ALGORITHM_DEFAULT = -1 };

int blas_load(struct blas *out, struct status *st)
{
	static const char *const files[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
	                                    "/usr/local/cuda/lib64/libcublas.so"};
#define ROW(NAME, SYMBOL) SYMBOL_OF(struct blas, NAME, SYMBOL)
	static const struct symbol symbols[] = {
	    ROW(create, cublasCreate_v2), ROW(destroy, cublasDestroy_v2),
	    ROW(set_stream, cublasSetStream_v2), ROW(set_workspace, cublasSetWorkspace_v2),
	    ROW(multiply, cublasGemmEx)};
	for (unsigned i = 0; i < sizeof files / sizeof *files && !out->library; i++)
		out->library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
	if (!out->library)
		return status_set(
		    st, "a step of training computes with cuBLAS, and there is no libcublas.so.13 "
		        "or .12 (NVIDIA's libcublas; LD_LIBRARY_PATH leads to it)");
	const char *missing =
	    symbols_find(out->library, symbols, sizeof symbols / sizeof *symbols, out);
	return missing ? status_set(st, "cuBLAS has no %s: it is older than CUDA 11", missing) : 0;
}

enum dtype blas_dtype(enum dtype dtype)
{
	return dtype == DTYPE_FLOAT16 || dtype == DTYPE_BFLOAT16 || dtype == DTYPE_FLOAT64
	           ? dtype
	           : DTYPE_FLOAT32;
}

static int blas_ok(int status, const char *what, struct status *st)
{
	return status ? status_set(st, "%s: cuBLAS says %d", what, status) : 0;
}

/* Twos and halves of either sign: their products' sums stay small. */
static int fill(char *matrix, enum dtype dtype, uint64_t n, cudaStream_t stream, struct status *st)
{
	const struct value_question numbers = {.coll = COLL_ALL_REDUCE,
	                                       .dtype = dtype,
	                                       .op = OP_PROD,
	                                       .nranks = 1,
	                                       .seed = 1,
	                                       .count = n,
	                                       .parts = {.nranks = 1}};
	return device_ok(device_launch_fill(matrix, &numbers, 0, n, 1, stream),
	                 "filling what is multiplied", st);
}

int blas_open(const struct blas *blas, struct blas_place *p, unsigned side, unsigned depth,
              enum dtype dtype, cudaStream_t stream, struct status *st)
{
	const size_t element = coll_dtype_bytes(blas_dtype(dtype));
	const uint64_t factor = (uint64_t)side * depth, product = (uint64_t)side * side;
	for (unsigned i = 0; i < 3; i++)
		if (device_ok(
		        cudaMalloc((void **)&p->factors[i], (i < 2 ? factor : product) * element),
		        "cudaMalloc of what is multiplied", st) ||
		    (i < 2 && fill(p->factors[i], blas_dtype(dtype), factor, stream, st)))
			return -1;
	if (device_ok(cudaMalloc(&p->workspace, WORKSPACE_BYTES), "cudaMalloc for cuBLAS", st) ||
	    blas_ok(blas->create(&p->handle), "cublasCreate", st) ||
	    blas_ok(blas->set_stream(p->handle, stream), "cublasSetStream", st) ||
	    /* Our own workspace: a graph may not hold one that moves. */
	    blas_ok(blas->set_workspace(p->handle, p->workspace, WORKSPACE_BYTES),
	            "cublasSetWorkspace", st))
		return -1;
	return device_ok(cudaStreamSynchronize(stream), "filling what is multiplied", st);
}

int blas_multiply(const struct blas *blas, const struct blas_place *p, unsigned side,
                  unsigned depth, enum dtype dtype)
{
	static const double one_64 = 1, zero_64 = 0;
	static const float one = 1, zero = 0;
	const enum dtype in = blas_dtype(dtype);
	const bool wide = in == DTYPE_FLOAT64;
	const int type = in == DTYPE_FLOAT16    ? R_16F
	                 : in == DTYPE_BFLOAT16 ? R_16BF
	                 : wide                 ? R_64F
	                                        : R_32F;
	const int compute = wide ? COMPUTE_64F : type == R_32F ? COMPUTE_TF32 : COMPUTE_32F;
	const int m = (int)side, k = (int)depth;
	return blas->multiply(p->handle, 0, 0, m, m, k,
	                      wide ? (const void *)&one_64 : (const void *)&one, p->factors[0],
	                      type, m, p->factors[1], type, k,
	                      wide ? (const void *)&zero_64 : (const void *)&zero, p->factors[2],
	                      type, m, compute, ALGORITHM_DEFAULT);
}

void blas_close(const struct blas *blas, struct blas_place *p)
{
	if (p->handle)
		blas->destroy(p->handle);
	cudaFree(p->workspace);
	for (unsigned i = 0; i < 3; i++)
		cudaFree(p->factors[i]);
	*p = (struct blas_place){0};
}
