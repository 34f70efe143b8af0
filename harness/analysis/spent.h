/* Where a run's time went. Pure.
 *
 * The runner's clock says when each job began and ended, and the first rank's worker how long its
 * phases took. Start is from the job's begin to that worker's first phase, close the rest of it: after its
 * last phase, and where it waited for the job before. A job's time ends where the next one starts. Jobs
 * without phases (they failed) count as a whole. What is in no job, set-up or report is the rest: the runner between jobs, and starts and
 * closes of jobs on a host with another clock. */
#ifndef LAUNCHGAP_SPENT_H
#define LAUNCHGAP_SPENT_H

#include "../arena.h"
#include "../record/record.h"

enum spent_part {
	SPENT_PART_SET_UP,
	SPENT_PART_START,
	SPENT_PART_PHASES, /* as many as SPENT_PHASES */
	SPENT_PART_CLOSE = SPENT_PART_PHASES + SPENT_PHASES,
	SPENT_PART_PATH,
	SPENT_PART_FAILED,
	SPENT_PART_REPORT, /* once it is made */
	SPENT_PART_REST,
	SPENT_PARTS
};

struct spent_sum {
	double wall_s; /* of all sessions; 0: not known, of older records */
	double s[SPENT_PARTS];
};

/* For people: "timed calls". */
const char *spent_part_name(enum spent_part part);
struct spent_sum spent_sum(const struct record_run *run, struct arena *arena);

/* A trial's job, and the phases of all of its cells. */
struct spent_job {
	const struct record_spent *job;
	struct spent phases;
};
/* All jobs of trials, by their order. */
struct spent_job *spent_jobs(const struct record_run *run, struct arena *arena, unsigned *n);

#endif
