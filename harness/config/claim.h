/* What an experiment asks: factors, the gap that they explain, and claims. Read from its file,
 * carried by the record's first line, judged by the report. Pure. */
#pragma once

#include "../coll/coll.h"
#include "../trial/field.h"
#include "../trial/settings.h"

#define CLAIM_TEXT_BYTES  256
#define CLAIM_MAX         48 /* claims of an experiment, and as many factors */
#define CLAIM_SOURCES     8
#define CLAIM_COLL_BYTES  24
#define CLAIM_ANY_PACE    (-1)
#define CLAIM_ANY_COLL    (-1)
#define CLAIM_MOST_MARGIN 0.9 /* of a test: 90 % */
#define CLAIM_BLOCKS      6   /* fewer decide no claim: they have no interval (STATS_MIN_BLOCKS) */

/* What is compared: one number per cell and trial, or per trial alone. */
enum metric {
	METRIC_BUSBW,
	METRIC_TIME,
	METRIC_LATENCY,
	METRIC_P95,
	METRIC_P99,
	METRIC_LAUNCH,
	METRIC_NVLINK_TX,
	METRIC_DRAM,
	METRIC_DRAM_PER_NVLINK,
	METRIC_ISSUE_CORES,
	METRIC_COPIES,
	METRIC_INIT,
	METRIC_MEMORY,
	METRIC_RANK_MEMORY,
	METRIC_KINDS
};

/* Ranges of sizes that are judged separately (chapters/experiment.sql). */
enum regime_kind { REGIME_SMALL, REGIME_LARGE, REGIME_KINDS };
#define CLAIM_ANY_REGIME (-1)

const char *claim_regime_name(unsigned i);

struct metric_info {
	const char *name, *summary, *brief, *unit; /* brief: for "0.9 times the … of threads" */
	bool counters;                             /* of cells of that pass; else of timed ones */
	bool waits;                                /* of little meaning if workers share cores */
	int pace;             /* the pace that it is about, or CLAIM_ANY_PACE */
	bool data_path;       /* depends on the data path: staged or direct */
	int regime;           /* of claims that name none; CLAIM_ANY_REGIME: all sizes */
	unsigned least_calls; /* in a trial; with fewer it has no value */
	bool whole;           /* of the trial as a whole, not of a cell: from its workers' facts */
	bool alone;           /* of a job that no other one connects beside */
};

const struct metric_info *metric_info(enum metric metric);

/* Sizes as the experiment asks for them, inclusive. hi = SIZE_MAX: no end. */
struct claim_range {
	size_t lo, hi;
};

bool claim_range_open(struct claim_range range);
/* Among the n measured `sizes`, ascending: on GPUs up to 64 KiB and from 16 MiB up, else up to 4
 * KiB and from 256 KiB up. If none is measured, a third of those on this side of the other regime
 * (*third). */
struct claim_range claim_regime_range(enum regime_kind kind, bool gpus, const size_t *sizes,
                                      unsigned n, bool *third);

/* Two variants that differ in one setting, or are meant to be equal (placebo). */
struct factor {
	char name[TRIAL_NAME_BYTES], text[CLAIM_TEXT_BYTES];
	char from[TRIAL_NAME_BYTES], to[TRIAL_NAME_BYTES];
	char setting[128];                /* the key in which they differ, "" if unknown */
	bool placebo;                     /* a setting without effect: the instrument's own check */
	struct claim_range bytes;         /* open: by regime, as below */
	struct claim_range latency_bytes; /* of latency; not in the record */
	bool as_gap;                      /* the file leaves its sizes open; not in the record */
};

/* What the factors explain: the difference between two variants. */
struct gap {
	char from[TRIAL_NAME_BYTES], to[TRIAL_NAME_BYTES]; /* "": none asked for */
	struct claim_range bytes;
};

#define CLAIM_NEEDS_BACKEND "backend " /* a need that is a backend begins so */

/* Of left ÷ right: below 1 ÷ (1 + X); above 1 + X; between; or of ratio ÷ Y. needs: no test. */
enum claim_test { CLAIM_LESS, CLAIM_MORE, CLAIM_WITHIN, CLAIM_NEEDS, CLAIM_TESTS };
const char *claim_test_name(enum claim_test test);

/* Who says what claims say: a report, a page, a paper. */
struct claim_source {
	char name[TRIAL_NAME_BYTES];
	char by[CLAIM_TEXT_BYTES], where[CLAIM_TEXT_BYTES]; /* "a report on …"; an address */
	char machine[CLAIM_TEXT_BYTES];                     /* on which it measured, or "" */
};

struct claim {
	char name[TRIAL_NAME_BYTES], text[CLAIM_TEXT_BYTES];
	/* The line of a source that it tests, in English and as the source has it; "": none. */
	char source[TRIAL_NAME_BYTES], says[CLAIM_TEXT_BYTES], original[CLAIM_TEXT_BYTES];
	char left[TRIAL_NAME_BYTES], right[TRIAL_NAME_BYTES];
	enum metric metric;
	enum claim_test test;
	double by, of;            /* X, Y: 0.02 is 2 %; 0: there is no Y */
	struct claim_range bytes; /* open: those of its regime */
	int regime;               /* CLAIM_ANY_REGIME: the metric's */
	int pace;                 /* CLAIM_ANY_PACE: the metric's own */
	int coll;                 /* CLAIM_ANY_COLL: all of the experiment */
	/* Of each side its own collective, in place of coll; "": the same for both. */
	char left_coll[CLAIM_COLL_BYTES], right_coll[CLAIM_COLL_BYTES];
	char needs[CLAIM_TEXT_BYTES];
};

int claim_coll(const struct claim *claim, bool right);
int claim_regime(const struct claim *claim);

struct claim_list {
	unsigned nfactors, nclaims, nsources;
	struct claim_source sources[CLAIM_SOURCES];
	struct factor factors[CLAIM_MAX];
	struct claim claims[CLAIM_MAX];
	struct gap gap;
	char primary[TRIAL_NAME_BYTES]; /* the claim that the experiment is about, or "" */
};

/* As results/README.md says. -1: out of memory. */
int claim_list_put(const struct claim_list *list, json_t *environment);
/* The inverse; an older launchgap's environment has none. */
int claim_list_take(const json_t *environment, struct claim_list *out, struct status *st);

/* A gap or a primary claim: of the alternatives, of one or two names each, the first counts whose
 * variants are measured here, or else the last. */
#define CLAIM_NAMES 8
struct claim_names {
	unsigned n;
	char names[CLAIM_NAMES][TRIAL_NAME_BYTES];
};
/* "a, b else c, d" if the row's lo is 2, "a else b" if it is 1. */
field_read_fn claim_names_read;

extern const struct fields claim_factor_fields, claim_fields, claim_source_fields;
