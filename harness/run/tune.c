#include "tune.h"

#include <math.h>

#include "tuned.h"
#include "../clock.h"
#include "../record/record_search.h"
#include "describe.h"

#define MOST_TRIES 3 /* blocks for one round, where trials are missing */

/* --- what comes next, by the record --- */

static void find_missing(const struct record_search *s, const struct candidates_seen *seen,
                         struct tune_next *out)
{
	const struct record_search_block *last = &s->blocks[s->nblocks - 1];
	unsigned tries = 0;
	bool has[SEARCH_MAX_SETS] = {false};
	for (unsigned b = 0; b < s->nblocks; b++) {
		if (s->blocks[b].round != last->round)
			continue;
		tries++;
		for (unsigned k = 0; k < seen->ntrials; k++)
			if (seen->block_of[k] == s->blocks[b].block)
				has[seen->set_of[k]] = true;
	}
	for (unsigned i = 0; i < last->nsets && tries < MOST_TRIES; i++)
		if (!has[last->sets[i]] && !seen->bad[last->sets[i]])
			out->sets[out->n++] = s->sets[last->sets[i]];
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

/* Blocks of the confirmation in which every variant but the limit was measured, or failed. */
static unsigned blocks_confirmed(const struct record_run *run)
{
	unsigned whole = 0;
	for (unsigned b = run->search->confirmed->block; b < record_next_block(run); b++) {
		bool all = true;
		for (unsigned i = 0; i < run->nvariants && all; i++) {
			const struct record_variant *v = &run->variants[i];
			all = *v->skip || !strcmp(v->role, "limit") || was_tried(run, b, v->name);
		}
		whole += all;
	}
	return whole;
}

static void confirm_next(const struct record_run *run, const struct candidates_seen *seen,
                         unsigned blocks, struct arena *arena, struct tune_next *out)
{
	const struct record_search_block *first = run->search->confirmed;
	out->confirms = true;
	out->round = SEARCH_ROUNDS;
	if (!first)
		out->n = candidates_finalists(seen, arena, out->sets);
	out->confirmed = first ? blocks_confirmed(run) : 0;
	out->ended = first ? out->confirmed >= blocks : !out->n;
	for (unsigned i = 0; first && i < first->nsets; i++)
		out->sets[out->n++] = run->search->sets[first->sets[i]];
}

void tune_next(const struct record_run *run, const struct candidates_seen *seen, uint64_t seed,
               unsigned blocks, bool hurry, struct arena *arena, struct tune_next *out)
{
	const struct record_search *s = run->search;
	unsigned round = s->nblocks ? s->blocks[s->nblocks - 1].round + 1 : 0;
	*out = (struct tune_next){.n = 0};
	if (s->nblocks && !s->confirmed)
		find_missing(s, seen, out);
	for (; !s->confirmed && !out->n && !hurry && round < SEARCH_ROUNDS; round++) {
		out->round = round;
		out->n = candidates_round(seen, round, seed, arena, out->sets);
	}
	if (!out->n)
		confirm_next(run, seen, blocks, arena, out);
}

/* --- the driver --- */

struct tuning {
	struct runner *r;
	struct record_run run; /* while what comes next is looked for */
	struct tune_next next;
	bool hurried; /* a round was left out, as the budget has no room for it */
};

/* The line that begins a block, and the variants that it measures. */
static int block_begin(struct tuning *t, unsigned block, unsigned *variants, unsigned *n,
                       struct status *st)
{
	struct runner *r = t->r;
	struct plan *plan = &r->plan;
	const struct tune_next *next = &t->next;
	const struct record_search_block line = {
	    .block = block, .round = next->round, .confirms = next->confirms};
	const unsigned had = plan->nvariants;
	unsigned set[SEARCH_MAX_SETS];
	*n = 0;
	for (unsigned v = 0; v < plan->nfile; v++)
		if (!plan->variants[v].skip[0] &&
		    (next->confirms || !strcmp(plan->variants[v].role, "reference")))
			variants[(*n)++] = v;
	for (unsigned i = 0; i < next->n; i++) {
		const int v = search_plan_set(plan, &next->sets[i], st);
		if (v < 0)
			return -1;
		if (next->confirms) /* from now on its path is asked for, as of any */
			strcpy(plan->variants[v].role, "variant");
		if (!plan->variants[v].skip[0])
			variants[(*n)++] = (unsigned)v;
		set[i] = (unsigned)v;
	}
	json_t *sets = json_array(), *measures = json_array();
	for (unsigned i = 0; i < next->n; i++)
		json_array_append_new(measures, json_string(plan->variants[set[i]].name));
	for (unsigned v = had; v < plan->nvariants; v++)
		json_array_append_new(sets, describe_variant(plan, &plan->variants[v]));
	return record_write_search(r->folder.trials, &line, sets, measures, st)
	           ? -1
	           : folder_commit(&r->folder, st);
}

static void say_stage(struct runner *r, const struct tune_next *next)
{
	static const char *const rounds[SEARCH_ROUNDS] = {
	    "screen 1 of 2", "screen 2 of 2", "narrow 1 of 2", "narrow 2 of 2", "drop 1 of 1"};
	if (next->confirms)
		snprintf(r->stage, sizeof r->stage, "confirm %u of %u", next->confirmed + 1,
		         search_blocks(&r->plan));
	else
		strcpy(r->stage, rounds[next->round]);
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

static int choose(struct arena *arena, void *of)
{
	struct tuning *t = of;
	const struct plan *p = &t->r->plan;
	const struct candidates_seen seen = tuned_seen(&t->run, arena);
	tune_next(&t->run, &seen, p->seed, search_blocks(p), false, arena, &t->next);
	if (t->next.ended || t->next.confirms || !is_short(t->r, t->next.n + 2))
		return 0;
	t->hurried = true;
	tune_next(&t->run, &seen, p->seed, search_blocks(p), true, arena, &t->next);
	return 0;
}

static void end_say(struct runner *r, const struct tuning *t)
{
	const unsigned nsets = r->plan.nvariants - r->plan.nfile;
	char budget[64] = ",";
	if (t->hurried)
		snprintf(budget, sizeof budget, ", as many as a budget of %u s has room for,",
		         r->spec.budget_s);
	strcpy(r->end.reason, "search");
	if (t->next.confirmed)
		snprintf(
		    r->end.text, sizeof r->end.text,
		    "%u sets were measured%s and the best of them again in %u blocks after that",
		    nsets, budget, t->next.confirmed);
	else
		snprintf(r->end.text, sizeof r->end.text,
		         "None of %u sets promises more than half the margin in any cell", nsets);
}

static int next_find(struct tuning *t, struct status *st)
{
	if (record_load(t->r->folder.path, &t->run, st))
		return -1;
	const int rc = arena_work(choose, t, "the search", st);
	record_free(&t->run);
	return rc;
}

int tune_blocks(struct runner *r, struct status *st)
{
	struct tuning t = {.r = r};
	unsigned variants[PLAN_MAX_VARIANTS], n;
	bool asked = false; /* the paths, after the first block that confirms */
	for (unsigned block = r->first_block;; block++) {
		const unsigned had = r->plan.ntrials, first = r->first_order + had;
		if (next_find(&t, st))
			return -1;
		if (t.next.ended)
			break;
		say_stage(r, &t.next);
		if (block_begin(&t, block, variants, &n, st))
			return -1;
		plan_add_block(&r->plan, block, first, variants, n);
		if (run_block(r, block, had, n, st) ||
		    (t.next.confirms && !asked && run_path_jobs(r, st)))
			return -1;
		asked = asked || t.next.confirms;
	}
	end_say(r, &t);
	return 0;
}
