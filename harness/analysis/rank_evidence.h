/* The counters of each rank for a row of the evidence, before means over ranks. Pure. */
#ifndef LAUNCHGAP_RANK_EVIDENCE_H
#define LAUNCHGAP_RANK_EVIDENCE_H

#include "measure.h"
#include "evidence.h"

/* The keys have the units; copies_per_byte is copied ÷ delivered bytes, issue_cores the CPU time of
 * issuing by the time that it takes, seconds the stretch between two readings. */
enum rank_evidence_figure {
	RANK_NVLINK_TX,
	RANK_NVLINK_RX,
	RANK_DRAM,
	RANK_DRAM_LIMIT,
	RANK_DRAM_PER_NVLINK,
	RANK_SM,
	RANK_BUSY,
	RANK_MEMORY_BUSY,
	RANK_PCIE_TX,
	RANK_PCIE_RX,
	RANK_COPIED,
	RANK_DELIVERED,
	RANK_COPIES,
	RANK_ISSUE_CORES,
	RANK_SECONDS,
	RANK_FIGURES
};

/* Medians over the blocks that have the figure, NaN where none has it. Returns how many cells have
 * any figure but the stretch's length. */
unsigned rank_evidence_make(const struct summary *summary, const struct evidence_row *row,
                            unsigned rank, double medians[RANK_FIGURES]);

#endif
