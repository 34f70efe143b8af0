#include "aligned.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Readings and results are whole nanoseconds: what rounding may add to a bound. */
#define ROUNDING_NS 2.0

/* Numbers of a point that fit a double: distances from the origin, which is the newest point. */
static double x_of(const struct aligned *a, unsigned i)
{
	return (double)(a->points[i].local_ns - a->origin_ns);
}

static double y_of(const struct aligned *a, unsigned i)
{
	const struct aligned_point *p = &a->points[i];
	return (double)(p->first_ns - p->local_ns - a->apart_ns);
}

static double half_of(const struct aligned *a, unsigned i)
{
	return (double)a->points[i].rtt_ns / 2;
}

static double weight_of(const struct aligned *a, unsigned i)
{
	double rtt = fmax((double)a->points[i].rtt_ns, 1);
	return 1 / (rtt * rtt);
}

struct sums {
	double weights, middle, spread; /* W, m and S of the header */
};

static struct sums sums_of(const struct aligned *a)
{
	struct sums s = {0};
	for (unsigned i = 0; i < a->npoints; i++) {
		s.weights += weight_of(a, i);
		s.middle += weight_of(a, i) * x_of(a, i);
	}
	s.middle /= s.weights;
	for (unsigned i = 0; i < a->npoints; i++)
		s.spread += weight_of(a, i) * (x_of(a, i) - s.middle) * (x_of(a, i) - s.middle);
	return s;
}

static unsigned best_of(const struct aligned *a)
{
	unsigned best = 0;
	for (unsigned i = 1; i < a->npoints; i++)
		if (a->points[i].rtt_ns <= a->points[best].rtt_ns)
			best = i;
	return best;
}

static double value(const struct aligned *a, double x)
{
	return a->level_ns + a->slope * (x - a->middle_ns);
}

static void fit(struct aligned *a)
{
	const struct aligned_point *newest = &a->points[a->npoints - 1];
	a->origin_ns = newest->local_ns;
	a->apart_ns = newest->first_ns - newest->local_ns;
	struct sums s = sums_of(a);
	double level = 0, slope = 0, open = 0; /* how wrong the slope may be */
	for (unsigned i = 0; i < a->npoints; i++) {
		double lever = weight_of(a, i) * (x_of(a, i) - s.middle);
		level += weight_of(a, i) * y_of(a, i) / s.weights;
		slope += lever * y_of(a, i) / s.spread;
		open += fabs(lever) * half_of(a, i) / s.spread;
	}
	/* Also where all points are of one time, and the spread is 0. */
	bool flat = !(open < ALIGNED_MOST_PPM * 1e-6);
	unsigned best = best_of(a);
	a->flat = flat ? best + 1 : 0;
	a->level_ns = flat ? y_of(a, best) : level;
	a->slope = flat ? 0 : slope;
	a->middle_ns = flat ? x_of(a, best) : s.middle;
	a->weights = s.weights;
	a->spread = s.spread;
}

static double bound_at(const struct aligned *a, double x)
{
	if (a->flat)
		return half_of(a, a->flat - 1) + fabs(x - a->middle_ns) * ALIGNED_MOST_PPM * 1e-6 +
		       ROUNDING_NS;
	double bound = ROUNDING_NS, far = (x - a->middle_ns) / a->spread;
	for (unsigned i = 0; i < a->npoints; i++)
		bound += half_of(a, i) * weight_of(a, i) *
		         fabs(1 / a->weights + far * (x_of(a, i) - a->middle_ns));
	return bound;
}

static double off_line(const struct aligned *a, unsigned i)
{
	return fabs(y_of(a, i) - value(a, x_of(a, i)));
}

static bool agrees(const struct aligned *a)
{
	if (!a->flat && fabs(a->slope) > 2 * ALIGNED_MOST_PPM * 1e-6)
		return false;
	for (unsigned i = 0; i < a->npoints; i++)
		if (off_line(a, i) > half_of(a, i) + bound_at(a, x_of(a, i)))
			return false;
	return true;
}

static void remove_point(struct aligned *a, unsigned i)
{
	a->npoints--;
	memmove(a->points + i, a->points + i + 1, (a->npoints - i) * sizeof *a->points);
}

/* Of the closest two that of the lesser round trip stays. First and newest decide the drift. */
static void thin(struct aligned *a)
{
	unsigned at = 1;
	for (unsigned i = 2; i + 2 < a->npoints; i++)
		if (x_of(a, i + 1) - x_of(a, i) < x_of(a, at + 1) - x_of(a, at))
			at = i;
	remove_point(a, at + (a->points[at].rtt_ns <= a->points[at + 1].rtt_ns));
}

struct aligned_point aligned_point(int64_t s1_ns, int64_t t_ns, int64_t s2_ns)
{
	return (struct aligned_point){t_ns, s1_ns + (s2_ns - s1_ns) / 2, s2_ns - s1_ns};
}

/* At t2 the first clock was beyond s2, and not beyond s1 + (t2 - t1) but for the drift. */
struct aligned_point aligned_wait(int64_t t1_ns, int64_t s1_ns, int64_t s2_ns, int64_t t2_ns)
{
	int64_t waited = t2_ns - t1_ns;
	return aligned_point(s2_ns, t2_ns, s1_ns + waited + waited * ALIGNED_MOST_PPM / 1000000);
}

void aligned_add(struct aligned *a, const struct aligned_point *p)
{
	if (a->npoints == ALIGNED_POINTS)
		thin(a);
	a->points[a->npoints++] = *p;
	fit(a);
	bool stepped = false;
	for (; a->npoints > 1 && !agrees(a); stepped = true) {
		remove_point(a, 0);
		fit(a);
	}
	a->steps += stepped;
}

int64_t aligned_to_first(const struct aligned *a, int64_t local_ns)
{
	return local_ns + a->apart_ns + llround(value(a, (double)(local_ns - a->origin_ns)));
}

/* The same line, solved for the local time: u + value(u) = v, both from the origin. */
int64_t aligned_from_first(const struct aligned *a, int64_t first_ns)
{
	double v = (double)(first_ns - a->apart_ns - a->origin_ns);
	return a->origin_ns + llround((v - a->level_ns + a->slope * a->middle_ns) / (1 + a->slope));
}

double aligned_bound_ns(const struct aligned *a, int64_t local_ns)
{
	return a->npoints ? bound_at(a, (double)(local_ns - a->origin_ns)) : INFINITY;
}

double aligned_drift_ppm(const struct aligned *a)
{
	return -a->slope / (1 + a->slope) * 1e6;
}

double aligned_residual_ns(const struct aligned *a)
{
	double most = 0;
	for (unsigned i = 0; i < a->npoints; i++)
		most = fmax(most, off_line(a, i));
	return most;
}

int64_t aligned_rtt_ns(const struct aligned *a)
{
	return a->npoints ? a->points[best_of(a)].rtt_ns : 0;
}
