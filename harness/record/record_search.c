#include "record_search.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* New sets: what a variant has, and the levels of its settings. */
static int take_sets(const struct field_place *at, const json_t *sets, struct record_run *run)
{
	const json_t *set, *level;
	size_t i, k;
	json_array_foreach(sets, i, set)
	{
		const json_t *levels = json_object_get(set, "levels");
		char name[TRIAL_NAME_BYTES];
		bool bad = !json_is_array(levels);
		if (field_name(at, set, "name", name, sizeof name) ||
		    !json_is_array(json_object_get(set, "env")))
			return field_bad(at, "a set has no name, or no \"env\"");
		json_array_foreach(levels, k, level) bad = bad || !json_is_integer(level);
		if (bad)
			return field_bad(at, "set %s: \"levels\" is no list of numbers", name);
		if (json_array_append(run->search.sets, (json_t *)(size_t)set))
			return field_bad(at, "out of memory for the record");
	}
	return 0;
}

int record_search_take(const struct field_place *at, json_t *line, struct record_run *run)
{
	struct record_search *s = &run->search;
	const json_t *measures = json_object_get(line, "measures"), *name;
	const json_t *confirms = json_object_get(line, "confirms");
	json_int_t block;
	size_t i;
	struct record_search_block *more = realloc(s->blocks, (s->nblocks + 1) * sizeof *more);
	if (!more)
		return field_bad(at, "out of memory for the record");
	s->blocks = more;
	s->sets = s->sets ? s->sets : json_array();
	struct record_search_block *b = &s->blocks[s->nblocks++];
	*b = (struct record_search_block){.json = json_incref(line), .measures = measures};
	if (!json_object_get(run->environment, "search"))
		return field_bad(at, "a block of a search, and the environment has none");
	if (field_number(at, line, "block", 0, RECORD_MAX_BLOCKS - 1, &block) ||
	    field_count(at, line, "round", 0, &b->round))
		return -1;
	if (!json_is_boolean(confirms) || !json_is_array(measures))
		return field_bad(at, "\"confirms\" or \"measures\" is missing");
	b->block = (unsigned)block;
	b->confirms = json_is_true(confirms);
	if (take_sets(at, json_object_get(line, "sets"), run))
		return -1;
	json_array_foreach(measures, i, name)
	{
		const char *set = json_string_value(name);
		if (!set || !record_search_set(run, set))
			return field_bad(at, "\"measures\" names what is no set");
	}
	return 0;
}

json_t *record_search_set(const struct record_run *run, const char *name)
{
	json_t *set;
	size_t i;
	json_array_foreach(run->search.sets, i, set)
	{
		const char *own = json_string_value(json_object_get(set, "name"));
		if (own && !strcmp(own, name))
			return set;
	}
	return NULL;
}

/* Whether a block confirms, or the run has no search. */
static bool block_confirms(const struct record_run *run, unsigned block)
{
	for (unsigned i = 0; i < run->search.nblocks; i++)
		if (run->search.blocks[i].block == block && run->search.blocks[i].confirms)
			return true;
	return !run->search.nblocks;
}

/* The finalists take their place among the variants; the environment is the run's own. */
static int add_finalists(struct record_run *run)
{
	json_t *variants = json_object_get(run->environment, "variants"), *name;
	const struct record_search_block *first = NULL;
	size_t i;
	for (unsigned b = 0; b < run->search.nblocks && !first; b++)
		first = run->search.blocks[b].confirms ? &run->search.blocks[b] : NULL;
	run->search.confirmed = first;
	json_array_foreach(first ? first->measures : NULL, i, name)
	{
		json_t *set = json_copy(record_search_set(run, json_string_value(name)));
		if (json_object_set_new(set, "role", json_string("variant")) ||
		    json_array_append_new(variants, set))
			return -1;
	}
	return 0;
}

/* Cells and failures of the search itself go to its own lists. Where nothing is confirmed yet,
 * the variants of the file stay. */
int record_search_part(struct record_run *run)
{
	struct record_search *s = &run->search;
	unsigned cells = 0, failures = 0;
	if (!s->nblocks)
		return 0;
	if (add_finalists(run))
		return -1;
	s->cells = malloc((run->ncells + 1) * sizeof *s->cells);
	s->failures = malloc((run->nfailures + 1) * sizeof *s->failures);
	if (!s->cells || !s->failures)
		return -1;
	s->next_block = record_next_block(run);
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *c = &run->cells[i];
		if (s->confirmed ? block_confirms(run, c->block)
		                 : !record_search_set(run, c->variant))
			run->cells[cells++] = *c;
		else
			s->cells[s->ncells++] = *c;
	}
	for (unsigned i = 0; i < run->nfailures; i++) {
		const struct record_failure *f = &run->failures[i];
		if (s->confirmed ? block_confirms(run, f->block)
		                 : !record_search_set(run, f->variant))
			run->failures[failures++] = *f;
		else
			s->failures[s->nfailures++] = *f;
	}
	run->ncells = cells;
	run->nfailures = failures;
	return 0;
}

/* The run's list has room for what was taken out of it. */
void record_search_free(struct record_run *run)
{
	struct record_search *s = &run->search;
	for (unsigned i = 0; i < s->ncells; i++)
		run->cells[run->ncells++] = s->cells[i];
	for (unsigned i = 0; i < s->nblocks; i++)
		json_decref(s->blocks[i].json);
	json_decref(s->sets);
	free(s->blocks);
	free(s->cells);
	free(s->failures);
	*s = (struct record_search){.nblocks = 0};
}
