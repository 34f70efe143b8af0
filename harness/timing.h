/* From raw stamps to times: pure functions, no input or output. Times in ns, as double. */
#ifndef LAUNCHGAP_TIMING_H
#define LAUNCHGAP_TIMING_H

#include <stddef.h>

#include "sample.h"

/* Stamps of one cell in one trial: rank r's rows are at samples[r * rows]. */
struct timing_view {
	unsigned nranks, rows;
	unsigned calls; /* in a row: a stretch's calls, or 1 */
	const struct sample *samples;
};

/* One row's time per call: (latest idle − earliest start) ÷ calls, over all ranks. */
double timing_row_ns(const struct timing_view *view, unsigned row);
/* One row's launch cost per call: the longest (issued − start) of any rank ÷ calls. */
double timing_launch_ns(const struct timing_view *view, unsigned row);
/* One row's skew: latest start − earliest start. */
double timing_skew_ns(const struct timing_view *view, unsigned row);

#endif
