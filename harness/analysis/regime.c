#include "regime.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "summary.h"
#include "format.h"

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

/* The sizes of a pace, ascending, each once. The caller frees *out. */
static int sizes_of(const struct summary *s, int pace, size_t **out, unsigned *count)
{
	size_t most = 1;
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		most += s->groups[g].nsizes;
	size_t *list = malloc(most * sizeof *list);
	if (!list)
		return -1;
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
	*out = list;
	*count = n;
	return 0;
}

/* The sizes of a regime at a pace, as far as they are measured; the caller frees *sizes. */
static int range_of(const struct summary *s, enum regime_kind kind, int pace,
                    struct claim_range *range, bool *third, size_t **sizes, unsigned *n)
{
	if (sizes_of(s, pace, sizes, n))
		return -1;
	*range = claim_regime_range(kind, record_traits(s->run, NULL)->gpus, *sizes, *n, third);
	return 0;
}

/* Sets range and sizes of a regime; sizes.hi stays 0 where it has no cell. */
static int range_find(const struct summary *s, struct regime *r)
{
	size_t *sizes;
	unsigned n;
	if (range_of(s, r->kind, r->pace, &r->range, &r->third, &sizes, &n))
		return -1;
	for (unsigned i = 0; i < n; i++)
		if (holds(r->range, sizes[i])) {
			r->sizes.lo = r->sizes.hi ? r->sizes.lo : sizes[i];
			r->sizes.hi = sizes[i];
		}
	free(sizes);
	if (r->third)
		r->label = r->kind == REGIME_SMALL ? "the smallest" : "the largest";
	return 0;
}

/* Why a variant is not compared with the reference, or "". */
static const char *obstacle(const struct summary *s, unsigned v)
{
	if ((int)v == s->reference)
		return "it is the reference";
	if (s->variants[v].role == ROLE_LIMIT)
		return "it is the limit";
	return s->variants[v].measured ? "" : "it was not measured";
}

static int contrasts_make(const struct summary *s, struct regime *r, struct status *st)
{
	const struct contrast_select select = {
	    .bytes = r->range, .pace = r->pace, .coll = CLAIM_ANY_COLL};
	unsigned reference = (unsigned)s->reference;
	r->nvariants = s->nvariants;
	r->contrasts = calloc(s->nvariants, sizeof *r->contrasts);
	if (!r->contrasts)
		return status_set(st, "out of memory for the regimes");
	for (unsigned v = 0; v < s->nvariants; v++) {
		const char *why = obstacle(s, v);
		if (*why)
			r->contrasts[v] = contrast_none(v, reference, r->metric, why);
		else if (contrast_make(s, v, reference, r->metric, &select, &r->contrasts[v], st))
			return -1;
	}
	return 0;
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
		double of = row->busbw_gbs / summary_limit(s, row->cell.bytes);
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

/* Sets tells, why and least_effect. */
static void judge(const struct summary *s, struct regime *r)
{
	const struct contrast *twin = r->twin < 0 ? NULL : &r->contrasts[r->twin];
	double share, edge = log1p(s->margin);
	const struct summary_row *above =
	    r->metric == METRIC_BUSBW ? above_limit(s, r, &share) : NULL;
	r->least_effect = NAN;
	const struct stats_ratio *aa = twin ? &twin->verdict.ratio : NULL;
	if (aa)
		r->least_effect = least_effect(aa, s->margin);
	if (s->oversubscribed)
		snprintf(r->why, sizeof r->why,
		         "There are more ranks than the %u core%s: waiting workers share them, and "
		         "the scheduler decides.",
		         s->ncores, format_plural(s->ncores));
	else if (above)
		snprintf(r->why, sizeof r->why,
		         "%s reaches %.0f %% of the measured limit: one of the two is not what it "
		         "seems.",
		         s->variants[above->variant].name, 100 * share);
	else if (!aa)
		snprintf(r->why, sizeof r->why,
		         "The run has no A/A line: the reference was not measured a second time.");
	else if (isnan(aa->estimate))
		snprintf(r->why, sizeof r->why, "The A/A line has no figure: %.200s.", twin->why);
	else if (isnan(aa->lo))
		snprintf(r->why, sizeof r->why,
		         "%u block%s: below %d there are no intervals, and no gap can be distinguished from "
		         "noise.",
		         aa->blocks, format_plural(aa->blocks), STATS_MIN_BLOCKS);
	else if (aa->lo > 1 || aa->hi < 1)
		snprintf(r->why, sizeof r->why,
		         "The reference differs from itself: the A/A line is %s.",
		         format_ratio(aa, true).text);
	else if (log(aa->lo) < -edge || log(aa->hi) > edge) {
		snprintf(
		    r->why, sizeof r->why,
		    "Effects under %s cannot be distinguished from noise here: the A/A line is %s, wider "
		    "than the margin of %.3g %%.",
		    format_effect(r->least_effect).text, format_ratio(aa, true).text,
		    100 * s->margin);
	}
	r->tells = !r->why[0];
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
static bool is_large(const struct summary *s, const struct regime *small, bool *out)
{
	struct regime large = begin(s, REGIME_LARGE);
	if (range_find(s, &large))
		return false;
	*out = large.pace == small->pace && large.sizes.hi && large.sizes.lo <= small->sizes.lo;
	return true;
}

int regimes_make(const struct summary *s, struct regimes *out, struct status *st)
{
	*out = (struct regimes){.n = 0};
	for (unsigned kind = 0; kind <= REGIME_LARGE && s->reference >= 0 && !s->uncompared[0];
	     kind++) {
		struct regime *r = &out->list[out->n];
		bool large = false;
		*r = begin(s, (enum regime_kind)kind);
		if (range_find(s, r) || (kind == REGIME_SMALL && !is_large(s, r, &large))) {
			regimes_free(out);
			return status_set(st, "out of memory for the regimes");
		}
		if (!r->sizes.hi || large)
			continue;
		out->n++;
		if (contrasts_make(s, r, st)) {
			regimes_free(out);
			return -1;
		}
		judge(s, r);
	}
	return 0;
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

static int settle(const struct summary *s, int kind, int pace, struct claim_range *range)
{
	size_t *sizes;
	unsigned n;
	bool third;
	if (kind == CLAIM_ANY_REGIME || !claim_range_open(*range))
		return 0;
	if (range_of(s, (enum regime_kind)kind, pace, range, &third, &sizes, &n))
		return -1;
	free(sizes);
	return 0;
}

int regimes_settle(const struct summary *s, struct claim_list *asked, struct status *st)
{
	int bad = settle(s, REGIME_LARGE, PACE_STREAM, &asked->gap.bytes);
	for (unsigned i = 0; i < asked->nfactors; i++) {
		struct factor *f = &asked->factors[i];
		bad |= settle(s, REGIME_LARGE, PACE_STREAM, &f->bytes) |
		       settle(s, REGIME_SMALL, PACE_ISOLATED, &f->latency_bytes);
	}
	for (unsigned i = 0; i < asked->nclaims; i++) {
		struct claim *c = &asked->claims[i];
		if (c->test != CLAIM_NEEDS)
			bad |= settle(s, claim_regime(c), pace_of(s, c), &c->bytes);
	}
	return bad ? status_set(st, "out of memory for the regimes") : 0;
}

void regimes_free(struct regimes *regimes)
{
	for (unsigned i = 0; i < regimes->n; i++)
		free(regimes->list[i].contrasts);
	*regimes = (struct regimes){.n = 0};
}

const struct regime *regimes_find(const struct regimes *regimes, enum regime_kind kind)
{
	for (unsigned i = 0; regimes && i < regimes->n; i++)
		if (regimes->list[i].kind == kind)
			return &regimes->list[i];
	return NULL;
}

bool regime_holds(const struct summary *s, const struct regime *r, const struct record_cell *c)
{
	return index_counts(c) && (int)c->cell.pace == r->pace && c->cell.coll != COLL_INIT &&
	       !index_is_part(s, c->cell.coll) && holds(r->range, c->cell.asked_bytes);
}

int regime_beyond(const struct regime *r, const struct stats_ratio *ratio)
{
	double reach = log1p(r->least_effect);
	return log(ratio->lo) > reach ? 1 : log(ratio->hi) < -reach ? -1 : 0;
}

bool regimes_tell(const struct regimes *regimes)
{
	for (unsigned i = 0; i < regimes->n; i++)
		if (regimes->list[i].tells)
			return true;
	return false;
}

bool regime_has_beyond(const struct regime *r)
{
	for (unsigned v = 0; v < r->nvariants; v++)
		if ((int)v != r->twin && regime_beyond(r, &r->contrasts[v].verdict.ratio))
			return true;
	return false;
}

void regime_verdict_text(const struct regime *r, unsigned variant, char *text, size_t bytes)
{
	const struct verdict *v = &r->contrasts[variant].verdict;
	const int beyond = regime_beyond(r, &v->ratio);
	text[0] = '\0';
	if (isnan(v->ratio.estimate) || (!r->tells && isnan(r->least_effect)))
		return;
	if (r->tells)
		verdict_text(v, text, bytes);
	else if (beyond)
		snprintf(text, bytes, "%s", beyond > 0 ? "faster" : "slower");
	else
		verdict_undecided_text("", verdict_detectable(&v->ratio, r->least_effect), 0,
		                       &v->odd, text, bytes);
}

bool regime_withhold(const struct regime *r, double least, struct verdict *v)
{
	if (!r || r->tells || v->kind == VERDICT_UNDECIDED || isnan(v->ratio.lo) ||
	    (verdict_effect(v) && regime_beyond(r, &v->ratio)))
		return false;
	v->kind = VERDICT_UNDECIDED;
	v->more_blocks = 0;
	v->detectable = verdict_detectable(&v->ratio, least);
	return true;
}

struct formatted regime_about(const struct regime *r)
{
	struct formatted words = format_range(r->sizes);
	format_add(words.text, sizeof words.text, ", %s", metric_info(r->metric)->summary);
	return words;
}
