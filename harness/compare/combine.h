/* Several runs of one experiment as one: what each found, how much they differ, and what they find
 * together (analysis/pooled.h). What differs between machines, boots and pairs of GPUs is in that
 * interval, and in no run's own. Pure, once the runs are read. */
#ifndef LAUNCHGAP_COMBINE_H
#define LAUNCHGAP_COMBINE_H

#include "../analysis/analysis.h"
#include "../analysis/pooled.h"
#include "result.h"

struct combined_run {
	const char *letter;
	struct result facts;                                       /* without times */
	const char *path, *measured, *machine, *library, *program; /* of the facts */
	const char *boot, *gpus; /* of the machine, ids; "" where the record does not say */
	const char *doubt; /* regimes in which it alone cannot distinguish variants, or NULL */
	unsigned blocks;
	const struct summary *s;
	const struct analysis *analysis;
};

/* One question, and what each run says of it: without an interval, or with other cells than the
 * first that has it, a run is omitted. */
struct combined_ratio {
	struct pooled pooled;
	struct stats_ratio ratio;             /* its interval is the one that decides */
	struct stats_ratio runs[POOLED_MOST]; /* one a run */
};

/* A claim, by the first run that tested it. A claims_result of all runs, as a report of one has. */
struct combined_claim {
	struct combined_ratio of;
	struct claims_result result;
	const char *name, *text, *verdict;
	int primary;
};

/* The speed of a variant, in a regime or in one cell, compared with the reference. */
struct combined_speed {
	struct combined_ratio of;
	const char *variant;
	bool twin;                   /* the reference again: the A/A line */
	const struct regime *regime; /* NULL: a cell */
	const struct summary_row *cell;
	const char *sizes, *what, *pace; /* of the regime; of the cell */
	size_t bytes;
	struct verdict verdict;
	const char *said; /* the same in words */
};

struct combined {
	struct arena *arena;
	double margin;
	unsigned nruns;
	struct combined_run *runs;
	unsigned nclaims, nregimes, ncells;
	struct combined_claim *claims;
	struct combined_speed *regimes, *cells;
};

/* Reads and combines. -1 with the sentence: a run cannot be read, two are the same one, or they are
 * of different experiments, backends or numbers of ranks. */
int combine_make(struct combined *c, const char *const *paths, unsigned n, struct status *st);

/* combined_page.c: what differs first; unless page->whole only the answer and the differences. All of its
 * tables, as JSON. Its title. */
struct page;
void combined_page(struct page *page, const void *combined);
json_t *combined_tables(const void *combined);
const char *combined_title(const struct combined *c);

#endif
