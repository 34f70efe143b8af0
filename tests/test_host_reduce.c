/* The host backend's results for datatypes and operations, compared with the formats' own
 * definitions, and with value.h, which encodes in another way. */
#include "../harness/backend/host/host_reduce.h"
#include "../harness/coll/coll.h"
#include "test.h"

static const enum dtype small[] = {DTYPE_FLOAT16, DTYPE_BFLOAT16, DTYPE_FLOAT8_E4M3,
                                   DTYPE_FLOAT8_E5M2};
#define NSMALL LENGTH(small)

TEST(known_bits_have_their_value)
{
	static const struct {
		enum dtype dtype;
		uint16_t bits;
		float value;
	} known[] = {
	    {DTYPE_FLOAT16, 0x3C00, 1},          {DTYPE_FLOAT16, 0x7BFF, 65504},
	    {DTYPE_FLOAT16, 0x0001, 0x1p-24f},   {DTYPE_FLOAT16, 0x8400, -0x1p-14f},
	    {DTYPE_FLOAT16, 0x7C00, INFINITY},   {DTYPE_BFLOAT16, 0x3F80, 1},
	    {DTYPE_BFLOAT16, 0xC2C8, -100},      {DTYPE_BFLOAT16, 0x0001, 0x1p-133f},
	    {DTYPE_FLOAT8_E4M3, 0x38, 1},        {DTYPE_FLOAT8_E4M3, 0x7E, 448},
	    {DTYPE_FLOAT8_E4M3, 0x01, 0x1p-9f},  {DTYPE_FLOAT8_E4M3, 0x88, -0x1p-6f},
	    {DTYPE_FLOAT8_E5M2, 0x3C, 1},        {DTYPE_FLOAT8_E5M2, 0x7B, 57344},
	    {DTYPE_FLOAT8_E5M2, 0x01, 0x1p-16f}, {DTYPE_FLOAT8_E5M2, 0xFC, -INFINITY},
	};
	for (size_t k = 0; k < LENGTH(known); k++) {
		assert_true(host_float_widen(known[k].dtype, known[k].bits) == known[k].value);
		assert_int_equal(host_float_narrow(known[k].dtype, known[k].value), known[k].bits);
	}
}

static unsigned patterns(enum dtype dtype)
{
	return 1u << (8 * coll_dtype_bytes(dtype));
}

TEST(all_bits_survive_the_way_and_back)
{
	for (size_t t = 0; t < NSMALL; t++) {
		unsigned nans = 0;
		for (unsigned bits = 0; bits < patterns(small[t]); bits++) {
			float value = host_float_widen(small[t], (uint16_t)bits);
			uint16_t back = host_float_narrow(small[t], value);
			nans += isnan(value) != 0;
			if (isnan(value))
				assert_true(isnan(host_float_widen(small[t], back)));
			else
				assert_int_equal(back, bits);
		}
		/* Both signs of the patterns above the infinity; of e4m3, of one pattern. */
		assert_int_equal(nans, small[t] == DTYPE_FLOAT16       ? 2 * 1023
		                       : small[t] == DTYPE_BFLOAT16    ? 2 * 127
		                       : small[t] == DTYPE_FLOAT8_E4M3 ? 2
		                                                       : 2 * 3);
	}
}

/* Between two neighbours, the middle is rounded to the even one, and any other value to the
 * nearer. */
TEST(rounding_is_to_nearest_and_ties_to_even)
{
	for (size_t t = 0; t < NSMALL; t++)
		for (uint16_t bits = 0; bits < patterns(small[t]) / 2 - 1; bits++) {
			float low = host_float_widen(small[t], bits);
			float high = host_float_widen(small[t], (uint16_t)(bits + 1));
			float middle = low + (high - low) / 2;
			uint16_t even = bits + (bits & 1),
			         sign = (uint16_t)(patterns(small[t]) / 2);
			if (!isfinite(low) || !isfinite(high))
				break;
			assert_true(low < middle && middle < high);
			assert_int_equal(host_float_narrow(small[t], middle), even);
			assert_int_equal(host_float_narrow(small[t], -middle), even | sign);
			assert_int_equal(host_float_narrow(small[t], nextafterf(middle, 0)), bits);
			assert_int_equal(host_float_narrow(small[t], nextafterf(middle, high)),
			                 bits + 1);
		}
}

TEST(too_much_is_an_infinity_or_no_number)
{
	assert_int_equal(host_float_narrow(DTYPE_FLOAT16, 65519), 0x7BFF);
	assert_int_equal(host_float_narrow(DTYPE_FLOAT16, 65520), 0x7C00);
	assert_int_equal(host_float_narrow(DTYPE_BFLOAT16, -3.4e38f), 0xFF80);
	assert_int_equal(host_float_narrow(DTYPE_FLOAT8_E4M3, 464), 0x7E);
	assert_int_equal(host_float_narrow(DTYPE_FLOAT8_E4M3, 465), 0x7F);
	assert_int_equal(host_float_narrow(DTYPE_FLOAT8_E4M3, -INFINITY), 0xFF);
	assert_int_equal(host_float_narrow(DTYPE_FLOAT8_E5M2, 61440), 0x7C);
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
	else
		bits = host_float_narrow(dtype, single);
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
