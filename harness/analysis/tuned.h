/* A search as its record has it: what it measured, and when a gain of its finalists is confirmed.
 * Pure. The runner (run/tune.h) decides what comes next, and a chapter (chapters/tuning.c) reports
 * it. */
#ifndef LAUNCHGAP_TUNED_H
#define LAUNCHGAP_TUNED_H

#include "../record/record.h"
#include "candidates.h"
#include "stats.h"

/* A finalist in a cell. */
struct tuned_test {
	struct stats_ratio ratio; /* of speed, over the default */
	double p;                 /* if the ratio is at the hurdle */
	double hurdle;            /* a log */
	double p_adjusted;
	int confirmed;             /* 0 or 1, as no_loss */
	int no_loss;               /* the interval is above the margin's other end */
	struct stats_ratio expect; /* of a confirmed one */
};

/* Fills what follows from ratio, p and hurdle: a gain is confirmed when its whole interval is
 * beyond the hurdle, and Holm's correction over all n leaves its probability at 5 % or less. */
void tuned_judge(struct arena *arena, struct tuned_test *tests, unsigned n, double margin);

/* --- of a record --- */

/* What the search measured, in logs over the default. It borrows the record's sets. */
struct tuned_seen {
	struct candidates_seen seen;
	const unsigned *round_of; /* per trial */
};
/* The run has a search. */
struct tuned_seen tuned_seen_make(const struct record_run *run, struct arena *arena);

#endif
