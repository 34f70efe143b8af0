/* The path's pass: one more job per variant, which lets the library log which way its data
 * takes. Nothing of it is timed, and the variants' own jobs log nothing. */
#ifndef LAUNCHGAP_EVIDENCE_H
#define LAUNCHGAP_EVIDENCE_H

#include <stdio.h>

#include "../config/plan.h"

struct evidence_request {
	const struct plan *plan;
	const struct plan_machine *machine;
	const char *self, *scratch;
	unsigned timeout_s;
	unsigned variant;
	unsigned order; /* its place behind the trials of block 0 */
	FILE *trials;   /* the record, for one line */
};

/* Whether a variant's way can be asked for at all. */
bool evidence_wanted(const struct plan *plan, unsigned variant);
/* What came of it; of NONE and UNEXPECTED st says why. */
enum evidence_end {
	EVIDENCE_DONE,
	EVIDENCE_NONE,        /* the path cannot be told; the record has a failure */
	EVIDENCE_INTERRUPTED, /* by a signal */
	EVIDENCE_UNEXPECTED,  /* it is in the record, and not the expected one */
};

/* Runs the job and writes its line: one of the above, or -1: the run cannot go on. */
int evidence_collect(const struct evidence_request *request, struct status *st);

#endif
