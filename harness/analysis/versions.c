/* What the figures of the variants of each version come to. */
#include "versions_parts.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_FROM ((size_t)16 << 20)

const char *versions_mode_name(enum versions_mode mode)
{
	static const char *const names[] = {"threads", "processes", "single"};
	return names[mode];
}

/* What one collective is made from. */
struct maker {
	const struct summary *s;
	const struct proof *proof;
	const struct versions_pick *picks;
	unsigned nmodes, nrows;
	struct claim_range range;
};

static bool is_large(const struct summary *s)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; i < s->groups[g].nsizes; i++)
			if (s->groups[g].cell.pace == PACE_STREAM &&
			    !summary_is_limit(s, &s->groups[g]) &&
			    s->groups[g].asked_bytes[i] >= LARGE_FROM)
				return true;
	return false;
}

static struct claim_range range_of(const struct summary *s, const struct gap *gap)
{
	if (gap->from[0])
		return gap->bytes;
	return (struct claim_range){is_large(s) ? LARGE_FROM : 0, SIZE_MAX};
}

/* At the largest size that was read with counters. */
static double dram_of(const struct maker *m, unsigned variant, enum coll_kind coll)
{
	double dram = NAN;
	size_t largest = 0;
	for (unsigned i = 0; i < m->proof->nrows; i++) {
		const struct proof_row *row = &m->proof->rows[i];
		const struct summary_group *g = &m->s->groups[row->group];
		if (row->variant != variant || g->cell.coll != coll ||
		    g->bytes[row->size] <= largest || isnan(row->dram_per_nvlink))
			continue;
		largest = g->bytes[row->size];
		dram = row->dram_per_nvlink;
	}
	return dram;
}

/* `at`: the variant's place among the pairs'. */
static int side_fill(const struct maker *m, const struct pairs *p, enum coll_kind coll,
                     unsigned at, struct versions_side *side)
{
	unsigned variant = m->picks[at / m->nmodes].variants[at % m->nmodes];
	double *gbs = malloc((p->nblocks ? p->nblocks : 1) * sizeof *gbs);
	if (!gbs)
		return -1;
	for (unsigned b = 0; b < p->nblocks; b++)
		gbs[b] = exp(p->levels[at * p->nblocks + b]);
	*side = (struct versions_side){
	    .variant = variant,
	    .name = m->s->variants[variant].name,
	    .gbs = exp(pairs_level(p, at)),
	    .lo = stats_quantile(gbs, p->nblocks, 0.25),
	    .hi = stats_quantile(gbs, p->nblocks, 0.75),
	    .data_path = m->proof->paths[variant].data_path,
	    .dram_per_nvlink = dram_of(m, variant, coll),
	    .change = at < m->nmodes
	                  ? verdict_make(NULL, 0, m->s->margin)
	                  : verdict_of(pairs_ratio(p, at, at - m->nmodes), m->s->margin)};
	free(gbs);
	return 0;
}

static int rows_fill(const struct maker *m, const struct pairs *p, struct versions_coll *c)
{
	c->rows = calloc(m->nrows, sizeof *c->rows);
	if (!c->rows)
		return -1;
	for (unsigned i = 0; i < m->nrows; i++) {
		unsigned at = i * m->nmodes;
		c->rows[i].version = m->picks[i].version;
		c->rows[i].verdict =
		    verdict_of(pairs_ratio(p, at + VERSIONS_PROCESSES, at + VERSIONS_THREADS),
		               m->s->margin);
		for (unsigned mode = 0; mode < m->nmodes; mode++)
			if (side_fill(m, p, c->coll, at + mode, &c->rows[i].sides[mode]))
				return -1;
	}
	return 0;
}

/* The sizes that the range holds. False: the collective was not measured as a stream. */
static bool sizes_find(const struct maker *m, struct versions_coll *c)
{
	bool streams = false;
	for (unsigned g = 0; g < m->s->ngroups; g++) {
		const struct summary_group *group = &m->s->groups[g];
		if (group->cell.coll != c->coll || group->cell.pace != PACE_STREAM ||
		    summary_is_limit(m->s, group))
			continue;
		streams = true;
		c->nranks = group->nranks;
		for (unsigned i = 0; i < group->nsizes; i++) {
			size_t asked = group->asked_bytes[i];
			if (asked < m->range.lo || asked > m->range.hi)
				continue;
			c->lo = !c->hi || asked < c->lo ? asked : c->lo;
			c->hi = asked > c->hi ? asked : c->hi;
		}
	}
	return streams;
}

static int coll_make(const struct maker *m, struct versions_coll *c, struct status *st)
{
	const struct pairs_select select = {m->range, PACE_STREAM, (int)c->coll};
	unsigned n = m->nrows * m->nmodes, *variants = malloc(n * sizeof *variants);
	struct pairs p = {0};
	if (!variants)
		return status_set(st, "out of memory for comparing versions");
	for (unsigned i = 0; i < n; i++)
		variants[i] = m->picks[i / m->nmodes].variants[i % m->nmodes];
	int rc = pairs_make(m->s, METRIC_BUSBW, &select, variants, n, &p, st);
	free(variants);
	if (rc)
		return -1;
	c->ncells = p.ncells;
	c->nblocks = p.nblocks;
	memcpy(c->why, p.why, sizeof c->why);
	if (rows_fill(m, &p, c))
		rc = status_set(st, "out of memory for comparing versions");
	pairs_free(&p);
	return rc;
}

static int colls_make(const struct maker *m, struct versions *v, struct status *st)
{
	for (unsigned kind = 0; kind < COLL_KINDS; kind++) {
		struct versions_coll *c = &v->colls[v->ncolls];
		*c = (struct versions_coll){.coll = (enum coll_kind)kind};
		if (!sizes_find(m, c))
			continue;
		v->ncolls++;
		if (coll_make(m, c, st))
			return -1;
	}
	return 0;
}

int versions_make(const struct summary *s, const struct gap *gap, const struct proof *proof,
                  struct versions *out, struct status *st)
{
	struct versions_pick *picks = calloc(s->nvariants + 1, sizeof *picks);
	struct versions v = {.nrows = 0};
	int rc = -1;
	if (!picks || (s->carries_data && !s->trouble[0] &&
	               versions_pick(s, picks, &v.nrows, v.missing, sizeof v.missing))) {
		status_set(st, "out of memory for comparing versions");
		goto done;
	}
	bool single = true;
	for (unsigned i = 0; i < v.nrows; i++)
		single &= picks[i].variants[VERSIONS_SINGLE] != VERSIONS_NONE;
	v.nmodes = single ? VERSIONS_MODES : VERSIONS_SINGLE;
	const struct maker m = {s, proof, picks, v.nmodes, v.nrows, range_of(s, gap)};
	rc = v.nrows ? colls_make(&m, &v, st) : 0;
done:
	free(picks);
	if (rc)
		versions_free(&v);
	else
		*out = v;
	return rc;
}

void versions_free(struct versions *v)
{
	for (unsigned i = 0; i < v->ncolls; i++)
		free(v->colls[i].rows);
	*v = (struct versions){0};
}
