#include "pooled.h"

#define HALVINGS 200
#define LEAST    1e-18 /* a variance: blocks that are all the same have none */

/* A run that has an interval: its log ratio, and the variance of that. */
struct point {
	double log, variance;
};

/* Points around their weighted mean. */
struct around {
	double weights, mean, distance; /* Σ w, μ, Σ w (y − μ)² */
};

static struct around around_of(const struct point *points, unsigned k, double between)
{
	struct around a = {0, 0, 0};
	for (unsigned i = 0; i < k; i++) {
		const double w = 1 / (points[i].variance + between);
		const double step = points[i].log - a.mean;
		a.weights += w;
		a.mean += step * w / a.weights;
		a.distance += w * step * (points[i].log - a.mean);
	}
	return a;
}

/* The distance falls as the variance between runs rises. */
static double between_of(const struct point *points, unsigned k)
{
	double lo = 0, hi = 0;
	if (around_of(points, k, 0).distance <= k - 1)
		return 0;
	for (unsigned i = 0; i < k; i++)
		hi = fmax(hi, fabs(points[i].log));
	hi = 4 * k * hi * hi;
	for (unsigned i = 0; i < HALVINGS; i++) {
		const double at = (lo + hi) / 2;
		*(around_of(points, k, at).distance > k - 1 ? &lo : &hi) = at;
	}
	return hi;
}

static struct stats_ratio around_ratio(const struct pooled *p, double error, unsigned df,
                                       double tail, unsigned blocks)
{
	struct stats_ratio r = STATS_NO_RATIO;
	r.estimate = exp(p->log);
	r.blocks = blocks;
	if (!df)
		return r;
	const double half = stats_student_quantile(tail, df) * error;
	r.lo = exp(p->log - half);
	r.hi = exp(p->log + half);
	r.confidence = 1 - 2 * tail;
	return r;
}

struct pooled pooled_of(const struct stats_ratio *runs, unsigned n, double confidence)
{
	const double tail = (1 - confidence) / 2;
	struct pooled p = {0, NAN, STATS_NO_RATIO, STATS_NO_RATIO, STATS_NO_RATIO, NAN, NAN};
	struct point points[POOLED_MOST];
	unsigned blocks = 0;
	for (unsigned i = 0; i < n && p.runs < POOLED_MOST; i++) {
		const double error = stats_ratio_error(&runs[i]);
		if (isnan(error))
			continue;
		points[p.runs++] =
		    (struct point){log(runs[i].estimate), fmax(error * error, LEAST)};
		blocks += runs[i].blocks;
	}
	if (!p.runs)
		return p;
	const double between = between_of(points, p.runs);
	const struct around a = around_of(points, p.runs, between);
	p.log = a.mean;
	p.error = 1 / sqrt(a.weights);
	if (p.runs > 1)
		p.scatter = expm1(sqrt(between));
	p.ratio = around_ratio(&p, p.error, p.runs - 1, tail, blocks);
	p.bounds = around_ratio(&p, p.error, p.runs - 1, 2 * tail, blocks);
	p.next = around_ratio(&p, sqrt(between + p.error * p.error), p.runs > 2 ? p.runs - 2 : 0,
	                      tail, blocks);
	return p;
}

struct stats_tails pooled_tails(const struct pooled *p, double at)
{
	if (p->runs < 2)
		return (struct stats_tails){NAN, NAN};
	const double over = stats_student_tail((p->log - at) / p->error, p->runs - 1);
	return (struct stats_tails){1 - over, over};
}
