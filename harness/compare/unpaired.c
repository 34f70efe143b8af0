#include "unpaired.h"

#include <math.h>

#include "../arena.h"

/* R's bound too. Beyond, the normal distribution moves an end of the interval by a few of more
 * than 2500 differences, and the exact sum's cost grows with the fourth power. */
#define EXACT_MAX  50
#define MOST_PAIRS ((size_t)1 << 24)

/* The null distribution of U: p[u] = P(U = u), u ≤ m × n. The largest of i + j values is an x
 * with probability i ÷ (i + j), and then is above all j of y (Mann and Whitney 1947).
 * Row i of the table is for i values of x, and j goes up. */
static const double *null_distribution(struct arena *arena, unsigned m, unsigned n)
{
	size_t width = (size_t)m * n + 1;
	double *table = ARENA_ARRAY(arena, double, (m + 1) * width), *p;
	for (unsigned i = 0; i <= m; i++)
		table[i * width] = 1;
	for (unsigned j = 1; j <= n; j++)
		for (unsigned i = 1; i <= m; i++) {
			const double *fewer = &table[(i - 1) * width];
			p = &table[i * width];
			for (size_t u = 0; u <= (size_t)i * j; u++)
				p[u] = (j * p[u] + (u >= j ? i * fewer[u - j] : 0)) / (i + j);
		}
	return &table[m * width];
}

/* With continuity correction. */
static double normal_cdf(unsigned m, unsigned n, double u)
{
	double pairs = (double)m * n, spread = sqrt(pairs * ((double)m + n + 1) / 12);
	return erfc(-(u + 0.5 - pairs / 2) / spread / sqrt(2)) / 2;
}

static int is_exact(unsigned m, unsigned n)
{
	return m <= EXACT_MAX && n <= EXACT_MAX;
}

double unpaired_cdf(struct arena *arena, unsigned m, unsigned n, unsigned u)
{
	if (!is_exact(m, n))
		return normal_cdf(m, n, u);
	const struct arena_mark mark = arena_mark(arena);
	const double *p = null_distribution(arena, m, n);
	double sum = 0;
	for (size_t i = 0; i <= u && i <= (size_t)m * n; i++)
		sum += p[i];
	arena_release(arena, mark);
	return sum;
}

/* The largest c with P(U ≤ c − 1) ≤ tail: the interval is from the c-th smallest to the c-th
 * largest difference. 0 when there is none. *outside is that probability. */
static size_t place(struct arena *arena, unsigned m, unsigned n, double tail, double *outside)
{
	size_t c = 0, above = (size_t)m * n / 2;
	*outside = 0;
	if (m < UNPAIRED_MIN || n < UNPAIRED_MIN)
		return 0;
	if (!is_exact(m, n)) {
		while (c < above) {
			size_t mid = (c + above + 1) / 2;
			if (normal_cdf(m, n, (double)mid - 1) <= tail)
				c = mid;
			else
				above = mid - 1;
		}
		*outside = c ? normal_cdf(m, n, (double)c - 1) : 0;
		return c;
	}
	const struct arena_mark mark = arena_mark(arena);
	const double *p = null_distribution(arena, m, n);
	for (; c < above && *outside + p[c] <= tail; c++)
		*outside += p[c];
	arena_release(arena, mark);
	return c;
}

unsigned unpaired_lacks(struct arena *arena, unsigned m, unsigned n, double confidence)
{
	double outside;
	unsigned more = 0;
	while (more < EXACT_MAX &&
	       !place(arena, m + more, n + more, (1 - confidence) / 2, &outside))
		more++;
	return more;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct unpaired unpaired_shift(struct arena *arena, const double *x, unsigned m, const double *y,
                               unsigned n, double confidence)
{
	struct unpaired out = {NAN, NAN, NAN, NAN};
	size_t pairs = (size_t)m * n, k = 0;
	if (!pairs || pairs > MOST_PAIRS)
		return out;
	const struct arena_mark mark = arena_mark(arena);
	double *d = ARENA_ARRAY(arena, double, pairs);
	for (unsigned i = 0; i < m; i++)
		for (unsigned j = 0; j < n; j++)
			d[k++] = x[i] - y[j];
	qsort(d, pairs, sizeof *d, by_value);
	out.shift = (d[(pairs - 1) / 2] + d[pairs / 2]) / 2;
	double outside;
	size_t c = place(arena, m, n, (1 - confidence) / 2, &outside);
	if (c > 0) {
		out.lo = d[c - 1];
		out.hi = d[pairs - c];
		out.confidence = 1 - 2 * outside;
	}
	arena_release(arena, mark);
	return out;
}
