#include "timing.h"

/* The earliest and the latest start of a row. */
static void row_starts(const struct timing_view *view, unsigned row, int64_t *first,
                       int64_t *last)
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

double timing_row_ns(const struct timing_view *view, unsigned row)
{
	int64_t first, last, end = INT64_MIN;
	row_starts(view, row, &first, &last);
	for (unsigned r = 0; r < view->nranks; r++) {
		int64_t at = view->samples[(size_t)r * view->rows + row].idle_ns;
		if (at > end)
			end = at;
	}
	return (double)(end - first) / view->calls;
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
