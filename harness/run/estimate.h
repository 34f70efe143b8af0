/* What a run would take, before it: by the last run of the experiment here, if plan and machine are the
 * same (describe.h), else by typical figures (config/plan.h). */
#ifndef LAUNCHGAP_ESTIMATE_H
#define LAUNCHGAP_ESTIMATE_H

#include "runner.h"

struct estimate {
	double seconds;
	double bytes;   /* of the record */
	char from[512]; /* what the time is taken from, in words */
};

struct estimate estimate_make(const struct run_request *request, const struct plan *plan);

/* What to say beside an estimate if other programs leave the ranks fewer cores than they need; "":
 * nothing. load: machine_load. */
void estimate_load(double load, unsigned cores, unsigned ranks, char *text, size_t bytes);

#endif
