/* Made-up comparisons with a reference that has two trials in a block, and ways to use the two: a part of
 * the tables of harness/analysis/SIMULATED.md. */
#pragma once

#include "noise.h"
#include "walsh.h"

#define TWINNED_MOST 40 /* blocks */

/* EACH is the method's (stats_walsh). */
enum twinned_way { TWINNED_MEAN, TWINNED_EACH };

/* A side's log time: lognormal with this sigma, and the interquartile range of a normal one; 0:
 * normal. `wide`: the variant's scatter, in the reference's. */
struct twinned_noise {
	const char *name;
	double sigma, wide;
};

#define TWINNED_NOISES 4

static const struct twinned_noise twinned_noises[TWINNED_NOISES] = {
    {"normal", 0, 1},
    {"lognormal, σ 0.3", 0.3, 1},
    {"lognormal, σ 1", 1, 1},
    {"normal, the variant twice as noisy", 0, 2},
};

/* `differ`: the interval of 95 % excludes 1; less, more: one of 90 % does, to that side. */
struct twinned_calls {
	unsigned differ, less, more;
};

static inline double twinned_side(const struct twinned_noise *noise, uint64_t *seed)
{
	const double z = noise_normal(seed), quartile = 0.6744898;
	return noise->sigma > 0
	           ? (exp(noise->sigma * z) - 1) * quartile / sinh(quartile * noise->sigma)
	           : z;
}

static inline struct stats_walsh twinned_walsh(enum twinned_way way, const double *to,
                                               const double *again, unsigned n)
{
	double mean[TWINNED_MOST];
	for (unsigned b = 0; b < n; b++)
		mean[b] = (to[b] + again[b]) / 2;
	return stats_walsh_of(scratch(), way == TWINNED_MEAN ? mean : to,
	                      way == TWINNED_EACH ? again : NULL, n);
}

/* Of so many runs; a side scatters by `scatter`, and the variant's logs are larger by `effect`. All
 * ways see the same runs. */
static inline struct twinned_calls twinned_count(enum twinned_way way,
                                                 const struct twinned_noise *noise, unsigned blocks,
                                                 double scatter, double effect, unsigned runs)
{
	struct twinned_calls calls = {0, 0, 0};
	uint64_t seed = 9000 + blocks;
	for (unsigned k = 0; k < runs; k++) {
		double to[TWINNED_MOST], again[TWINNED_MOST];
		for (unsigned b = 0; b < blocks; b++) {
			const double one =
			    effect + scatter * noise->wide * twinned_side(noise, &seed);
			to[b] = one - scatter * twinned_side(noise, &seed);
			again[b] = one - scatter * twinned_side(noise, &seed);
		}
		const struct arena_mark mark = arena_mark(scratch());
		const struct stats_walsh of = twinned_walsh(way, to, again, blocks);
		const struct stats_ratio r = stats_walsh_ratio(&of, 0.95),
		                         bounds = stats_walsh_ratio(&of, 0.9);
		arena_release(scratch(), mark);
		calls.differ += r.lo > 1 || r.hi < 1;
		calls.less += bounds.hi < 1;
		calls.more += bounds.lo > 1;
	}
	return calls;
}
