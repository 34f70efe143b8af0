/* From one cell's raw stamps to the numbers of its trial. */
#include "summary_parts.h"

#include <stdio.h>
#include <stdlib.h>

/* Ranks that one worker drove; 1 where the record's layout does not come to its ranks. */
static unsigned ranks_per_worker(const struct record_cell *c)
{
	const char *layout = json_string_value(json_object_get(c->json, "layout"));
	unsigned processes, threads, ranks;
	if (layout && sscanf(layout, "%ux%ux%u", &processes, &threads, &ranks) == 3 &&
	    ranks > 0 && (uint64_t)processes * threads * ranks == c->nranks)
		return ranks;
	return 1;
}

/* Each view's median over the rows; x has room for four numbers a row. */
static struct timing_workers worker_medians(const struct record_cell *c,
                                            const struct timing_view *view, double *x)
{
	unsigned per = ranks_per_worker(c), n = c->rows;
	double *mean = x + n, *min = mean + n, *max = min + n;
	for (unsigned i = 0; i < n; i++) {
		struct timing_workers w = timing_workers(view, per, i);
		x[i] = w.rank0_ns;
		mean[i] = w.mean_ns;
		min[i] = w.min_ns;
		max[i] = w.max_ns;
	}
	return (struct timing_workers){.rank0_ns = stats_median(x, n),
	                               .mean_ns = stats_median(mean, n),
	                               .min_ns = stats_median(min, n),
	                               .max_ns = stats_median(max, n)};
}

int summary_trial_of(const struct record_cell *c, struct summary_trial *out)
{
	struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
	size_t nsamples = (size_t)c->nranks * c->rows;
	double *times = malloc((7 * (size_t)c->rows + nsamples) * sizeof *times);
	if (!times)
		return -1;
	double *launches = times + c->rows, *skews = launches + c->rows,
	       *workers = skews + c->rows, *polls = workers + 4 * (size_t)c->rows;
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
	                              .workers = worker_medians(c, &view, workers),
	                              .poll_ns = stats_median(polls, nsamples),
	                              .early = timing_early(&view),
	                              .step_ns = (double)timing_step_ns(&view)};
	free(times);
	return 0;
}
