/* Recommendations: what the measured figures say to do. Pure.
 *
 * Rules stand in one table in the .c file. Each is about two variants that differ in
 * exactly one setting, and is printed only when it was measured and the whole 95 % interval of
 * its gain lies beyond the report's margin (or, where equal is worth saying, inside it). */
#ifndef LAUNCHGAP_ADVICE_H
#define LAUNCHGAP_ADVICE_H

#include "cliffs.h"
#include "contrast.h"

#define ADVICE_MAX   32
#define ADVICE_BYTES 768

struct advice {
	unsigned count, more; /* more: beyond ADVICE_MAX, not kept */
	char text[ADVICE_MAX][ADVICE_BYTES];
};

/* -1 only when memory is out. */
int advice_make(const struct summary *summary, const struct cliff *cliffs, unsigned ncliffs,
                struct advice *out, struct status *st);

#endif
