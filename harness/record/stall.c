#include "stall.h"
#include "../memory.h"

#include "../core/sample.h"

/* From the earliest start to the latest end, over all ranks. */
static int64_t row_ns(const struct sample *samples, unsigned nranks, unsigned rows, unsigned row)
{
	int64_t start = INT64_MAX, end = INT64_MIN;
	for (unsigned r = 0; r < nranks; r++) {
		const struct sample *s = &samples[(size_t)r * rows + row];
		start = s->start_ns < start ? s->start_ns : start;
		end = s->idle_ns > end ? s->idle_ns : end;
	}
	return end - start;
}

static int by_value(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

static struct stall longest(const int64_t *off_core_ns, unsigned nranks)
{
	struct stall stall = {0};
	for (unsigned r = 0; off_core_ns && r < nranks; r++)
		if (off_core_ns[r] > stall.off_ns)
			stall = (struct stall){.rank = r, .off_ns = off_core_ns[r]};
	return stall;
}

unsigned stall_leave_out(struct sample *samples, unsigned nranks, unsigned rows,
                         const int64_t *off_core_ns, struct stall *out)
{
	struct stall stall = longest(off_core_ns, nranks);
	struct sample *to = samples;
	unsigned left = 0;
	*out = (struct stall){0};
	int64_t *ns = stall.off_ns < STALL_NS / 2 ? NULL : memory_take(2 * rows, sizeof *ns);
	if (!ns)
		return rows;
	for (unsigned i = 0; i < rows; i++)
		ns[i] = row_ns(samples, nranks, rows, i);
	memcpy(ns + rows, ns, rows * sizeof *ns);
	qsort(ns + rows, rows, sizeof *ns, by_value);
	int64_t median = ns[rows + (rows - 1) / 2];
	for (unsigned r = 0; r < nranks; r++)
		for (unsigned i = 0; i < rows; i++)
			if (ns[i] < STALL_NS || ns[i] / STALL_TIMES < median ||
			    stall.off_ns < ns[i] / 2) {
				*to++ = samples[(size_t)r * rows + i];
				left += r == 0;
			}
	free(ns);
	stall.rows = rows - left;
	if (stall.rows)
		*out = stall;
	return left;
}
