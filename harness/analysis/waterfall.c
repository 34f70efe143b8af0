/* The way from one end of the gap to the other, over factors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "waterfall.h"
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
};

/* Where each variant is reached from on the shortest way from a start. */
struct reach {
	unsigned *far;  /* steps from the start, or NOWHERE */
	unsigned *edge; /* the last edge of the way */
};

static void web_make(const struct summary *s, const struct claim_list *asked, unsigned from,
                     unsigned to, struct web *out)
{
	*out = (struct web){.nvariants = s->nvariants};
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
	return (v->kind == VERDICT_FASTER && !(log > 0)) ||
	       (v->kind == VERDICT_SLOWER && !(log < 0));
}

/* The i-th step, from the contrast of its two ends. */
static void fill_step(const struct web *web, const struct way *way, const struct contrast *c,
                      unsigned i, struct waterfall_step *step)
{
	const struct edge *e =
	    way->edges[i + 1] == NOWHERE ? NULL : &web->edges[way->edges[i + 1]];
	*step = (struct waterfall_step){.rest = !e,
	                                .from = c->right,
	                                .to = c->left,
	                                .from_gbs = c->right_side.value,
	                                .to_gbs = c->left_side.value,
	                                .log = c->left_side.log - c->right_side.log,
	                                .verdict = c->verdict};
	step->backwards = e && e->a != step->from;
	step->placebo = e && e->factor->placebo;
	step->ratio = exp(step->log);
	step->at_odds = is_at_odds(&step->verdict, step->log);
	if (step->at_odds)
		step->verdict.kind = VERDICT_UNDECIDED;
	step->counts = e && !step->placebo && verdict_effect(&step->verdict);
	strcpy(step->name, e ? e->factor->name : "rest");
}

/* Shares mean something only where there is a gap. */
static void fill_shares(struct waterfall *w)
{
	bool at_odds = is_at_odds(&w->gap, w->log);
	bool gap = !at_odds && verdict_effect(&w->gap);
	w->explained = gap ? 0 : NAN;
	for (unsigned i = 0; i < w->nsteps; i++) {
		w->steps[i].share = gap ? w->steps[i].log / w->log : NAN;
		if (w->steps[i].counts)
			w->explained += w->steps[i].share;
	}
	if (w->gap.kind == VERDICT_NO_DIFFERENCE)
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
	const struct contrast_select select = {.bytes = asked->gap.bytes,
	                                       .pace = PACE_STREAM,
	                                       .coll = CLAIM_ANY_COLL,
	                                       .with = way->variants,
	                                       .nwith = way->n};
	struct contrast c;
	if (contrast_make(s, way->variants[way->n - 1], way->variants[0], METRIC_BUSBW, &select,
	                  &c, st))
		return -1;
	memcpy(w->why, c.why, sizeof w->why);
	w->ncells = c.ncells;
	w->nblocks = c.nblocks;
	if (!c.nblocks)
		return 0;
	w->nsteps = way->n - 1;
	w->gap = c.verdict;
	w->log = c.left_side.log - c.right_side.log;
	for (unsigned i = 0; i < w->nsteps; i++) {
		if (contrast_make(s, way->variants[i + 1], way->variants[i], METRIC_BUSBW,
		                  &select, &c, st))
			return -1;
		fill_step(web, way, &c, i, &w->steps[i]);
	}
	fill_shares(w);
	return 0;
}

/* Whether what is left is no less than the gap: the factors lead elsewhere. */
static bool leads_away(const struct waterfall *w)
{
	for (unsigned i = 0; i < w->nsteps; i++)
		if (w->steps[i].rest && fabs(w->steps[i].log) >= fabs(w->log))
			return w->nsteps > 1;
	return false;
}

int waterfall_make(const struct summary *s, const struct claim_list *asked,
                   struct waterfall *out, struct status *st)
{
	struct waterfall w = {.log = NAN, .explained = NAN};
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
	web_make(s, asked, from, to, &web);
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

void waterfall_say(const struct waterfall *w, char *text, size_t bytes)
{
	static const unsigned most = 3; /* names */
	unsigned order[WATERFALL_MAX_STEPS], n = 0;
	double shares[WATERFALL_MAX_STEPS] = {0}; /* those that do not count last */
	char names[WATERFALL_TEXT_BYTES] = "";
	if (isnan(w->explained)) {
		snprintf(text, bytes, "%s", w->why);
		return;
	}
	for (unsigned i = 0; i < w->nsteps; i++) {
		shares[i] = w->steps[i].counts ? fabs(w->steps[i].share) : -1;
		n += w->steps[i].counts;
	}
	stats_order(shares, w->nsteps, order);
	for (unsigned i = 0; i < n && i < most; i++) {
		const char *sep = !i ? "" : i + 1 == n ? " and " : ", ";
		words_add(names, sizeof names, "%s%s", sep, w->steps[order[i]].name);
	}
	if (n > most)
		words_add(names, sizeof names, " and %u more", n - most);
	double explained = round(100 * w->explained), left = 100 - explained;
	if (n && fabs(left) < 1)
		snprintf(text, bytes, "%s explain%s all of the gap", names, n == 1 ? "s" : "");
	else if (n)
		snprintf(text, bytes, "%s explain%s %.0f %% of the gap%s", names,
		         n == 1 ? "s" : "", explained + 0.0,
		         left < 0 ? ", noise included" : "");
	if (n && left >= 1)
		words_add(text, bytes, "; %.0f %% is left or undecided", left);
	if (n)
		return;
	snprintf(text, bytes, "no factor explains any of the gap beyond the margin");
}
