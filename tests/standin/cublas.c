/* A stand-in for cuBLAS: each call makes a product on the handle's stream, which reads and writes
 * the corners of its matrices. inject.h describes errors (STANDIN_CUBLAS). */
#include <stdint.h>

#include "inject.h"
#include "standin.h"

struct handle {
	cudaStream_t stream;
};

struct product {
	const volatile char *a, *b;
	volatile char *c;
	size_t last_a, last_b, last_c;
};

static struct {
	pthread_once_t once;
	struct inject inject;
} here = {.once = PTHREAD_ONCE_INIT};

static void begin(void)
{
	inject_read(&here.inject, getenv("STANDIN_CUBLAS"));
}

static int enter(const char *function)
{
	pthread_once(&here.once, begin);
	return inject_ask(&here.inject, function);
}

int cublasCreate_v2(void **handle)
{
	*handle = calloc(1, sizeof(struct handle));
	return enter(__func__);
}

int cublasDestroy_v2(void *handle)
{
	free(handle);
	return 0;
}

int cublasSetStream_v2(void *handle, cudaStream_t stream)
{
	((struct handle *)handle)->stream = stream;
	return enter(__func__);
}

int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes)
{
	return enter(__func__);
}

static void multiply(void *args)
{
	const struct product *p = args;
	p->c[0] = (char)(p->a[0] + p->b[0]);
	p->c[p->last_c] = (char)(p->a[p->last_a] + p->b[p->last_b]);
}

/* cudaDataType_t: the few that are used. */
static size_t bytes_of(int type)
{
	return type == 2 || type == 14 ? 2 : type == 1 ? 8 : 4;
}

int cublasGemmEx(void *handle, int turn_a, int turn_b, int m, int n, int k, const void *alpha,
                 const void *a, int type_a, int lead_a, const void *b, int type_b, int lead_b,
                 const void *beta, void *c, int type_c, int lead_c, int compute, int algorithm)
{
	int error = enter(__func__);
	size_t last[3] = {(size_t)lead_a * (size_t)k * bytes_of(type_a) - 1,
	                  (size_t)lead_b * (size_t)n * bytes_of(type_b) - 1,
	                  (size_t)lead_c * (size_t)n * bytes_of(type_c) - 1};
	struct product p = {a, b, c, last[0], last[1], last[2]};
	if (error)
		return error;
	if (lead_a < m || lead_b < k || lead_c < m)
		return 7; /* CUBLAS_STATUS_INVALID_VALUE */
	return (int)standin_launch("product", ((struct handle *)handle)->stream, multiply, &p,
	                           sizeof p);
}
