/* The part of plots/run.gp about versions of the library: one picture per collective. */
#include "run_gp.h"

#include <math.h>
#include <string.h>

#include "../analysis/words.h"

static void versions_about(const struct versions *v, unsigned coll, char *text, size_t bytes)
{
	const struct versions_coll *c = &v->colls[coll];
	char lo[32], hi[32];
	coll_size_label(c->lo, lo, sizeof lo);
	coll_size_label(c->hi, hi, sizeof hi);
	if (c->ncells == 1)
		snprintf(text, bytes, "%s", hi);
	else
		snprintf(text, bytes, "geometric mean over %u cells, %s to %s", c->ncells, lo,
		         hi);
}

static unsigned count_drawn(const struct versions *v)
{
	unsigned n = 0;
	for (unsigned i = 0; i < v->ncolls; i++)
		n += v->colls[i].nblocks > 0;
	return n;
}

/* Whether the way that data takes is known of any point. */
static bool any_path(const struct versions *v)
{
	bool any = false;
	for (unsigned i = 0; i < v->ncolls; i++)
		for (unsigned r = 0; v->colls[i].nblocks && r < v->nrows; r++)
			for (unsigned mode = 0; mode < v->nmodes; mode++) {
				const char *path = v->colls[i].rows[r].sides[mode].data_path;
				any |= !strcmp(path, "direct") || !strcmp(path, "staged");
			}
	return any;
}

/* What the axes have to hold: the least and the most bandwidth and ratio. */
static void put_extent(FILE *out, const struct versions *v, const struct versions_coll *c,
                       unsigned nth)
{
	double lo = INFINITY, hi = 0, ratio_lo = 1, ratio_hi = 1;
	for (unsigned i = 0; i < v->nrows; i++) {
		const struct stats_ratio *r = &c->rows[i].verdict.ratio;
		for (unsigned mode = 0; mode < v->nmodes; mode++) {
			lo = fmin(lo, c->rows[i].sides[mode].lo);
			hi = fmax(hi, c->rows[i].sides[mode].hi);
		}
		ratio_lo = fmin(ratio_lo, isnan(r->lo) ? r->estimate : r->lo);
		ratio_hi = fmax(ratio_hi, isnan(r->hi) ? r->estimate : r->hi);
	}
	fprintf(out, "N_lo[%u] = %.8g\nN_hi[%u] = %.8g\n", nth, lo, nth, hi);
	fprintf(out, "N_ratio_lo[%u] = %.6g\nN_ratio_hi[%u] = %.6g\n", nth, ratio_lo, nth,
	        ratio_hi);
}

void run_gp_versions(FILE *out, const struct versions *v)
{
	static const char *const arrays[] = {"coll", "ranks", "about",    "blocks",
	                                     "lo",   "hi",    "ratio_lo", "ratio_hi"};
	unsigned n = count_drawn(v), nth = 0;
	char text[128], quoted[160];
	fprintf(out,
	        "\n# versions of the library, drawn from versions.csv: one picture per "
	        "collective, and what its axes have to hold\nversions = %u\n"
	        "versions_modes = %u\nversions_pictures = %u\nversions_paths = %d\n",
	        v->nrows, v->nmodes, n, any_path(v));
	if (!n)
		return;
	fprintf(out, "versions_margin = %.6g\n", v->colls[0].rows[0].verdict.margin);
	fprintf(out, "array N_version[%u]\n", v->nrows);
	for (unsigned i = 0; i < v->nrows; i++) {
		run_gp_quote(v->colls[0].rows[i].version, quoted, sizeof quoted);
		fprintf(out, "N_version[%u] = %s\n", i + 1, quoted);
	}
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		fprintf(out, "array N_%s[%u]\n", arrays[i], n);
	for (unsigned i = 0; i < v->ncolls; i++) {
		const struct versions_coll *c = &v->colls[i];
		if (!c->nblocks)
			continue;
		nth++;
		versions_about(v, i, text, sizeof text);
		run_gp_quote(text, quoted, sizeof quoted);
		fprintf(out, "N_coll[%u] = '%s'\nN_ranks[%u] = %u\n", nth,
		        coll_info(c->coll)->name, nth, c->nranks);
		fprintf(out, "N_about[%u] = %s\nN_blocks[%u] = %u\n", nth, quoted, nth,
		        c->nblocks);
		put_extent(out, v, c, nth);
	}
}
