/* From one cell's raw stamps to the numbers of its trial. */
#include "summary_parts.h"

#include <stdlib.h>

#include "../timing.h"

int summary_trial_of(const struct record_cell *c, struct summary_trial *out)
{
	struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
	size_t nsamples = (size_t)c->nranks * c->rows;
	double *times = malloc((3 * (size_t)c->rows + nsamples) * sizeof *times);
	if (!times)
		return -1;
	double *launches = times + c->rows, *skews = launches + c->rows,
	       *polls = skews + c->rows;
	for (unsigned i = 0; i < c->rows; i++) {
		times[i] = timing_row_ns(&view, i);
		launches[i] = timing_launch_ns(&view, i);
		skews[i] = timing_skew_ns(&view, i);
	}
	for (size_t i = 0; i < nsamples; i++)
		polls[i] = (double)c->samples[i].poll_ns;
	*out = (struct summary_trial){.block = c->block,
	                              .order = c->order,
	                              .time_ns = stats_median(times, c->rows),
	                              .p95_ns = stats_quantile(times, c->rows, 0.95),
	                              .p99_ns = stats_quantile(times, c->rows, 0.99),
	                              .launch_ns = stats_median(launches, c->rows),
	                              .skew_ns = stats_median(skews, c->rows),
	                              .poll_ns = stats_median(polls, nsamples),
	                              .early = timing_early(&view),
	                              .step_ns = (double)timing_step_ns(&view)};
	free(times);
	return 0;
}
