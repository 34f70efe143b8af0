/* The runner: what is asked of it, and what it has at hand, made before the first trial. */
#ifndef LAUNCHGAP_RUNNER_H
#define LAUNCHGAP_RUNNER_H

#include <jansson.h>

#include "../config/plan.h"
#include "../record/record.h"
#include "folder.h"

#define RUN_INTERRUPTED 130 /* as a shell has it of Ctrl-C */

struct run_request {
	const char *file; /* the experiment's */
	unsigned noverrides;
	char *const *overrides; /* "key=value" */
	const char *results;    /* where results/<experiment>/<stamp> goes */
	const char *resume;     /* a run's folder to add blocks to, or NULL */
	const char *self;       /* this program's file */
	int argc;               /* how the user called it, for the record */
	char *const *argv;
	const struct plan_machine *machine;
	/* The instrument's own test: changes a trial's order before its job starts. Then no
	 * path is asked for, and only what fails is said. NULL: none. */
	void (*change)(struct trial *trial, void *arg);
	void *change_arg;
	bool nccl_tests; /* its columns come of it, so that a run without stream calls is
	                    refused, and in place is measured too unless something is said */
};

struct runner {
	const struct run_request *request;
	struct spec spec;
	struct plan plan;
	struct folder folder;
	json_t *environment;
	char why[256];                      /* why this backend and not the first choice */
	unsigned first_block; /* 0, or behind the whole blocks that a resumed run has */
	unsigned begun;       /* trials of that block that it has too */
	bool has_path[PLAN_MAX_VARIANTS];   /* from before, in a resumed run */
	bool unexpected[PLAN_MAX_VARIANTS]; /* its path is not the expected one; from before
	                                   as well */
	unsigned failed[PLAN_MAX_VARIANTS]; /* in a row */
	bool measured[PLAN_MAX_VARIANTS];   /* once at least, in this session */
	/* Whether a variant need not be tried, and why: its failure stands in the record all
	 * the same. NULL: each is. */
	bool (*hopeless)(const struct runner *r, unsigned variant, char *why, size_t bytes);
	void *hopeless_arg;
	unsigned nfailed;
	unsigned nlack;       /* blocks that lack a trial, as one failed */
	char first_why[1100]; /* of the first trial that failed */
	bool interrupted;
	char stage[64];    /* of a search: "screen 1 of 2"; or "" */
	unsigned expected; /* trials of this session, where that is no number of blocks; or 0 */
	unsigned ndone;    /* trials of this session */
	int64_t begin_ns;  /* of its first block */
	struct record_end end;
};

/* Failures in a row after which a variant is not tried again. */
#define GIVE_UP 2

/* Reads the experiment, plans it for this machine and opens the folder, with the environment's
 * line in it. What was made until an error is in r all the same; the caller gives it back. */
int run_set_up(struct runner *r, struct status *st);
/* What will be measured, what is left out and why. */
void run_announce(const struct runner *r);
/* The plan's trials from `first` on: a block. 0, or -1: interrupted, or all of them failed. */
int run_block(struct runner *r, unsigned block, unsigned first, unsigned n, struct status *st);
/* Which way each variant's data takes, where the run does not have it yet. */
int run_evidence(struct runner *r, struct status *st);

#endif
