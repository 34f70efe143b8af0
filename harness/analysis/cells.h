/* What a record's cells give alone, each with stamps: medians over its rows (stream: the stretches'
 * times per call; isolated: its calls). Unknown values are NaN. Arenas are for scratch. Pure. */
#pragma once

#include "../arena.h"
#include "../record/record.h"
#include "timing.h"

struct cells_times {
	double time_ns, p95_ns, p99_ns; /* p99 needs TRIAL_P99_CALLS */
	double launch_ns, skew_ns, poll_ns;
};
struct cells_times cells_times_of(struct arena *arena, const struct record_cell *cell);

struct cells_own {
	struct timing_workers workers; /* the time by the workers' own clocks */
	double early;                  /* how much slower its first rows were: timing_early */
	double step_ns;                /* of the clock; 0: not known */
};
struct cells_own cells_own_of(struct arena *arena, const struct record_cell *cell);

/* One rank over cells: medians over them of the cell's median. */
struct cells_rank {
	double skew_us, launch_us;
	double finish_us; /* its own end, from the earliest start of any rank, per call */
	double late_us;   /* finish_us − the mean of all ranks' */
	/* Of the 95 % interval of that over trials the end that is nearest to 0; 0: the interval
	 * holds it, or there is none. */
	double late_sure_us;
	double last;       /* share of the rows in which it was the last to end; all: 1 */
	double last_by_us; /* when it was: how much later than the mean; NaN when never */
};
/* Of each rank of n cells, at least one, that differ in their trial alone. In the arena. */
struct cells_rank *cells_ranks_of(struct arena *arena, const struct record_cell *const *cells,
                                  size_t n);

/* The bytes that bandwidths of a cell on so many ranks are of. */
size_t cells_moved(const struct record_run *run, const struct cell *cell, unsigned nranks);

/* A rank's part of the cores that are busy while calls are issued, the CPU time of all workers by
 * the time from the earliest start to the latest return of issue: a worker's first rank has the
 * worker's part, others 0. NaN if unknown, on a backend that launches nothing, and if issuing a row
 * usually (median) takes less than CELLS_ISSUE_NS: reading a thread's CPU time is a system call of
 * a microsecond, and its time is included. The arena is for scratch. */
#define CELLS_ISSUE_NS 20000
double cells_issue_cores(struct arena *arena, const struct record_cell *cell, unsigned rank);
