/* When kernels ran, by the devices' own clocks: CUPTI's activity records, for the timeline's
 * pass only. CUPTI is loaded at run time and brings the devices' times into clock_now_ns itself
 * (by interpolation between readings of both, see cuptiActivityRegisterTimestampCallback). */
#ifndef LAUNCHGAP_TRACE_H
#define LAUNCHGAP_TRACE_H

#include "../../core/sample.h"

/* Counted: the first caller of a process begins, the last ends. Nothing happens where CUPTI is
 * missing; trace_missing then says so. */
void trace_begin(void);
void trace_end(void);
/* Waits for the records of all that ran, and writes when the device ran what each row issued:
 * a kernel belongs to the last row that started before the kernel's end. The most thread blocks
 * that one of them had; 0: not known. */
unsigned trace_read(unsigned device, struct sample *rows, unsigned n);
/* After trace_read: what ran from a moment on, NCCL's kernels as communication, all others as work. */
void trace_spans(unsigned device, int64_t from_ns, struct sample_spans *out);
/* NULL, or why there are no device times. */
const char *trace_missing(void);

#endif
