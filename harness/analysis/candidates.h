/* Which sets of settings to measure next, by those that were. Pure: from log gains to a list.
 *
 * The gain of a set in a cell (a collective at a size) is the log of the default's time ÷ its
 * time, both of one block. Rounds follow each other, each a block of fresh jobs in shuffled
 * order, with the default twice in it:
 *
 * 1. Screen, twice: a covering array of strength 2 (config/search.h). Each pair of values
 *    stands in two sets at least, with other values around it. One setting at a time would
 *    miss two that help only together, one of which does harm alone. The second array leaves
 *    out what the first one has set aside.
 * 2. Narrow down, 4 times: 12, 8, 6 and 4 sets, the best so far: successive halving (Karnin,
 *    Koren and Somekh 2013), so that most trials go to those that may win. A set's score is
 *    the mean of its trials and, as three more, of what the model predicts. Sets that were not
 *    measured stand by the model alone: each round tries what the last one suggests.
 *
 * The model of a cell is a sum of effects of values and of pairs of values, few of them:
 * chosen one by one, each the one that explains most of the rest, until EBIC (Chen and Chen
 * 2008) no longer falls. A value with which every set loses a fifth is set aside with its
 * sets, for it hides all else. Losses count up to a quarter: how bad a bad set is tells
 * nothing of a good one. Proposals are what no change of one value or of two makes better,
 * from the default and from each of the best sets. Where two are equal, the one with fewer
 * settings is better.
 *
 * The first set of a round is the best for all cells: by the mean gain, and no cell may lose
 * half the margin. Each further one adds most to what those before it reach in each cell. So
 * are finalists taken, without the settings that they do as well without.
 *
 * The gains of a search are the lucky ones; none is told. What it finds is confirmed in blocks
 * of its own (tuned.h). How often it finds and errs: SIMULATED.md. */
#ifndef LAUNCHGAP_CANDIDATES_H
#define LAUNCHGAP_CANDIDATES_H

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

/* Values with which every set loses a fifth in every cell. */
void candidates_aside(const struct candidates_seen *seen, search_aside aside);

/* Sets of a round: the best of `seen` and of what it suggests, `most` at the most. -1 only when
 * memory is out. */
int candidates_narrow(const struct candidates_seen *seen, unsigned most, struct search_set *out,
                  unsigned *n, struct status *st);
/* The best sets that were measured and promise more than half the margin: the first for all
 * cells, if any does, the others for single ones. */
int candidates_finalists(const struct candidates_seen *seen, struct search_set *out, unsigned *n,
                     struct status *st);
/* The best gain in a cell of the sets with a value, a log: means would tell of the other values
 * around it, some of which lose most of the speed. NaN where no set with it ran. */
double candidates_best(const struct candidates_seen *seen, unsigned key, unsigned value, unsigned cell);

#endif
