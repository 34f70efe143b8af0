/* Facts of the run, and words for them that several chapters need. */
#ifndef LAUNCHGAP_RUN_FACTS_H
#define LAUNCHGAP_RUN_FACTS_H

#include "../analysis/summary.h"
#include "../arena.h"

/* A text from the run's first line, "" if it is missing; a whole number from it, or 0. */
const char *run_text(const struct record_run *run, const char *key);
long long run_number(const struct record_run *run, const char *key);
/* The machine in a line: "8 × NVIDIA H200, Intel Xeon …, 128 cores". */
void run_machine(const struct summary *summary, char *text, size_t bytes);
/* "alltoall", "sendrecv in float16, in place": describes a group's cells. */
const char *run_collective(struct arena *arena, const struct summary_group *group);

/* What is wrong with the data; "": nothing. */
const char *trouble_text(struct arena *arena, const struct trouble *trouble);

/* "To go on (about 80 s): launchgap resume DIR blocks=3": for all blocks that were asked for,
 * and as many as a verdict needs. */
const char *run_command(const struct summary *summary, struct arena *arena);

#endif
