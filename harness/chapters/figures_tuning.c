/* A search: the tables sought, search_level, search_trial, search_promise and finalist. */
#include <math.h>

#include "../analysis/tuned.h"
#include "../config/family.h"
#include "figures.h"

/* A set's settings. */
static void put_levels(const struct figures *f, const struct candidates_seen *seen, unsigned set)
{
	for (unsigned k = 0; k < seen->space->nkeys; k++) {
		const struct search_key *key = &seen->space->keys[k];
		const unsigned level = seen->sets[set].level[k];
		const struct field *field = field_find(&settings_fields, key->key);
		if (level)
			db_add(f->db, "search_level", "iiittt", set, k, level, key->key,
			       key->values[level], field ? field->help : NULL);
	}
}

/* What trials of a set gained, and what the search promises of a finalist. */
static void put_gains(const struct figures *f, const struct candidates_seen *seen,
                      const unsigned *places)
{
	const unsigned n = seen->ncells;
	for (unsigned t = 0; t < seen->ntrials; t++)
		for (unsigned c = 0; c < n; c++)
			if (effects_counts(seen, t, c))
				db_add(f->db, "search_trial", "iid", seen->set_of[t], places[c],
				       expm1(seen->gains[t * n + c]));
	const struct record_search_block *confirmed = f->s->run->search->confirmed;
	double *promise = ARENA_ARRAY(f->arena, double, n + 1);
	for (unsigned i = 0; confirmed && i < confirmed->nsets; i++) {
		candidates_promise(seen, &seen->sets[confirmed->sets[i]], f->arena, promise);
		for (unsigned c = 0; c < n; c++)
			db_add(f->db, "search_promise", "iid", confirmed->sets[i], places[c],
			       promise[c]);
	}
}

/* The finalists' sets, each a variant of the confirmation. Returns how many. */
static unsigned put_finalists(const struct figures *f)
{
	const struct summary *s = f->s;
	const struct record_search *search = s->run->search;
	unsigned n = 0;
	for (unsigned i = 0; search->confirmed && s->reference >= 0 && !s->trouble.kind &&
	                     i < search->confirmed->nsets;
	     i++) {
		const unsigned set = search->confirmed->sets[i];
		const int v = index_variant(s, search->variants[set].name);
		if (v < 0)
			continue;
		n++;
		db_add(f->db, "finalist", "ii", set, v);
	}
	return n;
}

void figures_of_tuning(const struct figures *f)
{
	const struct summary *s = f->s;
	const struct record_search *search = s->run->search;
	unsigned *places = ARENA_ARRAY(f->arena, unsigned, s->index.nplaces + 1), nplaces = 0;
	if (!search)
		return;
	const struct candidates_seen seen = tuned_seen(s->run, f->arena);
	const unsigned n = put_finalists(f);
	for (unsigned i = 0; i < seen.nsets; i++)
		put_levels(f, &seen, i);
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; i < s->groups[g].nsizes && !s->groups[g].limit; i++)
			places[nplaces++] = index_place(s, g, i);
	if (seen.ncells == nplaces) /* else it measured others */
		put_gains(f, &seen, places);
	db_add(f->db, "sought", "iiii", seen.space->nkeys, seen.nsets,
	       n ? family_blocks(n, FAMILY_ALPHA) : 0, search->confirmed != NULL);
}
