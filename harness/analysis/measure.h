/* From one cell of one trial to one number. Pure. */
#ifndef LAUNCHGAP_MEASURE_H
#define LAUNCHGAP_MEASURE_H

#include "index.h"

/* A rank's part of the cores that are busy while calls are issued, the CPU time of all workers by the
 * time from the earliest start to the latest return of issue: a worker's first rank has the worker's
 * part, others 0. NaN if unknown, on a backend that launches nothing, and if issuing a row usually
 * (median) takes less than MEASURE_ISSUE_NS: reading a thread's CPU time is a system call of a
 * microsecond, and its time is included. The arena is for scratch. */
#define MEASURE_ISSUE_NS 20000
double measure_issue_cores(struct arena *arena, const struct record_cell *cell, unsigned rank);
/* A fact that is a number, NaN if there is none. */
double measure_fact(const json_t *facts, const char *key);

#endif
