/* When kernels ran, by CUPTI's activity records, in clock_now_ns, for the timeline. */
#pragma once

#include "../../core/sample.h"

/* Counted: the first caller of a process begins, the last one ends. */
void trace_begin(void);
void trace_end(void);
/* Waits for all records, and writes when the device ran each row's kernels: those that ended after
 * the row started and before the next did. Returns the most thread blocks of one; 0: not known. */
unsigned trace_read(unsigned device, struct sample *rows, unsigned n);
/* After trace_read: the kernels since from_ns, NCCL's as communication, all others as work. */
void trace_spans(unsigned device, int64_t from_ns, struct sample_spans *out);
const char *trace_missing(void);
