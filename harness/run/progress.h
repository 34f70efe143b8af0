/* What a run in progress says: how far it is, what is left, and what its aim shows so far. On a terminal
 * one line that is redrawn, elsewhere a line per block. Nothing is read or computed while a job runs. */
#ifndef LAUNCHGAP_PROGRESS_H
#define LAUNCHGAP_PROGRESS_H

#include "../config/plan.h"
#include "../record/record.h"

/* Trials of a variant, each with what the runner does between two. */
struct progress_steps {
	unsigned n;
	int64_t ns;
};

struct progress {
	struct progress_steps steps[PLAN_KINDS][PLAN_MAX_VARIANTS];
	int64_t since_ns; /* the end of the last step */
	/* The aim's variants as measured so far, trial by trial. Not followed: there is none, or a search,
	 * which says itself what it found. asked: by the primary claim or the gap. */
	bool follows, asked;
	char left[TRIAL_NAME_BYTES], right[TRIAL_NAME_BYTES];
	struct record_run seen;
	char aim[160]; /* "busbw processes ÷ threads 0.81 (0.79 to 0.83) after 6 blocks"; "" */
};

struct runner;
/* Before the first trial. A record that cannot be followed is not: the run says why elsewhere. */
int progress_begin(struct runner *runner, struct status *st);
/* After a trial of the plan: how long it took; and its lines (NULL: it has none). */
void progress_trial(struct runner *runner, unsigned index, const char *lines);
void progress_pause(struct runner *runner);
void progress_block(struct runner *runner);
/* `total`: trials of this session. `begins`: a block does. */
void progress_say(const struct runner *runner, unsigned next, unsigned total, const char *what,
                  bool begins);
void progress_end(struct runner *runner);

/* What the trials from `next` on will take, `count` of them; -1: no trial has ended. */
int64_t progress_left_ns(const struct progress *progress, const struct plan *plan, unsigned next,
                         unsigned count);

#endif
