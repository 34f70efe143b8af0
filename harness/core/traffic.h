/* Traffic beside the timed calls, by one thread per worker, from the warm-up to the last timed call
 * of a cell: links: a ring of large sendrecvs on a second context of the backend, or large copies;
 * cpu: a busy loop on the worker's own CPUs. A ring's threads stop after the same call. */
#pragma once

#include "backend.h"
#include "team.h"

struct traffic;

/* Starts the thread, which inherits the binding. All workers call it; may block and may team_meet.
 * Without traffic, or on error, *out is NULL. */
int traffic_open(const struct backend *backend, const struct backend_place *place,
                 struct traffic **out, struct status *st);
/* All functions below allow NULL. */
/* Wait until it flows, or has stopped. -1: too late, or a rank failed. All workers call them. */
int traffic_on(struct traffic *traffic, int64_t deadline_ns);
int traffic_off(struct traffic *traffic, int64_t deadline_ns);
/* "traffic_gbs=…" of what the thread moved; "" if it moves nothing. */
void traffic_describe(const struct traffic *traffic, char *text, size_t bytes);
/* Before the backend's own context is closed. */
void traffic_close(struct traffic *traffic);
