/* What launchers without MPI have in common: a process that one of them starts, which finds the others
 * over TCP. */
#ifndef LAUNCHGAP_STARTER_H
#define LAUNCHGAP_STARTER_H

#include "launcher.h"

/* Becomes that process of the job, in a fresh child. rank 0 inherits the seat's door. host: that it pretends
 * to be on; NULL: none. Complains if it cannot. */
_Noreturn void starter_become(const struct launched *as, const struct rendezvous_seat *seat,
                              const char *host);
/* In such a process, which knows its rank: finds the others. */
int starter_find(const struct launched *as, struct rendezvous **out, struct status *st);

/* The exit status of a job of which a process ended like this; 0: it did its part. */
int starter_code(int status);
/* How long the others have to leave by themselves then. */
int64_t starter_grace_ns(int status);
/* Says it of a process that was killed, which said nothing itself: "host a: rank 3: its process was killed
 * by signal 9 (Killed)". host: NULL: there is but one. ranks: of each process. */
void starter_killed(const char *host, unsigned process, unsigned ranks, int signal,
                    struct status *st);

#endif
