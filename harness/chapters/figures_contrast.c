/* Contrasts that SQL asks for: the table asked_contrast → contrast. All use the cells and blocks that
 * every one of their variants has. */
#include <math.h>
#include <string.h>

#include "../story/verdict_text.h"
#include "figures.h"
#include "reasons.h"

static const char here[] = "harness/chapters/figures_contrast.c";

static enum metric metric_named(const char *name)
{
	unsigned i = 0;
	while (strcmp(metric_info((enum metric)i)->name, name))
		i++;
	return (enum metric)i;
}

static void put_contrast(const struct figures *f, unsigned asked, const struct contrast *c)
{
	const double scale = contrast_is_time(c->metric) ? 1e-3 : 1; /* times are in ns */
	const struct contrast_side *side = &c->left_side;
	char verdict[VERDICT_TEXT_BYTES] = "", unseen[64];
	if (!isnan(c->verdict.ratio.estimate))
		verdict_text(&c->verdict, verdict, sizeof verdict);
	verdict_unseen_text(c->verdict.detectable, unseen, sizeof unseen);
	db_add(f->db, "contrast", "isritidtiillt", asked,
	       (struct stats_interval){side->value * scale, side->lo * scale, side->hi * scale},
	       c->verdict.ratio, (unsigned)(1 + verdict_beyond(&c->verdict)), verdict,
	       verdict_decided(&c->verdict), c->verdict.detectable, unseen, c->ncells, c->nblocks,
	       c->sizes.lo, c->sizes.hi, reason_text(f->arena, &c->why));
}

/* A verdict is by the rule of every regime: one beyond its noise counts. */
static void make_contrast(const struct figures *f, const struct db_rows *row, const unsigned *with,
                          unsigned nwith)
{
	const double to = db_real(row, 7);
	const struct contrast_select select = {
	    .bytes = {(size_t)db_real(row, 6), isnan(to) ? SIZE_MAX : (size_t)to},
	    .pace =
	        strcmp(db_text(row, 4), coll_pace_name(PACE_STREAM)) ? PACE_ISOLATED : PACE_STREAM,
	    .coll = (int)db_real(row, 5),
	    .with = with,
	    .nwith = nwith};
	const struct regime *regime =
	    isnan(db_real(row, 8)) ? NULL : &f->a->regimes.list[(unsigned)db_real(row, 8)];
	struct contrast c =
	    contrast_make(f->s, (unsigned)db_real(row, 1), (unsigned)db_real(row, 2),
	                  metric_named(db_text(row, 3)), &select);
	if (regime)
		regime_withhold(regime, fmax(regime->least_effect, c.verdict.margin), &c.verdict);
	put_contrast(f, (unsigned)db_real(row, 0), &c);
}

int figures_of_contrasts(const struct figures *f, struct status *st)
{
	static const struct db_source variants = {.file = here,
	                                          .sql = "SELECT variant FROM asked_contrast UNION "
	                                                 "SELECT against FROM asked_contrast"},
	                              asked = {.file = here,
	                                       .sql =
	                                           "SELECT rowid, variant, against, metric, pace, "
	                                           "coll_nth, from_bytes, to_bytes, regime "
	                                           "FROM asked_contrast"};
	unsigned *with = ARENA_ARRAY(f->arena, unsigned, f->s->nvariants + 1), n = 0;
	struct db_rows *rows = db_ask(f->db, &variants, st);
	while (rows && db_next(rows))
		with[n++] = (unsigned)db_real(rows, 0);
	if (!rows || db_end(rows, st) || !(rows = db_ask(f->db, &asked, st)))
		return -1;
	while (db_next(rows))
		make_contrast(f, rows, with, n);
	return db_end(rows, st);
}
