/* The kernels of harness/backend/device/device_kernels.cu, done by the host on a stand-in's
 * stream: the same functions of value.h at every element. */
#include <string.h>

#include "../../harness/backend/device/device.h"
#include "../../harness/clock.h"
#include "standin.h"

#define HOLD_NS 10000000000

struct stretch {
	char *arena;
	struct value_question q;
	uint64_t at, n;
	unsigned slots;
	unsigned long long *tally;
};

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
	/* Of what is multiplied, cublas.c reads the corners, whatever they hold. */
	const bool factor = question->op == OP_PROD && question->nranks == 1;
	struct stretch s = {arena, *question, at, factor ? 1 : n, slots, NULL};
	return standin_launch(__func__, stream, fill, &s, sizeof s);
}

static void check(void *args)
{
	const struct stretch *s = args;
	const size_t element = coll_dtype_bytes(s->q.dtype);
	const struct buffers b = {
	    .question = s->q,
	    .span = {.recv_at = s->at * element, .recv_bytes = s->n * element},
	    .slots = s->slots,
	    .recv = s->arena};
	struct backend_verdict v;
	buffers_check(&b, &v, NULL);
	s->tally[0] += v.wrong;
	if (v.wrong && v.wrong_at < s->tally[1])
		s->tally[1] = v.wrong_at;
}

cudaError_t device_launch_check(const void *arena, const struct value_question *question,
                                uint64_t at, uint64_t n, unsigned slots,
                                unsigned long long tally[2], cudaStream_t stream)
{
	struct stretch s = {(char *)(uintptr_t)arena, *question, at, n, slots, tally};
	return standin_launch(__func__, stream, check, &s, sizeof s);
}

static void hold(void *args)
{
	const volatile int *flag = *(const volatile int **)args;
	const int64_t end = clock_now_ns() + HOLD_NS;
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0 && clock_now_ns() < end)
		nanosleep(&(struct timespec){0, 10000}, NULL);
}

cudaError_t device_launch_hold(const volatile int *flag, cudaStream_t stream)
{
	return standin_launch(__func__, stream, hold, &flag, sizeof flag);
}

static void spin(void *args)
{
	const int64_t end = clock_now_ns() + *(const int64_t *)args;
	while (clock_now_ns() < end)
		;
}

/* By the clock that cudaDeviceGetAttribute reports. */
cudaError_t device_launch_spin(int64_t cycles, cudaStream_t stream)
{
	int device = 0, khz = 1;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device);
	const int64_t ns = cycles * 1000000 / khz;
	return standin_launch(__func__, stream, spin, &ns, sizeof ns);
}

/* `n` pieces, `stride` apart; or elements of this size, `column` of them from one to the next. */
struct copy {
	char *to;
	const char *from;
	size_t piece, stride, column;
	uint64_t n;
};

static void copy(void *args)
{
	const struct copy *c = args;
	if (c->column)
		buffers_copy_strided(c->to, c->from, c->piece, c->n, c->column, 0, c->n);
	for (uint64_t i = 0; !c->column && i < c->n; i++)
		memcpy(c->to + i * c->stride, c->from + i * c->stride, c->piece);
}

cudaError_t device_launch_access(void *to, const void *from, enum dtype dtype, uint64_t n,
                                 unsigned stride, cudaStream_t stream)
{
	struct copy c = {to, from, coll_dtype_bytes(dtype), 0, stride, n};
	return standin_launch(__func__, stream, copy, &c, sizeof c);
}

cudaError_t device_launch_chase(void *to, const void *from, enum dtype dtype, uint64_t n,
                                cudaStream_t stream)
{
	struct copy c = {to, from, coll_dtype_bytes(dtype), 0, 1, n};
	return standin_launch(__func__, stream, copy, &c, sizeof c);
}

static void poison(void *args)
{
	const struct copy *c = args;
	memset(c->to, VALUE_POISON_BYTE, c->n * c->piece);
}

cudaError_t device_launch_poison(void *arena, enum dtype dtype, uint64_t n, cudaStream_t stream)
{
	struct copy c = {.to = arena, .piece = coll_dtype_bytes(dtype), .n = n};
	return standin_launch(__func__, stream, poison, &c, sizeof c);
}
