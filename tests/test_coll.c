/* The algebra: names, rounding, factors, and what the right answers are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../harness/coll.h"

static void names_are_found_again(void **state)
{
	(void)state;
	for (int c = 0; c < COLL_KINDS; c++)
		assert_int_equal(coll_find(coll_info(c)->name), c);
	assert_int_equal(coll_find("alltoal"), -1);
	assert_int_equal(coll_find(""), -1);
	assert_int_equal(coll_find_dtype("float32"), DTYPE_FLOAT32);
	assert_int_equal(coll_find_op("sum"), OP_SUM);
	assert_int_equal(coll_find_pace("isolated"), PACE_ISOLATED);
	assert_int_equal(coll_find_pace("Stream"), -1);
}

static void sizes_round_down_to_whole_parts(void **state)
{
	(void)state;
	assert_int_equal(coll_round(4096, 8), 4096);
	assert_int_equal(coll_round(4095, 8), 3968);
	assert_int_equal(coll_round(127, 8), 0);
	assert_int_equal(coll_round((size_t)1 << 40, 3) % 48, 0);
}

/* nccl-tests, doc/PERFORMANCE.md: AllReduce 2(n−1)/n, AlltoAll (n−1)/n, SendRecv 1. */
static void bus_factors_are_those_of_nccl_tests(void **state)
{
	(void)state;
	assert_float_equal(coll_info(COLL_ALL_REDUCE)->bus_factor(8), 1.75, 1e-12);
	assert_float_equal(coll_info(COLL_ALLTOALL)->bus_factor(8), 0.875, 1e-12);
	assert_float_equal(coll_info(COLL_ALLTOALL)->bus_factor(2), 0.5, 1e-12);
	assert_float_equal(coll_info(COLL_SENDRECV)->bus_factor(8), 1, 0);
	assert_float_equal(coll_algbw(2000000000, 0.5), 4, 1e-12);
	assert_float_equal(coll_busbw(COLL_ALLTOALL, 8, 1000000000, 1), 0.875, 1e-12);
}

static void inputs_are_small_integers_that_depend_on_everything(void **state)
{
	unsigned same_rank = 0, same_seed = 0, same_place = 0;
	(void)state;
	for (uint64_t i = 0; i < 4096; i++) {
		float v = value_input(7, 3, i);
		assert_true(v >= -4096 && v <= 4095 && v == (float)(int)v);
		same_rank += v == value_input(7, 4, i);
		same_seed += v == value_input(8, 3, i);
		same_place += v == value_input(7, 3, i + 1);
	}
	/* Chance alone gives 4096 / 8192 = 0.5 equal pairs on the mean. */
	assert_true(same_rank < 8);
	assert_true(same_seed < 8);
	assert_true(same_place < 8);
}

static void a_sum_is_exact_in_any_order(void **state)
{
	const unsigned n = 4096;
	(void)state;
	for (uint64_t i = 0; i < 16; i++) {
		float back = 0, right = value_expected(COLL_ALL_REDUCE, n, 0, 5, 0, n, i);
		long long exact = 0;
		for (unsigned r = n; r-- > 0;) {
			back += value_input(5, r, i);
			exact += (long long)value_input(5, r, i);
		}
		assert_float_equal(back, right, 0);
		assert_float_equal((double)exact, right, 0);
	}
}

/* alltoall twice is the identity: what rank r got from s is what s sent to r. */
static void alltoall_is_a_transposition(void **state)
{
	const unsigned n = 5;
	const uint64_t part = 4, count = n * part, base = 3 * count;
	(void)state;
	for (unsigned r = 0; r < n; r++)
		for (unsigned s = 0; s < n; s++)
			for (uint64_t i = 0; i < part; i++)
				assert_float_equal(value_expected(COLL_ALLTOALL, n, r, 9, base,
				                                  count, s * part + i),
				                   value_input(9, s, base + r * part + i), 0);
}

static void sendrecv_comes_from_the_rank_before(void **state)
{
	(void)state;
	assert_float_equal(value_expected(COLL_SENDRECV, 4, 0, 1, 10, 8, 2),
	                   value_input(1, 3, 12), 0);
	assert_float_equal(value_expected(COLL_COPY, 4, 2, 1, 10, 8, 2), value_input(1, 1, 12),
	                   0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_are_found_again),
	    cmocka_unit_test(sizes_round_down_to_whole_parts),
	    cmocka_unit_test(bus_factors_are_those_of_nccl_tests),
	    cmocka_unit_test(inputs_are_small_integers_that_depend_on_everything),
	    cmocka_unit_test(a_sum_is_exact_in_any_order),
	    cmocka_unit_test(alltoall_is_a_transposition),
	    cmocka_unit_test(sendrecv_comes_from_the_rank_before),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
