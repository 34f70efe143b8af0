/* Recommendations: what the measured figures say to do. Pure.
 *
 * Rules stand in one table in the .c file. Each is about two variants that differ in
 * exactly one setting, and is printed only when it was measured and the whole 95 % interval of
 * its gain lies beyond the report's margin (or, where equal is worth saying, inside it). */
#ifndef LAUNCHGAP_RECOMMEND_H
#define LAUNCHGAP_RECOMMEND_H

#include "cliffs.h"
#include "contrast.h"

#define RECOMMEND_MAX   32
#define RECOMMEND_BYTES 768

struct recommend {
	unsigned count, more; /* more: beyond RECOMMEND_MAX, not kept */
	char text[RECOMMEND_MAX][RECOMMEND_BYTES];
};

/* -1 only when memory is out. */
int recommend_make(const struct summary *summary, const struct cliff *cliffs, unsigned ncliffs,
                   struct recommend *out, struct status *st);

#endif
