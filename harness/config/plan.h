/* A plan: the experiment as ordered trials, resolved for the machine that will run them. */
#pragma once

#include "../../modes/launcher.h"
#include "../../modes/mode.h"
#include "../backend/table.h"
#include "spec.h"

#define PLAN_MIN_RANKS 2 /* below, nothing is collective */
#define PLAN_MAX_NOTES 16
/* The A/A twin and the limit; and the variants that a search makes. */
#define PLAN_MAX_VARIANTS (SPEC_MAX_VARIANTS + 2 + SEARCH_MAX_SETS)

/* What the plan asks of the machine; passed in, so that planning is a pure function. */
struct plan_machine {
	unsigned cores; /* affinity ∩ cgroup quota, at least 1 */
	/* Whether processes can be isolated so (ISOLATE_BITs). NULL: they can. */
	int (*isolates)(unsigned what, struct status *st);
	unsigned (*capacity)(const char *backend,
	                     struct status *st); /* ranks it can hold, and why no more */
	/* A backend that is assumed to hold so many ranks, and not asked what it supports. */
	const char *imagined;
	unsigned imagined_ranks;
};

/* What ranks = auto takes at least: 1 if asked for, or for what a rank does with its own memory. */
unsigned plan_min_ranks(const struct spec *spec);

/* Ranks that it holds if so many share a GPU, here or on hosts like it; 0: none, with why. */
unsigned plan_capacity(const struct plan_machine *machine, const char *backend, unsigned sharing,
                       struct status *st);
/* The most of any variant: ranks of a GPU, times hosts. */
unsigned plan_sharing(const struct spec *spec);

struct plan_variant {
	char name[TRIAL_NAME_BYTES];
	/* variant (finalists too), reference, again (its A/A twin), limit, search (a set) */
	char role[16];
	struct settings settings;
	char skip[256];        /* why it is not run, or "" */
	struct search_set set; /* of a search; else the reference's own values alone */
};

/* Found once: jobs load this file, whatever the name would resolve to later. */
struct plan_library {
	char nccl[PATH_MAX]; /* as the file names it; "" is the system's */
	struct library library;
};

struct plan_trial {
	unsigned variant, block, order;
};

struct plan {
	const struct spec *spec; /* borrowed, as the machine */
	const struct plan_machine *machine;
	const struct backend *backend; /* of the spec, "auto" resolved */
	unsigned nranks;               /* of the run: the most of a variant */
	uint64_t seed;
	size_t arena_bytes; /* the same for every variant */
	struct claim_range turns; /* the spec's; hi = 0 if jobs cannot be side by side */
	size_t p99_bytes;   /* up to this size a trial has the isolated calls that a p99 needs */
	struct network network; /* of a step of training */
	unsigned ncells;
	struct cell *cells; /* of all but the limit, not yet shuffled, rounded for the most ranks */
	unsigned nnotes;
	char notes[PLAN_MAX_NOTES][512]; /* what is asked for and omitted from the cells, and why */
	unsigned nvariants, nfile;       /* the file's with twin and limit, then a search's sets */
	unsigned nlibraries;
	struct plan_library libraries[SPEC_MAX_VARIANTS + 1];
	struct search_space search; /* the spec's, without values that cannot run here */
	struct claim_list asked;    /* the spec's; gap and primary claim by what is measured here */
	unsigned ntrials;
	struct plan_trial *trials;                       /* in running order, block by block */
	struct plan_variant variants[PLAN_MAX_VARIANTS]; /* nvariants of them are set */
};

/* The backend that "auto" resolves to here, and why it is not the first choice, or "". */
const char *plan_backend(const struct spec *spec, const struct plan_machine *machine, char *why,
                         size_t why_bytes);

void plan_free(struct plan *plan);
/* None beyond PLAN_MAX_NOTES. */
void plan_note(struct plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

const struct plan_variant *plan_find(const struct plan *plan, const char *name);
/* NULL: no variant has the name that the file gives. */
const struct plan_variant *plan_reference(const struct plan *plan);
unsigned plan_ranks(const struct plan *plan, const struct spec_variant *variant);
/* The reference's. */
const char *plan_main_backend(const struct plan *plan);

size_t plan_scratch_bytes(const struct plan *plan);
/* The library found for a name; NULL: the name was not looked up. */
const struct library *plan_library(const struct plan *plan, const char *nccl);
bool plan_overlaps(const struct plan *plan, const struct trial *trial);
/* 0: all jobs of a block can be side by side, each with its buffers. -1, with why not. */
int plan_turns(const struct plan *plan, struct status *st);
int plan_command(const struct trial *trial, const char *self, const char *order_file,
                 const char *scratch, struct launcher_argv *out, struct status *st);

/* --- reading a file and making its plan --- */

/* A file with its overrides, as it is for the backend that is measured here. */
int plan_load(const struct spec_source *from, const struct plan_machine *machine, struct spec *out,
              struct status *st);

/* An error: no machine could run it, or this one not its reference. seed: if the spec has none. */
int plan_make(const struct spec *spec, const struct plan_machine *machine, uint64_t seed,
              struct plan *out, struct status *st);

/* --- its trials --- */

/* Counters look only into sizes of at least the largest divided by this. */
#define PLAN_LARGE 16

/* Of a variant that no claim on counters names: medians, which are reported without an interval. */
#define PLAN_COUNTED_BLOCKS 3
/* Counters take as long as a job's start, and hardly vary between jobs (tests/test_counted.c). One
 * that a claim on them names has them in as many first blocks as its family needs. */
bool plan_counts(const struct plan *plan, unsigned variant, unsigned block);

/* A search has none yet: a block depends on those before it. */
void plan_order_trials(struct plan *plan);
/* `order` is that of its first trial. */
void plan_add_block(struct plan *plan, unsigned block, unsigned order, const unsigned *variants,
                    unsigned n);
/* Whether or not it is among the plan's; trial_free frees. */
struct trial *plan_order_trial(const struct plan *plan, unsigned variant, unsigned block,
                               unsigned order);
/* Its cells are in the block's shuffled order. */
struct trial *plan_trial(const struct plan *plan, unsigned index);

/* For the path's pass: a few calls of each collective at its largest size. */
struct trial *plan_path_trial(const struct plan *plan, unsigned variant, unsigned order);

/* Typical figures, in s. */
#define COST_DEVICE_START_S 3.0
#define COST_BESIDE_S       0.4 /* another job that starts and ends beside it, in turns */
#define COST_CORE_START_S   0.5
#define COST_CONNECT_S      0.1
#define COST_ALLOCATE_S     0.1
#define COST_COUNTERS_S     0.4
/* Of a size, if nobody asked a number: what p95 needs. */
#define PLAN_ISOLATED_CALLS 100
#define PLAN_P99_BYTES      (1 << 20) /* some 100 µs at 10 GB/s: 500 calls take 50 ms */
unsigned plan_isolated_calls(const struct plan *plan, size_t asked_bytes);
struct plan_cost {
	double seconds, bytes; /* of the record */
};
struct plan_cost plan_cost(const struct plan *plan);

/* --- the experiment's questions, as the plan can answer them --- */

/* In how many settings its variants differ, and their keys; 1 if one of them is not here. */
unsigned plan_factor_differ(const struct plan *plan, const struct factor *factor, char *keys,
                            size_t bytes);

/* Why nothing that the plan measures could answer it, or ""; not of missing variants. */
void plan_claim_why(const struct plan *plan, const struct claim *claim, char *why, size_t bytes);
bool plan_has(const struct plan *plan, const char *variant);
/* Whether it has a test, and both its variants are here. */
bool plan_tests(const struct plan *plan, const struct claim *claim);
/* The claims that something here can answer, without the primary one. *blocks: what it takes to
 * confirm them (family.h), or to decide that one. */
unsigned plan_family(const struct plan *plan, unsigned *blocks);
void plan_factor_why(const struct plan *plan, const struct factor *factor, char *why, size_t bytes);

int plan_claim_pace(const struct claim *claim);
struct claim_range plan_claim_sizes(const struct plan *plan, const struct claim *claim);

/* Cuts an experiment down to its primary claim (--quick), with as many blocks as a minute on
 * devices or half a minute on cores has time for. Keys of the command line stay. An error: it
 * cannot be tested here. */
int plan_quick(const struct spec_source *from, const struct plan_machine *machine,
               struct spec *spec, struct status *st);

/* --- steps of making a plan --- */

/* A cell's rows times ranks, some 50 bytes each in the record. */
#define PLAN_MOST_SAMPLES 500000
/* For a plan whose ranks are known. */
int plan_cells_make(struct plan *plan, struct status *st);
/* For a plan whose variants are known. */
void plan_p99_settle(struct plan *plan);
/* from: NULL: no file asks for it. There is room. */
void plan_variants_add(struct plan *plan, const char *name, const char *role,
                       const struct settings *settings, const struct spec_variant *from);
