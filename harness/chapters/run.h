/* Facts of the run, and words for them that several chapters need. */
#ifndef LAUNCHGAP_RUN_FACTS_H
#define LAUNCHGAP_RUN_FACTS_H

#include "../analysis/analysis.h"

/* A text from the run's first line, "" if it is missing; a whole number from it, or 0. */
const char *run_text(const struct record_run *run, const char *key);
long long run_number(const struct record_run *run, const char *key);
/* The machine in a line: "8 × NVIDIA H200, Intel Xeon …, 128 cores". */
void run_machine(const struct summary *summary, char *text, size_t bytes);
/* "alltoall", "sendrecv in float16, in place": describes a group's cells. */
const char *run_collective(struct arena *arena, const struct summary_group *group);

/* Whether the run has few enough collectives for tables by size; with more, only the files have
 * them. */
bool run_few_groups(const struct summary *summary);

/* Whether a run that compares has fewer blocks than a verdict needs, and whether blocks that were
 * asked for are missing too. */
bool run_lacks_blocks(const struct analysis *analysis);
bool run_is_cut(const struct analysis *analysis);

/* "To go on (about 80 s): launchgap resume DIR blocks=3": for all blocks that were asked for,
 * and as many as a verdict needs. */
const char *run_command(const struct summary *summary, struct arena *arena);

/* Whether variants are compared version by version of the library. Then that is the answer. */
bool run_by_version(const struct analysis *analysis, struct arena *arena);

#endif
