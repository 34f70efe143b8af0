/* A plan: the experiment as ordered trials, resolved for the machine that will run them. */
#ifndef LAUNCHGAP_PLAN_H
#define LAUNCHGAP_PLAN_H

#include "../../modes/mode.h"
#include "../backend/table.h"
#include "spec.h"

#define PLAN_MIN_RANKS 2 /* below, nothing is collective */
#define PLAN_MAX_NOTES 16
/* The A/A twin and the limit; and what a search makes on its way. */
#define PLAN_MAX_VARIANTS (SPEC_MAX_VARIANTS + 2 + SEARCH_MAX_SETS)

/* What the plan asks of the machine; given, so that planning is a pure function. */
struct plan_machine {
	unsigned cores; /* affinity ∩ cgroup quota, at least 1 */
	/* 0, or -1 with why processes cannot be set apart so (ISOLATE_BITs). NULL: they can. */
	int (*isolates)(unsigned what, struct status *st);
	unsigned (*capacity)(const char *backend,
	                     struct status *st); /* ranks it can hold, 0: none, with why */
	/* To plan without a device: this backend is taken to hold so many, and not asked what
	 * it supports. NULL: none. */
	const char *imagined;
	unsigned imagined_ranks;
};

/* Ranks that a machine, or one that is imagined, holds, where so many share a GPU; 0: none,
 * with why. */
unsigned plan_capacity(const struct plan_machine *machine, const char *backend,
                       unsigned ranks_per_gpu, struct status *st);
/* The most ranks that share a GPU in any variant. */
unsigned plan_sharing(const struct spec *spec);

struct plan_variant {
	char name[TRIAL_NAME_BYTES];
	/* variant, reference, again (the reference's A/A twin), limit, search (a set of a
	 * search, whose finalists are variants) */
	char role[16];
	struct settings settings;
	char skip[256]; /* why it is not run, or "" */
};

/* A library that variants name, found once: jobs load this file, whatever the name would lead
 * to then. */
struct plan_library {
	char nccl[PATH_MAX]; /* as it is named; "" is the system's */
	struct library library;
};

struct plan_trial {
	unsigned variant, block, order;
};

struct plan {
	const struct spec *spec; /* borrowed */
	unsigned nranks;
	uint64_t seed;
	size_t arena_bytes;     /* the same for every variant */
	struct network network; /* of a step of training */
	unsigned ncells;
	struct cell *cells; /* of every variant but the limit, not yet shuffled */
	unsigned nnotes;
	char notes[PLAN_MAX_NOTES]
	          [512]; /* what is asked for and left out of the cells, and why */
	unsigned nvariants;
	unsigned nlibraries;
	struct plan_library libraries[SPEC_MAX_VARIANTS + 1];
	struct search_space search; /* the spec's, without values that cannot run here */
	unsigned ntrials;
	struct plan_trial *trials;                       /* in running order, block by block */
	struct plan_variant variants[PLAN_MAX_VARIANTS]; /* nvariants of them are set */
};

/* The backend that "auto" stands for here, and a sentence why it is not the first choice (""
 * when it is). A named backend is returned as it is. */
const char *plan_backend(const struct spec *spec, const struct plan_machine *machine, char *why,
                         size_t why_bytes);

void plan_free(struct plan *plan);
/* What is asked for and left out, a sentence for record and report; beyond PLAN_MAX_NOTES none.
 */
void plan_note(struct plan *plan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The variant that all are compared with; NULL: the file's name for it names none. */
const struct plan_variant *plan_reference(const struct plan *plan);
/* The backend that the run is about: the reference's, where variants have several. */
const char *plan_main_backend(const struct plan *plan);

/* The most that the launcher of one of its trials puts into the scratch folder, bytes. */
size_t plan_scratch_bytes(const struct plan *plan);
/* What a name of a library came to; NULL: it was not asked for. */
const struct library *plan_library(const struct plan *plan, const char *nccl);
/* The argv of a trial's job. */
int plan_command(const struct trial *trial, const char *self, const char *order_file,
                 const char *scratch, struct mode_argv *out, struct status *st);

#endif
