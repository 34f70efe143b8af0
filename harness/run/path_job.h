/* The path's job: one more per variant, in which the library logs the path that its data takes.
 * Nothing in it is timed, and the variants' own jobs log nothing. */
#ifndef LAUNCHGAP_PATH_JOB_H
#define LAUNCHGAP_PATH_JOB_H

#include <stdio.h>

#include "../config/plan.h"

struct path_job {
	const struct plan *plan;
	const char *self, *scratch;
	unsigned timeout_s;
	unsigned variant;
	unsigned order; /* its place after the trials of block 0 */
	FILE *trials;   /* the record, for one line */
};

bool path_job_wanted(const struct plan *plan, unsigned variant);
/* For NONE and UNEXPECTED st says why. */
enum path_job_end {
	PATH_JOB_DONE,
	PATH_JOB_NONE,        /* the path is unknown; the record has a failure */
	PATH_JOB_INTERRUPTED, /* by a signal */
	PATH_JOB_UNEXPECTED,  /* the path is in the record, but not the expected one */
};

/* Runs the job and writes its line. One of the above, or -1: the run cannot go on. */
int path_job_run(const struct path_job *request, struct status *st);

#endif
