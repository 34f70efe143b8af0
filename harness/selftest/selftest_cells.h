/* The measurements of a selftest: which cells, in which order, and what they took. */
#ifndef LAUNCHGAP_SELFTEST_CELLS_H
#define LAUNCHGAP_SELFTEST_CELLS_H

#include "../config/trial.h"

/* One measurement: of pair `at` ÷ 2, A (even) or B (odd). */
struct selftest_cell {
	unsigned at;
	bool spared; /* A: without the injected delay */
};

/* Runs a trial as a fresh job; times: ns per call of each of its cells. */
typedef int selftest_job_fn(void *arg, const struct trial *trial, double *times,
                            struct status *st);

struct mode;

/* The trial of a backend in a mode, without cells; 2 to 8 ranks, as there are places. */
void selftest_trial(struct trial *out, const char *backend, const struct mode *mode,
                    unsigned places);
/* Pairs in order, A and B of each in random order. */
void selftest_shuffle(struct selftest_cell *cells, unsigned pairs, uint64_t seed);
/* Measures all cells in one job, or each in a job of its own; times[cells[i].at] is set. */
int selftest_measure(const struct trial *trial, const struct selftest_cell *cells, unsigned n,
                     selftest_job_fn *job, void *arg, double *times, struct status *st);
int selftest_each(const struct trial *trial, const struct selftest_cell *cells, unsigned n,
                  selftest_job_fn *job, void *arg, double *times, struct status *st);
/* The times of a job's lines, in the order of its cells. */
int selftest_times(const char *lines, unsigned n, double *times, struct status *st);

#endif
