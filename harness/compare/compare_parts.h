/* What the files of the comparison share with each other and with nobody else. */
#ifndef LAUNCHGAP_COMPARE_PARTS_H
#define LAUNCHGAP_COMPARE_PARTS_H

#include <jansson.h>

#include "../config/trial.h"
#include "../analysis/verdict.h"
#include "compare.h"

/* What is held beside each other in the table's head. */
enum compare_fact {
	FACT_EXPERIMENT,
	FACT_PROGRAM,
	FACT_MEASURED,
	FACT_BACKEND,
	FACT_RANKS,
	FACT_COUNTS, /* alltoallv's, of no matter without it */
	FACT_LIBRARY,
	FACT_MACHINE,
	FACT_KINDS
};

#define COMPARE_FACT_BYTES 96
#define NCCL_TESTS_OTHERS  160

struct compare_trial {
	unsigned block;
	double time_us;
};

/* The times of one variant's cell, one a trial. */
struct compare_series {
	char variant[TRIAL_NAME_BYTES];
	struct cell cell; /* op and root are 0 where they mean nothing */
	unsigned nranks;
	bool limit; /* of the machine, not of a variant: shown, but no verdict rests on it */
	char digest[20];
	char layout[40]; /* nccl-tests: of the files that it is from */
	unsigned ntrials;
	struct compare_trial *trials;
};

/* A variant of the run that has no time at all, and why. */
struct compare_absent {
	char variant[TRIAL_NAME_BYTES], why[200];
	bool failed; /* not left out on purpose */
};

struct compare_side {
	char facts[FACT_KINDS][COMPARE_FACT_BYTES];
	char seed[40];
	json_t *variants; /* of the record's environment, or NULL */
	bool torn;
	unsigned failed; /* cells of trials that have no time */
	unsigned nseries;
	struct compare_series *series;
	unsigned nabsent;
	struct compare_absent *absent;
	/* nccl-tests only */
	unsigned nfiles;
	int average;     /* its -a */
	bool unchecked;  /* its -c 0 */
	char manner[64]; /* options by which its calls are not simply back to back, or "" */
	char others[NCCL_TESTS_OTHERS]; /* its -R, -x, -u, -n, -w … that are not the usual */
};

/* One size of a group. */
struct compare_point {
	size_t bytes, asked_bytes;
	double left_us, right_us; /* medians over trials */
	struct stats_ratio ratio; /* A ÷ B, pointwise */
};

/* A variant's cells that differ in size only, on both sides. */
struct compare_group {
	char variant[TRIAL_NAME_BYTES];
	struct cell cell; /* of its first size */
	bool limit;
	unsigned nsizes; /* that either side has */
	unsigned npoints;
	struct compare_point *points;
	unsigned nleft, nright; /* trials behind the verdict */
	struct verdict verdict;
};

struct comparison {
	struct compare_side left, right;
	double margin;
	unsigned ngroups;
	struct compare_group *groups;
};

/* Loads what `path` names. The caller frees with compare_side_free, also after an error. */
int compare_side_load(const char *path, const char *variant, struct compare_side *side,
                      struct status *st);
void compare_side_free(struct compare_side *side);
/* One more time of a cell: its series, valid until the next call, or NULL with the sentence. */
struct compare_series *compare_side_add(struct compare_side *side, const char *variant,
                                        const struct cell *cell, unsigned nranks,
                                        unsigned block, double time_us, struct status *st);
/* When all are there: several times of one block (nccl-tests' -N cycles) become their median,
 * for they are no trials of their own. */
int compare_side_settle(struct compare_side *side, struct status *st);
/* Copies, cut to fit; control characters become '?': records come from anywhere. */
void compare_clean(const char *text, char *out, size_t bytes);
/* Adds to a fact what it does not say yet, cleaned. */
void compare_fact_add(struct compare_side *side, enum compare_fact fact, const char *text);
const struct compare_series *compare_series_find(const struct compare_side *side,
                                                 const char *variant, const struct cell *cell);

/* All but the size is equal. */
bool compare_same_kind(const struct cell *a, const struct cell *b);
/* "alltoall in place, stream" */
void compare_kind_text(const struct cell *cell, char *out, size_t bytes);

/* What a side has and `other` (NULL: nobody) has in no size, cut to fit: "alltoall, stream of
 * single, threads; sendrecv, stream of single". */
void compare_kinds_text(const struct compare_side *side, const struct compare_side *other,
                        char *out, size_t bytes);

/* Fills c->groups from the two sides. */
int compare_match(struct comparison *c, struct status *st);

void compare_print(const struct comparison *c, const struct compare_request *request,
                   FILE *out);

#endif
