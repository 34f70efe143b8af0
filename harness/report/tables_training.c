/* Steps of training as a table: for people, and as a file. */
#include "tables.h"

#include <math.h>
#include <string.h>

#include "../analysis/traced.h"
#include "../analysis/words.h"

/* As a file, size and variant have a column each. */
static struct table *training_of(const struct model *m, const char *name, bool file)
{
	const struct training *f = &m->findings.training;
	struct table *t = TABLE_NEW(
	    name, "Steps of training", {"bytes", "", "", TABLE_BYTES},
	    {"variant", "", "", TABLE_TEXT}, {"size", "size, variant", "", TABLE_TEXT},
	    {"what", "what", "", TABLE_TEXT}, {"step_ms", "step", "ms", TABLE_SPREAD},
	    {"compute_ms", "compute", "ms", TABLE_SPREAD},
	    {"communication_ms", "communication", "ms", TABLE_SPREAD},
	    {"exposed_ms", "exposed", "ms", TABLE_SPREAD},
	    {"overlap_percent", "overlap", "%", TABLE_SPREAD},
	    {"imbalance", "imbalance", "", TABLE_NUMBER},
	    {"tokens", "tokens", "", TABLE_NUMBER}, {"speed", "speed", "", TABLE_RATIO},
	    {"blocks", "blocks", "", TABLE_COUNT}, {"ctas", "NCCL's CTAs", "", TABLE_NUMBER},
	    {"sms_percent", "of all SMs", "%", TABLE_NUMBER});
	for (unsigned i = 0; i < f->n; i++) {
		const struct training_row *row = &f->rows[i];
		const struct summary_group *g = &m->summary.groups[row->group];
		const struct stats_interval *us[] = {&row->step_us, &row->compute_us,
		                                     &row->communication_us, &row->exposed_us};
		const char *variant = m->summary.variants[row->variant].name;
		TABLE_ROW(t, CELL(row->bytes), CELL(variant));
		table_text(t, "%s %s", words_size(row->bytes).text, variant);
		TABLE_PUT(t, CELL(coll_word(&g->cell, g->nranks).text));
		for (unsigned k = 0; k < 4; k++)
			TABLE_PUT(t, table_of_spread(us[k]->estimate / 1000, us[k]->lo / 1000,
			                             us[k]->hi / 1000));
		TABLE_PUT(t,
		          table_of_spread(100 * row->overlap.estimate, 100 * row->overlap.lo,
		                          100 * row->overlap.hi),
		          CELL(row->imbalance), CELL(row->tokens), CELL(&row->speed),
		          CELL(row->blocks), CELL(row->ctas), CELL(100 * row->sms_share));
	}
	if (file) {
		TABLE_DROP(t, "size");
		return t;
	}
	TABLE_DROP(t, "bytes", "variant");
	table_drop_empty(t);
	return t;
}

struct table *tables_training(const struct model *m)
{
	return training_of(m, "training", false);
}

struct table *tables_training_figures(const struct model *m)
{
	return training_of(m, "training_figures", true);
}

/* --- one step, lane by lane --- */

/* The earliest start of any rank, ns; INT64_MAX where the cell has no spans. */
static int64_t earliest(const struct record_cell *cell)
{
	int64_t first = INT64_MAX, start, end;
	for (unsigned k = 0; k < LANES * cell->nranks; k++)
		for (size_t i = 0; traced_span(cell, k % LANES, k / LANES, i, &start, &end);
		     i++)
			first = start < first ? start : first;
	return first;
}

static void add_spans(struct table *t, const struct record_cell *cell, int64_t from)
{
	const struct coll_word what = coll_word(&cell->cell, cell->nranks);
	for (unsigned k = 0; k < LANES * cell->nranks; k++) {
		const unsigned lane = k / cell->nranks, r = k % cell->nranks;
		int64_t start, end;
		for (size_t i = 0; traced_span(cell, lane, r, i, &start, &end); i++)
			TABLE_ROW(t, CELL(cell->variant), CELL(what.text), CELL(r), CELL(lane),
			          CELL((unsigned long)cell->cell.asked_bytes),
			          CELL((double)(start - from) / 1000),
			          CELL((double)(end - from) / 1000));
	}
}

struct table *tables_spans(const struct model *m)
{
	const struct record_run *run = &m->run;
	struct table *t =
	    TABLE_NEW("spans", "One step, lane by lane", {"variant", "", "", TABLE_TEXT},
	              {"what", "", "", TABLE_TEXT}, {"rank", "", "", TABLE_COUNT},
	              {"lane", "", "", TABLE_COUNT}, {"bytes", "", "", TABLE_BYTES},
	              {"start_us", "", "µs", TABLE_NUMBER}, {"end_us", "", "µs", TABLE_NUMBER});
	for (unsigned v = 0; v < m->summary.nvariants; v++) {
		bool done = m->summary.variants[v].role == ROLE_AGAIN;
		for (unsigned c = 0; c < run->ncells && !done; c++) {
			const struct record_cell *cell = &run->cells[c];
			if (cell->cell.pass != PASS_TIMELINE || cell->error[0] ||
			    strcmp(cell->variant, m->summary.variants[v].name) ||
			    earliest(cell) == INT64_MAX)
				continue;
			add_spans(t, cell, earliest(cell));
			done = true;
		}
	}
	return t;
}
