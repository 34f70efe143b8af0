/* The kernels of harness/backend/device/device_kernels.cu, done by the host on a stand-in's
 * stream: the same functions of value.h at every element. */
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "../../harness/backend/device/device.h"
#include "standin.h"

#define HOLD_NS 10000000000ull

struct stretch {
	char *arena;
	struct value_question q;
	uint64_t at, n;
	unsigned slots;
	unsigned long long *tally;
};

static uint64_t load(const char *at, size_t bytes)
{
	uint64_t bits = 0;
	memcpy(&bits, at, bytes);
	return bits;
}

struct poison {
	void *arena;
	size_t bytes;
};

static void poison(void *args)
{
	const struct poison *p = args;
	memset(p->arena, VALUE_POISON_BYTE, p->bytes);
}

cudaError_t device_launch_poison(void *arena, enum dtype dtype, uint64_t n, cudaStream_t stream)
{
	struct poison p = {arena, n * coll_dtype_bytes(dtype)};
	return standin_launch(__func__, stream, poison, &p, sizeof p);
}

static void fill(void *args)
{
	const struct stretch *s = args;
	const struct value_rule rule = value_rule(&s->q);
	size_t element = coll_dtype_bytes(s->q.dtype);
	for (unsigned slot = 0; slot < s->slots; slot++) {
		uint64_t base = slot * s->q.count;
		for (uint64_t i = 0; i < s->n; i++) {
			uint64_t bits =
			    value_input_by(&s->q, &rule, value_place(&s->q, base + i), s->q.rank);
			memcpy(s->arena + (base + s->at + i) * element, &bits, element);
		}
	}
}

cudaError_t device_launch_fill(void *arena, const struct value_question *question, uint64_t at,
                               uint64_t n, unsigned slots, cudaStream_t stream)
{
	struct stretch s = {arena, *question, at, n, slots, NULL};
	return standin_launch(__func__, stream, fill, &s, sizeof s);
}

static void check(void *args)
{
	const struct stretch *s = args;
	const struct value_rule rule = value_rule(&s->q);
	size_t element = coll_dtype_bytes(s->q.dtype);
	for (unsigned slot = 0; slot < s->slots; slot++) {
		uint64_t base = slot * s->q.count;
		for (uint64_t i = 0; i < s->n; i++) {
			uint64_t at = base + s->at + i;
			if (load(s->arena + at * element, element) ==
			    value_expected_by(&s->q, &rule, base, i))
				continue;
			if (at < s->tally[1])
				s->tally[1] = at;
			s->tally[0]++;
		}
	}
}

cudaError_t device_launch_check(const void *arena, const struct value_question *question,
                                uint64_t at, uint64_t n, unsigned slots,
                                unsigned long long tally[2], cudaStream_t stream)
{
	struct stretch s = {(char *)(uintptr_t)arena, *question, at, n, slots, tally};
	return standin_launch(__func__, stream, check, &s, sizeof s);
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void hold(void *args)
{
	const volatile int *flag = *(const volatile int **)args;
	uint64_t begin = now_ns();
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0 && now_ns() - begin < HOLD_NS)
		nanosleep(&(struct timespec){0, 10000}, NULL);
}

cudaError_t device_launch_hold(const volatile int *flag, cudaStream_t stream)
{
	return standin_launch(__func__, stream, hold, &flag, sizeof flag);
}

static void spin(void *args)
{
	uint64_t begin = now_ns(), ns = *(uint64_t *)args;
	while (now_ns() - begin < ns)
		;
}

/* By the clock that cudaDeviceGetAttribute reports. */
cudaError_t device_launch_spin(int64_t cycles, cudaStream_t stream)
{
	int device = 0, khz = 1;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device);
	uint64_t ns = (uint64_t)cycles * 1000000u / (uint64_t)khz;
	return standin_launch(__func__, stream, spin, &ns, sizeof ns);
}

struct copy {
	char *to;
	const char *from;
	size_t piece, stride;
	uint64_t n;
};

static void copy(void *args)
{
	const struct copy *c = args;
	for (uint64_t i = 0; i < c->n; i++)
		memcpy(c->to + i * c->stride, c->from + i * c->stride, c->piece);
}

cudaError_t device_launch_copy(void *to, const void *from, size_t piece_bytes, size_t stride,
                               uint64_t n, cudaStream_t stream)
{
	struct copy c = {to, from, piece_bytes, stride, n};
	return standin_launch(__func__, stream, copy, &c, sizeof c);
}

struct access {
	char *to;
	const char *from;
	size_t element;
	uint64_t n;
	unsigned stride;
};

static void strided(void *args)
{
	const struct access *a = args;
	uint64_t rows = a->n / a->stride;
	for (uint64_t k = 0; k < a->n; k++) {
		uint64_t at = k < rows * a->stride ? k % rows * a->stride + k / rows : k;
		memcpy(a->to + at * a->element, a->from + at * a->element, a->element);
	}
}

cudaError_t device_launch_access(void *to, const void *from, enum dtype dtype, uint64_t n,
                                 unsigned stride, cudaStream_t stream)
{
	struct access a = {to, from, coll_dtype_bytes(dtype), n, stride};
	return standin_launch(__func__, stream, strided, &a, sizeof a);
}

struct chase {
	void *to;
	const void *from;
	size_t bytes;
};

static void chase(void *args)
{
	const struct chase *c = args;
	memcpy(c->to, c->from, c->bytes);
}

cudaError_t device_launch_chase(void *to, const void *from, enum dtype dtype, uint64_t n,
                                cudaStream_t stream)
{
	struct chase c = {to, from, n * coll_dtype_bytes(dtype)};
	return standin_launch(__func__, stream, chase, &c, sizeof c);
}
