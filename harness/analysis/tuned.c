#include "tuned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../record/record_search.h"
#include "summary.h"

#define MOST_TRIES 3 /* blocks for one round, where trials are missing */

int tuned_judge(struct tuned_test *tests, unsigned n, double margin, struct status *st)
{
	double *p = calloc(2 * (n + 1), sizeof *p);
	if (!p)
		return status_set(st, "out of memory for the search");
	for (unsigned i = 0; i < n; i++)
		p[i] = tests[i].p;
	if (stats_holm(p, n, p + n)) {
		free(p);
		return status_set(st, "out of memory for the search");
	}
	for (unsigned i = 0; i < n; i++) {
		struct tuned_test *t = &tests[i];
		t->p_adjusted = p[n + i];
		t->confirmed = log(t->ratio.lo) > t->hurdle && t->p_adjusted <= 0.05;
		t->no_loss = log(t->ratio.lo) > -log1p(margin);
		t->expect = t->confirmed ? stats_chosen(&t->ratio, t->hurdle) : STATS_NO_RATIO;
	}
	free(p);
	return 0;
}

/* --- what the search measured --- */

static int levels_take(const json_t *set, struct search_set *out,
                       const struct search_space *space)
{
	const json_t *levels = json_object_get(set, "levels");
	*out = (struct search_set){{0}};
	if (json_array_size(levels) != space->nkeys)
		return -1;
	for (unsigned k = 0; k < space->nkeys; k++) {
		json_int_t level = json_integer_value(json_array_get(levels, k));
		if (level < 0 || level >= space->keys[k].nvalues)
			return -1;
		out->level[k] = (unsigned char)level;
	}
	return 0;
}

static int sets_take(const struct record_run *run, struct tuned_seen *s, struct status *st)
{
	const size_t n = json_array_size(run->search.sets);
	if (search_space_take(json_object_get(run->environment, "search"), &s->space, st))
		return -1;
	s->sets = calloc(n + 1, sizeof *s->sets);
	s->bad = calloc(n + 1, sizeof *s->bad);
	if (!s->sets || !s->bad)
		return status_set(st, "out of memory for the search");
	for (size_t i = 0; i < n; i++)
		if (levels_take(json_array_get(run->search.sets, i), &s->sets[i], &s->space))
			return status_set(st,
			                  "the record's search is damaged: set %zu has other "
			                  "settings than the environment says",
			                  i + 1);
	s->seen.nsets = (unsigned)n;
	return 0;
}

/* The search's own cells, with its sets beside the reference and its twin. The caller gives
 * back the environment and the list of cells. */
static int view_of(const struct record_run *run, struct record_run *view)
{
	json_t *variants = json_array(), *variant;
	size_t i;
	*view = *run;
	view->nfailures = 0;
	view->environment = json_copy(run->environment);
	view->cells = malloc((run->ncells + run->search.ncells + 1) * sizeof *view->cells);
	if (!view->cells) {
		json_decref(variants);
		return -1;
	}
	view->ncells = run->search.ncells;
	for (unsigned c = 0; c < run->search.ncells; c++)
		view->cells[c] = run->search.cells[c];
	/* Where nothing is confirmed yet, the default's trials stand with the run's cells. */
	for (unsigned c = 0; c < run->ncells && !run->search.confirmed; c++)
		if (!(coll_info(run->cells[c].cell.coll)->is & COLL_PSEUDO))
			view->cells[view->ncells++] = run->cells[c];
	json_array_foreach(json_object_get(run->environment, "variants"), i, variant)
	{
		const char *role = json_string_value(json_object_get(variant, "role"));
		if (role && (!strcmp(role, "reference") || !strcmp(role, "again")))
			json_array_append(variants, variant);
	}
	json_array_extend(variants, run->search.sets);
	return !view->environment ||
	       json_object_set_new(view->environment, "variants", variants);
}

static double mean_log(const struct summary *s, int v, unsigned place, unsigned block)
{
	const struct summary_trial *t =
	    v < 0 ? NULL : index_timed(s, (unsigned)v, place, block);
	return t && t->time_ns > 0 ? log(t->time_ns) : NAN;
}

/* The default's, of its two trials or the one that is there. */
static double default_log(const struct summary *s, unsigned place, unsigned block)
{
	double first = mean_log(s, s->reference, place, block);
	double again = mean_log(s, s->twin, place, block);
	return isnan(first) ? again : isnan(again) ? first : (first + again) / 2;
}

static unsigned round_at(const struct record_run *run, unsigned block)
{
	for (unsigned i = 0; i < run->search.nblocks; i++)
		if (run->search.blocks[i].block == block)
			return run->search.blocks[i].round;
	return 0;
}

/* A trial of each set and block that has any cell. */
static int gains_take(const struct record_run *run, const struct summary *s,
                      struct tuned_seen *t)
{
	const struct index *x = &s->index;
	const size_t most = (size_t)t->seen.nsets * x->nblocks + 1;
	t->set_of = malloc(most * sizeof *t->set_of);
	t->round_of = malloc(most * sizeof *t->round_of);
	t->gains = malloc(most * (x->nplaces + 1) * sizeof *t->gains);
	if (!t->set_of || !t->round_of || !t->gains)
		return -1;
	for (unsigned i = 0; i < t->seen.nsets; i++) {
		const json_t *set = json_array_get(run->search.sets, i);
		int v = index_variant(s, json_string_value(json_object_get(set, "name")));
		for (unsigned b = 0; b < x->nblocks && v >= 0; b++) {
			double *gains = t->gains + (size_t)t->seen.ntrials * x->nplaces;
			bool any = false;
			for (unsigned p = 0; p < x->nplaces; p++) {
				gains[p] = default_log(s, p, b) - mean_log(s, v, p, b);
				any = any || !isnan(gains[p]);
			}
			if (!any)
				continue;
			t->set_of[t->seen.ntrials] = i;
			t->round_of[t->seen.ntrials++] = round_at(run, x->blocks[b]);
		}
	}
	t->seen.ncells = x->nplaces;
	return 0;
}

/* Whose data is wrong, or whose job failed: not to be measured again. */
static void bad_find(const struct record_run *run, const struct summary *s,
                     struct tuned_seen *t)
{
	for (unsigned i = 0; i < t->seen.nsets; i++) {
		const char *name = json_string_value(
		    json_object_get(json_array_get(run->search.sets, i), "name"));
		for (unsigned f = 0; f < run->search.nfailures; f++)
			t->bad[i] |= !strcmp(run->search.failures[f].variant, name);
		int v = index_variant(s, name);
		for (unsigned r = 0; r < s->nrows; r++)
			t->bad[i] |= (int)s->rows[r].variant == v &&
			             (s->rows[r].wrong || s->rows[r].failed ||
			              (s->carries_data && !s->rows[r].digest_ok));
		t->bad[i] |= json_string_value(json_object_get(
		                 json_array_get(run->search.sets, i), "skip"))[0] != '\0';
	}
}

int tuned_seen_make(const struct record_run *run, struct tuned_seen *out, struct status *st)
{
	struct record_run view = {.ncells = 0};
	struct summary s;
	int rc = -1;
	*out = (struct tuned_seen){.seen = {.ncells = 0}};
	if (sets_take(run, out, st))
		goto out;
	if (view_of(run, &view)) {
		status_set(st, "out of memory for the search");
		goto out;
	}
	if (summary_make(&view, &s, st))
		goto out;
	rc = gains_take(run, &s, out);
	if (rc)
		status_set(st, "out of memory for the search");
	else
		bad_find(run, &s, out);
	out->seen.margin = s.margin;
	summary_free(&s);
	out->seen.space = &out->space;
	out->seen.sets = out->sets;
	out->seen.bad = out->bad;
	out->seen.set_of = out->set_of;
	out->seen.gains = out->gains;
out:
	json_decref(view.environment);
	free(view.cells);
	if (rc)
		tuned_seen_free(out);
	return rc;
}

void tuned_seen_free(struct tuned_seen *seen)
{
	free(seen->sets);
	free(seen->bad);
	free(seen->set_of);
	free(seen->round_of);
	free(seen->gains);
	*seen = (struct tuned_seen){.seen = {.ncells = 0}};
}

/* --- what comes next --- */

int tuned_set(const struct record_run *run, const char *name)
{
	for (size_t i = 0; i < json_array_size(run->search.sets); i++) {
		const json_t *set = json_array_get(run->search.sets, i);
		if (!strcmp(json_string_value(json_object_get(set, "name")), name))
			return (int)i;
	}
	return -1;
}

/* Sets of a round that have no trial in it yet. */
static void find_missing(const struct record_run *run, const struct tuned_seen *t,
                         struct tuned_next *out)
{
	const struct record_search_block *last = &run->search.blocks[run->search.nblocks - 1];
	const json_t *name;
	unsigned tries = 0;
	size_t i;
	for (unsigned b = 0; b < run->search.nblocks; b++)
		tries += run->search.blocks[b].round == last->round;
	json_array_foreach(last->measures, i, name)
	{
		int set = tuned_set(run, json_string_value(name));
		bool has = set < 0 || t->bad[set] || tries >= MOST_TRIES;
		for (unsigned k = 0; k < t->seen.ntrials && !has; k++)
			has = (int)t->set_of[k] == set && t->round_of[k] == last->round;
		if (!has)
			out->sets[out->n++] = t->sets[set];
	}
	out->round = last->round;
}

/* Blocks of the confirmation in which every finalist was measured. One that was cut off before
 * its first trial has two lines: that of the session that went on has its number. */
static unsigned blocks_confirmed(const struct record_run *run)
{
	unsigned whole = 0;
	for (unsigned b = 0; b < run->search.nblocks; b++) {
		const struct record_search_block *block = &run->search.blocks[b];
		const json_t *name;
		bool all = block->confirms && (!b || block[-1].block != block->block);
		size_t i;
		json_array_foreach(block->measures, i, name)
		{
			bool found = false;
			for (unsigned c = 0; c < run->ncells && all && !found; c++)
				found = run->cells[c].block == block->block &&
				        !strcmp(run->cells[c].variant, json_string_value(name));
			for (unsigned f = 0; f < run->nfailures && all && !found; f++)
				found =
				    run->failures[f].block == block->block &&
				    !strcmp(run->failures[f].variant, json_string_value(name));
			all = all && found;
		}
		whole += all;
	}
	return whole;
}

static int confirm_next(const struct record_run *run, const struct tuned_seen *t,
                        unsigned blocks, struct tuned_next *out, struct status *st)
{
	const struct record_search_block *first = run->search.confirmed;
	const json_t *name;
	size_t i;
	out->confirms = true;
	out->round = SEARCH_ROUNDS;
	if (!first)
		return candidates_finalists(&t->seen, out->sets, &out->n, st);
	out->confirmed = blocks_confirmed(run);
	if (out->confirmed >= blocks) {
		out->ended = true;
		return 0;
	}
	for (i = 0; i < json_array_size(first->measures); i++) {
		name = json_array_get(first->measures, i);
		out->sets[out->n++] = t->sets[tuned_set(run, json_string_value(name))];
	}
	return 0;
}

static int round_next(const struct search_space *space, uint64_t seed,
                      const struct tuned_seen *t, struct tuned_next *out, struct status *st)
{
	search_aside aside;
	if (out->round >= SEARCH_SCREENS)
		return candidates_narrow(&t->seen, search_narrow_most(out->round - SEARCH_SCREENS),
		                     out->sets, &out->n, st);
	candidates_aside(&t->seen, aside);
	out->n = search_cover(space, (const search_aside *)&aside, seed + out->round, out->sets,
	                      SEARCH_MAX_SETS);
	return 0;
}

int tuned_next(const struct record_run *run, const struct search_space *space, uint64_t seed,
               unsigned blocks, bool hurry, struct tuned_next *out, struct status *st)
{
	struct tuned_seen t;
	int rc = 0;
	*out = (struct tuned_next){.n = 0};
	if (!run->search.nblocks) {
		out->n = search_cover(space, NULL, seed, out->sets, SEARCH_MAX_SETS);
		return 0;
	}
	if (tuned_seen_make(run, &t, st))
		return -1;
	if (!run->search.confirmed)
		find_missing(run, &t, out);
	if (run->search.confirmed || (!out->n && (hurry || out->round + 1 >= SEARCH_ROUNDS)))
		rc = confirm_next(run, &t, blocks, out, st);
	else if (!out->n) {
		out->round++;
		rc = round_next(space, seed, &t, out, st);
	}
	if (!rc && !out->n && !out->ended) {
		out->ended = true;
		snprintf(out->why, sizeof out->why,
		         "None of %u sets promises more than half the margin in any cell",
		         t.seen.nsets);
	}
	tuned_seen_free(&t);
	return rc;
}
