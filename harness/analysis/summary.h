/* The summary: what the records of a run come to, one row per variant, cell and pace. Pure:
 * from records to numbers.
 *
 * A trial gives one number per cell: stream, the median over its stretches of the time per
 * call; isolated, the median over its calls. A row's number is the median over its trials, one
 * a block. Whatever cannot be given is NaN. Cells of another pass than
 * the timed one are left out of all of it. */
#ifndef LAUNCHGAP_SUMMARY_H
#define LAUNCHGAP_SUMMARY_H

#include "../record/record.h"
#include "index.h"
#include "stats.h"
#include "timing.h"

enum summary_role { ROLE_VARIANT, ROLE_REFERENCE, ROLE_AGAIN, ROLE_LIMIT };

/* Texts are borrowed from the record. */
struct summary_variant {
	const char *name, *mode, *layout, *backend, *bind, *skip;
	const char *library; /* its version, as its trials said, or "" */
	const char *path;    /* data path that its trials said, or "" */
	enum summary_role role;
	bool measured; /* has at least one row with a time */
};

struct summary_trial {
	unsigned block, order;
	double time_ns, p95_ns, p99_ns, launch_ns, skew_ns, poll_ns;
	struct timing_workers workers; /* the time by the workers' own clocks: medians */
	double early;                  /* how much slower its first rows were: timing_early */
	double step_ns;                /* of the clock; 0: not known */
};

/* One rank of a row: medians over trials of the trial's median. */
struct summary_rank {
	double skew_us, launch_us;
	double finish_us;  /* its own end, from the earliest start of any rank, per call */
	double late_us;    /* that less the mean of all ranks' */
	double last;       /* share of the rows in which it was the last to end; all: 1 */
	double last_by_us; /* when it was: by how much behind the mean; NaN when never */
};

struct summary_row {
	unsigned variant, group;
	unsigned nranks;
	struct cell cell;
	unsigned calls;   /* in one row of samples */
	unsigned ntrials; /* with a time; one a block */
	struct summary_trial *trials;
	unsigned failed;                        /* trials that have none */
	double time_us, time_us_lo, time_us_hi; /* lo, hi: quartiles over blocks */
	/* The time by the workers' own clocks (timing_workers). */
	double time_rank0_us, time_mean_us, time_min_us, time_max_us;
	double algbw_gbs, busbw_gbs;   /* NaN where the backend carries no data */
	double p50_us, p95_us, p99_us; /* isolated only */
	double launch_us, skew_us, resolution_us;
	struct stats_ratio ratio; /* time of the reference ÷ time of this: < 1 is slower */
	uint64_t wrong, faults, switches;
	uint64_t ncalls;  /* that were timed */
	double watched_s; /* timed calls × ranks: what the workers' time was watched for */
	bool carries_data, digest_ok;
	char digest[20];
	struct summary_rank *ranks; /* nranks; NULL without a time */
	unsigned straggler;         /* the rank that is last most often */
};

/* Rows that belong in one table: all but the size is equal. */
struct summary_group {
	struct cell cell; /* of its first size */
	unsigned nranks;
	unsigned nsizes;
	size_t *bytes, *asked_bytes; /* ascending */
	struct stats_ratio *gaps;    /* per variant: one number per block, the geometric mean of
	                                the ratio over the sizes that both have */
	bool limit;                  /* it is the limit's alone */
};

struct summary {
	const struct record_run *run; /* borrowed */
	unsigned nvariants;
	struct summary_variant *variants;
	int reference; /* index, or -1 */
	unsigned nrows;
	struct summary_row *rows; /* by variant, group, size */
	unsigned ngroups;
	struct summary_group *groups;
	struct index index;
	unsigned nblocks;    /* the most that any row has */
	unsigned ncores;     /* of the machine; 0: not recorded */
	double margin;       /* of the verdicts: 0.02 is 2 % */
	bool carries_data;   /* any row does */
	bool oversubscribed; /* more ranks than cores: waiting yields, and latencies are the
	                        scheduler's */
	char trouble[512]; /* why nothing may be compared (wrong data, digests that differ), or
	                      "" */
};

/* The caller frees with summary_free; `run` has to outlive it. */
int summary_make(const struct record_run *run, struct summary *out, struct status *st);
void summary_free(struct summary *summary);

/* The row of a variant in a group at a size, or NULL. */
const struct summary_row *summary_find(const struct summary *summary, unsigned variant,
                                       unsigned group, size_t bytes);
/* The group that differs from this one only in being in place or not, or -1. */
int summary_partner(const struct summary *summary, unsigned group);
bool summary_is_limit(const struct summary *summary, const struct summary_group *group);
/* More ranks than cores: waiting yields, and latencies are the scheduler's. */
bool summary_crowded(const struct summary *summary);
/* Whether anything was measured at that pace, the limit left out. */
bool summary_has_pace(const struct summary *summary, enum pace pace);
const char *summary_role_name(enum summary_role role);

/* Everything of two cells but size is equal. */
bool summary_same_group(const struct cell *a, const struct cell *b);
/* Whether a cell of the record counts: measured, and in the timed pass. */
bool summary_counts(const struct record_cell *cell);

/* Whether a variant is held against the reference. */
bool summary_has_ratio(const struct summary *summary, unsigned variant);
/* The limit's bus bandwidth at a size, its best where it was not measured there, NaN where it
 * was not measured at all. */
double summary_limit(const struct summary *summary, size_t bytes);

#endif
