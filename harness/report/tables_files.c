/* The tables that are files: a row per thing that was measured, for programs. Columns are
 * explained in results/README.md. */
#include "sections_training.h"
#include "sections_why.h"
#include "tables.h"

#include <math.h>
#include <string.h>

#include "../analysis/rank_evidence.h"
#include "../coll/coll.h"

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
    {"factors.csv", tables_factors, sections_has_factors},
    {"evidence.csv", tables_evidence, sections_has_counters},
    {"training.csv", tables_training_figures, sections_has_training},
};

const struct tables_file *tables_file(unsigned i)
{
	return i < sizeof files / sizeof *files ? &files[i] : NULL;
}
