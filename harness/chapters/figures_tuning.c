/* A search: the tables sought, search_level, search_trial, search_promise and finalist. */

#include "../run/tuned.h"
#include "../config/family.h"
#include "figures.h"
#include "run.h"

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
	const struct record_search *search = f->run->search;
	const struct record_search_block *confirmed = search->confirmed;
	const bool may =
	    !isnan(figures_number(f, "SELECT 1 FROM given WHERE reference NOT NULL AND "
	                             "trouble IS NULL"));
	double *promise = ARENA_ARRAY(f->arena, double, seen->ncells + 1);
	unsigned n = 0;
	for (unsigned i = 0; confirmed && may && i < confirmed->nsets; i++) {
		const unsigned set = confirmed->sets[i];
		const unsigned v = run_variant(f->run, search->variants[set].name);
		if (v == f->run->nvariants)
			continue;
		n++;
		db_add(f->db, "finalist", "ii", set, v);
		candidates_promise(seen, &seen->sets[set], f->arena, promise);
		for (unsigned c = 0; c < nplaces && seen->ncells == nplaces; c++)
			db_add(f->db, "search_promise", "iid", set, places[c], promise[c]);
	}
	return n;
}

int figures_of_tuning(const struct figures *f, struct status *st)
{
	static const struct db_source query = {
	    .file = "harness/chapters/figures_tuning.c",
	    .sql = "SELECT id FROM place WHERE NOT is_limit ORDER BY id"};
	unsigned *places = NULL, nplaces = 0;
	if (!f->run->search)
		return 0;
	struct db_rows *rows = db_ask(f->db, &query, st);
	for (; rows && db_next(rows); nplaces++) {
		places = arena_more(f->arena, places, nplaces, sizeof *places);
		places[nplaces] = (unsigned)db_real(rows, 0);
	}
	if (!rows || db_end(rows, st))
		return -1;
	const struct candidates_seen seen = tuned_seen(f->run, f->arena);
	const unsigned n = put_finalists(f, &seen, places, nplaces);
	for (unsigned i = 0; i < seen.nsets; i++)
		put_levels(f, &seen, i);
	/* What trials of sets gained. */
	for (unsigned i = 0; i < seen.ntrials * nplaces && seen.ncells == nplaces; i++)
		if (effects_counts(&seen, i / nplaces, i % nplaces))
			db_add(f->db, "search_trial", "iid", seen.set_of[i / nplaces],
			       places[i % nplaces], expm1(seen.gains[i]));
	db_add(f->db, "sought", "iiii", seen.space->nkeys, seen.nsets,
	       n ? family_blocks(n, FAMILY_ALPHA) : 0, f->run->search->confirmed != NULL);
	return 0;
}
