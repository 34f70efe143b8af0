/* Which variant is the fastest at which sizes, and from which size on one backend's beats another's.
 * Pure.
 *
 * Each size is judged by itself: the signed-rank interval of the two variants' times over the
 * blocks has to lie beyond the margin, and beyond what the reference's twin shows at that size
 * (A/A). Sizes that follow each other with the same answer are one range. What is not decided
 * is said to be undecided: below 6 blocks all is. */
#ifndef LAUNCHGAP_CROSSOVERS_H
#define LAUNCHGAP_CROSSOVERS_H

#include "summary.h"

#define CROSSOVERS_RANGES     12 /* of a pair; more alternate, and are no crossover */
#define CROSSOVERS_NAMES      256
#define CROSSOVERS_TEXT_BYTES 512

/* Sizes as asked, both included. */
struct crossover_range {
	int who; /* 1: left is faster, -1: right, 0: not decided */
	size_t from, to;
	double least, most; /* how many times as fast, over its sizes */
};

/* Two variants of different backends, in one mode where they have one in common. */
struct crossover {
	unsigned group, left, right;
	unsigned n;
	struct crossover_range ranges[CROSSOVERS_RANGES];
};

struct crossover_fastest {
	unsigned group, variant;
	size_t from, to;
	char alike[CROSSOVERS_NAMES]; /* those that it is not shown to be faster than */
	double least, most; /* how many times as fast as the next one that is slower; NaN: none */
};

struct crossovers {
	unsigned n;
	struct crossover *rows; /* owned */
	unsigned nfastest;
	struct crossover_fastest *fastest; /* owned */
};

/* Of runs that measured two backends or more; else empty. The caller frees. -1: out of memory. */
int crossovers_make(const struct summary *summary, struct crossovers *out, struct status *st);
void crossovers_free(struct crossovers *crossovers);
/* Whether neither is shown to be faster at any size. */
bool crossovers_undecided(const struct crossover *crossover);
/* "all_reduce, isolated: gloo-threads up to 4 KiB, nccl-threads from 64 KiB on (1.2 to 30 times);
 * undecided at 16 KiB", without a point. */
void crossovers_say(const struct summary *summary, const struct crossover *crossover, char *text,
                    size_t bytes);

#endif
