/* Reading report.json in tests: a table by its name, a row by its cells, a cell by its column's
 * key, a finding by type and name. A test that asks for a missing one fails, with a list of the
 * existing ones. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* "column", "value", …, NULL; a number is written as in C, a null as "". */
typedef const char *const json_keys[];
#define JSON_IS(...) ((json_keys){__VA_ARGS__, NULL})
#define JSON_ALL     ((json_keys){NULL})

/* The whole file, kept (test.h), and all that the functions below point into. */
json_t *json_report(const char *file);
const json_t *json_table(const json_t *report, const char *name);
/* The only row that is so. */
const json_t *json_row(const json_t *table, json_keys is);
const json_t *json_cell(const json_t *table, json_keys is, const char *column);
/* How many rows match; all if `is` is empty. */
size_t json_rows(const json_t *table, json_keys is);
/* How many rows a table has; 0 if it is missing. */
size_t json_count(const json_t *report, const char *table);
/* A row as an object of its entries by column; it lives as long as the report. */
const json_t *json_entries(const json_t *report, const char *table, json_keys is);
const json_t *json_claim(const json_t *report, const char *name);
bool json_has_table(const json_t *report, const char *name);
bool json_has_column(const json_t *table, const char *key);
/* A section's list of sentences; NULL: the report has no such section. */
const json_t *json_section(const json_t *report, const char *id);
/* Whether one of a list's texts has the words in it; of NULL none has. */
bool json_one_says(const json_t *texts, const char *words);
/* Of a cell or of entries: "ratio.estimate", or "" for itself. */
const json_t *json_at(const json_t *value, const char *path);

void json_assert_text(const json_t *value, const char *path, const char *text);
/* As text that has the words in it. */
void json_assert_says(const json_t *value, const char *path, const char *words);
/* As close as `within`; the same number if it is 0. */
void json_assert_number(const json_t *value, const char *path, double number, double within);
/* One of the texts of a report's "answer", "warnings" or section has the words in it; none has. */
void json_says(const json_t *report, const char *list, const char *words);
void json_lacks(const json_t *report, const char *list, const char *words);
/* The same of such a list. */
void json_assert_one_says(const json_t *texts, const char *words);
void json_assert_null(const json_t *value, const char *path);
