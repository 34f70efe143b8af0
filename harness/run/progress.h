/* What a run in progress says: how far it is, and what is left; not what it shows so far, which would
 * invite to stop there. On a terminal one line that is redrawn, elsewhere a line per block. */
#ifndef LAUNCHGAP_PROGRESS_H
#define LAUNCHGAP_PROGRESS_H

#include "../config/plan.h"

/* Trials of a variant, each with what the runner does between two. */
struct progress_steps {
	unsigned n;
	int64_t ns;
};

struct progress {
	struct progress_steps steps[PLAN_KINDS][PLAN_MAX_VARIANTS];
	int64_t since_ns; /* the end of the last step */
};

struct runner;
/* Before the first trial. */
int progress_begin(struct runner *runner, struct status *st);
/* After a trial of the plan: how long it took. */
void progress_trial(struct runner *runner, unsigned index);
void progress_pause(struct runner *runner);
/* `total`: trials of this session. `begins`: a block does. */
void progress_say(const struct runner *runner, unsigned next, unsigned total, const char *what,
                  bool begins);
void progress_end(struct runner *runner);

/* What the trials from `next` on will take, `count` of them; -1: no trial has ended. */
int64_t progress_left_ns(const struct progress *progress, const struct plan *plan, unsigned next,
                         unsigned count);

#endif
