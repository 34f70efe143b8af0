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

/* The finalists, each a variant of the confirmation, and what the search promises of each, where it
 * measured these cells. Returns how many. */
static unsigned put_finalists(const struct figures *f, const struct candidates_seen *seen,
                              const unsigned *places, unsigned nplaces)
{
	const struct summary *s = f->s;
	const struct record_search_block *confirmed = s->run->search->confirmed;
	double *promise = ARENA_ARRAY(f->arena, double, seen->ncells + 1);
	unsigned n = 0;
	for (unsigned i = 0;
	     confirmed && s->reference >= 0 && !s->trouble.wrong && i < confirmed->nsets; i++) {
		const unsigned set = confirmed->sets[i];
		const int v = index_variant(s, s->run->search->variants[set].name);
		if (v < 0)
			continue;
		n++;
		db_add(f->db, "finalist", "ii", set, v);
		candidates_promise(seen, &seen->sets[set], f->arena, promise);
		for (unsigned c = 0; c < nplaces && seen->ncells == nplaces; c++)
			db_add(f->db, "search_promise", "iid", set, places[c], promise[c]);
	}
	return n;
}

void figures_of_tuning(const struct figures *f)
{
	const struct summary *s = f->s;
	unsigned *places = ARENA_ARRAY(f->arena, unsigned, s->index.nplaces + 1), nplaces = 0;
	if (!s->run->search)
		return;
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; i < s->groups[g].nsizes && !s->groups[g].limit; i++)
			places[nplaces++] = index_place(s, g, i);
	const struct candidates_seen seen = tuned_seen(s->run, f->arena);
	const unsigned n = put_finalists(f, &seen, places, nplaces);
	for (unsigned i = 0; i < seen.nsets; i++)
		put_levels(f, &seen, i);
	/* What trials of sets gained. */
	for (unsigned i = 0; i < seen.ntrials * nplaces && seen.ncells == nplaces; i++)
		if (effects_counts(&seen, i / nplaces, i % nplaces))
			db_add(f->db, "search_trial", "iid", seen.set_of[i / nplaces],
			       places[i % nplaces], expm1(seen.gains[i]));
	db_add(f->db, "sought", "iiii", seen.space->nkeys, seen.nsets,
	       n ? family_blocks(n, FAMILY_ALPHA) : 0, s->run->search->confirmed != NULL);
}
