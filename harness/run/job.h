/* A job: one fresh program, watched. It starts without a shell, in its own process group, and
 * dies when we do. The signals that stop us are taken here, so that a caller can stop its jobs
 * in order. */
#ifndef LAUNCHGAP_JOB_H
#define LAUNCHGAP_JOB_H

#include <stdbool.h>
#include <sys/types.h>

#include "../trial/trial.h"

/* Holds SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD back until a job's wait or job_interrupted
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

struct job {
	pid_t pid;     /* 0: it has ended, */
	int pipe;      /* from it; -1: none */
	unsigned said; /* launcher_words */
	int64_t deadline_ns;
	struct job_result result; /* like this */
};

/* Starts argv with `nenv` more KEY=value in its environment, output into log_file. order: it may say words
 * in the pipe beside this file; NULL: none. -1 with a sentence when it could not be started. */
int job_begin(char *const argv[], const char *const env[], unsigned nenv, const char *log_file,
              const char *order, struct job *out, struct status *st);
/* Waits until it says that it only closes, or has ended; the timeout counts from here on. At the timeout, or
 * if a held signal comes: SIGTERM, 5 s of grace, SIGKILL. Once it says that it has failed it has 5 s to end
 * by itself, and has exited with 1. */
void job_measure(struct job *job, unsigned timeout_s);
/* Waits until it has ended, by the same timeout. The caller calls it once for each job that began. */
void job_end(struct job *job);

struct job_trial {
	char order[96];
	char lines[112];        /* file of the trial's lines; may be missing when the job failed */
	char log[112];          /* file of what the job printed */
	char shut[112];         /* file of its gate */
	int gate;               /* the lock on it; -1: none */
	bool ended;             /* all its processes did their part, whatever the launcher says */
	bool unopened;          /* it ended before it came to its gate */
	int64_t from_ns, to_ns; /* it ran */
	struct job job;
	struct job_result result; /* once it has ended */
};

/* One trial as a fresh job: writes its order, makes its command and starts it. slot: 0, or 1 beside a job that
 * has 0. held: it waits for job_trial_measure before its first timed call. -1 with a sentence when it could
 * not be started. */
int job_trial_begin(const struct trial *trial, const char *self, const char *scratch, unsigned slot,
                    bool held, struct job_trial *out, struct status *st);
/* Lets it pass its gate, and waits like job_measure. Whether it is closing, and has not ended. */
bool job_trial_measure(struct job_trial *job, unsigned timeout_s);
/* Like job_end. */
void job_trial_end(struct job_trial *job);
/* The same of a job that is not wanted any more: stops it. */
void job_trial_drop(struct job_trial *job);

/* All of it, of a job that runs alone. Blocks. */
int job_run_trial(const struct trial *trial, const char *self, const char *scratch,
                  unsigned timeout_s, struct job_trial *out, struct status *st);

/* Why a job left nothing, in a sentence: how it ended, and its own sentence, its launcher's first
 * error, or the last line in its log. */
void job_error(const struct job_result *job, unsigned timeout_s, const char *log, char *text,
               size_t bytes);

/* Ends this process with its parent; for the jobs themselves. */
void job_follow_parent(void);

#endif
