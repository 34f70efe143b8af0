#include "rank_evidence.h"

#include <math.h>

#include "../arena.h"
#include "../core/counters.h"

/* The figures of one rank of one cell. */
static void take(struct arena *arena, const struct record_cell *c, unsigned rank,
                 double out[RANK_FIGURES])
{
	struct counters none;
	counters_clear(&none);
	const struct counters *k = c->counters ? &c->counters[rank] : &none;
	out[RANK_NVLINK_TX] = k->nvlink_tx_gbs;
	out[RANK_NVLINK_RX] = k->nvlink_rx_gbs;
	out[RANK_DRAM] = k->dram_gbs;
	out[RANK_DRAM_LIMIT] = k->dram_limit_gbs;
	out[RANK_DRAM_PER_NVLINK] = counters_dram_per_nvlink(k);
	out[RANK_SM] = k->sm_percent;
	out[RANK_BUSY] = k->busy_percent;
	out[RANK_MEMORY_BUSY] = k->memory_busy_percent;
	out[RANK_PCIE_TX] = k->pcie_tx_gbs;
	out[RANK_PCIE_RX] = k->pcie_rx_gbs;
	out[RANK_COPIED] = k->copied_bytes;
	out[RANK_DELIVERED] = k->delivered_bytes;
	out[RANK_COPIES] = k->delivered_bytes > 0 ? k->copied_bytes / k->delivered_bytes : NAN;
	out[RANK_ISSUE_CORES] = measure_issue_cores(arena, c, rank);
	out[RANK_SECONDS] = k->seconds;
}

/* A stretch's length alone says nothing about the path. */
static bool has_figure(const double figures[RANK_FIGURES])
{
	for (unsigned f = 0; f < RANK_SECONDS; f++)
		if (!isnan(figures[f]))
			return true;
	return false;
}

unsigned rank_evidence_make(const struct summary *s, const struct evidence_row *row, unsigned rank,
                            double medians[RANK_FIGURES])
{
	const struct record_run *run = s->run;
	const struct arena_mark mark = arena_mark(s->arena);
	unsigned n[RANK_FIGURES] = {0}, blocks = 0;
	double one[RANK_FIGURES];
	double *room = ARENA_ARRAY(s->arena, double, (size_t)run->ncells *RANK_FIGURES);
	for (unsigned i = 0; i < run->ncells; i++) {
		if (!evidence_belongs(s, row, &run->cells[i]))
			continue;
		take(s->arena, &run->cells[i], rank, one);
		blocks += has_figure(one);
		for (unsigned f = 0; f < RANK_FIGURES; f++)
			if (!isnan(one[f]))
				room[(size_t)f * run->ncells + n[f]++] = one[f];
	}
	for (unsigned f = 0; f < RANK_FIGURES; f++)
		medians[f] = stats_median(room + (size_t)f * run->ncells, n[f]);
	arena_release(s->arena, mark);
	return blocks;
}
