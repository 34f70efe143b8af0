#include "host_reduce.h"

#include <string.h>

#include "../../coll/coll.h"
#include "host_float.h"

/* Elements are widened a block at a time. All arithmetic then has three types, in loops of a known
 * length, which the compiler vectorizes. */
#define BLOCK 64

enum kind { INTEGERS, FLOATS, DOUBLES };

union block {
	uint64_t u[BLOCK]; /* integers; signed ones are extended, so that all wrap the same way */
	float f[BLOCK];    /* all floats but float64 */
	double d[BLOCK];
};

static enum kind kind_of(enum dtype dtype)
{
	if (!value_is_float(dtype))
		return INTEGERS;
	return dtype == DTYPE_FLOAT64 ? DOUBLES : FLOATS;
}

static bool is_signed(enum dtype dtype)
{
	return dtype == DTYPE_INT8 || dtype == DTYPE_INT32 || dtype == DTYPE_INT64;
}

/* n is at most a block, here and below. */
static void load(enum dtype dtype, const void *from, size_t n, union block *out)
{
	const uint8_t *bytes = from;
	const uint16_t *shorts = from;
	const uint32_t *words = from;
	switch (dtype) {
	case DTYPE_INT8:
		for (size_t i = 0; i < n; i++)
			out->u[i] = (uint64_t)(int8_t)bytes[i];
		break;
	case DTYPE_UINT8:
		for (size_t i = 0; i < n; i++)
			out->u[i] = bytes[i];
		break;
	case DTYPE_INT32:
		for (size_t i = 0; i < n; i++)
			out->u[i] = (uint64_t)(int32_t)words[i];
		break;
	case DTYPE_UINT32:
		for (size_t i = 0; i < n; i++)
			out->u[i] = words[i];
		break;
	case DTYPE_FLOAT16:
	case DTYPE_BFLOAT16:
		for (size_t i = 0; i < n; i++)
			out->f[i] = host_float_widen(dtype, shorts[i]);
		break;
	case DTYPE_FLOAT8_E4M3:
	case DTYPE_FLOAT8_E5M2:
		for (size_t i = 0; i < n; i++)
			out->f[i] = host_float_widen(dtype, bytes[i]);
		break;
	default:
		memcpy(out, from, n * coll_dtype_bytes(dtype));
	}
}

static void store(enum dtype dtype, const union block *block, size_t n, void *to)
{
	uint8_t *bytes = to;
	uint16_t *shorts = to;
	uint32_t *words = to;
	switch (dtype) {
	case DTYPE_INT8:
	case DTYPE_UINT8:
		for (size_t i = 0; i < n; i++)
			bytes[i] = (uint8_t)block->u[i];
		break;
	case DTYPE_INT32:
	case DTYPE_UINT32:
		for (size_t i = 0; i < n; i++)
			words[i] = (uint32_t)block->u[i];
		break;
	case DTYPE_FLOAT16:
	case DTYPE_BFLOAT16:
		for (size_t i = 0; i < n; i++)
			shorts[i] = host_float_narrow(dtype, block->f[i]);
		break;
	case DTYPE_FLOAT8_E4M3:
	case DTYPE_FLOAT8_E5M2:
		for (size_t i = 0; i < n; i++)
			bytes[i] = (uint8_t)host_float_narrow(dtype, block->f[i]);
		break;
	default:
		memcpy(to, block, n * coll_dtype_bytes(dtype));
	}
}

/* Rounds to what a small float's type can hold. */
static void settle(enum dtype dtype, union block *block, size_t n)
{
	if (kind_of(dtype) != FLOATS || dtype == DTYPE_FLOAT32)
		return;
	for (size_t i = 0; i < n; i++)
		block->f[i] = host_float_widen(dtype, host_float_narrow(dtype, block->f[i]));
}

bool host_reduce_scales(enum dtype dtype, enum op op)
{
	return op == OP_PREMULSUM || (op == OP_AVG && kind_of(dtype) != INTEGERS);
}

static void scale(const struct host_reduction *r, unsigned source, union block *block, size_t n)
{
	double by = r->op == OP_AVG ? 1.0 / r->nranks : (double)value_scale(source);
	union block factor = {.f = {(float)by}};
	if (!host_reduce_scales(r->dtype, r->op))
		return;
	switch (kind_of(r->dtype)) {
	case INTEGERS:
		for (size_t i = 0; i < n; i++)
			block->u[i] *= (uint64_t)value_scale(source);
		break;
	case FLOATS:
		settle(r->dtype, &factor, 1);
		for (size_t i = 0; i < n; i++)
			block->f[i] *= factor.f[0];
		settle(r->dtype, block, n);
		break;
	case DOUBLES:
		for (size_t i = 0; i < n; i++)
			block->d[i] *= by;
		break;
	}
}

static void combine_integers(enum op op, bool sign, uint64_t *restrict a,
                             const uint64_t *restrict b, size_t n)
{
	/* With their sign bit flipped, signed numbers compare like unsigned ones. */
	const uint64_t turn = sign ? (uint64_t)1 << 63 : 0;
	switch (op) {
	case OP_PROD:
		for (size_t i = 0; i < n; i++)
			a[i] *= b[i];
		break;
	case OP_MIN:
		for (size_t i = 0; i < n; i++)
			a[i] = (b[i] ^ turn) < (a[i] ^ turn) ? b[i] : a[i];
		break;
	case OP_MAX:
		for (size_t i = 0; i < n; i++)
			a[i] = (b[i] ^ turn) > (a[i] ^ turn) ? b[i] : a[i];
		break;
	default:
		for (size_t i = 0; i < n; i++)
			a[i] += b[i];
	}
}

#define COMBINE(NAME, TYPE)                                                                        \
	static void NAME(enum op op, TYPE *restrict a, const TYPE *restrict b, size_t n)           \
	{                                                                                          \
		switch (op) {                                                                      \
		case OP_PROD:                                                                      \
			for (size_t i = 0; i < n; i++)                                             \
				a[i] *= b[i];                                                      \
			break;                                                                     \
		case OP_MIN:                                                                       \
			for (size_t i = 0; i < n; i++)                                             \
				a[i] = b[i] < a[i] ? b[i] : a[i];                                  \
			break;                                                                     \
		case OP_MAX:                                                                       \
			for (size_t i = 0; i < n; i++)                                             \
				a[i] = b[i] > a[i] ? b[i] : a[i];                                  \
			break;                                                                     \
		default:                                                                           \
			for (size_t i = 0; i < n; i++)                                             \
				a[i] += b[i];                                                      \
		}                                                                                  \
	}
COMBINE(combine_floats, float)
COMBINE(combine_doubles, double)

static void combine(const struct host_reduction *r, union block *a, const union block *b, size_t n)
{
	switch (kind_of(r->dtype)) {
	case INTEGERS:
		combine_integers(r->op, is_signed(r->dtype), a->u, b->u, n);
		break;
	case FLOATS:
		combine_floats(r->op, a->f, b->f, n);
		break;
	case DOUBLES:
		combine_doubles(r->op, a->d, b->d, n);
		break;
	}
}

/* Divides the sum, wrapped to its type, towards 0. */
static void divide(const struct host_reduction *r, union block *block, size_t n)
{
	uint64_t kept[BLOCK];
	store(r->dtype, block, n, kept);
	load(r->dtype, kept, n, block);
	for (size_t i = 0; i < n; i++)
		block->u[i] = is_signed(r->dtype)
		                  ? (uint64_t)((int64_t)block->u[i] / (int64_t)r->nranks)
		                  : block->u[i] / r->nranks;
}

void host_reduce_first(const struct host_reduction *r, unsigned source, void *to, const void *from,
                       size_t bytes)
{
	size_t element = coll_dtype_bytes(r->dtype), step = BLOCK * element;
	union block block;
	if (!host_reduce_scales(r->dtype, r->op)) {
		memmove(to, from, bytes);
		return;
	}
	for (size_t at = 0; at < bytes; at += step) {
		size_t n = (bytes - at < step ? bytes - at : step) / element;
		load(r->dtype, (const uint8_t *)from + at, n, &block);
		scale(r, source, &block, n);
		store(r->dtype, &block, n, (uint8_t *)to + at);
	}
}

/* By far the most frequent case, and the one whose speed matters. */
static void sum_f32(float *restrict to, const float *restrict from, size_t count)
{
	size_t i = 0;
	for (; i + BLOCK <= count; i += BLOCK)
		for (unsigned k = 0; k < BLOCK; k++)
			to[i + k] += from[i + k];
	for (; i < count; i++)
		to[i] += from[i];
}

void host_reduce_combine(const struct host_reduction *r, unsigned source, bool last,
                         void *restrict to, const void *restrict from, size_t bytes)
{
	size_t element = coll_dtype_bytes(r->dtype), step = BLOCK * element;
	bool divides = last && r->op == OP_AVG && kind_of(r->dtype) == INTEGERS;
	union block sum, input;
	if (r->dtype == DTYPE_FLOAT32 && r->op == OP_SUM) {
		sum_f32(to, from, bytes / sizeof(float));
		return;
	}
	for (size_t at = 0; at < bytes; at += step) {
		size_t n = (bytes - at < step ? bytes - at : step) / element;
		load(r->dtype, (const uint8_t *)to + at, n, &sum);
		load(r->dtype, (const uint8_t *)from + at, n, &input);
		scale(r, source, &input, n);
		combine(r, &sum, &input, n);
		if (divides)
			divide(r, &sum, n);
		store(r->dtype, &sum, n, (uint8_t *)to + at);
	}
}
