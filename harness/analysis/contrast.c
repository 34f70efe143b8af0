#include "contrast.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../arena.h"
#include "measure.h"

bool contrast_is_time(enum metric metric)
{
	return !strcmp(metric_info(metric)->unit, "µs");
}

/* The input of a contrast. */
struct maker {
	const struct summary *s;
	enum metric metric;
	const struct contrast_select *select;
	bool pooled; /* the twin counts as a second trial of the reference */
	bool across; /* variants have different ranks, and each its own place */
	unsigned nvariants, nplaces, nselected; /* nselected: with those that some variants lack */
	unsigned *variants;                     /* left, right, and those of select->with */
	unsigned *places;                       /* [place * nvariants + nth of the variants] */
	unsigned *blocks;     /* those that hold everything, by their number in the record */
	size_t *asked;        /* sizes of the places */
	double *left, *right; /* the mean logs, per block that holds everything */
	double *logs;  /* left less right, a block; of two trials of the reference the mean */
	double *to[2]; /* the same, to the reference's first trial and to its second */
	unsigned nblocks;
};

/* Any cell of a trial: each has the facts of all its workers. */
static const struct record_cell *trial_cell(const struct summary *s, unsigned order)
{
	for (unsigned i = 0; i < s->run->ncells; i++)
		if (s->run->cells[i].order == order && !s->run->cells[i].error[0])
			return &s->run->cells[i];
	return NULL;
}

/* The log of a metric in one trial, or NaN: a value that is not positive has no log. */
static double log_of(const struct maker *m, unsigned variant, unsigned place, unsigned block)
{
	const struct summary *s = m->s;
	double x = NAN;
	if (metric_info(m->metric)->whole) {
		const struct summary_trial *t = index_timed(s, variant, place, block);
		const struct record_cell *c = t ? trial_cell(s, t->order) : NULL;
		x = c ? measure_whole(c, m->metric) : NAN;
	} else if (metric_info(m->metric)->counters) {
		const struct record_cell *c = index_counted(s, variant, place, block);
		x = c ? measure_counter(s->arena, c, m->metric) : NAN;
	} else {
		const struct summary_trial *t = index_timed(s, variant, place, block);
		if (t)
			x = measure_timed(index_row(s, variant, place), t, m->metric);
	}
	return x > 0 && isfinite(x) ? log(x) : NAN;
}

/* The log of a metric in a block: of the reference in its nth trial of two, or the one that
 * exists. */
static double log_in(const struct maker *m, unsigned variant, unsigned place, unsigned block,
                     unsigned nth)
{
	if ((int)variant != m->s->reference || !m->pooled)
		return log_of(m, variant, place, block);
	const unsigned trials[] = {variant, (unsigned)m->s->twin};
	const double log = log_of(m, trials[nth], place, block);
	return isnan(log) ? log_of(m, trials[!nth], place, block) : log;
}

/* The pace to use: launch is of isolated calls if there are any. */
static int pace_of(const struct maker *m)
{
	int asked = m->select->pace;
	int pace = asked == CLAIM_ANY_PACE ? metric_info(m->metric)->pace : asked;
	if (pace != CLAIM_ANY_PACE || m->metric != METRIC_LAUNCH)
		return pace;
	for (unsigned g = 0; g < m->s->ngroups; g++)
		if (m->s->groups[g].cell.pace == PACE_ISOLATED)
			return PACE_ISOLATED;
	return PACE_STREAM;
}

static bool is_selected(const struct maker *m, const struct summary_group *g, int pace)
{
	const struct contrast_select *select = m->select;
	const enum coll_kind coll = g->cell.coll;
	if (g->limit || (select->group && g != select->group))
		return false;
	if (pace != CLAIM_ANY_PACE && (int)g->cell.pace != pace)
		return false;
	return select->coll == CLAIM_ANY_COLL ? coll != COLL_INIT && !index_is_part(m->s, coll)
	                                      : (int)coll == select->coll;
}

/* Whether every variant has its cell in some block. */
static bool all_have(const struct maker *m, const unsigned *places)
{
	for (unsigned i = 0; i < m->nvariants; i++) {
		bool has = false;
		for (unsigned b = 0; b < m->s->index.nblocks && !has; b++)
			has = places[i] != INDEX_NONE &&
			      !isnan(log_in(m, m->variants[i], places[i], b, 0));
		if (!has)
			return false;
	}
	return true;
}

/* The nth variant's place of a group's size. */
static unsigned place_of(const struct maker *m, unsigned nth, unsigned group, unsigned size)
{
	const struct summary_group *g = &m->s->groups[group];
	const bool other = m->select->across_colls && nth == 1;
	return index_place_on(m->s, group, size,
	                      m->across ? index_ranks(m->s, m->variants[nth]) : g->nranks,
	                      other ? m->select->right_coll : g->cell.coll);
}

/* Whether the variants have different numbers of ranks, and all are known. */
static bool ranks_differ(const struct maker *m)
{
	bool differ = false;
	for (unsigned i = 0; i < m->nvariants; i++) {
		const unsigned own = index_ranks(m->s, m->variants[i]);
		if (!own)
			return false;
		differ |= own != index_ranks(m->s, m->variants[0]);
	}
	return differ;
}

static void places_find(struct maker *m)
{
	const struct claim_range range = m->select->bytes;
	int pace = pace_of(m);
	for (unsigned g = 0; g < m->s->ngroups; g++) {
		const struct summary_group *group = &m->s->groups[g];
		for (unsigned i = 0; is_selected(m, group, pace) && i < group->nsizes; i++) {
			size_t asked = group->asked_bytes[i];
			unsigned *places = &m->places[(size_t)m->nplaces * m->nvariants];
			for (unsigned k = 0; k < m->nvariants; k++)
				places[k] = place_of(m, k, g, i);
			/* Across ranks a cell is found from the left one's group. */
			if (asked < range.lo || asked > range.hi ||
			    (m->across && places[0] != index_place(m->s, g, i)))
				continue;
			m->nselected++;
			if (!all_have(m, places))
				continue;
			m->asked[m->nplaces++] = asked;
			if (metric_info(m->metric)->whole) /* the others say the same */
				return;
		}
	}
}

/* The nth variant's mean log over its places, NaN when one is missing; in one trial of two. */
static double level_in(const struct maker *m, unsigned nth, unsigned block, unsigned trial)
{
	double sum = 0;
	for (unsigned i = 0; i < m->nplaces; i++)
		sum += log_in(m, m->variants[nth], m->places[i * m->nvariants + nth], block, trial);
	return sum / m->nplaces;
}

static double level_of(const struct maker *m, unsigned nth, unsigned block)
{
	return (level_in(m, nth, block, 0) + level_in(m, nth, block, 1)) / 2;
}

/* The levels of left and right in the blocks that hold everything. */
static void levels_find(struct maker *m)
{
	for (unsigned b = 0; b < m->s->index.nblocks && m->nplaces; b++) {
		bool whole = true;
		for (unsigned i = 0; i < m->nvariants && whole; i++)
			whole = !isnan(level_in(m, i, b, 0));
		if (!whole)
			continue;
		for (unsigned k = 0; k < 2; k++)
			m->to[k][m->nblocks] = level_in(m, 0, b, k) - level_in(m, 1, b, k);
		m->blocks[m->nblocks] = m->s->index.blocks[b];
		m->left[m->nblocks] = level_of(m, 0, b);
		m->right[m->nblocks] = level_of(m, 1, b);
		m->logs[m->nblocks] = m->left[m->nblocks] - m->right[m->nblocks];
		m->nblocks++;
	}
}

/* With its places. */
static void maker_begin(struct maker *m, unsigned left, unsigned right)
{
	const struct contrast_select *select = m->select;
	const size_t places = m->s->index.nplaces, blocks = m->s->index.nblocks;
	struct arena *arena = m->s->arena;
	m->nvariants = 2 + select->nwith;
	m->variants = ARENA_ARRAY(arena, unsigned, m->nvariants);
	m->places = ARENA_ARRAY(arena, unsigned, (places + 1) * m->nvariants);
	m->blocks = ARENA_ARRAY(arena, unsigned, blocks);
	m->asked = ARENA_ARRAY(arena, size_t, places);
	m->left = ARENA_ARRAY(arena, double, blocks);
	m->right = ARENA_ARRAY(arena, double, blocks);
	for (unsigned k = 0; k < 2; k++)
		m->to[k] = ARENA_ARRAY(arena, double, blocks);
	m->variants[0] = left;
	m->variants[1] = right;
	for (unsigned i = 0; i < select->nwith; i++)
		m->variants[2 + i] = select->with[i];
	m->pooled = m->s->twin >= 0;
	for (unsigned i = 0; i < m->nvariants; i++)
		m->pooled = m->pooled && (int)m->variants[i] != m->s->twin;
	m->across = select->across_ranks && ranks_differ(m);
	places_find(m);
}

static struct reason why_none(const struct maker *m)
{
	struct reason why = {
	    .kind = REASON_NO_CELL, .metric = m->metric, .range = m->select->bytes};
	if (m->nplaces)
		why.kind = REASON_NO_BLOCK;
	else if (m->nselected && metric_info(m->metric)->counters)
		return measure_missing(m->s, m->metric, m->variants, m->nvariants);
	else if (m->nselected && metric_info(m->metric)->whole)
		why.kind = REASON_NO_WORKER;
	else if (m->nselected && m->metric == METRIC_BUSBW && !m->s->carries_data)
		why.kind = REASON_NO_DATA;
	return why;
}

static struct claim_range sizes_of(const struct maker *m)
{
	struct claim_range range = {m->nplaces ? SIZE_MAX : 0, 0};
	for (unsigned i = 0; i < m->nplaces; i++) {
		range.lo = m->asked[i] < range.lo ? m->asked[i] : range.lo;
		range.hi = m->asked[i] > range.hi ? m->asked[i] : range.hi;
	}
	return range;
}

/* Converts the levels to values, and takes their quartiles. */
static struct contrast_side side_of(double *levels, unsigned nblocks)
{
	double sum = 0;
	for (unsigned b = 0; b < nblocks; b++) {
		sum += levels[b];
		levels[b] = exp(levels[b]);
	}
	return (struct contrast_side){.value = exp(sum / nblocks),
	                              .lo = stats_quantile(levels, nblocks, 0.25),
	                              .hi = stats_quantile(levels, nblocks, 0.75)};
}

static struct stats_ratio turned(struct stats_ratio r)
{
	double lo = 1 / r.hi;
	r.hi = 1 / r.lo;
	r.lo = lo;
	r.estimate = 1 / r.estimate;
	return r;
}

static struct verdict_odd turned_odd(struct verdict_odd odd)
{
	const double lo = 1 / odd.hi;
	odd.hi = 1 / odd.lo;
	odd.lo = lo;
	odd.ratio = 1 / odd.ratio;
	return odd;
}

/* The probabilities if the log ratio is `at`, made larger for the looks at the run, as they make the
 * interval wider. */
static struct stats_tails p_at(const struct stats_walsh *of, double at, double confidence)
{
	const double dearer = (1 - VERDICT_CONFIDENCE) / (1 - confidence);
	const struct stats_tails p = stats_signed_rank_tails(of, at);
	return (struct stats_tails){fmin(dearer * p.under, 1), fmin(dearer * p.over, 1)};
}

/* Of the first n of `to`: the reference, if it is one side, has two trials a block. */
static struct stats_walsh walsh_of(const struct maker *m, unsigned n)
{
	const bool both = m->pooled && ((int)m->variants[0] == m->s->reference ||
	                                (int)m->variants[1] == m->s->reference);
	return stats_walsh_of(m->s->arena, m->to[0], both ? m->to[1] : NULL, n);
}

/* Over the blocks that hold the cell, at the confidence of the whole. */
static struct stats_ratio ratio_at(const struct maker *m, unsigned place, double confidence)
{
	const unsigned *own = &m->places[(size_t)place * m->nvariants];
	unsigned n = 0;
	for (unsigned b = 0; b < m->s->index.nblocks; b++) {
		for (unsigned k = 0; k < 2; k++)
			m->to[k][n] = log_in(m, m->variants[0], own[0], b, k) -
			              log_in(m, m->variants[1], own[1], b, k);
		n += !isnan(m->to[0][n]);
	}
	const struct stats_walsh of = walsh_of(m, n);
	return stats_walsh_ratio(&of, confidence);
}

static void cells_find(const struct maker *m, double confidence, struct contrast *c)
{
	c->least = c->most = m->nplaces > 1 ? ratio_at(m, 0, confidence) : c->ratio;
	for (unsigned i = 1; i < m->nplaces; i++) {
		const struct stats_ratio r = ratio_at(m, i, confidence);
		c->least = r.estimate < c->least.estimate ? r : c->least;
		c->most = r.estimate > c->most.estimate ? r : c->most;
	}
}

bool contrast_opposed(const struct contrast *c)
{
	const double edge = 1 + c->verdict.margin;
	return c->least.hi * edge < 1 && c->most.lo > edge;
}

struct stats_interval contrast_by_cell(const struct contrast *c)
{
	const double x = c->verdict.ratio.estimate, lo = c->least.estimate, hi = c->most.estimate;
	return c->ncells < 2                 ? (struct stats_interval){x, NAN, NAN}
	       : contrast_is_time(c->metric) ? (struct stats_interval){x, 1 / hi, 1 / lo}
	                                     : (struct stats_interval){x, lo, hi};
}

/* Cells that go both ways are not averaged. */
static void oppose(struct contrast *c)
{
	const struct stats_interval cells = contrast_by_cell(c);
	c->verdict.kind = VERDICT_UNDECIDED;
	c->verdict.more_blocks = 0;
	c->verdict.least = cells.lo;
	c->verdict.most = cells.hi;
}

/* The ratio, the verdict, the odd block, the probabilities and both sides. */
static void judge(const struct maker *m, struct contrast *c)
{
	const struct stats_walsh of = walsh_of(m, m->nblocks);
	const double confidence = looks_confidence(&m->s->looks, m->blocks, m->nblocks);
	c->ratio = stats_walsh_ratio(&of, confidence);
	c->bounds = stats_walsh_ratio(&of, 2 * confidence - 1);
	c->odd = verdict_find_odd(m->s->arena, m->logs, m->blocks, &of, confidence);
	c->verdict =
	    verdict_of(contrast_is_time(m->metric) ? turned(c->ratio) : c->ratio, m->s->margin);
	c->verdict.odd = contrast_is_time(m->metric) ? turned_odd(c->odd) : c->odd;
	double edge = log1p(m->select->by > 0 ? m->select->by : m->s->margin);
	const double from = m->select->of > 0 ? log(m->select->of) : 0;
	c->p = (struct contrast_p){.less = p_at(&of, from - edge, confidence),
	                           .one = p_at(&of, from, confidence),
	                           .more = p_at(&of, from + edge, confidence)};
	c->left_side = side_of(m->left, m->nblocks);
	c->right_side = side_of(m->right, m->nblocks);
	cells_find(m, confidence, c);
	if (contrast_opposed(c))
		oppose(c);
}

struct contrast contrast_none(unsigned left, unsigned right, enum metric metric, struct reason why)
{
	const struct contrast_side none = {NAN, NAN, NAN};
	struct contrast c = {.left = left,
	                     .right = right,
	                     .metric = metric,
	                     .ratio = STATS_NO_RATIO,
	                     .bounds = STATS_NO_RATIO,
	                     .least = STATS_NO_RATIO,
	                     .most = STATS_NO_RATIO,
	                     .p = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}},
	                     .left_side = none,
	                     .right_side = none,
	                     .why = why};
	c.verdict = verdict_of(c.ratio, 0);
	return c;
}

struct contrast contrast_make(const struct summary *s, unsigned left, unsigned right,
                              enum metric metric, const struct contrast_select *select)
{
	struct maker m = {.s = s, .metric = metric, .select = select};
	m.logs = ARENA_ARRAY(s->arena, double, s->index.nblocks);
	const struct arena_mark mark = arena_mark(s->arena);
	struct contrast c =
	    contrast_none(left, right, metric, (struct reason){.kind = REASON_NONE});
	maker_begin(&m, left, right);
	levels_find(&m);
	c.verdict.margin = s->margin;
	c.ncells = m.nplaces;
	c.nblocks = m.nblocks;
	c.logs = m.logs;
	c.sizes = sizes_of(&m);
	if (m.nblocks)
		judge(&m, &c);
	else
		c.why = why_none(&m);
	arena_release(s->arena, mark);
	return c;
}

struct contrast contrast_against(const struct summary *s, unsigned variant,
                                 const struct summary_group *g, struct claim_range bytes)
{
	const struct contrast_select select = {
	    .bytes = bytes, .pace = (int)g->cell.pace, .coll = (int)g->cell.coll, .group = g};
	return contrast_make(s, variant, (unsigned)s->reference, METRIC_TIME, &select);
}

/* Why a variant has no figures: it was skipped, or all of its trials failed. */
static struct reason absent_of(const struct summary *s, const char *name)
{
	const int v = index_variant(s, name);
	struct reason why = {.kind = REASON_NONE, .of = name};
	if (v < 0) {
		why.kind = REASON_UNKNOWN;
	} else if (s->variants[v].skip[0]) {
		why.kind = REASON_SKIPPED;
		why.detail = s->variants[v].skip;
	} else if (!s->variants[v].measured) {
		why.kind = REASON_NO_TRIAL;
	}
	return why;
}

struct reason contrast_obstacle(const struct summary *s, const char *left, const char *right)
{
	struct reason why = absent_of(s, left);
	if (!why.kind)
		why = absent_of(s, right);
	return why.kind ? why : s->uncompared;
}

struct reason contrast_few_calls(const struct summary *s, enum metric metric)
{
	return (struct reason){
	    s->isolated_calls < metric_info(metric)->least_calls ? REASON_FEW_CALLS : REASON_NONE,
	    .metric = metric, .n = s->isolated_calls};
}

struct reason contrast_oversubscribed(const struct summary *s, enum metric metric)
{
	return (struct reason){
	    metric_info(metric)->waits && s->oversubscribed ? REASON_OVERSUBSCRIBED : REASON_NONE,
	    .metric = metric};
}
