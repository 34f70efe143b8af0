/* A search as its record has it: what it measured, and what comes next. Pure. What is confirmed
 * of it is a chapter's (chapters/tuning.c). */
#ifndef LAUNCHGAP_TUNED_H
#define LAUNCHGAP_TUNED_H

#include "../record/record.h"
#include "candidates.h"
#include "stats.h"

/* A finalist in a cell. */
struct tuned_test {
	struct stats_ratio ratio; /* of speed, over the default */
	double p;                 /* if the ratio lies at the hurdle */
	double hurdle;            /* a log */
	double p_adjusted;
	bool confirmed;
	bool no_loss;              /* the interval lies above the margin's other end */
	struct stats_ratio expect; /* of a confirmed one */
};

/* Fills what follows from ratio, p and hurdle: a gain is confirmed when its whole interval is
 * beyond the hurdle, and Holm's correction over all n leaves its probability at 5 % or less. -1
 * only when memory is out. */
int tuned_judge(struct tuned_test *tests, unsigned n, double margin, struct status *st);

/* --- of a record --- */

/* What the search measured, as candidates.h reads it. The caller frees with tuned_seen_free. */
struct tuned_seen {
	struct search_space space;
	struct candidates_seen seen; /* borrows from this, which must not be moved */
	struct search_set *sets; /* in the record's order */
	bool *bad;
	unsigned *set_of, *round_of; /* per trial */
	double *gains;
};
/* -1: out of memory, or the record's search is damaged. */
int tuned_seen_make(const struct record_run *run, struct tuned_seen *out, struct status *st);
void tuned_seen_free(struct tuned_seen *seen);

/* What the next block of a search measures. */
struct tuned_next {
	bool ended, confirms;
	unsigned confirmed; /* whole blocks of the confirmation that the record has */
	unsigned round;
	unsigned n;
	struct search_set sets[SEARCH_MAX_SETS];
	char why[256]; /* where it ended: a sentence */
};
/* By what the record holds: the round that is not whole yet, else the next; after the last
 * one, or where `hurry` says that time is short, the confirmation, `blocks` times. */
int tuned_next(const struct record_run *run, const struct search_space *space, uint64_t seed,
               unsigned blocks, bool hurry, struct tuned_next *out, struct status *st);

/* The set of a name by its place in the record, or -1. */
int tuned_set(const struct record_run *run, const char *name);

#endif
