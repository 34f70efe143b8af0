/* The search itself: the cells that its rounds measure, that it finds real gains and reports no
 * false ones, on made-up machines. Fixed seeds; SIMULATED.md has the rates over many. */
#include <string.h>

#include "searched.h"
#include "test.h"
#include "scratch.h"

#define MARGIN 0.02

/* Each pair of values of two keys in a row at least, but for those set aside. */
TEST(a_screen_holds_every_pair)
{
	const struct search_space space = searched_space();
	struct search_set rows[SEARCH_MAX_SETS];
	search_aside aside = {{false}};
	aside[1][3] = true;
	for (uint64_t seed = 1; seed < 6; seed++) {
		unsigned n = search_cover(&space, seed % 2 ? NULL : (const search_aside *)&aside,
		                          seed, rows, SEARCH_MAX_SETS);
		assert_in_range(n, 12, 26); /* 4 × 4 values is the least, less the default's */
		for (unsigned a = 0; a < space.nkeys; a++)
			for (unsigned b = a + 1; b < space.nkeys; b++)
				for (unsigned i = 0; i < 16; i++) {
					unsigned x = i / 4, y = i % 4, held = !x && !y;
					if (x >= space.keys[a].nvalues ||
					    y >= space.keys[b].nvalues)
						continue;
					bool out = seed % 2 == 0 &&
					           ((a == 1 && x == 3) || (b == 1 && y == 3));
					for (unsigned r = 0; r < n; r++)
						held +=
						    rows[r].level[a] == x && rows[r].level[b] == y;
					assert_int_equal(held > 0, !out);
				}
	}
	assert_int_equal(search_cover(&space, NULL, 1, rows, 5), 5);
}

TEST(blocks_are_enough_to_pass_the_correction)
{
	for (unsigned tests = 1; tests < 60; tests++) {
		unsigned n = search_confirm_blocks(tests);
		double logs[32];
		for (unsigned b = 0; b < n; b++)
			logs[b] = 0.1 + 0.001 * b;
		assert_true(tests * stats_signed_rank_p(logs, n, 0) <= 0.05);
		assert_true(n == 6 || tests * stats_signed_rank_p(logs, n - 1, 0) > 0.05);
	}
}

/* True gains of what is confirmed; whether one has most of what `best` gains in the last cell.
 */
static bool told_right(searched_gain_fn *gain, const struct searched *r,
                       const struct search_set *best)
{
	const unsigned last = SEARCHED_CELLS - 1;
	bool found = false;
	for (unsigned i = 0; i < r->nfinalists * SEARCHED_CELLS; i++) {
		double truth = gain(&r->finalists[i / SEARCHED_CELLS], i % SEARCHED_CELLS);
		if (!r->tests[i].confirmed)
			continue;
		assert_true(truth > log1p(MARGIN));
		assert_float_equal(log(r->tests[i].expect.estimate), truth, 0.02);
		found |= i % SEARCHED_CELLS == last && truth > 0.9 * gain(best, last);
	}
	return found;
}

/* Two settings that help only together, one of which does harm alone, beside others that do
 * harm and others that do nothing. */
TEST(a_pair_is_found)
{
	const struct search_set best = {.level = {2, 3}};
	unsigned found = 0;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct searched r = searched_run(searched_pair, MARGIN, 0.01, seed);
		found += told_right(searched_pair, &r, &best);
	}
	assert_in_range(found, 7, 8);
}

TEST(bottlenecks_do_not_hide_gains)
{
	const struct search_set best = {.level = {3, 0, 0, 0, 0, 0, 0, 1}};
	unsigned found = 0;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct searched r = searched_run(searched_bottleneck, MARGIN, 0.01, seed);
		found += told_right(searched_bottleneck, &r, &best);
	}
	assert_int_equal(found, 4);
}

TEST(of_nothing_nothing_is_told)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct searched r = searched_run(searched_nothing, MARGIN, 0.02, seed);
		for (unsigned i = 0; i < r.nfinalists * SEARCHED_CELLS; i++)
			assert_false(r.tests[i].confirmed);
	}
}

/* A set that failed, or had wrong data, is no finalist however fast it is. */
TEST(bad_sets_are_not_proposed)
{
	const struct search_space space = searched_space();
	struct search_set rows[SEARCH_MAX_SETS], out[SEARCH_MAX_SETS];
	static double gains[64 * SEARCHED_CELLS];
	bool bad[SEARCH_MAX_SETS] = {[3] = true};
	unsigned set_of[64], n = search_cover(&space, NULL, 1, rows, 20);
	for (unsigned t = 0; t < n; t++) {
		set_of[t] = t;
		for (unsigned c = 0; c < SEARCHED_CELLS; c++)
			gains[t * SEARCHED_CELLS + c] = t == 3 ? 1 : 0.05;
	}
	const struct candidates_seen seen = {&space, MARGIN, SEARCHED_CELLS, n,    n,
	                                     rows,   bad,    set_of,         gains};
	unsigned found = candidates_finalists(&seen, scratch(), out);
	assert_true(found > 0);
	for (unsigned i = 0; i < found; i++)
		assert_false(search_set_equal(&out[i], &rows[3]));
	found = candidates_narrow(&seen, 12, scratch(), out);
	for (unsigned i = 0; i < found; i++)
		assert_false(search_set_equal(&out[i], &rows[3]));
}
