/* The host backend's results for datatypes and operations, compared with the formats' own
 * definitions, and with value.h, which encodes in another way. */
#include "../harness/backend/host/host_reduce.h"
#include "../harness/coll/coll.h"
#include "test.h"

static const enum dtype small[] = {DTYPE_FLOAT16, DTYPE_BFLOAT16, DTYPE_FLOAT8_E4M3,
                                   DTYPE_FLOAT8_E5M2};

/* A small float by its format's definition. */
static double value_of(enum dtype dtype, uint64_t bits)
{
	const int digits = (int)value_digits(dtype), bias = value_bias(dtype);
	const uint64_t one = (uint64_t)1 << (digits - 1), top = value_mask(dtype) / 2 / one;
	const uint64_t exponent = bits / one & top, fraction = bits % one;
	const double sign = bits & (value_mask(dtype) / 2 + 1) ? -1 : 1;
	if (exponent == top && dtype == DTYPE_FLOAT8_E4M3 && fraction < one - 1)
		return sign * ldexp((double)(one + fraction), (int)exponent - bias - digits + 1);
	if (exponent == top)
		return fraction ? NAN : sign * INFINITY;
	return sign * ldexp((double)(fraction + (exponent ? one : 0)),
	                    (int)(exponent ? exponent : 1) - bias - digits + 1);
}

/* Reduces one element per rank, and gives its bits. */
static uint64_t reduced(enum dtype dtype, enum op op, unsigned nranks, const uint64_t *inputs)
{
	const struct host_reduction r = {dtype, op, nranks};
	size_t bytes = coll_dtype_bytes(dtype);
	uint64_t result = 0;
	host_reduce_first(&r, 0, &result, &inputs[0], bytes);
	for (unsigned rank = 1; rank < nranks; rank++)
		host_reduce_combine(&r, rank, rank == nranks - 1, &result, &inputs[rank], bytes);
	return result;
}

/* Of the size of a number; the first one that is too large has a place too, which ends rounding. */
static double place_of(enum dtype dtype, uint64_t size, bool ends)
{
	return ends ? 2 * value_of(dtype, size - 1) - value_of(dtype, size - 2)
	            : value_of(dtype, size);
}

/* To the nearer neighbour, from the middle to the even one; what is too much is an infinity, or no
 * number where there is none. */
static void assert_nearest(enum dtype dtype, double exact, uint64_t bits)
{
	const uint64_t sign = value_mask(dtype) / 2 + 1, size = bits & (sign - 1);
	const bool ends = !isfinite(value_of(dtype, size));
	const double x = fabs(exact), own = place_of(dtype, size, ends);
	if (isnan(exact)) {
		assert_true(isnan(value_of(dtype, bits)));
		return;
	}
	assert_true(!exact || !(bits & sign) == (exact > 0));
	assert_true(!ends || dtype == DTYPE_FLOAT8_E4M3 || isinf(value_of(dtype, size)));
	const bool last = !ends && !isfinite(value_of(dtype, size + 1));
	const double below = size ? (value_of(dtype, size - 1) + own) / 2 : 0;
	const double above = ends ? INFINITY : (own + place_of(dtype, size + 1, last)) / 2;
	assert_true(x > below || (x == below && size % 2 == 0));
	assert_true(x < above || (x == above && (ends || size % 2 == 0)));
}

/* Every number with some, among them the smallest, the largest, infinities and no numbers. */
TEST(sums_and_products_are_the_nearest_numbers)
{
	for (size_t t = 0; t < LENGTH(small); t++) {
		const uint64_t all = value_mask(small[t]);
		for (uint64_t a = 0; a <= all; a++)
			for (uint64_t i = 0; i < 64; i++) {
				const uint64_t b = i * 0x9E3779B1 % (all + 1);
				const uint64_t inputs[2] = {a, i < 2 ? all / 2 - i : b};
				const double x = value_of(small[t], a),
				             y = value_of(small[t], inputs[1]);
				assert_nearest(small[t], x + y,
				               reduced(small[t], OP_SUM, 2, inputs));
				assert_nearest(small[t], x * y,
				               reduced(small[t], OP_PROD, 2, inputs));
			}
	}
}

static void assert_reduced(enum dtype dtype, enum op op, uint64_t a, uint64_t b, uint64_t c,
                           uint64_t right)
{
	uint64_t inputs[] = {a, b, c}, mask = ~(uint64_t)0 >> (64 - 8 * coll_dtype_bytes(dtype));
	for (unsigned i = 0; i < 3; i++)
		inputs[i] &= mask;
	assert_int_equal(reduced(dtype, op, 3, inputs), right & mask);
}

/* As two's complement, so that one line serves all signed, and one all unsigned types. */
TEST(integers_wrap_and_keep_their_sign)
{
	static const enum dtype types[] = {DTYPE_INT8,   DTYPE_UINT8, DTYPE_INT32,
	                                   DTYPE_UINT32, DTYPE_INT64, DTYPE_UINT64};
	for (unsigned t = 0; t < 6; t++) {
		bool sign = t % 2 == 0;
		uint64_t m = (uint64_t)-1; /* or the largest */
		assert_reduced(types[t], OP_SUM, m, 3, 5, 7);
		assert_reduced(types[t], OP_PROD, m, 3, 5, (uint64_t)-15);
		assert_reduced(types[t], OP_MIN, 2, m, 5, sign ? m : 2);
		assert_reduced(types[t], OP_MAX, 2, m, 5, sign ? 5 : m);
		assert_reduced(types[t], OP_AVG, 9, 1, 1, 3); /* 11 ÷ 3 */
		if (sign)
			assert_reduced(types[t], OP_AVG, (uint64_t)-9, m, m, (uint64_t)-3);
		assert_reduced(types[t], OP_PREMULSUM, 1, 10, 100, 121);
	}
	/* The sum wraps before it is divided. */
	assert_reduced(DTYPE_INT8, OP_AVG, 100, 100, 100, 44 / 3);
	assert_reduced(DTYPE_UINT8, OP_AVG, 200, 200, 2, 146 / 3);
}

static uint64_t bits_of(enum dtype dtype, double value)
{
	uint64_t bits = 0;
	float single = (float)value;
	if (dtype == DTYPE_FLOAT64)
		memcpy(&bits, &value, 8);
	else if (dtype == DTYPE_FLOAT32)
		memcpy(&bits, &single, 4);
	else /* exact or not: the nearest of all */
		for (uint64_t b = 0; b <= value_mask(dtype); b++)
			if (fabs(value_of(dtype, b) - value) < fabs(value_of(dtype, bits) - value))
				bits = b;
	return bits;
}

TEST(floats_are_rounded_at_every_step)
{
	for (int t = DTYPE_FLOAT16; t < DTYPE_KINDS; t++) {
		enum dtype d = (enum dtype)t;
		uint64_t a = bits_of(d, 1.5), b = bits_of(d, -4), c = bits_of(d, 2);
		assert_reduced(d, OP_SUM, a, b, c, bits_of(d, -0.5));
		assert_reduced(d, OP_PROD, a, b, c, bits_of(d, -12));
		assert_reduced(d, OP_MIN, a, b, c, b);
		assert_reduced(d, OP_MAX, a, b, c, c);
		assert_reduced(d, OP_PREMULSUM, c, a, c, bits_of(d, 7) /* 2 + 2 × 1.5 + 2 */);
		/* One third, rounded to the type, and no sum of more digits. */
		assert_reduced(d, OP_AVG, bits_of(d, 2), 0, 0, bits_of(d, 2.0 / 3));
	}
	/* float16 has 11 digits: each one is lost at 2048, and would not be in float. */
	assert_reduced(DTYPE_FLOAT16, OP_SUM, 0x6800, 0x3C00, 0x3C00, 0x6800);
	assert_reduced(DTYPE_FLOAT8_E4M3, OP_SUM, 0x58, 0x38, 0x38, 0x58); /* 16 + 1 + 1 */
}
