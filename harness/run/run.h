/* The runner: an experiment from its file to trials.jsonl, one fresh job per trial. */
#ifndef LAUNCHGAP_RUN_H
#define LAUNCHGAP_RUN_H

#include "runner.h"

/* Measures everything. Blocks for as long as that takes; signals end it in order.
 * 0: all trials are measured. 1: some failed, or a path is not the expected one.
 * RUN_INTERRUPTED: by a signal. What was measured is kept and *folder is set. -1: nothing could
 * be measured. folder: PATH_MAX bytes. */
int run_experiment(const struct run_request *request, char *folder, struct status *st);

/* The path's pass of each variant whose path the run does not have. 0, or -1 with a sentence:
 * interrupted, or the run cannot go on. */
int run_evidence(struct runner *r, struct status *st);
/* Whether all of it went as it should; else -1 with the run's last sentence. */
int run_sum_up(const struct runner *r, struct status *st);

#endif
