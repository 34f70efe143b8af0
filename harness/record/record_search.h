/* A search in the record. Each of its blocks begins with a line that says what it measures; sets
 * that are new with a block are described there, as the environment describes variants.
 *
 * All readers use the confirmation: cells of its blocks, with the finalists as variants. The
 * search's own trials follow in the same lists (record_run.search), for code that chooses by them
 * (analysis/tuned.h). */
#pragma once

#include "member.h"
#include "record.h"

/* record_load.c; -1: out of memory. */
void record_variant_take(json_t *json, struct record_variant *out);

int record_search_begin(const struct member_place *at, struct record_run *run);
extern const struct member record_search_members[]; /* of a block's line */
int record_search_take(const struct member_place *at, json_t *line, struct record_run *run);
/* The set of a name by its place, or -1. */
int record_search_find(const struct record_run *run, const char *name);
/* After the last line: moves the search's own trials to the end of the run's cells and failures. */
void record_search_part(struct record_run *run);
/* NULL is allowed. */
void record_search_free(struct record_search *search);
