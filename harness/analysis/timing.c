#include "timing.h"

#include "stats.h"

#define STEP_SAMPLES 16 /* fewer stamps have a common divisor by chance */

/* The earliest and the latest start of a row. */
static void row_starts(const struct timing_view *view, unsigned row, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (unsigned r = 0; r < view->nranks; r++) {
		int64_t at = view->samples[(size_t)r * view->rows + row].start_ns;
		if (at < *first)
			*first = at;
		if (at > *last)
			*last = at;
	}
}

/* From the first start to the last end of the ranks first … beyond − 1. */
static double worker_ns(const struct timing_view *view, unsigned first, unsigned beyond,
                        unsigned row)
{
	int64_t start = INT64_MAX, end = INT64_MIN;
	for (unsigned r = first; r < beyond; r++) {
		const struct sample *s = &view->samples[(size_t)r * view->rows + row];
		start = s->start_ns < start ? s->start_ns : start;
		end = s->idle_ns > end ? s->idle_ns : end;
	}
	return (double)(end - start) / view->calls;
}

double timing_row_ns(const struct timing_view *view, unsigned row)
{
	return worker_ns(view, 0, view->nranks, row);
}

struct timing_workers timing_workers(const struct timing_view *view, unsigned ranks_per_worker,
                                     unsigned row)
{
	struct timing_workers w = {.min_ns = INFINITY};
	double sum = 0;
	unsigned n = 0;
	for (unsigned r = 0; r < view->nranks; r += ranks_per_worker, n++) {
		unsigned left = view->nranks - r;
		double own = worker_ns(
		    view, r, r + (left < ranks_per_worker ? left : ranks_per_worker), row);
		w.rank0_ns = n ? w.rank0_ns : own;
		w.min_ns = own < w.min_ns ? own : w.min_ns;
		w.max_ns = own > w.max_ns ? own : w.max_ns;
		sum += own;
	}
	w.mean_ns = sum / n;
	return w;
}

double timing_launch_ns(const struct timing_view *view, unsigned row)
{
	int64_t longest = INT64_MIN;
	for (unsigned r = 0; r < view->nranks; r++) {
		const struct sample *s = &view->samples[(size_t)r * view->rows + row];
		if (s->issued_ns - s->start_ns > longest)
			longest = s->issued_ns - s->start_ns;
	}
	return (double)longest / view->calls;
}

double timing_skew_ns(const struct timing_view *view, unsigned row)
{
	int64_t first, last;
	row_starts(view, row, &first, &last);
	return (double)(last - first);
}

struct timing_rank timing_rank(const struct timing_view *view, unsigned rank, unsigned row)
{
	const struct sample *own = &view->samples[(size_t)rank * view->rows + row];
	int64_t first, last, end = INT64_MIN;
	double sum = 0;
	unsigned same = 0;
	row_starts(view, row, &first, &last);
	for (unsigned r = 0; r < view->nranks; r++) {
		int64_t at = view->samples[(size_t)r * view->rows + row].idle_ns;
		sum += (double)(at - first);
		same = at > end ? 1 : same + (at == end);
		end = at > end ? at : end;
	}
	double finish = (double)(own->idle_ns - first);
	return (struct timing_rank){.skew_ns = (double)(own->start_ns - first),
	                            .launch_ns =
	                                (double)(own->issued_ns - own->start_ns) / view->calls,
	                            .finish_ns = finish / view->calls,
	                            .late_ns = (finish - sum / view->nranks) / view->calls,
	                            .last = own->idle_ns == end ? 1.0 / same : 0};
}

double timing_early(double *times, size_t n)
{
	const size_t first = n / 5 ? n / 5 : 1, half = n / 2;
	const double later = n < 3 ? NAN : stats_median(times + half, n - half);
	return later > 0 ? stats_median(times, first) / later : NAN;
}

static int64_t common(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

int64_t timing_step_ns(const struct timing_view *view)
{
	size_t n = (size_t)view->nranks * view->rows;
	int64_t step = 0;
	for (size_t i = 0; i < n && step != 1; i++) {
		step = common(step, view->samples[i].start_ns);
		step = common(step, view->samples[i].idle_ns);
	}
	return n < STEP_SAMPLES ? 0 : step;
}
