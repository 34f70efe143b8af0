/* The processes of `launchgap join`, which somebody else started: agents. They stay for the whole run. The
 * first one has `launchgap run` as its child; for each trial each agent starts a fresh worker. */
#ifndef LAUNCHGAP_AGENT_H
#define LAUNCHGAP_AGENT_H

#include <sched.h>

#include "../harness/exchange/rendezvous.h"
#include "../harness/machine.h"
#include "hand.h"

/* In the environment of the run: where its jobs reach the first agent, with what secret, and the hosts,
 * "127.0.0.1:4711 SECRET 8 hosta 8 hostb", each with its agents. */
#define AGENT_JOIN "LAUNCHGAP_JOIN"

/* Its place among those that were started, with the time for all to come. */
struct agent {
	struct rendezvous_seat seat;
	const char *self; /* this program's file */
};

/* Meets the others and stays until the run is over. run: its whole command, NULL-terminated; only the
 * first one uses it. Returns the exit status: the first one's is the run's. -1 with a sentence. */
int agent_run(const struct agent *as, char *const run[], struct status *st);

/* Where an agent is: its host, and the CPUs that its launcher left it; none: not known. */
struct agent_seat {
	char host[MACHINE_HOST_BYTES];
	cpu_set_t cpus;
};

/* What all agents know once they have met. */
struct agents {
	const struct agent *as;
	struct agent_seat *seats; /* of each */
	struct wire *wires;       /* to each from the first one; to the first one: [0] */
	int signals;              /* a signalfd of their children's ends, and to stop */
	struct hand hand;         /* this one's worker */
};

/* Of the first agent: starts the run, and serves its jobs. */
int dispatch_run(struct agents *all, char *const run[], struct status *st);

#endif
