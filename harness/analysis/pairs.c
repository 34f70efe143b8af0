#include "pairs.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "summary_parts.h"

struct place {
	unsigned group, size;
};

static bool same_cell(const struct summary *s, struct place at, const struct record_cell *c)
{
	const struct summary_group *g = &s->groups[at.group];
	return c->cell.bytes == g->bytes[at.size] && c->nranks == g->nranks &&
	       summary_same_group(&c->cell, &g->cell);
}

static double counter_in(const struct summary *s, enum metric metric, unsigned variant,
                         struct place at, unsigned block)
{
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (c->cell.pass == PASS_COUNTERS && !c->error[0] && c->block == block &&
		    !strcmp(c->variant, s->variants[variant].name) && same_cell(s, at, c))
			return pairs_counter(c, metric);
	}
	return NAN;
}

/* A metric of a timed cell; NaN where there is none. */
static double timed_in(const struct summary *s, enum metric metric, unsigned variant,
                       struct place at, unsigned block)
{
	size_t bytes = s->groups[at.group].bytes[at.size];
	const struct summary_row *row = summary_find(s, variant, at.group, bytes);
	for (unsigned i = 0; row && i < row->ntrials; i++) {
		const struct summary_trial *t = &row->trials[i];
		if (t->block != block)
			continue;
		if (metric == METRIC_LAUNCH)
			return t->launch_ns;
		if (metric != METRIC_BUSBW)
			return t->time_ns;
		return row->carries_data ? coll_busbw(row->cell.coll, row->cell.comm_ranks,
		                                      bytes, t->time_ns * 1e-9)
		                         : NAN;
	}
	return NAN;
}

/* The log of a metric, or NaN: what is not positive has none. */
static double log_in(const struct summary *s, enum metric metric, unsigned variant,
                     struct place at, unsigned block)
{
	double x = metric_info(metric)->counters ? counter_in(s, metric, variant, at, block)
	                                         : timed_in(s, metric, variant, at, block);
	return x > 0 && isfinite(x) ? log(x) : NAN;
}

static unsigned count_blocks(const struct summary *s)
{
	unsigned end = 0;
	for (unsigned i = 0; i < s->run->ncells; i++)
		if (s->run->cells[i].block >= end)
			end = s->run->cells[i].block + 1;
	return end;
}

/* The pace that is meant: launch is of isolated calls where there are any. */
static int pace_of(const struct summary *s, enum metric metric,
                   const struct pairs_select *select)
{
	int pace = select->pace == CLAIM_ANY_PACE ? metric_info(metric)->pace : select->pace;
	for (unsigned g = 0; pace == CLAIM_ANY_PACE && metric == METRIC_LAUNCH; g++) {
		if (g == s->ngroups)
			return PACE_STREAM;
		if (s->groups[g].cell.pace == PACE_ISOLATED)
			return PACE_ISOLATED;
	}
	return pace;
}

static bool selected(const struct summary_group *g, unsigned size, int pace,
                     const struct pairs_select *select)
{
	size_t asked = g->asked_bytes[size];
	return (pace == CLAIM_ANY_PACE || (int)g->cell.pace == pace) &&
	       (select->coll == CLAIM_ANY_COLL ? g->cell.coll != COLL_INIT
	                                       : (int)g->cell.coll == select->coll) &&
	       asked >= select->bytes.lo && asked <= select->bytes.hi;
}

/* What pairs are made from. */
struct maker {
	const struct summary *s;
	enum metric metric;
	const struct pairs_select *select;
	const unsigned *variants;
	unsigned nvariants, nblocks;
	unsigned nplaces, nselected; /* nselected: with those that not all variants have */
	struct place *places;
};

/* Whether every variant has the cell in some block. */
static bool all_have(const struct maker *m, struct place at)
{
	for (unsigned i = 0; i < m->nvariants; i++) {
		bool has = false;
		for (unsigned b = 0; b < m->nblocks && !has; b++)
			has = !isnan(log_in(m->s, m->metric, m->variants[i], at, b));
		if (!has)
			return false;
	}
	return true;
}

static int places_find(struct maker *m)
{
	int pace = pace_of(m->s, m->metric, m->select);
	size_t most = 1;
	for (unsigned g = 0; g < m->s->ngroups; g++)
		most += m->s->groups[g].nsizes;
	m->places = calloc(most, sizeof *m->places);
	if (!m->places)
		return -1;
	for (unsigned g = 0; g < m->s->ngroups; g++)
		for (unsigned i = 0; i < m->s->groups[g].nsizes; i++) {
			if (summary_is_limit(m->s, &m->s->groups[g]) ||
			    !selected(&m->s->groups[g], i, pace, m->select))
				continue;
			m->nselected++;
			if (all_have(m, (struct place){g, i}))
				m->places[m->nplaces++] = (struct place){g, i};
		}
	return 0;
}

/* The mean log over the places, NaN when one is missing. */
static double level_of(const struct maker *m, unsigned variant, unsigned block)
{
	double sum = 0;
	for (unsigned i = 0; i < m->nplaces; i++)
		sum += log_in(m->s, m->metric, variant, m->places[i], block);
	return sum / m->nplaces;
}

/* Fills the levels of the blocks that hold everything. They are laid out by block first, as it
 * is not known yet how many there are, and turned round after. */
static int levels_fill(const struct maker *m, struct pairs *p)
{
	size_t n = m->nvariants, most = n * (m->nblocks ? m->nblocks : 1);
	double *by_block = malloc(most * sizeof *by_block);
	p->levels = malloc(most * sizeof *p->levels);
	if (!by_block || !p->levels) {
		free(by_block);
		return -1;
	}
	for (unsigned b = 0; b < m->nblocks && m->nplaces; b++) {
		bool whole = true;
		double *levels = by_block + n * p->nblocks;
		for (unsigned i = 0; i < n && whole; i++) {
			levels[i] = level_of(m, m->variants[i], b);
			whole = !isnan(levels[i]);
		}
		p->nblocks += whole;
	}
	for (unsigned b = 0; b < p->nblocks; b++)
		for (unsigned i = 0; i < n; i++)
			p->levels[i * p->nblocks + b] = by_block[b * n + i];
	free(by_block);
	return 0;
}

static void range_text(struct claim_range range, char *text, size_t bytes)
{
	char lo[32], hi[32];
	coll_size_label(range.lo, lo, sizeof lo);
	coll_size_label(range.hi, hi, sizeof hi);
	if (range.hi == SIZE_MAX)
		snprintf(text, bytes, "from %s up", range.lo ? lo : "the smallest");
	else
		snprintf(text, bytes, "from %s to %s", lo, hi);
}

static void say_why(const struct maker *m, struct pairs *p)
{
	char range[80];
	range_text(m->select->bytes, range, sizeof range);
	if (m->nplaces)
		snprintf(p->why, sizeof p->why,
		         "no block holds all of its cells in each of the variants");
	else if (m->nselected && metric_info(m->metric)->counters)
		pairs_no_counters(m->s, m->metric, m->variants, m->nvariants, p->why,
		                  sizeof p->why);
	else if (m->nselected && m->metric == METRIC_BUSBW && !m->s->carries_data)
		snprintf(p->why, sizeof p->why, "this backend carries no data");
	else
		snprintf(p->why, sizeof p->why, "no cell of it was measured here (sizes %s)",
		         range);
}

static struct claim_range sizes_of(const struct maker *m)
{
	struct claim_range range = {m->nplaces ? SIZE_MAX : 0, 0};
	for (unsigned i = 0; i < m->nplaces; i++) {
		struct place at = m->places[i];
		size_t asked = m->s->groups[at.group].asked_bytes[at.size];
		range.lo = asked < range.lo ? asked : range.lo;
		range.hi = asked > range.hi ? asked : range.hi;
	}
	return range;
}

int pairs_make(const struct summary *s, enum metric metric, const struct pairs_select *select,
               const unsigned *variants, unsigned n, struct pairs *out, struct status *st)
{
	struct maker m = {.s = s,
	                  .metric = metric,
	                  .select = select,
	                  .variants = variants,
	                  .nvariants = n,
	                  .nblocks = count_blocks(s)};
	struct pairs p = {.nvariants = n};
	if (places_find(&m) || levels_fill(&m, &p)) {
		free(m.places);
		free(p.levels);
		return status_set(st, "out of memory for comparing variants");
	}
	p.ncells = m.nplaces;
	p.sizes = sizes_of(&m);
	if (!p.nblocks)
		say_why(&m, &p);
	free(m.places);
	*out = p;
	return 0;
}
