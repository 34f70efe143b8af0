/* The search itself: the cells that its rounds measure, that it finds real gains and reports no
 * false ones, on made-up machines. Fixed seeds; SIMULATED.md has the rates over many. */
#include "../harness/config/family.h"
#include "searched.h"
#include "test.h"
#include "walsh.h"

#define MARGIN 0.02 /* as a share; SEARCHED_MARGIN is its log */

static struct searched_state m;

static void nothing_measured(void)
{
	searched_begin(&m, searched_space(), MARGIN);
}

/* A trial with the same gain in every cell. Returns the set's place. */
static unsigned measured(struct search_set set, unsigned block, double gain, double memory_mib)
{
	const unsigned place = searched_place(&m, &set);
	double *gains = searched_add(&m, place, block);
	m.memory[place] = memory_mib * (1 << 20);
	for (unsigned c = 0; c < SEARCHED_CELLS; c++)
		gains[c] = gain;
	return place;
}

/* All values alone do nothing, in block 0; that of a key is not measured. */
static void singles_measured(unsigned but)
{
	struct search_set rows[64];
	nothing_measured();
	const unsigned n = search_singles(&m.space, rows, 64);
	for (unsigned i = 0; i < n; i++)
		if (!rows[i].level[but])
			measured(rows[i], 0, 0, 1000);
}

static bool is_among(const struct search_set *list, unsigned n, struct search_set set)
{
	for (unsigned i = 0; i < n; i++)
		if (search_set_equal(&list[i], &set))
			return true;
	return false;
}

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
	unsigned set_of[SEARCH_MAX_SETS], none[SEARCH_MAX_SETS] = {0}, later = 0;
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
	                                     .block_of = none,
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
		assert_true(tests * walsh_tails(logs, one, 0).over <= 0.05);
		assert_true(one == 6 || tests * walsh_tails(logs, one - 1, 0).over > 0.05);
	}
}

/* Whether a confirmed finalist has most of what `best` gains in the last cell; true gains of all that are
 * confirmed are beyond the margin, and as said. */
static bool told_right(searched_gain_fn *gain, const struct searched *r,
                       const struct search_set *best, double within)
{
	const unsigned last = SEARCHED_CELLS - 1;
	bool found = false;
	for (unsigned i = 0; i < r->nfinalists * SEARCHED_CELLS; i++) {
		double truth = gain(&r->finalists[i / SEARCHED_CELLS], i % SEARCHED_CELLS);
		if (!r->tests[i].confirmed)
			continue;
		assert_true(truth > SEARCHED_MARGIN);
		assert_float_equal(log(r->tests[i].expect), truth, within);
		found |= i % SEARCHED_CELLS == last && truth > 0.9 * gain(best, last);
	}
	return found;
}

/* A pair that helps only together, of which one does harm alone: beside others that do harm and others that do
 * nothing, among jobs that scatter, among settings that lose far more or fail; and gains that a bottleneck
 * hides. */
TEST(gains_are_found_wherever_they_hide)
{
	static const struct {
		searched_gain_fn *gain;
		double noise, within;
		unsigned seeds, least;
		struct search_set best;
	} rows[] = {
	    {searched_pair, 0.01, 0.02, 8, 7, {.level = {2, 3}}},
	    {searched_pair, 0.02, 0.05, 20, 18, {.level = {2, 3}}},
	    {searched_poisoned, 0.01, 0.02, 8, 7, {.level = {2, 3}}},
	    {searched_bottleneck, 0.01, 0.02, 4, 4, {.level = {3, 0, 0, 0, 0, 0, 0, 1}}},
	};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		unsigned found = 0;
		for (uint64_t seed = 1; seed <= rows[i].seeds; seed++) {
			struct searched r =
			    searched_run(rows[i].gain, MARGIN, rows[i].noise, seed + 1000 * i);
			found += told_right(rows[i].gain, &r, &rows[i].best, rows[i].within);
		}
		assert_in_range(found, rows[i].least, rows[i].seeds);
	}
}

/* Of the finalists the one with the highest mean gain, as it truly is. */
static double best_mean(searched_gain_fn *gain, const struct searched *r)
{
	double best = 0;
	for (unsigned f = 0; f < r->nfinalists; f++) {
		double sum = 0;
		for (unsigned c = 0; c < SEARCHED_CELLS; c++)
			sum += gain(&r->finalists[f], c);
		best = fmax(best, sum / SEARCHED_CELLS);
	}
	return best;
}

/* Two settings that gain alone, at other sizes each, and most together: of 100 searches that measure every
 * other size while they screen 75 find it. */
TEST(what_two_settings_gain_together_is_found)
{
	const struct searched truth = {.nfinalists = 1, .finalists = {{.level = {0, 1, 1}}}};
	const struct search_space space = searched_channels_space();
	const double most = best_mean(searched_channels, &truth);
	unsigned found = 0;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct searched r = searched_in(&space, searched_channels, MARGIN, 0.01, seed);
		found += best_mean(searched_channels, &r) > 0.95 * most;
	}
	assert_in_range(found, 19, 20);
}

/* A least number above its greatest, with which NCCL takes one of both, is in no set, however much the
 * made-up machine gains with it; any other pair of the two is. */
TEST(a_least_is_not_above_its_greatest)
{
	static const char *const values[2][3] = {{"", "64", "8"}, {"", "16"}};
	struct search_space space = searched_channels_space();
	struct search_set rows[SEARCH_MAX_SETS];
	for (unsigned k = 0; k < 2; k++) {
		strcpy(space.keys[1 + k].key, k ? "max_ctas" : "min_ctas");
		for (unsigned v = 1; v < space.keys[1 + k].nvalues; v++)
			strcpy(space.keys[1 + k].values[v], values[k][v]);
	}
	unsigned n = search_cover(&space, NULL, 1, rows, SEARCH_MAX_SETS), held = 0;
	for (unsigned r = 0; r < n; r++)
		held += rows[r].level[1] == 2 && rows[r].level[2] == 1;
	assert_true(held > 0);
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct searched r = searched_in(&space, searched_channels, MARGIN, 0.01, seed);
		for (n = 0; n < r.nfinalists; n++)
			assert_false(search_set_crosses(&space, &r.finalists[n]));
		assert_true(n > 0);
	}
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
	struct search_set rows[SEARCH_MAX_SETS], out[SEARCH_MAX_SETS];
	nothing_measured();
	const unsigned n = search_cover(&m.space, NULL, 1, rows, 20);
	for (unsigned t = 0; t < n; t++)
		m.bad[measured(rows[t], 0, t == 3 ? 1 : 0.05 * (t % 2), 1000)] = t == 3;
	unsigned found = candidates_finalists(&m.seen, scratch(), out);
	assert_true(found > 0);
	assert_false(is_among(out, found, rows[3]));
	found = candidates_round(&m.seen, SEARCH_SCREENS, 1, scratch(), out);
	assert_true(found > 0);
	assert_false(is_among(out, found, rows[3]));
}

/* A value that fails alone is in no row of the array, nor is one that was lost a fifth with. */
TEST(what_fails_alone_is_not_combined)
{
	const unsigned failing = 4, slow = 7; /* of the singles: B = 2, C = 2 */
	struct search_set rows[64], out[SEARCH_MAX_SETS];
	nothing_measured();
	const unsigned n = search_singles(&m.space, rows, 64);
	for (unsigned t = 0; t < n; t++)
		m.bad[measured(rows[t], 0,
		               t == failing ? NAN
		               : t == slow  ? -0.3
		                            : 0,
		               1000)] = t == failing;
	unsigned found = candidates_round(&m.seen, 1, 1, scratch(), out);
	assert_true(found > 0);
	for (unsigned i = 0; i < found; i++)
		for (unsigned k = 0; k < m.space.nkeys; k++)
			assert_false(out[i].level[k] &&
			             (out[i].level[k] == rows[failing].level[k] ||
			              out[i].level[k] == rows[slow].level[k]));
}

/* Screens measure every other cell: of the others the model says what to expect. */
TEST(a_promise_is_of_every_cell)
{
	const struct search_set set = {.level = {2, 3}};
	double promise[SEARCHED_CELLS];
	singles_measured(0);
	const unsigned first = m.seen.ntrials;
	measured(set, 1, 0.1, 1000);
	for (unsigned k = 2; k < m.space.nkeys; k++) {
		struct search_set more = set;
		more.level[k] = 1;
		measured(more, 2, 0.1, 1000);
	}
	for (unsigned c = 1; c < SEARCHED_CELLS; c += 2)
		m.gains[first * SEARCHED_CELLS + c] = NAN;
	candidates_promise(&m.seen, &set, scratch(), promise);
	for (unsigned c = 0; c < SEARCHED_CELLS; c++)
		assert_float_equal(promise[c], 0.1, 0.02);
}

/* Finalists are measured again without each of their settings; then what brought nothing goes. */
TEST(each_setting_of_a_finalist_is_dropped_in_turn)
{
	const struct search_set pair = {.level = {2, 3}}, three = {.level = {2, 3, 1}};
	struct search_set out[SEARCH_MAX_SETS];
	singles_measured(0);
	measured(three, 1, 0.1, 1000);
	measured(three, 2, 0.1, 1000);
	assert_int_equal(candidates_round(&m.seen, SEARCH_ROUNDS - 1, 1, scratch(), out), 4);
	assert_true(search_set_equal(&out[0], &three));
	assert_true(is_among(out, 4, pair));
	assert_true(is_among(out, 4, (struct search_set){.level = {2, 0, 1}}));
	assert_true(is_among(out, 4, (struct search_set){.level = {0, 3, 1}}));
	for (unsigned i = 0; i < 4; i++)
		measured(out[i], 3, i && !search_set_equal(&out[i], &pair) ? 0 : 0.1, 1000);
	assert_int_equal(candidates_finalists(&m.seen, scratch(), out), 1);
	assert_true(search_set_equal(&out[0], &pair));
	/* Of a single setting there is nothing to drop. */
	singles_measured(0);
	measured((struct search_set){.level = {1}}, 1, 0.1, 1000);
	assert_int_equal(candidates_round(&m.seen, SEARCH_ROUNDS - 1, 1, scratch(), out), 0);
}

/* Of sets within the margin the one with less memory, less what brings nothing; a set that was not
 * measured takes no more than what it was part of. */
TEST(of_sets_that_gain_the_same_the_one_with_less_memory_wins)
{
	static const struct {
		double gain, memory_mib, alone_mib; /* of the other set; of it less one setting */
		struct search_set wins;
	} rows[] = {
	    {0.19, 900, 900, {.level = {0, 0, 0, 1}}},
	    {0.19, 900, 2000, {.level = {0, 0, 0, 1, 1}}},
	    {0.19, 2999.5, 2999.5, {.level = {2, 3}}},
	    {0.15, 900, 900, {.level = {2, 3}}},
	};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		struct search_set out[SEARCH_MAX_SETS];
		singles_measured(3);
		m.space.finalists = 1;
		for (unsigned block = 1; block < 5; block++) {
			measured((struct search_set){.level = {2, 3, 1}}, block, 0.2, 3000);
			measured((struct search_set){.level = {2, 3, 2}}, block, 0.2, 3000);
			measured((struct search_set){.level = {0, 0, 0, 1, 1}}, block, rows[i].gain,
			         rows[i].memory_mib);
			measured((struct search_set){.level = {0, 0, 0, 1}}, block, rows[i].gain,
			         rows[i].alone_mib);
		}
		assert_int_equal(candidates_finalists(&m.seen, scratch(), out), 1);
		if (!search_set_equal(&out[0], &rows[i].wins))
			fail_msg("row %u: A = %u, C = %u, D = %u, E = %u", i, out[0].level[0],
			         out[0].level[2], out[0].level[3], out[0].level[4]);
	}
}
