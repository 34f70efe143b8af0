#include "candidates.h"

#include <math.h>
#include <string.h>

#include "../arena.h"
#include "stats.h"

#define MOST_LOSS   0.25      /* of a gain, a log: a loss beyond says no more */
#define ALWAYS      0.20      /* a value with which every set loses so much is set aside */
#define NO_LOSS     0.01      /* a value that loses no more alone loses nothing */
#define LEAST_SD    0.002     /* no model is more exact than jobs repeat */
#define FEWER       0.002     /* what one setting fewer is worth */
#define SHORT_BY    5.0       /* what a loss counts against the mean gain of all cells */
#define TRUST       3         /* the model counts as this many trials */
#define MOST_LUCK   0.05      /* of one trial of the default, a log */
#define SAME_MEMORY (1 << 20) /* bytes; less is scatter */
#define EQUALS      1e-3      /* the score for all cells decides between sets that add the same */
#define STARTS      6         /* sets from which proposals begin, for each aim */
#define MOST_TERMS  24
#define MOST_EQUAL  128 /* in all effects: at most all pairs of one set */

typedef bool value_flags[SEARCH_MAX_KEYS][SEARCH_MAX_VALUES];

/* One value, or two together. */
struct term {
	unsigned char key[2], level[2];
	bool pair;
};

/* Terms that no set has distinguished so far: they share their effect. */
struct effect {
	unsigned first, n; /* of the model's terms */
	double log;
};

struct model {
	unsigned n, nterms;
	struct effect effects[MOST_TERMS];
	struct term terms[MOST_EQUAL];
	value_flags aside;
};

struct searcher {
	const struct candidates_seen *seen;
	struct arena *arena;
	struct model *models;    /* per cell */
	unsigned *trials_of;     /* [set * ncells + cell] */
	double *mean;            /* the same */
	struct search_set *pool; /* measured ones first, then proposals */
	unsigned npool;
	bool hopes; /* each term of an effect that gains may be its cause */
};

static bool has(const struct term *t, const struct search_set *set)
{
	return set->level[t->key[0]] == t->level[0] &&
	       (!t->pair || set->level[t->key[1]] == t->level[1]);
}

static double gain_of(const struct candidates_seen *seen, unsigned trial, unsigned cell)
{
	return fmax(seen->gains[trial * seen->ncells + cell], -MOST_LOSS);
}

static bool counts(const struct candidates_seen *seen, unsigned trial, unsigned cell)
{
	return !isnan(seen->gains[trial * seen->ncells + cell]) && !seen->bad[seen->set_of[trial]];
}

/* --- the model of one cell --- */

/* The best gain of the sets that hold a value and no other one that is set aside, of at least
 * three trials, or one of the value alone; else +∞. cell: ncells is the best one. */
static double most_of(const struct candidates_seen *seen, unsigned cell, value_flags aside,
                      unsigned key, unsigned value)
{
	double most = -INFINITY;
	unsigned n = 0;
	bool alone = false;
	for (unsigned t = 0; t < seen->ntrials; t++) {
		const struct search_set *set = &seen->sets[seen->set_of[t]];
		bool other = set->level[key] != value;
		for (unsigned k = 0; k < seen->space->nkeys && !other; k++)
			other = aside[k][set->level[k]];
		for (unsigned c = 0; c < seen->ncells && !other; c++)
			if ((cell == c || cell == seen->ncells) && counts(seen, t, c)) {
				most = fmax(most, gain_of(seen, t, c));
				n += cell == c || c == 0;
				alone = alone || search_set_size(seen->space, set) == 1;
			}
	}
	return n >= 3 || alone ? most : INFINITY;
}

/* One by one, the worst first: the next may have lost by the first one alone. */
static void find_aside(const struct candidates_seen *seen, unsigned cell, value_flags aside)
{
	memset(aside, 0, sizeof(value_flags));
	for (;;) {
		unsigned key = 0, value = 0;
		double least = -ALWAYS;
		for (unsigned k = 0; k < seen->space->nkeys; k++)
			for (unsigned v = 1; v < seen->space->keys[k].nvalues; v++) {
				double most =
				    aside[k][v] ? INFINITY : most_of(seen, cell, aside, k, v);
				if (most < least) {
					least = most;
					key = k;
					value = v;
				}
			}
		if (!value)
			return;
		aside[key][value] = true;
	}
}

/* What each value loses alone, as search_cover takes it: a mean over the cells. One that never
 * ran alone, because it failed, is excluded; so is one that loses a fifth in every cell. */
static void find_losses(const struct candidates_seen *seen, search_losses losses)
{
	double sums[SEARCH_MAX_KEYS][SEARCH_MAX_VALUES] = {{0}};
	unsigned counted[SEARCH_MAX_KEYS][SEARCH_MAX_VALUES] = {{0}};
	value_flags aside;
	find_aside(seen, seen->ncells, aside);
	for (unsigned t = 0; t < seen->ntrials; t++)
		for (unsigned k = 0; k < seen->space->nkeys; k++) {
			const struct search_set *set = &seen->sets[seen->set_of[t]];
			const unsigned v = set->level[k];
			if (!v || search_set_size(seen->space, set) > 1)
				continue;
			for (unsigned c = 0; c < seen->ncells; c++)
				if (counts(seen, t, c)) {
					sums[k][v] += gain_of(seen, t, c);
					counted[k][v]++;
				}
		}
	for (unsigned k = 0; k < seen->space->nkeys; k++)
		for (unsigned v = 1; v < seen->space->keys[k].nvalues; v++)
			losses[k][v] = aside[k][v] || !counted[k][v]
			                   ? INFINITY
			                   : fmax(0, -sums[k][v] / counted[k][v] - NO_LOSS);
}

static bool is_aside(const struct model *m, const struct search_space *space,
                     const struct search_set *set)
{
	for (unsigned k = 0; k < space->nkeys; k++)
		if (m->aside[k][set->level[k]])
			return true;
	return false;
}

/* Columns of the trials that the fit uses. */
struct fit {
	const struct candidates_seen *seen;
	struct arena *arena;
	unsigned n, nterms;
	unsigned *rows;     /* trials */
	struct term *terms; /* all that a row has */
	double *columns;    /* [term * n + row], less what the chosen ones explain */
	double *rest;       /* of the gains */
};

static bool row_has(const struct fit *f, unsigned row, const struct term *t)
{
	return has(t, &f->seen->sets[f->seen->set_of[f->rows[row]]]);
}

static void term_add(struct fit *f, struct term t)
{
	for (unsigned i = 0; i < f->n; i++)
		if (row_has(f, i, &t)) {
			f->terms = arena_more(f->arena, f->terms, f->nterms, sizeof t);
			f->terms[f->nterms++] = t;
			return;
		}
}

static void terms_find(struct fit *f)
{
	const struct search_space *s = f->seen->space;
	for (unsigned a = 0; a < s->nkeys; a++)
		for (unsigned x = 1; x < s->keys[a].nvalues; x++) {
			struct term one = {.key = {(unsigned char)a}, .level = {(unsigned char)x}};
			term_add(f, one);
			for (unsigned b = a + 1; b < s->nkeys; b++)
				for (unsigned y = 1; y < s->keys[b].nvalues; y++) {
					struct term two = {{(unsigned char)a, (unsigned char)b},
					                   {(unsigned char)x, (unsigned char)y},
					                   true};
					term_add(f, two);
				}
		}
}

static double dot(const double *a, const double *b, unsigned n)
{
	double sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* The term that explains most of the rest; nterms: none does. */
static unsigned best_term(const struct fit *f, double *explains)
{
	unsigned best = f->nterms;
	*explains = 0;
	for (unsigned t = 0; t < f->nterms; t++) {
		const double *x = f->columns + (size_t)t * f->n;
		double norm = dot(x, x, f->n), part = dot(x, f->rest, f->n);
		if (norm > 0.2 && part * part / norm > *explains) {
			*explains = part * part / norm;
			best = t;
		}
	}
	return best;
}

/* Takes out of the rest and of all columns what a column explains (Gram and Schmidt). */
static void take_out(struct fit *f, unsigned term)
{
	const unsigned n = f->n;
	double *by = f->columns + (size_t)f->nterms * n; /* a copy: it takes out itself too */
	memcpy(by, f->columns + (size_t)term * n, n * sizeof *by);
	const double norm = dot(by, by, n);
	for (unsigned t = 0; t <= f->nterms; t++) {
		double *x = t < f->nterms ? f->columns + (size_t)t * n : f->rest;
		double part = dot(by, x, n) / norm;
		for (unsigned i = 0; i < n; i++)
			x[i] -= part * by[i];
	}
}

/* The chosen effects by least squares, with a touch of ridge. */
static void solve(const struct fit *f, unsigned cell, struct model *m)
{
	double a[MOST_TERMS][MOST_TERMS + 1] = {{0}};
	for (unsigned i = 0; i < f->n; i++) {
		double y = gain_of(f->seen, f->rows[i], cell);
		for (unsigned r = 0; r < m->n; r++) {
			if (!row_has(f, i, &m->terms[m->effects[r].first]))
				continue;
			for (unsigned c = 0; c < m->n; c++)
				a[r][c] += row_has(f, i, &m->terms[m->effects[c].first]);
			a[r][m->n] += y;
		}
	}
	for (unsigned r = 0; r < m->n; r++)
		a[r][r] += 0.01;
	for (unsigned p = 0; p < m->n; p++)
		for (unsigned r = 0; r < m->n; r++) {
			double by = a[r][p] / a[p][p];
			for (unsigned c = p; c <= m->n && r != p; c++)
				a[r][c] -= by * a[p][c];
		}
	for (unsigned r = 0; r < m->n; r++)
		m->effects[r].log = a[r][m->n] / a[r][r];
}

/* A term, with all that the same rows have. */
static void effect_add(const struct fit *f, unsigned term, struct model *m)
{
	struct effect *e = &m->effects[m->n++];
	*e = (struct effect){.first = m->nterms};
	for (unsigned t = 0; t < f->nterms && m->nterms < MOST_EQUAL; t++) {
		bool equal = true;
		for (unsigned i = 0; i < f->n && equal; i++)
			equal = row_has(f, i, &f->terms[t]) == row_has(f, i, &f->terms[term]);
		if (equal)
			m->terms[m->nterms++] = f->terms[t];
	}
	e->n = m->nterms - e->first;
}

/* Adds effects one by one and keeps as many as make EBIC least: the first of several equal ones
 * explains too little to pass alone. */
static void choose_terms(struct fit *f, unsigned cell, struct model *m)
{
	double rss = dot(f->rest, f->rest, f->n), explains;
	const double n = f->n, least_rss = n * LEAST_SD * LEAST_SD;
	const double dearer = log(n) + 2 * log(f->nterms + 1.0);
	double least = n * log(rss + least_rss);
	unsigned kept = 0;
	while (m->n < MOST_TERMS && m->n < f->n / 3 && m->nterms < MOST_EQUAL) {
		unsigned t = best_term(f, &explains);
		if (t == f->nterms)
			break;
		effect_add(f, t, m);
		take_out(f, t);
		rss = dot(f->rest, f->rest, f->n);
		double ebic = n * log(rss + least_rss) + m->n * dearer;
		if (ebic < least) {
			least = ebic;
			kept = m->n;
		}
	}
	m->n = kept;
	solve(f, cell, m);
}

static void model_fit(struct arena *arena, const struct candidates_seen *seen, unsigned cell,
                      struct model *m)
{
	const struct arena_mark mark = arena_mark(arena);
	struct fit f = {.seen = seen,
	                .arena = arena,
	                .rows = ARENA_ARRAY(arena, unsigned, seen->ntrials),
	                .rest = ARENA_ARRAY(arena, double, seen->ntrials)};
	*m = (struct model){.n = 0};
	find_aside(seen, cell, m->aside);
	for (unsigned t = 0; t < seen->ntrials; t++)
		if (counts(seen, t, cell) &&
		    !is_aside(m, seen->space, &seen->sets[seen->set_of[t]])) {
			f.rest[f.n] = gain_of(seen, t, cell);
			f.rows[f.n++] = t;
		}
	terms_find(&f);
	f.columns = ARENA_ARRAY(arena, double, ((size_t)f.nterms + 1) * f.n);
	for (unsigned t = 0; t < f.nterms; t++)
		for (unsigned i = 0; i < f.n; i++)
			f.columns[(size_t)t * f.n + i] = row_has(&f, i, &f.terms[t]);
	if (f.n)
		choose_terms(&f, cell, m);
	arena_release(arena, mark);
}

static double predict(const struct searcher *s, unsigned cell, const struct search_set *set)
{
	const struct model *m = &s->models[cell];
	double sum = 0;
	if (is_aside(m, s->seen->space, set))
		return -MOST_LOSS;
	for (unsigned i = 0; i < m->n; i++) {
		const struct effect *e = &m->effects[i];
		unsigned held = 0;
		for (unsigned t = e->first; t < e->first + e->n; t++)
			held += has(&m->terms[t], set);
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
					if (is > most) {
						most = is;
						best = one;
					}
				}
	bool better = !search_set_equal(&best, set);
	*set = best;
	return better;
}

/* The place among the first n of the pool that an aim likes best of those that are not taken;
 * n: none. */
static unsigned best_of(const struct searcher *s, unsigned aim, const bool *taken, unsigned n)
{
	unsigned best = n;
	double most = -INFINITY;
	for (unsigned i = 0; i < n; i++) {
		int place = place_of(s, &s->pool[i]);
		if (taken[i])
			continue;
		double is = score(s, aim, &s->pool[i], place);
		if (is > most) {
			most = is;
			best = i;
		}
	}
	return best;
}

/* Each pair alone that may be the cause of a gain. */
static void propose_pairs(struct searcher *s)
{
	for (unsigned c = 0; c < s->seen->ncells; c++)
		for (unsigned i = 0; i < s->models[c].n; i++) {
			const struct effect *e = &s->models[c].effects[i];
			for (unsigned t = e->first; t < e->first + e->n && e->log > 0; t++) {
				const struct term *term = &s->models[c].terms[t];
				struct search_set set = {{0}};
				set.level[term->key[0]] = term->level[0];
				if (term->pair)
					set.level[term->key[1]] = term->level[1];
				pool_add(s, &set);
			}
		}
}

/* From the default and from the best sets of each aim: sets that no change improves, and each of
 * the best with one setting fewer. */
static void propose(struct searcher *s)
{
	const unsigned nkeys = s->seen->space->nkeys, nmeasured = s->npool;
	bool *taken = ARENA_ARRAY(s->arena, bool, nmeasured);
	for (unsigned i = 0; i < (AIM_CELL + s->seen->ncells) * (STARTS + 1); i++) {
		const unsigned aim = i / (STARTS + 1), start = i % (STARTS + 1);
		struct search_set set = {{0}};
		if (!start)
			memset(taken, 0, nmeasured);
		unsigned best = start ? best_of(s, aim, taken, nmeasured) : nmeasured;
		if (best < nmeasured) {
			taken[best] = true;
			set = s->pool[best];
		}
		for (unsigned k = 0; k < nkeys && start == 1; k++) {
			struct search_set less = set;
			less.level[k] = 0;
			pool_add(s, &less);
		}
		for (unsigned steps = 0; steps < nkeys && improve(s, aim, &set); steps++)
			continue;
		pool_add(s, &set);
	}
	propose_pairs(s);
}

static struct searcher searcher_make(const struct candidates_seen *seen, struct arena *arena)
{
	struct searcher s = {
	    .seen = seen,
	    .arena = arena,
	    .models = ARENA_ARRAY(arena, struct model, seen->ncells),
	    .trials_of = ARENA_ARRAY(arena, unsigned, (size_t)seen->nsets * seen->ncells),
	    .mean = ARENA_ARRAY(arena, double, (size_t)seen->nsets * seen->ncells)};
	for (unsigned c = 0; c < seen->ncells; c++)
		model_fit(arena, seen, c, &s.models[c]);
	for (unsigned t = 0; t < seen->ntrials; t++)
		for (unsigned c = 0; c < seen->ncells; c++) {
			const unsigned at = seen->set_of[t] * seen->ncells + c;
			if (counts(seen, t, c))
				s.mean[at] +=
				    (gain_of(seen, t, c) - s.mean[at]) / ++s.trials_of[at];
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
			left[t] = counts(seen, t, c) && !is_aside(&s.models[c], seen->space, set)
			              ? gain_of(seen, t, c) - predict(&s, c, set)
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

/* Of the pool's first `among` those that add most in their turn, and `least` at least: in one cell, if
 * that is what they are for. Of equals the one that loses least. */
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

/* Takes what brings nothing from a set, neither speed nor memory. */
static void drop_settings(const struct searcher *s, const struct search_set *as,
                          struct search_set *set)
{
	const struct candidates_seen *seen = s->seen;
	for (unsigned k = 0; k < seen->space->nkeys; k++) {
		struct search_set less = *set;
		less.level[k] = 0;
		if (set->level[k] &&
		    !(memory_of_set(s, &less) > memory_of_set(s, set) + SAME_MEMORY) &&
		    is_as_good(s, &less, set, seen->margin / 2) &&
		    is_as_good(s, &less, as, seen->margin))
			*set = less;
	}
}

/* In place of the set one that is as good without some of its settings, or with less memory: until
 * nothing is left to take. One that was not measured takes no more than what it was part of. */
static void prune(const struct searcher *s, struct search_set *set)
{
	const struct candidates_seen *seen = s->seen;
	const struct search_set as = *set;
	double least = memory_of_set(s, set);
	for (bool swapped = true; swapped;) {
		drop_settings(s, &as, set);
		swapped = false;
		least = fmin(least, memory_of_set(s, set));
		for (unsigned i = 0; seen->memory && i < seen->nsets; i++)
			if (seen->memory[i] < least - SAME_MEMORY &&
			    is_as_good(s, &seen->sets[i], &as, seen->margin)) {
				*set = seen->sets[i];
				least = seen->memory[i];
				swapped = true;
			}
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

/* The finalists so far, and each without one of its settings in turn; nothing where none has two. */
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

double candidates_best(const struct candidates_seen *seen, unsigned key, unsigned value,
                       unsigned cell)
{
	double best = NAN;
	for (unsigned t = 0; t < seen->ntrials; t++)
		if (seen->sets[seen->set_of[t]].level[key] == value && counts(seen, t, cell))
			best = fmax(best, seen->gains[t * seen->ncells + cell]);
	return best;
}
