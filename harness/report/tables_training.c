/* Steps of training as a table: for people, and as a file. */
#include "tables.h"

#include "../analysis/words.h"

/* As a file, size and variant have a column each. */
static struct table *training_of(const struct model *m, const char *name, bool file)
{
	static const struct table_column apart[] = {{"bytes", "", "", TABLE_BYTES},
	                                            {"variant", "", "", TABLE_TEXT}},
	                                 joint[] = {{"size", "size, variant", "", TABLE_TEXT}},
	                                 columns[] = {
	                                     {"what", "what", "", TABLE_TEXT},
	                                     {"step_ms", "step", "ms", TABLE_SPREAD},
	                                     {"compute_ms", "compute", "ms", TABLE_SPREAD},
	                                     {"communication_ms", "communication", "ms",
	                                      TABLE_SPREAD},
	                                     {"exposed_ms", "exposed", "ms", TABLE_SPREAD},
	                                     {"overlap_percent", "overlap", "%", TABLE_SPREAD},
	                                     {"imbalance", "imbalance", "", TABLE_NUMBER},
	                                     {"speed", "speed", "", TABLE_RATIO},
	                                     {"blocks", "blocks", "", TABLE_COUNT},
	                                 };
	const struct training *f = &m->findings.training;
	struct table *t = table_new(name, "Steps of training");
	table_columns(t, file ? apart : joint, file ? 2 : 1);
	table_columns(t, columns, sizeof columns / sizeof *columns);
	for (unsigned i = 0; i < f->n; i++) {
		const struct training_row *row = &f->rows[i];
		const struct summary_group *g = &m->summary.groups[row->group];
		const struct stats_interval *us[] = {&row->step_us, &row->compute_us,
		                                     &row->communication_us, &row->exposed_us};
		const char *variant = m->summary.variants[row->variant].name;
		table_row(t);
		if (file)
			TABLE_PUT(t, CELL(row->bytes), CELL(variant));
		else
			table_text(t, "%s %s", words_size(row->bytes).text, variant);
		TABLE_PUT(t, CELL(coll_word(&g->cell, g->nranks).text));
		for (unsigned k = 0; k < 4; k++)
			TABLE_PUT(t, table_of_spread(us[k]->estimate / 1000, us[k]->lo / 1000,
			                             us[k]->hi / 1000));
		TABLE_PUT(t,
		          table_of_spread(100 * row->overlap.estimate, 100 * row->overlap.lo,
		                          100 * row->overlap.hi),
		          CELL(row->imbalance), CELL(&row->speed), CELL(row->blocks));
	}
	if (!file)
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
