/* Rows of samples that do not measure the library, because a worker did not run in them: a rank
 * that was stopped (SIGSTOP, a debugger), a machine that was suspended, swapping.
 *
 * A row counts as stalled where it took STALL_NS or more, and STALL_TIMES its cell's median row,
 * and a worker was off its core for half of it or more. A long row alone is a result: a library may
 * take a second now and then. In older records, which do not say how long workers were off their
 * cores, no row counts as stalled. */
#pragma once

#include <stdint.h>

struct sample;

#define STALL_NS    1000000000
#define STALL_TIMES 10

struct stall {
	unsigned rows;  /* that were left out */
	unsigned rank;  /* the first of the worker that was off its core for longest */
	int64_t off_ns; /* and how long that was, over the cell's rows */
};

/* Removes the stalled rows from the samples of one cell, rank r's at [r * rows], and returns how
 * many rows are left. off_core_ns: how long each rank's worker did not run; or NULL. *out is all 0
 * if nothing was removed. The median row never is. */
unsigned stall_leave_out(struct sample *samples, unsigned nranks, unsigned rows,
                         const int64_t *off_core_ns, struct stall *out);
