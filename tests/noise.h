/* Noise in log time, for simulations of the statistics: seeded, the same everywhere. */
#ifndef LAUNCHGAP_TESTS_NOISE_H
#define LAUNCHGAP_TESTS_NOISE_H

#include <math.h>
#include <stdint.h>

enum noise { NOISE_NORMAL, NOISE_SKEWED, NOISE_T3, NOISE_T2, NOISE_SPIKES, NOISE_LOPSIDED };

#define NOISE_KINDS 6

static inline const char *noise_name(enum noise noise)
{
	static const char *const names[] = {
	    "normal", "skewed", "t, 3 df", "t, 2 df", "spikes", "lopsided",
	};
	return names[noise];
}

/* splitmix64 (Steele, Lea and Flood 2014), to (0, 1). */
static inline double noise_uniform(uint64_t *seed)
{
	uint64_t z = *seed += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	z ^= z >> 31;
	return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller 1958. */
static inline double noise_normal(uint64_t *seed)
{
	double r = sqrt(-2 * log(noise_uniform(seed)));
	return r * cos(2 * M_PI * noise_uniform(seed));
}

static inline double noise_t(uint64_t *seed, int df)
{
	double square = 0, x = noise_normal(seed);
	for (int i = 0; i < df; i++) {
		double y = noise_normal(seed);
		square += y * y;
	}
	return x / sqrt(square / df);
}

/* One side's log time. The factors give all of them the quartiles' distance of the normal one:
 * equally noisy for the eye, with different tails. */
static inline double noise_side(enum noise noise, uint64_t *seed)
{
	switch (noise) {
	case NOISE_SKEWED: /* lognormal: a long tail of slow blocks */
		return 0.928 * exp(noise_normal(seed));
	case NOISE_T3:
		return 0.882 * noise_t(seed, 3);
	case NOISE_T2: /* no variance */
		return 0.826 * noise_t(seed, 2);
	case NOISE_SPIKES: { /* one block in ten is disturbed tenfold */
		double spike = noise_uniform(seed) < 0.1 ? 10 : 1;
		return 0.87 * spike * noise_normal(seed);
	}
	default:
		return noise_normal(seed);
	}
}

/* A block's log ratio of two equal things. Lopsided: they are equal in the centre, but the one
 * has a tail that the other has not, so that the ratio itself is skewed: an exponential less
 * its pseudomedian (half the median of a gamma of shape 2, 1.6783470). The method assumes
 * symmetry; this is how it fares without. */
static inline double noise_log_ratio(enum noise noise, uint64_t *seed)
{
	if (noise == NOISE_LOPSIDED)
		return 1.736 * (-log(noise_uniform(seed)) - 0.83917350);
	double left = noise_side(noise, seed);
	return left - noise_side(noise, seed);
}

#endif
