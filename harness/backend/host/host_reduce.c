#include "host_reduce.h"

#include <string.h>

#include "../../coll/coll.h"

/* --- small floats: E4M3 (OCP's OFP8) has no infinities, and what is beyond 448 becomes NaN --- */

/* The layout of a small float; the sign comes first. */
struct format {
	int exponent_bits, mantissa_bits;
	bool infinities;
};

static struct format format_of(enum dtype dtype)
{
	const int digits = (int)value_digits(dtype);
	return (struct format){(int)value_width(dtype) - digits, digits - 1,
	                       dtype != DTYPE_FLOAT8_E4M3};
}

static uint32_t float_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static float float_of(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static float widen(struct format f, uint32_t bits)
{
	int bias = (1 << (f.exponent_bits - 1)) - 1;
	uint32_t top = (1u << f.exponent_bits) - 1, all = (1u << f.mantissa_bits) - 1;
	uint32_t exponent = bits >> f.mantissa_bits & top, mantissa = bits & all;
	uint32_t sign = bits >> (f.exponent_bits + f.mantissa_bits) << 31;
	uint32_t wide = mantissa << (23 - f.mantissa_bits);
	if (exponent == top && (f.infinities || mantissa == all))
		return float_of(sign | 0xFFu << 23 | wide);
	if (exponent == 0 && f.exponent_bits < 8) {
		/* Subnormal: a multiple of the smallest step. */
		float step = float_of((uint32_t)(128 - bias - f.mantissa_bits) << 23);
		return float_of(sign | float_bits((float)mantissa * step));
	}
	return float_of(sign | (exponent + 127u - (uint32_t)bias) << 23 | wide);
}

/* wide without its last `drop` bits, rounded to nearest, ties to even. */
static uint32_t shorten(uint32_t wide, int drop)
{
	uint32_t half = 1u << (drop - 1);
	return (wide + half - 1 + (wide >> drop & 1)) >> drop;
}

static uint32_t narrow(struct format f, float value)
{
	int bias = (1 << (f.exponent_bits - 1)) - 1;
	uint32_t sign = float_bits(value) >> 31 << (f.exponent_bits + f.mantissa_bits);
	uint32_t wide = float_bits(value) & 0x7FFFFFFF;
	uint32_t infinity = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
	uint32_t nan = infinity | ((1u << f.mantissa_bits) - 1), bits;
	if (wide > 0xFFu << 23)
		return sign | nan;
	if ((int)(wide >> 23) - 127 + bias < 1 && f.exponent_bits < 8) {
		/* Subnormal: adding 2^23 steps rounds to whole steps, as the CPU rounds. */
		float step = float_of((uint32_t)(128 - bias - f.mantissa_bits) << 23);
		float shifted = float_of(wide) / step + 0x1p23f;
		return sign | (float_bits(shifted) & 0x7FFFFF);
	}
	bits = shorten(wide, 23 - f.mantissa_bits) - ((127u - (uint32_t)bias) << f.mantissa_bits);
	if (f.infinities)
		return sign | (bits > infinity ? infinity : bits);
	return sign | (bits > nan ? nan : bits);
}

/* --- blocks of elements --- */

/* Elements are widened a block at a time, so that all arithmetic has two types, in loops that
 * vectorize. float64, rounded again, gives what float32's own operation gives (Figueroa 1995). */
#define BLOCK 64

union block {
	uint64_t u[BLOCK]; /* integers; signed ones are extended, so that all wrap the same way */
	double d[BLOCK];   /* floats */
};

static bool is_signed(enum dtype dtype)
{
	return dtype == DTYPE_INT8 || dtype == DTYPE_INT32 || dtype == DTYPE_INT64;
}

/* A datatype, its elements, their member of a block, how they are widened and narrowed. */
#define SMALL(BITS)   (double)widen(format, BITS)
#define NARROW(VALUE) (uint16_t) narrow(format, (float)(VALUE))
#define TYPES(ROW)                                                                                 \
	ROW(DTYPE_INT8, int8_t, u, (uint64_t), (int8_t))                                           \
	ROW(DTYPE_UINT8, uint8_t, u, (uint64_t), (uint8_t))                                        \
	ROW(DTYPE_INT32, int32_t, u, (uint64_t), (int32_t))                                        \
	ROW(DTYPE_UINT32, uint32_t, u, (uint64_t), (uint32_t))                                     \
	ROW(DTYPE_INT64, uint64_t, u, (uint64_t), (uint64_t))                                      \
	ROW(DTYPE_UINT64, uint64_t, u, (uint64_t), (uint64_t))                                     \
	ROW(DTYPE_FLOAT16, uint16_t, d, SMALL, NARROW)                                             \
	ROW(DTYPE_BFLOAT16, uint16_t, d, SMALL, NARROW)                                            \
	ROW(DTYPE_FLOAT8_E4M3, uint8_t, d, SMALL, (uint8_t)NARROW)                                 \
	ROW(DTYPE_FLOAT8_E5M2, uint8_t, d, SMALL, (uint8_t)NARROW)                                 \
	ROW(DTYPE_FLOAT32, float, d, (double), (float))                                            \
	ROW(DTYPE_FLOAT64, double, d, (double), (double))
#define LOAD(DTYPE, TYPE, MEMBER, WIDE, SHORT)                                                     \
	case DTYPE:                                                                                \
		for (size_t i = 0; i < n; i++)                                                     \
			out->MEMBER[i] = WIDE(((const TYPE *)from)[i]);                            \
		break;
#define STORE(DTYPE, TYPE, MEMBER, WIDE, SHORT)                                                    \
	case DTYPE:                                                                                \
		for (size_t i = 0; i < n; i++)                                                     \
			((TYPE *)to)[i] = SHORT(block->MEMBER[i]);                                 \
		break;

/* n is at most a block, here and below. */
static void load(enum dtype dtype, const void *from, size_t n, union block *out)
{
	const struct format format = format_of(dtype);
	switch (dtype) {
		TYPES(LOAD)
	case DTYPE_KINDS:
		break;
	}
}

static void store(enum dtype dtype, const union block *block, size_t n, void *to)
{
	const struct format format = format_of(dtype);
	switch (dtype) {
		TYPES(STORE)
	case DTYPE_KINDS:
		break;
	}
}

/* As it would be if it had been stored. */
static void settle(enum dtype dtype, union block *block, size_t n)
{
	uint64_t kept[BLOCK];
	store(dtype, block, n, kept);
	load(dtype, kept, n, block);
}

bool host_reduce_scales(enum dtype dtype, enum op op)
{
	return op == OP_PREMULSUM || (op == OP_AVG && value_is_float(dtype));
}

static void scale(const struct host_reduction *r, unsigned source, union block *block, size_t n)
{
	union block by = {.d = {r->op == OP_AVG ? 1.0 / r->nranks : value_scale(source)}};
	if (!host_reduce_scales(r->dtype, r->op))
		return;
	if (value_is_float(r->dtype)) {
		settle(r->dtype, &by, 1);
		for (size_t i = 0; i < n; i++)
			block->d[i] *= by.d[0];
		settle(r->dtype, block, n);
	} else {
		for (size_t i = 0; i < n; i++)
			block->u[i] *= value_scale(source);
	}
}

/* ORDER makes numbers that compare as the elements do. */
#define COMBINE(NAME, TYPE, ORDER)                                                                 \
	static void NAME(enum op op, uint64_t turn, TYPE *restrict a, const TYPE *restrict b,      \
	                 size_t n)                                                                 \
	{                                                                                          \
		(void)turn;                                                                        \
		switch (op) {                                                                      \
		case OP_PROD:                                                                      \
			for (size_t i = 0; i < n; i++)                                             \
				a[i] *= b[i];                                                      \
			break;                                                                     \
		case OP_MIN:                                                                       \
			for (size_t i = 0; i < n; i++)                                             \
				a[i] = (b[i] ORDER) < (a[i] ORDER) ? b[i] : a[i];                  \
			break;                                                                     \
		case OP_MAX:                                                                       \
			for (size_t i = 0; i < n; i++)                                             \
				a[i] = (b[i] ORDER) > (a[i] ORDER) ? b[i] : a[i];                  \
			break;                                                                     \
		default:                                                                           \
			for (size_t i = 0; i < n; i++)                                             \
				a[i] += b[i];                                                      \
		}                                                                                  \
	}
COMBINE(combine_integers, uint64_t, ^turn)
COMBINE(combine_floats, double, )

static void combine(const struct host_reduction *r, union block *a, const union block *b, size_t n)
{
	/* With their sign bit flipped, signed numbers compare like unsigned ones. */
	const uint64_t turn = is_signed(r->dtype) ? (uint64_t)1 << 63 : 0;
	if (value_is_float(r->dtype))
		combine_floats(r->op, turn, a->d, b->d, n);
	else
		combine_integers(r->op, turn, a->u, b->u, n);
}

/* Divides the sum, wrapped to its type, towards 0. */
static void divide(const struct host_reduction *r, union block *block, size_t n)
{
	settle(r->dtype, block, n);
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
	bool divides = last && r->op == OP_AVG && !value_is_float(r->dtype);
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
