#include "access.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* Of the first trial of the variant that says so. */
static double huge_bytes(const struct record_run *run, const char *variant)
{
	double most = NAN;
	for (unsigned i = 0; i < run->ncells; i++) {
		const json_t *facts = json_object_get(run->cells[i].json, "facts");
		for (size_t w = 0; w < json_array_size(facts); w++) {
			double bytes = measure_fact(json_array_get(facts, w), "huge_bytes");
			if (!strcmp(run->cells[i].variant, variant) && !isnan(bytes))
				most = isnan(most) || bytes > most ? bytes : most;
		}
	}
	return most;
}

static const struct evidence_row *evidence_of(const struct evidence *e, unsigned group,
                                              unsigned variant, unsigned size)
{
	for (unsigned i = 0; i < e->nrows; i++)
		if (e->rows[i].group == group && e->rows[i].variant == variant &&
		    e->rows[i].size == size)
			return &e->rows[i];
	return NULL;
}

static void take(const struct summary *s, const struct evidence *e, unsigned group,
                 unsigned variant, struct access *out)
{
	const struct summary_group *g = &s->groups[group];
	const struct summary_row *row = index_at(s, variant, group, g->nsizes - 1);
	if (!row || !row->ntrials || isnan(row->busbw_gbs))
		return;
	const struct evidence_row *counted = evidence_of(e, group, variant, g->nsizes - 1);
	struct access_row *x = &out->rows[out->n];
	*x = (struct access_row){.variant = variant,
	                         .stride = s->settings[variant].stride,
	                         .gbs = summary_busbw(row),
	                         .limit_gbs = NAN,
	                         .dram_gbs = NAN,
	                         .huge_bytes = huge_bytes(s->run, s->variants[variant].name),
	                         .ratio = row->ratio};
	if (counted && !isnan(counted->dram_gbs)) {
		x->dram_gbs = counted->dram_gbs;
		x->limit_gbs = counted->dram_gbs / counted->dram_share;
	}
	x->share = x->gbs.estimate / x->limit_gbs;
	x->dram_per_byte = x->dram_gbs / x->gbs.estimate;
	if (x->stride == 1 && out->side < 0)
		out->side = (int)out->n;
	out->bytes = row->cell.bytes;
	out->n++;
}

int access_make(const struct summary *s, const struct evidence *e, struct access *out,
                struct status *st)
{
	*out = (struct access){.side = -1};
	for (unsigned g = 0; g < s->ngroups; g++) {
		if (s->groups[g].cell.coll != COLL_ACCESS ||
		    s->groups[g].cell.pace != PACE_STREAM || out->rows)
			continue;
		out->rows = calloc(s->nvariants, sizeof *out->rows);
		if (!out->rows)
			return status_set(st, "out of memory for the access patterns");
		for (unsigned v = 0; v < s->nvariants; v++)
			if (summary_is_asked(s, v))
				take(s, e, g, v, out);
	}
	return 0;
}

void access_free(struct access *a)
{
	free(a->rows);
	*a = (struct access){.side = -1};
}
