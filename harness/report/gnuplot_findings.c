/* What findings have to be drawn of: plots/run.gp's names for steps of training. */
#include <math.h>
#include <string.h>

#include "../analysis/captions.h"
#include "../analysis/words.h"
#include "gnuplot.h"
#include "script.h"
#include "tables.h"

/* A row's panel, its group of bars there, and what the groups differ in. Of experts each size
 * has a panel, as steps differ by more than a scale holds. */
static void put_training_place(struct script *p, const struct training_row *row, unsigned n)
{
	const struct summary_group *g = &p->s->groups[row->group];
	char panel[CAPTION_BYTES], bars[160];
	const char *axis = "a bucket is full at";
	snprintf(panel, sizeof panel, "%s", coll_word(&g->cell, g->nranks).text);
	snprintf(bars, sizeof bars, "%s", words_size(row->bytes).text);
	if (coll_info(g->cell.coll)->is & COLL_ROUTED) {
		snprintf(panel, sizeof panel, "%s in %s, %s from each rank",
		         coll_info(g->cell.coll)->name, coll_dtype_name(g->cell.dtype),
		         words_size(row->bytes).text);
		snprintf(bars, sizeof bars, "%.3g", row->imbalance);
		axis = "what the busiest rank gets ÷ the mean";
	}
	script_text(p, "S_panel", n, panel);
	script_text(p, "S_bars", n, bars);
	script_text(p, "S_axis", n, axis);
}

static void put_training_row(struct script *p, const struct training_row *row, unsigned *n)
{
	unsigned v = 0;
	while (v < p->order.n && p->order.variants[v] != row->variant)
		v++;
	if (v == p->order.n)
		return;
	put_training_place(p, row, ++*n);
	script_put(p, "S_variant", *n, "%u", v + 1);
	script_number(p, "S_step", *n, row->step_us.estimate / 1000);
	script_number(p, "S_lo", *n, row->step_us.lo / 1000);
	script_number(p, "S_hi", *n, row->step_us.hi / 1000);
	script_number(p, "S_compute", *n, row->compute_us.estimate / 1000);
	script_number(p, "S_communication", *n, row->communication_us.estimate / 1000);
	script_number(p, "S_overlap", *n,
	              training_tells_overlap(row) ? 100 * row->overlap.estimate : NAN);
}

/* Steps of training, panel by panel: the groups as they are, and of experts size by size. */
static void put_training(struct script *p)
{
	const struct training *t = &p->f->training;
	char said[CAPTION_BYTES];
	unsigned n = 0;
	const bool routed = t->n && (coll_info(p->s->groups[t->rows[0].group].cell.coll)->is &
	                             COLL_ROUTED) != 0;
	fprintf(p->out, "\n# steps of training, where they were measured: ms\n");
	script_arrays(p, t->n, "S",
	              "panel bars axis variant step lo hi compute communication overlap");
	for (unsigned i = 0; !routed && i < t->n; i++)
		put_training_row(p, &t->rows[i], &n);
	/* Each size once, where its first row stands. */
	for (unsigned i = 0; routed && i < t->n; i++) {
		bool again = false;
		for (unsigned k = 0; k < i; k++)
			again = again || t->rows[k].bytes == t->rows[i].bytes;
		for (unsigned k = i; !again && k < t->n; k++)
			if (t->rows[k].bytes == t->rows[i].bytes)
				put_training_row(p, &t->rows[k], &n);
	}
	script_put(p, "steps", 0, "%u", n);
	script_text(p, "training_model", 0, t->model ? t->model : "");
	script_put(p, "steps_routed", 0, "%d", routed);
	training_caption(t, p->s, said, sizeof said);
	script_text(p, "training_said", 0, said);
}

/* One step of each variant, where its lanes are known. */
static int put_spans(struct script *p, const struct model *m, struct status *st)
{
	struct table *t = tables_spans(m);
	script_put(p, "spans", 0, "%u", table_rows(t));
	return script_table(p, t, st);
}

int gnuplot_findings(struct script *p, const struct model *m, struct status *st)
{
	int rc = 0;
	if (drawn_count(p->s)) {
		put_training(p);
		rc = put_spans(p, m, st);
	}
	return rc;
}
