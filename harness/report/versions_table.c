/* The figures of each version, as tables and as versions.csv. */
#include "versions_table.h"

#include <math.h>

#include "bysize.h"
#include "output.h"
#include "csv.h"

static void put_number(struct grid *table, unsigned column, double x)
{
	char text[32];
	bysize_number(x, text, sizeof text);
	grid_put(table, column, "%s", text);
}

static bool has_dram(const struct versions *v, const struct versions_coll *c)
{
	for (unsigned i = 0; i < v->nrows; i++)
		for (unsigned mode = 0; mode <= VERSIONS_PROCESSES; mode++)
			if (!isnan(c->rows[i].sides[mode].dram_per_nvlink))
				return true;
	return false;
}

static bool has_paths(const struct versions *v, const struct versions_coll *c)
{
	for (unsigned i = 0; i < v->nrows; i++)
		for (unsigned mode = 0; mode <= VERSIONS_PROCESSES; mode++)
			if (c->rows[i].sides[mode].data_path[0])
				return true;
	return false;
}

/* Columns up to the verdict, with `names` the variants' among them; the number of the next. */
static unsigned put_figures(struct grid *table, const struct versions *v,
                            const struct versions_row *row, bool names)
{
	unsigned at = 1;
	char text[96];
	grid_row(table);
	grid_put(table, 0, "%s", row ? row->version : "NCCL");
	for (unsigned mode = 0; mode < v->nmodes && names; mode++) {
		if (row)
			grid_put(table, at++, "%s", row->sides[mode].name);
		else
			grid_put(table, at++, "variant, %s",
			          versions_mode_name((enum versions_mode)mode));
	}
	for (unsigned mode = 0; mode < v->nmodes; mode++) {
		if (row)
			put_number(table, at++, row->sides[mode].gbs);
		else
			grid_put(table, at++, "%s GB/s",
			          versions_mode_name((enum versions_mode)mode));
	}
	if (row)
		bysize_ratio(&row->verdict.ratio, true, text, sizeof text);
	grid_put(table, at++, "%s", row ? text : "processes ÷ threads");
	if (row)
		verdict_text(&row->verdict, text, sizeof text);
	grid_put(table, at++, "%s", row ? text : "verdict");
	return at;
}

struct grid *versions_short(const struct versions *v, unsigned coll)
{
	struct grid *table = grid_new(3 + v->nmodes, 1);
	put_figures(table, v, NULL, false);
	for (unsigned i = 0; i < v->nrows; i++)
		put_figures(table, v, &v->colls[coll].rows[i], false);
	return table;
}

static void put_evidence(struct grid *table, const struct versions_row *row, bool paths,
                         bool dram, unsigned at)
{
	for (unsigned mode = 0; mode <= VERSIONS_PROCESSES && paths; mode++) {
		const char *name = versions_mode_name((enum versions_mode)mode);
		const char *path = row ? row->sides[mode].data_path : "";
		if (row)
			grid_put(table, at++, "%s", *path ? path : "-");
		else
			grid_put(table, at++, "data path, %s", name);
	}
	for (unsigned mode = 0; mode <= VERSIONS_PROCESSES && dram; mode++) {
		if (row)
			put_number(table, at++, row->sides[mode].dram_per_nvlink);
		else
			grid_put(table, at++, "DRAM ÷ NVLink, %s",
			          versions_mode_name((enum versions_mode)mode));
	}
}

struct grid *versions_table(const struct versions *v, unsigned coll)
{
	const struct versions_coll *c = &v->colls[coll];
	bool paths = has_paths(v, c), dram = has_dram(v, c);
	struct grid *table =
	    grid_new(3 + 2 * v->nmodes + 2 * paths + 2 * dram, 1 + v->nmodes);
	put_evidence(table, NULL, paths, dram, put_figures(table, v, NULL, true));
	for (unsigned i = 0; i < v->nrows; i++)
		put_evidence(table, &c->rows[i], paths, dram,
		             put_figures(table, v, &c->rows[i], true));
	return table;
}

void versions_about(const struct versions *v, unsigned coll, char *text, size_t bytes)
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

/* A mode's versions follow each other, so that they can be joined by a line. What belongs to a
 * version stands in the row of processes, which are held against threads. */
static void write_row(FILE *out, const struct summary *s, const struct versions_coll *c,
                      unsigned nth, enum versions_mode mode)
{
	const struct versions_row *row = &c->rows[nth];
	const struct versions_side *side = &row->sides[mode];
	const struct stats_ratio none = {NAN, NAN, NAN, 0, NAN};
	const struct stats_ratio *ratio =
	    mode == VERSIONS_PROCESSES ? &row->verdict.ratio : &none;
	char verdict[96] = "";
	fprintf(out, "%s,", coll_info(c->coll)->name);
	summary_put_text(out, row->version);
	fprintf(out, "%u,%s,", nth + 1, versions_mode_name(mode));
	summary_put_text(out, s->variants[side->variant].name);
	fprintf(out, "%u,%u,", c->ncells, c->nblocks);
	const double numbers[] = {side->gbs,       side->lo,  side->hi, side->dram_per_nvlink,
	                          ratio->estimate, ratio->lo, ratio->hi};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		summary_put_number(out, numbers[i]);
	summary_put_text(out, side->data_path);
	if (mode == VERSIONS_PROCESSES)
		verdict_text(&row->verdict, verdict, sizeof verdict);
	fprintf(out, "\"%s\"\n", verdict);
}

int versions_write_csv(const struct summary *s, const struct versions *v, const char *file,
                       struct status *st)
{
	FILE *out = output_open(file, st);
	if (!out)
		return -1;
	fprintf(out, "collective,version,nth_version,mode,variant,cells,blocks,busbw_gbs,"
	             "busbw_gbs_lo,busbw_gbs_hi,dram_per_nvlink,ratio,ratio_lo,ratio_hi,"
	             "data_path,verdict\n");
	for (unsigned i = 0; i < v->ncolls; i++)
		for (unsigned mode = 0; mode < v->nmodes && v->colls[i].nblocks; mode++)
			for (unsigned nth = 0; nth < v->nrows; nth++)
				write_row(out, s, &v->colls[i], nth, (enum versions_mode)mode);
	return output_close(out, file, st);
}
