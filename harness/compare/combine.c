#include "combine.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../arena.h"
#include "../record/record_file.h"
#include "../story/verdict_text.h"
#include "../record/member.h"

/* --- the runs ---------------------------------------------------------------------------- */

/* What tells one set of GPUs from another. */
static const char *gpus_of(struct arena *arena, const json_t *machine)
{
	const json_t *list = json_object_get(machine, "gpus");
	const char *all = "";
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *id = member_or_empty(json_array_get(list, i), "uuid");
		/* "GPU-164679bb-…": as much as tells them apart. */
		if (*id)
			all = arena_text(arena, "%s%s%.12s", all, *all ? ", " : "", id);
	}
	return all;
}

static const char *doubt_of(struct arena *arena, const struct regimes *r)
{
	const char *all = NULL;
	for (unsigned i = 0; i < r->n; i++)
		if (!r->list[i].tells)
			all = arena_text(arena, "%s%s%s", all ? all : "", all ? ", " : "",
			                 r->list[i].label);
	return all;
}

static int run_load(struct combined *c, unsigned i, const char *path, struct status *st)
{
	struct combined_run *run = &c->runs[i];
	struct source_record *record = ARENA_NEW(c->arena, struct source_record);
	run->letter = arena_text(c->arena, "%c", 'A' + i);
	run->facts = (struct result){.path = result_plain(c->arena, path), .arena = c->arena};
	if (!access(path, F_OK) && !source_is_record(path))
		return status_set(
		    st,
		    "%s is no record, and to combine takes records; nccl-tests' files "
		    "are one side together, in a folder or with commas between%s",
		    path, record_file_latest(path).text);
	if (source_open(path, c->arena, record, st))
		return -1;
	run->s = &record->s;
	source_facts(&run->facts, run->s);
	run->analysis = analysis_make(run->s, st);
	if (!run->analysis)
		return -1;
	const json_t *machine = json_object_get(record->run.environment, "machine");
	run->path = run->facts.path;
	run->measured = run->facts.facts[FACT_MEASURED];
	run->machine = run->facts.facts[FACT_MACHINE];
	run->library = run->facts.facts[FACT_LIBRARY];
	run->program = run->facts.facts[FACT_PROGRAM];
	run->boot = arena_copy(c->arena, member_or_empty(machine, "boot"));
	run->gpus = gpus_of(c->arena, machine);
	run->doubt = doubt_of(c->arena, &run->analysis->regimes);
	run->blocks = run->s->nblocks;
	return 0;
}

/* Facts in which all runs have to agree. */
static int check_alike(const struct combined_run *a, const struct combined_run *b,
                       struct status *st)
{
	static const struct {
		enum result_fact fact;
		const char *name;
	} wanted[] = {
	    {FACT_EXPERIMENT, "experiment"}, {FACT_BACKEND, "backend"}, {FACT_RANKS, "ranks"}};
	const char *created = a->facts.facts[FACT_MEASURED];
	if (*created && !strcmp(created, b->facts.facts[FACT_MEASURED]) &&
	    !strcmp(a->facts.seed, b->facts.seed))
		return status_set(st,
		                  "%s and %s are the same run, of %s: to combine takes runs that "
		                  "were measured apart",
		                  a->letter, b->letter, created);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const char *x = a->facts.facts[wanted[i].fact], *y = b->facts.facts[wanted[i].fact];
		if (strcmp(x, y))
			return status_set(
			    st,
			    "%s is not the same: %.80s in %s, %.80s in %s; runs to combine "
			    "are of one experiment, on one backend and as many ranks",
			    wanted[i].name, x, a->letter, y, b->letter);
	}
	return 0;
}

/* --- questions --------------------------------------------------------------------------- */

static void no_ratios(struct combined_ratio *r)
{
	for (unsigned i = 0; i < POOLED_MOST; i++)
		r->runs[i] = STATS_NO_RATIO;
}

/* What all runs say together. Blocks that more of would decide are of runs, and more runs decide: neither
 * is said. */
static void pool(const struct combined *c, struct combined_ratio *r)
{
	r->pooled = pooled_of(r->runs, c->nruns, VERDICT_CONFIDENCE);
	r->ratio = r->pooled.ratio;
	if (isnan(r->pooled.next.lo)) /* it would repeat the ratio */
		r->pooled.next = STATS_NO_RATIO;
}

static bool same_claim(const struct claims_result *a, const struct claims_result *b)
{
	const struct claim *x = a->claim, *y = b->claim;
	const struct claim_range *r = &a->contrast.sizes, *s = &b->contrast.sizes;
	return !strcmp(x->name, y->name) && !strcmp(x->left, y->left) &&
	       !strcmp(x->right, y->right) && x->metric == y->metric && x->test == y->test &&
	       fabs(x->by - y->by) < 1e-9 && fabs(x->of - y->of) < 1e-9 && r->lo == s->lo &&
	       r->hi == s->hi && a->contrast.ncells == b->contrast.ncells;
}

static void claims_add(struct combined *c, unsigned run)
{
	const struct analysis *a = c->runs[run].analysis;
	for (unsigned i = 0; i < a->asked.nclaims; i++) {
		const struct claims_result *r = &a->claims[i];
		unsigned k = 0;
		if (r->outcome == CLAIMS_UNTESTED || isnan(r->contrast.ratio.lo))
			continue;
		while (k < c->nclaims && !same_claim(&c->claims[k].result, r))
			k++;
		if (k == c->nclaims) {
			c->claims = arena_more(c->arena, c->claims, k, sizeof *c->claims);
			c->claims[c->nclaims++] = (struct combined_claim){
			    .result = *r, .name = r->claim->name, .text = r->claim->text};
			no_ratios(&c->claims[k].of);
		}
		c->claims[k].of.runs[run] = r->contrast.ratio;
	}
}

static bool same_speed(const struct combined_speed *a, const struct combined_speed *b)
{
	if (strcmp(a->variant, b->variant))
		return false;
	if (a->regime)
		return !strcmp(a->regime->name, b->regime->name) &&
		       a->regime->sizes.lo == b->regime->sizes.lo &&
		       a->regime->sizes.hi == b->regime->sizes.hi;
	return a->cell->nranks == b->cell->nranks && a->cell->cell.bytes == b->cell->cell.bytes &&
	       result_same_kind(&a->cell->cell, &b->cell->cell);
}

static struct combined_speed *speed_add(const struct combined *c, struct combined_speed *list,
                                        unsigned *n, const struct combined_speed *of, unsigned run,
                                        struct stats_ratio ratio)
{
	unsigned k = 0;
	while (k < *n && !same_speed(&list[k], of))
		k++;
	if (k == *n) {
		list = arena_more(c->arena, list, k, sizeof *list);
		list[(*n)++] = *of;
		no_ratios(&list[k].of);
	}
	list[k].of.runs[run] = ratio;
	return list;
}

static void speeds_add(struct combined *c, unsigned run)
{
	const struct analysis *a = c->runs[run].analysis;
	const struct summary *s = a->s;
	for (unsigned i = 0; i < a->regimes.n; i++) {
		const struct regime *g = &a->regimes.list[i];
		for (unsigned v = 0; v < g->nvariants; v++) {
			const struct combined_speed of = {.variant = s->variants[v].name,
			                                  .twin = (int)v == g->twin,
			                                  .regime = g,
			                                  .sizes = g->label};
			if (!isnan(g->contrasts[v].verdict.ratio.lo))
				c->regimes = speed_add(c, c->regimes, &c->nregimes, &of, run,
				                       g->contrasts[v].verdict.ratio);
		}
	}
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		const struct combined_speed of = {
		    .variant = s->variants[row->variant].name,
		    .twin = (int)row->variant == s->twin,
		    .cell = row,
		    .what = arena_copy(c->arena, coll_word(&row->cell, row->nranks).text),
		    .pace = coll_pace_name(row->cell.pace),
		    .bytes = row->cell.asked_bytes};
		if (!isnan(row->ratio.lo))
			c->cells = speed_add(c, c->cells, &c->ncells, &of, run, row->ratio);
	}
}

/* --- what they say together -------------------------------------------------------------- */

static struct stats_ratio divided(struct stats_ratio r, double by)
{
	r.estimate /= by;
	r.lo /= by;
	r.hi /= by;
	return r;
}

static void claim_judge(struct combined *c, struct combined_claim *one)
{
	struct claims_result *r = &one->result;
	const struct claim *claim = r->claim;
	const struct pooled *p = &one->of.pooled;
	const double of = claim->of > 0 ? claim->of : 1, edge = log1p(claim->by);
	pool(c, &one->of);
	r->contrast.ratio = p->ratio;
	r->contrast.bounds = p->bounds;
	r->contrast.odd = (struct verdict_odd){.block = 0};
	r->contrast.p = (struct contrast_p){.less = pooled_tails(p, log(of) - edge),
	                                    .one = pooled_tails(p, log(of)),
	                                    .more = pooled_tails(p, log(of) + edge)};
	r->tested = (struct claims_ratio){divided(p->bounds, of), divided(p->ratio, of)};
	r->outcome = claims_decide(&r->tested, claim->test, claim->by, &r->more_blocks);
	r->more_blocks = 0;
	r->detectable = claims_detectable(&r->tested, claim->test, claim->by);
	r->p = claims_p(&r->contrast.p, claim->test, r->outcome);
}

static void claims_combine(struct combined *c)
{
	const struct claim_list *asked = &c->runs[0].analysis->asked;
	struct claims_result *all = ARENA_ARRAY(c->arena, struct claims_result, CLAIM_MAX);
	unsigned n = 0;
	for (unsigned i = 0; i < c->nclaims; i++) {
		claim_judge(c, &c->claims[i]);
		if (c->claims[i].of.pooled.runs > 1 && n < CLAIM_MAX) {
			all[n] = c->claims[i].result;
			c->claims[n++] = c->claims[i];
		}
	}
	c->nclaims = n;
	claims_family(all, n, asked->primary);
	for (unsigned i = 0; i < n; i++) {
		struct combined_claim *one = &c->claims[i];
		one->result = all[i];
		one->of.ratio = *claims_interval(&one->result);
		one->primary = one->result.primary;
		one->verdict = verdict_claim_text(c->arena, &one->result, true);
	}
}

/* Of those that several runs have. */
static unsigned speeds_combine(const struct combined *c, struct combined_speed *list, unsigned n)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < n; i++) {
		struct combined_speed *one = &list[i];
		pool(c, &one->of);
		one->verdict = verdict_of(one->of.ratio, c->margin);
		one->verdict.more_blocks = 0;
		if (one->of.pooled.runs > 1)
			list[kept++] = *one;
	}
	return kept;
}

/* As in a run: where the A/A line differs from 1, only what is beyond it is called. */
static void regimes_withhold(struct combined *c)
{
	for (unsigned i = 0; i < c->nregimes; i++) {
		const struct combined_speed *line = &c->regimes[i];
		const struct regime seen = regime_of_line(&line->verdict.ratio, c->margin);
		for (unsigned k = 0; k < c->nregimes && line->twin; k++)
			if (k != i && !strcmp(c->regimes[k].regime->name, line->regime->name))
				regime_withhold(&seen, seen.least_effect, &c->regimes[k].verdict);
	}
}

int combine_make(struct combined *c, const char *const *paths, unsigned n, struct status *st)
{
	c->nruns = n;
	c->runs = ARENA_ARRAY(c->arena, struct combined_run, n);
	for (unsigned i = 0; i < n; i++) {
		if (run_load(c, i, paths[i], st))
			return -1;
		for (unsigned k = 0; k < i; k++)
			if (check_alike(&c->runs[k], &c->runs[i], st))
				return -1;
	}
	for (unsigned i = 0; i < n; i++) {
		claims_add(c, i);
		speeds_add(c, i);
	}
	claims_combine(c);
	c->nregimes = speeds_combine(c, c->regimes, c->nregimes);
	c->ncells = speeds_combine(c, c->cells, c->ncells);
	regimes_withhold(c);
	if (!c->nclaims && !c->ncells)
		return status_set(st, "the runs have no claim and no cell in common with an "
		                      "interval; below 6 blocks a run has none");
	return 0;
}
