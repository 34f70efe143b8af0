/* The instrument's own test: does it see a difference where there is none, and none where there
 * is one? Comparisons of a thing with itself, and with itself slowed by a known delay, in every
 * mode, on the virtual device and on the CPU's copies, judged as every experiment is judged. */
#ifndef LAUNCHGAP_SELFTEST_H
#define LAUNCHGAP_SELFTEST_H

#include "../config/plan.h"

struct selftest_request {
	const char *self; /* this program's file */
	unsigned ncores;
	unsigned comparisons; /* in one job, per backend, mode and kind */
	unsigned fresh;       /* with a job for each measurement */
	const char *backend;  /* NULL: each that can be slowed by a known delay */
	unsigned ngpus;       /* for backends whose ranks are GPUs */
};

/* Prints a line per backend, mode and kind with its false alarms or detections, on stdout.
 * 0: the goals are met; 1: some are missed, and named; -1: could not be run. Blocks, minutes.
 */
int selftest_run(const struct selftest_request *request, struct status *st);

#endif
