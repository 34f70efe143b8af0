/* The path's pass: one more job per variant, which lets the library log which way its data
 * takes. Nothing of it is timed, and the variants' own jobs log nothing. */
#ifndef LAUNCHGAP_EVIDENCE_H
#define LAUNCHGAP_EVIDENCE_H

#include <stdio.h>

#include "../plan/plan.h"

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
/* Runs the job and writes its line. 0: done. 1: there is no path, or not the expected one; st
 * says so. 2: interrupted. -1: the run cannot go on. */
int evidence_collect(const struct evidence_request *request, struct status *st);

#endif
