/* The way from one end of the gap to the other, over factors. */
#include <math.h>
#include <string.h>

#include "../arena.h"
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

static struct way way_find(struct arena *arena, const struct web *web, unsigned from, unsigned to)
{
	unsigned *room = ARENA_ARRAY(arena, unsigned, 4 * (size_t)web->nvariants);
	struct way way = {0};
	struct reach there = {room, room + web->nvariants};
	struct reach back = {room + 2 * web->nvariants, room + 3 * web->nvariants};
	reach_from(web, from, &there);
	reach_from(web, to, &back);
	if (there.far[to] != NOWHERE) {
		way_out(web, &there, to, &way);
	} else {
		way_out(web, &there, farthest(web, &there, from), &way);
		way_home(web, &back, farthest(web, &back, to), &way);
	}
	return way;
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
	const double *levels; /* of each variant on the way, a block after the other */
	double *gap;          /* a log a block */
	double *steps;        /* nblocks a step */
	double *sum;          /* room for a number a block */
	double confidence;
};

static struct contrast_select select_of(const struct claim_list *asked, const struct way *way)
{
	return (struct contrast_select){.bytes = asked->gap.bytes,
	                                .pace = PACE_STREAM,
	                                .coll = CLAIM_ANY_COLL,
	                                .with = way->variants,
	                                .nwith = way->n};
}

static void bricks_make(const struct summary *s, const struct contrast_select *select,
                        struct bricks *b)
{
	b->levels = contrast_levels(s, METRIC_BUSBW, select, &b->nblocks);
	b->gap = ARENA_ARRAY(s->arena, double, b->nblocks);
	b->steps = ARENA_ARRAY(s->arena, double, (size_t)b->nblocks * b->nsteps);
	b->sum = ARENA_ARRAY(s->arena, double, b->nblocks);
	for (unsigned k = 0; k < b->nblocks; k++) {
		const double *level = b->levels + (size_t)k * (b->nsteps + 1);
		for (unsigned i = 0; i < b->nsteps; i++)
			b->steps[i * b->nblocks + k] = level[i + 1] - level[i];
		b->gap[k] = level[b->nsteps] - level[0];
	}
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
                      const struct contrast_select *select, const struct bricks *b, unsigned i,
                      struct waterfall_step *step)
{
	const double *logs = b->steps + (size_t)i * b->nblocks;
	const struct edge *e = way->edges[i + 1] == NOWHERE ? NULL : &web->edges[way->edges[i + 1]];
	*step =
	    (struct waterfall_step){.name = e ? e->factor->name : "rest",
	                            .rest = !e,
	                            .from = way->variants[i],
	                            .to = way->variants[i + 1],
	                            .log = mean_of(logs, b->nblocks),
	                            .share = STATS_NO_RATIO,
	                            .verdict = contrast_make(s, way->variants[i + 1],
	                                                     way->variants[i], METRIC_BUSBW, select)
	                                           .verdict};
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
}

/* Shares mean something only if there is a gap. */
static void fill_shares(struct arena *arena, const struct bricks *b, struct waterfall *w)
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
			step->share = stats_share(arena, logs, b->gap, b->nblocks, b->confidence);
	}
	if (gap)
		w->explained = stats_share(arena, b->sum, b->gap, b->nblocks, b->confidence);
	if (w->why.kind)
		return;
	w->why = (struct reason){verdict_within(&w->gap) ? REASON_NO_GAP
	                         : at_odds               ? REASON_AT_ODDS
	                         : !gap                  ? REASON_GAP_UNDECIDED
	                                                 : REASON_NONE,
	                         .margin = w->gap.margin};
}

/* Steps, shares and what is left, along a way. */
static void follow(const struct summary *s, const struct claim_list *asked, const struct web *web,
                   const struct way *way, struct waterfall *w)
{
	struct bricks b = {.nsteps = way->n - 1, .confidence = s->looks.confidence};
	const struct contrast_select select = select_of(asked, way);
	const struct contrast gap =
	    contrast_make(s, way->variants[way->n - 1], way->variants[0], METRIC_BUSBW, &select);
	w->why = gap.why;
	w->ncells = gap.ncells;
	w->nblocks = gap.nblocks;
	if (!gap.nblocks)
		return;
	w->nsteps = b.nsteps;
	w->gap = gap.verdict;
	if (withhold(web, &w->gap))
		w->why = (struct reason){.kind = REASON_GAP_IN_NOISE};
	w->log = gap.left_side.log - gap.right_side.log;
	bricks_make(s, &select, &b);
	double log = gap.right_side.log;
	for (unsigned i = 0; i < w->nsteps; i++) {
		fill_step(s, web, way, &select, &b, i, &w->steps[i]);
		w->steps[i].from_gbs = exp(log);
		w->steps[i].to_gbs = exp(log += w->steps[i].log);
	}
	fill_shares(s->arena, &b, w);
}

/* Whether what is left is no less than the gap: the factors lead elsewhere. */
static bool leads_away(const struct waterfall *w)
{
	for (unsigned i = 0; i < w->nsteps; i++)
		if (w->steps[i].rest && fabs(w->steps[i].log) >= fabs(w->log))
			return w->nsteps > 1;
	return false;
}

struct waterfall waterfall_make(const struct summary *s, const struct regimes *regimes,
                                const struct claim_list *asked)
{
	struct waterfall w = {.log = NAN, .explained = STATS_NO_RATIO};
	struct web web;
	w.gap = verdict_of(STATS_NO_RATIO, s->margin);
	if (asked->gap.from[0])
		w.why = contrast_obstacle(s, asked->gap.from, asked->gap.to);
	if (!asked->gap.from[0] || w.why.kind)
		return w;
	unsigned from = (unsigned)index_variant(s, asked->gap.from);
	unsigned to = (unsigned)index_variant(s, asked->gap.to);
	web_make(s, regimes, asked, from, to, &web);
	struct way way = way_find(s->arena, &web, from, to);
	follow(s, asked, &web, &way, &w);
	way = (struct way){2, {from, to}, {NOWHERE, NOWHERE}};
	if (leads_away(&w))
		follow(s, asked, &web, &way, &w);
	return w;
}
