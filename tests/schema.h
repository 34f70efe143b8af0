/* JSON Schema, as far as results/report.schema.json uses it. tests/exports.py holds that a whole implementation
 * agrees. */
#ifndef LAUNCHGAP_TESTS_SCHEMA_H
#define LAUNCHGAP_TESTS_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

/* Whether a value is valid by the schema of report.json; if not, with the first place that is not. */
bool schema_right(const json_t *report, char *why, size_t bytes);

#endif
