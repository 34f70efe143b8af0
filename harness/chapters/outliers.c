/* Trials far from their variant's others, a slow first block, and times that drift: the tables
 * far_trial, slow_start and drift. */
#include "figures.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Standard deviations, as 1.4826 × the median absolute deviation (right for normal noise), and how
 * far a trial has to be off to matter at all. */
#define FAR       5.0
#define FAR_LEAST 0.05
/* A whole block may be off by less, and a drift by half of what a verdict ignores. */
#define BLOCK_LEAST 0.02
#define DRIFT_LEAST 0.01
#define DRIFT_P     0.01

/* One trial compared with the others of its variant. */
struct trial_number {
	unsigned variant, block, order;
	/* The mean over the group's sizes of log(time ÷ the variant's median time): 0.02 is 2 %
	 * slower than usual for its variant. */
	double log_time;
};

static int by_order(const void *left, const void *right)
{
	const struct trial_number *a = left, *b = right;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

struct found {
	const struct trial_number *number;
	double off;
	unsigned of; /* trials of its variant */
};

/* The data of one group: its trials, limits omitted, in the order in which they ran; x and
 * found have room for one of each. */
struct look {
	const struct summary *s;
	unsigned group, n;
	struct trial_number *list;
	double *x;
	struct found *found;
	struct arena *arena;
	struct db *db;
};

static void numbers_take(struct look *l)
{
	const struct summary *s = l->s;
	for (unsigned i = 0; i < s->nvariants * s->index.nblocks; i++) {
		struct trial_number one = {.variant = i / s->index.nblocks};
		unsigned sizes = 0, first = index_place(s, l->group, 0);
		if (s->variants[one.variant].role == ROLE_LIMIT)
			continue;
		for (unsigned at = first; at < first + s->groups[l->group].nsizes; at++) {
			const struct summary_trial *t =
			    index_timed(s, one.variant, at, i % s->index.nblocks);
			if (!t)
				continue;
			one.block = t->block;
			one.order = t->order;
			one.log_time +=
			    log(t->time_ns / 1000 / index_row(s, one.variant, at)->time_us);
			sizes++;
		}
		one.log_time /= sizes;
		if (sizes)
			l->list[l->n++] = one;
	}
	qsort(l->list, l->n, sizeof *l->list, by_order);
}

static double percent(double log_time)
{
	return 100 * expm1(log_time);
}

/* Median and spread of n values, which are lost. */
static void spread(double *x, unsigned n, double *median, double *deviation)
{
	*median = stats_median(x, n);
	for (unsigned i = 0; i < n; i++)
		x[i] = fabs(x[i] - *median);
	*deviation = 1.4826 * stats_median(x, n);
}

/* Copies the numbers of one variant into x, in order (UINT_MAX: of all). */
static unsigned of_variant(const struct look *l, unsigned variant)
{
	unsigned k = 0;
	for (unsigned i = 0; i < l->n; i++)
		if (variant == UINT_MAX || l->list[i].variant == variant)
			l->x[k++] = l->list[i].log_time;
	return k;
}

static int by_distance(const void *left, const void *right)
{
	const struct found *a = left, *b = right;
	return fabs(a->off) > fabs(b->off) ? -1 : fabs(a->off) < fabs(b->off);
}

/* How often the ranks of a variant lost their core in a block, in the timed calls of a size. */
static unsigned long long switches_in(const struct look *l, unsigned variant, size_t asked,
                                      unsigned block)
{
	const struct summary *s = l->s;
	unsigned long long sum = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (c->block == block && c->cell.pass == PASS_TIMED &&
		    s->index.variant_of[i] == variant && c->cell.asked_bytes == asked &&
		    index_same_group(&c->cell, &s->groups[l->group].cell))
			sum += c->switches;
	}
	return sum;
}

/* The first size at which a trial's ranks lost their core more often than in the variant's other
 * trials, which goes with its slowness, and may be its cause. false: there is none. */
static bool find_switches(const struct look *l, const struct trial_number *of, size_t *size,
                          unsigned long long *own, unsigned long long *most)
{
	const struct summary *s = l->s;
	const struct summary_group *g = &s->groups[l->group];
	for (unsigned k = 0; k < g->nsizes; k++) {
		*size = g->asked_bytes[k];
		*own = switches_in(l, of->variant, *size, of->block);
		*most = 0;
		for (unsigned b = 0; b < s->index.nblocks; b++) {
			const unsigned block = s->index.blocks[b];
			const unsigned long long other =
			    block == of->block ? 0 : switches_in(l, of->variant, *size, block);
			*most = other > *most ? other : *most;
		}
		if (*own >= 2 * *most + 2)
			return true;
	}
	return false;
}

static void put_far(const struct look *l, const struct found *f)
{
	const struct trial_number *of = f->number;
	unsigned long long own, most;
	size_t size;
	db_add(l->db, "far_trial", "iiiiiid", l->group, of->variant, of->block, of->order,
	       of->order == l->list[0].order, stats_withstands(f->of, l->s->looks.confidence),
	       expm1(f->off));
	if (f->off > 0 && find_switches(l, of, &size, &own, &most))
		db_add(l->db, "lost_core", "iiilll", l->group, of->variant, of->block, size, own,
		       most);
}

/* Trials far from their variant's others. `skip`: a block that is already named, or UINT_MAX. */
static void find_far(const struct look *l, unsigned skip)
{
	const struct summary *s = l->s;
	struct found *found = l->found;
	unsigned count = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		double median, deviation;
		unsigned k = of_variant(l, v);
		if (k < STATS_MIN_BLOCKS)
			continue;
		spread(l->x, k, &median, &deviation);
		for (unsigned i = 0; i < l->n; i++) {
			double off = l->list[i].log_time - median;
			if (l->list[i].variant == v && l->list[i].block != skip &&
			    fabs(off) > FAR * deviation && fabs(percent(off)) > 100 * FAR_LEAST)
				found[count++] = (struct found){&l->list[i], off, k};
		}
	}
	qsort(found, count, sizeof *found, by_distance);
	for (unsigned i = 0; i < count; i++)
		put_far(l, &found[i]);
}

/* The mean over a block's trials; NaN unless the block's first trial is the i-th. */
static double block_mean(const struct look *l, unsigned i)
{
	double sum = 0;
	unsigned k = 0;
	for (unsigned j = 0; j < l->n; j++) {
		if (l->list[j].block != l->list[i].block)
			continue;
		if (j < i)
			return NAN;
		sum += l->list[j].log_time;
		k++;
	}
	return sum / k;
}

/* Compares the first block with the others. Returns its number if it is off, else UINT_MAX. */
static unsigned find_slow_start(const struct look *l)
{
	unsigned blocks = 0;
	double rest, deviation;
	for (unsigned i = 1; i < l->n; i++) {
		double mean = block_mean(l, i);
		if (!isnan(mean))
			l->x[blocks++] = mean;
	}
	if (blocks + 1 < STATS_MIN_BLOCKS)
		return UINT_MAX;
	spread(l->x, blocks, &rest, &deviation);
	double off = block_mean(l, 0) - rest;
	if (!(off > FAR * deviation && percent(off) > 100 * BLOCK_LEAST))
		return UINT_MAX;
	db_add(l->db, "slow_start", "id", l->group, expm1(off));
	return l->list[0].block;
}

/* The trend of n values over the run; false if there is none worth reporting. */
static bool drifts(struct arena *arena, const double *x, unsigned n, double p, double least,
                   double *total)
{
	if (n < STATS_MIN_BLOCKS || !(stats_trend_probability(x, n) < p))
		return false;
	*total = stats_trend_slope(arena, x, n) * (n - 1);
	return fabs(percent(*total)) > 100 * least;
}

static void find_drift(const struct look *l)
{
	const struct summary *s = l->s;
	unsigned k = of_variant(l, UINT_MAX);
	double total;
	if (drifts(l->arena, l->x, k, DRIFT_P / s->ngroups, DRIFT_LEAST, &total)) {
		db_add(l->db, "drift", "iiid", l->group, DB_NONE, k, expm1(total));
		return;
	}
	for (unsigned v = 0; v < s->nvariants; v++) {
		k = of_variant(l, v);
		if (drifts(l->arena, l->x, k, DRIFT_P / (s->ngroups * s->nvariants),
		           2 * DRIFT_LEAST, &total))
			db_add(l->db, "drift", "iiid", l->group, v, k, expm1(total));
	}
}

void outliers_put(const struct summary *s, struct arena *arena, struct db *db)
{
	const size_t most = (size_t)s->nvariants * s->index.nblocks + 1;
	struct look l = {.s = s,
	                 .arena = arena,
	                 .db = db,
	                 .list = ARENA_ARRAY(arena, struct trial_number, most),
	                 .x = ARENA_ARRAY(arena, double, most),
	                 .found = ARENA_ARRAY(arena, struct found, most)};
	for (; l.group < s->ngroups; l.group++) {
		l.n = 0;
		if (!s->groups[l.group].limit)
			numbers_take(&l);
		if (!l.n)
			continue;
		find_far(&l, find_slow_start(&l));
		find_drift(&l);
	}
}
