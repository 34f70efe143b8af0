/* Contrasts that SQL asks for: the table asked_contrast → contrast, contrast_block. */
#include <math.h>
#include <string.h>

#include "../data/format.h"
#include "../story/verdict_text.h"
#include "figures.h"
#include "reasons.h"

/* A row of asked_contrast. */
struct asked {
	unsigned id, left, right;
	enum metric metric;
	const char *together;
	const struct regime *regime; /* or NULL */
	struct contrast_select select;
};

static struct asked asked_of(const struct figures *f, const struct db_rows *row)
{
	const char *together = db_text(row, 8);
	const double coll = db_real(row, 4), to = db_real(row, 6), regime = db_real(row, 7);
	return (struct asked){.id = (unsigned)db_real(row, 0),
	                      .left = (unsigned)db_real(row, 1),
	                      .right = (unsigned)db_real(row, 2),
	                      .metric = metric_by_name(db_text(row, 3)),
	                      .together = together ? arena_copy(f->arena, together) : NULL,
	                      .regime =
	                          isnan(regime) ? NULL : &f->a->regimes.list[(unsigned)regime],
	                      .select = {.bytes = {(size_t)db_real(row, 5),
	                                           to < (double)LLONG_MAX ? (size_t)to : SIZE_MAX},
	                                 .pace = CLAIM_ANY_PACE,
	                                 .coll = isnan(coll) ? CLAIM_ANY_COLL : (int)coll,
	                                 .across_ranks = true}};
}

/* The variants of all that are asked together with one. */
static void put_with(const struct figures *f, const struct asked *all, unsigned n,
                     struct asked *one)
{
	bool *has = ARENA_ARRAY(f->arena, bool, f->s->nvariants);
	unsigned *with = ARENA_ARRAY(f->arena, unsigned, f->s->nvariants);
	for (unsigned i = 0; one->together && i < n; i++)
		if (all[i].together && !strcmp(all[i].together, one->together))
			has[all[i].left] = has[all[i].right] = true;
	one->select.with = with;
	for (unsigned v = 0; v < f->s->nvariants; v++)
		if (has[v])
			with[one->select.nwith++] = v;
}

static void put_contrast(const struct figures *f, const struct asked *asked)
{
	struct contrast c =
	    contrast_make(f->s, asked->left, asked->right, asked->metric, &asked->select);
	const double scale = contrast_is_time(c.metric) ? 1e-3 : 1; /* times are in ns */
	const struct contrast_side *side = &c.left_side;
	const struct regime *g = asked->regime;
	const struct stats_ratio *speed = &c.verdict.ratio;
	const bool withheld =
	    regime_withhold(g, g ? fmax(g->least_effect, c.verdict.margin) : 0, &c.verdict);
	char verdict[VERDICT_TEXT_BYTES];
	verdict_text(&c.verdict, verdict, sizeof verdict);
	const bool has = !isnan(speed->estimate);
	const struct stats_interval cells = contrast_by_cell(&c);
	db_add(f->db, "contrast", "isdrdittiitddtdiillt", asked->id,
	       (struct stats_interval){side->value * scale, side->lo * scale, side->hi * scale},
	       c.right_side.value * scale, *speed, speed->confidence,
	       1 + verdict_beyond(&c.verdict), has ? verdict_word(c.verdict.kind) : NULL,
	       has ? verdict : NULL, verdict_decided(&c.verdict), withheld,
	       format_ratio(speed).text, cells.lo, cells.hi, figures_cells(f->arena, cells),
	       c.verdict.detectable, c.ncells, c.nblocks, c.sizes.lo, c.sizes.hi,
	       reason_text(f->arena, &c.why));
	for (unsigned b = 0; b < c.nblocks; b++)
		db_add(f->db, "contrast_block", "iid", asked->id, b, c.logs[b]);
}

int figures_of_contrasts(const struct figures *f, struct status *st)
{
	static const struct db_source query = {
	    .file = "harness/chapters/figures_contrast.c",
	    .sql = "SELECT id, variant, against, metric, coll_nth, from_bytes, to_bytes, regime, "
	           "together FROM asked_contrast ORDER BY id"};
	struct asked *all = NULL;
	unsigned n = 0;
	struct db_rows *rows = db_ask(f->db, &query, st);
	while (rows && db_next(rows)) {
		all = arena_more(f->arena, all, n, sizeof *all);
		all[n++] = asked_of(f, rows);
	}
	if (!rows || db_end(rows, st))
		return -1;
	for (unsigned i = 0; i < n; i++) {
		put_with(f, all, n, &all[i]);
		put_contrast(f, &all[i]);
	}
	return 0;
}
