/* Inside of the runner: what run_setup.c makes and run.c goes through. */
#ifndef LAUNCHGAP_RUN_PARTS_H
#define LAUNCHGAP_RUN_PARTS_H

#include <jansson.h>

#include "../record/record.h"
#include "folder.h"
#include "run.h"

struct runner {
	const struct run_request *request;
	struct spec spec;
	struct plan plan;
	struct folder folder;
	json_t *environment;
	char why[256];                      /* why this backend and not the first choice */
	unsigned first_block;               /* 0, or behind the blocks that a resumed run has */
	bool has_path[PLAN_MAX_VARIANTS];   /* from before, in a resumed run */
	bool astray[PLAN_MAX_VARIANTS];     /* its path is not the expected one; from before
	                                       as well */
	unsigned failed[PLAN_MAX_VARIANTS]; /* in a row */
	unsigned nfailed;
	char first_why[1100]; /* of the first trial that failed */
	bool interrupted;
	unsigned ndone;   /* trials of this session */
	int64_t begin_ns; /* of its first block */
	struct record_end end;
};

/* Reads the experiment, plans it for this machine and opens the folder, with the environment's
 * line in it. What was made until an error is in r all the same; the caller gives it back. */
int run_set_up(struct runner *r, struct status *st);
/* What will be measured, what is left out and why. */
void run_announce(const struct runner *r);

/* The path's pass of each variant whose path the run does not have. 0, or -1 with a sentence:
 * interrupted, or the run cannot go on. */
int run_evidence(struct runner *r, struct status *st);
/* Whether all of it went as it should; else -1 with the run's last sentence. */
int run_sum_up(const struct runner *r, struct status *st);

#endif
