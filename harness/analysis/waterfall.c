/* The way from one end of the gap to the other, over factors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "waterfall.h"
#include "orders.h"
#include "words.h"

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

/* Where each variant is reached from on the shortest way from a start. */
struct reach {
	unsigned *far;  /* steps from the start, or NOWHERE */
	unsigned *edge; /* the last edge of the way */
};

static void web_make(const struct summary *s, const struct regimes *regimes,
                     const struct claim_list *asked, unsigned from, unsigned to,
                     struct web *out)
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

/* Whether a verdict says one direction and the mean of the logs the other, as few blocks that
 * lie far off can make it. */
static bool is_at_odds(const struct verdict *v, double log)
{
	return verdict_effect(v) && !(verdict_beyond(v) * log > 0);
}

/* Where the regime cannot tell variants apart, an effect is one only beyond what the A/A line
 * shows. */
static bool withhold(const struct web *web, struct verdict *v)
{
	return web->large && verdict_effect(v) &&
	       regime_withhold(web->large, web->large->least_effect, v);
}

/* What a way is made of, block by block. */
struct bricks {
	struct orders orders;
	unsigned nblocks, nsteps;
	double *levels; /* orders.nvariants a block */
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

static double rise(const struct bricks *b, const struct orders_side *side, unsigned block)
{
	const double *levels = b->levels + (size_t)block * b->orders.nvariants;
	return levels[side->to] - levels[side->from];
}

static struct contrast_select select_of(const struct claim_list *asked, const struct orders *o)
{
	return (struct contrast_select){.bytes = asked->gap.bytes,
	                                .pace = PACE_STREAM,
	                                .coll = CLAIM_ANY_COLL,
	                                .with = o->variants,
	                                .nwith = o->nvariants};
}

/* The gap over the cells and blocks that all variants of these orders hold. */
static int gap_over(const struct summary *s, const struct claim_list *asked,
                    const struct way *way, const struct orders *orders, struct contrast *gap,
                    struct status *st)
{
	const struct contrast_select select = select_of(asked, orders);
	return contrast_make(s, way->variants[way->n - 1], way->variants[0], METRIC_BUSBW,
	                     &select, gap, st);
}

static bool has_rest(const struct way *way)
{
	for (unsigned i = 1; i < way->n; i++)
		if (way->edges[i] == NOWHERE)
			return true;
	return false;
}

/* The orders that there are, unless one of their variants lacks what the way itself holds. */
static int orders_choose(const struct summary *s, const struct claim_list *asked,
                         const struct way *way, struct orders *orders, struct contrast *gap,
                         struct status *st)
{
	struct orders all;
	struct contrast over_all;
	orders_along(way->variants, way->n, orders);
	if (gap_over(s, asked, way, orders, gap, st))
		return -1;
	if (has_rest(way))
		return 0;
	orders_find(s, way->variants, way->n, &all);
	if (gap_over(s, asked, way, &all, &over_all, st))
		return -1;
	orders->possible = all.possible;
	if (over_all.ncells == gap->ncells && over_all.nblocks == gap->nblocks)
		*orders = all;
	return 0;
}

static int bricks_make(const struct summary *s, const struct claim_list *asked,
                       struct bricks *b, struct status *st)
{
	const struct contrast_select select = select_of(asked, &b->orders);
	if (contrast_levels(s, METRIC_BUSBW, &select, &b->levels, &b->nblocks, st))
		return -1;
	b->gap = calloc((size_t)b->nblocks * (b->nsteps + 2), sizeof *b->gap);
	if (!b->gap)
		return status_set(st, "out of memory for the waterfall");
	b->steps = b->gap + b->nblocks;
	b->sum = b->steps + (size_t)b->nblocks * b->nsteps;
	for (unsigned i = 0; i < b->orders.nsides; i++) {
		const struct orders_side *side = &b->orders.sides[i];
		for (unsigned k = 0; k < b->nblocks; k++) {
			double log = side->weight * rise(b, side, k);
			b->steps[side->step * b->nblocks + k] += log;
			b->gap[k] += log;
		}
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
	const struct edge *e =
	    way->edges[i + 1] == NOWHERE ? NULL : &web->edges[way->edges[i + 1]];
	*step = (struct waterfall_step){.rest = !e,
	                                .from = way->variants[i],
	                                .to = way->variants[i + 1],
	                                .log = mean_of(logs, b->nblocks),
	                                .share = STATS_NO_RATIO,
	                                .verdict = verdict_of(
	                                    stats_ratio_of_logs(logs, b->nblocks, b->confidence),
	                                    s->margin)};
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

/* The shares of the gap that a step has on each of its sides: by the order of the steps. */
static void fill_range(const struct bricks *b, unsigned i, struct waterfall_step *step)
{
	for (unsigned k = 0; k < b->orders.nsides; k++) {
		const struct orders_side *side = &b->orders.sides[k];
		if (side->step != i)
			continue;
		for (unsigned block = 0; block < b->nblocks; block++)
			b->sum[block] = rise(b, side, block);
		double share = stats_share(b->sum, b->gap, b->nblocks, b->confidence).estimate;
		step->least = step->nsides ? fmin(step->least, share) : share;
		step->most = step->nsides ? fmax(step->most, share) : share;
		step->nsides++;
	}
}

/* Shares mean something only where there is a gap. */
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
	for (unsigned i = 0; i < w->nsteps && gap; i++)
		fill_range(b, i, &w->steps[i]);
	if (w->why[0])
		return;
	if (verdict_within(&w->gap))
		snprintf(w->why, sizeof w->why,
		         "there is no gap to explain: no difference within %.3g %%",
		         100 * w->gap.margin);
	else if (at_odds)
		snprintf(w->why, sizeof w->why,
		         "few blocks lie so far off that the gap's mean and its estimate point "
		         "two ways");
	else if (!gap)
		snprintf(
		    w->why, sizeof w->why,
		    "the gap itself is undecided, so that shares of it would mean nothing");
}

/* Steps, shares and what is left, along a way. */
static int follow(const struct summary *s, const struct claim_list *asked,
                  const struct web *web, const struct way *way, struct waterfall *w,
                  struct status *st)
{
	struct bricks b = {.nsteps = way->n - 1, .confidence = s->looks.confidence};
	struct contrast gap;
	if (orders_choose(s, asked, way, &b.orders, &gap, st))
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
	w->orders = b.orders.measured;
	w->possible = b.orders.possible;
	int rc = bricks_make(s, asked, &b, st);
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

/* --- in words --- */

/* The names of the steps that count to one side of 0, the largest first, each with its share
 * where that is not the whole answer. How many there are. */
static unsigned say_names(const struct waterfall *w, bool against, bool shares, char *text,
                          size_t bytes)
{
	static const unsigned most = 3; /* names */
	unsigned order[WATERFALL_MAX_STEPS], n = 0;
	double sizes[WATERFALL_MAX_STEPS] = {0}; /* of those that are not named: below 0 */
	for (unsigned i = 0; i < w->nsteps; i++) {
		double share = w->steps[i].share.estimate;
		bool named = w->steps[i].counts && (share < 0) == against;
		sizes[i] = named ? fabs(share) : -1;
		n += named;
	}
	stats_order(sizes, w->nsteps, order);
	for (unsigned i = 0; i < n && i < most; i++) {
		const struct waterfall_step *step = &w->steps[order[i]];
		words_add(text, bytes, "%s%s",
		          !i           ? ""
		          : i + 1 == n ? " and "
		                       : ", ",
		          step->name);
		if (shares || n > 1)
			words_add(text, bytes, " (%s)",
			          words_shares(step->share.lo, step->share.hi).text);
	}
	if (n > most)
		words_add(text, bytes, " and %u more", n - most);
	return n;
}

void waterfall_say(const struct waterfall *w, char *text, size_t bytes)
{
	const struct stats_ratio *e = &w->explained;
	char names[WATERFALL_TEXT_BYTES / 3] = "", others[WATERFALL_TEXT_BYTES / 3] = "";
	if (isnan(e->estimate)) {
		snprintf(text, bytes, "%s", w->why);
		return;
	}
	unsigned against = say_names(w, true, true, others, sizeof others),
	         n = say_names(w, false, against, names, sizeof names);
	const char *s = n == 1 ? "s" : "";
	const struct words range = words_shares(e->lo, e->hi),
	                   left = words_shares(1 - e->hi, 1 - e->lo),
	                   back = words_shares(e->lo - 1, e->hi - 1);
	if (!n)
		snprintf(text, bytes, "no factor explains any of the gap beyond the margin");
	else if (e->hi - e->lo < 1e-9) /* no other step */
		snprintf(text, bytes, "%s explain%s all of the gap", names, s);
	else if (e->lo > 1)
		snprintf(text, bytes,
		         "%s explain%s more than the gap (%s); the other steps take %s back",
		         names, s, range.text, back.text);
	else if (e->hi < 1)
		snprintf(text, bytes, "%s explain%s %s of the gap; %s is left or undecided",
		         names, s, range.text, left.text);
	else if (e->lo >= WATERFALL_ALL)
		snprintf(text, bytes, "%s explain%s all of the gap (%s)", names, s, range.text);
	else
		snprintf(text, bytes,
		         "%s explain%s %s of the gap: too wide to say whether anything is left",
		         names, s, range.text);
	if (n && against)
		words_add(text, bytes, "; %s work%s against it", others,
		          against == 1 ? "s" : "");
}

void waterfall_say_orders(const struct waterfall *w, char *text, size_t bytes)
{
	text[0] = '\0';
	if (!(w->possible > 1) || isnan(w->explained.estimate))
		return;
	if (w->orders < 2) {
		snprintf(text, bytes,
		         "One order of the steps was measured, of %.0f: in another, shares may "
		         "differ",
		         w->possible);
		return;
	}
	if (w->possible < 3)
		words_add(text, bytes, "Shares are means over both orders of the steps");
	else
		words_add(text, bytes, "Shares are means over %.0f of %.0f orders of the steps",
		          w->orders, w->possible);
	for (unsigned i = 0; i < w->nsteps; i++)
		words_add(text, bytes, "%s %s %s", i ? "," : "; from order to order",
		          w->steps[i].name,
		          words_shares(w->steps[i].least, w->steps[i].most).text);
}
