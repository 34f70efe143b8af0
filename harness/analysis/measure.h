/* From one cell of one trial to one number: a metric of its times, or of its counters. Pure. */
#ifndef LAUNCHGAP_MEASURE_H
#define LAUNCHGAP_MEASURE_H

#include "../config/claim.h"
#include "index.h"

/* A metric of a timed cell, in ns or GB/s; NaN if there is none. */
double measure_timed(const struct summary_row *row, const struct summary_trial *trial,
                     enum metric metric);

/* What the counters of one cell say, over its ranks: bandwidths their mean, dram_per_nvlink and
 * copies the ratio of their sums, issue_cores the CPU time of all workers by the time from the
 * earliest start to the latest return of issue. NaN if unknown. issue_cores is also NaN on a
 * backend that launches nothing, and if issuing a row usually (median) takes less than
 * MEASURE_ISSUE_NS: reading a thread's CPU time is a system call of a microsecond, and its time is
 * included. The arena is for scratch. */
#define MEASURE_ISSUE_NS 20000
double measure_counter(struct arena *arena, const struct record_cell *cell, enum metric metric);
/* A rank's part of issue_cores: a worker's first rank has the worker's part, others 0. */
double measure_issue_cores(struct arena *arena, const struct record_cell *cell, unsigned rank);
/* What a trial's workers said at its end (METRIC.whole), in the metric's unit: init the longest
 * of all, memory the sum over processes, rank_memory the mean over workers, each for the one of
 * its GPUs that used most. NaN where one of them does not say it. */
double measure_whole(const struct record_cell *cell, enum metric metric);
/* A fact that is a number, NaN if there is none. */
double measure_fact(const json_t *facts, const char *key);
/* Why no cell has a counter's metric of each of n variants. */
struct reason measure_missing(const struct summary *summary, enum metric metric,
                              const unsigned *variants, unsigned n);

#endif
