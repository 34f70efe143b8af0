/* Any variants against each other: one number per block and variant, over the cells that all of
 * them have. Pure.
 *
 * The number is the mean over the cells of the logarithm of a metric (the log of the geometric
 * mean), so that a difference of two of them is a log ratio. A block in which any of the
 * variants lacks any of the cells is left out: a mean over fewer cells would be another
 * quantity. */
#ifndef LAUNCHGAP_PAIRS_H
#define LAUNCHGAP_PAIRS_H

#include "../config/claim.h"
#include "summary.h"

#define PAIRS_WHY_BYTES 512

/* Which cells. */
struct pairs_select {
	struct claim_range bytes; /* as asked */
	int pace;                 /* CLAIM_ANY_PACE: the metric's own */
	int coll;                 /* CLAIM_ANY_COLL: all that are called, not init */
};

struct pairs {
	unsigned nvariants, ncells, nblocks;
	struct claim_range sizes;  /* smallest and largest of the cells, as asked */
	double *levels;            /* of variant i in block b: [i * nblocks + b] */
	char why[PAIRS_WHY_BYTES]; /* why there are no blocks, a sentence without a point */
};

/* `variants` are indices into the summary. The caller frees with pairs_free. Without blocks it
 * says why; -1 only when memory is out. */
int pairs_make(const struct summary *summary, enum metric metric,
               const struct pairs_select *select, const unsigned *variants, unsigned n,
               struct pairs *out, struct status *st);
void pairs_free(struct pairs *pairs);

/* left ÷ right with its 95 % interval; both are places in the list given to pairs_make. All NaN
 * without blocks. */
struct stats_ratio pairs_ratio(const struct pairs *pairs, unsigned left, unsigned right);
/* The mean over blocks of a variant's level: a log. These alone add up over several steps. */
double pairs_level(const struct pairs *pairs, unsigned variant);

/* The variant of a name, or -1. */
int pairs_variant(const struct summary *summary, const char *name);
/* Why the variant has no figures (skipped, or all of its trials failed), or "" when it has. */
void pairs_absent(const struct summary *summary, const char *name, char *why, size_t bytes);

/* Why a metric is not judged where ranks share cores; "" where it is. */
void pairs_crowded(const struct summary *summary, enum metric metric, char *why, size_t bytes);

/* Whether its data took another path than it expects (the path's line in the record), so that
 * what rests on it is not what its experiment file meant. */
bool pairs_astray(const struct summary *summary, const char *name);

/* What the counters of one cell say, over its ranks: bandwidths their mean, dram_per_nvlink and
 * copies the ratio of their sums, issue_cores the CPU time of all workers by the time from the
 * earliest start to the latest return of issue. NaN where it cannot be said; of issue_cores
 * that is also on host, which launches nothing, and where issuing a row usually (median)
 * takes less than PAIRS_ISSUE_NS, as reading a thread's CPU
 * time is a system call of a microsecond, and in it. */
#define PAIRS_ISSUE_NS 20000
double pairs_counter(const struct record_cell *cell, enum metric metric);
/* A rank's part of issue_cores: that of the worker whose first rank it is, else 0. */
double pairs_issue_cores(const struct record_cell *cell, unsigned rank);
/* Why no cell has a counter's metric of each of n variants: a sentence without a point. */
void pairs_no_counters(const struct summary *summary, enum metric metric,
                       const unsigned *variants, unsigned n, char *why, size_t bytes);
/* The sum over ranks of the counter at an offset in struct counters; NaN where the cell has no
 * counters. */
double pairs_counter_sum(const struct record_cell *cell, size_t offset);

#endif
