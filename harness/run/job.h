/* A job: one fresh program, watched. It starts without a shell, in its own process group, and
 * dies when we do. The signals that stop us are taken here, so that a caller can stop its jobs
 * in order. */
#ifndef LAUNCHGAP_JOB_H
#define LAUNCHGAP_JOB_H

#include <stdbool.h>
#include <sys/types.h>

#include "../trial/trial.h"

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
 * the timeout passes or a held signal comes (then: SIGTERM, 5 s of grace, SIGKILL). Once there is a
 * file `failed` (NULL: none is looked for) it has 5 s to end by itself, and has exited with 1. Blocks.
 * -1 with a sentence when it could not be started. */
int job_run(char *const argv[], const char *const env[], unsigned nenv, const char *log_file,
            const char *failed, unsigned timeout_s, struct job_result *out, struct status *st);

struct job_trial {
	char lines[96];         /* file of the trial's lines; may be missing when the job failed */
	char log[96];           /* file of what the job printed */
	bool ended;             /* all its processes did their part, whatever the launcher says */
	int64_t from_ns, to_ns; /* it ran */
	struct job_result result;
};

/* One trial as a fresh job: writes its order, makes its command and runs it. Blocks. -1 with a
 * sentence when it could not be started. */
int job_run_trial(const struct trial *trial, const char *self, const char *scratch,
                  unsigned timeout_s, struct job_trial *out, struct status *st);

/* Why a job left nothing, in a sentence: how it ended, and its own sentence, its launcher's first
 * error, or the last line in its log. */
void job_error(const struct job_result *job, unsigned timeout_s, const char *log, char *text,
               size_t bytes);

/* Ends this process with its parent; for the jobs themselves. */
void job_follow_parent(void);

#endif
