/* The processes of `launchgap join`, which somebody else started: agents. They stay for the whole run. The
 * first one has `launchgap run` as its child; for each trial each agent starts a fresh worker. */
#ifndef LAUNCHGAP_AGENT_H
#define LAUNCHGAP_AGENT_H

#include <sched.h>

#include "../harness/exchange/door.h"
#include "../harness/machine.h"

/* In the environment of the run: a folder of the first agent's, with its socket and the list of hosts. */
#define AGENT_JOIN   "LAUNCHGAP_JOIN"
#define AGENT_SOCKET "socket"
#define AGENT_HOSTS  "hosts" /* a host a line: its agents, its name */

/* Its place among those that were started. */
struct agent {
	unsigned rank, size;
	const char *address, *secret; /* where all meet */
	const char *why;              /* there are so many (door.h) */
	unsigned wait_s;              /* for all to come */
	const char *self;             /* this program's file */
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
};

/* Of the first agent: the run is over, or never began. */
void agent_over(const struct agents *all, int code, const char *why);
/* A door at a port of its own: at loopback alone, if the agents met there. */
int agent_open(const char *meeting, struct door_place *out, struct status *st);
/* Of the first agent: starts the run, and serves its jobs. */
int dispatch_run(const struct agents *all, char *const run[], struct status *st);

#endif
