/* Noise in log time, for simulations of the statistics: seeded, the same everywhere. */
#pragma once

#include <math.h>
#include <stdint.h>

enum noise { NOISE_NORMAL, NOISE_SKEWED, NOISE_T3, NOISE_T2, NOISE_SPIKES, NOISE_LOPSIDED };

#define NOISE_KINDS 6

const char *noise_name(enum noise noise);
/* splitmix64 (Steele, Lea and Flood 2014), to (0, 1). */
double noise_uniform(uint64_t *seed);
/* Box and Muller 1958. */
double noise_normal(uint64_t *seed);
/* One side's log time. The factors give all of them the interquartile range of the normal one: they
 * look equally noisy, with different tails. */
double noise_side(enum noise noise, uint64_t *seed);
/* A block's log ratio of two equal things. Lopsided: they are equal in the centre, but one has a
 * tail that the other has not, so that the ratio itself is skewed: an exponential less its
 * pseudomedian (half the median of a gamma of shape 2, 1.6783470). The method assumes symmetry;
 * this shows its errors without it. */
double noise_log_ratio(enum noise noise, uint64_t *seed);
