#include "stats.h"

#include "../arena.h"

/* Beyond, the null distribution is taken as normal: at 200 pairs that moves each end of the
 * interval by one Walsh average of 20 100, and the exact sum's cost grows with the third power.
 */
#define EXACT_MAX  200
#define EXACT_SUMS (EXACT_MAX * (EXACT_MAX + 1) / 2 + 1)

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

double stats_quantile(double *x, size_t n, double p)
{
	if (n == 0)
		return NAN;
	const double at = (double)(n - 1) * p;
	const size_t below = (size_t)floor(at);
	const double share = at - (double)below;
	find_kth(x, (ptrdiff_t)n, (ptrdiff_t)below);
	double value = x[below];
	if (share > 0 && below + 1 < n) {
		double above = x[below + 1];
		for (size_t i = below + 2; i < n; i++)
			above = x[i] < above ? x[i] : above;
		value += share * (above - value);
	}
	return value;
}

double stats_median(double *x, size_t n)
{
	return stats_quantile(x, n, 0.5);
}

double stats_shorth(double *x, size_t n)
{
	const size_t half = n / 2 + 1;
	size_t at = 0;
	double sum = 0;
	stats_sort(x, n);
	for (size_t i = 1; i + half <= n; i++)
		if (x[i + half - 1] - x[i] < x[at + half - 1] - x[at])
			at = i;
	for (size_t i = 0; i < half; i++)
		sum += x[at + i];
	return sum / (double)half;
}

/* The null distribution of T+ for n pairs, at most EXACT_MAX: p[t] = P(T+ = t), t ≤ n(n+1)/2. Pair
 * k adds its rank k to T+ with probability one half, so that each k folds the distribution with
 * {0, k}. Counting down in t lets it be done in place. */
static void null_distribution(unsigned n, double p[EXACT_SUMS])
{
	size_t most = (size_t)n * (n + 1) / 2;
	memset(p, 0, (most + 1) * sizeof *p);
	p[0] = 1;
	for (size_t k = 1, reach = 0; k <= n; k++) {
		reach += k;
		for (size_t t = reach + 1; t-- > 0;)
			p[t] = (p[t] + (t >= k ? p[t - k] : 0)) / 2;
	}
}

double stats_signed_rank_cdf(unsigned n, unsigned t)
{
	if (n > EXACT_MAX)
		return NAN;
	size_t most = (size_t)n * (n + 1) / 2;
	if (t >= most)
		return 1;
	double p[EXACT_SUMS], sum = 0;
	null_distribution(n, p);
	for (size_t i = 0; i <= t; i++)
		sum += p[i];
	return sum;
}

/* The same by the normal distribution, with continuity correction. */
static double normal_cdf(unsigned n, double t)
{
	double mean = n * (n + 1.0) / 4, spread = sqrt(n * (n + 1.0) * (2.0 * n + 1) / 24);
	return erfc(-(t + 0.5 - mean) / spread / sqrt(2)) / 2;
}

/* The lower tail of a signed-rank statistic that is narrower than that of n numbers by the factor
 * `narrow`, about the same mean; between whole numbers it is linear. */
static double tail_of(unsigned n, double narrow, double t)
{
	const double mean = n * (n + 1.0) / 4, at = fmax(mean + (t - mean) / narrow, 0);
	if (n > EXACT_MAX)
		return normal_cdf(n, at);
	const double below = stats_signed_rank_cdf(n, (unsigned)at), part = at - floor(at);
	return part > 0 ? below + part * (stats_signed_rank_cdf(n, (unsigned)at + 1) - below)
	                : below;
}

/* The largest C with P(at most C − 1 Walsh averages on one side) ≤ tail: the interval is from the
 * C-th smallest to the C-th largest one. 0 when there is none. *outside is that probability. */
static size_t signed_rank_place(const struct stats_walsh *of, double tail, double *outside)
{
	const unsigned n = of->n;
	const bool exact = n <= EXACT_MAX;
	double p[EXACT_SUMS], sum = 0, next = 0;
	size_t c = 0, most = (size_t)n * (n + 1) / 2;
	*outside = 0;
	if (exact)
		null_distribution(n, p);
	for (; c < most / 2; c++, sum = next) {
		next = exact ? sum + p[c] : normal_cdf(n, (double)c);
		if (next > tail)
			break;
	}
	if (!c)
		return 0;
	const double mean = (double)most / 2,
	             part = of->narrow < 1 ? (tail - sum) / (next - sum) : 0,
	             at = mean + ((double)c - 1 + part - mean) * of->narrow;
	const size_t skipped = (size_t)(at * of->copies);
	*outside = tail_of(n, of->narrow, (double)skipped / of->copies);
	return skipped + 1;
}

/* m values have a part in m × n − m (m − 1) ÷ 2 Walsh averages. */
unsigned stats_withstands(const struct stats_walsh *of, double confidence)
{
	double outside;
	const size_t place = signed_rank_place(of, (1 - confidence) / 2, &outside), n = of->n;
	unsigned m = 0;
	while (m < n && ((m + 1) * n - (size_t)(m + 1) * m / 2) * of->copies < place)
		m++;
	return m;
}

#define ROUNDING 1e-12 /* of logs: a centre is one number, or as far from two */

/* By what the statistic of both numbers of a block is narrower than that of one: the root of
 * (1 + r) ÷ 2, where r is the correlation of their signed ranks about `centre`. It is at most a
 * half where all three trials are of one distribution (Lehmann, Annals of Mathematical Statistics
 * 35, 1964; Hollander 1966), and near 1 where the two hardly scatter beside the other. */
static double narrower(struct arena *arena, const double *x, const double *again, unsigned n,
                       double centre)
{
	double *far = ARENA_ARRAY(arena, double, 2 * (size_t)n), both = 0, each = 0;
	for (unsigned i = 0; i < n; i++) {
		far[2 * i] = x[i] - centre;
		far[2 * i + 1] = again[i] - centre;
	}
	for (unsigned i = 0; i < n; i++) {
		double rank[2] = {0, 0};
		for (unsigned k = 0; k < 2; k++) {
			const double one = far[2 * i + k];
			for (unsigned j = 0; j < 2 * n && fabs(one) > ROUNDING; j++)
				rank[k] += fabs(far[j]) <= fabs(one) + ROUNDING;
			rank[k] = copysign(rank[k], one);
		}
		both += rank[0] * rank[1];
		each += (rank[0] * rank[0] + rank[1] * rank[1]) / 2;
	}
	return each > 0 ? sqrt((1 + fmax(both / each, 0.5)) / 2) : 1;
}

struct stats_walsh stats_walsh_of(struct arena *arena, const double *x, const double *again,
                                  unsigned n)
{
	struct stats_walsh out = {.n = n, .copies = again ? 4 : 1, .narrow = 1};
	double *w = ARENA_ARRAY(arena, double, (size_t)n *(n + 1) / 2 * out.copies);
	const double *const trials[] = {x, again ? again : x};
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = i; j < n; j++)
			for (unsigned k = 0; k < out.copies; k++) {
				/* A block's own are of one number: their mean is not symmetric. */
				const double *other = trials[i == j ? k / 2 : k % 2];
				w[out.count++] = (trials[k / 2][i] + other[j]) / 2;
			}
	stats_sort(w, out.count);
	out.averages = w;
	if (again && n)
		out.narrow =
		    narrower(arena, x, again, n, (w[(out.count - 1) / 2] + w[out.count / 2]) / 2);
	return out;
}

struct stats_tails stats_signed_rank_tails(const struct stats_walsh *of, double at)
{
	size_t below = 0, above = 0;
	if (!of->n)
		return (struct stats_tails){NAN, NAN};
	for (size_t i = 0; i < of->count; i++) {
		below += of->averages[i] <= at;
		above += of->averages[i] >= at;
	}
	return (struct stats_tails){tail_of(of->n, of->narrow, (double)above / of->copies),
	                            tail_of(of->n, of->narrow, (double)below / of->copies)};
}

double stats_two_sided(struct stats_tails tails)
{
	const double p = 2 * fmin(tails.under, tails.over);
	return p > 1 ? 1 : p;
}

struct stats_ratio stats_walsh_ratio(const struct stats_walsh *of, double confidence)
{
	const double *w = of->averages;
	struct stats_ratio out = STATS_NO_RATIO;
	double outside;
	out.blocks = of->n;
	if (!of->n)
		return out;
	out.estimate = exp((w[(of->count - 1) / 2] + w[of->count / 2]) / 2);
	const size_t c =
	    of->n < STATS_MIN_BLOCKS ? 0 : signed_rank_place(of, (1 - confidence) / 2, &outside);
	if (c > 0) {
		out.lo = exp(w[c - 1]);
		out.hi = exp(w[of->count - c]);
		out.confidence = 1 - 2 * outside;
	}
	return out;
}

struct stats_ratio stats_ratio_of_logs(struct arena *arena, const double *logs, unsigned n,
                                       double confidence)
{
	const struct arena_mark mark = arena_mark(arena);
	const struct stats_walsh of = stats_walsh_of(arena, logs, NULL, n);
	const struct stats_ratio out = stats_walsh_ratio(&of, confidence);
	arena_release(arena, mark);
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

/* Sorted; `*above` is how many averages are above 0 before the first. */
static struct crossing *crossings_of(struct arena *arena, const double *part, const double *whole,
                                     unsigned n, double sign, size_t *count, size_t *above)
{
	struct crossing *all = ARENA_ARRAY(arena, struct crossing, (size_t)n * (n + 1) / 2);
	*count = *above = 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = i; j < n; j++) {
			double w = sign * (whole[i] + whole[j]), p = sign * (part[i] + part[j]);
			*above += w > 0 || (w == 0 && p > 0);
			if (w != 0)
				all[(*count)++] = (struct crossing){p / w, w > 0};
		}
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

struct stats_ratio stats_share(struct arena *arena, const double *part, const double *whole,
                               unsigned n, double confidence)
{
	struct stats_ratio out = {
	    .estimate = NAN, .lo = NAN, .hi = NAN, .blocks = n, .confidence = NAN};
	size_t count, above, pairs = (size_t)n * (n + 1) / 2;
	double outside = 0;
	const struct stats_walsh one = STATS_WALSH_OF(n);
	size_t c =
	    n < STATS_MIN_BLOCKS ? 0 : signed_rank_place(&one, (1 - confidence) / 2, &outside);
	double sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += whole[i];
	if (!c)
		return out;
	const struct arena_mark mark = arena_mark(arena);
	const struct crossing *all =
	    crossings_of(arena, part, whole, n, sum < 0 ? -1 : 1, &count, &above);
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
	arena_release(arena, mark);
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

double stats_student_quantile(double tail, unsigned df)
{
	double lo = 0, hi = 1e6;
	for (int i = 0; i < 100; i++) {
		double at = (lo + hi) / 2;
		*(stats_student_tail(at, df) > tail ? &lo : &hi) = at;
	}
	return lo;
}

double stats_ratio_error(const struct stats_ratio *r)
{
	if (isnan(r->lo))
		return NAN;
	double reach = stats_student_quantile((1 - r->confidence) / 2, r->blocks - 1);
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
	const double unit = stats_ratio_error(r);
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
				within *=
				    1 - 2 * stats_student_tail(at / stats_ratio_error(&ratios[i]),
				                               ratios[i].blocks - 1);
		*(within < 0.5 ? &lo : &hi) = at;
	}
	return hi;
}

#define TREND_EXACT_MAX 150
#define TREND_PAIRS     (TREND_EXACT_MAX * (TREND_EXACT_MAX - 1) / 2)

/* P(at most `falls` falling pairs among n values in any order): the counts of n values are
 * those of n - 1 with 0 to n - 1 pairs more, each as likely. */
static double falls_cdf(unsigned n, unsigned falls)
{
	double sum = 0, p[TREND_PAIRS + 1] = {1}, next[TREND_PAIRS + 1];
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

/* P(k of n), each with probability p. */
static double binomial(size_t n, size_t k, double p)
{
	const double all = (double)n, x = (double)k;
	return exp(lgamma(all + 1) - lgamma(x + 1) - lgamma(all - x + 1) + x * log(p) +
	           (all - x) * log1p(-p));
}

struct stats_interval stats_quantile_interval(double *x, size_t n, double p, double confidence)
{
	struct stats_interval out = {stats_quantile(x, n, p), NAN, NAN};
	const double tail = (1 - confidence) / 2;
	double below = 0; /* P(at most i) */
	size_t lo = 0, hi = n;
	if (isnan(out.estimate))
		return out;
	stats_sort(x, n);
	/* The value at place i from 0 is above the quantile when at most i values are below it,
	 * and below it when more than i are. */
	for (size_t i = 0; i < n && hi == n; i++) {
		below += binomial(n, i, p);
		lo += below <= tail;
		hi = 1 - below <= tail ? i : n;
	}
	if (lo > 0 && hi < n) {
		out.lo = x[lo - 1];
		out.hi = x[hi];
	}
	return out;
}

double stats_sign_probability(unsigned k, unsigned n)
{
	double p = 0;
	for (unsigned i = k; i <= n; i++)
		p += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) - n * log(2));
	return p > 1 ? 1 : p;
}
