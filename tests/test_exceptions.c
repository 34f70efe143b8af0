/* Sizes that a mean hides, or that are in no regime: which are no news. */
#include "made.h"

static double factor[3][8]; /* time of single, threads and processes at each size, 4 KiB on */

static void times(const struct made_place *p, int64_t out[6])
{
	double of = p->variant < 3 ? factor[p->variant][p->size] : 1;
	double ns = 10000.0 * (1 << 2 * p->size) * of;
	ns *= 1 + 0.001 * made_noise(p->variant, p->block, p->size);
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
}

static const struct made made = {.blocks = 8,
                                 .sizes = 8, /* to 64 MiB: 16 and 64 MiB are large */
                                 .no_limit = true,
                                 .stamps = times};

FIXTURE(fresh)
{
	for (unsigned v = 0; v < 3; v++)
		for (unsigned i = 0; i < 8; i++)
			factor[v][i] = 1;
}

/* They are in a table of their own, and in no sentence of the answer. */
TEST(sizes_that_a_mean_hides_have_rows)
{
	factor[MADE_SINGLE][3] = 1.3;
	factor[MADE_SINGLE][4] = 1.1;
	factor[MADE_SINGLE][5] = 1.6;
	factor[MADE_PROCESSES][6] = 1.06;
	factor[MADE_PROCESSES][7] = 1 / 1.2;
	const json_t *report = made_report(&made);
	assert_int_equal(json_count(report, "exceptions"), 8);
	json_lacks(report, "answer", " times the speed.");
	factor[MADE_SINGLE][3] = factor[MADE_SINGLE][4] = factor[MADE_SINGLE][5] = 1;
	assert_int_equal(json_count(made_report(&made), "exceptions"), 2);
}

/* A mean has a verdict only if each of its sizes has it: none is on the other side of 1, and none
 * is beyond the margin where it is equal. */
TEST(a_mean_has_the_verdict_of_each_size)
{
	static const struct {
		double at_16, at_64; /* speed */
		const char *verdict;
	} rows[] = {
	    {1.2, 1.1, "faster"},
	    {1.2, 0.995, "differs: 0.995 in alltoall of 64 MiB, 1.200 in alltoall of 16 MiB"},
	    {0.8, 1.005, "differs: 0.800 in alltoall of 16 MiB, 1.005 in alltoall of 64 MiB"},
	    {0.99, 1.01, "no difference within 2 %"},
	    {0.97, 1.015, "differs: 0.970 in alltoall of 16 MiB, 1.015 in alltoall of 64 MiB"},
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		factor[MADE_SINGLE][6] = 1 / rows[i].at_16;
		factor[MADE_SINGLE][7] = 1 / rows[i].at_64;
		const json_t *large = json_table(made_report(&made), "verdicts_large");
		json_keys row = {"variant", "single", NULL};
		json_assert_text(json_cell(large, row, "verdict"), "", rows[i].verdict);
		assert_int_equal(json_is_null(json_cell(large, row, "speed")),
		                 *rows[i].verdict == 'd');
	}
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
