/* What a search found, and which of it is confirmed. Pure.
 *
 * The finalists of a search (search.h) are measured again in blocks of fresh jobs, with the
 * default twice in each. Those blocks alone decide, by the contrast and the verdict that all of
 * a report rests on. A gain in a cell is confirmed when its whole interval lies beyond the
 * margin, and beyond what the A/A line of that cell shows where that is wider; and when Holm's
 * correction over all finalists and cells leaves its probability at 5 % or less. The gain told
 * is the one to expect of what was chosen so (stats_chosen). */
#ifndef LAUNCHGAP_TUNED_H
#define LAUNCHGAP_TUNED_H

#include "evidence.h"
#include "regime.h"
#include "search.h"

#define TUNED_TEXT_BYTES 512

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

/* Fills what follows from ratio, p and hurdle. -1 only when memory is out. */
int tuned_judge(struct tuned_test *tests, unsigned n, double margin, struct status *st);

/* --- of a record --- */

/* What the search measured, as search.h reads it. The caller frees with tuned_seen_free. */
struct tuned_seen {
	struct search_space space;
	struct search_seen seen; /* borrows from this, which must not be moved */
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
/* By what the record holds: the round that is not whole yet, else the next; behind the last
 * one, or where `hurry` says that time is short, the confirmation, `blocks` times. */
int tuned_next(const struct record_run *run, const struct search_space *space, uint64_t seed,
               unsigned blocks, bool hurry, struct tuned_next *out, struct status *st);

struct tuned_finalist {
	struct search_set set;
	unsigned variant;            /* of the summary */
	char text[TUNED_TEXT_BYTES]; /* of its settings; those that did nothing (evidence_idle)
	                                are left out */
	unsigned confirmed;          /* cells */
	bool no_loss;                /* in any cell */
	double gain;                 /* mean log over the cells, of the confirmation */
	double memory_bytes; /* more than the default's, on a rank's device; NaN: not known */
	struct tuned_test *tests; /* per cell */
};

struct tuned_cell {
	unsigned group, size;    /* of the summary */
	struct stats_ratio line; /* A/A */
	int best;                /* the finalist that gains most and is confirmed, or -1 */
};

struct tuned {
	bool searched;
	struct search_space space;
	unsigned ntrials, nsets; /* of the search, without its confirmation */
	unsigned ncells, nfinalists;
	unsigned wants; /* blocks from which its finalists can be confirmed at all */
	struct tuned_cell *cells;
	struct tuned_finalist finalists[SEARCH_MAX_FINALISTS];
	struct tuned_test *tests;
	double *best;    /* of values, in the search: [(key * SEARCH_MAX_VALUES + value) *
	                    ncells + cell] */
	int all;         /* the finalist that gains and loses nowhere, or -1 */
};

/* Of a run without a search nothing but searched = false. The caller frees with tuned_free. */
int tuned_make(const struct summary *summary, struct tuned *out, struct status *st);
void tuned_free(struct tuned *tuned);
/* Whether a finalist sets a key that NCCL reads from a file. `idle`: why that did nothing, or "". */
bool tuned_line(const struct summary *summary, const struct tuned *tuned,
                const struct tuned_finalist *finalist, unsigned key, char *idle, size_t bytes);
/* Whether it has such a line that did something. */
bool tuned_in_file(const struct summary *summary, const struct tuned *tuned,
                   const struct tuned_finalist *finalist);
/* Of a search whose sets gain, none of them everywhere without a loss: what keeps the best one,
 * "set-3 is not shown to lose nothing at 64 KiB", or the sizes at which it loses; "" without a
 * gain. */
void tuned_limits_say(const struct summary *summary, const struct tuned *tuned, char *text,
                      size_t bytes);
double tuned_best(const struct tuned *tuned, unsigned key, unsigned value, unsigned cell);

#endif
