#include "record_agree.h"

#include <stdlib.h>
#include <string.h>

#include "record_search.h"

const struct record_variant *record_agree_variant(const struct record_run *run, const char *name)
{
	for (unsigned i = 0; i < run->nvariants; i++)
		if (!strcmp(run->variants[i].name, name))
			return &run->variants[i];
	const int set = record_search_find(run, name);
	return set < 0 ? NULL : &run->search->variants[set];
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
	const json_t *env = run->environment;
	const struct record_variant *variant = record_agree_variant(run, cell->variant);
	static const char *const keys[] = {"mode", "layout", "backend"};
	const char *const all[] = {variant->mode, variant->layout, variant->backend};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *here = json_string_value(json_object_get(line, keys[i]));
		const char *there = all[i];
		if (here && *there && strcmp(here, there))
			return member_bad(at, "\"%s\" is %.60s, but that of variant %s is %.60s",
			                  keys[i], here, cell->variant, there);
	}
	unsigned calls =
	    trial_calls_of(&cell->cell, (unsigned)json_integer_value(json_object_get(env, "calls")),
	                   variant->settings.aggregate, variant->settings.graph);
	if (cell->calls != calls)
		return member_bad(at,
		                  "\"calls\" is %u, but the environment and variant %s come to "
		                  "%u",
		                  cell->calls, cell->variant, calls);
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
