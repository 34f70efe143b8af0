/* The instrument's own test: does a report find a difference where there is none, or none where
 * there is one?
 *
 * Real experiments: fresh jobs in shuffled blocks, a record, the analysis and its final words.
 * Only the instrument's test knows what was injected: cells of a trial's order take longer
 * (struct cell's extra_ns), and neither record nor analysis is told. Each run has a variant
 * that equals the reference and four that are slower by known parts (injection.h), and all of
 * them bear one disturbance. A run gives one verdict for each in each regime. Only one of its
 * variants equals the reference: two would share the reference's luck, and false alarms would
 * come in pairs. So their number is binomial. */
#ifndef LAUNCHGAP_SELFTEST_H
#define LAUNCHGAP_SELFTEST_H

#include "../config/plan.h"

/* Time for all runs. In SELFTEST_TIME two cores make about 100 experiments: 200 verdicts on equal
 * variants, of which 5 % have a standard error of 1.5 %. */
#define SELFTEST_TIME    "15m"
#define SELFTEST_QUICK_S 180

struct selftest_request {
	const char *self; /* this program's file */
	const struct plan_machine *machine;
	/* "": the GPUs' backend where two answer, else each that can be slowed; each mode. */
	char backend[TRIAL_NAME_BYTES], mode[TRIAL_NAME_BYTES];
	unsigned blocks;    /* of a run */
	unsigned runs;      /* of each backend and mode; 0: as many as there is time for */
	unsigned seconds;   /* which is shared evenly among backends and modes */
	uint64_t seed;      /* of what is drawn */
	char csv[PATH_MAX]; /* a file for all verdicts, or "" */
};

/* Prints the answer and its tables on stdout, progress on stderr. 0: all is as outcome_print
 * has it; 1: it is not; −1: it could not be run; RUN_INTERRUPTED: by a signal. What there is
 * by then is printed all the same. Blocks, minutes. */
int selftest_run(const struct selftest_request *request, struct status *st);

#endif
