/* Which rows are taken for stalled, and that the others stay as they are. */
#include "../harness/core/sample.h"
#include "../harness/record/stall.h"
#include "test.h"

#define ROWS  5
#define RANKS 2
#define US    1000LL
#define S     1000000000LL

static struct sample samples[RANKS * ROWS];
static int64_t off[RANKS];
static struct stall stall;

/* Rows of these lengths, seen by rank 1 a little later. */
static void make(const int64_t lengths[ROWS], int64_t off_ns)
{
	for (unsigned r = 0; r < RANKS; r++)
		for (unsigned i = 0; i < ROWS; i++)
			samples[r * ROWS + i] =
			    (struct sample){.start_ns = 100 * S * i + r,
			                    .issued_ns = 100 * S * i + r + 1,
			                    .idle_ns = 100 * S * i + r + lengths[i]};
	off[0] = 0;
	off[1] = off_ns;
}

/* The rows that are left, each with both ranks. */
static void leaves(const int64_t *off_core_ns, unsigned n, const unsigned rows[])
{
	assert_int_equal(stall_leave_out(samples, RANKS, ROWS, off_core_ns, &stall), n);
	assert_int_equal(stall.rows, ROWS - n);
	for (unsigned r = 0; r < RANKS; r++)
		for (unsigned i = 0; i < n; i++)
			assert_int_equal(samples[r * n + i].start_ns, 100 * S * rows[i] + r);
}

static const unsigned all[] = {0, 1, 2, 3, 4};

TEST(a_row_without_its_worker_is_left_out)
{
	make((int64_t[]){20 * US, 3 * S, 21 * US, 3 * S, 20 * US}, 6 * S);
	leaves(off, 3, (const unsigned[]){0, 2, 4});
	assert_int_equal(stall.rank, 1);
	assert_int_equal(stall.off_ns, 6 * S);
}

TEST(a_long_row_of_a_worker_that_ran_is_a_result)
{
	make((int64_t[]){20 * US, 3 * S, 21 * US, 22 * US, 20 * US}, 400 * US);
	leaves(off, ROWS, all);
	make((int64_t[]){20 * US, 3 * S, 21 * US, 22 * US, 20 * US}, S);
	leaves(off, ROWS, all);
	leaves(NULL, ROWS, all); /* an older record */
	/* Nor rows that are all long, or none: it waits, or shares the core with others. */
	make((int64_t[]){2 * S, 3 * S, 2 * S, 3 * S, 2 * S}, 12 * S);
	leaves(off, ROWS, all);
	make((int64_t[]){20 * US, S - 2, 21 * US, 22 * US, 20 * US}, S);
	leaves(off, ROWS, all);
}
