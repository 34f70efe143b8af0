/* How datatypes hold numbers, and how alltoallv cuts a buffer: against figures from the
 * formats' definitions and against arithmetic in wider types. */
#include "number.h"

/* Known numbers: one, the smallest, the largest, and one that has all digits. */
TEST(figures_of_the_formats)
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
	for (unsigned i = 0; i < LENGTH(known); i++) {
		assert_int_equal(value_encode(known[i].dtype, known[i].negative, known[i].mantissa,
		                              known[i].exponent),
		                 known[i].bits);
		assert_true(number_of(known[i].dtype, known[i].bits) ==
		            ldexpl(known[i].negative ? -(long double)known[i].mantissa
		                                     : (long double)known[i].mantissa,
		                   known[i].exponent));
	}
}

/* Every number of up to 16 bits and some of the wider ones comes back as its own bits. */
TEST(numbers_come_back)
{
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
			    value_encode(d, x < 0, (uint64_t)ldexpl(top, 64), exponent - 64), bits);
		}
	}
}

static uint64_t share_bits(enum dtype dtype, unsigned nranks)
{
	int exponent;
	uint64_t mantissa = value_share(dtype, nranks, &exponent);
	return value_encode(dtype, false, mantissa, exponent);
}

TEST(the_machines_floats_agree)
{
	for (unsigned n = 1; n < 5000; n++) {
		float single = 1.0f / (float)n;
		double twice = 1.0 / n;
		uint32_t bits;
		uint64_t more;
		memcpy(&bits, &single, sizeof bits);
		memcpy(&more, &twice, sizeof more);
		assert_int_equal(share_bits(DTYPE_FLOAT32, n), bits);
		assert_int_equal(share_bits(DTYPE_FLOAT64, n), more);
	}
}

/* Below the normal numbers, and where 1/n rounds to 0, too. Of float64 the quotient is itself
 * rounded too soon for larger n; those are above. */
TEST(shares_and_scales_are_the_nearest)
{
	for (enum dtype d = DTYPE_FLOAT16; d < DTYPE_KINDS; d++)
		for (unsigned n = 1; n < (d == DTYPE_FLOAT64 ? 1024 : 5000); n++)
			assert_true(number_of(d, share_bits(d, n)) == number_round(d, 1.0L / n));
	for (unsigned d = 0; d < DTYPE_KINDS; d++) {
		assert_true(number_of(d, value_scale_bits(d, 4)) == 1);
		assert_true(number_of(d, value_scale_bits(d, 7)) == 2);
	}
}

static const struct value_weights weights[] = {
    {0},
    {3, 1, {1, 2, 4}},
    {4, 1, {0, 3, 0, 1}},
    {2, 1, {1, 0}},
    {1, 1, {255}},
    {3, 1, {0, 0, 0}},
    {16, 1, {65535, 65535, 1, 0, 65535}},
    {2, 2, {0, 65535, 1, 0}},
    {3, 3, {0, 7, 1, 0, 0, 0, 1, 9, 0}},
    {4, 4, {0, 0, 0, 0, 0, 0, 0, 5}},
};

static uint64_t weight_of(const struct value_weights *w, unsigned nranks, unsigned from,
                          unsigned to)
{
	unsigned distance = to >= from ? to - from : to + nranks - from;
	if (w->n == 0)
		return 1;
	return w->rows == 1 ? w->of[distance % w->n] : w->of[from % w->n * w->n + to % w->n];
}

/* The most that a rank sends or receives; 0 if no rank does. */
static uint64_t most_of(const struct value_weights *w, unsigned nranks)
{
	uint64_t most = 0;
	for (unsigned r = 0; r < nranks; r++) {
		uint64_t row = 0, column = 0;
		for (unsigned other = 0; other < nranks; other++) {
			row += weight_of(w, nranks, r, other);
			column += weight_of(w, nranks, other, r);
		}
		most = row > most ? row : most;
		most = column > most ? column : most;
	}
	return most;
}

/* The definition, in 128 bits: bytes. */
static uint64_t part_of(const struct value_weights *w, unsigned nranks, uint64_t most,
                        uint64_t bytes, unsigned from, unsigned to)
{
	uint64_t weight = most ? weight_of(w, nranks, from, to) : 1;
	return (uint64_t)((unsigned __int128)bytes * weight / (most ? most : nranks)) / 16 * 16;
}

static void check_parts(const struct value_weights *w, unsigned nranks, uint64_t bytes,
                        enum dtype dtype)
{
	unsigned element = value_width(dtype) / 8;
	uint64_t most = most_of(w, nranks), largest = 0;
	struct value_parts p = value_parts(w, nranks, bytes / element, dtype);
	for (unsigned r = 0; r < nranks; r++) {
		uint64_t sent = 0, received = 0;
		for (unsigned other = 0; other < nranks; other++) {
			assert_int_equal(value_sent_before(&p, r, other), sent);
			assert_int_equal(value_received_before(&p, r, other), received);
			assert_int_equal(value_part(&p, r, other) * element,
			                 part_of(w, nranks, most, bytes, r, other));
			sent += value_part(&p, r, other);
			received += value_part(&p, other, r);
		}
		assert_true(sent * element <= bytes && received * element <= bytes);
		largest = sent > largest ? sent : largest;
		largest = received > largest ? received : largest;
	}
	/* The rank with the most has all, except for the rounding of each part. */
	assert_true(largest * element + (uint64_t)16 * nranks > bytes);
}

TEST(parts_follow_their_weights)
{
	static const unsigned ranks[] = {1, 2, 3, 7, 8, 16, 40};
	static const uint64_t units[] = {0, 1, 3, 1000003, (uint64_t)1 << 36};
	static const enum dtype dtypes[] = {DTYPE_INT8, DTYPE_FLOAT32, DTYPE_FLOAT64};
	for (unsigned w = 0; w < LENGTH(weights); w++)
		for (unsigned r = 0; r < LENGTH(ranks); r++)
			for (unsigned u = 0; u < LENGTH(units); u++)
				for (unsigned d = 0; d < LENGTH(dtypes); d++)
					check_parts(&weights[w], ranks[r], units[u] * 16 * ranks[r],
					            dtypes[d]);
}

/* nccl-tests' default on 4 ranks: a sixth, two and three of 16 MiB, each rounded down. */
TEST(parts_are_nccl_tests)
{
	const struct value_weights skewed = {4, 1, {0, 1, 2, 3}};
	struct value_parts p = value_parts(&skewed, 4, 4 << 20, DTYPE_FLOAT32);
	assert_int_equal(value_part(&p, 2, 2), 0);
	assert_int_equal(value_part(&p, 2, 3) * 4, 2796192);
	assert_int_equal(value_part(&p, 2, 0) * 4, 5592400);
	assert_int_equal(value_part(&p, 2, 1) * 4, 8388608);
	assert_int_equal(value_sent_before(&p, 2, 4) * 4, 16777200);
}
