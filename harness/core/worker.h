/* The worker: the same instructions in every mode. */
#pragma once

#include "loop.h"

/* Measures every cell of the trial as worker `index` of the team, with its samples in the team's
 * area. An error goes to team_fail. Blocks until the whole team is done. */
void worker_run(const struct trial *trial, const struct backend *backend, struct team *team,
                unsigned index, const struct loop_calls *calls);
