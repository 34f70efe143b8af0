/* What each whole block of an unfinished run showed: the table seen. */
#include <math.h>

#include "figures.h"
#include "run.h"

/* Left ÷ right in each block that has both; inverted times if it is about speeds. */
static unsigned put_ratios(struct db *db, const struct contrast *c, unsigned regime,
                           const char *about)
{
	const double sign = !about && contrast_is_time(c->metric) ? -1 : 1;
	for (unsigned b = 0; b < c->nblocks; b++)
		db_add(db, "seen", "iiidt", regime, c->left, c->right, exp(sign * c->logs[b]),
		       about);
	return c->nblocks;
}

/* The primary claim. 0: these blocks say nothing about it. */
static unsigned put_primary(const struct analysis *a, struct arena *arena, struct db *db)
{
	for (unsigned i = 0; i < a->asked.nclaims; i++) {
		const struct claims_result *r = &a->claims[i];
		const struct metric_info *metric = metric_info(r->claim->metric);
		if (r->primary && !metric->counters && !r->claim->right_coll[0])
			return put_ratios(db, &r->contrast, DB_NONE,
			                  arena_text(arena, "%c%s", metric->summary[0] & ~0x20,
			                             metric->summary + 1));
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
				put_ratios(f->db, &g->contrasts[v], i, NULL);
	}
}
