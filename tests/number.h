/* The datatypes again, for tests: numbers as long double, which holds 64 binary digits, and
 * rounding by separate arithmetic. Shares only the names with harness/value.h. A value that would
 * be rounded is a failure. */
#pragma once

#include <float.h>

#include "../harness/coll/coll.h"
#include "test.h"

_Static_assert(LDBL_MANT_DIG >= 64, "the tests want long double of 64 digits");

/* Exponent and fraction bits, from IEEE 754 and, of 8 bits, from the OCP's specification. */
static const struct number_format {
	int exponent_bits, fraction_bits;
	long double most;
} number_formats[DTYPE_KINDS] = {
    [DTYPE_FLOAT16] = {5, 10, 65504},   [DTYPE_BFLOAT16] = {8, 7, 0x1.FEp127L},
    [DTYPE_FLOAT32] = {8, 23, FLT_MAX}, [DTYPE_FLOAT64] = {11, 52, DBL_MAX},
    [DTYPE_FLOAT8_E4M3] = {4, 3, 448},  [DTYPE_FLOAT8_E5M2] = {5, 2, 57344},
};

static inline uint64_t number_mask(enum dtype dtype)
{
	return coll_dtype_bytes(dtype) == 8 ? ~(uint64_t)0
	                                    : ((uint64_t)1 << 8 * coll_dtype_bytes(dtype)) - 1;
}

static inline bool number_is_signed(enum dtype dtype)
{
	return dtype == DTYPE_INT8 || dtype == DTYPE_INT32 || dtype == DTYPE_INT64;
}

/* The number that the bits encode; NAN if they encode none, infinities included. */
static inline long double number_of(enum dtype dtype, uint64_t bits)
{
	const struct number_format *f = &number_formats[dtype];
	int sign_bit = (int)coll_dtype_bytes(dtype) * 8 - 1;
	bool negative = bits >> sign_bit & 1;
	if (!value_is_float(dtype)) {
		if (number_is_signed(dtype) && negative)
			return -(long double)((~bits & number_mask(dtype)) + 1);
		return (long double)bits;
	}
	int bias = (1 << (f->exponent_bits - 1)) - 1;
	int exponent = (int)(bits >> f->fraction_bits & ((1u << f->exponent_bits) - 1));
	long double fraction = (long double)(bits & (((uint64_t)1 << f->fraction_bits) - 1));
	long double one = ldexpl(1, f->fraction_bits);
	long double value = exponent == 0 ? ldexpl(fraction / one, 1 - bias)
	                                  : ldexpl(1 + fraction / one, exponent - bias);
	if (value > f->most)
		return NAN;
	return negative ? -value : value;
}

/* A float's nearest number, ties to even; NAN beyond the largest. */
static inline long double number_round(enum dtype dtype, long double value)
{
	const struct number_format *f = &number_formats[dtype];
	int least = 2 - (1 << (f->exponent_bits - 1)), exponent;
	frexpl(value, &exponent); /* value is below 2^exponent, and at least half of it */
	if (exponent - 1 < least)
		exponent = least + 1;
	long double unit = ldexpl(1, exponent - 1 - f->fraction_bits);
	long double rounded = rintl(value / unit) * unit;
	return fabsl(rounded) > f->most ? NAN : rounded;
}

/* What a rank's element is before the first step: NCCL multiplies first where it has to. */
static inline uint64_t number_whole(enum dtype dtype, enum op op, uint64_t bits, unsigned rank)
{
	return op == OP_PREMULSUM ? bits * (1 + rank % 2) & number_mask(dtype) : bits;
}

static inline long double number_real(enum dtype dtype, enum op op, long double x, unsigned n,
                                      unsigned rank)
{
	long double exact = op == OP_PREMULSUM ? x * (1 + rank % 2)
	                    : op == OP_AVG     ? x * number_round(dtype, 1.0L / n)
	                                       : x;
	assert_true(number_round(dtype, exact) == exact);
	return exact;
}

/* One step of a reduction, as hardware does it: integers wrap, except in avg, which must not
 * want to; floats must not want to round. */
static inline uint64_t number_join_whole(enum dtype dtype, enum op op, uint64_t a, uint64_t b)
{
	long double x = number_of(dtype, a), y = number_of(dtype, b);
	if (op == OP_MIN || op == OP_MAX)
		return (x < y) == (op == OP_MIN) ? a : b;
	if (op == OP_PROD)
		return a * b & number_mask(dtype);
	if (op == OP_AVG)
		assert_true(number_of(dtype, (a + b) & number_mask(dtype)) == x + y);
	return (a + b) & number_mask(dtype);
}

static inline long double number_join_real(enum dtype dtype, enum op op, long double x,
                                           long double y)
{
	long double exact = op == OP_PROD  ? x * y
	                    : op == OP_MIN ? fminl(x, y)
	                    : op == OP_MAX ? fmaxl(x, y)
	                                   : x + y;
	assert_true(number_round(dtype, exact) == exact);
	return exact;
}
