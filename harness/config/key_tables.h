/* The kinds of sections of an experiment file: what reads them, and the rows of their keys, which `launchgap
 * list keys`, launchgap-experiment(5) and the tables of experiments/README.md print. */
#ifndef LAUNCHGAP_KEY_TABLES_H
#define LAUNCHGAP_KEY_TABLES_H

#include <stdio.h>

#include "../trial/field.h"

#define KEY_TABLE_PARTS 4

struct build;

struct key_table {
	const char *name, *head; /* "variant", "[variant NAME]" */
	bool backends;           /* its keys may be of some backends alone */
	int (*apply)(struct build *b, unsigned section, struct status *st);
	field_rows_fn *parts[KEY_TABLE_PARTS]; /* NULL after the last */
};

/* NULL: there are no more. */
const struct key_table *key_table_at(unsigned i);
/* Calls `use` with each row that has a word about it, in order. */
void key_table_each(const struct key_table *table, void (*use)(const struct field *row, void *arg),
                    void *arg);
/* The backends that use a key, if not all do: "nccl, host"; else "". */
void key_backends(const struct field *row, char *names, size_t bytes);

#endif
