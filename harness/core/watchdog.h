/* Ends a job whose workers cannot end it: one that is inside a library's call that never returns
 * sees neither a failed team nor the deadline. It keeps what was measured, prints the failure and
 * ends the process; the launcher ends the others. A thread that wakes once a second. */
#pragma once

#include "team.h"
#include "../trial/trial.h"

struct watchdog;

/* keep: called at most once, from its thread, while workers may still run; then the process exits
 * with 1. trial: lives until watchdog_over. Three steps may take grace_s each: workers see the
 * deadline, they leave, the process ends after watchdog_leave. NULL: no thread. */
struct watchdog *watchdog_start(const struct trial *trial, struct team *team, unsigned grace_s,
                                void (*keep)(void *arg), void *arg);

/* The workers are through: `keep` is not called any more, the team not touched. NULL is allowed. */
void watchdog_over(struct watchdog *dog);
/* When what was measured is kept. After a failure it stays, as another process may keep this one
 * from ending (in MPI_Finalize): grace_s later it ends it. */
void watchdog_leave(struct watchdog *dog);
