/* What each whole block of an unfinished run showed: the table seen. */
#include <math.h>
#include <string.h>

#include "../analysis/contrast.h"
#include "figures.h"
#include "run.h"

/* Left ÷ right in each block that has both; inverted times if it is about speeds. */
static unsigned put_ratios(const struct analysis *a, struct db *db, const struct contrast *c,
                           unsigned regime, const char *about)
{
	const unsigned sides[] = {c->left, c->right};
	const bool inverted = !about && contrast_is_time(c->metric);
	struct contrast_select select = c->select;
	unsigned n;
	select.with = sides;
	select.nwith = 2;
	const double *levels = contrast_levels(a->s, c->metric, &select, &n);
	for (unsigned b = 0; b < n; b++) {
		const double log = levels[2 * b] - levels[2 * b + 1];
		db_add(db, "seen", "iiidt", regime, c->left, c->right, exp(inverted ? -log : log),
		       about);
	}
	return n;
}

/* The primary claim. 0: these blocks say nothing about it. */
static unsigned put_primary(const struct analysis *a, struct arena *arena, struct db *db)
{
	const struct claim_list *asked = &a->asked;
	for (unsigned i = 0; i < asked->nclaims; i++) {
		const struct claim *claim = &asked->claims[i];
		const struct metric_info *metric = metric_info(claim->metric);
		const int left = index_variant(a->s, claim->left),
		          right = index_variant(a->s, claim->right);
		if (strcmp(claim->name, asked->primary) || left < 0 || right < 0 ||
		    metric->counters || claim->right_coll[0])
			continue;
		struct contrast c = contrast_none((unsigned)left, (unsigned)right, claim->metric,
		                                  (struct reason){.kind = REASON_NONE});
		c.select = (struct contrast_select){
		    .bytes = claim->bytes, .pace = claim->pace, .coll = claim->coll};
		return put_ratios(
		    a, db, &c, DB_NONE,
		    arena_text(arena, "%c%s", metric->summary[0] & ~0x20, metric->summary + 1));
	}
	return 0;
}

void figures_of_blocks(const struct figures *f)
{
	const struct analysis *a = f->a;
	if (!run_lacks_blocks(a) || !a->s->nblocks || put_primary(a, f->arena, f->db))
		return;
	for (unsigned i = 0; i < a->regimes.n; i++) {
		const struct regime *g = &a->regimes.list[i];
		for (unsigned v = 0; v < g->nvariants; v++)
			if ((int)v != g->twin && !isnan(g->contrasts[v].ratio.estimate))
				put_ratios(a, f->db, &g->contrasts[v], i, NULL);
	}
}
