/* The search itself: the cells that its rounds measure, that it finds real gains and reports no
 * false ones, on made-up machines: settings with known effects, and noise. Fixed seeds. */
#include "../harness/analysis/candidates.h"
#include "../harness/config/family.h"
#include "../harness/data/db.h"
#include "../harness/memory.h"
#include "noise.h"
#include "test.h"
#include "walsh.h"

#define KEYS   8
#define CELLS  8
#define MOST   400 /* trials */
#define BLOCKS 7
#define MARGIN 0.02 /* as a share */

/* The log gain of a set in a cell, without noise; NAN: it fails. */
typedef double gain_fn(const struct search_set *set, unsigned cell);

/* What a search found: finalists, and each in a cell (chapters/tuned.sql). */
struct found {
	unsigned nfinalists;
	struct search_set finalists[SEARCH_MAX_FINALISTS];
	bool confirmed[SEARCH_MAX_FINALISTS * CELLS];
	double expect[SEARCH_MAX_FINALISTS * CELLS];
};

/* What a search has measured so far: `seen` is of what follows it. */
struct state {
	struct search_space space;
	struct candidates_seen seen;
	struct search_set sets[SEARCH_MAX_SETS];
	bool bad[SEARCH_MAX_SETS];
	unsigned set_of[MOST], block_of[MOST];
	double gains[MOST * CELLS], memory[SEARCH_MAX_SETS];
};

/* --- machines --- */

static double nothing(const struct search_set *set, unsigned cell)
{
	(void)set, (void)cell;
	return 0;
}

/* A = 2 alone loses 10 %, B = 3 alone does nothing, together they gain 12 % in the upper half
 * of the cells and 6 % in the lower; F loses 30 % and C = 2 loses 5; all others do nothing. */
static double pair(const struct search_set *set, unsigned cell)
{
	double x = 0;
	if (set->level[0] == 2)
		x += set->level[1] == 3 ? (cell >= CELLS / 2 ? 0.12 : 0.06) : -0.10;
	x += set->level[5] ? -0.30 : 0;
	x += set->level[2] == 2 ? -0.05 : 0;
	return x;
}

/* The same pair, and every other setting has a value that does harm: it loses 8 to 35 %, and one
 * fails. */
static double poisoned(const struct search_set *set, unsigned cell)
{
	static const double losses[KEYS][4] = {
	    [2] = {0, 0.08, 0.25}, [3] = {0, 0.12, 0}, [4] = {0, 0, NAN},
	    [5] = {0, 0.30},       [6] = {0, 0.15},    [7] = {0, 0.35},
	};
	double x = 0;
	if (set->level[0] == 2)
		x += set->level[1] == 3 ? (cell >= CELLS / 2 ? 0.12 : 0.06) : -0.10;
	for (unsigned k = 2; k < KEYS; k++)
		x -= losses[k][set->level[k]];
	return x;
}

/* The slowest part decides: D = 1 limits all to 60 %, E = 2 to 80 %; A = 3 gains 8 %, H 5 % in
 * large cells and loses 5 % in small ones. */
static double bottleneck(const struct search_set *set, unsigned cell)
{
	double x = set->level[0] == 3 ? 0.08 : 0;
	if (set->level[7])
		x += cell >= CELLS / 2 ? 0.05 : -0.05;
	if (set->level[4] == 2)
		x = fmin(x, log(0.8));
	if (set->level[3] == 1)
		x = fmin(x, log(0.6));
	return x;
}

/* 4 × H200 with NCCL 2.28.3 (results/reference/4x-h200/tuning): alltoall, then sendrecv of 4, 16,
 * 64 and 256 MiB. B = 1, or 2 or A = 1, are chunks of 64 and 128 KiB, C = 1 more channels: each
 * alone gains at some sizes and loses at others, and the small chunk with more channels has the
 * highest mean. E costs the small chunk some, and so do small buffers (A = 1), which take less
 * memory, with more channels. Its space has 5 keys with 3 or 2 values. */
static double channels(const struct search_set *set, unsigned cell)
{
	enum { SENDRECV_64M = 6 };
	static const double speed[3][2][CELLS] = {
	    {{1, 1, 1, 1, 1, 1, 1, 1}, {0.83, 1.14, 1.07, 1.09, 1.23, 1.53, 1.68, 1}},
	    {{1.01, 1.20, 1.09, 1.15, 0.79, 0.77, 2.06, 1.15},
	     {0.83, 1.22, 1.10, 1.12, 1.27, 1.37, 2.05, 1.16}},
	    {{1, 1.16, 1.06, 1.11, 0.90, 0.88, 1.54, 1.15},
	     {0.83, 1.18, 1.10, 1.07, 1.29, 1.53, 1.54, 1.16}},
	};
	const unsigned chunk = set->level[1] == 1                         ? 1
	                       : set->level[1] == 2 || set->level[0] == 1 ? 2
	                                                                  : 0;
	double x = log(speed[chunk][set->level[2]][cell]);
	if (chunk == 1 && set->level[4] && cell == SENDRECV_64M)
		x = log(1.80);
	if (set->level[0] == 1 && set->level[2])
		x -= cell % 4 ? 0.01 : 0.04;
	return x;
}

/* --- a whole search: rounds, finalists, confirmation --- */

static struct search_space space_of(unsigned nkeys, const unsigned *values)
{
	struct search_space s = {.nkeys = nkeys, .finalists = 3};
	for (unsigned k = 0; k < nkeys; k++) {
		snprintf(s.keys[k].key, sizeof s.keys[k].key, "env.NCCL_%c", 'A' + (int)k);
		s.keys[k].nvalues = values[k];
		for (unsigned v = 1; v < values[k]; v++)
			snprintf(s.keys[k].values[v], SEARCH_VALUE_BYTES, "%u", v);
	}
	return s;
}

static struct search_space eight_keys(void)
{
	return space_of(KEYS, (const unsigned[]){4, 4, 3, 3, 3, 2, 2, 2});
}

static void begin(struct state *s, struct search_space space)
{
	memset(s, 0, sizeof *s);
	s->space = space;
	s->seen = (struct candidates_seen){.space = &s->space,
	                                   .margin = MARGIN,
	                                   .ncells = CELLS,
	                                   .sets = s->sets,
	                                   .bad = s->bad,
	                                   .set_of = s->set_of,
	                                   .block_of = s->block_of,
	                                   .gains = s->gains,
	                                   .memory = s->memory};
}

static unsigned place_of(struct state *s, const struct search_set *set)
{
	unsigned i = 0;
	while (i < s->seen.nsets && !search_set_equal(&s->sets[i], set))
		i++;
	s->sets[i] = *set;
	s->seen.nsets += i == s->seen.nsets;
	return i;
}

static double *add_trial(struct state *s, unsigned place, unsigned block)
{
	s->block_of[s->seen.ntrials] = block;
	s->set_of[s->seen.ntrials] = place;
	return s->gains + s->seen.ntrials++ * CELLS;
}

/* A job has one random deviation in all cells, and each cell a small one in addition. */
static void draw_trial(gain_fn *gain, const struct search_set *set, double sd, uint64_t *seed,
                       double out[CELLS])
{
	double luck = noise_normal(seed);
	for (unsigned c = 0; c < CELLS; c++)
		out[c] = gain(set, c) + sd * (0.7 * luck + 0.7 * noise_normal(seed));
}

/* GPU memory of a set in bytes; NAN: not known. */
static double memory_of(gain_fn *gain, const struct search_set *set)
{
	static const double buffers[3] = {1, 0.25, 2};
	if (gain != channels)
		return NAN;
	return 1e9 + 1e9 * buffers[set->level[0]] * (1 + set->level[2]);
}

/* A round: a block with the default in it. */
static void measure_round(struct state *s, gain_fn *gain, unsigned round,
                          const struct search_set *sets, unsigned n, double sd, uint64_t *seed)
{
	const struct search_set none = {{0}};
	double own[CELLS];
	draw_trial(gain, &none, sd, seed, own);
	for (unsigned i = 0; i < n && s->seen.ntrials < MOST; i++) {
		const unsigned place = place_of(s, &sets[i]);
		s->memory[place] = memory_of(gain, &sets[i]);
		if (isnan(gain(&sets[i], 0))) {
			s->bad[place] = true;
			continue;
		}
		double *out = add_trial(s, place, round);
		draw_trial(gain, &sets[i], sd, seed, out);
		for (unsigned c = 0; c < CELLS; c++)
			out[c] -= own[c];
	}
}

/* A trial of a variant as tables have it: the logarithm of its time. */
static void put_trial(struct db *db, unsigned variant, unsigned block, gain_fn *gain,
                      const struct search_set *set, double sd, uint64_t *seed)
{
	double x[CELLS];
	draw_trial(gain, set, sd, seed, x);
	for (unsigned c = 0; c < CELLS; c++)
		db_add(db, "level", "iiidddddd", variant, c, block, -x[c], 0.0, 0.0, 0.0, 0.0, 0.0);
}

static void put_variant(struct db *db, unsigned variant, const char *role)
{
	const char *name = arena_text(scratch(), "%u", variant);
	db_add(db, "variant", "ittttiiittit", variant, name, role, "", "", 1, 1, 1, "", "", 0,
	       NULL);
}

static struct db *tables(void)
{
	static const char *const files[] = {"harness/data/schema.sql",
	                                    "harness/chapters/figures.sql"};
	struct db *db = db_open(scratch());
	for (unsigned i = 0; i < 2; i++)
		if (db_run_text(db, files[i], WHY))
			abort();
	db_add(db, "given", "ttddiiiiiiiiiiitttiiiidt", "", "", MARGIN, 0.95, 0, 0, 0, 0, 0, 0, 0,
	       1, 1, 0, 1, NULL, NULL, "", 1, 0, 1, 0, 0.0, NULL);
	put_variant(db, 0, "reference");
	put_variant(db, 1, "again");
	for (unsigned c = 0; c < CELLS; c++)
		db_add(db, "place", "iiiiiiitittttiitiiiiilllliidd", c, c, 1, 1, 0, 1, 0, "", 0, "",
		       "", "", "", 0, 0, "", 2, 2, 1, 0, 0, INT64_C(0), INT64_C(0), INT64_C(0),
		       INT64_C(0), 0, 0, 0.0, 1.0);
	return db;
}

/* As the program judges it. */
static void judge(struct db *db, struct found *r)
{
	static const struct db_source query = {
	    .file = "test_search.c",
	    .sql = "SELECT confirmed, expect FROM finalist_cell ORDER BY variant, place"};
	if (db_run_text(db, "harness/chapters/tuned.sql", WHY))
		abort();
	struct db_rows *rows = db_ask(db, &query, WHY);
	for (unsigned i = 0; i < r->nfinalists * CELLS && db_next(rows); i++) {
		r->confirmed[i] = db_real(rows, 0) > 0;
		r->expect[i] = db_real(rows, 1);
	}
	if (db_end(rows, WHY))
		abort();
	arena_undo(scratch(), db);
}

static void confirm(struct found *r, const struct candidates_seen *seen, gain_fn *gain, double sd,
                    uint64_t *seed)
{
	const struct search_set none = {{0}};
	const unsigned least = family_blocks(r->nfinalists, FAMILY_ALPHA),
	               blocks = least > BLOCKS ? least : BLOCKS;
	struct db *db = tables();
	for (unsigned b = 0; b < blocks; b++) {
		put_trial(db, 0, b, gain, &none, sd, seed);
		put_trial(db, 1, b, gain, &none, sd, seed);
		for (unsigned f = 0; f < r->nfinalists; f++)
			put_trial(db, 2 + f, b, gain, &r->finalists[f], sd, seed);
	}
	for (unsigned f = 0; f < r->nfinalists; f++) {
		double promised[CELLS];
		candidates_promise(seen, &r->finalists[f], scratch(), promised);
		put_variant(db, 2 + f, "variant");
		db_add(db, "finalist", "ii", f, 2 + f);
		for (unsigned c = 0; c < CELLS; c++)
			db_add(db, "search_promise", "iid", f, c, promised[c]);
	}
	judge(db, r);
}

static struct found search(struct search_space space, gain_fn *gain, double sd, uint64_t seed)
{
	struct state *s = memory_take(1, sizeof *s);
	struct found r = {.nfinalists = 0};
	struct search_set sets[SEARCH_MAX_SETS];
	const struct arena_mark mark = arena_mark(scratch());
	begin(s, space);
	for (unsigned round = 0; round < SEARCH_ROUNDS; round++) {
		const unsigned n = candidates_round(&s->seen, round, seed, scratch(), sets);
		measure_round(s, gain, round, sets, n, sd, &seed);
	}
	r.nfinalists = candidates_finalists(&s->seen, scratch(), r.finalists);
	if (r.nfinalists)
		confirm(&r, &s->seen, gain, sd, &seed);
	arena_release(scratch(), mark);
	free(s);
	return r;
}

/* --- its parts --- */

static struct state m;

static void nothing_measured(void)
{
	begin(&m, eight_keys());
}

/* A trial with the same gain in every cell. Returns the set's place. */
static unsigned measured(struct search_set set, unsigned block, double gain, double memory_mib)
{
	const unsigned place = place_of(&m, &set);
	double *gains = add_trial(&m, place, block);
	m.memory[place] = memory_mib * (1 << 20);
	for (unsigned c = 0; c < CELLS; c++)
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
	const struct search_space space = eight_keys();
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
	                                     .margin = log1p(MARGIN),
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
	const struct search_space space = eight_keys();
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
	const struct search_space space = eight_keys();
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

/* Whether a confirmed finalist has most of what `best` gains in the last cell; true gains of all
 * that are confirmed are beyond the margin, and as said. */
static bool told_right(gain_fn *gain, const struct found *r, const struct search_set *best,
                       double within)
{
	const unsigned last = CELLS - 1;
	bool found = false;
	for (unsigned i = 0; i < r->nfinalists * CELLS; i++) {
		double truth = gain(&r->finalists[i / CELLS], i % CELLS);
		if (!r->confirmed[i])
			continue;
		assert_true(truth > log1p(MARGIN));
		assert_float_equal(log(r->expect[i]), truth, within);
		found |= i % CELLS == last && truth > 0.9 * gain(best, last);
	}
	return found;
}

/* A pair that helps only together, of which one does harm alone: beside others that do harm and
 * others that do nothing, among jobs that scatter, among settings that lose far more or fail; and
 * gains that a bottleneck hides. */
TEST(gains_are_found_wherever_they_hide)
{
	static const struct {
		gain_fn *gain;
		double noise, within;
		unsigned seeds, least;
		struct search_set best;
	} rows[] = {
	    {pair, 0.01, 0.02, 8, 7, {.level = {2, 3}}},
	    {pair, 0.02, 0.05, 20, 18, {.level = {2, 3}}},
	    {poisoned, 0.01, 0.02, 8, 7, {.level = {2, 3}}},
	    {bottleneck, 0.01, 0.02, 4, 4, {.level = {3, 0, 0, 0, 0, 0, 0, 1}}},
	};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		unsigned found = 0;
		for (uint64_t seed = 1; seed <= rows[i].seeds; seed++) {
			struct found r =
			    search(eight_keys(), rows[i].gain, rows[i].noise, seed + 1000 * i);
			found += told_right(rows[i].gain, &r, &rows[i].best, rows[i].within);
		}
		assert_in_range(found, rows[i].least, rows[i].seeds);
	}
}

/* Of the finalists the one with the highest mean gain, as it truly is. */
static double best_mean(gain_fn *gain, const struct found *r)
{
	double best = 0;
	for (unsigned f = 0; f < r->nfinalists; f++) {
		double sum = 0;
		for (unsigned c = 0; c < CELLS; c++)
			sum += gain(&r->finalists[f], c);
		best = fmax(best, sum / CELLS);
	}
	return best;
}

/* Two settings that gain alone, at other sizes each, and most together: of 100 searches that
 * measure every other size while they screen 75 find it. */
TEST(what_two_settings_gain_together_is_found)
{
	const struct found truth = {.nfinalists = 1, .finalists = {{.level = {0, 1, 1}}}};
	const double most = best_mean(channels, &truth);
	unsigned found = 0;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct found r =
		    search(space_of(5, (const unsigned[]){3, 3, 2, 2, 2}), channels, 0.01, seed);
		found += best_mean(channels, &r) > 0.95 * most;
	}
	assert_in_range(found, 19, 20);
}

/* A least number above its greatest, with which NCCL takes one of both, is in no set, however much
 * the made-up machine gains with it; any other pair of the two is. */
TEST(a_least_is_not_above_its_greatest)
{
	static const char *const values[2][3] = {{"", "64", "8"}, {"", "16"}};
	struct search_space space = space_of(5, (const unsigned[]){3, 3, 2, 2, 2});
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
		struct found r = search(space, channels, 0.01, seed);
		for (n = 0; n < r.nfinalists; n++)
			assert_false(search_set_crosses(&space, &r.finalists[n]));
		assert_true(n > 0);
	}
}

TEST(of_nothing_nothing_is_told)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct found r = search(eight_keys(), nothing, 0.02, seed);
		for (unsigned i = 0; i < r.nfinalists * CELLS; i++)
			assert_false(r.confirmed[i]);
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
	double promise[CELLS];
	singles_measured(0);
	const unsigned first = m.seen.ntrials;
	measured(set, 1, 0.1, 1000);
	for (unsigned k = 2; k < m.space.nkeys; k++) {
		struct search_set more = set;
		more.level[k] = 1;
		measured(more, 2, 0.1, 1000);
	}
	for (unsigned c = 1; c < CELLS; c += 2)
		m.gains[first * CELLS + c] = NAN;
	candidates_promise(&m.seen, &set, scratch(), promise);
	for (unsigned c = 0; c < CELLS; c++)
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
