/* Steps of training as a table: for people, and as a file. */
#include "tables.h"

#include <math.h>
#include <string.h>

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

/* [start, end] of a record that may be damaged. */
static bool span_of(const json_t *span, double *start, double *end)
{
	const json_t *a = json_array_get(span, 0), *b = json_array_get(span, 1);
	*start = json_number_value(a);
	*end = json_number_value(b);
	return json_is_integer(a) && json_is_integer(b) && *end >= *start;
}

/* The earliest start of any rank; NaN where the cell has no spans. */
static double earliest(const struct record_cell *cell)
{
	double first = NAN, start, end;
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned r = 0; r < cell->nranks; r++) {
			const json_t *list =
			    json_array_get(json_object_get(cell->json, sample_lane_keys[lane]), r);
			const json_t *span;
			size_t i;
			json_array_foreach(list, i, span) if (span_of(span, &start, &end) &&
			                                      !(start >= first)) first = start;
		}
	return first;
}

static void add_spans(struct table *t, const struct record_cell *cell, double from)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned r = 0; r < cell->nranks; r++) {
			const json_t *list =
			    json_array_get(json_object_get(cell->json, sample_lane_keys[lane]), r);
			const json_t *span;
			double start, end;
			size_t i;
			json_array_foreach(list, i, span) if (span_of(span, &start, &end))
			    TABLE_ROW(t, CELL(cell->variant),
			              CELL(coll_word(&cell->cell, cell->nranks).text), CELL(r),
			              CELL(lane), CELL((unsigned long)cell->cell.asked_bytes),
			              CELL((start - from) / 1000), CELL((end - from) / 1000));
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
			double from;
			if (cell->cell.pass != PASS_TIMELINE || cell->error[0] ||
			    strcmp(cell->variant, m->summary.variants[v].name) ||
			    isnan(from = earliest(cell)))
				continue;
			add_spans(t, cell, from);
			done = true;
		}
	}
	return t;
}
