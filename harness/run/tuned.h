/* What a search measured, by its record: in logs over the default; borrows the record's sets. */
#pragma once

#include "../record/record.h"
#include "../analysis/candidates.h"

struct candidates_seen tuned_seen(const struct record_run *run, struct arena *arena);
