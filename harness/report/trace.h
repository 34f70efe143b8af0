/* A run's time stamps as a trace in the Trace Event Format (JSON), which ui.perfetto.dev and
 * chrome://tracing open: a process for each process of each variant, a lane for each rank and one
 * for its device.
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU */
#ifndef LAUNCHGAP_REPORT_TRACE_H
#define LAUNCHGAP_REPORT_TRACE_H

#include <stdio.h>

#include "../analysis/traced.h"

/* No more than `most` events, not counting lanes' names. A failed write shows when the file is
 * closed. */
void trace_write(const struct summary *summary, unsigned most, struct arena *arena, FILE *out);

#endif
