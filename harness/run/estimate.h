/* What a run would take, before it: of the time, what its own machine says of it.
 *
 * In this order, the first that there is:
 *   the last run of the experiment here, if plan and machine are the same (resume.h): its jobs
 *   one short job of each variant, now, where ranks are cores: its start, its cells with few timed
 *     calls, its end; in 5 s those of each mode first
 *   typical figures (config/cost.h) */
#ifndef LAUNCHGAP_ESTIMATE_H
#define LAUNCHGAP_ESTIMATE_H

#include "../config/plan.h"

struct estimate_request {
	const struct plan *plan;
	const struct plan_machine *machine;
	const char *results, *self;
	bool no_jobs; /* none is started for it */
	int argc;
	char *const *argv;
};

struct estimate {
	double seconds;
	double bytes;   /* of the record */
	char from[512]; /* what the time is taken from, in words */
};

/* Whether the ranks of a backend are cores. */
bool estimate_of_cores(const char *backend);
/* Blocks for the short jobs. -1: interrupted. */
int estimate_make(const struct estimate_request *request, struct estimate *out, struct status *st);

/* What to say beside an estimate if other programs leave the ranks fewer cores than they need; "":
 * nothing. load: machine_load. */
void estimate_load(double load, unsigned cores, unsigned ranks, char *text, size_t bytes);

#endif
