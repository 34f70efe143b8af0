/* Which sets of settings to measure next, from those measured so far. Pure.
 *
 * The gain of a set in a cell (a collective at a size) is the log of the default's time ÷ its time,
 * both of one block. Each round is a block of fresh jobs in shuffled order, with the default in it:
 *
 * 1. Each value alone. A value that loses much would hide what others gain: this says which do. 2.
 * All pairs of two settings' values: a covering array of strength 2 (config/search.h), so that
 *    two that help only together are found, even if one of them does harm alone. Values that
 *    lose a fifth alone, in every cell, are in no row. Others that lose share a row with few, and
 *    take more rows so: pairs that lose least alone come first, because rows are limited.
 * 3. Narrow down, twice: the best so far, and what they suggest. A set's score is the mean of its
 *    trials and of the model's prediction, which counts as three trials. One that was not measured
 *    has the prediction alone.
 * 4. Drop: the finalists so far, and each of them without one of its settings in turn. What brings
 *    nothing goes, and of sets within the margin the one with less memory stays. (Channels are
 *    known of finalists alone, because only their path is read: of files' sets they are compared
 *    too.)
 *
 * A block has the default once, and that trial's luck is in all of its gains. What the model leaves
 * of most of them says how much, and is taken out (the shorth of the block, up to 5 %).
 *
 * The model of a cell is a sum of a few effects, of single values and of pairs of values. They are
 * added one by one, each time the one that explains most of the rest; as many are kept as make EBIC
 * least (Chen and Chen 2008). Pairs that were always measured together share one effect. If it is a
 * gain, each of them may be its cause, so the next round tries sets with any of them, until it
 * belongs to one pair; a finalist with half of them has half of it. A value with which every set
 * loses a fifth is excluded together with its sets, because it would hide all other effects. Losses
 * are cut off at a quarter: how bad a bad set is says nothing about a good one. Proposals are local
 * optima under changes of one value or of two, starting from the default and from the best set of
 * each aim. Of two equal sets the one with fewer settings is better.
 *
 * The first set of a round is the best that loses nowhere: the highest mean gain, where no cell may
 * lose half the margin. The second has the highest mean, whatever it loses. Each further set is the
 * one that adds most to what the sets before it reach in each cell. So are finalists.
 *
 * Gains seen while searching are biased upwards by the choice, so no report names them. Finalists
 * are confirmed in other blocks (chapters/tuned.sql). SIMULATED.md has how often a search finds
 * what is there, and how often it errs. */
#pragma once

#include "effects.h"

/* Sets of a round; of all rounds together at most SEARCH_MAX_SETS. Returns how many; 0: the round
 * has nothing to measure. */
unsigned candidates_round(const struct candidates_seen *seen, unsigned round, uint64_t seed,
                          struct arena *arena, struct search_set *out);
/* The best sets that were measured and promise more than half the margin: one that loses nowhere,
 * the one with the highest mean, others for single cells; each less what brings nothing. */
unsigned candidates_finalists(const struct candidates_seen *seen, struct arena *arena,
                              struct search_set *out);
/* What the search promises of a set in each cell, a log: the mean of its trials, or what the model
 * says of a cell that they did not measure. */
void candidates_promise(const struct candidates_seen *seen, const struct search_set *set,
                        struct arena *arena, double *out);
