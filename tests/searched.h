/* A search on a made-up machine: settings with known effects, and noise. */
#pragma once

#include "../harness/analysis/candidates.h"
#include "noise.h"

#define SEARCHED_KEYS   8
#define SEARCHED_CELLS  8
#define SEARCHED_MOST   400 /* trials */
#define SEARCHED_BLOCKS 7

#define SEARCHED_MARGIN log1p(0.02)

/* The log gain of a set in a cell, without noise; NAN: it fails. */
typedef double searched_gain_fn(const struct search_set *set, unsigned cell);

/* A finalist in a cell (chapters/tuned.sql). */
struct searched_test {
	bool confirmed;
	double expect;
};

struct searched {
	unsigned nfinalists;
	struct search_set finalists[SEARCH_MAX_FINALISTS];
	struct searched_test tests[SEARCH_MAX_FINALISTS * SEARCHED_CELLS];
};

/* Keys with so many values each; 8 keys with 2 to 4. */
struct search_space searched_space_of(unsigned nkeys, const unsigned *values);
struct search_space searched_space(void);

/* A whole search: rounds, finalists, confirmation; and in another space. */
struct searched searched_run(searched_gain_fn *gain, double margin, double sd, uint64_t seed);
struct searched searched_in(const struct search_space *space, searched_gain_fn *gain, double margin,
                            double sd, uint64_t seed);

/* What a search has measured so far: `seen` is of what follows it. */
struct searched_state {
	struct search_space space;
	struct candidates_seen seen;
	struct search_set sets[SEARCH_MAX_SETS];
	bool bad[SEARCH_MAX_SETS];
	unsigned set_of[SEARCHED_MOST], block_of[SEARCHED_MOST];
	double gains[SEARCHED_MOST * SEARCHED_CELLS], memory[SEARCH_MAX_SETS];
};
void searched_begin(struct searched_state *state, struct search_space space, double margin);
/* The place of a set, which is added if it is new. */
unsigned searched_place(struct searched_state *state, const struct search_set *set);
/* A trial of it; its gains, cell by cell, are to be filled in. */
double *searched_add(struct searched_state *state, unsigned place, unsigned block);

/* --- machines --- */

/* Nothing does anything. */
double searched_nothing(const struct search_set *set, unsigned cell);
/* A = 2 alone loses 10 %, B = 3 alone does nothing, together they gain 12 % in the upper half
 * of the cells and 6 % in the lower; F loses 30 % and C = 2 loses 5; all others do nothing. */
double searched_pair(const struct search_set *set, unsigned cell);
/* The same pair, and every other setting has a value that does harm: it loses 8 to 35 %, and one
 * fails. */
double searched_poisoned(const struct search_set *set, unsigned cell);
/* The slowest part decides: D = 1 limits all to 60 %, E = 2 to 80 %; A = 3 gains 8 %, H 5 % in
 * large cells and loses 5 % in small ones. */
double searched_bottleneck(const struct search_set *set, unsigned cell);
/* 4 × H200 with NCCL 2.28.3 (results/reference/4x-h200/tuning): alltoall, then sendrecv of 4, 16, 64 and
 * 256 MiB. B = 1, or 2 or A = 1, are chunks of 64 and 128 KiB, C = 1 more channels: each alone gains at
 * some sizes and loses at others, and the small chunk with more channels has the highest mean. E
 * costs the small chunk some, and so do small buffers (A = 1), which take less memory, with more
 * channels. Its space has 5 keys with 3 or 2 values. */
double searched_channels(const struct search_set *set, unsigned cell);
struct search_space searched_channels_space(void);
