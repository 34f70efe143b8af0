/* Traffic beside the timed calls: what else a machine does while a job communicates. A thread for
 * each worker makes it, from the warm-up to the last timed call of a cell; checks, connecting and
 * all other passes are left alone.
 *
 *   links   calls on a second context of the backend (its own communicator, buffers and stream),
 *           a ring of large sendrecvs; where a backend has no links but memory, large copies
 *   cpu     a busy loop on the CPUs that the worker itself runs on
 *
 * A ring needs all ranks, so that its threads have to stop behind the same call: a call that has
 * begun anywhere is carried out everywhere. Nothing of it waits for ever where a rank fails. */
#ifndef LAUNCHGAP_TRAFFIC_H
#define LAUNCHGAP_TRAFFIC_H

#include "backend.h"
#include "team.h"

struct traffic;

/* Opens a second context where it takes one, and starts the thread, which inherits the binding of
 * the caller: one worker's. All workers alike; may block and may team_meet. Without traffic
 * *out is NULL and nothing is done. On error it is NULL too. */
int traffic_open(const struct backend *backend, const struct backend_place *place,
                 struct traffic **out, struct status *st);
/* NULL is allowed, of all that follow. */
/* Wait until it flows, or is over; until deadline_ns (clock_now_ns) at most. -1: it does not, or a
 * rank failed. All workers alike. */
int traffic_on(struct traffic *traffic, int64_t deadline_ns);
int traffic_off(struct traffic *traffic, int64_t deadline_ns);
/* "traffic_gbs=…" of what the thread moved; "" where it moves nothing. */
void traffic_describe(const struct traffic *traffic, char *text, size_t bytes);
/* Before the backend's own context is closed. */
void traffic_close(struct traffic *traffic);

#endif
