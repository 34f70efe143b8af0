#include "record_agree.h"

#include <stdlib.h>
#include <string.h>

#include "record_search.h"

const json_t *record_agree_variant(const struct record_run *run, const char *name)
{
	const json_t *variant;
	size_t i;
	json_array_foreach(json_object_get(run->environment, "variants"), i, variant)
	{
		if (!strcmp(json_string_value(json_object_get(variant, "name")), name))
			return variant;
	}
	const int set = record_search_find(run, name);
	return set < 0 ? NULL : run->search->variants[set];
}

int record_agree_reference(const struct member_place *at, const json_t *environment)
{
	const char *named = json_string_value(json_object_get(environment, "reference"));
	const json_t *variant;
	bool found = false;
	size_t i;
	json_array_foreach(json_object_get(environment, "variants"), i, variant)
	{
		const char *name = json_string_value(json_object_get(variant, "name"));
		const char *role = json_string_value(json_object_get(variant, "role"));
		if (!strcmp(role, "reference") && strcmp(name, named))
			return member_bad(at,
			                  "\"reference\" is %s, but variant %s has the role "
			                  "reference",
			                  named, name);
		found = found || !strcmp(role, "reference");
	}
	return found
	           ? 0
	           : member_bad(at, "\"reference\" is %s, and no variant is the reference", named);
}

/* 0 where it is not said. */
static unsigned number_of(const json_t *object, const char *key)
{
	return (unsigned)json_integer_value(json_object_get(object, key));
}

/* Calls in a row of a cell, by the environment and the variant's settings. */
static unsigned calls_of(const json_t *environment, const json_t *variant, const struct cell *cell)
{
	return trial_calls_of(cell, number_of(environment, "calls"),
	                      number_of(variant, "aggregate"), number_of(variant, "graph"));
}

/* Which of several: from 0 to one less than the environment has. */
static int agree_count(const struct member_place *at, const json_t *environment, const char *key,
                       const char *all, unsigned which)
{
	const json_t *several = json_object_get(environment, all);
	json_int_t n = several ? json_integer_value(several) : 1;
	return (json_int_t)which < n
	           ? 0
	           : member_bad(at, "\"%s\" is %u, and the environment's \"%s\" are %lld", key,
	                        which, all, (long long)n);
}

int record_agree_cell(const struct member_place *at, const struct record_run *run,
                      const json_t *line, const struct record_cell *cell)
{
	static const char *const keys[] = {"mode", "layout", "backend"};
	const json_t *variant = record_agree_variant(run, cell->variant);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *here = json_string_value(json_object_get(line, keys[i]));
		const char *there = json_string_value(json_object_get(variant, keys[i]));
		if (here && there && strcmp(here, there))
			return member_bad(at, "\"%s\" is %.60s, but that of variant %s is %.60s",
			                  keys[i], here, cell->variant, there);
	}
	unsigned calls = calls_of(run->environment, variant, &cell->cell);
	if (cell->calls != calls)
		return member_bad(at,
		                  "\"calls\" is %u, but the environment and variant %s come to "
		                  "%u",
		                  cell->calls, cell->variant, calls);
	const json_t *env = run->environment;
	return agree_count(at, env, "cycle", "cycles", cell->cell.cycle) ||
	               agree_count(at, env, "connection", "connections", cell->cell.connection) ||
	               agree_count(at, env, "allocation", "allocations", cell->cell.allocation)
	           ? -1
	           : 0;
}

/* By place, and of one place by line. */
static int by_place(const void *left, const void *right)
{
	const struct record_cell *a = *(const struct record_cell *const *)left;
	const struct record_cell *b = *(const struct record_cell *const *)right;
	int order = record_cell_order(a, b);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

int record_agree_places(const struct member_place *at, const struct record_run *run)
{
	const struct record_cell **cells = malloc((run->ncells + 1) * sizeof *cells);
	const struct record_cell *again = NULL, *first = NULL;
	unsigned n = 0;
	if (!cells)
		return member_bad(at, "out of memory for the record");
	for (unsigned i = 0; i < run->ncells; i++)
		if (!run->cells[i].error[0])
			cells[n++] = &run->cells[i];
	qsort(cells, n, sizeof *cells, by_place);
	for (unsigned i = 1; i < n; i++)
		if (!record_cell_order(cells[i - 1], cells[i]) &&
		    (!again || cells[i]->line < again->line)) {
			first = cells[i - 1];
			again = cells[i];
		}
	free(cells);
	struct member_place there = *at;
	there.line = again ? again->line : 0;
	return again
	           ? member_bad(&there, "variant %s has this cell in block %u already, in line %u",
	                        again->variant, again->block + 1, first->line)
	           : 0;
}
