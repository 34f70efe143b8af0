/* The processes of `launchgap join`: agents, which stay for the whole run. The first one has `launchgap run` as
 * its child; for each trial each starts a fresh worker. All messages have a fixed size: none says how long it
 * is. */
#pragma once

#include <sched.h>
#include <sys/types.h>

#include "../harness/exchange/peers.h"
#include "../harness/machine.h"
#include "../harness/trial/settings.h"

/* In the environment of the run, for its jobs: where the first agent is, its secret, and the hosts with their agents:
 * "127.0.0.1:4711 SECRET 8 hosta 8 hostb". */
#define AGENT_JOIN "LAUNCHGAP_JOIN"

/* Its place among those that were started, with the time for all to come. */
struct agent {
	struct peers_seat seat;
	const char *self; /* this program's file */
};

/* Stays until the run is over. run: its command, which only the first one uses. The exit status: the first
 * one's is the run's; -1 with a sentence. */
int agent_run(const struct agent *as, char *const run[], struct status *st);

#define AGENT_SAID_BYTES  4096
#define AGENT_DEADLINE_NS 10000000000 /* of a message that has begun */

/* What the first agent orders: to start one of a job's processes, to kill it; that the run is over. */
enum agent_kind { AGENT_START = 0x4a01, AGENT_KILL, AGENT_OVER };
/* A job's starter asks for a job by it, and gets its end. */
struct agent_order {
	uint32_t kind;
	int32_t code;                                  /* AGENT_OVER: the run's exit status */
	uint32_t processes, hosts, ranks, yield, nenv; /* ranks: of each process */
	uint32_t job, rank;
	char address[ADDRESS_BYTES]; /* where the job meets; its secret is derived of it */
	char order[PATH_MAX];        /* the trial's file */
	char env[TRIAL_MAX_ENV][TRIAL_ENV_BYTES];
	cpu_set_t cpus; /* of all agents of its host */
};

/* A job's exit status, and what explains a failure, in this order. */
enum agent_text { AGENT_LOST, AGENT_KILLED, AGENT_PRINTED, AGENT_TEXTS };
struct agent_job {
	int32_t code;
	char said[AGENT_TEXTS][4 * AGENT_SAID_BYTES];
};

/* What an agent answers: its worker's end. */
struct agent_end {
	uint32_t job;
	int32_t status;              /* waitpid's */
	char said[AGENT_SAID_BYTES]; /* the last lines that it printed */
};

struct agent_worker {
	pid_t pid; /* 0: no worker */
	uint32_t job;
	int said; /* what it prints */
	bool cut;
	size_t n;
	char tail[AGENT_SAID_BYTES];
};

/* Whether an order that arrived has ends and bounds, and sets no variable but those that tune libraries. */
int agent_check(const struct agent_order *order, struct status *st);
/* As far as it may. None: stays where it is. */
void agent_bind(const cpu_set_t *cpus);
/* Starts the worker, which dies with this process. secret: of the agents. door: rank 0's, else -1. */
int agent_worker_start(struct agent_worker *worker, const struct agent_order *order,
                       const char *self, const char *secret, int door, struct status *st);
/* A signalfd of these signals, up to a 0, which are blocked. */
int agent_signals(const int *signals, struct status *st);
void agent_worker_hear(struct agent_worker *worker);
void agent_worker_kill(const struct agent_worker *worker);
/* Whether it has ended since; then *out. Does not block. */
bool agent_worker_ended(struct agent_worker *worker, struct agent_end *out);

/* Where an agent is: its host, and the CPUs that its launcher left it; none: not known. */
struct agent_seat {
	char host[MACHINE_HOST_BYTES];
	cpu_set_t cpus;
};

struct agents {
	const struct agent *as;
	struct agent_seat *seats;   /* of each */
	struct wire *wires;         /* to each from the first one; to the first one: [0] */
	int signals;                /* a signalfd of their children's ends, and to stop */
	struct agent_worker worker; /* this one's */
};

int dispatch_run(struct agents *all, char *const run[], struct status *st);
