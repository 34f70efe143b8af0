/* The order of stamps: of one clock strict, of several within what they may be wrong. */
#include "../harness/core/sample.h"
#include "../harness/record/order.h"
#include "test.h"

#define RANKS 4 /* two on each of two hosts */
#define ROWS  3
#define ROW   100000
#define BEGIN 7000000000

static struct cell cells[] = {{.coll = COLL_ALLTOALL, .pace = PACE_ISOLATED, .bytes = 4096}};
static struct trial trial = {
    .settings = {.layout = {RANKS, 1, 1}}, .ncells = 1, .cells = cells, .isolated_calls = ROWS};
static void *area;

static struct sample *row(unsigned rank, unsigned i)
{
	return &sample_rows(&trial, area, 0, rank)[i];
}

/* Rows one after the other, each of 90 µs and 10 µs apart. */
FIXTURE(fresh)
{
	area = calloc(1, sample_area_bytes(&trial));
	assert_non_null(area);
	assert_int_equal(trial_rows(&trial, &cells[0]), ROWS);
	for (unsigned r = 0; r < RANKS; r++) {
		sample_tally(&trial, area, 0, r)->begin_ns = BEGIN;
		for (unsigned i = 0; i < ROWS; i++) {
			const int64_t at = BEGIN + (i + 1) * ROW;
			*row(r, i) = (struct sample){
			    .start_ns = at, .issued_ns = at + 1000, .idle_ns = at + 90000};
		}
	}
}

FIXTURE(done)
{
	free(area);
}

/* The second host's stamps are so far off. */
static void shift(int64_t ns)
{
	for (unsigned r = RANKS / 2; r < RANKS; r++)
		for (unsigned i = 0; i < ROWS; i++) {
			row(r, i)->start_ns += ns;
			row(r, i)->issued_ns += ns;
			row(r, i)->idle_ns += ns;
		}
}

static bool holds(double bound_ns)
{
	const double bounds[] = {0, bound_ns};
	return order_of_hosts(&trial, area, 0, 2, bounds);
}

/* 10 µs are between two rows: what is beyond needs as wide a bound, in both directions. */
TEST(hosts_are_in_order_within_their_bound)
{
	static const int64_t apart[] = {0, 9000, -9000, 15000, -15000};
	for (size_t i = 0; i < LENGTH(apart); i++) {
		const double needs = (double)llabs(apart[i]) - 10000;
		shift(apart[i]);
		assert_true(holds(needs > 0 ? needs : 0));
		assert_int_equal(holds(4000), needs <= 4000);
		shift(-apart[i]);
	}
}

/* A clock that was set in the middle is off from there on. */
TEST(one_row_is_enough)
{
	row(2, 1)->start_ns -= 20000;
	assert_true(holds(10000));
	assert_false(holds(9000));
}

TEST(a_ranks_own_stamps_have_no_bound)
{
	assert_null(order_wrong(&trial, area, 0, NULL));
	row(3, 2)->idle_ns = row(3, 2)->issued_ns - 1;
	assert_says(order_wrong(&trial, area, 0, NULL), "not in order of time");
	row(3, 2)->idle_ns = row(3, 2)->issued_ns;
	assert_null(order_wrong(&trial, area, 0, NULL));
	row(0, 0)->start_ns = BEGIN - 1;
	assert_says(order_wrong(&trial, area, 0, NULL), "not in order of time");
}

TESTS(.before = fresh, .after = done);
