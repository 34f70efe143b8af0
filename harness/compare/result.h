/* One side of a comparison: its times by variant and cell, and the facts that it states about
 * itself. */
#ifndef LAUNCHGAP_RESULT_H
#define LAUNCHGAP_RESULT_H

#include <jansson.h>

#include "../analysis/summary.h"
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
	FACT_DRIVER,
	FACT_LOAD,
	FACT_LAYOUT,    /* nccl-tests' */
	FACT_VARIABLES, /* of NCCL, those that differ (comparison.h) */
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
	bool limit;      /* of the machine, not of a variant: shown, but no verdict uses it */
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
	const char *path; /* as it is shown (result_plain) */
	char facts[FACT_KINDS][RESULT_FACT_BYTES];
	char seed[40];
	struct arena *arena;
	json_t *variants;  /* of the record's environment, or NULL */
	json_t *variables; /* NCCL's of the environment, by name; NULL: not known */
	bool torn;         /* a record's last line, or the end of nccl-tests' file */
	unsigned failed;   /* cells of trials that have no time */
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

/* Adds a time to a cell. Returns its series, valid until the next call. */
struct result_series *result_add(struct result *side, const char *variant, const struct cell *cell,
                                 unsigned nranks, unsigned block, double time_us);
/* After the last time is added: several times of one block (nccl-tests' -N cycles) become their
 * median, because they are not separate trials. */
void result_settle(struct result *side);
/* Adds text, cleaned, to a fact unless the fact has it already. */
void result_fact_add(struct result *side, enum result_fact fact, const char *text);
/* A copy for pages and files of all kinds, without what sanitize_text replaces. */
const char *result_plain(struct arena *arena, const char *text);
/* Copies, cut to fit; control characters become '?': records come from anywhere. */
void result_clean(const char *text, char *out, size_t bytes);

/* All but the size is equal. */
bool result_same_kind(const struct cell *a, const struct cell *b);
/* The same text for all that are so. */
const char *result_kind(struct arena *arena, const struct cell *cell);

/* source.c: a record with its summary. */
struct source_record {
	struct record_run run;
	struct summary s;
	struct arena *own; /* the summary's */
};
/* A file of our own, or a folder that has one; else it is nccl-tests', or not there. */
bool source_is_record(const char *path);
/* Both live as long as the arena. -1 with the sentence, as for wrong results. */
int source_open(const char *path, struct arena *arena, struct source_record *out,
                struct status *st);
/* Keeps NCCL's variables alone: others may be secrets. */
void result_variable(struct result *side, const char *name, const char *value);
/* The facts that a record states. */
void source_facts(struct result *side, const struct summary *summary);
/* source.c: loads what `path` names: a run's folder or record, or nccl-tests' JSON (a file, a list
 * with commas, a folder); each file is a trial. `variant` names nccl-tests' times; NULL: their layout
 * does. `path` is borrowed. */
int source_load(const char *path, const char *variant, struct arena *arena, struct result *side,
                struct status *st);
/* nccl_text.c: its text as that object, new; NULL: it is no such text. */
json_t *nccl_text_read(FILE *in, const char *file);
/* The same of rows as rccl-tests writes them; NULL: they name no collective or no GPUs. */
json_t *nccl_rows_read(const json_t *rows);
/* nccl_tests.c: JSON of nccl-tests (option -J), as its version 2.19.6 writes it. Adds one file's rows
 * to the side as the trial `trial`, in pace stream. The variant is named `variant`, or, when that is
 * NULL, after the layout. Of the file's dump of the environment it keeps alltoallv's counts
 * and NCCL's variables. */
int nccl_tests_read(const char *file, const char *variant, unsigned trial, struct result *side,
                    struct status *st);

#endif
