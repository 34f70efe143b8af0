/* Made-up runs of one experiment that scatter around a truth: what their intervals hold. For a
 * simulation, and for a small one as a test. */
#pragma once

#include "../harness/analysis/pooled.h"
#include "noise.h"
#include "scratch.h"

#define REPEATED_BLOCKS 10
#define REPEATED_MOST   6
#define REPEATED_ERROR  0.01 /* of a block */

struct repeated_covers {
	unsigned all, normal, next; /* intervals that hold it; normal: DerSimonian and Laird's */
};

/* Whether 0 is in the interval of DerSimonian and Laird (Controlled Clinical Trials 7, 1986). */
static inline bool repeated_normal(const struct stats_ratio *runs, unsigned n)
{
	double w = 0, ww = 0, wy = 0, q = 0, all = 0, mean = 0;
	for (unsigned i = 0; i < n; i++) {
		const double one = 1 / pow(stats_ratio_error(&runs[i]), 2);
		w += one;
		ww += one * one;
		wy += one * log(runs[i].estimate);
	}
	for (unsigned i = 0; i < n; i++)
		q += pow(log(runs[i].estimate) - wy / w, 2) / pow(stats_ratio_error(&runs[i]), 2);
	const double between = fmax(0, (q - (n - 1)) / (w - ww / w));
	for (unsigned i = 0; i < n; i++) {
		const double one = 1 / (pow(stats_ratio_error(&runs[i]), 2) + between);
		all += one;
		mean += one * log(runs[i].estimate);
	}
	return fabs(mean / all) <= 1.96 / sqrt(all);
}

/* Runs of REPEATED_BLOCKS blocks around truths that scatter around 0 by `scatter` times the error of
 * a run's mean. */
static inline struct repeated_covers repeated_cover(enum noise noise, unsigned n, double scatter,
                                                    unsigned repeats, uint64_t seed)
{
	const double between = scatter * REPEATED_ERROR / sqrt(REPEATED_BLOCKS);
	struct repeated_covers c = {0, 0, 0};
	for (unsigned k = 0; k < repeats; k++) {
		struct stats_ratio runs[REPEATED_MOST];
		for (unsigned i = 0; i < n; i++) {
			double logs[REPEATED_BLOCKS];
			const double truth = between * noise_normal(&seed);
			for (unsigned b = 0; b < REPEATED_BLOCKS; b++)
				logs[b] = truth + REPEATED_ERROR * noise_log_ratio(noise, &seed);
			runs[i] = stats_ratio_of_logs(scratch(), logs, REPEATED_BLOCKS, 0.95);
		}
		const struct pooled p = pooled_of(runs, n, 0.95);
		const double next = exp(between * noise_normal(&seed));
		c.all += p.ratio.lo <= 1 && p.ratio.hi >= 1;
		c.normal += repeated_normal(runs, n);
		c.next += p.next.lo <= next && p.next.hi >= next;
	}
	return c;
}
