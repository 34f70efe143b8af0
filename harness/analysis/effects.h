/* What settings do in one cell, as a sum of a few effects (candidates.h). Pure. */
#pragma once

#include "../arena.h"
#include "../config/search.h"

#define EFFECTS_MOST      24
#define EFFECTS_EQUAL     128  /* in all effects: at most all pairs of one set */
#define EFFECTS_MOST_LOSS 0.25 /* of a gain, a log: a loss beyond says no more */

/* What was measured. */
struct candidates_seen {
	const struct search_space *space;
	double margin;
	unsigned ncells, nsets, ntrials;
	const struct search_set *sets;
	const bool *bad;        /* per set: failed, or wrong data */
	const unsigned *set_of; /* per trial; and its block's number: */
	const unsigned *block_of;
	const double *gains;  /* [trial * ncells + cell]; NaN where a cell is missing */
	const double *memory; /* per set, NaN: not known; or NULL */
};

typedef bool effects_flags[SEARCH_MAX_KEYS][SEARCH_MAX_VALUES];

/* One value, or two together. */
struct effects_term {
	unsigned char key[2], level[2];
	bool pair;
};

/* Terms that no set has distinguished so far: they share their effect. */
struct effects_one {
	unsigned first, n; /* of the model's terms */
	double log;
};

struct effects {
	unsigned n, nterms;
	struct effects_one effects[EFFECTS_MOST];
	struct effects_term terms[EFFECTS_EQUAL];
	effects_flags aside;
};

bool effects_has(const struct effects_term *term, const struct search_set *set);
/* Of a trial, with its loss cut off; whether it counts at all. */
double effects_gain(const struct candidates_seen *seen, unsigned trial, unsigned cell);
bool effects_counts(const struct candidates_seen *seen, unsigned trial, unsigned cell);
/* Values with which every set loses a fifth in a cell; cell: ncells is the best one. */
void effects_find_aside(const struct candidates_seen *seen, unsigned cell, effects_flags aside);
bool effects_is_aside(const struct effects *effects, const struct search_space *space,
                      const struct search_set *set);
void effects_fit(struct arena *arena, const struct candidates_seen *seen, unsigned cell,
                 struct effects *out);
