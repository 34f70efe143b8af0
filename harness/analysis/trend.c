#include "trend.h"

#include <math.h>
#include <stdlib.h>

#include "stats.h"

#define EXACT_MAX 150

/* P(at most `falls` falling pairs among n values in any order): the counts of n values are
 * those of n - 1 with 0 to n - 1 pairs more, each as likely. */
static double falls_cdf(unsigned n, unsigned falls)
{
	unsigned most = n * (n - 1) / 2;
	double sum = 0, *p = calloc(2 * ((size_t)most + 1), sizeof *p);
	if (!p)
		return NAN;
	double *next = p + most + 1;
	p[0] = 1;
	for (unsigned k = 2; k <= n; k++) {
		double window = 0;
		unsigned reach = k * (k - 1) / 2;
		for (unsigned t = 0; t <= reach; t++) {
			window += p[t] - (t >= k ? p[t - k] : 0);
			next[t] = window / k;
		}
		for (unsigned t = 0; t <= reach; t++)
			p[t] = next[t];
	}
	for (unsigned t = 0; t <= falls; t++)
		sum += p[t];
	free(p);
	return sum;
}

double trend_probability(const double *x, unsigned n)
{
	long rising = 0, falling = 0;
	double p;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = i + 1; j < n; j++) {
			rising += x[j] > x[i];
			falling += x[j] < x[i];
		}
	long pairs = (long)n * (n - 1) / 2, far = labs(rising - falling);
	if (n < 3 || far == 0)
		return 1;
	if (n <= EXACT_MAX) {
		p = 2 * falls_cdf(n, (unsigned)((pairs - far) / 2));
	} else {
		double spread = sqrt(n * (n - 1.0) * (2.0 * n + 5) / 18);
		p = erfc(((double)far - 1) / spread / sqrt(2));
	}
	return p > 1 ? 1 : p;
}

double trend_slope(const double *x, unsigned n)
{
	size_t count = 0;
	double *slopes = malloc((size_t)n * n / 2 * sizeof *slopes + sizeof *slopes);
	if (!slopes)
		return NAN;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = i + 1; j < n; j++)
			slopes[count++] = (x[j] - x[i]) / (j - i);
	double slope = stats_median(slopes, count);
	free(slopes);
	return slope;
}

double trend_sign_probability(unsigned k, unsigned n)
{
	double p = 0;
	for (unsigned i = k; i <= n; i++)
		p += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) - n * log(2));
	return p > 1 ? 1 : p;
}
