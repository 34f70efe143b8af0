/* The algebra: names, rounding, factors. */
#include "../harness/coll/coll.h"
#include "test.h"

/* nccl-tests cuts a part of whole 16 bytes for each rank out of these, and takes the others'
 * sizes as they are, in whole elements. */
TEST(sizes_round_down_as_nccl_tests_does)
{
	static const enum coll_kind parted[] = {
	    COLL_ALL_GATHER, COLL_REDUCE_SCATTER, COLL_ALLTOALL,  COLL_ALLTOALLV,
	    COLL_GATHER,     COLL_SCATTER,        COLL_HYPERCUBE,
	};
	static const enum coll_kind whole[] = {COLL_ALL_REDUCE, COLL_BROADCAST, COLL_REDUCE,
	                                       COLL_SENDRECV};
	for (unsigned c = 0; c < LENGTH(parted); c++) {
		assert_int_equal(coll_round(parted[c], DTYPE_INT8, 4096, 8), 4096);
		assert_int_equal(coll_round(parted[c], DTYPE_INT8, 4095, 8), 3968);
		assert_int_equal(coll_round(parted[c], DTYPE_INT8, 127, 8), 0);
		assert_int_equal(coll_round(parted[c], DTYPE_FLOAT64, (size_t)1 << 40, 3) % 48, 0);
	}
	for (unsigned c = 0; c < LENGTH(whole); c++) {
		assert_int_equal(coll_round(whole[c], DTYPE_FLOAT32, 8, 8), 8);
		assert_int_equal(coll_round(whole[c], DTYPE_FLOAT32, 4095, 8), 4092);
		assert_int_equal(coll_round(whole[c], DTYPE_INT8, 4095, 8), 4095);
		assert_int_equal(coll_round(whole[c], DTYPE_FLOAT64, 7, 8), 0);
	}
}

/* nccl-tests, doc/PERFORMANCE.md: AllReduce 2(n−1)/n, AlltoAll (n−1)/n, SendRecv 1. */
TEST(bus_factors_are_those_of_nccl_tests)
{
	assert_float_equal(coll_busbw(COLL_ALL_REDUCE, 8, 1000000000, 1), 1.75, 1e-12);
	assert_float_equal(coll_busbw(COLL_ALLTOALL, 2, 1000000000, 1), 0.5, 1e-12);
	assert_float_equal(coll_busbw(COLL_SENDRECV, 8, 1000000000, 1), 1, 0);
	assert_float_equal(coll_algbw(COLL_ALLTOALL, 8, 2000000000, 0.5), 4, 1e-12);
	assert_float_equal(coll_busbw(COLL_ALLTOALL, 8, 1000000000, 1), 0.875, 1e-12);
}

/* alltoallv.cu: the size is the most that a rank sends or receives, of parts that are each
 * rounded down to 16 bytes. By hand: of 4096 in six parts 672, 1360 and 2048; of 128 in 28
 * parts four of 0, three of 16 and one of 32. */
TEST(alltoallv_counts_what_it_moves)
{
	const struct value_weights skewed = {.n = 8, .rows = 1, .of = {0, 1, 2, 3, 4, 5, 6, 7}};
	/* Rank 1 receives 3 of 3 weights, no rank sends more than 2. */
	const struct value_weights matrix = {.n = 2, .rows = 2, .of = {0, 2, 0, 1}};
	struct cell cell = {.coll = COLL_ALLTOALLV, .dtype = DTYPE_FLOAT32};
	const struct {
		const struct value_weights *weights;
		unsigned nranks;
		size_t bytes, moved;
	} cases[] = {
	    {&skewed, 4, 4096, 4080}, {&skewed, 8, 128, 80},
	    {&skewed, 2, 4096, 4096}, {&(struct value_weights){0}, 4, 4096, 4096},
	    {&matrix, 2, 64, 48},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		cell.bytes = cases[i].bytes;
		struct value_parts parts = coll_parts(&cell, cases[i].weights, cases[i].nranks);
		assert_int_equal(coll_moved(&cell, &parts, cases[i].nranks), cases[i].moved);
	}
	cell.coll = COLL_ALLTOALL;
	struct value_parts parts = coll_parts(&cell, &skewed, 4);
	cell.bytes = 4096;
	assert_int_equal(coll_moved(&cell, &parts, 4), 4096);
}

/* hypercube.cu: both are the part × (n − 1) over the time. */
TEST(hypercube_counts_what_comes_from_others)
{
	assert_float_equal(coll_algbw(COLL_HYPERCUBE, 8, 8000000000, 2), 3.5, 1e-12);
	assert_float_equal(coll_busbw(COLL_HYPERCUBE, 8, 8000000000, 2), 3.5, 1e-12);
	assert_float_equal(coll_algbw(COLL_ALL_GATHER, 8, 8000000000, 2), 4, 1e-12);
	assert_float_equal(coll_busbw(COLL_ALL_GATHER, 8, 8000000000, 2), 3.5, 1e-12);
}
