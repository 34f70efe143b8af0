/* States of a worker: whether its launches have one speed or two, and what they go with. Pure.
 *
 * A value is what one worker took to launch in one cell: the median over rows of (issued −
 * start) per call, in log time, less the mean of that worker's and that cell's values over all
 * jobs. Where no device does the work, or the time does not go with launching (correlation
 * under STATES_GOES_WITH), it is the time itself.
 *
 * Two, or one? By Hartigan and Hartigan's dip (1985): how far the values are from any
 * distribution with one peak, whatever its tails and its skew. Values of a job or of a
 * connection are alike, so that their number says little. The dip is therefore held against
 * STATES_TRIES sets of made-up values with one peak, on the same levels (job, worker,
 * connection, allocation, value) and with the same variance components: every other one even,
 * the flattest with one peak; the rest normal, lognormal either way, and Student's t of 3
 * degrees, in turn. It has to be deeper than all of them, and
 * either half has to hold a tenth of the values. The seed is fixed.
 *
 * How often it finds two, in per cent of 300 simulated variants of 2 workers and 3 sizes
 * (`make simulate`, tests/sim_states.c, fixed seeds; two standard errors are 5 near 25, 1.7
 * near 2). One cluster: 15 % noise between values, or 15 % between jobs or connections and 5 %
 * between values. Two clusters: a factor of 1.4, a third of them fast, with 8 % noise within,
 * drawn anew at the level named. With one connection a job, what is drawn per connection is
 * drawn per job.
 *
 * jobs × connections × allocations       6×1×1   10×1×1   20×1×1   10×4×3
 * one, normal, between values             0.3      0.0      0.3      0.0
 * one, normal, between jobs               0.3      0.0      0.0      0.0
 * one, normal, between connections        0.3      0.0      0.0      0.0
 * one, skewed, between values             0.0      0.0      0.0      0.0
 * one, skewed, between jobs               0.7      0.0      0.3      2.3
 * one, skewed, between connections        0.7      0.0      0.3      0.0
 * one, t, 3 df, between values            0.0      0.0      0.0      0.0
 * one, t, 3 df, between jobs              0.0      0.3      0.0      0.3
 * one, t, 3 df, between connections       0.0      0.3      0.0      0.0
 * one, even, between jobs                 0.7      0.0      0.7      0.0
 * one, even, between connections          0.7      0.0      0.7      0.0
 * two, per job                            4.3     13.0     29.0     24.0
 * two, per connection                     4.3     13.0     29.0     92.3
 * two, per allocation                     4.3     13.0     29.0     98.7
 *
 * One cluster is taken for two in 0 to 0.7 %, and in 2.3 % where few jobs draw a skewed state
 * and have many values each. Two are found nearly always where they are drawn anew within jobs,
 * and seldom where ten jobs draw one each: so few draws do not show two peaks.
 *
 * What they go with is decided by the workers' own measure of their cores (core/speed.h). If
 * the launches' correlation with the chain (the clock) is at least STATES_GOES_WITH, it is the
 * clock; else if that with the wide work is, it is what shares the core; else the level is
 * named that separates the two best. Without a measure only the level can be named. */
#ifndef LAUNCHGAP_STATES_H
#define LAUNCHGAP_STATES_H

#include "regime.h"

#define STATES_TRIES     399
#define STATES_GOES_WITH 0.7

enum states_cause {
	STATES_CLOCK,      /* of the core */
	STATES_SHARED,     /* the core, with somebody else */
	STATES_JOB,        /* drawn per job, */
	STATES_CONNECTION, /* per connection, */
	STATES_ALLOCATION, /* per allocation, */
	STATES_TIME        /* or within that */
};

struct states {
	unsigned n;  /* values; 0: not looked at */
	bool launch; /* they are launches, not times */
	bool two;
	double fast_ns, slow_ns; /* medians of the two; with one, NaN */
	double slow_share;       /* of the values */
	double clock, shared;    /* correlations with chain and wide; NaN: not measured */
	enum states_cause cause; /* STATES_CLOCK and STATES_SHARED also without two */
};

/* Of a variant in a regime. -1: out of memory. */
int states_make(const struct summary *summary, const struct regime *regime, unsigned variant,
                struct states *out);
/* Whether the cause was measured, and so stands even where there are no two speeds. */
bool states_measured(const struct states *states);

/* "Two speeds: threads 7.22 and 10.2 µs. Launching goes with …": of one regime, one a variant;
 * "" where there is nothing to say. */
void states_say(const struct summary *summary, const struct states *states, char *text,
                size_t bytes);
const char *states_cause_name(enum states_cause cause); /* "clock", "shared", "job", … */

/* How far n sorted values are from one peak: the least distance of their distribution from a
 * unimodal one. 0 to 1/4; NaN without memory. */
double states_dip(const double *sorted, unsigned n);
/* Values in two, so that they scatter least within. */
struct states_halves {
	bool two;                      /* they have two peaks indeed */
	double at;                     /* the slow ones lie above */
	double slow_share, fast, slow; /* medians */
};
/* keys[i * depth]: the levels of value i, as anova_nested has them; depth up to 6, n ≥ 2.
 * -1: out of memory. */
int states_halve(const double *values, const unsigned *keys, unsigned n, unsigned depth,
                 struct states_halves *out);

#endif
