#include "effects.h"

#include <math.h>

#include "../arena.h"

#define ALWAYS   0.20  /* a value with which every set loses so much is set aside */
#define LEAST_SD 0.002 /* no model is more exact than jobs repeat */

bool effects_has(const struct effects_term *t, const struct search_set *set)
{
	return set->level[t->key[0]] == t->level[0] &&
	       (!t->pair || set->level[t->key[1]] == t->level[1]);
}

double effects_gain(const struct candidates_seen *seen, unsigned trial, unsigned cell)
{
	return fmax(seen->gains[trial * seen->ncells + cell], -EFFECTS_MOST_LOSS);
}

bool effects_counts(const struct candidates_seen *seen, unsigned trial, unsigned cell)
{
	return !isnan(seen->gains[trial * seen->ncells + cell]) && !seen->bad[seen->set_of[trial]];
}

/* The best gain of the sets that hold a value, of at least three trials, or one of the value alone;
 * else +∞. cell: ncells is the best one. */
static double most_of(const struct candidates_seen *seen, unsigned cell, unsigned key,
                      unsigned value)
{
	double most = -INFINITY;
	unsigned n = 0;
	for (unsigned t = 0; t < seen->ntrials; t++) {
		const struct search_set *set = &seen->sets[seen->set_of[t]];
		bool any = false;
		for (unsigned c = 0; c < seen->ncells && set->level[key] == value; c++)
			if ((cell == c || cell == seen->ncells) && effects_counts(seen, t, c)) {
				most = fmax(most, effects_gain(seen, t, c));
				any = true;
			}
		n += !any ? 0 : search_set_size(seen->space, set) == 1 ? 3 : 1;
	}
	return n >= 3 ? most : INFINITY;
}

void effects_find_aside(const struct candidates_seen *seen, unsigned cell, effects_flags aside)
{
	memset(aside, 0, sizeof(effects_flags));
	for (unsigned k = 0; k < seen->space->nkeys; k++)
		for (unsigned v = 1; v < seen->space->keys[k].nvalues; v++)
			aside[k][v] = most_of(seen, cell, k, v) < -ALWAYS;
}

bool effects_is_aside(const struct effects *m, const struct search_space *space,
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
	unsigned *rows;             /* trials */
	struct effects_term *terms; /* all that a row has */
	double *columns;            /* [term * n + row], less what the chosen ones explain */
	double *rest;               /* of the gains */
};

static bool row_has(const struct fit *f, unsigned row, const struct effects_term *t)
{
	return effects_has(t, &f->seen->sets[f->seen->set_of[f->rows[row]]]);
}

static void term_add(struct fit *f, struct effects_term t)
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
			struct effects_term one = {.key = {(unsigned char)a},
			                           .level = {(unsigned char)x}};
			term_add(f, one);
			for (unsigned b = a + 1; b < s->nkeys; b++)
				for (unsigned y = 1; y < s->keys[b].nvalues; y++) {
					struct effects_term two = {
					    {(unsigned char)a, (unsigned char)b},
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
static void solve(const struct fit *f, unsigned cell, struct effects *m)
{
	double a[EFFECTS_MOST][EFFECTS_MOST + 1] = {{0}};
	for (unsigned i = 0; i < f->n; i++) {
		double y = effects_gain(f->seen, f->rows[i], cell);
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
static void effect_add(const struct fit *f, unsigned term, struct effects *m)
{
	struct effects_one *e = &m->effects[m->n++];
	*e = (struct effects_one){.first = m->nterms};
	for (unsigned t = 0; t < f->nterms && m->nterms < EFFECTS_EQUAL; t++) {
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
static void choose_terms(struct fit *f, unsigned cell, struct effects *m)
{
	double rss = dot(f->rest, f->rest, f->n), explains;
	const double n = f->n, least_rss = n * LEAST_SD * LEAST_SD;
	const double dearer = log(n) + 2 * log(f->nterms + 1.0);
	double least = n * log(rss + least_rss);
	unsigned kept = 0;
	while (m->n < EFFECTS_MOST && m->n < f->n / 3 && m->nterms < EFFECTS_EQUAL) {
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

void effects_fit(struct arena *arena, const struct candidates_seen *seen, unsigned cell,
                 struct effects *m)
{
	const struct arena_mark mark = arena_mark(arena);
	struct fit f = {.seen = seen,
	                .arena = arena,
	                .rows = ARENA_ARRAY(arena, unsigned, seen->ntrials),
	                .rest = ARENA_ARRAY(arena, double, seen->ntrials)};
	*m = (struct effects){.n = 0};
	effects_find_aside(seen, cell, m->aside);
	for (unsigned t = 0; t < seen->ntrials; t++)
		if (effects_counts(seen, t, cell) &&
		    !effects_is_aside(m, seen->space, &seen->sets[seen->set_of[t]])) {
			f.rest[f.n] = effects_gain(seen, t, cell);
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
