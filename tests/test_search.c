/* The search itself: the cells that its rounds measure, that it finds real gains and reports no
 * false ones, on made-up machines. Fixed seeds; SIMULATED.md has the rates over many. */
#include <string.h>

#include "../harness/config/family.h"
#include "searched.h"
#include "test.h"
#include "scratch.h"

#define MARGIN 0.02 /* as a share; SEARCHED_MARGIN is its log */

TEST(a_search_begins_with_each_value_alone)
{
	const struct search_space space = searched_space();
	const struct candidates_seen nothing = {.space = &space};
	struct search_set rows[SEARCH_MAX_SETS];
	unsigned n = candidates_round(&nothing, 0, 1, scratch(), rows), row = 0;
	for (unsigned k = 0; k < space.nkeys; k++)
		for (unsigned v = 1; v < space.keys[k].nvalues; v++, row++) {
			assert_int_equal(search_set_size(&space, &rows[row]), 1);
			assert_int_equal(rows[row].level[k], v);
		}
	assert_int_equal(n, row);
	assert_int_equal(search_singles(&space, rows, 5), 5);
}

/* The largest space that can be asked for. */
TEST(all_rounds_together_have_no_more_sets_than_a_run)
{
	struct search_space space = {.nkeys = SEARCH_MAX_KEYS};
	struct search_set sets[SEARCH_MAX_SETS], rows[SEARCH_MAX_SETS];
	unsigned set_of[SEARCH_MAX_SETS], later = 0;
	double gains[SEARCH_MAX_SETS] = {0};
	bool bad[SEARCH_MAX_SETS] = {false};
	for (unsigned k = 0; k < space.nkeys; k++)
		space.keys[k].nvalues = SEARCH_MAX_VALUES;
	for (unsigned i = 0; i < SEARCH_MAX_SETS; i++)
		set_of[i] = i;
	for (unsigned i = SEARCH_SCREENS; i < SEARCH_ROUNDS; i++)
		later += search_round_most(i);
	const unsigned n = search_singles(&space, sets, SEARCH_MAX_SETS);
	const struct candidates_seen seen = {.space = &space,
	                                     .margin = SEARCHED_MARGIN,
	                                     .ncells = 1,
	                                     .nsets = n,
	                                     .ntrials = n,
	                                     .sets = sets,
	                                     .bad = bad,
	                                     .set_of = set_of,
	                                     .gains = gains};
	assert_int_equal(n + candidates_round(&seen, 1, 1, scratch(), rows) + later,
	                 SEARCH_MAX_SETS);
}

/* What the values of a row lose, but for two. */
static double others_lose(const struct search_space *space, const search_losses *losses,
                          const struct search_set *row, unsigned a, unsigned b)
{
	double sum = 0;
	for (unsigned k = 0; k < space->nkeys; k++)
		sum += row->level[k] && k != a && k != b ? (*losses)[k][row->level[k]] : 0;
	return sum;
}

/* Each pair of values of two keys in a row at least in which others do not hide it, but for those
 * excluded. */
TEST(a_screen_holds_every_pair)
{
	const struct search_space space = searched_space();
	struct search_set rows[SEARCH_MAX_SETS];
	search_losses losses = {{0}};
	losses[1][3] = INFINITY;
	losses[2][2] = losses[5][1] = 0.1;
	for (uint64_t seed = 1; seed < 6; seed++) {
		const search_losses *known = seed % 2 ? NULL : (const search_losses *)&losses;
		unsigned n = search_cover(&space, known, seed, rows, SEARCH_MAX_SETS);
		if (!known)
			assert_in_range(n, 9, search_cover_most(&space));
		for (unsigned a = 0; a < space.nkeys; a++)
			for (unsigned b = a + 1; b < space.nkeys; b++)
				for (unsigned i = 0; i < 9; i++) {
					unsigned x = 1 + i / 3, y = 1 + i % 3, held = 0;
					if (x >= space.keys[a].nvalues ||
					    y >= space.keys[b].nvalues)
						continue;
					bool out =
					    known && ((a == 1 && x == 3) || (b == 1 && y == 3));
					for (unsigned r = 0; r < n; r++)
						held +=
						    rows[r].level[a] == x &&
						    rows[r].level[b] == y &&
						    (!known || others_lose(&space, known, &rows[r],
						                           a, b) < 0.07);
					assert_int_equal(held > 0, !out);
				}
	}
	assert_int_equal(search_cover(&space, NULL, 1, rows, 5), 5);
	const struct search_space one = {.nkeys = 1, .keys = {space.keys[0]}};
	assert_int_equal(search_cover_most(&one), 0);
	assert_int_equal(search_cover(&one, NULL, 1, rows, SEARCH_MAX_SETS), 0);
}

/* So that an array that is cut off has left out those that promise least. */
TEST(pairs_that_lose_least_come_first)
{
	const struct search_space space = searched_space();
	struct search_set rows[SEARCH_MAX_SETS];
	search_losses losses = {{0}};
	losses[0][2] = losses[3][1] = losses[5][1] = 0.1;
	unsigned n = search_cover(&space, (const search_losses *)&losses, 1, rows, SEARCH_MAX_SETS),
	         most = 0;
	for (unsigned r = 0; r < n; r++) {
		unsigned lose = 0;
		for (unsigned k = 0; k < space.nkeys; k++)
			lose += losses[k][rows[r].level[k]] > 0;
		assert_in_range(lose, most, 2);
		most = lose;
	}
	assert_int_equal(most, 2);
}

TEST(blocks_are_enough_to_pass_the_correction)
{
	for (unsigned tests = 1; tests < 60; tests++) {
		const unsigned one = family_blocks(tests, FAMILY_ALPHA);
		double logs[32];
		for (unsigned b = 0; b < one; b++)
			logs[b] = 0.1 + 0.001 * b;
		assert_true(tests * stats_signed_rank_tails(logs, one, 0).over <= 0.05);
		assert_true(one == 6 ||
		            tests * stats_signed_rank_tails(logs, one - 1, 0).over > 0.05);
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
		assert_true(truth > SEARCHED_MARGIN);
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

/* The same pair, where other settings lose far more, or fail. */
TEST(a_pair_is_found_among_settings_that_do_harm)
{
	const struct search_set best = {.level = {2, 3}};
	unsigned found = 0;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct searched r = searched_run(searched_poisoned, MARGIN, 0.01, seed);
		found += told_right(searched_poisoned, &r, &best);
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
	const struct candidates_seen seen = {&space, MARGIN, SEARCHED_CELLS, n,     n,
	                                     rows,   bad,    set_of,         gains, NULL};
	unsigned found = candidates_finalists(&seen, scratch(), out);
	assert_true(found > 0);
	for (unsigned i = 0; i < found; i++)
		assert_false(search_set_equal(&out[i], &rows[3]));
	found = candidates_round(&seen, SEARCH_SCREENS, 1, scratch(), out);
	assert_true(found > 0);
	for (unsigned i = 0; i < found; i++)
		assert_false(search_set_equal(&out[i], &rows[3]));
}

/* A value that fails alone is in no row of the array, nor is one that was lost a fifth with. */
TEST(what_fails_alone_is_not_combined)
{
	const struct search_space space = searched_space();
	const unsigned failing = 4, slow = 7; /* of the singles: B = 2, C = 2 */
	struct search_set rows[SEARCH_MAX_SETS], out[SEARCH_MAX_SETS];
	static double gains[64 * SEARCHED_CELLS];
	bool bad[SEARCH_MAX_SETS] = {false};
	unsigned set_of[64], n = search_singles(&space, rows, 64);
	for (unsigned t = 0; t < n; t++) {
		set_of[t] = t;
		bad[t] = t == failing;
		for (unsigned c = 0; c < SEARCHED_CELLS; c++)
			gains[t * SEARCHED_CELLS + c] = t == failing ? NAN : t == slow ? -0.3 : 0;
	}
	const struct candidates_seen seen = {&space, MARGIN, SEARCHED_CELLS, n,     n,
	                                     rows,   bad,    set_of,         gains, NULL};
	unsigned found = candidates_round(&seen, 1, 1, scratch(), out);
	assert_true(found > 0);
	for (unsigned i = 0; i < found; i++)
		for (unsigned k = 0; k < space.nkeys; k++)
			assert_false(out[i].level[k] &&
			             (out[i].level[k] == rows[failing].level[k] ||
			              out[i].level[k] == rows[slow].level[k]));
}
