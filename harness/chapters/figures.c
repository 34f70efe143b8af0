#include "figures.h"

#include <math.h>
#include <string.h>

#include "../analysis/channels.h"
#include "../analysis/spent.h"
#include "../coll/counts.h"
#include "../data/load.h"
#include "../data/format.h"
#include "chapters.h"
#include "run.h"

#define FEW_GROUPS 30 /* for tables by size; with more, only the files have them */

static const char *name_of(const struct summary *s, int variant)
{
	return variant < 0 ? NULL : s->variants[variant].name;
}

static void put_differs(const struct figures *f, unsigned v, unsigned other)
{
	char keys[512] = "", *rest = keys, *key;
	settings_differ(&f->s->run->variants[other].settings, &f->s->run->variants[v].settings,
	                keys, sizeof keys);
	while (*keys && (key = strsep(&rest, ",")))
		db_add(f->db, "differs", "iit", v, other, key + strspn(key, " "));
}

static void put_known(const struct figures *f, unsigned v)
{
	const struct summary *s = f->s;
	const struct summary_variant *of = &s->variants[v];
	db_add(f->db, "known", "iiiiiiiiitti", v, of->measured, DB_NONE, summary_has_ratio(s, v),
	       index_other_ranks(s, v), false, summary_is_asked(s, v), 0, of->traits->launches,
	       of->library, of->path,
	       s->reference >= 0 && summary_like(s, v, (unsigned)s->reference));
	for (unsigned w = 0; w < s->nvariants; w++)
		put_differs(f, v, w);
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

/* The argument of alltoallv, if it was measured; else NULL. */
static const char *counts_of(const struct figures *f)
{
	const json_t *counts = json_object_get(f->s->run->environment, "counts");
	struct value_weights weights;
	struct status st = {""};
	char text[COUNTS_TEXT_BYTES];
	bool measured = false;
	for (unsigned g = 0; g < f->s->ngroups; g++)
		measured |= f->s->groups[g].cell.coll == COLL_ALLTOALLV;
	if (!measured || counts_from_json(counts, &weights, &st))
		return NULL;
	counts_text(&weights, (unsigned)run_number(f->s->run, "ranks"), text);
	return arena_copy(f->arena, text);
}

size_t figures_end(struct claim_range sizes)
{
	return sizes.hi < LLONG_MAX ? sizes.hi : (size_t)LLONG_MAX;
}

static void put_given(const struct figures *f)
{
	const struct summary *s = f->s;
	const struct looks *looks = &s->looks;
	char machine[256];
	run_machine(s, machine, sizeof machine);
	db_add(f->db, "given", "ttddiiiiiiiiiiitttiiiidt", name_of(s, s->reference), machine,
	       s->margin, looks->confidence, s->nblocks, STATS_MIN_BLOCKS, s->ngroups,
	       s->measured && s->ngroups <= FEW_GROUPS, s->isolated_calls, s->least_calls,
	       TRIAL_P99_CALLS, s->measured, s->carries_data, summary_has_pace(s, PACE_ISOLATED),
	       s->reference >= 0 && !s->uncompared, s->uncompared,
	       s->trouble.wrong ? trouble_text(f->arena, &s->trouble) : NULL, (const char *)NULL,
	       s->run->search != NULL, DB_NONE, record_traits(s->run, NULL)->gpus, DB_NONE,
	       job_s(f), counts_of(f));
	db_add(f->db, "look", "iiiitti", s->nblocks, looks->n, looks->first, looks->added,
	       arena_text(f->arena, "%.4g %%", 100 * looks->confidence),
	       arena_text(f->arena, "%.3g %%", 100 * (1 - looks->confidence)), looks->by_width);
	for (unsigned v = 0; v < s->nvariants; v++)
		put_known(f, v);
}

/* --- places --- */

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
		const unsigned is = coll_info(c->coll)->is;
		for (unsigned i = 0; i < of->nsizes; i++)
			db_add(f->db, "place", "iiiiiiitittttiitiiiiillllii",
			       index_place(f->s, g, i), g, i + 1, of->nsizes, of->limit,
			       is_judged(f->s, of), index_is_part(f->s, c->coll),
			       coll_info(c->coll)->name, c->coll, run_collective(f->arena, of),
			       coll_title(c, of->nranks).text, coll_dtype_name(c->dtype),
			       coll_op_name(c->op), c->root, c->in_place, coll_pace_name(c->pace),
			       of->nranks, c->comm_ranks ? c->comm_ranks : of->nranks, whole,
			       pairs ? value_pair_from(c->root) : DB_NONE,
			       pairs ? value_pair_to(c->root, of->nranks) : DB_NONE,
			       of->asked_bytes[i], of->bytes[i],
			       of->bytes[i] / coll_dtype_bytes(c->dtype), of->moved_bytes[i],
			       (is & COLL_ROOTED) != 0, (is & COLL_IN_PLACE) != 0);
	}
}

static unsigned place_of(const struct summary *s, const struct summary_row *row)
{
	unsigned size = 0;
	while (s->groups[row->group].bytes[size] != row->cell.bytes)
		size++;
	return index_place(s, row->group, size);
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

static void put_result(const struct figures *f, const struct summary_row *row)
{
	const struct summary *s = f->s;
	const struct summary_rank *last =
	    row->ranks && row->nranks > 1 ? &row->ranks[row->straggler] : NULL;
	const unsigned place = place_of(s, row);
	const struct stats_interval time = {row->time_us, row->time_us_lo, row->time_us_hi};
	struct stats_interval busbw = summary_busbw(row);
	double step_ns = 0;
	for (unsigned i = 0; i < row->ntrials; i++)
		step_ns = fmax(step_ns, row->trials[i].step_ns);
	busbw.estimate = row->busbw_gbs;
	db_add(f->db, "result",
	       "iiiisddddds"
	       "dss"
	       "dddrt"
	       "dlliddd"
	       "liddd",
	       row->variant, place, row->ntrials, row->failed, time, row->time_rank0_us,
	       row->time_mean_us, row->time_min_us, row->time_max_us, row->algbw_gbs, busbw,
	       row->p50_us, row->p95_us, row->p99_us, row->launch_us, row->skew_us,
	       row->resolution_us, STATS_NO_RATIO, (const char *)NULL,
	       row->carries_data ? (double)row->wrong : NAN, row->faults, row->switches,
	       last ? row->straggler : DB_NONE, last ? last->last : NAN,
	       last ? last->last_by_us : NAN, summary_limit(s, row->cell.bytes), row->ncalls,
	       summary_lost_cores(row), row->time_us * row->calls, step_ns / 1000,
	       early_of(f->arena, row));
	for (unsigned r = 0; row->ranks && r < row->nranks; r++) {
		const struct summary_rank *k = &row->ranks[r];
		db_add(f->db, "result_rank", "iiiddddddd", row->variant, place, r, k->skew_us,
		       k->launch_us, k->finish_us, k->late_us, k->late_sure_us, k->last,
		       k->last_by_us);
	}
}

/* NaN: no value has no logarithm. */
static double log_of(double x)
{
	return x > 0 && isfinite(x) ? log(x) : NAN;
}

static void put_level(const struct figures *f, unsigned v, unsigned place, unsigned block)
{
	const struct summary_trial *t = index_timed(f->s, v, place, block);
	const struct summary_row *row = t ? index_row(f->s, v, place) : NULL;
	const double time = row ? log_of(t->time_ns) : NAN;
	if (!isnan(time))
		db_add(f->db, "level", "iiidddddd", v, place, f->s->index.blocks[block], time,
		       row->carries_data ? log_of(coll_busbw(row->cell.coll, row->cell.comm_ranks,
		                                             row->moved_bytes, t->time_ns * 1e-9))
		                         : NAN,
		       t->time_ns / 1e3, log_of(t->p95_ns), log_of(t->p99_ns),
		       log_of(t->launch_ns));
}

/* --- channels --- */

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

static void put_chapters(const struct figures *f)
{
	unsigned n;
	const char *const *all = chapters_all(&n);
	for (unsigned i = 0; i < n; i++)
		db_add(f->db, "chapter", "t", all[i]);
}

struct db *figures_load(const struct summary *s, struct arena *arena, struct status *st)
{
	struct figures f = {s, arena, load_run(s->run, arena, st)};
	if (!f.db || db_run_text(f.db, "harness/chapters/figures.sql", st))
		return NULL;
	db_looks(f.db, &s->looks);
	put_given(&f);
	put_places(&f);
	for (unsigned i = 0; i < s->nrows; i++)
		put_result(&f, &s->rows[i]);
	for (unsigned v = 0; v < s->nvariants; v++)
		for (unsigned p = 0; p < s->index.nplaces; p++)
			for (unsigned b = 0; b < s->index.nblocks; b++)
				put_level(&f, v, p, b);
	for (unsigned i = 0; i < s->run->ncells; i++)
		if (s->index.place_of[i] != INDEX_NONE)
			db_add(f.db, "cell_place", "ii", i, s->index.place_of[i]);
	if (db_run_text(f.db, "harness/chapters/drawn.sql", st))
		return NULL;
	figures_of_links(&f);
	put_paths(&f);
	figures_of_trust(&f);
	if (figures_of_asked(&f, st) || db_run_text(f.db, "harness/chapters/asked.sql", st) ||
	    db_run_text(f.db, "harness/chapters/factors.sql", st) ||
	    db_run_text(f.db, "harness/chapters/gap.sql", st) ||
	    db_run_text(f.db, "harness/chapters/versions.sql", st) ||
	    db_run_text(f.db, "harness/chapters/contrast.sql", st) ||
	    db_run_text(f.db, "harness/chapters/verdicts.sql", st) ||
	    db_run_text(f.db, "harness/chapters/gap_found.sql", st) ||
	    db_run_text(f.db, "harness/chapters/evidence.sql", st) || figures_of_bandwidth(&f, st))
		return NULL;
	figures_of_tuning(&f);
	put_chapters(&f);
	if (db_run_text(f.db, "harness/chapters/tuned.sql", st) ||
	    db_run_text(f.db, "harness/chapters/shared.sql", st))
		return NULL;
	db_seal(f.db);
	return f.db;
}
