/* A search as its record has it: what it measured, and when a gain of its finalists is confirmed.
 * Pure. The runner (run/tune.h) decides what comes next, and a chapter (tuning.chapter) reports it. */
#ifndef LAUNCHGAP_TUNED_H
#define LAUNCHGAP_TUNED_H

#include "../record/record.h"
#include "candidates.h"
#include "stats.h"

/* A finalist in a cell. */
struct tuned_test {
	struct stats_ratio ratio; /* of speed, over the default */
	double p;                 /* of so much or more, if the ratio is at the hurdle */
	double hurdle;            /* a log */
	double promised;          /* by the search, a log */
	double p_adjusted;
	int confirmed;             /* 0 or 1, as no_loss */
	int no_loss;               /* the interval is above the margin's other end */
	struct stats_ratio expect; /* of a confirmed one */
};

/* Fills what follows from the others, of tests[finalist * ncells + cell]. A gain is confirmed when its
 * whole interval is beyond the hurdle, and its probability is 5 % or less after the correction:
 * Bonferroni's over the finalists, whose cells are tested in the order of what the search promised,
 * each only if those before it passed. Other blocks made that order, so that within a finalist no
 * correction is needed (Maurer, Hothorn and Lehmacher 1995), and all finalists together err in 5 %
 * of searches at most. */
void tuned_judge(struct tuned_test *tests, unsigned nfinalists, unsigned ncells, double margin);

/* --- of a record --- */

/* What the search of a run measured, in logs over the default; block_of: places in its blocks. It
 * borrows the record's sets. */
struct candidates_seen tuned_seen(const struct record_run *run, struct arena *arena);

#endif
