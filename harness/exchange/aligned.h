/* The clock of another host, as a line against the first host's clock. Pure.
 *
 * HCA3's method (Hunold and Carpen-Amarie, CLUSTER 2018; ReproMPI), without its tree: of many pings
 * that with the least round trip is a point, and a line through points has offset and drift. Of a
 * ping the first host reads s1, the other one t as it arrives, the first one s2: (s1 + s2) / 2 is
 * the first clock's reading at t within half of the round trip, however unequal the ways are
 * (Cristian, Distributed Computing 3, 1989). The line is of weighted least squares, weights 1 /
 * rtt²; its value at x is a sum of c_i(x) y_i over the points, with
 *   c_i(x) = w_i / W + (x - m) w_i (x_i - m) / S,   W = sum of w_i,
 *   m = sum of w_i x_i / W,   S = sum of w_i (x_i - m)²,
 * and each y_i is wrong by at most rtt_i / 2: so the line by at most sum |c_i(x)| rtt_i / 2, the
 * bound here, as long as both clocks keep their rates. While that sum leaves the drift open by more
 * than ALIGNED_MOST_PPM, the line is flat, through the point of the least round trip, and its bound
 * grows by that much with time.
 *
 * A point further from the line than both bounds allow, or a drift beyond twice ALIGNED_MOST_PPM,
 * proves that a rate changed or a clock stepped: the oldest points go until the rest agree. */
#pragma once

#include <stdint.h>

/* With more of them, those that are close in time are thinned. */
#define ALIGNED_POINTS 64
/* As far as Linux lets NTP change a clock's rate (500 ppm). */
#define ALIGNED_MOST_PPM 500

/* Two readings of one moment, the first clock's within half of rtt_ns. */
struct aligned_point {
	int64_t local_ns, first_ns, rtt_ns;
};

/* All zero: a clock of which nothing is known, taken for the first one. */
struct aligned {
	struct aligned_point points[ALIGNED_POINTS]; /* in the order of time */
	unsigned npoints;
	unsigned steps; /* how often points had to go */
	/* first = local + apart + level + slope * (local - origin - middle) */
	int64_t origin_ns, apart_ns;
	double level_ns, slope, middle_ns;
	double weights, spread; /* W and S, with m in middle_ns, unless it is flat */
	unsigned flat;          /* 1 + the point that it goes through, or 0 */
};

struct aligned_point aligned_point(int64_t s1_ns, int64_t t_ns, int64_t s2_ns);
/* The same of a ping that the other host sent at t1, which the first one heard at s1 and answered
 * at s2, at t2 (NTP's four times, RFC 5905), with the drift of that wait. */
struct aligned_point aligned_wait(int64_t t1_ns, int64_t s1_ns, int64_t s2_ns, int64_t t2_ns);
void aligned_add(struct aligned *a, const struct aligned_point *p);

int64_t aligned_to_first(const struct aligned *a, int64_t local_ns);
int64_t aligned_from_first(const struct aligned *a, int64_t first_ns);
/* How wrong both may be at that time; infinite without points. */
double aligned_bound_ns(const struct aligned *a, int64_t local_ns);

/* How much faster the clock runs than the first one; 0 while the line is flat. */
double aligned_drift_ppm(const struct aligned *a);
double aligned_residual_ns(const struct aligned *a);
int64_t aligned_rtt_ns(const struct aligned *a);
