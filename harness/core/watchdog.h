/* The watchdog: ends a job whose workers cannot end it. A worker that waits in a loop of ours
 * sees a failed team and the cell's deadline itself; one that is inside a library's call which
 * never returns (a communicator's making, when another rank has failed) sees nothing, and keeps
 * all others from leaving. Then what was measured is kept, the failure said, and the process
 * ended; mpirun ends the others.
 *
 * It is a thread that wakes once a second, so that only a job with a cell_timeout has one. */
#ifndef LAUNCHGAP_WATCHDOG_H
#define LAUNCHGAP_WATCHDOG_H

#include "team.h"
#include "../trial/trial.h"

struct watchdog;

/* Starts watching. `keep` is called at most once, from the watchdog's thread, while workers may
 * still be at it; then the process exits with status 1. trial: the one at hand, for the
 * sentence, until watchdog_over. grace_s: how long workers are given, once past the
 * deadline to see it, once more to leave, and the process to end after watchdog_leave. NULL
 * when no thread can be had: the job's own timeout is left. */
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
