/* An experiment file, read and checked (experiments/README.md). A key for one backend replaces the
 * one for all when that backend runs, a key of the command line both. Errors read `file:line: what
 * is wrong, what is allowed`. */
#pragma once

#include "claim.h"
#include "../trial/sizes.h"
#include "text.h"
#include "../trial/trial.h"

#define SPEC_MAX_VARIANTS 32
#define SPEC_MAX_RANKS    SETTINGS_MAX_RANKS
#define SPEC_MAX_ENV      32
#define SPEC_EACH_BYTES   2048
#define SPEC_MAX_ROOTS    32
#define SPEC_MAX_SKEWS    8
#define SPEC_MAX_CYCLES   1000
#define SPEC_MAX_NESTED   100 /* connections in a job, allocations in a connection */
#define SPEC_MAX_BLOCKS   1000

/* Looks up ${NAME} in a value: its text, or NULL when unset. */
typedef const char *spec_lookup_fn(const char *name);

struct spec_text;

/* What is read; all of it is borrowed. */
struct spec_source {
	const char *file;
	unsigned noverrides;
	char *const *overrides; /* "key=value" */
	spec_lookup_fn *lookup;
	const char
	    *only; /* "a,b": these variants alone, and the factors and claims about them; or NULL */
	bool closed; /* no value may name a library, a file, a host or a program, nor is one read */
};

struct spec_variant {
	char name[TRIAL_NAME_BYTES];
	struct settings settings;   /* backend "auto" is kept here until the plan resolves it */
	char each[SPEC_EACH_BYTES]; /* libraries, ':' between; one variant each replaces this one */
	unsigned ranks;             /* 0: the run's */
	bool several;               /* each is given, even if only as an unset ${NAME} */
	char variable[TRIAL_NAME_BYTES];  /* NAME, if the library is ${NAME}, or "" */
	char elsewhere[TRIAL_NAME_BYTES]; /* the first of its keys that is for another backend */
	char skip[256];                   /* why it is skipped (an unset ${NAME}), or "" */
	char backend[TRIAL_NAME_BYTES];   /* the file's own; the command line may say another */
	spec_lookup_fn *lookup;           /* of ${NAME}, while it is read */
	unsigned at;                      /* of its section */
};

/* [search]: a key of a variant with values, `register = local, window`. The reference's own comes
 * first by itself ("default" names it); a set is one value of each key, given to the reference. */
#define SEARCH_MAX_KEYS      16
#define SEARCH_MAX_VALUES    9 /* of a key, with the reference's own */
#define SEARCH_VALUE_BYTES   48
#define SEARCH_MAX_SETS      192 /* in a run */
#define SEARCH_MAX_FINALISTS 6
#define SEARCH_FREE_TRIALS   200 /* a larger search asks for a budget */

struct search_key {
	char key[TRIAL_NAME_BYTES];
	unsigned at;
	unsigned nvalues;
	char values[SEARCH_MAX_VALUES][SEARCH_VALUE_BYTES]; /* the reference's first: "" */
};

struct search_space {
	unsigned nkeys; /* 0: the experiment searches nothing */
	struct search_key keys[SEARCH_MAX_KEYS];
	unsigned finalists; /* the most finalists to confirm */
	bool budget_said;   /* the experiment says what it may take */
	unsigned at;        /* line of the section; 0: no section */
};

/* One value of each key, by its place in the key's list. */
struct search_set {
	unsigned char level[SEARCH_MAX_KEYS];
};

struct spec {
	char name[TRIAL_NAME_BYTES]; /* the file's name, without folder and .exp */
	char file[PATH_MAX];         /* as given to spec_read */
	char question[512];          /* the comment on top of the file */
	char title[128];
	unsigned ncolls;
	unsigned colls[COLL_KINDS]; /* enum coll_kind */
	unsigned nsizes;
	size_t sizes[SIZES_MAX]; /* as asked, bytes, ascending, unique */
	bool in_tokens; /* until all is read `sizes` counts tokens of a mixture of experts */
	unsigned ndtypes, nops;
	unsigned dtypes[DTYPE_KINDS]; /* enum dtype */
	unsigned ops[OP_KINDS];       /* enum op */
	unsigned nroots;              /* 0: all ranks */
	unsigned roots[SPEC_MAX_ROOTS];
	enum places { PLACES_OUT, PLACES_IN, PLACES_BOTH } in_place; /* which are measured */
	struct value_weights weights;
	unsigned experts;                       /* of a mixture of experts; 0: as many as ranks */
	unsigned nskews, skews[SPEC_MAX_SKEWS]; /* tenths */
	char model[PATH_MAX];                   /* of a step of training: a name or a path, or "" */
	bool paces[PACE_KINDS];
	unsigned ranks;                 /* 0: auto */
	unsigned ranks_per_core;        /* the most, if there are cores for them */
	char backend[TRIAL_NAME_BYTES]; /* of [experiment]; "auto" until plan_load resolves it */
	char backend_why[512];          /* why it is not auto's first choice; "": it is */
	unsigned blocks;
	unsigned budget_s;                                 /* time for a search */
	unsigned warmup, stretches, calls, isolated_calls; /* the last 0: auto */
	unsigned timeout_s;                                /* one trial, including its start */
	unsigned cell_timeout_s;                           /* one cell; 0: none */
	unsigned cycles;      /* of all cells in a trial, one after the other: a soak */
	unsigned connections; /* times that a job opens its backend */
	unsigned allocations; /* times that each connection has buffers allocated */
	struct claim_range connection_bytes; /* sizes in connections after the first; hi = 0: all */
	struct claim_range turns;     /* sizes that a block's jobs measure in turns; hi = 0: none */
	uint64_t seed;                /* of order and data; 0: drawn by the runner and recorded */
	bool needs_gpus;              /* the question is about GPUs */
	char leads[TRIAL_NAME_BYTES]; /* the chapter of the report's first page; "": not said */
	bool counters;                /* read the hardware's counters, in a separate pass */
	unsigned first_plan;          /* blocks that a resumed run was begun with; else 0 */
	bool limit;                   /* measure the machine's limit beside the variants */
	bool twin;                    /* measure the reference a second time in each block */
	bool overlap;                 /* a job starts while the one before closes */
	char reference[TRIAL_NAME_BYTES]; /* a variant's name */
	/* What --quick left, and what the whole has more (plan_quick). */
	struct spec_quick {
		char claim[TRIAL_NAME_BYTES]; /* that is tested; "": all is measured */
		unsigned variants, claims, sizes;
		double seconds;       /* that the whole run takes, by typical figures */
		double trial_seconds; /* and a trial of this one, on average */
	} quick;
	unsigned nvariants;
	char only[512]; /* what --only omitted, as a sentence, or "" */
	struct search_space search;
	struct claim_list asked; /* factors, claims, and the sizes of the gap */
	struct claim_names gaps, primaries;
	unsigned factors_at[CLAIM_MAX];
	struct spec_variant variants[SPEC_MAX_VARIANTS]; /* nvariants of them are set */
};

/* Read once for any backend. The caller frees with spec_text_free; NULL: an error. */
struct spec_text *spec_read(const struct spec_source *from, struct status *st);
void spec_text_free(struct spec_text *text);
/* For `backend`. NULL: no section for one applies; enough to learn spec->backend. */
int spec_build(struct spec_text *text, const char *backend, struct spec *out, struct status *st);
int spec_load(const struct spec_source *from, const char *backend, struct spec *out,
              struct status *st);

unsigned spec_times(const struct spec *spec);
/* Sizes of connections after the first; if none, there is only the first. */
unsigned spec_sizes_again(const struct spec *spec);
void spec_connections_settle(struct spec *spec);
/* at: a line of its file; 0: the command line said it. */
#define spec_error(SPEC, AT, ST, ...)                                                              \
	status_at(ST, (AT) ? (SPEC)->file : "command line", AT, __VA_ARGS__)
#define spec_variant_error(SPEC, VARIANT, ST, FORMAT, ...)                                         \
	spec_error(SPEC, (VARIANT)->at, ST, "variant %s: " FORMAT, (VARIANT)->name, __VA_ARGS__)

struct spec_variant *spec_find(struct spec *spec, const char *name);
/* "key = 'NAME' names no variant (did you mean 'a'?); allowed is a, b, c". where: "", " above" */
int spec_no_variant(const struct spec *spec, unsigned at, const char *key, const char *name,
                    const char *where, struct status *st);
