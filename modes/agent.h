/* The processes of `launchgap join`: agents, which stay for the whole run. The first one carries it
 * out; the others start a fresh worker for each trial, as the job's starter orders (starter.c). All
 * messages have a fixed size: none says how long it is. */
#pragma once

#include <sched.h>
#include <sys/types.h>

#include "../harness/exchange/peers.h"
#include "../harness/machine.h"
#include "../harness/trial/settings.h"

/* In the run's environment: the descriptor of memory that it shares with starters. */
#define AGENT_JOIN "LAUNCHGAP_JOIN"
#define AGENT_IDLE UINT32_MAX
/* In that of a worker: rank 0's listening socket, and where the job meets: all users can read
 * command lines. */
#define AGENT_SEAT "LAUNCHGAP_SEAT"

/* Those that joined, as the first one knows them. */
struct agents {
	unsigned size, nhosts;
	uint32_t jobs;                        /* so far */
	char secret[CONNECTION_SECRET_BYTES]; /* of the agents */
	char meeting[ADDRESS_BYTES];          /* where they met */
	struct agent_seat {
		char host[MACHINE_HOST_BYTES];
		unsigned nhost; /* in the order of first agents */
		/* Of all agents of its host: a launcher that binds each to its own takes none of
		 * them away. None: not known. */
		cpu_set_t cpus;
		struct connection connection; /* fd -1: it is lost; or the first one itself */
		uint32_t rank; /* in the job at hand, while its worker is there; AGENT_IDLE */
	} seats[];
};
/* NULL: this is no run of join's. */
struct agents *agents_map(void);
void agents_unmap(struct agents *all);

/* Its place among those that were started, with the time for all to come. */
struct agent {
	struct peers_seat seat;
	const char *self; /* this program's file */
};

/* Stays until the run is over. run: what the first one does when all are there. The exit status:
 * the first one's is the run's; -1 with a sentence. */
int agent_run(const struct agent *as, int (*run)(void *of, struct status *st), void *of,
              struct status *st);

#define AGENT_SAID_BYTES  4096
#define AGENT_DEADLINE_NS 10000000000 /* of a message that has begun */

/* What agents are ordered: to start one of a job's processes, to kill it; that the run is over. */
enum agent_kind { AGENT_START = 0x4a01, AGENT_KILL, AGENT_OVER };
struct agent_order {
	uint32_t kind;
	int32_t code; /* AGENT_OVER: the run's exit status */
	uint32_t processes, yield, nenv;
	uint32_t job, rank;
	char address[ADDRESS_BYTES]; /* where the job meets; its secret is derived of it */
	char order[PATH_MAX];        /* the trial's file */
	char by[16], host[32];       /* the launcher; a simulated host, or "" */
	char env[TRIAL_MAX_ENV][TRIAL_ENV_BYTES];
	cpu_set_t cpus;
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

/* Whether an order that arrived is bounded, and sets only variables that tune libraries. */
int agent_check(const struct agent_order *order, struct status *st);
/* Starts the worker, which dies with this process. secret: the agents'. door: rank 0's, else -1. */
int agent_worker_start(struct agent_worker *worker, const struct agent_order *order,
                       const char *self, const char *secret, int door, struct status *st);
/* A signalfd of these signals, up to a 0, which are blocked. */
int agent_signals(const int *signals, struct status *st);
void agent_worker_hear(struct agent_worker *worker);
void agent_worker_kill(const struct agent_worker *worker);
/* Whether it has ended since; then *out. Does not block. */
bool agent_worker_ended(struct agent_worker *worker, struct agent_end *out);
