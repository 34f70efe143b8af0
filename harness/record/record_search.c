#include "record_search.h"
#include "../memory.h"

#include "../config/search.h"

int record_search_find(const struct record_run *run, const char *name)
{
	for (unsigned i = 0; run->search && i < run->search->nsets; i++)
		if (!strcmp(run->search->variants[i].name, name))
			return (int)i;
	return -1;
}

const struct member record_search_members[] = {MEMBER_COUNT("block", 0), MEMBER_COUNT("round", 0),
                                               MEMBER("confirms", JSON_TRUE),
                                               MEMBER("measures", JSON_ARRAY), MEMBER_END};
static const struct member of_set[] = {MEMBER_NAME("name", TRIAL_NAME_BYTES),
                                       MEMBER("env", JSON_ARRAY), MEMBER_END};

/* A new set: the fields of a variant, and the level of each setting. */
static int take_set(const struct member_place *at, json_t *set, struct record_search *s)
{
	const json_t *levels = json_object_get(set, "levels"), *level;
	size_t k;
	if (s->nsets == SEARCH_MAX_SETS)
		return member_bad(at, "the search has more than %d sets", SEARCH_MAX_SETS);
	if (member_check(at, set, of_set))
		return -1;
	bool bad = json_array_size(levels) != s->space.nkeys;
	json_array_foreach(bad ? NULL : levels, k, level)
	{
		const json_int_t n = json_integer_value(level);
		bad = bad || !json_is_integer(level) || n < 0 || n >= s->space.keys[k].nvalues;
		s->sets[s->nsets].level[k] = (unsigned char)n;
	}
	if (bad)
		return member_bad(at, "set %s: \"levels\" is not a place of each key's values",
		                  member_or_empty(set, "name"));
	record_variant_take(set, &s->variants[s->nsets++]);
	json_incref(set);
	return 0;
}

int record_search_begin(const struct member_place *at, struct record_run *run)
{
	const json_t *space = json_object_get(run->environment, "search");
	struct status why = {""};
	run->search = space ? memory_take(1, sizeof *run->search) : NULL;
	return space && search_space_take(space, &run->search->space, &why)
	           ? member_bad(at, "%s", why.text)
	           : 0;
}

/* With the first block that confirms them they join the variants of the file. */
static void add_finalists(const struct record_search_block *b, struct record_run *run)
{
	struct record_variant *all =
	    memory_more(run->variants, run->nvariants + b->nsets + 1, sizeof *all);
	run->search->confirmed = b;
	run->variants = all;
	for (unsigned i = 0; i < b->nsets; i++) {
		all[run->nvariants] = run->search->variants[b->sets[i]];
		all[run->nvariants++].role = "variant";
	}
}

int record_search_take(const struct member_place *at, json_t *line, struct record_run *run)
{
	const json_t *measures = json_object_get(line, "measures"), *name;
	struct record_search *s = run->search;
	json_t *set;
	size_t i;
	if (!s || s->nblocks == SPEC_MAX_BLOCKS)
		return member_bad(at,
		                  "a search's block, but the environment names no search, or there "
		                  "are more than %d",
		                  SPEC_MAX_BLOCKS);
	struct record_search_block *b = &s->blocks[s->nblocks++];
	b->confirms = json_is_true(json_object_get(line, "confirms"));
	b->block = (unsigned)member_number(line, "block");
	b->round = (unsigned)member_number(line, "round");
	json_array_foreach(json_object_get(line, "sets"), i, set)
	{
		if (take_set(at, set, s))
			return -1;
	}
	json_array_foreach(measures, i, name)
	{
		const char *named = json_string_value(name);
		const int place = named ? record_search_find(run, named) : -1;
		if (place < 0 || b->nsets == SEARCH_MAX_SETS)
			return member_bad(at, "\"measures\" names what is no set");
		b->sets[b->nsets++] = (unsigned char)place;
	}
	if (b->confirms && !s->confirmed)
		add_finalists(b, run);
	return 0;
}

/* Nothing is searched after the first block that confirms, but for a set that a damaged record has
 * there without being a finalist. */
static bool is_own(const struct record_run *run, unsigned block, const char *variant)
{
	const struct record_search_block *confirmed = run->search->confirmed;
	if (confirmed && block < confirmed->block)
		return true;
	for (unsigned i = 0; i < run->nvariants; i++)
		if (!strcmp(run->variants[i].name, variant))
			return false;
	return true;
}

void record_search_part(struct record_run *run)
{
	struct record_search *s = run->search;
	unsigned ncells = 0, nfailures = 0;
	if (!s)
		return;
	struct record_cell *cells = memory_take(run->ncells + 1, sizeof *cells);
	struct record_failure *failures = memory_take(run->nfailures + 1, sizeof *failures);
	for (int own = 0; own < 2; own++) {
		s->ncells = run->ncells - ncells;
		s->nfailures = run->nfailures - nfailures;
		for (unsigned i = 0; i < run->ncells; i++)
			if (is_own(run, run->cells[i].block, run->cells[i].variant) == own)
				cells[ncells++] = run->cells[i];
		for (unsigned i = 0; i < run->nfailures; i++)
			if (is_own(run, run->failures[i].block, run->failures[i].variant) == own)
				failures[nfailures++] = run->failures[i];
	}
	free(run->cells);
	free(run->failures);
	run->cells = cells;
	run->failures = failures;
	run->ncells -= s->ncells;
	run->nfailures -= s->nfailures;
}

void record_search_free(struct record_search *s)
{
	for (unsigned i = 0; s && i < s->nsets; i++)
		json_decref((json_t *)(size_t)s->variants[i].json);
	free(s);
}
