/* A job: one fresh program, watched. Started without a shell, in a process group of its own,
 * dead when we are. Signals that stop us are taken here, so that whoever runs jobs can stop in
 * order. */
#ifndef LAUNCHGAP_JOB_H
#define LAUNCHGAP_JOB_H

#include <stdbool.h>
#include <sys/types.h>

#include "../status.h"

/* Holds SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD back until job_run or job_interrupted
 * takes them. */
void job_hold_signals(void);
void job_release_signals(void);
/* Whether one of the first four has come since. Does not block. */
bool job_interrupted(void);

enum job_end { JOB_EXITED, JOB_KILLED, JOB_TIMED_OUT, JOB_INTERRUPTED };

struct job_result {
	enum job_end end;
	int code; /* exit status, or the signal that killed it */
};

/* Runs argv with `nenv` more KEY=value in its environment, output into log_file, until it ends,
 * the timeout passes or a held signal comes (then: SIGTERM, 5 s of grace, SIGKILL). Blocks. -1
 * with a sentence when it could not be started. */
int job_run(char *const argv[], const char *const env[], unsigned nenv, const char *log_file,
            unsigned timeout_s, struct job_result *out, struct status *st);

/* Ends this process with its parent; for the jobs themselves. */
void job_follow_parent(void);

#endif
