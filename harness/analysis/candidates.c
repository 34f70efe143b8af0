#include "candidates.h"

#include "../arena.h"
#include "effects.h"
#include "stats.h"

#define NO_LOSS     0.01      /* a value that loses no more alone loses nothing */
#define FEWER       0.002     /* what one setting fewer is worth */
#define SHORT_BY    5.0       /* what a loss counts against the mean gain of all cells */
#define TRUST       3         /* the model counts as this many trials */
#define MOST_LUCK   0.05      /* of one trial of the default, a log */
#define SAME_MEMORY (1 << 20) /* bytes; less is scatter */
#define EQUALS      1e-3      /* the score for all cells decides between sets that add the same */

struct searcher {
	const struct candidates_seen *seen;
	struct arena *arena;
	struct effects *models;  /* per cell */
	unsigned *trials_of;     /* [set * ncells + cell] */
	double *mean;            /* the same */
	struct search_set *pool; /* measured ones first, then proposals */
	unsigned npool;
	bool hopes; /* each term of an effect that gains may be its cause */
};

/* What each value loses alone, as search_cover takes it: a mean over the cells. One that never
 * ran alone, because it failed, is excluded; so is one that loses a fifth in every cell. */
static void find_losses(const struct candidates_seen *seen, search_losses losses)
{
	effects_flags aside;
	effects_find_aside(seen, seen->ncells, aside);
	for (unsigned i = 0; i < SEARCH_MAX_KEYS * SEARCH_MAX_VALUES; i++)
		losses[i / SEARCH_MAX_VALUES][i % SEARCH_MAX_VALUES] = INFINITY;
	for (unsigned t = 0; t < seen->ntrials; t++) {
		const struct search_set *set = &seen->sets[seen->set_of[t]];
		double sum = 0;
		unsigned n = 0;
		for (unsigned c = 0; c < seen->ncells; c++)
			if (effects_counts(seen, t, c)) {
				sum += effects_gain(seen, t, c);
				n++;
			}
		for (unsigned k = 0; n && k < seen->space->nkeys; k++)
			if (search_set_size(seen->space, set) == 1 && !aside[k][set->level[k]])
				losses[k][set->level[k]] = fmax(0, -sum / n - NO_LOSS);
	}
}

static double predict(const struct searcher *s, unsigned cell, const struct search_set *set)
{
	const struct effects *m = &s->models[cell];
	double sum = 0;
	if (effects_is_aside(m, s->seen->space, set))
		return -EFFECTS_MOST_LOSS;
	for (unsigned i = 0; i < m->n; i++) {
		const struct effects_one *e = &m->effects[i];
		unsigned held = 0;
		for (unsigned t = e->first; t < e->first + e->n; t++)
			held += effects_has(&m->terms[t], set);
		sum += s->hopes && e->log > 0 && held ? e->log : e->log * held / e->n;
	}
	return sum;
}

/* --- scores: of a cell, or of all: as a mean, or with what is lost anywhere counted more --- */

enum { AIM_SAFE, AIM_MOST, AIM_CELL };

static double score_in(const struct searcher *s, unsigned cell, const struct search_set *set,
                       int place)
{
	const double model = predict(s, cell, set);
	const unsigned at = (unsigned)place * s->seen->ncells + cell,
	               n = place < 0 ? 0 : s->trials_of[at];
	return n ? (n * s->mean[at] + TRUST * model) / (n + TRUST) : model;
}

static double score(const struct searcher *s, unsigned aim, const struct search_set *set, int place)
{
	const unsigned ncells = s->seen->ncells;
	double fewer = FEWER * search_set_size(s->seen->space, set), sum = 0;
	if (aim >= AIM_CELL)
		return score_in(s, aim - AIM_CELL, set, place) - fewer;
	for (unsigned c = 0; c < ncells; c++) {
		double x = score_in(s, c, set, place);
		sum += x + (aim == AIM_MOST ? 0 : SHORT_BY * fmin(0, x + s->seen->margin / 2));
	}
	return sum / ncells - fewer;
}

/* The place of a set among the measured ones, or -1. */
static int place_of(const struct searcher *s, const struct search_set *set)
{
	for (unsigned i = 0; i < s->seen->nsets; i++)
		if (search_set_equal(&s->seen->sets[i], set))
			return (int)i;
	return -1;
}

static bool is_bad(const struct searcher *s, const struct search_set *set)
{
	int place = place_of(s, set);
	return place >= 0 && s->seen->bad[place];
}

/* --- proposals --- */

static void pool_add(struct searcher *s, const struct search_set *set)
{
	if (!search_set_size(s->seen->space, set) || is_bad(s, set))
		return;
	for (unsigned i = 0; i < s->npool; i++)
		if (search_set_equal(&s->pool[i], set))
			return;
	s->pool = arena_more(s->arena, s->pool, s->npool, sizeof *set);
	s->pool[s->npool++] = *set;
}

/* The best change of one value, or of two; false: none improves it. */
static bool improve(const struct searcher *s, unsigned aim, struct search_set *set)
{
	const struct search_space *space = s->seen->space;
	struct search_set best = *set;
	double most = score(s, aim, set, -1) + 1e-9;
	for (unsigned a = 0; a < space->nkeys; a++)
		for (unsigned x = 0; x < space->keys[a].nvalues; x++)
			for (unsigned b = a; b < space->nkeys; b++)
				for (unsigned y = 0; y < space->keys[b].nvalues; y++) {
					struct search_set one = *set;
					if (a == b && x != y)
						continue;
					one.level[a] = (unsigned char)x;
					one.level[b] = (unsigned char)y;
					double is = score(s, aim, &one, -1);
					if (is > most && !search_set_crosses(space, &one)) {
						most = is;
						best = one;
					}
				}
	bool better = !search_set_equal(&best, set);
	*set = best;
	return better;
}

/* From the default and from the best set of each aim: sets that no change improves. */
static void propose(struct searcher *s)
{
	const unsigned nmeasured = s->npool;
	for (unsigned aim = 0; aim < AIM_CELL + s->seen->ncells; aim++) {
		struct search_set starts[2] = {{{0}}};
		double most = -INFINITY;
		for (unsigned i = 0; i < nmeasured; i++) {
			const double is = score(s, aim, &s->pool[i], place_of(s, &s->pool[i]));
			if (is > most)
				starts[1] = s->pool[i];
			most = fmax(most, is);
		}
		for (unsigned i = 0; i < 2; i++) {
			for (unsigned k = 0;
			     k < s->seen->space->nkeys && improve(s, aim, &starts[i]); k++)
				continue;
			pool_add(s, &starts[i]);
		}
	}
}

static struct searcher searcher_make(const struct candidates_seen *seen, struct arena *arena)
{
	struct searcher s = {
	    .seen = seen,
	    .arena = arena,
	    .models = ARENA_ARRAY(arena, struct effects, seen->ncells),
	    .trials_of = ARENA_ARRAY(arena, unsigned, (size_t)seen->nsets * seen->ncells),
	    .mean = ARENA_ARRAY(arena, double, (size_t)seen->nsets * seen->ncells)};
	for (unsigned c = 0; c < seen->ncells; c++)
		effects_fit(arena, seen, c, &s.models[c]);
	for (unsigned t = 0; t < seen->ntrials; t++)
		for (unsigned c = 0; c < seen->ncells; c++) {
			const unsigned at = seen->set_of[t] * seen->ncells + c;
			if (effects_counts(seen, t, c))
				s.mean[at] +=
				    (effects_gain(seen, t, c) - s.mean[at]) / ++s.trials_of[at];
		}
	for (unsigned i = 0; i < seen->nsets; i++)
		pool_add(&s, &seen->sets[i]);
	return s;
}

/* What was measured less the luck of each block's default, as far as it is known: most of what the
 * model leaves of a block's gains has it, and the default's own is 0. */
static struct candidates_seen even_out(const struct candidates_seen *seen, struct arena *arena)
{
	const struct searcher s = searcher_make(seen, arena);
	const unsigned n = seen->ntrials;
	struct candidates_seen out = *seen;
	double *gains = ARENA_ARRAY(arena, double, (size_t)n * seen->ncells),
	       *left = ARENA_ARRAY(arena, double, n), *of_block = ARENA_ARRAY(arena, double, n + 1);
	for (unsigned c = 0; c < seen->ncells; c++) {
		for (unsigned t = 0; t < n; t++) {
			const struct search_set *set = &seen->sets[seen->set_of[t]];
			left[t] = effects_counts(seen, t, c) &&
			                  !effects_is_aside(&s.models[c], seen->space, set)
			              ? effects_gain(seen, t, c) - predict(&s, c, set)
			              : NAN;
		}
		for (unsigned t = 0; t < n; t++) {
			unsigned k = 0;
			of_block[k++] = 0;
			for (unsigned u = 0; u < n; u++)
				if (seen->block_of[u] == seen->block_of[t] && !isnan(left[u]))
					of_block[k++] = left[u];
			const double luck = stats_shorth(of_block, k);
			gains[t * seen->ncells + c] = seen->gains[t * seen->ncells + c] -
			                              fmax(-MOST_LUCK, fmin(luck, MOST_LUCK));
		}
	}
	out.gains = gains;
	return out;
}

/* What a set adds to those that are taken: the first is to lose nowhere, the second to have the
 * highest mean, each further one to gain where those before it gain less. */
static double adds(const struct searcher *s, unsigned place, const double *best, unsigned turn)
{
	const struct search_set *set = &s->pool[place];
	const int measured = place_of(s, set);
	double sum = 0;
	if (turn < AIM_CELL)
		return score(s, turn, set, measured) - (turn == AIM_MOST ? best[AIM_MOST] : 0);
	for (unsigned c = AIM_CELL; c < AIM_CELL + s->seen->ncells; c++)
		sum += fmax(0, score(s, c, set, measured) - best[c]);
	return sum / s->seen->ncells;
}

/* Of the pool's first `among` those that add most in their turn, and `least` at least: in one cell,
 * if that is what they are for. Of equals the one that loses least. */
static unsigned take_best(const struct searcher *s, unsigned among, unsigned most, double least,
                          struct search_set *out)
{
	const unsigned naims = AIM_CELL + s->seen->ncells;
	bool *taken = ARENA_ARRAY(s->arena, bool, among);
	double *best = ARENA_ARRAY(s->arena, double, naims); /* per aim, of those taken */
	unsigned n = 0;
	for (unsigned turn = 0; turn <= most && n < most; turn++) {
		unsigned choice = among;
		double gain = -INFINITY;
		for (unsigned i = 0; i < among; i++) {
			double is = taken[i] ? -INFINITY : adds(s, i, best, turn);
			if (is <= (turn < AIM_CELL ? least : least / s->seen->ncells))
				continue;
			is += EQUALS * score(s, AIM_SAFE, &s->pool[i], place_of(s, &s->pool[i]));
			if (is > gain) {
				gain = is;
				choice = i;
			}
		}
		if (choice == among)
			continue; /* none loses nowhere, or has a higher mean */
		taken[choice] = true;
		out[n++] = s->pool[choice];
		for (unsigned a = 0; a < naims; a++)
			best[a] = fmax(
			    best[a], score(s, a, &s->pool[choice], place_of(s, &s->pool[choice])));
	}
	return n;
}

/* Whether a set loses no more than that against another one in any cell, as far as is known. */
static bool is_as_good(const struct searcher *s, const struct search_set *set,
                       const struct search_set *as, double loss)
{
	bool good = search_set_size(s->seen->space, set) && !is_bad(s, set);
	for (unsigned c = 0; c < s->seen->ncells && good; c++)
		good = score_in(s, c, set, place_of(s, set)) >
		       score_in(s, c, as, place_of(s, as)) - loss;
	return good;
}

/* GPU memory of a set, in bytes; NaN: not known. */
static double memory_of_set(const struct searcher *s, const struct search_set *set)
{
	const int place = place_of(s, set);
	return s->seen->memory && place >= 0 ? s->seen->memory[place] : NAN;
}

/* In place of the set one that is as good without one of its settings, or with less memory: until
 * nothing is left to take. One that was not measured takes no more than what it was part of. */
static void prune(const struct searcher *s, struct search_set *set)
{
	const struct candidates_seen *seen = s->seen;
	const struct search_set as = *set;
	const unsigned nkeys = seen->space->nkeys;
	double least = memory_of_set(s, set);
	for (unsigned i = 0; i < nkeys + seen->nsets; i++) {
		struct search_set option = i < nkeys ? *set : seen->sets[i - nkeys];
		const bool less = i < nkeys && set->level[i];
		if (less)
			option.level[i] = 0;
		const double takes = memory_of_set(s, &option);
		if (!(less ? !(takes > memory_of_set(s, set) + SAME_MEMORY) &&
		                 is_as_good(s, &option, set, seen->margin / 2)
		           : takes < least - SAME_MEMORY) ||
		    !is_as_good(s, &option, &as, seen->margin))
			continue;
		*set = option;
		least = fmin(least, takes);
		i = UINT_MAX; /* from the first again */
	}
}

static unsigned narrow(const struct candidates_seen *seen, unsigned most, struct arena *arena,
                       struct search_set *out)
{
	struct searcher s = searcher_make(seen, arena);
	s.hopes = true;
	propose(&s);
	return take_best(&s, s.npool, most, -1, out);
}

static unsigned finalists(const struct candidates_seen *seen, struct arena *arena,
                          struct search_set *out)
{
	struct search_set all[SEARCH_MAX_FINALISTS];
	const struct searcher s = searcher_make(seen, arena);
	const unsigned found =
	    take_best(&s, s.npool, seen->space->finalists, seen->margin / 2, all);
	unsigned n = 0;
	for (unsigned i = 0; i < found; i++) {
		unsigned same = 0;
		prune(&s, &all[i]);
		while (same < n && !search_set_equal(&out[same], &all[i]))
			same++;
		out[same] = all[i];
		n += same == n;
	}
	return n;
}

/* The finalists so far, and each without one of its settings; nothing where none has two. */
static unsigned drop(const struct candidates_seen *seen, unsigned most, struct arena *arena,
                     struct search_set *out)
{
	const struct searcher s = {.seen = seen};
	const unsigned nkeys = seen->space->nkeys, found = finalists(seen, arena, out);
	unsigned n = found;
	for (unsigned i = 0; i < found * nkeys && n < most; i++) {
		struct search_set less = out[i / nkeys];
		bool known = !less.level[i % nkeys];
		less.level[i % nkeys] = 0;
		known = known || !search_set_size(seen->space, &less) || is_bad(&s, &less);
		for (unsigned k = 0; k < n && !known; k++)
			known = search_set_equal(&out[k], &less);
		out[n] = less;
		n += !known;
	}
	return n > found ? n : 0;
}

unsigned candidates_round(const struct candidates_seen *seen, unsigned round, uint64_t seed,
                          struct arena *arena, struct search_set *out)
{
	unsigned most = search_cover_most(seen->space);
	unsigned kept = seen->nsets; /* and those of later rounds */
	search_losses losses;
	if (!round)
		return search_singles(seen->space, out, SEARCH_MAX_SETS);
	const struct candidates_seen even = even_out(seen, arena);
	if (round + 1 == SEARCH_ROUNDS)
		return drop(&even, search_round_most(round), arena, out);
	if (round >= SEARCH_SCREENS)
		return narrow(&even, search_round_most(round), arena, out);
	for (unsigned i = SEARCH_SCREENS; i < SEARCH_ROUNDS; i++)
		kept += search_round_most(i);
	if (kept + most > SEARCH_MAX_SETS)
		most = kept < SEARCH_MAX_SETS ? SEARCH_MAX_SETS - kept : 0;
	find_losses(&even, losses);
	return search_cover(seen->space, (const search_losses *)&losses, seed, out, most);
}

unsigned candidates_finalists(const struct candidates_seen *seen, struct arena *arena,
                              struct search_set *out)
{
	const struct candidates_seen even = even_out(seen, arena);
	return finalists(&even, arena, out);
}

void candidates_promise(const struct candidates_seen *seen, const struct search_set *set,
                        struct arena *arena, double *out)
{
	const struct searcher s = searcher_make(seen, arena);
	const int place = place_of(&s, set);
	for (unsigned c = 0; c < seen->ncells; c++) {
		const unsigned at = (unsigned)place * seen->ncells + c;
		out[c] = place >= 0 && s.trials_of[at] ? s.mean[at] : predict(&s, c, set);
	}
}
