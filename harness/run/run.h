/* The runner: an experiment from its file to trials.jsonl, one fresh job per trial. */
#ifndef LAUNCHGAP_RUN_H
#define LAUNCHGAP_RUN_H

#include "../config/plan.h"

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
	bool nccl_tests; /* its columns come of it, so that a run without stream calls is
	                    refused, and in place is measured too unless something is said */
};

/* Measures everything. Blocks for as long as that takes; signals end it in order.
 * 0: all trials are measured. 1: some failed, or a path is not the expected one.
 * RUN_INTERRUPTED: by a signal. What was measured is kept and *folder is set. -1: nothing could be measured.
 * folder: PATH_MAX bytes. */
int run_experiment(const struct run_request *request, char *folder, struct status *st);

#endif
