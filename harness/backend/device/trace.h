/* When kernels ran, by the devices' own clocks: CUPTI's activity records, for the timeline's pass only.
 * CUPTI is loaded at run time, and converts the devices' times to clock_now_ns itself (it interpolates
 * between readings of both clocks, see cuptiActivityRegisterTimestampCallback). */
#ifndef LAUNCHGAP_TRACE_H
#define LAUNCHGAP_TRACE_H

#include "../../core/sample.h"

/* Counted: the first caller of a process begins, the last one ends. Nothing happens if CUPTI is
 * missing; trace_missing then says so. */
void trace_begin(void);
void trace_end(void);
/* Waits for all records, and writes when the device ran the kernels of each row: a kernel belongs to
 * the last row that started before the kernel's end. Returns the most thread blocks of one kernel; 0:
 * not known. */
unsigned trace_read(unsigned device, struct sample *rows, unsigned n);
/* After trace_read: the kernels since from_ns, NCCL's as communication, all others as work. */
void trace_spans(unsigned device, int64_t from_ns, struct sample_spans *out);
/* NULL, or why there are no device times. */
const char *trace_missing(void);

#endif
