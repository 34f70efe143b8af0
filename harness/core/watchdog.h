/* The watchdog: ends a job whose workers cannot end it. A worker that waits in a loop of ours
 * sees a failed team and the cell's deadline itself, and then meets the others. A worker inside a library call that never
 * returns (creating a communicator after another rank has failed) sees nothing, and no other
 * worker can leave. Then the watchdog keeps what was measured, prints the failure and ends the
 * process; mpirun ends the others.
 *
 * It is a thread that wakes once a second, so only a job with a cell_timeout has one. */
#ifndef LAUNCHGAP_WATCHDOG_H
#define LAUNCHGAP_WATCHDOG_H

#include "team.h"
#include "../trial/trial.h"

struct watchdog;

/* Starts watching. `keep` is called at most once, from the watchdog's thread, while workers may
 * still run; then the process exits with status 1. trial: the current one, for the sentence; it
 * must live until watchdog_over. Each of three steps may take grace_s: workers see the deadline,
 * workers leave, and the process ends after watchdog_leave. NULL if no thread can be started:
 * then only the job's timeout remains. */
struct watchdog *watchdog_start(const struct trial *trial, struct team *team, unsigned grace_s,
                                void (*keep)(void *arg), void *arg);

/* The workers of this process are through; from here on `keep` is not called and the team not
 * touched. NULL is allowed. */
void watchdog_over(struct watchdog *dog);
/* After watchdog_over, when what was measured is kept. Without a failure the watchdog is gone.
 * With one it stays, as another process that is stuck may still keep this one from ending
 * (in MPI_Finalize): grace_s later it ends this one, and mpirun the others. */
void watchdog_leave(struct watchdog *dog);

#endif
