/* How datatypes hold numbers, and how alltoallv cuts a buffer: against figures from the
 * formats' definitions and against arithmetic in wider types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "number.h"

/* Known numbers: one, the smallest, the largest, and one that has all digits. */
static void figures_of_the_formats(void **state)
{
	static const struct {
		enum dtype dtype;
		bool negative;
		uint64_t mantissa;
		int exponent;
		uint64_t bits;
	} known[] = {
	    {DTYPE_FLOAT16, false, 1, 0, 0x3C00},
	    {DTYPE_FLOAT16, true, 65504, 0, 0xFBFF},
	    {DTYPE_FLOAT16, false, 1, -24, 0x0001},
	    {DTYPE_FLOAT16, false, 1, -14, 0x0400},
	    {DTYPE_BFLOAT16, false, 1, 0, 0x3F80},
	    {DTYPE_BFLOAT16, true, 0xFF, -8, 0xBF7F},
	    {DTYPE_BFLOAT16, false, 1, -133, 0x0001},
	    {DTYPE_FLOAT32, true, 2, 0, 0xC0000000},
	    {DTYPE_FLOAT32, false, 0xFFFFFF, 104, 0x7F7FFFFF},
	    {DTYPE_FLOAT64, false, 1, 0, 0x3FF0000000000000},
	    {DTYPE_FLOAT64, true, 1, -1074, 0x8000000000000001},
	    {DTYPE_FLOAT8_E4M3, false, 1, 0, 0x38},
	    {DTYPE_FLOAT8_E4M3, true, 448, 0, 0xFE},
	    {DTYPE_FLOAT8_E4M3, false, 1, -9, 0x01},
	    {DTYPE_FLOAT8_E5M2, false, 1, 0, 0x3C},
	    {DTYPE_FLOAT8_E5M2, false, 57344, 0, 0x7B},
	    {DTYPE_FLOAT8_E5M2, true, 1, -16, 0x81},
	    {DTYPE_FLOAT8_E5M2, true, 0, 0, 0x00},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
		assert_int_equal(value_encode(known[i].dtype, known[i].negative,
		                              known[i].mantissa, known[i].exponent),
		                 known[i].bits);
		assert_true(number_of(known[i].dtype, known[i].bits) ==
		            ldexpl(known[i].negative ? -(long double)known[i].mantissa
		                                     : (long double)known[i].mantissa,
		                   known[i].exponent));
	}
}

/* Every number of up to 16 bits and some of the wider ones comes back as its own bits. */
static void numbers_come_back(void **state)
{
	(void)state;
	for (enum dtype d = DTYPE_FLOAT16; d < DTYPE_KINDS; d++) {
		for (uint64_t i = 0; i < 65536; i++) {
			uint64_t bits = i & number_mask(d);
			int exponent;
			if (coll_dtype_bytes(d) > 2)
				bits = value_mix(i) & number_mask(d);
			long double x = number_of(d, bits);
			if (isnan(x) || x == 0)
				continue;
			long double top = frexpl(fabsl(x), &exponent);
			assert_int_equal(
			    value_encode(d, x < 0, (uint64_t)ldexpl(top, 64), exponent - 64),
			    bits);
		}
	}
}

static void the_machines_floats_agree(void **state)
{
	(void)state;
	for (unsigned n = 1; n < 5000; n++) {
		float single = 1.0f / (float)n;
		double twice = 1.0 / n;
		uint32_t bits;
		uint64_t more;
		memcpy(&bits, &single, sizeof bits);
		memcpy(&more, &twice, sizeof more);
		assert_int_equal(value_share_bits(DTYPE_FLOAT32, n), bits);
		assert_int_equal(value_share_bits(DTYPE_FLOAT64, n), more);
	}
}

/* Below the normal numbers, and where 1/n rounds to 0, too. Of float64 the quotient is itself
 * rounded too soon for larger n; those are above. */
static void shares_and_scales_are_the_nearest(void **state)
{
	(void)state;
	for (enum dtype d = DTYPE_FLOAT16; d < DTYPE_KINDS; d++)
		for (unsigned n = 1; n < (d == DTYPE_FLOAT64 ? 1024 : 5000); n++)
			assert_true(number_of(d, value_share_bits(d, n)) ==
			            number_round(d, 1.0L / n));
	for (unsigned d = 0; d < DTYPE_KINDS; d++) {
		assert_true(number_of(d, value_scale_bits(d, 4)) == 1);
		assert_true(number_of(d, value_scale_bits(d, 7)) == 2);
	}
}

static const struct value_weights weights[] = {
    {0, {0}},
    {3, {1, 2, 4}},
    {4, {0, 3, 0, 1}},
    {2, {1, 0}},
    {1, {255}},
    {3, {0, 0, 0}},
    {16, {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0}},
};

/* The definition, in 128 bits. */
static uint64_t part_begins(const struct value_weights *w, unsigned nranks, uint64_t count,
                            unsigned distance)
{
	uint64_t before = 0, all = 0;
	for (unsigned d = 0; d < nranks; d++) {
		unsigned weight = w->n ? w->of[d % w->n] : 1;
		before += d < distance ? weight : 0;
		all += weight;
	}
	if (all == 0) {
		before = distance;
		all = nranks;
	}
	return (uint64_t)((unsigned __int128)count * before / all);
}

static void parts_follow_their_weights(void **state)
{
	static const unsigned ranks[] = {1, 2, 3, 7, 8, 16, 100, 1024};
	static const uint64_t counts[] = {1, 48, 1000003, (uint64_t)1 << 40};
	(void)state;
	for (unsigned w = 0; w < sizeof weights / sizeof *weights; w++)
		for (unsigned r = 0; r < sizeof ranks / sizeof *ranks; r++)
			for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
				for (unsigned d = 0; d <= ranks[r]; d++)
					assert_int_equal(
					    value_part_at(&weights[w], ranks[r], counts[c], d),
					    part_begins(&weights[w], ranks[r], counts[c], d));
	assert_int_equal(value_part_at(&weights[1], 3, 70, 1), 10);
	assert_int_equal(value_part_at(&weights[1], 3, 70, 2), 30);
	assert_int_equal(value_part_at(&weights[1], 3, 70, 3), 70);
}

static void elements_know_their_part(void **state)
{
	static const uint64_t counts[] = {1, 7, 48, 1000, ((uint64_t)1 << 40) + 5};
	(void)state;
	for (unsigned w = 0; w < sizeof weights / sizeof *weights; w++)
		for (unsigned n = 1; n <= 40; n++)
			for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
				for (unsigned k = 0; k < 100; k++) {
					uint64_t i =
					    (counts[c] <= 100 ? k : value_mix(k)) % counts[c];
					unsigned d =
					    value_part_of(&weights[w], n, counts[c], i);
					assert_true(d < n);
					assert_true(
					    value_part_at(&weights[w], n, counts[c], d) <= i);
					assert_true(i < value_part_at(&weights[w], n, counts[c],
					                              d + 1));
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(figures_of_the_formats),
	    cmocka_unit_test(numbers_come_back),
	    cmocka_unit_test(the_machines_floats_agree),
	    cmocka_unit_test(shares_and_scales_are_the_nearest),
	    cmocka_unit_test(parts_follow_their_weights),
	    cmocka_unit_test(elements_know_their_part),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
