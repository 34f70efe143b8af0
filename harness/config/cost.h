/* Rough times of the parts of a run, in s: for estimates before a run, and for what to add to
 * one. */
#ifndef LAUNCHGAP_COST_H
#define LAUNCHGAP_COST_H

/* The start of a job: where ranks are devices, and where they are cores. */
#define COST_DEVICE_START_S 3.0
#define COST_CORE_START_S   0.5
/* Within a job, on devices: communicators made again, buffers allocated again. */
#define COST_CONNECT_S  0.1
#define COST_ALLOCATE_S 0.1
#define COST_COUNTERS_S 0.4 /* counters of a size read */

#endif
