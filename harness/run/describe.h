/* The first line of a record: what its run was made with; whether a resumed one has the same. */
#pragma once

#include "../config/plan.h"
#include "../record/record.h"

/* The fields of results/README.md without schema and kind. NULL: out of memory. */
json_t *describe_run(const struct plan *plan, int argc, char *const argv[], const char *commit);

json_t *describe_variant(const struct plan *plan, const struct plan_variant *variant);

/* The record of a run that goes on, which has room for more. The caller frees with record_free. */
int resume_load(const char *folder, struct record_run *out, struct status *st);
/* -1 with what differs of plan or machine. */
int resume_same(const json_t *before, const json_t *now, struct status *st);
