/* A run's results, and where each item of it is: each name of the record is resolved once. Variants
 * by their number, cells by the place of their group and size, trials by their block:
 * cell[variant][place][block]. Pure. summary.h defines the numbers. */
#ifndef LAUNCHGAP_INDEX_H
#define LAUNCHGAP_INDEX_H

#include <limits.h>
#include <stdbool.h>

#include "../trial/settings.h"
#include "../record/record.h"
#include "looks.h"
#include "stats.h"
#include "timing.h"

#define INDEX_NONE UINT_MAX

enum summary_role { ROLE_VARIANT, ROLE_REFERENCE, ROLE_AGAIN, ROLE_LIMIT };

/* Texts are borrowed from the record. */
struct summary_variant {
	const char *name, *mode, *layout, *backend, *bind, *skip;
	const struct settings *settings;     /* NULL where the record's cannot be read */
	const char *library;                 /* its version, as its trials said, or "" */
	const char *path;                    /* data path that its trials said, or "" */
	const struct backend_traits *traits; /* what its backend is */
	enum summary_role role;
	bool measured; /* has at least one row with a time */
};

struct summary_trial {
	unsigned block, order;
	unsigned ntimes; /* cells that it is the mean of: cycles, or connections × allocations */
	double time_ns, p95_ns, p99_ns, launch_ns, skew_ns, poll_ns;
	struct timing_workers workers; /* the time by the workers' own clocks: medians */
	double early;                  /* how much slower its first rows were: timing_early */
	double step_ns;                /* of the clock; 0: not known */
};

/* One rank of a row: medians over trials of the trial's median. */
struct summary_rank {
	double skew_us, launch_us;
	double finish_us; /* its own end, from the earliest start of any rank, per call */
	double late_us;   /* finish_us − the mean of all ranks' */
	/* Of the 95 % interval of that over trials the end that is nearest to 0; 0: the interval
	 * holds it, or there is none. */
	double late_sure_us;
	double last;       /* share of the rows in which it was the last to end; all: 1 */
	double last_by_us; /* when it was: how much later than the mean; NaN when never */
};

struct summary_row {
	unsigned variant, group;
	unsigned nranks;
	struct cell cell;
	size_t moved_bytes; /* coll_moved: what bandwidths are of */
	unsigned calls;     /* in one row of samples */
	unsigned ntrials;   /* with a time; one a block */
	struct summary_trial *trials;
	unsigned failed;                        /* trials that have none */
	double time_us, time_us_lo, time_us_hi; /* lo, hi: quartiles over blocks */
	/* The time by the workers' own clocks (timing_workers). */
	double time_rank0_us, time_mean_us, time_min_us, time_max_us;
	double algbw_gbs, busbw_gbs; /* NaN where the backend carries no data */
	/* Isolated only: medians over blocks of the trial's quantile, and the order-statistic
	 * intervals of these medians. p99 needs TRIAL_P99_CALLS in a trial. */
	double p50_us;
	struct stats_interval p95_us, p99_us;
	double launch_us, skew_us, resolution_us;
	uint64_t wrong, faults, switches;
	uint64_t ncalls;  /* that were timed */
	double watched_s; /* timed calls × ranks: what the workers' time was watched for */
	bool carries_data;
	struct summary_rank *ranks; /* nranks; NULL without a time */
	unsigned straggler;         /* the rank that is last most often */
};

/* What is wrong with the data: of a cell of this variant and block. */
struct trouble {
	const char *collective, *variant; /* borrowed, as all here */
	size_t bytes;
	unsigned block;
	unsigned long long wrong; /* elements; 0: there is no trouble */
	const json_t *at;         /* the first wrong element, or NULL */
};

/* Rows that belong in one table: all but the size is equal. */
struct summary_group {
	struct cell cell; /* of its first size */
	unsigned nranks;
	unsigned nsizes;
	size_t *bytes, *asked_bytes; /* ascending */
	size_t *moved_bytes;         /* coll_moved of each; `bytes` in records that do not say how
	                                alltoallv's parts are laid out */
	bool limit;                  /* it is the limit's alone */
};

struct index {
	unsigned nplaces, nblocks;
	unsigned *first;  /* per group: the place of its first size; sizes follow each other */
	unsigned *blocks; /* the numbers of the record's blocks, ascending */
	/* Per cell of the record; place: INDEX_NONE where nothing was timed there. */
	unsigned *variant_of, *place_of;
	/* [variant * nplaces + place]; NULL where it was not measured. */
	struct summary_row **rows;
	/* [(variant * nplaces + place) * nblocks + block], blocks by their place in the list; the
	 * first of a block. NULL: there is none. */
	const struct summary_trial **timed;
};

struct summary {
	const struct record_run *run; /* borrowed */
	struct arena *arena;          /* holds the summary's lists and all that is made from it */
	unsigned nvariants;
	struct summary_variant *variants;
	int reference; /* index, or -1 */
	int twin;      /* the reference a second time in every block, or -1 */
	unsigned nrows;
	struct summary_row *rows; /* by variant, group, size */
	unsigned ngroups;
	struct summary_group *groups;
	struct index index;
	unsigned nblocks;         /* whole ones: with a trial of each variant that was measured and
	                     not given up */
	bool measured;            /* any row has a time: also in a run that was stopped in its first
	                            block */
	unsigned isolated_calls;  /* of a trial, as asked for; of those left to the program the most */
	unsigned least_calls;     /* the same, the fewest */
	unsigned ncores;          /* of the machine; 0: not recorded */
	double load;              /* of it in the minute before; 0: not recorded */
	bool loaded;              /* that is more than one program, and a tenth of the cores */
	double margin;            /* of the verdicts: 0.02 is 2 % */
	struct looks looks;       /* what was seen before more was measured; its confidence
	                            is that of the intervals */
	bool carries_data;        /* any row does */
	bool oversubscribed;      /* more ranks than cores: waiting yields, and latencies are the
	                            scheduler's */
	struct trouble trouble;   /* what is wrong: wrong data */
	const char *uncompared;   /* why no times may be compared: trouble, or ranks that share a
	                             GPU; NULL: they may */
};

/* In three steps, as the summary grows. Groups, sizes and cells from run and variants: fills the
 * summary's groups and its index, except rows and trials. */
void index_make(struct summary *summary);
/* Indexes the summary's rows, after they have moved for the last time. */
void index_rows(struct summary *summary);
/* Indexes their trials, after the last one is added. */
void index_trials(struct summary *summary);

/* The variant of a name, or -1. */
int index_variant(const struct summary *summary, const char *name);
/* The ranks of a variant; 0: not known. And whether a variant has other ranks than the reference,
 * so that the two have no cell in common. */
unsigned index_ranks(const struct summary *summary, unsigned variant);
bool index_other_ranks(const struct summary *summary, unsigned variant);
/* The place of a group's size. */
unsigned index_place(const struct summary *summary, unsigned group, unsigned size);
/* NULL where it was not measured. */
struct summary_row *index_row(const struct summary *summary, unsigned variant, unsigned place);
/* Whether a cell of the record counts: measured, and in the timed pass. */
bool index_counts(const struct record_cell *cell);
/* Whether a collective is a part of a step that was measured whole: it shows what the step consists
 * of, and is not compared in addition. */
bool index_is_part(const struct summary *summary, enum coll_kind coll);
/* The row that the record's i-th cell counts in, or NULL. */
struct summary_row *index_cell_row(const struct summary *summary, unsigned i);
/* NULL if there is none. `block` is a place in the index' list. */
const struct summary_trial *index_timed(const struct summary *summary, unsigned variant,
                                        unsigned place, unsigned block);

#endif
