/* The representation of a number in each datatype: bits from a sign, an integer mantissa and an
 * exponent. Integer arithmetic alone, so that CPUs and GPUs agree whatever their float hardware. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define VALUE_FN static inline __host__ __device__
#else
#define VALUE_FN static inline
#endif

enum dtype {
	DTYPE_INT8,
	DTYPE_UINT8,
	DTYPE_INT32,
	DTYPE_UINT32,
	DTYPE_INT64,
	DTYPE_UINT64,
	DTYPE_FLOAT16, /* here begin the floats */
	DTYPE_BFLOAT16,
	DTYPE_FLOAT32,
	DTYPE_FLOAT64,
	DTYPE_FLOAT8_E4M3,
	DTYPE_FLOAT8_E5M2,
	DTYPE_KINDS
};

VALUE_FN bool value_is_float(enum dtype dtype)
{
	return dtype >= DTYPE_FLOAT16;
}

VALUE_FN unsigned value_width(enum dtype dtype)
{
	switch (dtype) {
	case DTYPE_INT64:
	case DTYPE_UINT64:
	case DTYPE_FLOAT64:
		return 64;
	case DTYPE_INT32:
	case DTYPE_UINT32:
	case DTYPE_FLOAT32:
		return 32;
	case DTYPE_FLOAT16:
	case DTYPE_BFLOAT16:
		return 16;
	default:
		return 8;
	}
}

/* Binary digits of a float, with the hidden one: integers up to 2^digits are exact. */
VALUE_FN unsigned value_digits(enum dtype dtype)
{
	switch (dtype) {
	case DTYPE_FLOAT64:
		return 53;
	case DTYPE_FLOAT32:
		return 24;
	case DTYPE_FLOAT16:
		return 11;
	case DTYPE_BFLOAT16:
		return 8;
	case DTYPE_FLOAT8_E4M3:
		return 4;
	default:
		return 3;
	}
}

VALUE_FN uint64_t value_mask(enum dtype dtype)
{
	return ~(uint64_t)0 >> (64 - value_width(dtype));
}

/* x > 0: the index of its highest bit. */
VALUE_FN int value_log2(uint64_t x)
{
#ifdef __CUDA_ARCH__
	return 63 - __clzll((long long)x);
#else
	return 63 - __builtin_clzll(x);
#endif
}

/* Bias of a float's exponent field: half the range for all six, e4m3 included. */
VALUE_FN int value_bias(enum dtype dtype)
{
	return (1 << (value_width(dtype) - value_digits(dtype) - 1)) - 1;
}

/* A float's bits; of an integer nothing: the sign, the exponent's lowest bit, and bits of the
 * fraction; then the exponent of its smallest normal number. */
struct value_form {
	uint64_t sign, one;
	int fraction, least;
};

VALUE_FN struct value_form value_form(enum dtype dtype)
{
	struct value_form f = {0, 0, 0, 0};
	if (value_is_float(dtype)) {
		f.fraction = (int)value_digits(dtype) - 1;
		f.one = (uint64_t)1 << f.fraction;
		f.sign = (uint64_t)1 << (value_width(dtype) - 1);
		f.least = 1 - value_bias(dtype);
	}
	return f;
}

/* (-1)^negative × mantissa × 2^exponent, which must be exact in the float. */
VALUE_FN uint64_t value_encode_as(const struct value_form *f, uint64_t negative, uint64_t mantissa,
                                  int exponent)
{
	int top, over, biased;
	if (mantissa == 0)
		return 0;
	top = value_log2(mantissa);
	over = exponent + top - f->least;
	biased = over > 0 ? over : 0; /* 0: a subnormal number, with fewer digits */
	/* Adding the hidden digit increments the exponent; subnormal numbers have none. */
	return (mantissa << (63 - top) >> (63 - f->fraction + biased - over)) +
	       (uint64_t)biased * f->one + (f->sign & (0 - negative));
}

VALUE_FN uint64_t value_encode_number(const struct value_form *f, int64_t number, uint64_t share,
                                      int exponent)
{
	uint64_t negative = number < 0, turn = 0 - negative;
	return value_encode_as(f, negative, (((uint64_t)number ^ turn) - turn) * share, exponent);
}

VALUE_FN uint64_t value_encode(enum dtype dtype, bool negative, uint64_t mantissa, int exponent)
{
	const struct value_form f = value_form(dtype);
	return value_encode_as(&f, negative, mantissa, exponent);
}

/* premulsum: the factor of a rank's inputs; an integer in every datatype. */
VALUE_FN unsigned value_scale(unsigned rank)
{
	return 1 + rank % 2;
}

VALUE_FN uint64_t value_scale_bits(enum dtype dtype, unsigned rank)
{
	return value_is_float(dtype) ? value_encode(dtype, false, value_scale(rank), 0)
	                             : value_scale(rank);
}

/* avg of floats: 1/nranks rounded to the nearest (ties to even) as mantissa × 2^exponent. */
VALUE_FN uint64_t value_share(enum dtype dtype, unsigned nranks, int *exponent)
{
	int below = nranks > 1 ? value_log2(nranks - 1) + 1 : 0; /* 2^-below <= 1/nranks */
	int digits = (int)value_digits(dtype), least = 1 - value_bias(dtype), shift, more;
	uint64_t quotient, rest;
	if (-below < least) /* fewer digits below the normal numbers */
		digits -= least + below;
	*exponent = 0;
	if (digits < 0)
		return 0;
	/* 2^shift ÷ nranks, in two steps: it may take more than 64 bits. */
	shift = digits + below - 1;
	more = shift > 63 ? shift - 63 : 0;
	quotient = ((uint64_t)1 << (shift - more)) / nranks;
	rest = ((uint64_t)1 << (shift - more)) % nranks;
	quotient = (quotient << more) + (rest << more) / nranks;
	rest = (rest << more) % nranks;
	/* A tie is only possible between 0, which is even, and the smallest number. */
	quotient += rest * 2 > nranks;
	*exponent = -shift;
	return quotient;
}
