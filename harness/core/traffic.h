/* Traffic beside the timed calls: other load on the machine while a job communicates. One thread
 * per worker makes it, from the warm-up to the last timed call of a cell; not during checks,
 * connecting and other passes.
 *
 *   links   calls on a second context of the backend (its own communicator, buffers and stream),
 *           a ring of large sendrecvs; large copies if the backend's links are memory
 *   cpu     a busy loop on the CPUs that the worker itself runs on
 *
 * A ring needs all ranks, so its threads have to stop after the same call: a call that has begun
 * anywhere is carried out everywhere. Nothing waits for ever if a rank fails. */
#ifndef LAUNCHGAP_TRAFFIC_H
#define LAUNCHGAP_TRAFFIC_H

#include "backend.h"
#include "team.h"

struct traffic;

/* Opens a second context if needed, and starts the thread, which inherits the calling worker's
 * binding. All workers call it; may block and may team_meet. Without traffic *out is NULL and
 * nothing is done. On error it is NULL too. */
int traffic_open(const struct backend *backend, const struct backend_place *place,
                 struct traffic **out, struct status *st);
/* All functions below allow NULL. */
/* Wait until traffic flows, or has stopped; until deadline_ns (clock_now_ns) at most. -1: too late,
 * or a rank failed. All workers call them. */
int traffic_on(struct traffic *traffic, int64_t deadline_ns);
int traffic_off(struct traffic *traffic, int64_t deadline_ns);
/* "traffic_gbs=…" of what the thread moved; "" if it moves nothing. */
void traffic_describe(const struct traffic *traffic, char *text, size_t bytes);
/* Before the backend's own context is closed. */
void traffic_close(struct traffic *traffic);

#endif
