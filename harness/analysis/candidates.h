/* Which sets of settings to measure next, from those measured so far. Pure.
 *
 * The gain of a set in a cell (a collective at a size) is the log of the default's time ÷ its
 * time, both of one block. Each round is a block of fresh jobs in shuffled order, with the
 * default twice in it:
 *
 * 1. Each value alone. A value that loses much would hide what others gain: this says which do.
 * 2. All pairs of two settings' values: a covering array of strength 2 (config/search.h), so that
 *    two that help only together are found, even if one of them does harm alone. Values that
 *    lose a fifth alone, in every cell, are in no row. Others that lose share a row with few, and
 *    take more rows so: pairs that lose least alone come first, because rows are limited.
 * 3. Narrow down, 3 times: 6, 5 and 3 sets, the best so far: successive halving (Karnin, Koren and
 *    Somekh 2013), so that most trials go to those that may win. A set's score is the mean of
 *    its trials and of the model's prediction, which counts as three trials. A set that was not
 *    measured has the prediction alone: each round tries what the last one suggests.
 *
 * The model of a cell is a sum of a few effects, of single values and of pairs of values. They
 * are added one by one, each time the one that explains most of the rest; as many are kept as make
 * EBIC least (Chen and Chen 2008). Pairs that were always measured together share one effect. If
 * it is a gain, each of them may be its cause, so the next round tries sets with any of them, until
 * it belongs to one pair; a finalist with half of them has half of it. A value with which every
 * set loses a fifth is excluded together with its sets, because it would hide all other effects.
 * Losses are cut off at a quarter: how bad a bad set is says nothing about a good one. Proposals
 * are pairs that may cause a gain, and local optima under changes of one value or of two, starting
 * from the default and from each of the best sets. Of two equal sets the one with fewer settings is
 * better.
 *
 * The first set of a round is the best for all cells: the highest mean gain, where no cell may
 * lose half the margin. Each further set is the one that adds most to what the sets before it
 * reach in each cell. Finalists are chosen the same way, less settings that do not improve them.
 *
 * Gains seen while searching are biased upwards by the choice, so no report names them.
 * Finalists are confirmed in other blocks (tuned.h). SIMULATED.md has how often a search finds
 * what is there, and how often it errs. */
#ifndef LAUNCHGAP_CANDIDATES_H
#define LAUNCHGAP_CANDIDATES_H

#include "../arena.h"
#include "../config/search.h"

/* What was measured. */
struct candidates_seen {
	const struct search_space *space;
	double margin;
	unsigned ncells, nsets, ntrials;
	const struct search_set *sets;
	const bool *bad;        /* per set: failed, or wrong data */
	const unsigned *set_of; /* per trial */
	const double *gains;    /* [trial * ncells + cell]; NaN where a cell is missing */
};

/* Sets of a round; of all rounds together at most SEARCH_MAX_SETS. Returns how many; 0: the round has
 * nothing to measure. */
unsigned candidates_round(const struct candidates_seen *seen, unsigned round, uint64_t seed,
                          struct arena *arena, struct search_set *out);
/* The best sets that were measured and promise more than half the margin: the first for all
 * cells, if any does, the others for single ones. */
unsigned candidates_finalists(const struct candidates_seen *seen, struct arena *arena,
                              struct search_set *out);
/* The best gain, a log, of the sets with a value in a cell. A mean would reflect the other
 * values of these sets, some of which lose most of the speed. NaN if no set with it ran. */
double candidates_best(const struct candidates_seen *seen, unsigned key, unsigned value,
                       unsigned cell);

#endif
