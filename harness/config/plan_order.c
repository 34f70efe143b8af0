/* The order of a plan: who runs when, and each trial's cells. */
#include <stdlib.h>
#include <string.h>

#include "plan_parts.h"

#define GOLDEN_GAMMA 0x9E3779B97F4A7C15u /* splitmix64's step */

/* Streams of their own, so that one more variant does not move the cells. */
enum stream { STREAM_VARIANTS = 1, STREAM_CELLS, STREAM_DATA };

static uint64_t stream_start(uint64_t seed, enum stream stream, unsigned block)
{
	return value_mix(value_mix(seed) ^ ((uint64_t)stream << 32 | block));
}

/* Fisher and Yates. Modulo's bias is below n ÷ 2^64. */
static void shuffle(void *items, size_t n, size_t bytes, uint64_t state)
{
	char *list = items;
	for (size_t i = n; i > 1; i--, state += GOLDEN_GAMMA) {
		char *a = list + (i - 1) * bytes, *b = list + value_mix(state) % i * bytes;
		for (size_t k = 0; k < bytes; k++) {
			char kept = a[k];
			a[k] = b[k];
			b[k] = kept;
		}
	}
}

int plan_order_trials(struct plan *plan, struct status *st)
{
	unsigned runs[PLAN_MAX_VARIANTS], nruns = 0;
	for (unsigned v = 0; v < plan->nvariants; v++)
		if (!plan->variants[v].skip[0])
			runs[nruns++] = v;
	const unsigned blocks = plan->spec->blocks;
	plan->trials = calloc((size_t)blocks * nruns, sizeof plan->trials[0]);
	if (!plan->trials)
		return status_set(st, "out of memory for %u blocks of %u trials", blocks,
		                  nruns);
	for (unsigned block = 0; block < blocks; block++) {
		unsigned order[PLAN_MAX_VARIANTS];
		memcpy(order, runs, sizeof order);
		shuffle(order, nruns, sizeof order[0],
		        stream_start(plan->seed, STREAM_VARIANTS, block));
		for (unsigned i = 0; i < nruns; i++, plan->ntrials++)
			plan->trials[plan->ntrials] =
			    (struct plan_trial){order[i], block, plan->ntrials};
	}
	return 0;
}

/* The limit is copied once at every size of the plan, as caches make more of some sizes than of
 * the largest; what is drawn is the best of them. A copy has no operation, root or place. */
static unsigned limit_cells(const struct plan *plan, struct cell *cells)
{
	unsigned n = 0;
	for (unsigned i = 0; i < plan->ncells; i++) {
		const struct cell *from = &plan->cells[i];
		unsigned k = 0;
		while (k < n && cells[k].bytes != from->bytes)
			k++;
		if (k == n)
			cells[n++] = (struct cell){.coll = COLL_COPY,
			                           .dtype = from->dtype,
			                           .op = OP_NONE,
			                           .pace = PACE_STREAM,
			                           .asked_bytes = from->asked_bytes,
			                           .bytes = from->bytes};
	}
	return n;
}

/* Block 0 ends with the timeline's pass: per collective the smallest size, where launching
 * shows. */
static unsigned timeline_cells(const struct plan *plan, unsigned block, struct cell *cells)
{
	unsigned n = 0;
	for (unsigned i = 0; i < plan->ncells && block == 0; i++) {
		const struct cell *cell = &plan->cells[i];
		if (cell->pace != PACE_ISOLATED || coll_info(cell->coll)->is & COLL_PSEUDO)
			continue;
		if (n == 0 || cells[n - 1].coll != cell->coll)
			cells[n++] = *cell;
		else if (cell->bytes < cells[n - 1].bytes)
			cells[n - 1] = *cell;
		cells[n - 1].pass = PASS_TIMELINE;
	}
	return n;
}

/* Per collective the last cell of a pass that looks at its largest size, once. */
static unsigned largest_cells(const struct plan *plan, enum pass pass, struct cell *cells)
{
	unsigned n = 0;
	for (unsigned i = 0; i < plan->ncells; i++) {
		const struct cell *cell = &plan->cells[i];
		if (coll_info(cell->coll)->is & COLL_PSEUDO)
			continue;
		if (n == 0 || cells[n - 1].coll != cell->coll)
			cells[n++] = *cell;
		else if (cell->bytes > cells[n - 1].bytes)
			cells[n - 1] = *cell;
		cells[n - 1].pass = pass;
		cells[n - 1].pace = PACE_STREAM;
	}
	return n;
}

/* Per collective its large sizes, once each: from a sixteenth of the largest up. */
static unsigned large_cells(const struct plan *plan, enum pass pass, struct cell *cells)
{
	const unsigned nlargest = largest_cells(plan, pass, cells);
	unsigned n = nlargest;
	for (unsigned i = 0; i < plan->ncells * nlargest; i++) {
		const struct cell *largest = &cells[i / plan->ncells];
		const struct cell *cell = &plan->cells[i % plan->ncells];
		unsigned k = 0;
		if (cell->coll != largest->coll || cell->bytes < largest->bytes / PLAN_LARGE)
			continue;
		while (k < n && (cells[k].coll != cell->coll || cells[k].bytes != cell->bytes))
			k++;
		if (k < n)
			continue;
		cells[n] = *largest;
		cells[n].bytes = cell->bytes;
		cells[n++].asked_bytes = cell->asked_bytes;
	}
	return n;
}

/* A soak: the cells again and again, in the same order. */
static void repeat_cells(struct trial *trial, unsigned cycles)
{
	const unsigned n = trial->ncells;
	for (unsigned cycle = 1; cycle < cycles; cycle++)
		for (unsigned i = 0; i < n; i++, trial->ncells++) {
			trial->cells[trial->ncells] = trial->cells[i];
			trial->cells[trial->ncells].cycle = cycle;
		}
}

struct trial *plan_order_trial(const struct plan *plan, unsigned cores, unsigned variant,
                               unsigned block, unsigned order)
{
	const struct spec *spec = plan->spec;
	const struct plan_variant *v = &plan->variants[variant];
	const bool limit = !strcmp(v->role, "limit");
	struct trial *trial = calloc(1, sizeof *trial);
	struct cell *cells =
	    calloc((size_t)plan->ncells * (spec->cycles + 1) + COLL_KINDS, sizeof *cells);
	if (!trial || !cells) {
		free(cells);
		free(trial);
		return NULL;
	}
	strcpy(trial->experiment, spec->name);
	strcpy(trial->variant, v->name);
	trial->block = block;
	trial->order = order;
	trial->settings = v->settings;
	trial->yield = cores < plan->nranks;
	trial->warmup = spec->warmup;
	trial->stretches = spec->stretches;
	trial->calls = spec->calls;
	trial->isolated_calls = spec->isolated_calls;
	trial->arena_bytes = plan->arena_bytes;
	/* One for the whole run: digests are compared across variants and blocks. 53 bits, as
	 * a record's readers may know doubles only. */
	trial->seed = stream_start(plan->seed, STREAM_DATA, 0) >> 11;
	trial->weights = spec->weights;
	trial->cell_timeout_s = spec->cell_timeout_s;
	trial->cells = cells;
	trial->ncells = plan->ncells;
	if (limit)
		trial->ncells = limit_cells(plan, cells);
	else
		memcpy(cells, plan->cells, plan->ncells * sizeof *cells);
	shuffle(cells, trial->ncells, sizeof *cells,
	        stream_start(plan->seed, STREAM_CELLS, block));
	if (limit)
		return trial;
	repeat_cells(trial, spec->cycles);
	trial->ncells += timeline_cells(plan, block, cells + trial->ncells);
	if (spec->counters)
		trial->ncells += large_cells(plan, PASS_COUNTERS, cells + trial->ncells);
	return trial;
}

struct trial *plan_trial(const struct plan *plan, const struct plan_machine *machine,
                         unsigned index, struct status *st)
{
	if (index >= plan->ntrials) {
		status_set(st, "the plan has %u trials and no number %u", plan->ntrials, index);
		return NULL;
	}
	const struct plan_trial *t = &plan->trials[index];
	struct trial *trial =
	    plan_order_trial(plan, machine->cores, t->variant, t->block, t->order);
	if (!trial)
		status_set(st, "out of memory for a trial");
	return trial;
}

struct trial *plan_path_trial(const struct plan *plan, const struct plan_machine *machine,
                              unsigned variant, unsigned order, struct status *st)
{
	struct trial *trial = plan_order_trial(plan, machine->cores, variant, 0, order);
	if (!trial) {
		status_set(st, "out of memory for a trial");
		return NULL;
	}
	trial->ncells = largest_cells(plan, PASS_PATH, trial->cells);
	trial->warmup = 1;
	return trial;
}
