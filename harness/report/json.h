/* report.json: every table and finding of a report, for programs. Its format is described in
 * results/README.md; it has a number and a schema (results/report.schema.json). And who owns a
 * value of JSON. */
#ifndef LAUNCHGAP_JSON_H
#define LAUNCHGAP_JSON_H

#include <stdio.h>

#include "model.h"

/* The same value, which goes with the arena; NULL is allowed. */
json_t *json_keep(struct arena *arena, json_t *json);

/* `tables` and `sections` are what the report was written with (struct page). -1 only if out of
 * memory. */
int json_write(const struct model *model, json_t *tables, json_t *sections, FILE *out,
               struct status *st);

#endif
