/* From a record to tables: schema.sql says what each row is. */
#pragma once

#include "../record/record.h"
#include "db.h"

/* A database with the run's tables, to which more may be added. The run may be freed then. NULL: a
 * defect of schema.sql, with a sentence. */
struct db *load_run(const struct record_run *run, struct arena *arena, struct status *st);
