/* A run that a fault strikes: its processes, and its hosts. They are known by FAULT_FOLDER in their
 * environment, the run's folder. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* How many of its processes there are. */
unsigned target_left(const char *folder);
/* The runner's job: of processes, mpirun. */
pid_t target_job(const char *folder, pid_t runner);
/* All processes of one of the simulated hosts. */
void target_signal(const char *folder, const char *host, int signal);
/* So many strangers come to the door where the processes of this one's job meet; how many came. */
#define TARGET_STRANGERS 10000
unsigned target_strangers(pid_t process);
/* Puts the run among the hosts of tests/rig: a script in its folder takes the place of $LAUNCHGAP.
 * false: this machine has no such hosts. */
bool target_on_rig(const char *folder);
/* There, what `hostlink` does: "hostb down". */
bool target_link(const char *folder, const char *what);
