#include "tuned.h"

#include "../data/db.h"
#include "../data/load.h"

#define MARGIN 0.02 /* where the record names none */

/* The search's own trials as a run: its sets, then those variants of the file that are none. If
 * nothing is confirmed yet, the run's trials are the search's too. */
static struct record_run own_run(const struct record_run *run, struct arena *arena)
{
	const struct record_search *s = run->search;
	const unsigned shared = s->confirmed ? 0 : run->ncells;
	struct record_run own = *run;
	own.cells = run->cells + run->ncells - shared;
	own.ncells = s->ncells + shared;
	own.failures = run->failures + run->nfailures;
	own.nfailures = s->nfailures;
	own.npaths = own.nspent = 0;
	own.search = NULL;
	own.nvariants = s->nsets;
	own.variants = ARENA_ARRAY(arena, struct record_variant, run->nvariants + s->nsets);
	memcpy(own.variants, s->variants, s->nsets * sizeof *own.variants);
	for (unsigned v = 0; v < run->nvariants; v++) {
		unsigned set = 0;
		while (set < s->nsets && strcmp(run->variants[v].name, s->variants[set].name))
			set++;
		if (set == s->nsets)
			own.variants[own.nvariants++] = run->variants[v];
	}
	return own;
}

static void gains_take(struct db *db, struct arena *arena, struct candidates_seen *seen)
{
	const struct db_source query = {
	    .file = "harness/run/tuned.c",
	    .sql = arena_text(arena,
	                      "SELECT variant, block, place, gain, places FROM "
	                      "searched_gain WHERE variant < %u ORDER BY 1, 2, 3",
	                      seen->nsets)};
	struct status st = {""};
	unsigned *set_of = NULL, *block_of = NULL;
	double *gains = ARENA_ARRAY(arena, double, 1);
	struct db_rows *rows = db_ask(db, &query, &st);
	arena_need(arena, rows != NULL);
	for (size_t n = 0; db_next(rows);) {
		if (!(db_real(rows, 2) > 0)) {
			const unsigned nth = seen->ntrials++;
			set_of = arena_more(arena, set_of, nth, sizeof *set_of);
			block_of = arena_more(arena, block_of, nth, sizeof *block_of);
			set_of[nth] = (unsigned)db_real(rows, 0);
			block_of[nth] = (unsigned)db_real(rows, 1);
		}
		seen->ncells = (unsigned)db_real(rows, 4);
		gains = arena_more(arena, gains, n, sizeof *gains);
		gains[n++] = db_real(rows, 3);
	}
	db_end(rows, &st);
	seen->set_of = set_of;
	seen->block_of = block_of;
	seen->gains = gains;
}

struct candidates_seen tuned_seen(const struct record_run *run, struct arena *arena)
{
	static const struct db_source query = {
	    .file = "harness/run/tuned.c",
	    .sql = "SELECT bad, memory FROM searched_variant ORDER BY variant"};
	const struct record_search *search = run->search;
	const double margin = json_number_value(json_object_get(run->environment, "margin"));
	bool *bad = ARENA_ARRAY(arena, bool, search->nsets + 1);
	double *memory = ARENA_ARRAY(arena, double, search->nsets + 1);
	const struct record_run own = own_run(run, arena);
	struct status st = {""};
	struct db *db = load_run(&own, arena, &st);
	struct candidates_seen out = {.space = &search->space,
	                              .margin = margin > 0 ? margin : MARGIN,
	                              .nsets = search->nsets,
	                              .sets = search->sets,
	                              .bad = bad,
	                              .memory = memory};
	arena_need(arena, db && !db_run_text(db, "harness/analysis/tuned.sql", &st));
	gains_take(db, arena, &out);
	struct db_rows *rows = db_ask(db, &query, &st);
	for (unsigned i = 0; i < search->nsets && rows && db_next(rows); i++) {
		bad[i] = db_real(rows, 0) > 0;
		memory[i] = db_real(rows, 1);
	}
	db_end(rows, &st);
	arena_undo(arena, db);
	return out;
}
