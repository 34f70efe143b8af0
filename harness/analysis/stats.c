#include "stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Beyond, the null distribution is taken as normal: at 200 pairs that moves each end of the
 * interval by one Walsh average of 20 100, and the exact sum's cost grows with the third power.
 */
#define EXACT_MAX 200

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

void stats_sort(double *x, size_t n)
{
	qsort(x, n, sizeof *x, by_value);
}

/* Hoare's FIND (1961): puts the k-th smallest at x[k], no larger one before it and no smaller one
 * after it. Sorting takes a fifth of the time of a large record's report. */
static void find_kth(double *x, ptrdiff_t n, ptrdiff_t k)
{
	ptrdiff_t first = 0, last = n - 1;
	while (first < last) {
		const double pivot = x[k];
		ptrdiff_t i = first, j = last;
		while (i <= j) {
			while (x[i] < pivot)
				i++;
			while (pivot < x[j])
				j--;
			if (i > j)
				break;
			const double swapped = x[i];
			x[i++] = x[j];
			x[j--] = swapped;
		}
		if (j < k)
			first = i;
		if (k < i)
			last = j;
	}
}

double stats_quantile(const double *x, size_t n, double p)
{
	if (n == 0)
		return NAN;
	double *parted = malloc(n * sizeof *parted);
	if (!parted)
		return NAN;
	memcpy(parted, x, n * sizeof *parted);
	const double at = (double)(n - 1) * p;
	const size_t below = (size_t)floor(at);
	const double share = at - (double)below;
	find_kth(parted, (ptrdiff_t)n, (ptrdiff_t)below);
	double value = parted[below];
	if (share > 0 && below + 1 < n) {
		double above = parted[below + 1];
		for (size_t i = below + 2; i < n; i++)
			above = parted[i] < above ? parted[i] : above;
		value += share * (above - value);
	}
	free(parted);
	return value;
}

double stats_median(const double *x, size_t n)
{
	return stats_quantile(x, n, 0.5);
}

void stats_spread(double *x, size_t n, double *lo, double *middle, double *hi)
{
	size_t known = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i]))
			x[known++] = x[i];
	*lo = *middle = *hi = NAN;
	if (!known)
		return;
	stats_sort(x, known);
	*lo = x[0];
	*hi = x[known - 1];
	*middle = (x[(known - 1) / 2] + x[known / 2]) / 2;
}

void stats_order(const double *x, unsigned n, unsigned *order)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned at = i;
		for (; at && x[order[at - 1]] < x[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

/* The null distribution of T+ for n pairs: p[t] = P(T+ = t), t ≤ n(n+1)/2. Pair k adds its rank
 * k to T+ with probability one half, so that each k folds the distribution with {0, k}.
 * Counting down in t lets it be done in place. The caller frees. */
static double *null_distribution(unsigned n)
{
	size_t most = (size_t)n * (n + 1) / 2;
	double *p = calloc(most + 1, sizeof *p);
	if (!p)
		return NULL;
	p[0] = 1;
	for (size_t k = 1, reach = 0; k <= n; k++) {
		reach += k;
		for (size_t t = reach + 1; t-- > 0;)
			p[t] = (p[t] + (t >= k ? p[t - k] : 0)) / 2;
	}
	return p;
}

double stats_signed_rank_cdf(unsigned n, unsigned t)
{
	if (n > EXACT_MAX)
		return NAN;
	size_t most = (size_t)n * (n + 1) / 2;
	if (t >= most)
		return 1;
	double *p = null_distribution(n);
	if (!p)
		return NAN;
	double sum = 0;
	for (size_t i = 0; i <= t; i++)
		sum += p[i];
	free(p);
	return sum;
}

/* The same by the normal distribution, with continuity correction. */
static double normal_cdf(unsigned n, double t)
{
	double mean = n * (n + 1.0) / 4, spread = sqrt(n * (n + 1.0) * (2.0 * n + 1) / 24);
	return erfc(-(t + 0.5 - mean) / spread / sqrt(2)) / 2;
}

/* The largest C with P(T+ ≤ C − 1) ≤ tail: the interval is from the C-th smallest to the C-th
 * largest Walsh average. 0 when there is none. *outside is that probability. */
static size_t signed_rank_place(unsigned n, double tail, double *outside)
{
	double *p = n <= EXACT_MAX ? null_distribution(n) : NULL;
	if (!p && n <= EXACT_MAX)
		return 0;
	size_t c = 0, most = (size_t)n * (n + 1) / 2;
	double sum = 0;
	while (c < most / 2) {
		double next = p ? sum + p[c] : normal_cdf(n, (double)c);
		if (next > tail)
			break;
		sum = next;
		c++;
	}
	free(p);
	*outside = sum;
	return c;
}

/* m values have a part in m × n − m (m − 1) ÷ 2 Walsh averages. */
unsigned stats_withstands(unsigned n, double confidence)
{
	double outside;
	const size_t place = signed_rank_place(n, (1 - confidence) / 2, &outside);
	unsigned m = 0;
	while (m < n && (size_t)(m + 1) * n - (size_t)(m + 1) * m / 2 < place)
		m++;
	return m;
}

/* The n(n+1)/2 means of each pair of x, a value with itself included, sorted. The caller frees.
 */
static double *walsh_averages(const double *x, unsigned n, size_t *count)
{
	*count = (size_t)n * (n + 1) / 2;
	double *w = malloc(*count * sizeof *w);
	if (!w)
		return NULL;
	size_t k = 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = i; j < n; j++)
			w[k++] = (x[i] + x[j]) / 2;
	stats_sort(w, *count);
	return w;
}

double stats_signed_rank_p(const double *x, unsigned n, double at)
{
	size_t count = 0, below = 0, above = 0;
	double *w = n ? walsh_averages(x, n, &count) : NULL;
	if (!w)
		return NAN;
	for (size_t i = 0; i < count; i++) {
		below += w[i] <= at;
		above += w[i] >= at;
	}
	free(w);
	size_t t = below < above ? below : above;
	double p = n > EXACT_MAX ? normal_cdf(n, (double)t) : stats_signed_rank_cdf(n, (unsigned)t);
	return fmin(2 * p, 1);
}

int stats_holm(const double *p, unsigned n, double *adjusted)
{
	unsigned *order = malloc((n + 1) * sizeof *order), left = 0;
	double most = 0;
	if (!order)
		return -1;
	for (unsigned i = 0; i < n; i++) {
		adjusted[i] = isnan(p[i]) ? 2 : p[i]; /* NaN has no place in an order */
		left += !isnan(p[i]);
	}
	stats_order(adjusted, n, order);
	for (unsigned i = n; i-- > 0;) { /* the smallest first */
		most = left ? fmax(most, fmin(left * p[order[i]], 1)) : NAN;
		adjusted[order[i]] = most;
		left -= left > 0;
	}
	free(order);
	return 0;
}

struct stats_ratio stats_ratio_of_logs(const double *logs, unsigned n, double confidence)
{
	struct stats_ratio out = {
	    .estimate = NAN, .lo = NAN, .hi = NAN, .blocks = n, .confidence = NAN};
	size_t count = 0;
	double *w = n ? walsh_averages(logs, n, &count) : NULL;
	if (!w)
		return out;
	out.estimate = exp((w[(count - 1) / 2] + w[count / 2]) / 2);
	double outside = 0;
	size_t c = n < STATS_MIN_BLOCKS ? 0 : signed_rank_place(n, (1 - confidence) / 2, &outside);
	if (c > 0) {
		out.lo = exp(w[c - 1]);
		out.hi = exp(w[count - c]);
		out.confidence = 1 - 2 * outside;
	}
	free(w);
	return out;
}

/* Where the Walsh average of part − share × whole of a pair of blocks passes 0. */
struct crossing {
	double share;
	bool falls; /* below 0 beyond it */
};

static int by_share(const void *a, const void *b)
{
	const struct crossing *x = a, *y = b;
	return (x->share > y->share) - (x->share < y->share);
}

/* Sorted; `*above` is how many averages are above 0 before the first. The caller frees. */
static struct crossing *crossings_of(const double *part, const double *whole, unsigned n,
                                     double sign, size_t *count, size_t *above)
{
	struct crossing *all = malloc((size_t)n * (n + 1) / 2 * sizeof *all);
	*count = *above = 0;
	for (unsigned i = 0; i < n && all; i++)
		for (unsigned j = i; j < n; j++) {
			double w = sign * (whole[i] + whole[j]), p = sign * (part[i] + part[j]);
			*above += w > 0 || (w == 0 && p > 0);
			if (w != 0)
				all[(*count)++] = (struct crossing){p / w, w > 0};
		}
	if (all)
		qsort(all, *count, sizeof *all, by_share);
	return all;
}

/* The first share beyond which no more than `level` averages are above 0, or the last up to which
 * so many are. NaN: there is no such end. */
static double first_share(const struct crossing *all, size_t count, size_t above, size_t level)
{
	for (size_t i = 0; above > level && i < count; i++) {
		above = all[i].falls ? above - 1 : above + 1;
		if (above <= level)
			return all[i].share;
	}
	return NAN;
}

static double last_share(const struct crossing *all, size_t count, size_t above, size_t level)
{
	double last = NAN;
	for (size_t i = 0; i < count; i++) {
		size_t next = all[i].falls ? above - 1 : above + 1;
		if (above >= level && next < level)
			last = all[i].share;
		above = next;
	}
	return above < level ? last : NAN;
}

struct stats_ratio stats_share(const double *part, const double *whole, unsigned n,
                               double confidence)
{
	struct stats_ratio out = {
	    .estimate = NAN, .lo = NAN, .hi = NAN, .blocks = n, .confidence = NAN};
	size_t count, above, pairs = (size_t)n * (n + 1) / 2;
	double outside = 0;
	size_t c = n < STATS_MIN_BLOCKS ? 0 : signed_rank_place(n, (1 - confidence) / 2, &outside);
	double sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += whole[i];
	struct crossing *all =
	    c ? crossings_of(part, whole, n, sum < 0 ? -1 : 1, &count, &above) : NULL;
	if (!all)
		return out;
	out.lo = first_share(all, count, above, pairs - c);
	out.hi = last_share(all, count, above, c);
	if (isnan(out.lo) || isnan(out.hi)) {
		out.lo = out.hi = NAN;
	} else {
		out.estimate = (first_share(all, count, above, pairs / 2) +
		                last_share(all, count, above, (pairs + 1) / 2)) /
		               2;
		out.confidence = 1 - 2 * outside;
	}
	free(all);
	return out;
}

double stats_student_tail(double t, unsigned df)
{
	double angle = atan(fabs(t) / sqrt(df)), square = cos(angle) * cos(angle);
	double term = df % 2 ? cos(angle) : 1, sum = 0;
	for (unsigned k = 2 + df % 2; k <= df; k += 2) {
		sum += term;
		term *= square * (k - 1) / k;
	}
	double inside = df % 2 ? 2 / M_PI * (angle + sin(angle) * sum) : sin(angle) * sum;
	return t > 0 ? (1 - inside) / 2 : (1 + inside) / 2;
}

/* The t with that tail, at most a half. */
static double student_quantile(double tail, unsigned df)
{
	double lo = 0, hi = 1e6;
	for (int i = 0; i < 100; i++) {
		double at = (lo + hi) / 2;
		*(stats_student_tail(at, df) > tail ? &lo : &hi) = at;
	}
	return lo;
}

/* The spread of an estimate, a log, as its interval has it. */
static double unit_of(const struct stats_ratio *r)
{
	double reach = student_quantile((1 - r->confidence) / 2, r->blocks - 1);
	return log(r->hi / r->lo) / 2 / reach;
}

/* An estimate in units of its spread: chosen because it is beyond `least`. */
struct chosen {
	double at, least, hurdle;
	unsigned df;
};

/* The truth, no less than the hurdle, at which a chosen estimate is at `at` or beyond with
 * probability p. */
static double truth_of(const struct chosen *c, double p)
{
	double lo = c->hurdle, hi = c->at + 1000;
	for (int i = 0; i < 100; i++) {
		double truth = i ? (lo + hi) / 2 : lo;
		bool more = stats_student_tail(c->at - truth, c->df) >=
		            p * stats_student_tail(c->least - truth, c->df);
		if (more && !i)
			return truth;
		*(more ? &hi : &lo) = truth;
	}
	return lo;
}

struct stats_ratio stats_chosen(const struct stats_ratio *r, double hurdle)
{
	double sign = r->hi < 1 ? -1 : 1, at = sign * log(r->estimate);
	double lo = sign * log(sign > 0 ? r->lo : r->hi), hi = sign * log(sign > 0 ? r->hi : r->lo);
	struct stats_ratio out = *r;
	if (!(lo > hurdle))
		return out;
	const double outside = (1 - r->confidence) / 2;
	const unsigned df = r->blocks - 1;
	const double unit = unit_of(r);
	const struct chosen c = {at / unit, (hurdle + at - lo) / unit, hurdle / unit, df};
	/* The nearer the choice was, the less the sides' difference counts: short lower sides
	 * are what it favours. */
	const double sure = 1 - 2 * stats_student_tail(c.at - c.least, df),
	             skew = sure * sure * sure * ((hi + lo) / 2 - at);
	at = unit * truth_of(&c, 0.5);
	/* Skew moves no end beyond the estimate. */
	at = fmax(at, hurdle);
	lo = fmax(fmin(unit * truth_of(&c, outside) + skew, at), hurdle);
	hi = fmax(unit * truth_of(&c, 1 - outside) + skew, at);
	out.estimate = exp(sign * at);
	out.lo = exp(sign * (sign > 0 ? lo : hi));
	out.hi = exp(sign * (sign > 0 ? hi : lo));
	return out;
}

double stats_largest_by_chance(const struct stats_ratio *ratios, unsigned n)
{
	double lo = 0, hi = 0;
	for (unsigned i = 0; i < n; i++)
		if (!isnan(ratios[i].lo))
			hi = fmax(hi, 20 * log(ratios[i].hi / ratios[i].lo));
	for (int k = 0; k < 60; k++) {
		double at = (lo + hi) / 2, within = 1;
		for (unsigned i = 0; i < n; i++)
			if (!isnan(ratios[i].lo))
				within *= 1 - 2 * stats_student_tail(at / unit_of(&ratios[i]),
				                                     ratios[i].blocks - 1);
		*(within < 0.5 ? &lo : &hi) = at;
	}
	return hi;
}

#define TREND_EXACT_MAX 150

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

double stats_trend_probability(const double *x, unsigned n)
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
	if (n <= TREND_EXACT_MAX) {
		p = 2 * falls_cdf(n, (unsigned)((pairs - far) / 2));
	} else {
		double spread = sqrt(n * (n - 1.0) * (2.0 * n + 5) / 18);
		p = erfc(((double)far - 1) / spread / sqrt(2));
	}
	return p > 1 ? 1 : p;
}

double stats_trend_slope(const double *x, unsigned n)
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

/* out[k]: P(at most k of n), each with probability p. */
static void binomial_cdf(size_t n, double p, double *out)
{
	double sum = 0, all = (double)n;
	for (size_t i = 0; i < n; i++) {
		double x = (double)i;
		sum += exp(lgamma(all + 1) - lgamma(x + 1) - lgamma(all - x + 1) + x * log(p) +
		           (all - x) * log1p(-p));
		out[i] = sum > 1 ? 1 : sum;
	}
}

struct stats_interval stats_quantile_interval(const double *x, size_t n, double p,
                                              double confidence)
{
	struct stats_interval out = {stats_quantile(x, n, p), NAN, NAN};
	double tail = (1 - confidence) / 2, *sorted = malloc((2 * n + 1) * sizeof *sorted);
	double *below = sorted ? sorted + n : NULL;
	size_t lo = 0, hi = n;
	if (!sorted || isnan(out.estimate)) {
		free(sorted);
		return out;
	}
	memcpy(sorted, x, n * sizeof *x);
	stats_sort(sorted, n);
	binomial_cdf(n, p, below);
	/* The value at place i from 0 is above the quantile when at most i values are below it,
	 * and below it when more than i are. */
	while (lo < n && below[lo] <= tail)
		lo++;
	while (hi > 0 && 1 - below[hi - 1] <= tail)
		hi--;
	if (lo > 0 && hi < n) {
		out.lo = sorted[lo - 1];
		out.hi = sorted[hi];
	}
	free(sorted);
	return out;
}

double stats_sign_probability(unsigned k, unsigned n)
{
	double p = 0;
	for (unsigned i = k; i <= n; i++)
		p += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) - n * log(2));
	return p > 1 ? 1 : p;
}
