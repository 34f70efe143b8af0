/* One trial as a fresh job: its order written, its command made, the job watched to its end. */
#ifndef LAUNCHGAP_LAUNCH_H
#define LAUNCHGAP_LAUNCH_H

#include "../trial/trial.h"
#include "job.h"

struct launched {
	char lines[96]; /* file of the trial's lines; may be missing when the job failed */
	char log[96];   /* file of what the job printed */
	bool ended;     /* all of its processes have done their part, whatever the launcher says */
	struct job_result job;
};

/* Blocks until the job ends. -1 with a sentence when it could not be started. */
int launch_trial(const struct trial *trial, const char *self, const char *scratch,
                 unsigned timeout_s, struct launched *out, struct status *st);

#endif
