/* The worker: the same instructions in every mode. */
#pragma once

#include "backend.h"

/* What the first worker of all calls while the others wait. */
struct worker_calls {
	void (*awake)(void *arg); /* once all are: before, nothing is allocated or connected */
	/* Of a trial in turns: lets other jobs go on until its next turn; measured: it has only to
	 * close then. */
	void (*give)(void *arg, bool measured);
	void *arg;
};

/* Measures every cell of the trial as worker `index` of the team, with its samples in the team's
 * area. An error goes to team_fail. Blocks until the whole team is done. */
void worker_run(const struct trial *trial, const struct backend *backend, struct team *team,
                unsigned index, const struct worker_calls *calls);
