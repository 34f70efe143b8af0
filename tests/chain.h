/* Whole runs that are made up, without a disk: from noise to the final words. For simulations, and
 * for a small one as a test; seeded, the same everywhere. made.h writes and reads a folder, which
 * thousands of runs have no time for.
 *
 * A run has threads (the reference), its twin, processes that are slower by `effect`, and single,
 * which is as fast as threads; alltoall at two small and two large sizes, at both paces. A job has
 * one random deviation for each pace, and each of its cells a small one in addition. The counts are
 * of the words for every variant in every regime, of every claim, and of every factor. */
#pragma once

#include <stdbool.h>

#include "noise.h"

#define CHAIN_MOST     40 /* blocks */
#define CHAIN_VARIANTS 4
#define CHAIN_SIZES    4
#define CHAIN_CELLS    (CHAIN_VARIANTS * CHAIN_SIZES * 2) /* a block */

/* In addition to a job's noise (noise.h): disturbances of a whole run. */
enum chain_noise {
	CHAIN_DRIFT = NOISE_KINDS, /* each job is 0.1 % slower than the one before */
	CHAIN_BAD_BLOCK,           /* one block in ten: its jobs are off tenfold */
	CHAIN_COLD,                /* the first block's jobs are slower by 10 % and noisier */
	CHAIN_NOISES
};

enum chain_way { CHAIN_FIXED, CHAIN_INVITED };

struct chain {
	enum chain_noise noise;
	enum chain_way way;
	unsigned blocks; /* CHAIN_INVITED: at first */
	double effect;   /* processes take 1 + this times as long */
	uint64_t seed;
};

/* The words of one run's report. */
struct chain_words {
	unsigned verdicts, decided, wrong;
	unsigned found,
	    found_small; /* 1: at large, small sizes processes are slower, in any degree */
	unsigned blocks, looks;
};

const char *chain_noise_name(enum chain_noise noise);

/* The words of several runs' reports, together. */
struct chain_sums {
	unsigned runs, verdicts, decided, wrong, wrong_runs, found, found_small, blocks, looks;
};

#define CHAIN_RUNS        50 /* of a cell of SIMULATED.md's tables, and the first's seed */
#define CHAIN_SEED(noise) (1 + 100000 * (uint64_t)(noise))

/* Of runs like `first`, each with the next seed. */
struct chain_sums chain_sum(struct chain first, unsigned runs);
