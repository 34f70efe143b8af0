#include "noise.h"

const char *noise_name(enum noise noise)
{
	static const char *const names[] = {
	    "normal", "skewed", "t, 3 df", "t, 2 df", "spikes", "lopsided",
	};
	return names[noise];
}

double noise_uniform(uint64_t *seed)
{
	uint64_t z = *seed += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	z ^= z >> 31;
	return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

double noise_normal(uint64_t *seed)
{
	double r = sqrt(-2 * log(noise_uniform(seed)));
	return r * cos(2 * M_PI * noise_uniform(seed));
}

static double noise_t(uint64_t *seed, int df)
{
	double square = 0, x = noise_normal(seed);
	for (int i = 0; i < df; i++) {
		double y = noise_normal(seed);
		square += y * y;
	}
	return x / sqrt(square / df);
}

double noise_side(enum noise noise, uint64_t *seed)
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

double noise_log_ratio(enum noise noise, uint64_t *seed)
{
	if (noise == NOISE_LOPSIDED)
		return 1.736 * (-log(noise_uniform(seed)) - 0.83917350);
	double left = noise_side(noise, seed);
	return left - noise_side(noise, seed);
}
