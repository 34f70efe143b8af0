/* The worker: the same instructions in every mode. */
#pragma once

#include "backend.h"

/* Measures every cell of the trial as worker `index` of the team, with its samples in the team's
 * area. The first worker of all calls `awake` once all are: nothing is allocated or connected
 * before it returns. An error goes to team_fail. Blocks until the whole team is done. */
void worker_run(const struct trial *trial, const struct backend *backend, struct team *team,
                unsigned index, void (*awake)(void *arg), void *arg);
