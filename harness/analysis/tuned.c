#include "tuned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../record/record_search.h"
#include "contrast.h"
#include "measure.h"
#include "memory.h"
#include "words.h"

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

static int set_named(const struct record_run *run, const char *name)
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
		int set = set_named(run, json_string_value(name));
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
		return search_finalists(&t->seen, out->sets, &out->n, st);
	out->confirmed = blocks_confirmed(run);
	if (out->confirmed >= blocks) {
		out->ended = true;
		return 0;
	}
	for (i = 0; i < json_array_size(first->measures); i++) {
		name = json_array_get(first->measures, i);
		out->sets[out->n++] = t->sets[set_named(run, json_string_value(name))];
	}
	return 0;
}

static int round_next(const struct search_space *space, uint64_t seed,
                      const struct tuned_seen *t, struct tuned_next *out, struct status *st)
{
	search_aside aside;
	if (out->round >= SEARCH_SCREENS)
		return search_narrow(&t->seen, search_narrow_most(out->round - SEARCH_SCREENS),
		                     out->sets, &out->n, st);
	search_set_aside(&t->seen, aside);
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

/* --- what is confirmed --- */

static int cells_find(const struct summary *s, struct tuned *t)
{
	t->cells = calloc(s->index.nplaces + 1, sizeof *t->cells);
	if (!t->cells)
		return -1;
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; i < s->groups[g].nsizes && !s->groups[g].limit; i++)
			t->cells[t->ncells++] =
			    (struct tuned_cell){.group = g, .size = i, .best = -1};
	return 0;
}

/* Two variants in one cell, by the time per call of its pace: above 1, left is faster. */
static int cell_contrast(const struct summary *s, const struct tuned_cell *cell, unsigned left,
                         unsigned right, double by, struct contrast *out, struct status *st)
{
	const struct summary_group *g = &s->groups[cell->group];
	const size_t size = g->asked_bytes[cell->size];
	const struct contrast_select select = {.bytes = {size, size},
	                                       .pace = (int)g->cell.pace,
	                                       .coll = (int)g->cell.coll,
	                                       .group = g,
	                                       .by = by};
	return contrast_make(s, left, right, METRIC_TIME, &select, out, st);
}

static int lines_make(const struct summary *s, struct tuned *t, struct status *st)
{
	struct contrast c;
	for (unsigned i = 0; i < t->ncells; i++) {
		t->cells[i].line = STATS_NO_RATIO;
		if (s->twin < 0 || s->reference < 0)
			continue;
		if (cell_contrast(s, &t->cells[i], (unsigned)s->twin, (unsigned)s->reference, 0,
		                  &c, st))
			return -1;
		t->cells[i].line = c.verdict.ratio;
	}
	return 0;
}

/* What a gain has to lie beyond, as a log: the margin, or the A/A line where that tells nothing
 * within it. */
static double hurdle_of(const struct summary *s, const struct stats_ratio *line)
{
	const double margin = log1p(s->margin);
	double most = fmax(log(line->hi), -log(line->lo));
	bool excludes = line->lo > 1 || line->hi < 1;
	if (isnan(line->lo))
		return INFINITY;
	return excludes || most > margin ? fmax(most, margin) : margin;
}

static int tests_make(const struct summary *s, struct tuned *t, struct status *st)
{
	t->tests = calloc((size_t)t->nfinalists * t->ncells + 1, sizeof *t->tests);
	if (!t->tests)
		return status_set(st, "out of memory for the search");
	for (unsigned i = 0; i < t->nfinalists * t->ncells; i++) {
		const struct tuned_cell *cell = &t->cells[i % t->ncells];
		struct tuned_test *test = &t->tests[i];
		struct contrast c;
		test->hurdle = hurdle_of(s, &cell->line);
		if (cell_contrast(s, cell, t->finalists[i / t->ncells].variant,
		                  (unsigned)s->reference,
		                  isinf(test->hurdle) ? 0 : expm1(test->hurdle), &c, st))
			return -1;
		test->ratio = c.verdict.ratio;
		test->p = c.p.less; /* of a time: less is faster */
	}
	return tuned_judge(t->tests, t->nfinalists * t->ncells, s->margin, st);
}

/* Of a finalist, and of the cells that it is best in. */
static void sum_up(const struct summary *s, struct tuned *t)
{
	(void)s;
	t->all = -1;
	for (unsigned f = 0; f < t->nfinalists; f++) {
		struct tuned_finalist *one = &t->finalists[f];
		one->tests = t->tests + (size_t)f * t->ncells;
		one->no_loss = true;
		for (unsigned c = 0; c < t->ncells; c++) {
			const struct tuned_test *test = &one->tests[c];
			int *best = &t->cells[c].best;
			one->no_loss = one->no_loss && test->no_loss;
			one->confirmed += test->confirmed;
			one->gain += log(test->ratio.estimate) / t->ncells;
			if (test->confirmed &&
			    (*best < 0 || test->expect.estimate >
			                      t->finalists[*best].tests[c].expect.estimate))
				*best = (int)f;
		}
		if (one->no_loss && one->confirmed &&
		    (t->all < 0 || one->gain > t->finalists[t->all].gain))
			t->all = (int)f;
	}
}

/* The settings that did something; all of them where none did. */
static void text_make(const struct summary *s, const struct search_space *space,
                      struct tuned_finalist *f)
{
	struct search_set acting = f->set;
	bool any = false;
	for (unsigned k = 0; k < space->nkeys; k++) {
		char idle[256];
		if (!acting.level[k])
			continue;
		evidence_idle(s, s->variants[f->variant].name, space->keys[k].key, idle,
		              sizeof idle);
		acting.level[k] = idle[0] ? 0 : acting.level[k];
		any |= !idle[0];
	}
	search_set_text(space, any ? &acting : &f->set, f->text, sizeof f->text);
}

static int finalists_find(const struct summary *s, const struct tuned_seen *seen,
                          struct tuned *t, struct status *st)
{
	const struct record_search_block *first = s->run->search.confirmed;
	struct memory_use own, with;
	const json_t *name;
	size_t i;
	json_array_foreach(first ? first->measures : NULL, i, name)
	{
		int set = set_named(s->run, json_string_value(name));
		int v = index_variant(s, json_string_value(name));
		struct tuned_finalist *f = &t->finalists[t->nfinalists];
		if (set < 0 || v < 0 || s->reference < 0 ||
		    t->nfinalists == SEARCH_MAX_FINALISTS)
			continue;
		f->set = seen->sets[set];
		f->variant = (unsigned)v;
		text_make(s, &t->space, f);
		if (memory_of(s, (unsigned)s->reference, &own) ||
		    memory_of(s, f->variant, &with))
			return status_set(st, "out of memory for the search");
		/* NCCL makes the buffers of sends and receives with their first call. */
		f->memory_bytes = with.comm + with.calls - own.comm - own.calls;
		t->nfinalists++;
	}
	return 0;
}

static int best_find(const struct tuned_seen *seen, struct tuned *t)
{
	const size_t n = (size_t)SEARCH_MAX_KEYS * SEARCH_MAX_VALUES * t->ncells;
	t->best = malloc((n + 1) * sizeof *t->best);
	for (size_t i = 0; i < n && t->best; i++) {
		unsigned key = (unsigned)(i / t->ncells / SEARCH_MAX_VALUES);
		unsigned value = (unsigned)(i / t->ncells % SEARCH_MAX_VALUES);
		bool is = key < t->space.nkeys && value && value < t->space.keys[key].nvalues &&
		          seen->seen.ncells == t->ncells;
		t->best[i] =
		    is ? search_best(&seen->seen, key, value, (unsigned)(i % t->ncells)) : NAN;
	}
	return t->best ? 0 : -1;
}

double tuned_best(const struct tuned *t, unsigned key, unsigned value, unsigned cell)
{
	return t->best[((size_t)key * SEARCH_MAX_VALUES + value) * t->ncells + cell];
}

int tuned_make(const struct summary *s, struct tuned *out, struct status *st)
{
	struct tuned_seen seen;
	*out = (struct tuned){.all = -1};
	if (!s->run->search.nblocks)
		return 0;
	if (tuned_seen_make(s->run, &seen, st))
		return -1;
	struct tuned t = {.searched = true,
	                  .space = seen.space,
	                  .ntrials = seen.seen.ntrials,
	                  .nsets = seen.seen.nsets,
	                  .all = -1};
	int rc = cells_find(s, &t) || best_find(&seen, &t)
	             ? status_set(st, "out of memory for the search")
	             : 0;
	if (!rc && !s->trouble[0])
		rc = finalists_find(s, &seen, &t, st) || lines_make(s, &t, st) ||
		     tests_make(s, &t, st);
	if (!rc)
		sum_up(s, &t);
	t.wants = t.nfinalists ? search_confirm_blocks(t.nfinalists * t.ncells) : 0;
	tuned_seen_free(&seen);
	if (rc)
		tuned_free(&t);
	else
		*out = t;
	return rc ? -1 : 0;
}

bool tuned_line(const struct summary *s, const struct tuned *t, const struct tuned_finalist *f,
                unsigned key, char *idle, size_t bytes)
{
	const char *name = t->space.keys[key].key;
	idle[0] = '\0';
	if (!f->set.level[key] || strncmp(name, "env.NCCL_", 9))
		return false;
	evidence_idle(s, s->variants[f->variant].name, name, idle, bytes);
	return true;
}

bool tuned_in_file(const struct summary *s, const struct tuned *t,
                   const struct tuned_finalist *f)
{
	char idle[256];
	for (unsigned k = 0; k < t->space.nkeys; k++)
		if (tuned_line(s, t, f, k, idle, sizeof idle) && !idle[0])
			return true;
	return false;
}

static size_t asked_of(const struct summary *s, const struct tuned_cell *cell)
{
	return s->groups[cell->group].asked_bytes[cell->size];
}

static bool loses(const struct summary *s, const struct tuned_test *test)
{
	return log(test->ratio.hi) < -log1p(s->margin);
}

static bool loses_somewhere(const struct summary *s, const struct tuned *t,
                            const struct tuned_finalist *f)
{
	for (unsigned c = 0; c < t->ncells; c++)
		if (loses(s, &f->tests[c]))
			return true;
	return false;
}

void tuned_limits_say(const struct summary *s, const struct tuned *t, char *text, size_t bytes)
{
	const struct tuned_finalist *best = NULL;
	char sizes[256] = "";
	bool worse = true;
	for (unsigned f = 0; f < t->nfinalists; f++) {
		const struct tuned_finalist *one = &t->finalists[f];
		const bool lost = loses_somewhere(s, t, one);
		if (!one->confirmed ||
		    (best && (lost != worse ? lost : one->gain <= best->gain)))
			continue;
		best = one;
		worse = lost;
	}
	text[0] = '\0';
	for (unsigned c = 0; best && c < t->ncells; c++) {
		bool named = worse ? !loses(s, &best->tests[c]) : best->tests[c].no_loss;
		const size_t size = asked_of(s, &t->cells[c]);
		for (unsigned k = 0; k < c && !named; k++)
			named = asked_of(s, &t->cells[k]) == size &&
			        (worse ? loses(s, &best->tests[k]) : !best->tests[k].no_loss);
		if (!named)
			status_list(sizes, sizeof sizes, words_size(size).text);
	}
	if (best)
		snprintf(text, bytes, "%s %s at %s", s->variants[best->variant].name,
		         worse ? "loses" : "is not shown to lose nothing", sizes);
}

void tuned_free(struct tuned *t)
{
	free(t->cells);
	free(t->tests);
	free(t->best);
	*t = (struct tuned){.all = -1};
}
