#include "host_float.h"

#include <string.h>

/* The layout of a small float; the sign comes first. */
struct format {
	int exponent_bits, mantissa_bits;
	bool infinities;
};

static struct format format_of(enum dtype dtype)
{
	switch (dtype) {
	case DTYPE_FLOAT16:
		return (struct format){5, 10, true};
	case DTYPE_BFLOAT16:
		return (struct format){8, 7, true};
	case DTYPE_FLOAT8_E4M3:
		return (struct format){4, 3, false};
	default:
		return (struct format){5, 2, true};
	}
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

float host_float_widen(enum dtype dtype, uint16_t bits)
{
	return widen(format_of(dtype), bits);
}

uint16_t host_float_narrow(enum dtype dtype, float value)
{
	return (uint16_t)narrow(format_of(dtype), value);
}
