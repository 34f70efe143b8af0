/* The way from one end of the gap to the other, over factors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "waterfall.h"

#define NOWHERE UINT_MAX

/* Factors whose two variants were measured, as edges between variants. */
struct edge {
	unsigned a, b;
	const struct factor *factor;
};

struct web {
	unsigned nvariants, nedges;
	struct edge edges[CLAIM_MAX];
	const struct regime *large; /* that bandwidth is judged in; or NULL */
};

/* From where each variant is reached on the shortest way from a start. */
struct reach {
	unsigned *far;  /* steps from the start, or NOWHERE */
	unsigned *edge; /* the last edge of the way */
};

static void web_make(const struct summary *s, const struct regimes *regimes,
                     const struct claim_list *asked, unsigned from, unsigned to, struct web *out)
{
	*out = (struct web){.nvariants = s->nvariants,
	                    .large = regimes ? regimes_find(regimes, REGIME_LARGE) : NULL};
	for (unsigned i = 0; i < asked->nfactors; i++) {
		const struct factor *f = &asked->factors[i];
		int a = index_variant(s, f->from), b = index_variant(s, f->to);
		if (a < 0 || b < 0 || !s->variants[a].measured || !s->variants[b].measured)
			continue;
		if (((unsigned)a == from && (unsigned)b == to) ||
		    ((unsigned)a == to && (unsigned)b == from))
			continue;
		out->edges[out->nedges++] = (struct edge){(unsigned)a, (unsigned)b, f};
	}
}

/* Ring by ring, so that far is the least; edges in the order of the file. */
static void reach_from(const struct web *web, unsigned start, struct reach *r)
{
	for (unsigned v = 0; v < web->nvariants; v++)
		r->far[v] = r->edge[v] = NOWHERE;
	r->far[start] = 0;
	for (unsigned ring = 0; ring < web->nvariants; ring++)
		for (unsigned e = 0; e < web->nedges; e++) {
			unsigned a = web->edges[e].a, b = web->edges[e].b;
			if (r->far[a] == ring && r->far[b] == NOWHERE) {
				r->far[b] = ring + 1;
				r->edge[b] = e;
			} else if (r->far[b] == ring && r->far[a] == NOWHERE) {
				r->far[a] = ring + 1;
				r->edge[a] = e;
			}
		}
}

static unsigned farthest(const struct web *web, const struct reach *r, unsigned start)
{
	unsigned at = start;
	unsigned first = NOWHERE; /* the edge that leads to it */
	for (unsigned v = 0; v < web->nvariants; v++) {
		if (r->far[v] == NOWHERE || v == start)
			continue;
		if (r->far[v] > r->far[at] || (r->far[v] == r->far[at] && r->edge[v] < first)) {
			at = v;
			first = r->edge[v];
		}
	}
	return at;
}

/* The variants on the way, and the edge into each; the rest has edge NOWHERE. */
struct way {
	unsigned n; /* variants */
	unsigned variants[WATERFALL_MAX_STEPS + 1], edges[WATERFALL_MAX_STEPS + 1];
};

/* Appends the way from `at` back to the start of `r`. */
static void way_home(const struct web *web, const struct reach *r, unsigned at, struct way *way)
{
	way->variants[way->n] = at;
	way->edges[way->n++] = NOWHERE;
	while (r->edge[at] != NOWHERE) {
		const struct edge *e = &web->edges[r->edge[at]];
		way->edges[way->n] = r->edge[at];
		at = e->a == at ? e->b : e->a;
		way->variants[way->n++] = at;
	}
}

/* Appends the way from the start of `r` to `at`, the start included: the way home turned round,
 * where the edge into a variant is the one that led out of it. */
static void way_out(const struct web *web, const struct reach *r, unsigned at, struct way *way)
{
	struct way home = {0};
	way_home(web, r, at, &home);
	for (unsigned i = home.n; i-- > 0;) {
		way->variants[way->n] = home.variants[i];
		way->edges[way->n++] = i + 1 < home.n ? home.edges[i + 1] : NOWHERE;
	}
}

static int way_find(const struct web *web, unsigned from, unsigned to, struct way *way)
{
	unsigned *room = malloc(4 * (size_t)web->nvariants * sizeof *room);
	if (!room)
		return -1;
	struct reach there = {room, room + web->nvariants};
	struct reach back = {room + 2 * web->nvariants, room + 3 * web->nvariants};
	reach_from(web, from, &there);
	reach_from(web, to, &back);
	*way = (struct way){0};
	if (there.far[to] != NOWHERE) {
		way_out(web, &there, to, way);
	} else {
		way_out(web, &there, farthest(web, &there, from), way);
		way_home(web, &back, farthest(web, &back, to), way);
	}
	free(room);
	return 0;
}

/* Whether a verdict says one direction and the mean of the logs the other, as a few blocks that are
 * far off can cause. */
static bool is_at_odds(const struct verdict *v, double log)
{
	return verdict_effect(v) && !(verdict_beyond(v) * log > 0);
}

/* If the regime cannot distinguish variants, an effect counts only beyond the A/A line. */
static bool withhold(const struct web *web, struct verdict *v)
{
	return web->large && verdict_effect(v) &&
	       regime_withhold(web->large, web->large->least_effect, v);
}

/* The data of a way, block by block. */
struct bricks {
	unsigned nblocks, nsteps;
	double *levels; /* of each variant on the way, a block after the other */
	double *gap;    /* a log a block */
	double *steps;  /* nblocks a step */
	double *sum;    /* room for a number a block */
	double confidence;
};

static void bricks_free(struct bricks *b)
{
	free(b->levels);
	free(b->gap);
}

static struct contrast_select select_of(const struct claim_list *asked, const struct way *way)
{
	return (struct contrast_select){.bytes = asked->gap.bytes,
	                                .pace = PACE_STREAM,
	                                .coll = CLAIM_ANY_COLL,
	                                .with = way->variants,
	                                .nwith = way->n};
}

static int bricks_make(const struct summary *s, const struct contrast_select *select,
                       struct bricks *b, struct status *st)
{
	if (contrast_levels(s, METRIC_BUSBW, select, &b->levels, &b->nblocks, st))
		return -1;
	b->gap = calloc((size_t)b->nblocks * (b->nsteps + 2), sizeof *b->gap);
	if (!b->gap)
		return status_set(st, "out of memory for the waterfall");
	b->steps = b->gap + b->nblocks;
	b->sum = b->steps + (size_t)b->nblocks * b->nsteps;
	for (unsigned k = 0; k < b->nblocks; k++) {
		const double *level = b->levels + (size_t)k * (b->nsteps + 1);
		for (unsigned i = 0; i < b->nsteps; i++)
			b->steps[i * b->nblocks + k] = level[i + 1] - level[i];
		b->gap[k] = level[b->nsteps] - level[0];
	}
	return 0;
}

static double mean_of(const double *x, unsigned n)
{
	double sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

/* The i-th step. */
static void fill_step(const struct summary *s, const struct web *web, const struct way *way,
                      const struct bricks *b, unsigned i, struct waterfall_step *step)
{
	const double *logs = b->steps + (size_t)i * b->nblocks;
	const struct edge *e = way->edges[i + 1] == NOWHERE ? NULL : &web->edges[way->edges[i + 1]];
	*step = (struct waterfall_step){
	    .rest = !e,
	    .from = way->variants[i],
	    .to = way->variants[i + 1],
	    .log = mean_of(logs, b->nblocks),
	    .share = STATS_NO_RATIO,
	    .verdict = verdict_of(stats_ratio_of_logs(logs, b->nblocks, b->confidence), s->margin)};
	step->backwards = e && e->a != step->from;
	step->placebo = e && e->factor->placebo;
	withhold(web, &step->verdict);
	step->at_odds = is_at_odds(&step->verdict, step->log);
	step->ratio = step->verdict.ratio;
	if (step->at_odds) {
		step->ratio.estimate = exp(step->log);
		step->ratio.lo = step->ratio.hi = NAN;
		step->verdict.kind = VERDICT_UNDECIDED;
	}
	step->counts = e && !step->placebo && verdict_effect(&step->verdict);
	strcpy(step->name, e ? e->factor->name : "rest");
}

/* Shares mean something only if there is a gap. */
static void fill_shares(const struct bricks *b, struct waterfall *w)
{
	bool at_odds = is_at_odds(&w->gap, w->log);
	bool gap = !at_odds && verdict_effect(&w->gap);
	memset(b->sum, 0, b->nblocks * sizeof *b->sum);
	for (unsigned i = 0; i < w->nsteps && gap; i++) {
		struct waterfall_step *step = &w->steps[i];
		const double *logs = b->steps + (size_t)i * b->nblocks;
		for (unsigned k = 0; k < b->nblocks && step->counts; k++)
			b->sum[k] += logs[k];
		if (!step->at_odds)
			step->share = stats_share(logs, b->gap, b->nblocks, b->confidence);
	}
	if (gap)
		w->explained = stats_share(b->sum, b->gap, b->nblocks, b->confidence);
	if (w->why[0])
		return;
	if (verdict_within(&w->gap))
		snprintf(w->why, sizeof w->why, "there is no gap to explain: it is within %.3g %%",
		         100 * w->gap.margin);
	else if (at_odds)
		snprintf(w->why, sizeof w->why,
		         "few blocks lie so far off that the gap's mean and its estimate point "
		         "two ways");
	else if (!gap)
		snprintf(w->why, sizeof w->why,
		         "the gap itself is undecided, so that shares of it would mean nothing");
}

/* Steps, shares and what is left, along a way. */
static int follow(const struct summary *s, const struct claim_list *asked, const struct web *web,
                  const struct way *way, struct waterfall *w, struct status *st)
{
	struct bricks b = {.nsteps = way->n - 1, .confidence = s->looks.confidence};
	const struct contrast_select select = select_of(asked, way);
	struct contrast gap;
	if (contrast_make(s, way->variants[way->n - 1], way->variants[0], METRIC_BUSBW, &select,
	                  &gap, st))
		return -1;
	memcpy(w->why, gap.why, sizeof w->why);
	w->ncells = gap.ncells;
	w->nblocks = gap.nblocks;
	if (!gap.nblocks)
		return 0;
	w->nsteps = b.nsteps;
	w->gap = gap.verdict;
	if (withhold(web, &w->gap))
		snprintf(w->why, sizeof w->why,
		         "the gap does not reach beyond what the A/A line shows");
	w->log = gap.left_side.log - gap.right_side.log;
	int rc = bricks_make(s, &select, &b, st);
	double log = gap.right_side.log;
	for (unsigned i = 0; i < w->nsteps && !rc; i++) {
		fill_step(s, web, way, &b, i, &w->steps[i]);
		w->steps[i].from_gbs = exp(log);
		w->steps[i].to_gbs = exp(log += w->steps[i].log);
	}
	if (!rc)
		fill_shares(&b, w);
	bricks_free(&b);
	return rc;
}

/* Whether what is left is no less than the gap: the factors lead elsewhere. */
static bool leads_away(const struct waterfall *w)
{
	for (unsigned i = 0; i < w->nsteps; i++)
		if (w->steps[i].rest && fabs(w->steps[i].log) >= fabs(w->log))
			return w->nsteps > 1;
	return false;
}

int waterfall_make(const struct summary *s, const struct regimes *regimes,
                   const struct claim_list *asked, struct waterfall *out, struct status *st)
{
	struct waterfall w = {.log = NAN, .explained = STATS_NO_RATIO};
	struct web web;
	struct way way;
	w.gap = verdict_make(NULL, 0, s->margin);
	if (asked->gap.from[0])
		contrast_obstacle(s, asked->gap.from, asked->gap.to, w.why, sizeof w.why);
	*out = w;
	if (!asked->gap.from[0] || w.why[0])
		return 0;
	unsigned from = (unsigned)index_variant(s, asked->gap.from);
	unsigned to = (unsigned)index_variant(s, asked->gap.to);
	web_make(s, regimes, asked, from, to, &web);
	if (way_find(&web, from, to, &way))
		return status_set(st, "out of memory for the waterfall");
	if (follow(s, asked, &web, &way, &w, st))
		return -1;
	way = (struct way){2, {from, to}, {NOWHERE, NOWHERE}};
	if (leads_away(&w) && follow(s, asked, &web, &way, &w, st))
		return -1;
	*out = w;
	return 0;
}
