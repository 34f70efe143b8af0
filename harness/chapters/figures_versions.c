/* Threads and processes by version of the library, with the contrasts of variants that
 * analysis/versions.h picks: the tables version_side and version_remark. */
#include <math.h>

#include "../analysis/versions.h"
#include "../data/load.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "figures.h"
#include "reasons.h"

#define LARGE_FROM ((size_t)16 << 20)

/* A collective in one regime, on all versions. */
struct part {
	const struct analysis *a;
	struct arena *arena;
	struct db *db;
	const struct versions *v;
	unsigned nth, *with; /* with: all variants that are compared, version by version */
	enum coll_kind coll;
	enum metric metric;
	enum pace pace;
	const struct regime *regime; /* or NULL */
	struct claim_range range;
};

static bool is_large(const struct summary *s)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; i < s->groups[g].nsizes; i++)
			if (s->groups[g].cell.pace == PACE_STREAM && !s->groups[g].limit &&
			    s->groups[g].asked_bytes[i] >= LARGE_FROM)
				return true;
	return false;
}

/* All figures use the cells and blocks that every one of the variants has. A verdict is by the rule of
 * every regime: one beyond its noise counts. */
static struct contrast contrast_of(const struct part *p, unsigned left, unsigned right)
{
	const struct contrast_select select = {.bytes = p->range,
	                                       .pace = (int)p->pace,
	                                       .coll = (int)p->coll,
	                                       .with = p->with,
	                                       .nwith = p->v->n * p->v->nmodes};
	struct contrast of = contrast_make(p->a->s, left, right, p->metric, &select);
	if (p->regime)
		regime_withhold(p->regime, fmax(p->regime->least_effect, of.verdict.margin),
		                &of.verdict);
	return of;
}

static void put_side(const struct part *p, unsigned ranks, unsigned i, enum versions_mode mode)
{
	const unsigned *own = p->v->picks[i].variants, before = i ? i - 1 : 0;
	const struct contrast change =
	    contrast_of(p, own[mode], p->v->picks[before].variants[mode]);
	const struct contrast of = contrast_of(p, own[mode], own[VERSIONS_THREADS]);
	const double scale = contrast_is_time(p->metric) ? 1e-3 : 1; /* times are in ns */
	const struct contrast_side *left = &change.left_side;
	char verdict[VERDICT_TEXT_BYTES] = "", unseen[64];
	const bool judged = mode == VERSIONS_PROCESSES && !isnan(of.verdict.ratio.estimate);
	if (judged)
		verdict_text(&of.verdict, verdict, sizeof verdict);
	verdict_unseen_text(of.verdict.detectable, unseen, sizeof unseen);
	db_add(p->db, "version_side",
	       "ittii"
	       "iilltittisrirtiidt",
	       p->nth, coll_info(p->coll)->name, metric_info(p->metric)->name,
	       contrast_is_time(p->metric), ranks, of.ncells, of.nblocks, of.sizes.lo, of.sizes.hi,
	       reason_text(p->arena, &of.why), i + 1, p->v->picks[i].version,
	       versions_mode_name(mode), own[mode],
	       (struct stats_interval){left->value * scale, left->lo * scale, left->hi * scale},
	       i ? change.verdict.ratio : STATS_NO_RATIO,
	       i ? (unsigned)(1 + verdict_beyond(&change.verdict)) : 1,
	       judged ? of.verdict.ratio : STATS_NO_RATIO, verdict,
	       (unsigned)(1 + verdict_beyond(&of.verdict)), verdict_decided(&of.verdict),
	       judged ? of.verdict.detectable : NAN, unseen);
}

static bool put_part(const struct part *p)
{
	unsigned ranks = 0;
	for (unsigned g = 0; g < p->a->s->ngroups; g++) {
		const struct summary_group *of = &p->a->s->groups[g];
		if (of->cell.coll == p->coll && of->cell.pace == p->pace && !of->limit)
			ranks = of->nranks;
	}
	if (p->coll == COLL_INIT || !ranks)
		return false;
	for (unsigned i = 0; i < p->v->n; i++)
		for (unsigned mode = 0; mode < p->v->nmodes; mode++)
			put_side(p, ranks, i, (enum versions_mode)mode);
	return true;
}

static void put_parts(struct part *p)
{
	for (unsigned coll = 0; coll < COLL_KINDS; coll++) {
		p->coll = (enum coll_kind)coll;
		p->nth += put_part(p);
	}
}

static void put_remark(const struct part *p, const struct versions_remark *r)
{
	const char *threads = reason_text(p->arena, &r->why[VERSIONS_THREADS]),
	           *processes = reason_text(p->arena, &r->why[VERSIONS_PROCESSES]),
	           *both = *threads && *processes ? "; " : "";
	const char *why = arena_text(p->arena, "%s%s%s", threads, both, processes);
	db_add(p->db, "version_remark", "ttttt", r->version,
	       r->taken ? NULL
	       : *why   ? why
	                : "threads and processes are of two files of it",
	       r->mode, r->taken, r->others);
}

void figures_of_versions(const struct figures *f)
{
	const struct analysis *a = f->a;
	struct arena *arena = f->arena;
	struct versions v;
	versions_find(a->s, arena, &v);
	const unsigned n = v.n * v.nmodes;
	struct part p = {.a = a,
	                 .arena = arena,
	                 .db = f->db,
	                 .v = &v,
	                 .with = ARENA_ARRAY(arena, unsigned, n + 1),
	                 .metric = METRIC_BUSBW,
	                 .pace = PACE_STREAM,
	                 .regime = regimes_find(&a->regimes, REGIME_LARGE),
	                 .range = {is_large(a->s) ? LARGE_FROM : 0, SIZE_MAX}};
	for (unsigned i = 0; i < v.nremarks; i++)
		put_remark(&p, &v.remarks[i]);
	for (unsigned i = 0; i < n; i++)
		p.with[i] = v.picks[i / v.nmodes].variants[i % v.nmodes];
	if (a->asked.gap.from[0])
		p.range = a->asked.gap.bytes;
	if (n)
		put_parts(&p);
	p.regime = regimes_find(&a->regimes, REGIME_SMALL);
	if (!n || !p.regime || p.regime->metric != METRIC_LATENCY)
		return;
	p.metric = METRIC_LATENCY;
	p.pace = PACE_ISOLATED;
	p.range = p.regime->range;
	put_parts(&p);
}
