/* One side of a comparison: its times by variant and cell, and the facts that it states about
 * itself. */
#ifndef LAUNCHGAP_RESULT_H
#define LAUNCHGAP_RESULT_H

#include <jansson.h>

#include "../trial/trial.h"
#include "../status.h"

/* Facts that are compared. */
enum result_fact {
	FACT_EXPERIMENT,
	FACT_PROGRAM,
	FACT_MEASURED,
	FACT_BACKEND,
	FACT_RANKS,
	FACT_COUNTS, /* alltoallv's; ignored without it */
	FACT_LIBRARY,
	FACT_MACHINE,
	FACT_KINDS
};

#define RESULT_FACT_BYTES   96
#define RESULT_OTHERS_BYTES 160

struct result_trial {
	unsigned block;
	double time_us;
};

/* The times of one variant's cell, one a trial, by block. */
struct result_series {
	char variant[TRIAL_NAME_BYTES];
	struct cell cell; /* op and root are 0 where they mean nothing */
	unsigned nranks;
	bool limit; /* of the machine, not of a variant: shown, but no verdict uses it */
	char digest[20];
	char layout[40]; /* nccl-tests: the layout of its files */
	unsigned ntrials;
	struct result_trial *trials;
};

/* A variant of the run without any time, and why. */
struct result_absent {
	char variant[TRIAL_NAME_BYTES], why[200];
	bool failed; /* not omitted on purpose */
};

struct result {
	const char *path; /* borrowed */
	char facts[FACT_KINDS][RESULT_FACT_BYTES];
	char seed[40];
	json_t *variants; /* of the record's environment, or NULL */
	bool torn;
	unsigned failed; /* cells of trials that have no time */
	unsigned nseries;
	struct result_series *series;
	unsigned nabsent;
	struct result_absent *absent;
	/* nccl-tests only */
	unsigned nfiles;
	int average;     /* its -a */
	bool unchecked;  /* its -c 0 */
	char manner[64]; /* options by which its calls are not simply back to back, or "" */
	char others[RESULT_OTHERS_BYTES]; /* its -R, -x, -u, -n, -w … that differ from the
	                                     defaults */
};

void result_free(struct result *side);

/* Adds a time to a cell. Returns its series, valid until the next call, or NULL with the
 * sentence. */
struct result_series *result_add(struct result *side, const char *variant, const struct cell *cell,
                                 unsigned nranks, unsigned block, double time_us,
                                 struct status *st);
/* After the last time is added: several times of one block (nccl-tests' -N cycles) become their
 * median, because they are not separate trials. */
void result_settle(struct result *side);
const struct result_series *result_find(const struct result *side, const char *variant,
                                        const struct cell *cell);
/* Adds text, cleaned, to a fact unless the fact has it already. */
void result_fact_add(struct result *side, enum result_fact fact, const char *text);
/* Adds an item to a list with ", " unless the list has it already. */
void result_list(char *list, size_t bytes, const char *item);
/* Copies, cut to fit; control characters become '?': records come from anywhere. */
void result_clean(const char *text, char *out, size_t bytes);

/* The array `all` of `n` items with room for one more; realloc may have moved it. NULL with the
 * sentence. */
void *result_grown(void *all, unsigned n, size_t bytes, struct status *st);

/* All but the size is equal. */
bool result_same_kind(const struct cell *a, const struct cell *b);

#endif
