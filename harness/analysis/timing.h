/* From raw stamps to times: pure functions, no input or output. Times in ns, as double. */
#pragma once

#include "../core/sample.h"

/* Stamps of one cell in one trial: rank r's rows are at samples[r * rows]. */
struct timing_view {
	unsigned nranks, rows;
	unsigned calls; /* in a row: a stretch's calls, or 1 */
	const struct sample *samples;
};

/* One row's time per call: (latest idle − earliest start) ÷ calls, over all ranks. */
double timing_row_ns(const struct timing_view *view, unsigned row);

/* The same row by each worker's own clock: its latest idle − its start, per call, which is what a
 * thread of nccl-tests times, over all GPUs that it drives. Like its -a 0, 1, 2 and 3. None is
 * longer than timing_row_ns, which also counts the time between the workers' starts. */
struct timing_workers {
	double rank0_ns; /* of rank 0's worker */
	double mean_ns, min_ns, max_ns;
};
/* Ranks are the workers' in order, so many each (≥ 1). */
struct timing_workers timing_workers(const struct timing_view *view, unsigned ranks_per_worker,
                                     unsigned row);

/* One row's launch cost per call: the longest (issued − start) of any rank ÷ calls. */
double timing_launch_ns(const struct timing_view *view, unsigned row);
/* One row's skew: latest start − earliest start. */
double timing_skew_ns(const struct timing_view *view, unsigned row);

/* One rank's times in a row. */
struct timing_rank {
	double skew_ns;   /* its start − the earliest */
	double launch_ns; /* issued − start, per call */
	double finish_ns; /* its own idle − the earliest start, per call */
	double late_ns;   /* that − the mean over ranks */
	double last;      /* 1 when it ended last, 1/k when k ranks did, else 0 */
};
struct timing_rank timing_rank(const struct timing_view *view, unsigned rank, unsigned row);

/* How much slower the first fifth of the rows was than the second half: the ratio of their medians.
 * NaN below three rows, and if the later took no time. Reorders each of the two. */
double timing_early(double *times, size_t rows);
/* The clock's step: the greatest number that all stamps are multiples of; 0 when there are too
 * few for that to mean anything. */
int64_t timing_step_ns(const struct timing_view *view);
