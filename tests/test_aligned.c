/* The line between two clocks: simulated clocks and round trips, whose truth is known. Every bound
 * is the one that the model states. */
#include "../harness/exchange/aligned.h"
#include "test.h"

#define SECOND 1000000000.0

/* A clock that is `offset` off at time 0 and drifts; the first clock shows the true time. */
struct truth {
	int64_t offset;
	double ppm;
};

/* Random, and the same in each run. */
struct dice {
	unsigned short state[3];
};

static double exponential(struct dice *d, double mean)
{
	return -mean * log(1 - erand48(d->state));
}

static int64_t local_at(const struct truth *truth, double s)
{
	return truth->offset + llround(s + s * truth->ppm * 1e-6);
}

/* A ping at time s with these two ways. */
static struct aligned_point ping(const struct truth *truth, double s, double there, double back)
{
	return aligned_point(llround(s), local_at(truth, s + there), llround(s + there + back));
}

/* The best of some pings: each way takes at least 10 and 15 µs, and mostly more. */
static struct aligned_point burst(const struct truth *truth, double s, struct dice *d)
{
	struct aligned_point best = {0};
	for (unsigned i = 0; i < 16; i++, s += 100000) {
		struct aligned_point p =
		    ping(truth, s, 10000 + exponential(d, 20000), 15000 + exponential(d, 5000));
		if (!i || p.rtt_ns < best.rtt_ns)
			best = p;
	}
	return best;
}

static double error_at(const struct aligned *a, const struct truth *truth, double s)
{
	return fabs((double)aligned_to_first(a, local_at(truth, s)) - s);
}

/* The error at a time, in both directions, is within what the model says of it. */
static void assert_bounded(const struct aligned *a, const struct truth *truth, double s)
{
	int64_t local = local_at(truth, s);
	double bound = aligned_bound_ns(a, local);
	assert_near(error_at(a, truth, s), 0, bound);
	assert_near((double)(aligned_from_first(a, llround(s)) - local), 0, bound);
}

static const struct truth truths[] = {
    {0, 0},      {3 * 1000000000LL, 50}, {-7 * 1000000000LL, -50}, {160000000000000000, 12.5},
    {-40, -400},
};
#define TRUTHS LENGTH(truths)

TEST(noisy_round_trips_give_offset_and_drift_within_the_bound)
{
	for (unsigned t = 0; t < TRUTHS; t++)
		for (unsigned short seed = 0; seed < 20; seed++) {
			struct dice dice = {{seed, (unsigned short)t, 1}};
			struct aligned a = {0};
			for (unsigned i = 0; i < 30; i++) {
				struct aligned_point p = burst(&truths[t], i * SECOND, &dice);
				aligned_add(&a, &p);
				for (double at = -2; at < 40; at += 0.37)
					assert_bounded(&a, &truths[t], at * SECOND);
			}
			assert_int_equal(a.npoints, 30);
			assert_int_equal(a.steps, 0);
			/* Round trips of at least 25 µs over 29 s: 1 ppm is 29 µs. */
			assert_near(aligned_drift_ppm(&a), truths[t].ppm, 1);
			assert_near(error_at(&a, &truths[t], 15 * SECOND), 0, 12500);
		}
}

TEST(the_bound_is_not_far_from_what_can_happen)
{
	/* All of each round trip on the way there: the worst that it can be. */
	struct aligned a = {0};
	for (unsigned i = 0; i < 10; i++) {
		struct aligned_point p = ping(&truths[1], i * SECOND, 30000, 0);
		aligned_add(&a, &p);
	}
	double middle = 4.5 * SECOND;
	assert_bounded(&a, &truths[1], middle);
	assert_near(error_at(&a, &truths[1], middle), 15000, 4);
	assert_near(aligned_bound_ns(&a, local_at(&truths[1], middle)), 15000, 4);
	/* It grows to the ends of the points, and beyond. */
	double end = aligned_bound_ns(&a, local_at(&truths[1], 9 * SECOND));
	assert_true(end > 16000 && end < 30000);
	assert_true(aligned_bound_ns(&a, local_at(&truths[1], 100 * SECOND)) > 4 * end);
	assert_near(aligned_residual_ns(&a), 0, 4);
	assert_int_equal(aligned_rtt_ns(&a), 30000);
}

/* The first host answers only after a while: what drifts meanwhile is in the round trip. */
TEST(a_ping_may_be_answered_late)
{
	for (unsigned t = 0; t < TRUTHS; t++)
		for (double wait = 0; wait < 2; wait += 0.1) {
			struct dice dice = {{5, 5, (unsigned short)t}};
			double s1 = SECOND, heard = s1 + 10000 + exponential(&dice, 20000);
			double said = heard + wait * SECOND;
			double s2 = said + 10000 + exponential(&dice, 20000);
			struct aligned a = {0};
			struct aligned_point p =
			    aligned_wait(local_at(&truths[t], s1), llround(heard), llround(said),
			                 local_at(&truths[t], s2));
			aligned_add(&a, &p);
			assert_bounded(&a, &truths[t], s2);
			assert_bounded(&a, &truths[t], s1);
			assert_near(p.rtt_ns, s2 - s1 - wait * SECOND, (s2 - s1) * 1e-3 + 4);
		}
}

TEST(one_point_gives_the_offset_and_a_bound_that_grows)
{
	struct aligned a = {0};
	assert_true(isinf(aligned_bound_ns(&a, 5)));
	assert_int_equal(aligned_to_first(&a, 5), 5);
	assert_int_equal(aligned_from_first(&a, 5), 5);
	assert_int_equal(aligned_rtt_ns(&a), 0);
	struct aligned_point p = ping(&truths[4], SECOND, 1000, 39000);
	aligned_add(&a, &p);
	assert_true(aligned_drift_ppm(&a) == 0 && aligned_residual_ns(&a) == 0);
	assert_near(aligned_bound_ns(&a, p.local_ns), 20000, 4);
	for (double at = -3; at < 5; at += 0.1)
		assert_bounded(&a, &truths[4], at * SECOND);
	assert_near(aligned_bound_ns(&a, local_at(&truths[4], 2 * SECOND)), 520000, 1000);
}

/* A few points within a millisecond say nothing of the drift: no line is drawn through noise. */
TEST(a_short_time_gives_no_drift)
{
	struct dice dice = {{7, 7, 7}};
	struct aligned a = {0};
	for (unsigned i = 0; i < 10; i++) {
		struct aligned_point p =
		    ping(&truths[1], i * 100000.0, 10000 + exponential(&dice, 20000), 10000);
		aligned_add(&a, &p);
	}
	assert_true(aligned_drift_ppm(&a) == 0);
	for (double at = -1; at < 3; at += 0.1)
		assert_bounded(&a, &truths[1], at * SECOND);
}

/* Forward, back, and by so little that two points could still be a drift. */
TEST(a_clock_that_steps_is_seen_and_followed)
{
	static const int64_t steps[] = {5000000, -1500000, 200000};
	for (unsigned t = 0; t < LENGTH(steps); t++) {
		const struct truth after = {truths[1].offset + steps[t], truths[1].ppm};
		struct dice dice = {{1, 2, (unsigned short)t}};
		struct aligned a = {0};
		for (unsigned i = 0; i < 40; i++) {
			const struct truth *now = i < 20 ? &truths[1] : &after;
			struct aligned_point p = burst(now, i * SECOND, &dice);
			aligned_add(&a, &p);
			assert_int_equal(a.steps > 0, i >= 20);
			if (i < 20 || i > 22 || t < 2)
				assert_bounded(&a, now, i * SECOND);
		}
		assert_true(a.npoints <= 20);
		assert_near(aligned_drift_ppm(&a), 50, 2);
	}
}

TEST(of_many_points_the_better_stay_and_the_first_with_them)
{
	struct dice dice = {{4, 5, 6}};
	struct aligned a = {0};
	for (unsigned i = 0; i < 1000; i++) {
		struct aligned_point p = burst(&truths[2], i * SECOND, &dice);
		aligned_add(&a, &p);
		assert_true(a.npoints <= ALIGNED_POINTS);
		assert_bounded(&a, &truths[2], i * SECOND);
		assert_bounded(&a, &truths[2], 0);
	}
	assert_int_equal(a.steps, 0);
	assert_true(a.points[0].first_ns < SECOND);
	assert_near(aligned_drift_ppm(&a), -50, 0.05);
}

TESTS();
