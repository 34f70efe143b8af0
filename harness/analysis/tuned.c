#include "tuned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

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

/* The search's own trials as a run: its sets and the variants of the file. If nothing is confirmed
 * yet, the run's trials are the search's too. The caller gives back the environment. */
static int own_run(const struct record_run *run, struct record_run *own)
{
	const struct record_search *s = run->search;
	const unsigned shared = s->confirmed ? 0 : run->ncells;
	json_t *variants = json_copy(json_object_get(run->environment, "variants"));
	*own = *run;
	own->environment = json_copy(run->environment);
	own->cells = run->cells + run->ncells - shared;
	own->ncells = s->ncells + shared;
	own->nfailures = 0;
	own->search = NULL;
	for (unsigned i = 0; i < s->nsets; i++) /* a finalist twice: the first counts */
		json_array_append(variants, s->variants[i]);
	return json_object_set_new(own->environment, "variants", variants);
}

static double mean_log(const struct summary *s, int v, unsigned place, unsigned block)
{
	const struct summary_trial *t = v < 0 ? NULL : index_timed(s, (unsigned)v, place, block);
	return t && t->time_ns > 0 ? log(t->time_ns) : NAN;
}

/* The default's, of its two trials or the one that exists. */
static double default_log(const struct summary *s, unsigned place, unsigned block)
{
	double first = mean_log(s, s->reference, place, block);
	double again = mean_log(s, s->twin, place, block);
	return isnan(first) ? again : isnan(again) ? first : (first + again) / 2;
}

static unsigned round_at(const struct record_search *s, unsigned block)
{
	for (unsigned i = 0; i < s->nblocks; i++)
		if (s->blocks[i].block == block)
			return s->blocks[i].round;
	return 0;
}

/* A trial of each set and block that has any cell. */
static int gains_take(const struct record_search *search, const struct summary *s,
                      struct tuned_seen *t)
{
	const struct index *x = &s->index;
	const size_t most = (size_t)search->nsets * x->nblocks + 1;
	struct candidates_seen *seen = &t->seen;
	t->set_of = malloc(most * sizeof *t->set_of);
	t->round_of = malloc(most * sizeof *t->round_of);
	t->gains = malloc(most * (x->nplaces + 1) * sizeof *t->gains);
	if (!t->set_of || !t->round_of || !t->gains)
		return -1;
	for (unsigned i = 0; i < search->nsets; i++) {
		int v = index_variant(s, search->names[i]);
		for (unsigned b = 0; b < x->nblocks && v >= 0; b++) {
			double *gains = t->gains + (size_t)seen->ntrials * x->nplaces;
			bool any = false;
			for (unsigned p = 0; p < x->nplaces; p++) {
				gains[p] = default_log(s, p, b) - mean_log(s, v, p, b);
				any = any || !isnan(gains[p]);
			}
			if (!any)
				continue;
			t->set_of[seen->ntrials] = i;
			t->round_of[seen->ntrials++] = round_at(search, x->blocks[b]);
		}
	}
	seen->ncells = x->nplaces;
	seen->set_of = t->set_of;
	seen->gains = t->gains;
	return 0;
}

/* Sets with wrong data, or a job that failed: not to be measured again. */
static int bad_find(const struct record_run *run, const struct summary *s, struct tuned_seen *t)
{
	const struct record_search *search = run->search;
	bool *bad = t->bad = calloc(search->nsets + 1, sizeof *t->bad);
	for (unsigned i = 0; bad && i < search->nsets; i++) {
		const struct record_failure *failures = run->failures + run->nfailures;
		const char *skip = json_string_value(json_object_get(search->variants[i], "skip"));
		int v = index_variant(s, search->names[i]);
		bad[i] = skip && *skip;
		for (unsigned f = 0; f < search->nfailures; f++)
			bad[i] |= !strcmp(failures[f].variant, search->names[i]);
		for (unsigned r = 0; r < s->nrows; r++)
			bad[i] |= (int)s->rows[r].variant == v &&
			          (s->rows[r].wrong || s->rows[r].failed ||
			           (s->carries_data && !s->rows[r].digest_ok));
	}
	t->seen.bad = bad;
	return bad ? 0 : -1;
}

int tuned_seen_make(const struct record_run *run, struct tuned_seen *out, struct status *st)
{
	const struct record_search *search = run->search;
	struct record_run own;
	struct summary s;
	int rc = -1;
	*out = (struct tuned_seen){
	    .seen = {.space = &search->space, .nsets = search->nsets, .sets = search->sets}};
	if (own_run(run, &own))
		status_set(st, "out of memory for the search");
	else if (!summary_make(&own, &s, st)) {
		out->seen.margin = s.margin;
		rc = gains_take(search, &s, out) || bad_find(run, &s, out)
		         ? status_set(st, "out of memory for the search")
		         : 0;
		summary_free(&s);
	}
	json_decref(own.environment);
	if (rc)
		tuned_seen_free(out);
	return rc;
}

void tuned_seen_free(struct tuned_seen *seen)
{
	free(seen->bad);
	free(seen->set_of);
	free(seen->round_of);
	free(seen->gains);
	*seen = (struct tuned_seen){.bad = NULL};
}
