/* A search in the record. Each of its blocks has a line of its own in front, which says what it
 * measures; sets that come new with a block are described there, as the environment describes
 * variants.
 *
 * What everybody reads is the confirmation: cells of its blocks, with the finalists as
 * variants. Those of the search itself stand apart (record_run.search), for whoever chooses by
 * them (analysis/tuned.h). */
#ifndef LAUNCHGAP_RECORD_SEARCH_H
#define LAUNCHGAP_RECORD_SEARCH_H

#include "field.h"
#include "record.h"

/* Reading. */
int record_search_take(const struct field_place *at, json_t *line, struct record_run *run);
/* The set of a name, or NULL. */
json_t *record_search_set(const struct record_run *run, const char *name);
/* Behind the last line: parts the search from its confirmation. -1: out of memory. */
int record_search_part(struct record_run *run);
/* Gives back what is the search's own, and its cells to the run's. */
void record_search_free(struct record_run *run);

#endif
