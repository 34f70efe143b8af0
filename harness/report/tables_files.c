/* The tables that are files: a row per thing that was measured, for programs. Columns are
 * explained in results/README.md. */
#include "nccl_conf.h"
#include "sections_pairs.h"
#include "sections_training.h"
#include "sections_why.h"
#include "tables.h"

#include <math.h>
#include <string.h>

#include "../analysis/rank_evidence.h"
#include "../coll/coll.h"

// clang-format off
static const struct table_column summary_columns[] = {
    {"variant", "variant", "", TABLE_TEXT},
    {"role", "role", "", TABLE_TEXT},
    {"mode", "mode", "", TABLE_TEXT},
    {"layout", "layout", "", TABLE_TEXT},
    {"backend", "backend", "", TABLE_TEXT},
    {"library", "library", "", TABLE_TEXT},
    {"ranks", "ranks", "", TABLE_COUNT},
    {"collective", "collective", "", TABLE_TEXT},
    {"what", "what", "", TABLE_TEXT},
    {"bytes", "size used", "", TABLE_BYTES},
    {"asked_bytes", "size", "", TABLE_BYTES},
    {"dtype", "dtype", "", TABLE_TEXT},
    {"op", "op", "", TABLE_TEXT},
    {"root", "root", "", TABLE_COUNT},
    {"in_place", "in place", "", TABLE_FLAG},
    {"pace", "pace", "", TABLE_TEXT},
    {"blocks", "blocks", "", TABLE_COUNT},
    {"failed", "failed trials", "", TABLE_COUNT},
    {"time_us", "time per call", "µs", TABLE_SPREAD},
    {"time_rank0_us", "time, rank 0's worker", "µs", TABLE_NUMBER},
    {"time_mean_us", "time, mean of workers", "µs", TABLE_NUMBER},
    {"time_min_us", "time, shortest", "µs", TABLE_NUMBER},
    {"time_max_us", "time, longest", "µs", TABLE_NUMBER},
    {"algbw_gbs", "algorithm bandwidth", "GB/s", TABLE_NUMBER},
    {"busbw_gbs", "bus bandwidth", "GB/s", TABLE_NUMBER},
    {"p50_us", "p50", "µs", TABLE_NUMBER},
    {"p95_us", "p95", "µs", TABLE_SPREAD},
    {"p99_us", "p99", "µs", TABLE_SPREAD},
    {"launch_us", "launch cost", "µs", TABLE_NUMBER},
    {"skew_us", "skew at start", "µs", TABLE_NUMBER},
    {"resolution_us", "resolution", "µs", TABLE_NUMBER},
    {"ratio", "speed against the reference", "", TABLE_RATIO},
    {"wrong", "wrong elements", "", TABLE_COUNT},
    {"faults", "page faults", "", TABLE_COUNT},
    {"switches", "involuntary switches", "", TABLE_COUNT},
    {"digest_ok", "digest as the reference's", "", TABLE_FLAG},
    {"straggler", "straggler", "", TABLE_COUNT},
    {"straggler_share", "last in", "", TABLE_SHARE},
    {"straggler_us", "late by", "µs", TABLE_NUMBER},
    {"data_path", "data path", "", TABLE_TEXT},
};
// clang-format on

/* As the variant's workers said, or the library's log; "" where neither did. */
static const char *data_path(const struct summary *s, const struct summary_variant *v)
{
	const char *word = *v->path ? v->path : NULL;
	for (unsigned i = 0; i < s->run->npaths && !word; i++)
		if (!strcmp(s->run->paths[i].variant, v->name))
			word = json_string_value(
			    json_object_get(s->run->paths[i].path, "data_path"));
	/* A word of ours; what else a record holds is none. */
	return word && !strpbrk(word, ",\"\r\n") ? word : "";
}

static void put_summary(struct table *t, const struct summary *s, const struct summary_row *row)
{
	const struct summary_variant *v = &s->variants[row->variant];
	const struct cell *c = &row->cell;
	const bool checked = row->carries_data, ranked = row->ranks && row->nranks > 1;
	struct table_value digest_ok = table_of_none(), last = digest_ok, last_by = digest_ok;
	TABLE_ROW(t, CELL(v->name), CELL(summary_role_name(v->role)), CELL(v->mode),
	          CELL(v->layout), CELL(v->backend), CELL(v->library), CELL(row->nranks),
	          CELL(coll_info(c->coll)->name), CELL(coll_word(c, row->nranks).text),
	          CELL(row->moved_bytes), CELL(c->asked_bytes), CELL(coll_dtype_name(c->dtype)),
	          CELL(coll_op_name(c->op)), CELL(c->root), CELL(c->in_place),
	          CELL(coll_pace_name(c->pace)), CELL(row->ntrials), CELL(row->failed));
	TABLE_PUT(t, table_of_spread(row->time_us, row->time_us_lo, row->time_us_hi),
	          CELL(row->time_rank0_us), CELL(row->time_mean_us), CELL(row->time_min_us),
	          CELL(row->time_max_us), CELL(row->algbw_gbs), CELL(row->busbw_gbs),
	          CELL(row->p50_us), CELL(&row->p95_us), CELL(&row->p99_us),
	          CELL(row->launch_us), CELL(row->skew_us), CELL(row->resolution_us),
	          CELL(&row->ratio));
	if (checked)
		digest_ok = CELL(row->digest_ok);
	if (ranked) {
		last = CELL(row->ranks[row->straggler].last);
		last_by = CELL(row->ranks[row->straggler].last_by_us);
	}
	TABLE_PUT(t, table_of_known(checked, row->wrong), CELL(row->faults),
	          CELL(row->switches), digest_ok, table_of_known(ranked, row->straggler), last,
	          last_by, CELL(data_path(s, v)));
}

struct table *tables_summary(const struct model *m)
{
	struct table *t = table_of("summary", "Every variant, cell and pace", summary_columns,
	                           sizeof summary_columns / sizeof *summary_columns);
	for (unsigned i = 0; i < m->summary.nrows; i++)
		put_summary(t, &m->summary, &m->summary.rows[i]);
	return t;
}

struct table *tables_factors(const struct model *m)
{
	const struct findings *f = &m->findings;
	unsigned order[CLAIM_MAX];
	struct table *t = TABLE_NEW(
	    "factors", "What each factor does", {"nth", "nth", "", TABLE_COUNT},
	    {"factor", "factor", "", TABLE_TEXT}, {"setting", "setting", "", TABLE_TEXT},
	    {"from", "from", "", TABLE_TEXT}, {"to", "to", "", TABLE_TEXT},
	    {"placebo", "placebo", "", TABLE_FLAG},
	    {"effect", "effect on bandwidth", "", TABLE_RATIO},
	    {"verdict", "verdict", "", TABLE_VERDICT}, {"text", "text", "", TABLE_TEXT},
	    {"why", "why", "", TABLE_TEXT}, {"cells", "cells", "", TABLE_COUNT},
	    {"blocks", "blocks", "", TABLE_COUNT},
	    {"latency", "effect on latency", "", TABLE_RATIO},
	    {"latency_verdict", "verdict of latency", "", TABLE_VERDICT},
	    {"latency_blocks", "blocks of latency", "", TABLE_COUNT},
	    {"detectable", "could be seen from", "", TABLE_NUMBER},
	    {"latency_detectable", "could be seen of latency from", "", TABLE_NUMBER});
	factors_order(f->factors, f->asked.nfactors, order);
	for (unsigned i = 0; i < f->asked.nfactors; i++) {
		const struct factors_result *r = &f->factors[order[i]];
		TABLE_ROW(t, CELL(i + 1), CELL(r->factor->name), CELL(r->factor->setting),
		          CELL(r->factor->from), CELL(r->factor->to), CELL(r->factor->placebo),
		          CELL(&r->bandwidth.ratio), CELL(factors_word(&r->bandwidth)),
		          CELL(r->factor->text), CELL(r->why), CELL(r->ncells),
		          CELL(r->bandwidth.ratio.blocks), CELL(&r->latency.ratio),
		          CELL(factors_word(&r->latency)), CELL(r->latency.ratio.blocks),
		          CELL(r->bandwidth.detectable), CELL(r->latency.detectable));
	}
	return t;
}

static void put_evidence(struct table *t, const struct model *m, const struct evidence_row *row,
                         unsigned rank)
{
	const struct summary *s = &m->summary;
	const struct summary_group *g = &s->groups[row->group];
	const struct summary_variant *v = &s->variants[row->variant];
	const struct evidence_path *path = &m->findings.evidence.paths[row->variant];
	double medians[RANK_FIGURES];
	unsigned blocks;
	struct status st = {""};
	if (rank_evidence_make(s, row, rank, medians, &blocks, &st))
		return;
	TABLE_ROW(t, CELL(v->name), CELL(v->mode), CELL(path->transport));
	/* On host no log says it, but the workers do. */
	TABLE_PUT(t, CELL(path->data_path[0] ? path->data_path : v->path), CELL(g->nranks),
	          CELL(coll_word(&g->cell, g->nranks).text), CELL(g->moved_bytes[row->size]),
	          CELL(g->asked_bytes[row->size]), CELL(rank));
	for (unsigned f = 0; f < RANK_FIGURES; f++)
		TABLE_PUT(t, CELL(medians[f]));
	TABLE_PUT(t, CELL(blocks));
}

static struct table *tables_evidence(const struct model *m)
{
	const struct evidence *e = &m->findings.evidence;
	struct table *t = TABLE_NEW(
	    "evidence", "Counters, rank by rank", {"variant", "variant", "", TABLE_TEXT},
	    {"mode", "mode", "", TABLE_TEXT}, {"transport", "transport", "", TABLE_TEXT},
	    {"data_path", "data path", "", TABLE_TEXT}, {"ranks", "ranks", "", TABLE_COUNT},
	    {"what", "what", "", TABLE_TEXT}, {"bytes", "size used", "", TABLE_BYTES},
	    {"asked_bytes", "size", "", TABLE_BYTES}, {"rank", "rank", "", TABLE_COUNT});
	for (unsigned f = 0; f < RANK_FIGURES; f++)
		table_column(t, rank_evidence_key(f), rank_evidence_key(f), "", TABLE_NUMBER);
	table_column(t, "blocks", "blocks", "", TABLE_COUNT);
	for (unsigned i = 0; i < e->nrows; i++)
		for (unsigned r = 0; r < m->summary.groups[e->rows[i].group].nranks; r++)
			put_evidence(t, m, &e->rows[i], r);
	return t;
}

static const struct tables_file files[] = {
    {"summary.csv", tables_summary, NULL},
    {"factors.csv", tables_factors, sections_has_factors},
    {"evidence.csv", tables_evidence, sections_has_counters},
    {"searched.csv", tables_searched, nccl_conf_wanted},
    {"pairs.csv", tables_pair_figures, sections_has_pairs},
    {"training.csv", tables_training_figures, sections_has_training},
    {"pingpong.csv", tables_pingpong_figures, sections_has_pingpong},
};

const struct tables_file *tables_file(unsigned i)
{
	return i < sizeof files / sizeof *files ? &files[i] : NULL;
}
