/* A job: one fresh program in its own process group, watched. It dies when we do, and signals that
 * stop us stop it first. */
#pragma once

#include <sys/types.h>

#include "../trial/trial.h"

/* Holds SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD back for a job's wait and job_interrupted. */
void job_hold_signals(void);
void job_release_signals(void);
/* Whether one of the first four has come since. */
bool job_interrupted(void);

enum job_end { JOB_EXITED, JOB_KILLED, JOB_TIMED_OUT, JOB_INTERRUPTED };

struct job_result {
	enum job_end end;
	int code; /* exit status, or the signal that killed it */
};

struct job {
	char order[96];  /* files, in the scratch folder: the trial's, */
	char lines[112]; /* the lines that it wrote; may be missing when it failed, */
	char log[112];   /* and what it printed */
	int pipe, gate;  /* from it, to it. -1: none */
	pid_t pid;       /* 0: it has ended, */
	unsigned said;   /* launcher_words */
	int64_t deadline_ns;
	struct job_result result; /* like this */
	bool ended;               /* all its processes did their part, whatever the launcher says */
	int64_t from_ns, to_ns;   /* it ran; without the turns of others */
	int64_t gave_ns, away_ns; /* it waits since, 0: it does not; all that it has waited */
};

/* slot: another for each job that exists. It waits at its gate for job_measure, or for job_turn. */
int job_begin(const struct trial *trial, const char *self, const char *scratch, unsigned slot,
              struct job *out, struct status *st);
/* Lets it pass its gate, and waits until it has ended or only closes (true). At the timeout, or if
 * a held signal comes: SIGTERM, 5 s of grace, SIGKILL. Once it says that it has failed it has 5 s
 * to end, and has exited with 1. */
bool job_measure(struct job *job, unsigned timeout_s);
/* Waits until it has connected and waits for its first turn (true), or has ended. */
bool job_ready(struct job *job, unsigned timeout_s);
/* Lets it go on, and waits until it gives others their turn (true), has ended or only closes. */
bool job_turn(struct job *job, unsigned timeout_s);
/* Lets it close after its last turn, for job_end. */
void job_release(struct job *job);
/* Waits until it has ended, by the same timeout. Once for each job, or job_drop: stops it. */
void job_end(struct job *job);
void job_drop(struct job *job);

int job_run(const struct trial *trial, const char *self, const char *scratch, unsigned timeout_s,
            struct job *out, struct status *st);

/* How it ended, and its own sentence, its launcher's first error, or the last line in its log. */
void job_error(const struct job_result *job, unsigned timeout_s, const char *log, char *text,
               size_t bytes);

/* Ends this process with its parent; for the jobs themselves. */
void job_follow_parent(void);
