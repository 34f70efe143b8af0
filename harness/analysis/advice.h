/* Recommendations: what the measured figures say to do. Pure.
 *
 * Rules stand in one table in the .c file. Each is about two variants that differ in exactly
 * one setting. It speaks only where the pair was measured and the whole 95 % interval of its
 * gain lies beyond the run's margin (or, where equal is worth saying, inside it); in a regime
 * that cannot tell (regime.h), only where the interval lies beyond what its A/A line shows. */
#ifndef LAUNCHGAP_ADVICE_H
#define LAUNCHGAP_ADVICE_H

#include "cliffs.h"
#include "contrast.h"
#include "regime.h"

#define ADVICE_MAX   64
#define ADVICE_BYTES 1024

/* One rule on one pair. Texts are borrowed. */
struct advice_item {
	const char *what; /* to do, "Register the user buffers" */
	enum coll_kind coll;
	struct claim_range range; /* as the rule asks; hi = SIZE_MAX: no end */
	enum metric metric;
	unsigned from, to;        /* variants: `to` is what to choose */
	struct stats_ratio ratio; /* speed of to against from */
	bool equal;               /* neither is faster: the choice is free */
	size_t up_to;             /* each size up to this one is faster; 0: not said */
};

struct advice {
	unsigned nitems, more; /* more: beyond ADVICE_MAX, not kept */
	struct advice_item items[ADVICE_MAX];
	/* Sentences, the items of one rule, range and library together. */
	unsigned count;
	char text[ADVICE_MAX][ADVICE_BYTES];
};

/* Without regimes (NULL) all rules speak. -1 only when memory is out. */
int advice_make(const struct summary *summary, const struct regimes *regimes,
                const struct cliff *cliffs, unsigned ncliffs, struct advice *out,
                struct status *st);

#endif
