#include "tuned.h"

#include <math.h>
#include <string.h>

#include "../arena.h"
#include "measure.h"
#include "summary.h"

/* The search's own trials as a run: its sets and the variants of the file. If nothing is confirmed
 * yet, the run's trials are the search's too. */
static void own_run(const struct record_run *run, struct arena *arena, struct record_run *own)
{
	const struct record_search *s = run->search;
	const unsigned shared = s->confirmed ? 0 : run->ncells, n = run->nvariants;
	*own = *run;
	own->cells = run->cells + run->ncells - shared;
	own->ncells = s->ncells + shared;
	own->nfailures = 0;
	own->search = NULL;
	own->nvariants = n + s->nsets; /* a finalist twice: the first counts */
	own->variants = ARENA_ARRAY(arena, struct record_variant, own->nvariants);
	memcpy(own->variants, run->variants, n * sizeof *own->variants);
	memcpy(own->variants + n, s->variants, s->nsets * sizeof *own->variants);
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

/* A trial of each set and block that has any cell. */
static void gains_take(const struct record_search *search, const struct summary *s,
                       struct candidates_seen *seen)
{
	const struct index *x = &s->index;
	const size_t most = (size_t)search->nsets * x->nblocks;
	unsigned *set_of = ARENA_ARRAY(s->arena, unsigned, most),
	         *block_of = ARENA_ARRAY(s->arena, unsigned, most);
	/* Room for one more: a trial without any cell. */
	double *all = ARENA_ARRAY(s->arena, double, (most + 1) * x->nplaces);
	for (unsigned i = 0; i < search->nsets; i++) {
		int v = index_variant(s, search->variants[i].name);
		for (unsigned b = 0; b < x->nblocks && v >= 0; b++) {
			double *gains = all + (size_t)seen->ntrials * x->nplaces;
			bool any = false;
			for (unsigned p = 0; p < x->nplaces; p++) {
				gains[p] = default_log(s, p, b) - mean_log(s, v, p, b);
				any = any || !isnan(gains[p]);
			}
			if (!any)
				continue;
			set_of[seen->ntrials] = i;
			block_of[seen->ntrials++] = x->blocks[b];
		}
	}
	seen->ncells = x->nplaces;
	seen->set_of = set_of;
	seen->block_of = block_of;
	seen->gains = all;
}

/* Sets with wrong data, or a job that failed: not to be measured again. */
static const bool *bad_find(const struct record_run *run, const struct summary *s)
{
	const struct record_search *search = run->search;
	bool *bad = ARENA_ARRAY(s->arena, bool, search->nsets);
	for (unsigned i = 0; i < search->nsets; i++) {
		const struct record_failure *failures = run->failures + run->nfailures;
		int v = index_variant(s, search->variants[i].name);
		bad[i] = *search->variants[i].skip;
		for (unsigned f = 0; f < search->nfailures; f++)
			bad[i] |= !strcmp(failures[f].variant, search->variants[i].name);
		for (unsigned r = 0; r < s->nrows; r++)
			bad[i] |=
			    (int)s->rows[r].variant == v && (s->rows[r].wrong || s->rows[r].failed);
	}
	return bad;
}

/* GPU memory beside the buffers, of the first worker in a variant's trials; the median. */
static double memory_of(const struct summary *s, int variant)
{
	double *x = ARENA_ARRAY(s->arena, double, s->run->ncells + 1);
	unsigned n = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const json_t *facts = json_object_get(s->run->cells[i].json, "facts"),
		             *first = json_array_get(facts, 0);
		x[n] = measure_fact(first, "memory_comm_bytes") +
		       measure_fact(first, "memory_calls_bytes");
		n += (int)s->index.variant_of[i] == variant && !isnan(x[n]);
	}
	return stats_median(x, n);
}

struct candidates_seen tuned_seen(const struct record_run *run, struct arena *arena)
{
	const struct record_search *search = run->search;
	struct record_run own;
	struct summary s;
	own_run(run, arena, &own);
	summary_make(&own, arena, &s);
	struct candidates_seen out = {.space = &search->space,
	                              .margin = s.margin,
	                              .nsets = search->nsets,
	                              .sets = search->sets,
	                              .bad = bad_find(run, &s)};
	gains_take(search, &s, &out);
	double *memory = ARENA_ARRAY(arena, double, search->nsets + 1);
	for (unsigned i = 0; i < search->nsets; i++)
		memory[i] = memory_of(&s, index_variant(&s, search->variants[i].name));
	out.memory = memory;
	return out;
}
