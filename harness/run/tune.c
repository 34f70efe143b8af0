#include "tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/tuned.h"
#include "../clock.h"
#include "../record/record_search.h"
#include "describe.h"
#include "progress.h"

#define MOST_TRIES 3 /* blocks for one round, where trials are missing */

/* --- what comes next, by the record --- */

/* Sets of the last round that have no trial in it yet. */
static void find_missing(const struct record_search *s, const struct candidates_seen *seen,
                         struct tune_next *out)
{
	const struct record_search_block *last = &s->blocks[s->nblocks - 1];
	unsigned tries = 0;
	for (unsigned b = 0; b < s->nblocks; b++)
		tries += s->blocks[b].round == last->round;
	for (unsigned i = 0; i < last->nsets; i++) {
		const unsigned set = last->sets[i];
		bool has = seen->bad[set] || tries >= MOST_TRIES;
		for (unsigned k = 0; k < seen->ntrials && !has; k++)
			has = seen->set_of[k] == set &&
			      s->blocks[seen->block_of[k]].round == last->round;
		if (!has)
			out->sets[out->n++] = s->sets[set];
	}
	out->round = last->round;
}

static bool was_tried(const struct record_run *run, unsigned block, const char *variant)
{
	for (unsigned c = 0; c < run->ncells; c++)
		if (run->cells[c].block == block && !strcmp(run->cells[c].variant, variant))
			return true;
	for (unsigned f = 0; f < run->nfailures; f++)
		if (run->failures[f].block == block && !strcmp(run->failures[f].variant, variant))
			return true;
	return false;
}

/* Blocks of the confirmation in which every finalist was measured. One that was cut off before
 * its first trial has two lines: the session that went on gave it the same number. */
static unsigned blocks_confirmed(const struct record_run *run)
{
	const struct record_search *s = run->search;
	unsigned whole = 0;
	for (unsigned b = 0; b < s->nblocks; b++) {
		const struct record_search_block *block = &s->blocks[b];
		bool all = block->confirms && (!b || block[-1].block != block->block);
		for (unsigned i = 0; i < block->nsets && all; i++)
			all = was_tried(run, block->block, s->variants[block->sets[i]].name);
		whole += all;
	}
	return whole;
}

static void confirm_next(const struct record_run *run, const struct candidates_seen *seen,
                         unsigned blocks, struct arena *arena, struct tune_next *out)
{
	const struct record_search *s = run->search;
	const struct record_search_block *first = s->confirmed;
	out->confirms = true;
	out->round = SEARCH_ROUNDS;
	if (!first)
		out->n = candidates_finalists(seen, arena, out->sets);
	out->confirmed = first ? blocks_confirmed(run) : 0;
	out->ended = first && out->confirmed >= blocks;
	for (unsigned i = 0; first && i < first->nsets && !out->ended; i++)
		out->sets[out->n++] = s->sets[first->sets[i]];
}

void tune_next(const struct record_run *run, const struct search_space *space, uint64_t seed,
               unsigned blocks, bool hurry, struct arena *arena, struct tune_next *out)
{
	const struct record_search *s = run->search;
	const struct candidates_seen nothing = {.space = space};
	*out = (struct tune_next){.n = 0};
	if (!s) {
		out->n = candidates_round(&nothing, 0, seed, arena, out->sets);
		return;
	}
	const struct candidates_seen seen = tuned_seen(run, arena);
	if (!s->confirmed)
		find_missing(s, &seen, out);
	while (!s->confirmed && !out->n && !hurry && out->round + 1 < SEARCH_ROUNDS)
		out->n = candidates_round(&seen, ++out->round, seed, arena, out->sets);
	if (!out->n)
		confirm_next(run, &seen, blocks, arena, out);
	if (!out->n && !out->ended) {
		out->ended = true;
		snprintf(out->why, sizeof out->why,
		         "None of %u sets promises more than half the margin in any cell",
		         seen.nsets);
	}
}

/* --- the driver --- */

struct tuning {
	struct runner *r;
	const struct record_run *run; /* while what comes next is looked for */
	struct tune_next next;
	unsigned nsets; /* that the plan has, in the record's order */
	struct search_set sets[SEARCH_MAX_SETS];
	unsigned order; /* of the next trial */
	bool hurried;   /* a round was left out, as the budget has no room for it */
};

/* A set as a variant of the plan: its place among the sets, or -1. */
static int set_add(struct tuning *t, const struct search_set *set, struct status *st)
{
	struct runner *r = t->r;
	for (unsigned i = 0; i < t->nsets; i++)
		if (search_set_equal(&t->sets[i], set))
			return (int)i;
	if (t->nsets == SEARCH_MAX_SETS)
		return status_set(st, "the search has more than %d sets; allowed are fewer values",
		                  SEARCH_MAX_SETS);
	if (search_plan_set(&r->plan, set, t->nsets + 1, st))
		return -1;
	t->sets[t->nsets] = *set;
	return (int)t->nsets++;
}

/* Gives the plan what the record has already, in its order. */
static int sets_restore(struct tuning *t, const struct record_run *run, struct status *st)
{
	const struct record_search *s = run->search;
	struct runner *r = t->r;
	for (unsigned i = 0; s && i < s->nsets; i++)
		if (set_add(t, &s->sets[i], st) < 0)
			return -1;
	/* Which way their data takes is not asked again. */
	for (unsigned i = 0; i < run->npaths; i++) {
		const int set = record_search_find(run, run->paths[i].variant);
		if (set < 0)
			continue;
		r->has_path[r->first_set + (unsigned)set] = true;
		r->unexpected[r->first_set + (unsigned)set] = !run->paths[i].as_expected;
	}
	for (unsigned i = 0; s && i < run->ncells + s->ncells; i++)
		if (run->cells[i].order >= t->order)
			t->order = run->cells[i].order + 1;
	return 0;
}

/* The line that begins a block, and the variants that it measures. */
static int block_begin(struct tuning *t, unsigned block, unsigned *variants, unsigned *n,
                       struct status *st)
{
	struct runner *r = t->r;
	struct plan *plan = &r->plan;
	const struct tune_next *next = &t->next;
	const struct record_search_block line = {
	    .block = block, .round = next->round, .confirms = next->confirms};
	const unsigned had = t->nsets;
	json_t *sets = json_array(), *measures = json_array();
	*n = 0;
	for (unsigned v = 0; v < r->first_set; v++) {
		const char *role = plan->variants[v].role;
		if (!plan->variants[v].skip[0] && (next->confirms || !strcmp(role, "reference")))
			variants[(*n)++] = v;
	}
	for (unsigned i = 0; i < next->n; i++) {
		int set = set_add(t, &next->sets[i], st);
		if (set < 0) {
			json_decref(sets);
			json_decref(measures);
			return -1;
		}
		struct plan_variant *v = &plan->variants[r->first_set + (unsigned)set];
		if (next->confirms) /* from now on its path is asked for, as of any */
			strcpy(v->role, "variant");
		json_array_append_new(measures, json_string(v->name));
		if (!v->skip[0])
			variants[(*n)++] = r->first_set + (unsigned)set;
	}
	for (unsigned i = had; i < t->nsets; i++) { /* as variants, with their levels */
		json_t *one = describe_variant(&plan->variants[r->first_set + i]);
		json_t *levels = json_array();
		for (unsigned k = 0; k < plan->search.nkeys; k++)
			json_array_append_new(levels, json_integer(t->sets[i].level[k]));
		json_object_set_new(one, "levels", levels);
		json_array_append_new(sets, one);
	}
	return record_write_search(r->folder.trials, &line, sets, measures, st)
	           ? -1
	           : folder_commit(&r->folder, st);
}

static void say_stage(struct runner *r, const struct tune_next *next)
{
	static const struct {
		const char *what;
		unsigned first, end;
	} stages[] = {{"screen", 0, SEARCH_SCREENS},
	              {"narrow", SEARCH_SCREENS, SEARCH_ROUNDS - 1},
	              {"drop", SEARCH_ROUNDS - 1, SEARCH_ROUNDS}};
	unsigned i = 0;
	while (!next->confirms && next->round >= stages[i].end)
		i++;
	snprintf(r->stage, sizeof r->stage, "%s %u of %u",
	         next->confirms ? "confirm" : stages[i].what,
	         (next->confirms ? next->confirmed : next->round - stages[i].first) + 1,
	         next->confirms ? search_blocks(&r->plan) : stages[i].end - stages[i].first);
}

/* Whether the budget ends before so many trials of the search and then the confirmation, by the
 * mean time of the trials so far. Each confirmed variant has one more job, for its path. */
static bool is_short(const struct runner *r, unsigned trials)
{
	if (!r->spec.search.budget_said || !r->ndone)
		return false;
	const unsigned confirm = search_trials(&r->plan).confirm,
	               left = trials + confirm + confirm / search_blocks(&r->plan);
	double spent_s = 1e-9 * (double)(clock_now_ns() - r->begin_ns);
	return spent_s * (1 + (double)left / r->ndone) > r->spec.budget_s;
}

/* The live line names the set with the highest mean gain so far. Of many sets the best is partly lucky,
 * so that its gain is called unconfirmed. */
static void say_best(struct runner *r, const struct record_run *run, struct arena *arena)
{
	if (!run->search || !r->progress)
		return;
	const struct candidates_seen of = tuned_seen(run, arena), *seen = &of;
	double *sum = ARENA_ARRAY(arena, double, seen->nsets + 1);
	unsigned *n = ARENA_ARRAY(arena, unsigned, seen->nsets + 1), best = seen->nsets;
	for (unsigned i = 0; i < seen->ntrials * seen->ncells; i++) {
		const unsigned set = seen->set_of[i / seen->ncells];
		if (!isnan(seen->gains[i]) && !seen->bad[set]) {
			sum[set] += seen->gains[i];
			n[set]++;
		}
	}
	for (unsigned i = 0; i < seen->nsets; i++)
		if (n[i] && (best == seen->nsets || sum[i] / n[i] > sum[best] / n[best]))
			best = i;
	if (best < seen->nsets)
		snprintf(r->progress->aim, sizeof r->progress->aim,
		         "best so far %.80s: %.3g times the speed, unconfirmed",
		         run->search->variants[best].name, exp(sum[best] / n[best]));
}

static int choose(struct arena *arena, void *of)
{
	struct tuning *t = of;
	const struct plan *p = &t->r->plan;
	say_best(t->r, t->run, arena);
	tune_next(t->run, &p->search, p->seed, search_blocks(p), false, arena, &t->next);
	if (t->next.ended || t->next.confirms || !is_short(t->r, t->next.n + 2))
		return 0;
	t->hurried = true;
	tune_next(t->run, &p->search, p->seed, search_blocks(p), true, arena, &t->next);
	return 0;
}

/* What comes next, by the record as it is; `restore`: the plan gets the sets that it has. */
static int next_find(struct tuning *t, bool restore, struct status *st)
{
	struct record_run run;
	if (record_load(t->r->folder.path, &run, st))
		return -1;
	t->run = &run;
	const int rc =
	    (restore && sets_restore(t, &run, st)) || arena_work(choose, t, "the search", st);
	record_free(&run);
	return rc ? -1 : 0;
}

static void end_say(struct runner *r, const struct tuning *t)
{
	char budget[64] = ",";
	if (t->hurried)
		snprintf(budget, sizeof budget, ", as many as a budget of %u s has room for,",
		         r->spec.budget_s);
	strcpy(r->end.reason, "search");
	if (t->next.why[0])
		snprintf(r->end.text, sizeof r->end.text, "%s", t->next.why);
	else
		snprintf(r->end.text, sizeof r->end.text,
		         "%u sets were measured%s and the best of them again in %u blocks of their "
		         "own",
		         t->nsets, budget, t->next.confirmed);
}

int tune_blocks(struct runner *r, struct status *st)
{
	struct tuning *t = calloc(1, sizeof *t);
	unsigned variants[PLAN_MAX_VARIANTS], n;
	bool asked = false; /* the paths, after the first block that confirms */
	int rc = 0;
	if (!t)
		return status_set(st, "out of memory for the search");
	const struct tune_next *next = &t->next;
	t->r = r;
	r->first_set = r->plan.nvariants;
	r->expected = search_trials(&r->plan).all;
	for (unsigned block = r->first_block;; block++) {
		if ((rc = next_find(t, block == r->first_block, st)) || next->ended)
			break;
		const unsigned first = r->plan.ntrials;
		say_stage(r, next);
		if ((rc = block_begin(t, block, variants, &n, st)) ||
		    (rc = plan_add_block(&r->plan, block, t->order, variants, n, st)) ||
		    (rc = run_block(r, block, first, n, st)) ||
		    (next->confirms && !asked && (rc = run_path_jobs(r, st))))
			break;
		asked = asked || next->confirms;
		t->order += n;
	}
	if (!rc)
		end_say(r, t);
	free(t);
	return rc ? -1 : 0;
}
