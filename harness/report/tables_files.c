/* The tables that are files: a row per thing that was measured, for programs. Columns are
 * explained in results/README.md. */
#include "sections_why.h"
#include "tables.h"

#include <math.h>
#include <string.h>

#include "../analysis/rank_evidence.h"
#include "../coll/coll.h"

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
    {"evidence.csv", tables_evidence, sections_has_counters},
};

const struct tables_file *tables_file(unsigned i)
{
	return i < sizeof files / sizeof *files ? &files[i] : NULL;
}
