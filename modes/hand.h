/* The agents of `launchgap join` (agent.h): what the first one orders of the others, what they answer, and
 * the one worker that each of them has at a time. All messages have a fixed size: none that arrives says
 * how long it is. */
#ifndef LAUNCHGAP_HAND_H
#define LAUNCHGAP_HAND_H

#include <sched.h>
#include <sys/types.h>

#include "../harness/exchange/door.h"
#include "../harness/trial/settings.h"

#define HAND_SAID_BYTES  4096
#define HAND_DEADLINE_NS 10000000000 /* of a message that has begun */

/* What the first agent says to another; HAND_START is followed by an order. */
enum hand_kind { HAND_START = 0x4a01, HAND_KILL, HAND_OVER };
struct hand_head {
	uint32_t kind, job;
	int32_t code; /* HAND_OVER: the run's exit status */
};

/* A job's starter asks for a job, and gets its end; an agent is told to start one of its processes. */
struct hand_order {
	uint32_t processes, hosts, ranks, yield, nenv; /* ranks: of each process */
	uint32_t job, rank;
	char address[ADDRESS_BYTES]; /* where the job meets; its secret is derived of it */
	char order[PATH_MAX];        /* the trial's file */
	char env[TRIAL_MAX_ENV][TRIAL_ENV_BYTES];
	cpu_set_t cpus; /* of all agents of its host */
};

/* A job's exit status, and what explains a failure, in this order. */
enum hand_text { HAND_LOST, HAND_KILLED, HAND_PRINTED, HAND_TEXTS };
struct hand_job {
	int32_t code;
	char said[HAND_TEXTS][4 * HAND_SAID_BYTES];
};

/* What an agent answers: its worker's end. */
struct hand_end {
	uint32_t job;
	int32_t status;             /* waitpid's */
	char said[HAND_SAID_BYTES]; /* the last lines that it printed */
};

struct hand {
	pid_t pid; /* 0: no worker */
	uint32_t job;
	int said; /* what it prints */
	bool cut;
	size_t n;
	char tail[HAND_SAID_BYTES];
};

/* Whether an order that arrived can be carried out: texts have ends, numbers are in their bounds, and it sets
 * no variable but those that tune libraries. */
int hand_check(const struct hand_order *order, struct status *st);
/* Takes the calling process to these CPUs, which workers and their planning share, as far as it may. None:
 * stays where it is. */
void hand_bind(const cpu_set_t *cpus);
/* Starts the worker, which dies with this process. secret: of the agents. door: rank 0's, else -1. */
int hand_start(struct hand *hand, const struct hand_order *order, const char *self,
               const char *secret, int door, struct status *st);
/* A signalfd of these signals, up to a 0, which are blocked. */
int hand_signals(const int *signals, struct status *st);
/* Takes what it printed. Does not block. */
void hand_hear(struct hand *hand);
/* Kills it, and what it started. */
void hand_kill(const struct hand *hand);
/* Whether it has ended since; then *out. Does not block. */
bool hand_ended(struct hand *hand, struct hand_end *out);

#endif
