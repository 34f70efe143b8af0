/* The record: trials.jsonl, one JSON object a line, its schema in results/README.md. Each line has
 * a checksum (record_file.h), which reading checks.
 *
 * The job writes its trial's lines to its own file, the runner appends them to the run's;
 * trials.jsonl holds whole trials, and every figure is made from it alone. */
#pragma once

#include "../config/spec.h"
#include "../core/team.h"
#include "../trial/settings.h"
#include "record_cell.h"

#define RECORD_SCHEMA 1

struct record_search_block;

/* The first line: `environment` with schema and kind in front. Refuses one that record_load
 * would not read again. */
int record_write_environment(FILE *out, const json_t *environment, struct status *st);
/* One line per cell, from the team's area. A cell that was not measured has the team's failure. */
int record_write_trial(FILE *out, const struct trial *trial, struct team *team, void *area,
                       struct status *st);
/* 0 if all that was checked is right; else -1 with the place of the first wrong element. A flip
 * that was asked for and not found is an error too: it is where nothing is checked. */
int record_check_data(const struct trial *trial, void *area, struct status *st);
/* One line: the path that a variant's data took (path.h). Takes the reference, NULL (out of
 * memory) included. */
int record_write_path(FILE *out, const struct trial *trial, json_t *path, struct status *st);
/* One line for a trial that left nothing else. */
int record_write_failure(FILE *out, const struct trial *trial, const char *error,
                         struct status *st);
struct record_spent;
int record_write_spent(FILE *out, const struct record_spent *spent, struct status *st);
/* One line where a run goes on: from `environment`, which the session was described by; `begun`
 * trials of its first block were measured before. */
int record_write_resume(FILE *out, const json_t *environment, unsigned first_block, unsigned begun,
                        struct status *st);
/* The line that begins a block of a search: which sets are new in it, and which it measures. Takes
 * the references of both lists, NULL (out of memory) included. */
int record_write_search(FILE *out, const struct record_search_block *block, json_t *sets,
                        json_t *measures, struct status *st);
/* One line of claims that were asked after the run: `asked` has when and by which launchgap, and
 * what claim_list_put sets. */
int record_write_asked(FILE *out, const json_t *asked, struct status *st);
/* The last line of a run that was not interrupted: the reason why it ended. */
int record_write_end(FILE *out, const char *reason, const char *text, struct status *st);

/* A variant of the file, or a set of a search. Texts are borrowed from the record's line, "" if it
 * lacks them. */
struct record_variant {
	const char *name, *role, *mode, *layout, *backend, *bind, *skip;
	bool known;               /* the settings could be read; else they are the defaults */
	struct settings settings; /* what an older launchgap's record omits has the default */
	const json_t *json;       /* its member of the line; borrowed */
};

struct record_failure {
	char variant[TRIAL_NAME_BYTES];
	unsigned block, order;
	int64_t written_s; /* as of a cell */
	char error[512];
};

struct record_path {
	char variant[TRIAL_NAME_BYTES];
	unsigned block, order;
	const json_t *path; /* path.h reads it */
	json_t *json;       /* the whole line */
};

/* What the runner spent time with, by its clock, which is that of its host's jobs. */
enum record_spent_on { SPENT_ON_SET_UP, SPENT_ON_TRIAL, SPENT_ON_PATH, SPENT_ON_REPORT, SPENT_ON };
extern const char *const record_spent_words[SPENT_ON];
struct record_spent {
	enum record_spent_on on;
	/* Of a job: from its start to its end, or to the next one's start; else "". */
	char variant[TRIAL_NAME_BYTES];
	unsigned block, order; /* of a trial */
	int64_t from_ns, to_ns;
	unsigned session; /* 0: the first */
};

struct record_resume {
	unsigned first_block;
	unsigned begun;  /* trials of that block that an earlier session measured */
	bool after_end;  /* the sessions before it had ended by themselves */
	unsigned blocks; /* that it asked for; 0: auto */
	bool counters;
	const json_t *command;
	const json_t *machine; /* NULL: not recorded */
	const char *created, *launchgap;
	json_t *json; /* the whole line; NULL: an older launchgap wrote none, and only first_block
	               * is known */
};

struct record_end {
	/* blocks or search, of older ones precision or budget; else "": stopped, or still runs. */
	char reason[16];
	char text[512]; /* a sentence for people */
};

/* Properties of a backend of the run: as recorded or, for older records, as they are here. */
struct record_backend {
	char name[TRIAL_NAME_BYTES];
	struct backend_traits traits;
};

/* A block of a search: the sets that it measures, beside variants of the file. */
struct record_search_block {
	unsigned block, round;
	bool confirms;
	unsigned nsets;
	unsigned char sets[SEARCH_MAX_SETS]; /* by their place */
};

/* What a search tried, and its trials, separate from those of its confirmation
 * (record_search.h). */
struct record_search {
	struct search_space space;
	unsigned nsets; /* in the record's order */
	struct search_set sets[SEARCH_MAX_SETS];
	struct record_variant variants[SEARCH_MAX_SETS]; /* of each set */
	unsigned nblocks;
	struct record_search_block blocks[SPEC_MAX_BLOCKS];
	const struct record_search_block *confirmed; /* the first that confirms, or NULL */
	unsigned ncells, nfailures; /* its own: they follow the run's in its lists */
};

struct record_run {
	unsigned nlines, unsummed; /* whole lines; those of them that have no checksum */
	bool torn;                 /* the last line was cut off */
	char folder[512];          /* the caller's name for it, for commands; "" if that is
	                            * longer */
	json_t *environment;       /* the first line, checked */
	unsigned nvariants;        /* of the file, then the finalists of the search */
	struct record_variant *variants;
	unsigned nbackends;
	struct record_backend *backends;
	unsigned ncells;
	struct record_cell *cells;
	unsigned npaths;
	struct record_path *paths;
	unsigned nfailures;
	struct record_failure *failures;
	unsigned nresumes;
	struct record_resume *resumes; /* after the first session, in order */
	unsigned nspent;
	struct record_spent *spent; /* none in older records */
	struct record_end end;
	struct record_search *search; /* NULL: the run has none */
};

/* Reads trials.jsonl, .jsonl.xz or .jsonl.gz in `dir` (or the file itself). The caller frees with
 * record_free. A torn last line is dropped. */
int record_load(const char *dir, struct record_run *out, struct status *st);
void record_free(struct record_run *run);

/* The properties of a variant's backend, or of the run's for NULL. Never NULL for the run's. */
const struct backend_traits *record_traits(const struct record_run *run, const char *variant);

/* The number after that of the last block. */
unsigned record_next_block(const struct record_run *run);
/* Trials of the last block, if a session was stopped in it after it was begun; 0 if no block is to
 * be completed. Trials after them in the block are missing; those missing before were given up. A
 * search manages its own blocks. */
unsigned record_begun(const struct record_run *run);
/* Trials of a whole block: variants that were not skipped. */
unsigned record_block_trials(const struct record_run *run);
/* How many blocks all sessions together asked for; 0: as many as it takes. */
long long record_blocks_asked(const struct record_run *run);

/* Whether the environment's line holds everything that readers rely on. */
struct member_place;
int record_check_environment(const struct member_place *at, const json_t *environment);
