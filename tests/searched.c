#include "searched.h"

#include <string.h>

#include "../harness/config/family.h"
#include "../harness/data/db.h"
#include "../harness/memory.h"
#include "scratch.h"

struct search_space searched_space_of(unsigned nkeys, const unsigned *values)
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

struct search_space searched_space(void)
{
	return searched_space_of(SEARCHED_KEYS, (const unsigned[]){4, 4, 3, 3, 3, 2, 2, 2});
}

struct search_space searched_channels_space(void)
{
	return searched_space_of(5, (const unsigned[]){3, 3, 2, 2, 2});
}

/* A job has one random deviation in all cells, and each cell a small one in addition. */
static void searched_trial(searched_gain_fn *gain, const struct search_set *set, double sd,
                           uint64_t *seed, double out[SEARCHED_CELLS])
{
	double luck = noise_normal(seed);
	for (unsigned c = 0; c < SEARCHED_CELLS; c++)
		out[c] = gain(set, c) + sd * (0.7 * luck + 0.7 * noise_normal(seed));
}

void searched_begin(struct searched_state *s, struct search_space space, double margin)
{
	memset(s, 0, sizeof *s);
	s->space = space;
	s->seen = (struct candidates_seen){.space = &s->space,
	                                   .margin = margin,
	                                   .ncells = SEARCHED_CELLS,
	                                   .sets = s->sets,
	                                   .bad = s->bad,
	                                   .set_of = s->set_of,
	                                   .block_of = s->block_of,
	                                   .gains = s->gains,
	                                   .memory = s->memory};
}

/* GPU memory of a set in bytes; NAN: not known. */
static double searched_memory(searched_gain_fn *gain, const struct search_set *set)
{
	static const double buffers[3] = {1, 0.25, 2};
	if (gain != searched_channels)
		return NAN;
	return 1e9 + 1e9 * buffers[set->level[0]] * (1 + set->level[2]);
}

unsigned searched_place(struct searched_state *s, const struct search_set *set)
{
	unsigned i = 0;
	while (i < s->seen.nsets && !search_set_equal(&s->sets[i], set))
		i++;
	s->sets[i] = *set;
	s->seen.nsets += i == s->seen.nsets;
	return i;
}

double *searched_add(struct searched_state *s, unsigned place, unsigned block)
{
	s->block_of[s->seen.ntrials] = block;
	s->set_of[s->seen.ntrials] = place;
	return s->gains + s->seen.ntrials++ * SEARCHED_CELLS;
}

/* A round: a block with the default in it. */
static void searched_round(struct searched_state *s, searched_gain_fn *gain, unsigned round,
                           const struct search_set *sets, unsigned n, double sd, uint64_t *seed)
{
	const struct search_set none = {{0}};
	double own[SEARCHED_CELLS];
	searched_trial(gain, &none, sd, seed, own);
	for (unsigned i = 0; i < n && s->seen.ntrials < SEARCHED_MOST; i++) {
		const unsigned place = searched_place(s, &sets[i]);
		s->memory[place] = searched_memory(gain, &sets[i]);
		if (isnan(gain(&sets[i], 0))) {
			s->bad[place] = true;
			continue;
		}
		double *out = searched_add(s, place, round);
		searched_trial(gain, &sets[i], sd, seed, out);
		for (unsigned c = 0; c < SEARCHED_CELLS; c++)
			out[c] -= own[c];
	}
}

/* A trial of a variant as tables have it: the logarithm of its time. */
static void searched_put(struct db *db, unsigned variant, unsigned block, searched_gain_fn *gain,
                         const struct search_set *set, double sd, uint64_t *seed)
{
	double x[SEARCHED_CELLS];
	searched_trial(gain, set, sd, seed, x);
	for (unsigned c = 0; c < SEARCHED_CELLS; c++)
		db_add(db, "level", "iiidddddd", variant, c, block, -x[c], 0.0, 0.0, 0.0, 0.0, 0.0);
}

static void searched_variant(struct db *db, unsigned variant, const char *role)
{
	const char *name = arena_text(scratch(), "%u", variant);
	db_add(db, "variant", "ittttiiittit", variant, name, role, "", "", 1, 1, 1, "", "", 0,
	       NULL);
}

static struct db *searched_tables(double margin)
{
	static const char *const files[] = {"harness/data/schema.sql",
	                                    "harness/chapters/figures.sql"};
	struct db *db = db_open(scratch());
	struct status st = {""};
	for (unsigned i = 0; i < 2; i++)
		if (db_run_text(db, files[i], &st))
			abort();
	db_add(db, "given", "ttddiiiiiiiiiiitttiiiidt", "", "", margin, 0.95, 0, 0, 0, 0, 0, 0, 0,
	       1, 1, 0, 1, NULL, NULL, "", 1, 0, 1, 0, 0.0, NULL);
	searched_variant(db, 0, "reference");
	searched_variant(db, 1, "again");
	for (unsigned c = 0; c < SEARCHED_CELLS; c++)
		db_add(db, "place", "iiiiiiitittttiitiiiiilllliidd", c, c, 1, 1, 0, 1, 0, "", 0, "",
		       "", "", "", 0, 0, "", 2, 2, 1, 0, 0, INT64_C(0), INT64_C(0), INT64_C(0),
		       INT64_C(0), 0, 0, 0.0, 1.0);
	return db;
}

/* As the program judges it. */
static void searched_judge(struct db *db, struct searched *r)
{
	static const struct db_source query = {
	    .file = "searched.c",
	    .sql = "SELECT confirmed, expect FROM finalist_cell ORDER BY variant, place"};
	struct status st = {""};
	if (db_run_text(db, "harness/chapters/tuned.sql", &st))
		abort();
	struct db_rows *rows = db_ask(db, &query, &st);
	for (unsigned i = 0; i < r->nfinalists * SEARCHED_CELLS && db_next(rows); i++)
		r->tests[i] = (struct searched_test){db_real(rows, 0) > 0, db_real(rows, 1)};
	if (db_end(rows, &st))
		abort();
	arena_undo(scratch(), db);
}

static void searched_confirm(struct searched *r, const struct candidates_seen *seen,
                             searched_gain_fn *gain, double sd, uint64_t *seed)
{
	const struct search_set none = {{0}};
	const unsigned least = family_blocks(r->nfinalists, FAMILY_ALPHA),
	               blocks = least > SEARCHED_BLOCKS ? least : SEARCHED_BLOCKS;
	struct db *db = searched_tables(seen->margin);
	for (unsigned b = 0; b < blocks; b++) {
		searched_put(db, 0, b, gain, &none, sd, seed);
		searched_put(db, 1, b, gain, &none, sd, seed);
		for (unsigned f = 0; f < r->nfinalists; f++)
			searched_put(db, 2 + f, b, gain, &r->finalists[f], sd, seed);
	}
	for (unsigned f = 0; f < r->nfinalists; f++) {
		double promised[SEARCHED_CELLS];
		candidates_promise(seen, &r->finalists[f], scratch(), promised);
		searched_variant(db, 2 + f, "variant");
		db_add(db, "finalist", "ii", f, 2 + f);
		for (unsigned c = 0; c < SEARCHED_CELLS; c++)
			db_add(db, "search_promise", "iid", f, c, promised[c]);
	}
	searched_judge(db, r);
}

struct searched searched_run(searched_gain_fn *gain, double margin, double sd, uint64_t seed)
{
	const struct search_space space = searched_space();
	return searched_in(&space, gain, margin, sd, seed);
}

struct searched searched_in(const struct search_space *space, searched_gain_fn *gain, double margin,
                            double sd, uint64_t seed)
{
	struct searched_state *s = memory_take(1, sizeof *s);
	struct searched r = {.nfinalists = 0};
	struct search_set sets[SEARCH_MAX_SETS];
	const struct arena_mark mark = arena_mark(scratch());
	searched_begin(s, *space, margin);
	for (unsigned round = 0; round < SEARCH_ROUNDS; round++) {
		const unsigned n = candidates_round(&s->seen, round, seed, scratch(), sets);
		searched_round(s, gain, round, sets, n, sd, &seed);
	}
	r.nfinalists = candidates_finalists(&s->seen, scratch(), r.finalists);
	if (r.nfinalists)
		searched_confirm(&r, &s->seen, gain, sd, &seed);
	arena_release(scratch(), mark);
	free(s);
	return r;
}

double searched_nothing(const struct search_set *set, unsigned cell)
{
	(void)set, (void)cell;
	return 0;
}

double searched_pair(const struct search_set *set, unsigned cell)
{
	double x = 0;
	if (set->level[0] == 2)
		x += set->level[1] == 3 ? (cell >= SEARCHED_CELLS / 2 ? 0.12 : 0.06) : -0.10;
	x += set->level[5] ? -0.30 : 0;
	x += set->level[2] == 2 ? -0.05 : 0;
	return x;
}

double searched_bottleneck(const struct search_set *set, unsigned cell)
{
	double x = set->level[0] == 3 ? 0.08 : 0;
	if (set->level[7])
		x += cell >= SEARCHED_CELLS / 2 ? 0.05 : -0.05;
	if (set->level[4] == 2)
		x = fmin(x, log(0.8));
	if (set->level[3] == 1)
		x = fmin(x, log(0.6));
	return x;
}

double searched_channels(const struct search_set *set, unsigned cell)
{
	enum { SENDRECV_64M = 6 };
	static const double speed[3][2][SEARCHED_CELLS] = {
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

double searched_poisoned(const struct search_set *set, unsigned cell)
{
	static const double losses[SEARCHED_KEYS][4] = {
	    [2] = {0, 0.08, 0.25}, [3] = {0, 0.12, 0}, [4] = {0, 0, NAN},
	    [5] = {0, 0.30},       [6] = {0, 0.15},    [7] = {0, 0.35},
	};
	double x = 0;
	if (set->level[0] == 2)
		x += set->level[1] == 3 ? (cell >= SEARCHED_CELLS / 2 ? 0.12 : 0.06) : -0.10;
	for (unsigned k = 2; k < SEARCHED_KEYS; k++)
		x -= losses[k][set->level[k]];
	return x;
}
