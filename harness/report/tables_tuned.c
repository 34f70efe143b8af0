/* The tables of a search: what is confirmed, by size and by set, and how far each value came on
 * the way. */
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/words.h"

/* "alltoall", with its pace where the run has two. */
static void cell_text(const struct model *m, const struct tuned_cell *cell, char *text,
                      size_t bytes)
{
	const struct summary *s = &m->summary;
	const struct summary_group *g = &s->groups[cell->group];
	bool paces = summary_has_pace(s, PACE_STREAM) && summary_has_pace(s, PACE_ISOLATED);
	snprintf(text, bytes, "%s%s%s", coll_word(&g->cell, g->nranks).text, paces ? ", " : "",
	         paces ? coll_pace_name(g->cell.pace) : "");
}

/* Why a finalist is not told of in a cell. */
static const char *verdict_of_test(const struct tuned_test *t, double margin)
{
	return t->confirmed               ? "confirmed"
	       : isnan(t->ratio.lo)       ? ""
	       : t->ratio.hi < 1 - margin ? "slower"
	       : t->no_loss               ? "no loss"
	                                  : "undecided";
}

struct table *tables_tuned(const struct model *m)
{
	const struct tuned *u = &m->findings.tuned;
	struct table *t = TABLE_NEW(
	    "tuned", "Confirmed gains by size, over the default",
	    {"cell", "what", "", TABLE_TEXT}, {"asked_bytes", "size", "", TABLE_BYTES},
	    {"set", "best set", "", TABLE_TEXT}, {"gain", "its speed", "", TABLE_RATIO},
	    {"all_gain", "set for all", "", TABLE_RATIO},
	    {"all_verdict", "that set", "", TABLE_TEXT}, {"aa", "A/A", "", TABLE_RATIO});
	char what[128];
	for (unsigned c = 0; c < u->ncells; c++) {
		const struct tuned_cell *cell = &u->cells[c];
		const struct tuned_finalist *best =
		    cell->best < 0 ? NULL : &u->finalists[cell->best];
		const struct tuned_test *all =
		    u->all < 0 ? NULL : &u->finalists[u->all].tests[c];
		const struct stats_ratio none = STATS_NO_RATIO;
		cell_text(m, cell, what, sizeof what);
		TABLE_ROW(t, CELL(what),
		          CELL(m->summary.groups[cell->group].asked_bytes[cell->size]),
		          CELL(best ? m->summary.variants[best->variant].name : "none"),
		          CELL(best ? &best->tests[c].expect : &none),
		          CELL(!all             ? &none
		               : all->confirmed ? &all->expect
		                                : &all->ratio),
		          CELL(all ? verdict_of_test(all, m->summary.margin) : ""),
		          CELL(&cell->line));
	}
	table_drop_empty(t);
	return t;
}

struct table *tables_finalists(const struct model *m)
{
	const struct tuned *u = &m->findings.tuned;
	const struct evidence *e = &m->findings.evidence;
	struct table *t = TABLE_NEW(
	    "finalists", "The sets that were confirmed or not, and their cost",
	    {"set", "set", "", TABLE_TEXT}, {"settings", "settings", "", TABLE_TEXT},
	    {"confirmed", "cells with a gain", "", TABLE_COUNT},
	    {"no_loss", "loses nowhere", "", TABLE_FLAG},
	    {"memory_mib", "GPU memory a rank, more than the default", "MiB", TABLE_NUMBER},
	    {"channels", "channels", "", TABLE_TEXT},
	    {"default_channels", "channels of the default", "", TABLE_TEXT});
	for (unsigned f = 0; f < u->nfinalists; f++) {
		const struct tuned_finalist *one = &u->finalists[f];
		TABLE_ROW(t, CELL(m->summary.variants[one->variant].name), CELL(one->text),
		          CELL(one->confirmed), CELL(one->no_loss),
		          CELL(one->memory_bytes / (1 << 20)),
		          CELL(e->paths[one->variant].channels),
		          CELL(e->paths[m->summary.reference].channels));
	}
	table_drop_empty(t);
	return t;
}

/* Of each value in each cell; for the heat map too. */
struct table *tables_searched(const struct model *m)
{
	const struct tuned *u = &m->findings.tuned;
	struct table *t =
	    TABLE_NEW("searched", "The best set of the search with each value",
	              {"setting", "setting", "", TABLE_TEXT}, {"cell", "what", "", TABLE_TEXT},
	              {"asked_bytes", "size", "", TABLE_BYTES},
	              {"effect", "effect", "", TABLE_NUMBER}, {"row", "row", "", TABLE_COUNT},
	              {"column", "column", "", TABLE_COUNT}, {"told", "told", "", TABLE_FLAG});
	char what[128], name[TRIAL_NAME_BYTES + SEARCH_VALUE_BYTES + 4];
	unsigned row = 0;
	for (unsigned f = 0; f < u->nfinalists; f++, row++)
		for (unsigned c = 0; c < u->ncells; c++) {
			const struct tuned_finalist *one = &u->finalists[f];
			cell_text(m, &u->cells[c], what, sizeof what);
			TABLE_ROW(t, CELL(m->summary.variants[one->variant].name), CELL(what),
			          CELL(m->summary.groups[u->cells[c].group]
			                   .asked_bytes[u->cells[c].size]),
			          CELL(one->tests[c].ratio.estimate - 1), CELL(row), CELL(c),
			          CELL(one->tests[c].confirmed));
		}
	for (unsigned k = 0; k < u->space.nkeys; k++)
		for (unsigned v = 1; v < u->space.keys[k].nvalues; v++, row++)
			for (unsigned c = 0; c < u->ncells; c++) {
				const char *key = u->space.keys[k].key;
				cell_text(m, &u->cells[c], what, sizeof what);
				snprintf(name, sizeof name, "%s = %s",
				         strncmp(key, "env.", 4) ? key : key + 4,
				         u->space.keys[k].values[v]);
				TABLE_ROW(t, CELL(name), CELL(what),
				          CELL(m->summary.groups[u->cells[c].group]
				                   .asked_bytes[u->cells[c].size]),
				          CELL(expm1(tuned_best(u, k, v, c))), CELL(row),
				          CELL(c), CELL(false));
			}
	return t;
}
