#include "regime.h"

#include <math.h>

#include "../arena.h"
#include "summary.h"

/* An excess above the limit by less than this factor is the noise of the two. */
#define ABOVE_LIMIT 1.1

static bool holds(struct claim_range range, size_t asked)
{
	return asked >= range.lo && asked <= range.hi;
}

/* A group that regimes use. */
static bool is_of(const struct summary *s, unsigned group, int pace)
{
	const struct summary_group *g = &s->groups[group];
	return (int)g->cell.pace == pace && g->cell.coll != COLL_INIT && !g->limit &&
	       !index_is_part(s, g->cell.coll);
}

/* The sizes of a pace, ascending, each once. */
static const size_t *sizes_of(const struct summary *s, int pace, unsigned *count)
{
	size_t *list = ARENA_ARRAY(s->arena, size_t, s->index.nplaces);
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; is_of(s, g, pace) && i < s->groups[g].nsizes; i++) {
			size_t asked = s->groups[g].asked_bytes[i];
			unsigned at = n;
			while (at && list[at - 1] >= asked)
				at--;
			if (at < n && list[at] == asked)
				continue;
			for (unsigned k = n++; k > at; k--)
				list[k] = list[k - 1];
			list[at] = asked;
		}
	*count = n;
	return list;
}

/* Sets range and sizes of a regime; sizes.hi stays 0 where it has no cell. */
static void range_find(const struct summary *s, struct regime *r)
{
	unsigned n;
	const size_t *sizes = sizes_of(s, r->pace, &n);
	r->range =
	    claim_regime_range(r->kind, record_traits(s->run, NULL)->gpus, sizes, n, &r->third);
	for (unsigned i = 0; i < n; i++)
		if (holds(r->range, sizes[i])) {
			r->sizes.lo = r->sizes.hi ? r->sizes.lo : sizes[i];
			r->sizes.hi = sizes[i];
		}
	if (r->third)
		r->label = r->kind == REGIME_SMALL ? "the smallest" : "the largest";
}

static bool is_compared(const struct summary *s, unsigned v)
{
	return (int)v != s->reference && s->variants[v].role != ROLE_LIMIT &&
	       s->variants[v].measured && !index_other_ranks(s, v);
}

static void contrasts_make(const struct summary *s, struct regime *r)
{
	const struct contrast_select select = {
	    .bytes = r->range, .pace = r->pace, .coll = CLAIM_ANY_COLL};
	unsigned reference = (unsigned)s->reference;
	r->nvariants = s->nvariants;
	r->contrasts = ARENA_ARRAY(s->arena, struct contrast, s->nvariants);
	for (unsigned v = 0; v < s->nvariants; v++)
		r->contrasts[v] = is_compared(s, v)
		                      ? contrast_make(s, v, reference, r->metric, &select)
		                      : contrast_none(v, reference, r->metric,
		                                      (struct reason){.kind = REASON_UNCOMPARED});
}

/* The row that exceeds the limit of its size most, or NULL. A reduction can be computed on the way,
 * so that its bus bandwidth is not the bandwidth of a link. */
static const struct summary_row *above_limit(const struct summary *s, const struct regime *r,
                                             double *share)
{
	const struct summary_row *worst = NULL;
	*share = ABOVE_LIMIT;
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (!is_of(s, row->group, r->pace) || !holds(r->range, row->cell.asked_bytes) ||
		    (coll_info(row->cell.coll)->is & COLL_REDUCES))
			continue;
		double of = row->busbw_gbs / summary_copies(s, row->cell.bytes);
		if (of > *share) {
			*share = of;
			worst = row;
		}
	}
	return worst;
}

static double least_effect(const struct stats_ratio *twin, double margin)
{
	if (isnan(twin->lo))
		return NAN;
	return fmax(expm1(fmax(log(twin->hi), -log(twin->lo))), margin);
}

static enum regime_doubt line_doubt(const struct stats_ratio *aa, double margin)
{
	const double edge = log1p(margin);
	if (isnan(aa->estimate))
		return DOUBT_NO_FIGURE;
	if (isnan(aa->lo))
		return DOUBT_FEW_BLOCKS;
	if (log(aa->lo) >= -edge && log(aa->hi) <= edge)
		return DOUBT_NONE;
	return verdict_direction(aa) ? DOUBT_DIFFERS : DOUBT_WIDE;
}

struct regime regime_of_line(const struct stats_ratio *line, double margin)
{
	const enum regime_doubt doubt = line_doubt(line, margin);
	return (struct regime){.doubt = doubt,
	                       .tells = !doubt,
	                       .off = doubt || !verdict_direction(line) ? 0 : least_effect(line, 0),
	                       .least_effect = least_effect(line, margin)};
}

/* Of cores, which a busy machine does not leave to the run. A load that had ended by then does not count:
 * a tenth of the rows lost their cores. */
static bool is_busy(const struct summary *s)
{
	unsigned lost = 0;
	for (unsigned r = 0; r < s->nrows; r++)
		lost += summary_lost_cores(&s->rows[r]);
	return !record_traits(s->run, NULL)->gpus && s->loaded && lost * 10 >= s->nrows;
}

bool regime_disturbed(const struct summary *s)
{
	return s->oversubscribed || is_busy(s);
}

struct regime regime_of_twin(const struct summary *s, const struct summary_group *group,
                             struct claim_range bytes)
{
	const struct stats_ratio none = STATS_NO_RATIO;
	if (s->twin < 0 || regime_disturbed(s))
		return regime_of_line(&none, s->margin);
	const struct contrast twin = contrast_against(s, (unsigned)s->twin, group, bytes);
	return regime_of_line(&twin.verdict.ratio, s->margin);
}

/* A line off by little leaves equality within the margin, and no smaller difference. */
static void withhold_little(const struct regime *r, struct verdict *v)
{
	if (r->off && verdict_within(v))
		v->kind = VERDICT_NO_DIFFERENCE;
}

/* Sets tells, its doubt, least_effect and off; and what these withhold. */
static void judge(const struct summary *s, struct regime *r)
{
	const struct stats_ratio *aa = r->twin < 0 ? NULL : &r->contrasts[r->twin].verdict.ratio;
	const struct summary_row *above =
	    r->metric == METRIC_BUSBW ? above_limit(s, r, &r->above_share) : NULL;
	r->above = above ? above->variant : 0;
	const struct regime seen =
	    aa ? regime_of_line(aa, s->margin) : (struct regime){.doubt = DOUBT_NO_LINE};
	r->doubt = s->oversubscribed ? DOUBT_CORES
	           : is_busy(s)      ? DOUBT_BUSY
	           : above           ? DOUBT_ABOVE_LIMIT
	                             : seen.doubt;
	r->least_effect = r->doubt == seen.doubt && aa ? seen.least_effect : NAN;
	r->tells = !r->doubt;
	r->off = r->tells ? seen.off : 0;
	for (unsigned v = 0; v < r->nvariants; v++)
		if ((int)v != r->twin)
			withhold_little(r, &r->contrasts[v].verdict);
}

/* Whether a pace was measured of anything but the limit and init. */
static bool has_pace(const struct summary *s, int pace)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		if (is_of(s, g, pace))
			return true;
	return false;
}

static struct regime begin(const struct summary *s, enum regime_kind kind)
{
	bool isolated =
	    has_pace(s, PACE_ISOLATED) && (kind == REGIME_SMALL || !has_pace(s, PACE_STREAM));
	struct regime r = {.kind = kind,
	                   .name = claim_regime_name(kind),
	                   .label = claim_regime_name(kind),
	                   .pace = isolated ? PACE_ISOLATED : PACE_STREAM,
	                   .metric = isolated                                  ? METRIC_LATENCY
	                             : kind == REGIME_LARGE && s->carries_data ? METRIC_BUSBW
	                                                                       : METRIC_TIME,
	                   .twin = s->twin};
	return r;
}

/* Whether large, which has some, has all of small: the run's only size of that pace. */
static bool is_large(const struct summary *s, const struct regime *small)
{
	struct regime large = begin(s, REGIME_LARGE);
	range_find(s, &large);
	return large.pace == small->pace && large.sizes.hi && large.sizes.lo <= small->sizes.lo;
}

void regimes_make(const struct summary *s, struct regimes *out)
{
	*out = (struct regimes){.n = 0};
	for (unsigned kind = 0; kind <= REGIME_LARGE && s->reference >= 0 && !s->uncompared.kind;
	     kind++) {
		struct regime *r = &out->list[out->n];
		*r = begin(s, (enum regime_kind)kind);
		range_find(s, r);
		if (!r->sizes.hi || (kind == REGIME_SMALL && is_large(s, r)))
			continue;
		out->n++;
		contrasts_make(s, r);
		judge(s, r);
	}
}

/* The pace of a claim's cells: counters are read over streams. */
static int pace_of(const struct summary *s, const struct claim *c)
{
	int pace = c->pace == CLAIM_ANY_PACE ? metric_info(c->metric)->pace : c->pace;
	if (pace != CLAIM_ANY_PACE)
		return pace;
	return c->metric == METRIC_LAUNCH && has_pace(s, PACE_ISOLATED) ? PACE_ISOLATED
	                                                                : PACE_STREAM;
}

static void settle(const struct summary *s, int kind, int pace, struct claim_range *range)
{
	struct regime r = {.kind = (enum regime_kind)kind, .pace = pace};
	if (kind == CLAIM_ANY_REGIME || !claim_range_open(*range))
		return;
	range_find(s, &r);
	*range = r.range;
}

void regimes_settle(const struct summary *s, struct claim_list *asked)
{
	settle(s, REGIME_LARGE, PACE_STREAM, &asked->gap.bytes);
	for (unsigned i = 0; i < asked->nfactors; i++) {
		struct factor *f = &asked->factors[i];
		settle(s, REGIME_LARGE, PACE_STREAM, &f->bytes);
		settle(s, REGIME_SMALL, PACE_ISOLATED, &f->latency_bytes);
	}
	for (unsigned i = 0; i < asked->nclaims; i++) {
		struct claim *c = &asked->claims[i];
		if (c->test != CLAIM_NEEDS)
			settle(s, claim_regime(c), pace_of(s, c), &c->bytes);
	}
}

const struct regime *regimes_find(const struct regimes *regimes, enum regime_kind kind)
{
	for (unsigned i = 0; i < regimes->n; i++)
		if (regimes->list[i].kind == kind)
			return &regimes->list[i];
	return NULL;
}

/* 1, -1: the whole interval is above, below 1 by more than the least effect; else 0. */
static int beyond(const struct regime *r, const struct stats_ratio *ratio)
{
	double reach = log1p(r->least_effect);
	return log(ratio->lo) > reach ? 1 : log(ratio->hi) < -reach ? -1 : 0;
}

int regime_direction(const struct regime *r, const struct verdict *v)
{
	return v->least > 0 ? 0 : r->tells ? verdict_beyond(v) : beyond(r, &v->ratio);
}

bool regime_withhold(const struct regime *r, double least, struct verdict *v)
{
	if (r)
		withhold_little(r, v);
	if (!r || r->tells || v->kind == VERDICT_UNDECIDED || isnan(v->ratio.lo) ||
	    (verdict_effect(v) && beyond(r, &v->ratio)))
		return false;
	v->kind = VERDICT_UNDECIDED;
	v->more_blocks = 0;
	v->detectable = verdict_detectable(&v->ratio, least, VERDICT_BOTH_ENDS);
	return true;
}
