/* The summary: the results of a run's records, one row per variant, cell and pace. Pure: from
 * records to numbers.
 *
 * A trial gives one number per cell: stream, the median over its stretches of the time per call;
 * isolated, the median over its calls. A row's number is the median over its trials, one a block.
 * Unknown values are NaN. Cells of another pass than the timed one are omitted everywhere. */
#ifndef LAUNCHGAP_SUMMARY_H
#define LAUNCHGAP_SUMMARY_H

#include "index.h"

/* The run has to outlive it. */
void summary_make(const struct record_run *run, struct arena *arena, struct summary *out);

/* What one cell alone gives; it has to be measured. The arena is for scratch. */
struct summary_trial summary_cell(struct arena *arena, const struct record_cell *cell);
/* The bytes that bandwidths of a cell on so many ranks are of. */
size_t summary_moved(const struct record_run *run, const struct cell *cell, unsigned nranks);

/* A row's bus bandwidth, GB/s, with that of the quartiles of its time. */
struct stats_interval summary_busbw(const struct summary_row *row);
/* Whether anything was measured at that pace, the limit omitted. */
bool summary_has_pace(const struct summary *summary, enum pace pace);

/* The fact with this key that a worker of the variant (below 0: any) reported, in the first trial
 * that has it; borrowed from the record. NULL: nothing. */
const char *summary_fact(const struct summary *summary, unsigned variant, int worker,
                         const char *key);

/* Whether a file asks for the variant: it is neither the reference's twin nor the limit. */
bool summary_is_asked(const struct summary *summary, unsigned variant);
/* Whether two variants are the same except for who launches and for the library. */
bool summary_like(const struct summary *summary, unsigned a, unsigned b);
/* Whether a variant is compared with the reference. */
bool summary_has_ratio(const struct summary *summary, unsigned variant);
/* The bus bandwidth of plain copies at a size, their best if they were not measured there, NaN if they
 * were not measured at all. */
double summary_copies(const struct summary *summary, size_t bytes);
/* The row that exceeds plain copies of its size by more than the margin, the most of all, or NULL. (A
 * reduction can be computed on the way, so that its bus bandwidth is not that of a link.) */
const struct summary_row *summary_beyond_copies(const struct summary *summary, size_t bytes);
/* Whether timed calls lost their cores oftener than by the kernel's own turns (20 a second seen on an
 * idle machine of 64 cores). */
bool summary_lost_cores(const struct summary_row *row);
/* As summary_copies, for the limit of the size: NaN if any row exceeds it, as it is none then. */
double summary_limit(const struct summary *summary, size_t bytes);

/* How many GPUs the ranks may be, and what they are; 0: they are none. */
size_t summary_gpus(const struct summary *summary, const char **name);

#endif
