/* What a reader of the figures has to know, each with what to do about it. They are rows of one
 * table, in which each kind fills the columns that it has, and a sentence for each kind
 * (warnings.c). */
#ifndef LAUNCHGAP_CHAPTER_WARNINGS_H
#define LAUNCHGAP_CHAPTER_WARNINGS_H

#include "../analysis/analysis.h"
#include "../story/story.h"

// clang-format off
enum warning_kind {
	/* About the record itself (doubts.c): page 1 reports them. */
	WARN_ZEROS, WARN_BEYOND, WARN_NO_SUM, WARN_FEW_SUMS,
	WARN_PATH, WARN_INHERITED, WARN_TORN, WARN_FEW_BLOCKS, WARN_BUDGET, WARN_NO_INTERVAL, WARN_BUILDS,
	WARN_MACHINES, WARN_PAUSE, WARN_LEFT_OUT, WARN_ABSENT, WARN_NO_REFERENCE,
	WARN_UNCOMPARED, WARN_OVERSUBSCRIBED, WARN_ONE_WORKER, WARN_LOAD, WARN_STALLS,
	WARN_FAULTS, WARN_SWITCHES, WARN_CLOCKS,
	/* outliers.c */
	WARN_FIRST_BLOCK, WARN_OUTLIERS, WARN_DRIFT, WARN_ONE_DRIFTS,
	WARN_WARMUP, WARN_CLOCK_STEP, WARN_RESOLUTION, WARN_RELEASE, WARN_TWIN, WARN_CELLS,
	WARN_TRIAL, WARN_MORE,
	WARN_KINDS
};
// clang-format on

struct warning {
	enum warning_kind kind;
	const char *name, *variant; /* name: the kind's */
	const char *where;          /* most of it: "threads, alltoall 4 KiB, stream" */
	unsigned block, rank, line;
	unsigned n, of, events; /* this many of that many are affected, this often */
	double value, bound, share;
	struct stats_ratio ratio;
	const char *asked, *found;
	const char *text; /* a reason, an error, what to do */
};

struct warnings {
	const struct summary *s;
	struct arena *arena;
	struct warning *rows;
	unsigned n;
	const double *apart_us; /* by variant: how far apart its hosts begin; NULL: not known yet */
};

/* A row without a value, for the caller to fill until the next one. */
struct warning *warnings_add(struct warnings *warnings, enum warning_kind kind);

void doubts_find(struct warnings *warnings);
void outliers_find(struct warnings *warnings);

#endif
