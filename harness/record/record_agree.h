/* Whether values that a record has twice are the same: a cell compared with its variant's line, and
 * no cell a second time. It detects a record that was edited, or put together from several. All
 * return 0, or -1 with a sentence. */
#pragma once

#include "member.h"
#include "record.h"

/* The run's variant of a name, or the set of a search; NULL: none. */
const struct record_variant *record_agree_variant(const struct record_run *run, const char *name);
/* Whether the environment's reference is the one variant of that role. */
int record_agree_reference(const struct member_place *at, const json_t *environment);
/* A cell that was read, and its line. Fields that the line of an older launchgap lacks are not
 * compared. */
int record_agree_cell(const struct member_place *at, const struct record_run *run,
                      const json_t *line, const struct record_cell *cell);
/* After the last line: no cell is there twice, nor a trial's stamps in another one, also if all
 * were moved or one was changed: how long its calls took is compared. Cells that were not measured
 * may appear again. */
int record_agree_places(const struct member_place *at, const struct record_run *run);
