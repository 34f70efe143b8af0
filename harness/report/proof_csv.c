/* evidence.csv: what each rank's counters said, before the report takes means over ranks. */
#include "../analysis/evidence.h"

#include <math.h>
#include <stdlib.h>

#include "output.h"
#include "csv.h"
#include "../analysis/measure.h"

enum column {
	NVLINK_TX,
	NVLINK_RX,
	DRAM,
	DRAM_LIMIT,
	DRAM_PER_NVLINK,
	SM,
	PCIE_TX,
	PCIE_RX,
	COPIED,
	DELIVERED,
	COPIES,
	ISSUE_CORES,
	SECONDS,
	COLUMNS
};

static const char *const heads[COLUMNS] = {
    "nvlink_tx_gbs",   "nvlink_rx_gbs", "dram_gbs",    "dram_limit_gbs", "dram_per_nvlink",
    "sm_percent",      "pcie_tx_gbs",   "pcie_rx_gbs", "copied_bytes",   "delivered_bytes",
    "copies_per_byte", "issue_cores",   "seconds"};

/* What one rank of one cell has. */
static void take(const struct record_cell *c, unsigned rank, double out[COLUMNS])
{
	struct counters none;
	counters_clear(&none);
	const struct counters *k = c->counters ? &c->counters[rank] : &none;
	out[NVLINK_TX] = k->nvlink_tx_gbs;
	out[NVLINK_RX] = k->nvlink_rx_gbs;
	out[DRAM] = k->dram_gbs;
	out[DRAM_LIMIT] = k->dram_limit_gbs;
	out[DRAM_PER_NVLINK] = counters_dram_per_nvlink(k);
	out[SM] = k->sm_percent;
	out[PCIE_TX] = k->pcie_tx_gbs;
	out[PCIE_RX] = k->pcie_rx_gbs;
	out[COPIED] = k->copied_bytes;
	out[DELIVERED] = k->delivered_bytes;
	out[COPIES] = k->delivered_bytes > 0 ? k->copied_bytes / k->delivered_bytes : NAN;
	out[ISSUE_CORES] = measure_issue_cores(c, rank);
	out[SECONDS] = k->seconds;
}

/* A stretch's length alone says nothing of the path. */
static bool has_figure(const double figures[COLUMNS])
{
	for (unsigned f = 0; f < SECONDS; f++)
		if (!isnan(figures[f]))
			return true;
	return false;
}

/* How many cells have figures of the rank, and their medians, each over those that have it.
 * `room` holds a number per column and cell of the record. */
static unsigned gather(const struct summary *s, const struct evidence_row *row, unsigned rank,
                       double *room, double medians[COLUMNS])
{
	const struct record_run *run = s->run;
	unsigned blocks = 0, n[COLUMNS] = {0};
	double one[COLUMNS];
	for (unsigned i = 0; i < run->ncells; i++) {
		if (!evidence_belongs(s, row, &run->cells[i]))
			continue;
		take(&run->cells[i], rank, one);
		blocks += has_figure(one);
		for (unsigned f = 0; f < COLUMNS; f++)
			if (!isnan(one[f]))
				room[(size_t)f * run->ncells + n[f]++] = one[f];
	}
	for (unsigned f = 0; f < COLUMNS; f++)
		medians[f] = stats_median(room + (size_t)f * run->ncells, n[f]);
	return blocks;
}

static void put_rank(FILE *out, const struct summary *s, const struct evidence *e,
                     const struct evidence_row *row, unsigned rank, double *room)
{
	const struct summary_group *g = &s->groups[row->group];
	const struct summary_variant *v = &s->variants[row->variant];
	const struct evidence_path *path = &e->paths[row->variant];
	double medians[COLUMNS];
	unsigned blocks = gather(s, row, rank, room, medians);
	summary_put_text(out, v->name);
	summary_put_text(out, v->mode);
	summary_put_text(out, path->transport);
	/* On host no log says it, but the workers do. */
	summary_put_text(out, path->data_path[0] ? path->data_path : v->path);
	fprintf(out, "%u,%s,%zu,%zu,%u,", g->nranks, coll_word(&g->cell, g->nranks).text,
	        g->bytes[row->size], g->asked_bytes[row->size], rank);
	for (unsigned f = 0; f < COLUMNS; f++)
		summary_put_number(out, medians[f]);
	fprintf(out, "%u\n", blocks);
}

int evidence_write_csv(const struct summary *s, const struct evidence *e, const char *file,
                    struct status *st)
{
	double *room = malloc(((size_t)s->run->ncells + 1) * COLUMNS * sizeof *room);
	if (!room)
		return status_set(st, "out of memory for the evidence");
	FILE *out = output_open(file, st);
	if (!out) {
		free(room);
		return -1;
	}
	fputs("variant,mode,transport,data_path,ranks,what,bytes,asked_bytes,rank,", out);
	for (unsigned f = 0; f < COLUMNS; f++)
		fprintf(out, "%s,", heads[f]);
	fputs("blocks\n", out);
	for (unsigned i = 0; i < e->nrows; i++)
		for (unsigned r = 0; r < s->groups[e->rows[i].group].nranks; r++)
			put_rank(out, s, e, &e->rows[i], r, room);
	free(room);
	return output_close(out, file, st);
}
