#include "injection.h"

#include <math.h>
#include <string.h>

#include "../coll/value.h"

#define DRIFT      0.20
#define TAILS      0.005
#define MOST_TAIL  1.0
#define BAD        0.20
#define BAD_EVERY  10
#define SLOW_START 0.20

const double injection_effects[INJECTION_EFFECTS] = {0, 0.01, 0.02, 0.03, 0.10};

static const char *const variants[INJECTION_EFFECTS] = {"equal", "slower-1", "slower-2", "slower-3",
                                                        "slower-10"};

const char *injection_variant(unsigned effect)
{
	return variants[effect];
}

double injection_effect(const char *variant)
{
	for (unsigned i = 0; i < INJECTION_EFFECTS; i++)
		if (!strcmp(variants[i], variant))
			return injection_effects[i];
	return 0;
}

const char *disturbance_name(enum disturbance kind)
{
	static const char *const names[] = {"none", "drift", "tails", "bad block", "slow start"};
	return names[kind];
}

/* Above 0 and below 1. */
static double draw(uint64_t seed, uint64_t what)
{
	return ((double)(value_mix(value_mix(seed) ^ what) >> 11) + 0.5) / 9007199254740992.0;
}

/* Of Student's t with 2 degrees of freedom the quantile is (2p − 1) ÷ √(2p(1 − p)). */
static double tail(double p)
{
	double t = fabs((2 * p - 1) / sqrt(2 * p * (1 - p)));
	return fmin(TAILS * t, MOST_TAIL);
}

double disturbance_of(enum disturbance kind, const struct disturbed *at)
{
	uint64_t own = (uint64_t)at->order << 8 | (at->cell + 1);
	unsigned last = at->blocks * at->in_block - 1;
	switch (kind) {
	case DISTURBANCE_DRIFT:
		return DRIFT * at->order / (last ? last : 1);
	case DISTURBANCE_TAILS:
		return tail(draw(at->seed, own));
	case DISTURBANCE_BAD_BLOCK:
		return at->block % BAD_EVERY == value_mix(at->seed) % BAD_EVERY
		           ? BAD * draw(at->seed, own)
		           : 0;
	case DISTURBANCE_SLOW_START:
		return at->block ? 0 : SLOW_START * (1 - (double)at->order / at->in_block);
	default:
		return 0;
	}
}
