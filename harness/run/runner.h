/* The runner: an experiment from its file to trials.jsonl, one fresh job per trial. */
#pragma once

#include "../config/plan.h"
#include "../record/record.h"
#include "folder.h"
#include "job.h"

#define RUN_INTERRUPTED 130 /* as a shell reports Ctrl-C */

struct run_request {
	struct spec_source from;
	const char *results; /* where results/<experiment>/<stamp> goes */
	const char *resume;  /* a run's folder to add blocks to, or NULL */
	const char *self;    /* this program's file */
	int argc;            /* how the user called it, for the record */
	char *const *argv;
	const struct plan_machine *machine;
	bool quick; /* the primary claim alone (plan_quick) */
	bool quiet; /* only failures are printed */
};

/* Failures in a row after which a variant is not tried again. */
#define GIVE_UP 2

struct run_ahead {
	struct trial *trial; /* NULL: none */
	bool begun;          /* its job, which may wait, */
	bool over;           /* or has ended */
	struct job job;
};

struct runner {
	const struct run_request *request;
	struct spec spec;
	struct plan plan;
	struct folder folder;
	json_t *environment;
	unsigned first_block; /* 0, or the block after the whole ones of a resumed run */
	unsigned begun;       /* trials of that block that a resumed run already has */
	bool has_path[PLAN_MAX_VARIANTS];   /* of an earlier session */
	unsigned failed[PLAN_MAX_VARIANTS]; /* in a row */
	unsigned first_order;               /* of this session's trials, in a search */
	unsigned nfailed;
	unsigned nlack;       /* blocks that lack a trial, as one failed */
	char first_why[1100]; /* of the first trial that failed */
	bool interrupted;
	char stage[64];   /* of a search: "screen 1 of 2"; or "" */
	unsigned ndone;   /* trials of this session */
	int64_t begin_ns; /* of its first block */
	int64_t since_ns; /* the end of its last step */
	/* A variant's last trial, with what the runner did after it; 0: none yet. */
	int64_t steps_ns[PLAN_MAX_VARIANTS];
	struct run_ahead ahead, *turns; /* turns: of a block's jobs side by side; nturns 0: none */
	unsigned nturns;
	bool asks; /* after this block, for the paths */
	struct record_end end;
};

/* Measures everything; signals end it in order. 1: some trials failed. RUN_INTERRUPTED: by a
 * signal; what was measured is kept. -1: nothing could be measured. *folder has PATH_MAX bytes. */
int run_experiment(const struct run_request *request, char *folder, struct status *st);

/* Adds to a run's record that its report began then and is made now. */
int run_keep_report(const char *folder, int64_t from_ns, struct status *st);

/* What of the experiment is not as asked, and why. */
typedef void run_say_fn(const char *format, ...);
void run_say_plan(const struct plan *plan, run_say_fn *say);

/* Its parts. After an error the caller still frees what r holds. */
int run_set_up(struct runner *r, struct status *st);
void run_announce(const struct runner *r);
/* What the trials from `next` on will take, `count` of them; -1: no trial has ended. */
int64_t run_left_ns(const int64_t *steps_ns, const struct plan *plan, unsigned next,
                    unsigned count);
/* The plan's trials from `first` on: a block. 0, or -1: interrupted, or all of them failed. */
int run_block(struct runner *r, unsigned block, unsigned first, unsigned n, struct status *st);
/* The path's job of each variant that lacks it. -1: interrupted, or the run cannot go on. */
int run_path_jobs(struct runner *r, struct status *st);
bool path_job_wanted(const struct plan *plan, unsigned variant);
enum path_job_end {
	PATH_JOB_DONE,
	PATH_JOB_NONE,        /* the path is unknown, as st says; the record has a failure */
	PATH_JOB_INTERRUPTED, /* by a signal */
};
/* One of them, or -1: the run cannot go on. order: its place after the trials of block 0. */
int path_job_run(struct runner *r, unsigned variant, unsigned order, struct status *st);
