#include "figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/calls.h"
#include "../analysis/channels.h"
#include "../analysis/claim_pairs.h"
#include "../analysis/hosts.h"
#include "../analysis/measure.h"
#include "../analysis/networks.h"
#include "../analysis/plot_order.h"
#include "../analysis/rank_evidence.h"
#include "../analysis/rank_links.h"
#include "../analysis/sessions.h"
#include "../analysis/spent.h"
#include "../config/cost.h"
#include "../config/family.h"
#include "../data/load.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "../texts.h"
#include "../trial/path.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"
#include "version_figures.h"

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

/* Where pictures have a variant. */
static unsigned drawn_at(const struct plot_order *order, unsigned v)
{
	for (unsigned i = 0; i < order->main; i++)
		if (order->variants[i] == v)
			return i;
	return DB_NONE;
}

/* A setting that should change nothing: that is its purpose. */
static bool is_placebo(const struct analysis *a, unsigned v)
{
	for (unsigned i = 0; i < a->asked.nfactors; i++)
		if (a->asked.factors[i].placebo &&
		    !strcmp(a->asked.factors[i].to, a->s->variants[v].name))
			return true;
	return false;
}

static void put_differs(const struct figures *f, unsigned v, unsigned other)
{
	char keys[512] = "", *rest = keys, *key;
	settings_differ(&f->s->run->variants[other].settings, &f->s->run->variants[v].settings,
	                keys, sizeof keys);
	while (*keys && (key = strsep(&rest, ",")))
		db_add(f->db, "differs", "iit", v, other, key + strspn(key, " "));
}

static void put_known(const struct figures *f, const struct plot_order *order, unsigned v)
{
	const struct summary *s = f->s;
	const struct summary_variant *of = &s->variants[v];
	const struct evidence_path *path = &f->a->evidence.paths[v];
	db_add(f->db, "known", "iiiiiittiiitt", v, of->measured, drawn_at(order, v),
	       summary_has_ratio(s, v), index_other_ranks(s, v), is_placebo(f->a, v),
	       path->nidle ? idle_text(f->arena, path) : NULL,
	       path->nidle ? s->variants[path->idle_as].name : NULL, summary_is_asked(s, v),
	       plot_order_has(s, v), of->traits->launches, of->library, of->path);
	for (unsigned w = 0; w < s->nvariants; w++)
		put_differs(f, v, w);
	for (unsigned i = 0; i < s->run->variants[v].settings.nenv; i++) {
		const char *env = s->run->variants[v].settings.env[i];
		const char *name = arena_text(f->arena, "env.%.*s", (int)strcspn(env, "="), env);
		if (evidence_idle(s, of->name, name).act)
			db_add(f->db, "idle", "it", v, name);
	}
}

/* What a trial's job took, on the mean. */
static double job_s(const struct figures *f)
{
	double sum_s = 0;
	unsigned n;
	const struct spent_job *jobs = spent_jobs(f->s->run, f->arena, &n);
	for (unsigned i = 0; i < n; i++)
		sum_s += 1e-9 * (double)(jobs[i].job->to_ns - jobs[i].job->from_ns);
	return n ? sum_s / n : NAN;
}

static void put_given(const struct figures *f)
{
	const struct summary *s = f->s;
	const struct looks *looks = &s->looks;
	const struct plot_order order = plot_order_make(s, f->arena);
	char machine[256];
	run_machine(s, machine, sizeof machine);
	db_add(f->db, "given", "ttddiiiiiiiiiittiiiiiitiid", name_of(s, s->reference), machine,
	       s->margin, looks->confidence, s->nblocks, STATS_MIN_BLOCKS, s->ngroups,
	       run_few_groups(s), s->isolated_calls, METRIC_P99_CALLS, s->measured, s->carries_data,
	       summary_has_pace(s, PACE_ISOLATED), s->reference >= 0 && !s->uncompared.kind,
	       s->uncompared.kind ? reason_text(f->arena, &s->uncompared) : NULL,
	       s->trouble.kind ? trouble_text(f->arena, &s->trouble) : NULL, run_explains_gap(f->a),
	       run_by_version(f->a, f->arena), s->run->search != NULL, run_lacks_blocks(f->a),
	       f->a->asked.nfactors, *f->a->asked.gap.from != 0, f->a->evidence.missing,
	       record_traits(s->run, NULL)->gpus, run_is_cut(f->a), job_s(f));
	db_add(f->db, "look", "iiiiti", s->nblocks, looks->n, looks->first, looks->added,
	       arena_text(f->arena, "%.4g %%", 100 * looks->confidence), looks->by_width);
	for (unsigned v = 0; v < s->nvariants; v++)
		put_known(f, &order, v);
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

/* Parts of a step, pairs and pseudo-collectives have no verdict of their own; launching has none
 * where ranks share cores. */
static bool is_judged(const struct summary *s, const struct summary_group *g)
{
	return !g->limit && !index_is_part(s, g->cell.coll) &&
	       !(coll_info(g->cell.coll)->is & (COLL_PSEUDO | COLL_PAIRS)) &&
	       !(s->oversubscribed && g->cell.pace == PACE_ISOLATED);
}

static void put_places(const struct figures *f)
{
	for (unsigned g = 0; g < f->s->ngroups; g++) {
		const struct summary_group *of = &f->s->groups[g];
		const struct cell *c = &of->cell;
		const bool whole = !c->comm_ranks || c->comm_ranks == of->nranks,
		           pairs = coll_info(c->coll)->is & COLL_PAIRS;
		for (unsigned i = 0; i < of->nsizes; i++)
			db_add(f->db, "place", "iiiiiitittttiitiiiiillll", index_place(f->s, g, i),
			       g, i + 1, of->nsizes, of->limit, is_judged(f->s, of),
			       coll_info(c->coll)->name, c->coll, run_collective(f->arena, of),
			       coll_title(c, of->nranks).text, coll_dtype_name(c->dtype),
			       coll_op_name(c->op), c->root, c->in_place, coll_pace_name(c->pace),
			       of->nranks, c->comm_ranks ? c->comm_ranks : of->nranks, whole,
			       pairs ? value_pair_from(c->root) : DB_NONE,
			       pairs ? value_pair_to(c->root, of->nranks) : DB_NONE,
			       of->asked_bytes[i], of->bytes[i],
			       of->bytes[i] / coll_dtype_bytes(c->dtype), of->moved_bytes[i]);
		for (unsigned v = 0; of->gaps && v < f->s->nvariants; v++)
			put_over(f, v, g);
	}
}

/* NULL: nothing was compared. */
static const char *effect_of(int beyond, bool within, const struct stats_ratio *speed)
{
	return isnan(speed->estimate) ? NULL
	       : beyond > 0           ? "faster"
	       : beyond < 0           ? "slower"
	       : within               ? "as fast"
	                              : "undecided";
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
	const struct verdict verdict = verdict_of(row->ratio, s->margin);
	busbw.estimate = row->busbw_gbs;
	db_add(f->db, "result",
	       "iiiisddddds"
	       "dss"
	       "dddrt"
	       "illiiddd",
	       row->variant, index_place(s, row->group, size), row->ntrials, row->failed, time,
	       row->time_rank0_us, row->time_mean_us, row->time_min_us, row->time_max_us,
	       row->algbw_gbs, busbw, row->p50_us, row->p95_us, row->p99_us, row->launch_us,
	       row->skew_us, row->resolution_us, row->ratio,
	       effect_of(verdict_beyond(&verdict), verdict_within(&verdict), &row->ratio),
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

/* NaN: no value has no logarithm. */
static double log_of(double x)
{
	return x > 0 && isfinite(x) ? log(x) : NAN;
}

static double of_two(double own, double again)
{
	return isnan(own) ? again : isnan(again) ? own : (own + again) / 2;
}

static void put_levels(const struct figures *f, unsigned v, unsigned place, unsigned block)
{
	static const enum metric metrics[] = {METRIC_TIME, METRIC_BUSBW};
	const struct summary *s = f->s;
	double x[2] = {NAN, NAN};
	for (unsigned i = 0; i < 2; i++) {
		const unsigned trials[] = {
		    v, (int)v == s->reference && s->twin >= 0 ? (unsigned)s->twin : v};
		double logs[2] = {NAN, NAN};
		for (unsigned k = 0; k < 2; k++) {
			const struct summary_trial *t = index_timed(s, trials[k], place, block);
			if (t)
				logs[k] = log_of(
				    measure_timed(index_row(s, trials[k], place), t, metrics[i]));
		}
		x[i] = of_two(logs[0], logs[1]);
	}
	const struct summary_trial *own = index_timed(s, v, place, block);
	if (!isnan(x[0]))
		db_add(f->db, "level", "iiiddd", v, place, s->index.blocks[block], x[0], x[1],
		       own && own->time_ns > 0 ? own->time_ns / 1e3 : NAN);
}

/* --- versions --- */

static bool has_figures(const struct summary *s, unsigned v)
{
	return s->variants[v].measured && summary_is_asked(s, v);
}

/* The variant that differs only in the library, which has the next version; or -1. */
static int next_version(const struct summary *s, unsigned v)
{
	int next = -1;
	char keys[256];
	for (unsigned w = 0; w < s->nvariants && *s->variants[v].library; w++) {
		const char *version = s->variants[w].library;
		if (!has_figures(s, w) || !*version ||
		    settings_differ(&s->run->variants[v].settings, &s->run->variants[w].settings,
		                    keys, sizeof keys) != 1 ||
		    !strcmp(s->run->variants[v].settings.nccl, s->run->variants[w].settings.nccl) ||
		    strverscmp(s->variants[v].library, version) >= 0)
			continue;
		if (next < 0 || strverscmp(version, s->variants[next].library) < 0)
			next = (int)w;
	}
	return next;
}

static void put_versions(const struct figures *f, unsigned v, unsigned next)
{
	for (unsigned g = 0; g < f->s->ngroups; g++) {
		const struct summary_group *of = &f->s->groups[g];
		for (unsigned i = 0; i < of->nsizes && is_judged(f->s, of); i++) {
			const struct contrast_select select = {
			    .bytes = {of->asked_bytes[i], of->asked_bytes[i]},
			    .pace = (int)of->cell.pace,
			    .coll = (int)of->cell.coll,
			    .group = of};
			db_add(f->db, "version_speed", "iiir", v, index_place(f->s, g, i), next,
			       contrast_make(f->s, v, next, METRIC_TIME, &select).verdict.ratio);
		}
	}
}

/* --- links --- */

static void put_links(const struct figures *f)
{
	const struct rank_links l = rank_links_any(f->s, f->arena);
	for (unsigned i = 0; i < l.nranks; i++) {
		const struct rank_links_rank *r = &l.ranks[i];
		db_add(f->db, "device", "ittiiiiiddiiiiit", i, r->device, r->name, r->numa,
		       r->core_numa, r->bridge, r->gpu < 0 ? DB_NONE : r->nvlinks, r->to_switch,
		       r->nvlink_gbs, r->pcie_gbs, r->gen, r->width, r->gen_max, r->width_max,
		       r->busy, r->remark);
	}
	for (unsigned i = 0; i < l.nclasses; i++) {
		const struct rank_links_class *c = &l.classes[i];
		db_add(f->db, "link_class", "itiddt", i, c->name, c->pairs, c->expected_gbs,
		       c->theoretical_gbs, c->source);
	}
	for (unsigned i = 0; i < l.nedges; i++)
		db_add(f->db, "link_load", "itid", i, l.edges[i].name, l.edges[i].pairs,
		       l.edges[i].gbs);
	for (unsigned i = 0; i < l.nranks * l.nranks; i++) {
		const struct links_pair *pair = &l.pairs[i];
		char brief[64];
		links_brief(pair, brief, sizeof brief);
		if (i / l.nranks != i % l.nranks)
			db_add(f->db, "link", "iiittid", i / l.nranks, i % l.nranks, pair->class,
			       links_info(pair->class)->name, brief, pair->nvlinks,
			       pair->theoretical_gbs);
	}
}

/* --- regimes --- */

static const char *word_of(int beyond, bool tells, enum verdict_kind kind)
{
	return verdict_word(beyond > 0   ? VERDICT_FASTER
	                    : beyond < 0 ? VERDICT_SLOWER
	                    : tells      ? kind
	                                 : VERDICT_UNDECIDED);
}

static void put_speed(const struct figures *f, unsigned nth, unsigned v)
{
	const struct regime *g = &f->a->regimes.list[nth];
	const struct contrast *c = &g->contrasts[v];
	const struct stats_ratio *r = &c->verdict.ratio;
	const double scale = contrast_is_time(g->metric) ? 1e-3 : 1; /* times are in ns */
	const int beyond = g->tells ? verdict_beyond(&c->verdict) : regime_beyond(g, r);
	char verdict[VERDICT_TEXT_BYTES], odd[128];
	if (c->why.kind || isnan(c->ratio.estimate))
		return;
	regime_verdict_text(g, v, verdict, sizeof verdict);
	verdict_odd_text(&c->verdict.odd, odd, sizeof odd);
	db_add(f->db, "speed", "iiddrtttiiddt", nth, v, c->left_side.value * scale,
	       c->right_side.value * scale, *r, verdict,
	       effect_of(beyond, g->tells && verdict_within(&c->verdict), r),
	       word_of(beyond, g->tells, c->verdict.kind), c->ncells, verdict_within(&c->verdict),
	       c->verdict.detectable,
	       verdict_detectable(r, fmax(g->least_effect, f->s->margin), VERDICT_BOTH_ENDS),
	       *odd ? odd : NULL);
}

static void put_regimes(const struct figures *f)
{
	for (unsigned i = 0; i < f->a->regimes.n; i++) {
		const struct regime *g = &f->a->regimes.list[i];
		db_add(f->db, "regime", "itttttitllit", i, g->name, g->label, regime_about(g).text,
		       format_range(g->sizes).text, metric_info(g->metric)->name, g->third,
		       coll_pace_name((enum pace)g->pace), g->range.lo,
		       g->range.hi < LLONG_MAX ? g->range.hi : (size_t)LLONG_MAX, g->tells,
		       regime_doubt_text(f->arena, f->s, g));
		for (unsigned v = 0; v < g->nvariants; v++)
			put_speed(f, i, v);
	}
}

/* --- evidence --- */

static void put_choices(const struct figures *f, unsigned v)
{
	for (unsigned g = 0; g < f->s->ngroups; g++)
		for (unsigned i = 0; i < f->s->groups[g].nsizes; i++) {
			const struct path_choice *c =
			    evidence_choice(f->s, &f->a->evidence, v, g, i);
			if (c)
				db_add(f->db, "choice", "iitti", v, index_place(f->s, g, i),
				       c->algorithm, c->protocol, c->channels);
		}
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
			       p->settings[i].asked, p->settings[i].used,
			       path_act_name(p->settings[i].act), p->settings[i].why);
		if (summary_is_asked(f->s, v))
			put_choices(f, v);
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

static void put_call(const struct figures *f, enum coll_kind coll, unsigned variant)
{
	const struct calls_line line = calls_line_of(f->s, coll, variant, f->arena);
	const struct record_cell *c = line.cell;
	if (c)
		db_add(f->db, "call_line", "iittilidddd", coll, variant,
		       coll_word(&c->cell, c->nranks).text, coll_pass_name(c->cell.pass), c->nranks,
		       c->cell.bytes, c->device_clock, line.total_us, line.before_us,
		       line.residual_us, line.launch_us);
}

static void put_calls(const struct figures *f)
{
	const struct plot_order order = plot_order_make(f->s, f->arena);
	const unsigned n = plot_order_count(f->s) ? order.main : 0;
	uint64_t seen = 0; /* collectives */
	for (unsigned g = 0; g < f->s->ngroups; g++) {
		const enum coll_kind coll = f->s->groups[g].cell.coll;
		for (unsigned i = 0; i < n && !(seen >> coll & 1); i++)
			put_call(f, coll, order.variants[i]);
		seen |= UINT64_C(1) << coll;
	}
}

/* How many channels a pair of ranks has, by the variant's own log: the twin has none. */
static void put_channels(const struct figures *f, unsigned v, const struct path *path)
{
	for (unsigned g = 0; g < f->s->ngroups; g++) {
		const struct summary_group *of = &f->s->groups[g];
		const unsigned parts = channels_parts(of->cell.coll, of->cell.comm_ranks);
		struct channels rule;
		for (unsigned i = 0;
		     parts && channels_rule(path, of->cell.comm_ranks, &rule) && i < of->nsizes;
		     i++) {
			const size_t message = of->bytes[i] / parts,
			             bound = channels_bound(&rule, message);
			db_add(f->db, "pair_channels", "iiilili", v, index_place(f->s, g, i),
			       rule.all, rule.chunk_bytes, channels_of(&rule, message),
			       bound * parts, bound ? channels_of(&rule, bound + 1) : DB_NONE);
		}
	}
}

static void put_paths(const struct figures *f)
{
	const struct record_run *run = f->s->run;
	for (unsigned i = 0; i < run->npaths; i++) {
		const int v = index_variant(f->s, run->paths[i].variant);
		struct path path;
		struct status ignored = {""};
		if (v < 0 || path_from_json(run->paths[i].path, &path, &ignored))
			continue;
		put_channels(f, (unsigned)v, &path);
		path_free(&path);
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

/* --- what the experiment asks --- */

static const char *said_of(struct arena *arena, const struct verdict *v)
{
	char text[VERDICT_TEXT_BYTES];
	verdict_text(v, text, sizeof text);
	return isnan(v->ratio.estimate) ? NULL : arena_copy(arena, text);
}

static void put_factor(const struct figures *f, unsigned id, double by_chance,
                       const char *unlatency)
{
	const struct factors_result *r = &f->a->factors[id];
	const struct factor *of = r->factor;
	const struct verdict *b = &r->bandwidth, *l = &r->latency;
	const char *b_said = said_of(f->arena, b), *l_said = said_of(f->arena, l);
	db_add(f->db, "factor", "itttttirtttdrtttditttidt", id, of->name, of->text, of->setting,
	       of->from, of->to, of->placebo, b->ratio, b_said ? verdict_word(b->kind) : NULL,
	       b_said, format_ratio(&b->ratio, true).text, b->detectable, l->ratio,
	       l_said ? verdict_word(l->kind) : NULL, l_said, format_ratio(&l->ratio, true).text,
	       l->detectable, r->ncells, format_range(r->sizes).text,
	       reason_text(f->arena, &r->why), setting_text(f->arena, &r->acted), r->unexpected,
	       by_chance, unlatency);
}

static void put_factors(const struct figures *f)
{
	const unsigned n = f->a->asked.nfactors;
	struct stats_ratio main[CLAIM_MAX];
	struct reason unlatency = {.kind = REASON_NONE};
	for (unsigned i = 0; i < n; i++) {
		const struct factors_result *r = &f->a->factors[i];
		main[i] =
		    isnan(r->bandwidth.ratio.estimate) ? r->latency.ratio : r->bandwidth.ratio;
	}
	if (summary_has_pace(f->s, PACE_ISOLATED))
		unlatency = contrast_oversubscribed(f->s, METRIC_LATENCY);
	for (unsigned i = 0; i < n; i++)
		put_factor(f, i, n > 1 ? exp(stats_largest_by_chance(main, n)) : NAN,
		           reason_text(f->arena, &unlatency));
}

/* Of the steps that explain the gap, the share of the one between a claim's variants; or NULL. */
static const char *share_of(const struct figures *f, const struct claim *c)
{
	const struct waterfall *w = &f->a->waterfall;
	const int left = index_variant(f->s, c->left), right = index_variant(f->s, c->right);
	for (unsigned i = 0; i < w->nsteps && c->metric == METRIC_BUSBW; i++) {
		const struct waterfall_step *step = &w->steps[i];
		const int from = (int)step->from, to = (int)step->to;
		const bool same = (from == left && to == right) || (from == right && to == left);
		if (same && step->counts && !isnan(step->share.estimate))
			return arena_copy(f->arena,
			                  format_shares(step->share.lo, step->share.hi).text);
	}
	return NULL;
}

static void put_claim(const struct figures *f, const struct claims_result *r, unsigned pair,
                      bool newer, const char *version)
{
	static const char *const outcomes[] = {[CLAIMS_HOLD] = "holds",
	                                       [CLAIMS_LITTLE] = "little",
	                                       [CLAIMS_FAIL] = "fails",
	                                       [CLAIMS_UNDECIDED] = "undecided",
	                                       [CLAIMS_UNTESTED] = "untested"};
	const struct claim *c = r->claim;
	const struct contrast *of = &r->contrast;
	const struct metric_info *metric = metric_info(c->metric);
	const struct stats_ratio *ratio = claims_interval(r);
	const int regime = claim_regime(c);
	const bool tested = r->outcome != CLAIMS_UNTESTED;
	const double scale = !strcmp(metric->unit, "µs") ? 1e-3 : 1; /* times are in ns */
	char odd[128];
	verdict_odd_text(&of->odd, odd, sizeof odd);
	db_add(f->db, "claim",
	       "itttttt"
	       "ttttttt"
	       "iittddi"
	       "tttdddidd"
	       "rtdiillt"
	       "dtttiiiit",
	       (unsigned)(r - f->a->claims), c->name, c->text, c->source, c->says, c->original,
	       c->needs, c->left, c->right, c->left_coll, c->right_coll, metric->name,
	       metric->summary, metric->unit, metric->whole, metric->data_path,
	       regime < 0 || *c->needs ? NULL : claim_regime_name((unsigned)regime),
	       claim_test_name(c->test), c->by, c->of, r->primary, outcomes[r->outcome],
	       verdict_claim_text(f->arena, r, false), reason_text(f->arena, &of->why), r->p,
	       r->p_adjusted, FAMILY_ALPHA, r->alone, tested ? of->left_side.value * scale : NAN,
	       tested ? of->right_side.value * scale : NAN, *ratio,
	       tested ? format_estimate(ratio->estimate).text : NULL, ratio->confidence, of->ncells,
	       of->nblocks, of->sizes.lo, of->sizes.hi, format_range(of->sizes).text, r->detectable,
	       isnan(r->detectable) ? NULL : format_effect(r->detectable).text, *odd ? odd : NULL,
	       share_of(f, c), record_traits(f->s->run, NULL)->analogue,
	       contrast_unexpected(f->s, c->left, c->right), pair, newer, version);
}

static void put_claims(const struct figures *f)
{
	struct claim_pairs *pairs = ARENA_NEW(f->arena, struct claim_pairs);
	claim_pairs_find(f->a, pairs);
	for (unsigned i = 0; i < pairs->n; i++)
		for (unsigned k = 0; k < 2; k++)
			if (pairs->list[i].of[k])
				put_claim(f, pairs->list[i].of[k], i, k,
				          *pairs->libraries[k] ? pairs->libraries[k] : NULL);
}

/* --- bandwidth --- */

/* What links carry in both directions as busbw's factors assume. */
static bool is_bounded(const struct summary *s, const struct summary_group *g)
{
	const unsigned others = COLL_PSEUDO | COLL_PAIRS | COLL_LOCAL | COLL_TRAINS | COLL_ROUTED |
	                        COLL_STEP_PART | COLL_RAW;
	return s->carries_data && !s->trouble.kind && !g->limit && g->cell.pace == PACE_STREAM &&
	       (!g->cell.comm_ranks || g->cell.comm_ranks == g->nranks) &&
	       !(coll_info(g->cell.coll)->is & others);
}

/* Within hosts data may go another way than between them. */
static void put_crossed(const struct figures *f, const struct rank_links *links, unsigned v,
                        unsigned group, unsigned size)
{
	const struct summary_variant *of = &f->s->variants[v];
	const struct evidence_path *path = &f->a->evidence.paths[v];
	const struct path_choice *choice = evidence_choice(f->s, &f->a->evidence, v, group, size);
	const char *algorithm = choice ? choice->algorithm : "", *by = path->transport,
	           *net = strstr(path->pairs, "NET/"), *joined = rank_links_text(links, f->arena),
	           *text = joined;
	const unsigned hosts = of->settings ? settings_hosts(of->settings) : 1;
	const enum coll_kind coll = f->s->groups[group].cell.coll;
	struct networks cards = {.text = NULL};
	double gbs = NAN;
	if (hosts > 1) {
		cards = networks_of(f->s, v, net ? net : by, f->arena);
		gbs = networks_rate(&cards, coll, !strncasecmp(algorithm, "CollNet", 7));
		text = cards.text;
	} else if (!of->traits->gpus || !strcmp(by, "mixed")) {
		text = NULL;
	} else if (!strncmp(by, "SHM", 3) || !strncmp(by, "NET", 3)) {
		gbs = rank_links_memory_rate(links);
		text = rank_links_memory_text(links, f->arena);
	} else {
		gbs = rank_links_rate(links, coll, !strncasecmp(algorithm, "NVLS", 4));
	}
	db_add(f->db, "crossed", "iiittdt", v, index_place(f->s, group, size), hosts, joined, text,
	       gbs, cards.why);
}

static void put_bandwidth(const struct figures *f)
{
	const struct rank_links links = rank_links_make(f->s, f->arena);
	for (unsigned v = 0; v < f->s->nvariants; v++)
		for (unsigned g = 0; g < f->s->ngroups; g++)
			for (unsigned i = 0; i < f->s->groups[g].nsizes; i++)
				if (is_bounded(f->s, &f->s->groups[g]))
					put_crossed(f, &links, v, g, i);
}

static void put_trials(const struct figures *f)
{
	const struct index *all = &f->s->index;
	for (unsigned i = 0; i < f->s->nvariants * all->nplaces * all->nblocks; i++) {
		const unsigned at = i / all->nblocks;
		const struct summary_trial *t = all->timed[i];
		if (t)
			db_add(f->db, "trial_time", "iiiid", at / all->nplaces, at % all->nplaces,
			       t->block, t->order, t->time_ns);
	}
}

/* Within a cell of the table a semicolon stands for a comma. */
static void put_reached(const struct figures *f)
{
	const char *table = texts_find("results/reference/bandwidth.csv");
	char *rest = ARENA_ARRAY(f->arena, char, strlen(table) + 1), *line;
	strcpy(rest, table);
	for (strsep(&rest, "\n"); (line = strsep(&rest, "\n")) && *line;) {
		const char *of[15];
		for (unsigned i = 0; i < 15; i++) {
			char *cell = strsep(&line, ","), *at = cell;
			while ((at = strchr(at, ';')))
				*at = ',';
			of[i] = cell;
		}
		db_add(f->db, "reached", "ttttttttttttttt", of[0], of[1], of[2], of[3], of[4],
		       of[5], of[6], of[7], of[8], of[9], of[10], of[11], of[12], of[13], of[14]);
	}
}

/* --- scatter --- */

static void put_rows(const struct figures *f, unsigned cell)
{
	const struct arena_mark mark = arena_mark(f->arena);
	const struct record_cell *c = &f->s->run->cells[cell];
	const struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
	double *logs = ARENA_ARRAY(f->arena, double, c->rows + 1);
	int64_t until_ns = 0;
	for (unsigned i = 0; i < c->rows; i++)
		logs[i] = log(timing_row_ns(&view, i));
	for (unsigned r = 1; r <= c->nranks; r++) {
		const int64_t idle_ns = c->samples[(size_t)r * c->rows - 1].idle_ns;
		until_ns = idle_ns > until_ns ? idle_ns : until_ns;
	}
	const double log = stats_median(logs, c->rows), wide = stats_quantile(logs, c->rows, 0.75) -
	                                                       stats_quantile(logs, c->rows, 0.25);
	db_add(f->db, "cell_rows", "iddd", cell, isfinite(log) ? log : NAN, wide / 1.349,
	       (double)until_ns);
	for (unsigned i = 0; i < f->a->regimes.n; i++)
		if (regime_holds(f->s, &f->a->regimes.list[i], c))
			db_add(f->db, "regime_cell", "ii", i, cell);
	arena_release(f->arena, mark);
}

static void put_scatter(const struct figures *f)
{
	for (unsigned i = 0; i < f->s->run->ncells; i++)
		if (index_counts(&f->s->run->cells[i]))
			put_rows(f, i);
	for (unsigned v = 0; v < f->s->nvariants; v++) {
		const struct backend_traits *of = f->s->variants[v].traits;
		db_add(f->db, "making", "iiddd", v, of->connects,
		       of->gpus ? COST_DEVICE_START_S : COST_CORE_START_S,
		       of->gpus ? COST_CONNECT_S : 0.0, of->gpus ? COST_ALLOCATE_S : 0.0);
	}
}

/* --- what a reader has to know --- */

static void put_went(const struct figures *f)
{
	const struct summary *s = f->s;
	const struct record_run *run = s->run;
	const bool told = s->uncompared.kind && !s->trouble.kind;
	db_add(f->db, "went", "iiiliittttiit", run->nlines, run->unsummed, run->torn,
	       (int64_t)record_blocks_asked(run), record_begun(run), record_block_trials(run),
	       run->end.reason, run->end.text, run->folder, run_command(s, f->arena), s->ncores,
	       s->oversubscribed, told ? reason_text(f->arena, &s->uncompared) : NULL);
	for (unsigned i = 0; i < run->nresumes; i++) {
		const struct record_resume *r = &run->resumes[i];
		struct session_pause p = {.pause_s = NAN};
		const bool paused = session_paused(run, i, &p);
		db_add(f->db, "session", "ttiiidi", r->json ? r->launchgap : NULL,
		       json_string_value(json_object_get(r->machine, "boot")), r->first_block,
		       paused ? p.begun : DB_NONE, paused ? p.trials : DB_NONE, p.pause_s, p.far);
	}
}

static void put_chapters(const struct figures *f)
{
	unsigned n;
	const struct chapter *const *all = chapters_all(&n);
	for (unsigned i = 0; i < n; i++)
		db_add(f->db, "chapter", "t", all[i]->name);
}

static void put_unexpected(const struct figures *f)
{
	for (unsigned i = 0; i < f->s->run->npaths; i++) {
		const struct record_path *p = &f->s->run->paths[i];
		struct path path;
		struct status ignored;
		char text[256] = "one that cannot be read";
		if (p->as_expected)
			continue;
		if (!path_from_json(p->path, &path, &ignored)) {
			path_text(&path, text, sizeof text);
			path_free(&path);
		}
		db_add(f->db, "unexpected", "itt", index_variant(f->s, p->variant), p->expect,
		       text);
	}
}

#define EARLY_P 0.02 /* chance would give it so rarely */

/* How much slower the first rows are, the median over trials; NaN unless it is systematic. */
static double early_of(struct arena *arena, const struct summary_row *row)
{
	double *x = ARENA_ARRAY(arena, double, row->ntrials + 1);
	unsigned n = 0, slower = 0;
	for (unsigned i = 0; i < row->ntrials; i++)
		if (!isnan(row->trials[i].early)) {
			x[n++] = row->trials[i].early;
			slower += row->trials[i].early > 1;
		}
	return n >= STATS_MIN_BLOCKS && stats_sign_probability(slower, n) < EARLY_P
	           ? stats_median(x, n)
	           : NAN;
}

#define LATE_SHARE 0.05 /* medians bear a few late meetings */

static void put_watched(const struct figures *f, unsigned v)
{
	const struct summary *s = f->s;
	const struct hosts_use use = hosts_of(s, v);
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		const struct summary_group *g = &s->groups[row->group];
		double step_ns = 0;
		unsigned size = 0;
		while (g->bytes[size] != row->cell.bytes)
			size++;
		for (unsigned k = 0; k < row->ntrials; k++)
			step_ns = fmax(step_ns, row->trials[k].step_ns);
		if (row->variant == v)
			db_add(f->db, "watched", "iilddddddd", v, index_place(s, row->group, size),
			       row->ncalls, row->watched_s, row->time_us * row->calls,
			       step_ns / 1000,
			       s->variants[v].traits->launches ? row->resolution_us : NAN,
			       use.skew_us + (use.late_share > LATE_SHARE ? use.late_us : 0),
			       early_of(f->arena, row), summary_copies(s, row->cell.bytes));
	}
}

struct db *figures_load(const struct analysis *a, struct arena *arena, struct status *st)
{
	struct figures f = {a, a->s, arena, load_run(a->s->run, arena, st)};
	if (!f.db || db_run_text(f.db, "harness/chapters/figures.sql", st))
		return NULL;
	db_looks(f.db, &a->s->looks);
	put_given(&f);
	put_places(&f);
	for (unsigned i = 0; i < a->s->nrows; i++)
		put_result(&f, &a->s->rows[i]);
	for (unsigned v = 0; v < a->s->nvariants; v++)
		for (unsigned p = 0; p < a->s->index.nplaces; p++)
			for (unsigned b = 0; b < a->s->index.nblocks; b++)
				put_levels(&f, v, p, b);
	for (unsigned v = 0; v < a->s->nvariants; v++) {
		const int next = has_figures(a->s, v) ? next_version(a->s, v) : -1;
		if (next >= 0)
			put_versions(&f, v, (unsigned)next);
	}
	version_figures_put(a, arena, f.db);
	put_links(&f);
	put_regimes(&f);
	put_ways(&f);
	for (unsigned i = 0; i < a->evidence.nrows; i++)
		put_counted(&f, i);
	put_paths(&f);
	for (unsigned v = 0; v < a->s->nvariants; v++)
		put_hosts(&f, v);
	put_factors(&f);
	put_claims(&f);
	put_bandwidth(&f);
	put_trials(&f);
	put_reached(&f);
	put_scatter(&f);
	put_went(&f);
	put_chapters(&f);
	seen_put(a, arena, f.db);
	captions_put(a, arena, f.db);
	put_unexpected(&f);
	for (unsigned v = 0; v < a->s->nvariants; v++)
		put_watched(&f, v);
	put_calls(&f);
	for (unsigned i = 0; i < a->s->run->ncells; i++)
		if (a->s->index.place_of[i] != INDEX_NONE)
			db_add(f.db, "cell_place", "ii", i, a->s->index.place_of[i]);
	if (db_run_text(f.db, "harness/chapters/shared.sql", st))
		return NULL;
	db_seal(f.db);
	return f.db;
}
