#include "figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/hosts.h"
#include "../analysis/rank_evidence.h"
#include "../data/load.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "reasons.h"
#include "run.h"

/* A source of figures: the analysis, and where they go. */
struct figures {
	const struct analysis *a;
	const struct summary *s;
	struct arena *arena;
	struct db *db;
};

static const char *name_of(const struct summary *s, int variant)
{
	return variant < 0 ? NULL : s->variants[variant].name;
}

static void put_given(const struct figures *f)
{
	const struct summary *s = f->s;
	char machine[256];
	run_machine(s, machine, sizeof machine);
	db_add(f->db, "given", "ttddiiiiiiiiiit", name_of(s, s->reference), machine, s->margin,
	       s->looks.confidence, s->nblocks, STATS_MIN_BLOCKS, s->ngroups, run_few_groups(s),
	       s->isolated_calls, METRIC_P99_CALLS, s->measured, s->carries_data,
	       summary_has_pace(s, PACE_ISOLATED), s->reference >= 0 && !s->uncompared.kind,
	       f->a->evidence.missing);
	for (unsigned v = 0; v < s->nvariants; v++)
		db_add(f->db, "known", "iiiiiitt", v, s->variants[v].measured,
		       summary_has_ratio(s, v), index_other_ranks(s, v), summary_is_asked(s, v),
		       s->variants[v].traits->launches, s->variants[v].library,
		       s->variants[v].path);
}

/* --- places --- */

static void put_over(const struct figures *f, unsigned v, unsigned group)
{
	const struct stats_ratio speed = f->s->groups[group].gaps[v];
	const bool twin = f->s->variants[v].role == ROLE_AGAIN;
	const struct verdict verdict = verdict_of(twin ? STATS_NO_RATIO : speed, f->s->margin);
	char text[VERDICT_TEXT_BYTES] = "";
	if (!twin)
		verdict_text(&verdict, text, sizeof text);
	if (!isnan(speed.estimate))
		db_add(f->db, "over_sizes", "iirt", v, group, speed, text);
}

static void put_places(const struct figures *f)
{
	for (unsigned g = 0; g < f->s->ngroups; g++) {
		const struct summary_group *of = &f->s->groups[g];
		const struct cell *c = &of->cell;
		for (unsigned i = 0; i < of->nsizes; i++)
			db_add(f->db, "place", "iiiiitttttiitilll", index_place(f->s, g, i), g,
			       i + 1, of->nsizes, of->limit, coll_info(c->coll)->name,
			       run_collective(f->arena, of), coll_title(c, of->nranks).text,
			       coll_dtype_name(c->dtype), coll_op_name(c->op), c->root, c->in_place,
			       coll_pace_name(c->pace), of->nranks, of->asked_bytes[i],
			       of->bytes[i], of->moved_bytes[i]);
		for (unsigned v = 0; of->gaps && v < f->s->nvariants; v++)
			put_over(f, v, g);
	}
}

static void put_result(const struct figures *f, const struct summary_row *row)
{
	const struct summary *s = f->s;
	const struct summary_group *g = &s->groups[row->group];
	const struct summary_rank *last =
	    row->ranks && row->nranks > 1 ? &row->ranks[row->straggler] : NULL;
	unsigned size = 0;
	while (g->bytes[size] != row->cell.bytes)
		size++;
	const struct stats_interval time = {row->time_us, row->time_us_lo, row->time_us_hi};
	struct stats_interval busbw = summary_busbw(row);
	busbw.estimate = row->busbw_gbs;
	db_add(f->db, "result",
	       "iiiisddddds"
	       "dss"
	       "dddr"
	       "illiiddd",
	       row->variant, index_place(s, row->group, size), row->ntrials, row->failed, time,
	       row->time_rank0_us, row->time_mean_us, row->time_min_us, row->time_max_us,
	       row->algbw_gbs, busbw, row->p50_us, row->p95_us, row->p99_us, row->launch_us,
	       row->skew_us, row->resolution_us, row->ratio,
	       row->carries_data ? (unsigned)row->wrong : DB_NONE, row->faults, row->switches,
	       row->carries_data ? row->digest_ok : DB_NONE, last ? row->straggler : DB_NONE,
	       last ? last->last : NAN, last ? last->last_by_us : NAN,
	       summary_limit(s, row->cell.bytes));
	for (unsigned r = 0; row->ranks && r < row->nranks; r++) {
		const struct summary_rank *k = &row->ranks[r];
		db_add(f->db, "result_rank", "iiidddddd", row->variant,
		       index_place(s, row->group, size), r, k->skew_us, k->launch_us, k->finish_us,
		       k->late_us, k->last, k->last_by_us);
	}
}

/* --- regimes --- */

/* What the sentence of a regime says of a variant; NULL: nothing. */
static const char *said_of(const struct figures *f, const struct regime *g, unsigned variant)
{
	const struct evidence_path *path = &f->a->evidence.paths[variant];
	const struct verdict *v = &g->contrasts[variant].verdict;
	const int beyond = g->tells ? verdict_beyond(v) : regime_beyond(g, &v->ratio);
	if ((int)variant == g->twin)
		return NULL;
	if (beyond)
		return beyond > 0 ? "faster" : "slower";
	/* A setting that did nothing is reported separately. */
	if (isnan(v->ratio.lo) || (path->nidle && (int)path->idle_as == f->s->reference))
		return NULL;
	if (v->odd.block)
		return "odd";
	return g->tells && verdict_within(v) ? "alike" : "open";
}

static void put_speed(const struct figures *f, unsigned nth, unsigned v)
{
	const struct regime *g = &f->a->regimes.list[nth];
	const struct contrast *c = &g->contrasts[v];
	const struct stats_ratio *r = &c->verdict.ratio;
	const struct stats_ratio time = {1 / r->estimate, 1 / r->hi, 1 / r->lo, r->blocks, NAN};
	const struct evidence_path *path = &f->a->evidence.paths[v];
	const double scale = contrast_is_time(g->metric) ? 1e-3 : 1; /* times are in ns */
	char verdict[VERDICT_TEXT_BYTES], odd[128] = "";
	if (c->why.kind || isnan(c->ratio.estimate))
		return;
	regime_verdict_text(g, v, verdict, sizeof verdict);
	if (c->verdict.odd.block)
		verdict_odd_text(&c->verdict.odd, odd, sizeof odd);
	db_add(f->db, "speed", "iiddrrttidttt", nth, v, c->left_side.value * scale,
	       c->right_side.value * scale, *r, time, verdict, said_of(f, g, v),
	       verdict_within(&c->verdict), c->verdict.detectable, odd,
	       path->nidle ? idle_text(f->arena, path) : NULL,
	       path->nidle ? f->s->variants[path->idle_as].name : NULL);
}

static void put_regimes(const struct figures *f)
{
	for (unsigned i = 0; i < f->a->regimes.n; i++) {
		const struct regime *g = &f->a->regimes.list[i];
		double unseen = 0;
		char text[64];
		for (unsigned v = 0; v < g->nvariants; v++) {
			const char *said = said_of(f, g, v);
			put_speed(f, i, v);
			if (said && !strcmp(said, "open"))
				unseen = fmax(
				    unseen, verdict_detectable(&g->contrasts[v].verdict.ratio,
				                               fmax(g->least_effect, f->s->margin),
				                               VERDICT_BOTH_ENDS));
		}
		verdict_unseen_text(unseen, text, sizeof text);
		db_add(f->db, "regime", "ittttttiit", i, g->name, g->label, regime_about(g).text,
		       format_range(g->sizes).text, metric_info(g->metric)->name,
		       metric_info(g->metric)->unit, g->third, g->tells, text);
	}
}

/* --- evidence --- */

/* What the library moved up is not capped. */
static const char *act_of(const struct path_setting *set)
{
	char *end;
	const double asked = strtod(set->asked, &end), used = strtod(set->used, NULL);
	return set->act == PATH_CAPPED && !*end && used > asked ? "raised"
	                                                        : path_act_name(set->act);
}

static void put_ways(const struct figures *f)
{
	for (unsigned v = 0; v < f->s->nvariants; v++) {
		const struct evidence_path *p = &f->a->evidence.paths[v];
		db_add(f->db, "way", "itttttttttttt", v, p->transport, p->unexpected, p->links,
		       p->data_path, p->registered, p->copy_engine, p->channels, p->chunk,
		       p->algorithms, p->launched, p->why, p->pairs);
		for (unsigned i = 0; i < p->nsettings; i++)
			db_add(f->db, "acted", "ittttt", v, p->settings[i].key,
			       p->settings[i].asked, p->settings[i].used, act_of(&p->settings[i]),
			       p->settings[i].why);
	}
}

static void put_counted(const struct figures *f, unsigned id)
{
	const struct evidence_row *e = &f->a->evidence.rows[id];
	const bool known = !isnan(e->model);
	double x[RANK_FIGURES];
	db_add(f->db, "counted", "iiiiddddddddddddddd", id, e->variant,
	       index_place(f->s, e->group, e->size), e->blocks, e->nvlink_tx_gbs, e->nvlink_rx_gbs,
	       e->limit_share, e->dram_gbs, e->dram_share, e->dram_per_nvlink, e->model,
	       known ? NAN : e->direct, known ? NAN : e->staged, e->cached, e->sm_percent / 100,
	       e->pcie_tx_gbs, e->copies, e->copies_model, e->issue_cores);
	for (unsigned r = 0; r < f->s->groups[e->group].nranks; r++) {
		const unsigned blocks = rank_evidence_make(f->s, e, r, x);
		db_add(f->db, "counted_rank", "iiiddddddddddddddd", id, r, blocks, x[0], x[1], x[2],
		       x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14]);
	}
}

static void put_hosts(const struct figures *f, unsigned variant)
{
	const struct hosts_use use = hosts_of(f->s, variant);
	for (unsigned i = 0; i < use.n; i++) {
		const struct hosts_host *h = &use.hosts[i];
		db_add(f->db, "host", "iitiddddiddd", variant, i, h->name, h->ranks, h->offset_s,
		       h->drift_ppm, h->bound_us, h->round_trip_us, h->meets, h->late_share,
		       h->late_us, h->margin_us);
	}
}

struct db *figures_load(const struct analysis *a, struct arena *arena, struct status *st)
{
	struct figures f = {a, a->s, arena, load_run(a->s->run, arena, st)};
	if (!f.db || db_run_text(f.db, "harness/chapters/figures.sql", st))
		return NULL;
	put_given(&f);
	put_places(&f);
	for (unsigned i = 0; i < a->s->nrows; i++)
		put_result(&f, &a->s->rows[i]);
	put_regimes(&f);
	put_ways(&f);
	for (unsigned i = 0; i < a->evidence.nrows; i++)
		put_counted(&f, i);
	for (unsigned v = 0; v < a->s->nvariants; v++)
		put_hosts(&f, v);
	if (db_run_text(f.db, "harness/chapters/shared.sql", st))
		return NULL;
	db_seal(f.db);
	return f.db;
}
