/* What the selftest injects into trials: variants that are slower than the reference by a known
 * fraction, and disturbances that affect all variants equally. Pure.
 *
 * A call of time t takes t × (1 + slower) × (1 + disturbed). A disturbance does not change the true
 * ratio of two variants, so that every verdict has one truth. */
#ifndef LAUNCHGAP_INJECTION_H
#define LAUNCHGAP_INJECTION_H

#include <stdint.h>

#define INJECTION_EFFECTS 5

/* By how much a variant is slower, 0.03: by 3 %; the first is 0. */
extern const double injection_effects[INJECTION_EFFECTS];
/* The variant's name in the experiment file. */
const char *injection_variant(unsigned effect);
/* The effect of the variant of that name; 0 for all others (the reference, its twin). */
double injection_effect(const char *variant);

/* What a trial's cell gets besides the effect; each trial and cell draws separately.
 *   none
 *   drift        all gets slower in proportion to time, 20 % from the first trial to the last
 *   tails        each trial by 0.5 % times the size of a Student's t with 2 degrees of freedom
 *                (no variance), 100 % at most
 *   bad block    one block in ten: each of its trials by up to 20 %, drawn evenly
 *   slow start   the first block: its first trial by 20 %, falling in a line to its last */
enum disturbance {
	DISTURBANCE_NONE,
	DISTURBANCE_DRIFT,
	DISTURBANCE_TAILS,
	DISTURBANCE_BAD_BLOCK,
	DISTURBANCE_SLOW_START,
	DISTURBANCE_KINDS
};
const char *disturbance_name(enum disturbance kind);

/* Where in its run a trial's cell stands. */
struct disturbed {
	uint64_t seed; /* of the run */
	unsigned block, order;
	unsigned blocks, in_block; /* of the run; trials in one */
	unsigned cell;
};
/* By how much it is slower, at least 0. */
double disturbance_of(enum disturbance kind, const struct disturbed *at);

#endif
