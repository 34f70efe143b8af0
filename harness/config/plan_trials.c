#include "plan.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TIMELINE_MOST ((size_t)256 << 20) /* bytes of a cell */
#define GOLDEN_GAMMA  0x9E3779B97F4A7C15u /* splitmix64's step */

/* Separate random streams, so that one more variant does not move the cells. */
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

int plan_add_block(struct plan *plan, unsigned block, unsigned first, const unsigned *variants,
                   unsigned n, struct status *st)
{
	unsigned order[PLAN_MAX_VARIANTS];
	struct plan_trial *more =
	    realloc(plan->trials, ((size_t)plan->ntrials + n + 1) * sizeof *more);
	if (!more)
		return status_set(st, "out of memory for a block of %u trials", n);
	plan->trials = more;
	memcpy(order, variants, n * sizeof *order);
	shuffle(order, n, sizeof order[0], stream_start(plan->seed, STREAM_VARIANTS, block));
	for (unsigned i = 0; i < n; i++, plan->ntrials++)
		plan->trials[plan->ntrials] = (struct plan_trial){order[i], block, first + i};
	return 0;
}

int plan_order_trials(struct plan *plan, struct status *st)
{
	unsigned runs[PLAN_MAX_VARIANTS], nruns = 0;
	for (unsigned v = 0; v < plan->nvariants; v++)
		if (!plan->variants[v].skip[0])
			runs[nruns++] = v;
	for (unsigned block = 0; block < plan->spec->blocks && !plan->search.nkeys; block++)
		if (plan_add_block(plan, block, block * nruns, runs, nruns, st))
			return -1;
	return 0;
}

/* The limit is copied once at every size of the plan, as caches make more of some sizes than of the
 * largest; the plot shows the best of them. A copy has no operation, root or place. */
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

/* Specific to a job: not the limit's copies, nor connecting. */
static bool is_called(const struct cell *cell)
{
	return !(coll_info(cell->coll)->is & COLL_PSEUDO);
}

/* A timeline of long calls would show nothing, and take 20 calls for it. */
static bool has_timeline(const struct cell *cell)
{
	return is_called(cell) && cell->pace == PACE_ISOLATED && cell->asked_bytes <= TIMELINE_MOST;
}

/* Per collective the smallest or the largest of the cells that fit, once. */
static unsigned end_cells(const struct plan *plan, bool (*fits)(const struct cell *), bool largest,
                          struct cell *cells)
{
	unsigned n = 0;
	for (unsigned i = 0; i < plan->ncells; i++) {
		const struct cell *cell = &plan->cells[i];
		if (!fits(cell))
			continue;
		if (n == 0 || cells[n - 1].coll != cell->coll)
			cells[n++] = *cell;
		else if (largest ? cell->bytes > cells[n - 1].bytes
		                 : cell->bytes < cells[n - 1].bytes)
			cells[n - 1] = *cell;
	}
	return n;
}

/* Block 0 ends with the timeline's pass: per collective the smallest size, where launching shows,
 * and on GPUs the largest one too, where a kernel has all its thread blocks. A step of training has
 * as many at any size of its buckets. */
static unsigned timeline_cells(const struct plan *plan, bool gpus, struct cell *cells)
{
	const unsigned smallest = end_cells(plan, has_timeline, false, cells);
	const unsigned largest = gpus ? end_cells(plan, has_timeline, true, cells + smallest) : 0;
	unsigned n = smallest;
	for (unsigned k = 0; k < largest; k++) {
		const struct cell cell = cells[smallest + k];
		if (cell.bytes > cells[k].bytes && !(coll_info(cell.coll)->is & COLL_TRAINS))
			cells[n++] = cell;
	}
	for (unsigned i = 0; i < n; i++)
		cells[i].pass = PASS_TIMELINE;
	return n;
}

/* Cells of a pass that looks at each collective's largest size. */
static unsigned largest_cells(const struct plan *plan, enum pass pass, struct cell *cells)
{
	const unsigned n = end_cells(plan, is_called, true, cells);
	for (unsigned i = 0; i < n; i++) {
		cells[i].pass = pass;
		cells[i].pace = PACE_STREAM;
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

/* Each collective at its largest size, and one that a library has several algorithms for at all of
 * its sizes once, ascending: what is reported of a collective as a whole is of its last call. */
static unsigned path_cells(const struct plan *plan, struct cell *cells)
{
	unsigned n = largest_cells(plan, PASS_PATH, cells), at;
	for (unsigned i = 0; i < plan->ncells; i++) {
		struct cell cell = plan->cells[i];
		bool more = coll_info(cell.coll)->is & COLL_CHOSEN;
		for (unsigned k = 0; k < n && more; k++)
			more = cells[k].coll != cell.coll || cells[k].bytes != cell.bytes;
		if (!more)
			continue;
		cell.pass = PASS_PATH;
		cell.pace = PACE_STREAM;
		for (at = 0; cells[at].coll != cell.coll || cells[at].bytes <= cell.bytes;)
			at++;
		memmove(cells + at + 1, cells + at, (n - at) * sizeof *cells);
		cells[at] = cell;
		n++;
	}
	return n;
}

/* Whether a claim that can be tested here names a variant and is of a kind. The reference's twin is its
 * second trial in each block. */
static bool is_claimed(const struct plan *plan, const struct plan_variant *v,
                       bool (*of_kind)(const struct plan *, const struct claim *))
{
	const struct claim_list *asked = &plan->spec->asked;
	const char *name = !strcmp(v->role, "again") ? plan_reference(plan)->name : v->name;
	for (unsigned i = 0; i < asked->nclaims; i++) {
		const struct claim *c = &asked->claims[i];
		if (c->test != CLAIM_NEEDS && of_kind(plan, c) && plan_has(plan, c->left) &&
		    plan_has(plan, c->right) && (!strcmp(c->left, name) || !strcmp(c->right, name)))
			return true;
	}
	return false;
}

static bool of_counters(const struct plan *plan, const struct claim *c)
{
	(void)plan;
	return metric_info(c->metric)->counters;
}

/* Of times at sizes of later connections, within what one's luck moves: what is of a job as a whole
 * has no size. */
static bool of_connections(const struct plan *plan, const struct claim *c)
{
	const struct claim_range own = plan_claim_sizes(plan, c),
	                         again = plan->spec->connection_bytes;
	return c->by < PLAN_LUCK && !metric_info(c->metric)->counters &&
	       !metric_info(c->metric)->whole && own.lo <= again.hi && own.hi >= again.lo;
}

unsigned plan_connections(const struct plan *plan, unsigned variant)
{
	const struct spec *spec = plan->spec;
	return spec->connection_bytes.hi && spec->asked.nclaims &&
	               !is_claimed(plan, &plan->variants[variant], of_connections)
	           ? 1
	           : spec->connections;
}

/* The cells repeated in the same order: in each cycle of a soak; in each allocation of each
 * connection. */
static void repeat_cells(struct trial *trial, const struct spec *spec, unsigned connections)
{
	const struct claim_range sizes = spec->connection_bytes;
	const unsigned n = trial->ncells, each = spec->cycles * spec->allocations;
	for (unsigned time = 1; time < each * connections; time++)
		for (unsigned i = 0; i < n; i++) {
			const size_t asked = trial->cells[i].asked_bytes;
			if (time >= each && sizes.hi && (asked < sizes.lo || asked > sizes.hi))
				continue;
			struct cell *cell = &trial->cells[trial->ncells++];
			*cell = trial->cells[i];
			cell->connection = time / each;
			cell->allocation = time % each / spec->cycles;
			cell->cycle = time % spec->cycles;
		}
}

/* Cells of a separate pass, after the timed ones: of the existing connection and buffers. */
static void take_place(struct trial *trial, unsigned more)
{
	const struct cell *last = &trial->cells[trial->ncells - 1];
	for (unsigned i = 0; i < more; i++) {
		trial->cells[trial->ncells + i].connection = last->connection;
		trial->cells[trial->ncells + i].allocation = last->allocation;
	}
	trial->ncells += more;
}

bool plan_counts(const struct plan *plan, unsigned variant, unsigned block)
{
	const struct spec *spec = plan->spec;
	const bool added = spec->first_plan && block >= spec->first_plan;
	unsigned most = PLAN_COUNTED_BLOCKS;
	if (is_claimed(plan, &plan->variants[variant], of_counters))
		plan_family(plan, &most);
	return spec->counters && (block < most || added || plan->search.nkeys);
}

enum plan_kind plan_kind(const struct plan *plan, unsigned variant, unsigned block)
{
	return !block ? PLAN_FIRST : plan_counts(plan, variant, block) ? PLAN_COUNTED : PLAN_PLAIN;
}

/* Sleeping is for devices: a worker that waits for its team releases its CPU. If a library runs a
 * thread for each rank, a spinning worker would keep its CPU from that thread. */
static bool yields(const struct settings *s, unsigned cores)
{
	const struct launcher *by = launcher_find(s->launcher);
	unsigned ranks, cpus = settings_cpus(s, &ranks);
	unsigned nranks = layout_ranks(by && by->pretends ? s->layout : settings_on_host(s));
	if (traits_find(s->backend)->helpers)
		nranks *= 2;
	if (s->wait == WAIT_AUTO)
		return cores < nranks || (cpus && ranks > 1);
	return s->wait == WAIT_YIELD || s->wait == WAIT_BLOCK;
}

/* Sizes as they are on the trial's ranks; the plan's are rounded for the most ranks. */
static void sizes_settle(struct trial *trial, const struct plan *plan)
{
	const unsigned nranks = layout_ranks(trial->settings.layout);
	for (unsigned i = 0; i < trial->ncells && nranks != plan->nranks; i++) {
		struct cell *cell = &trial->cells[i];
		if (is_called(cell))
			cell->bytes =
			    coll_round(cell->coll, cell->dtype, cell->asked_bytes, nranks);
	}
}

struct trial *plan_order_trial(const struct plan *plan, unsigned variant, unsigned block,
                               unsigned order, struct status *st)
{
	const struct spec *spec = plan->spec;
	const struct plan_variant *v = &plan->variants[variant];
	const bool limit = !strcmp(v->role, "limit");
	struct trial *trial = calloc(1, sizeof *trial);
	struct cell *cells = calloc(
	    (size_t)plan->ncells * (spec_times(spec) + 1) + 2 * COLL_KINDS + 1, sizeof *cells);
	if (!trial || !cells) {
		free(cells);
		free(trial);
		status_set(st, "out of memory for a trial");
		return NULL;
	}
	strcpy(trial->experiment, spec->name);
	strcpy(trial->variant, v->name);
	trial->block = block;
	trial->order = order;
	trial->settings = v->settings;
	const struct library *library = plan_library(plan, v->settings.nccl);
	if (v->settings.nccl[0] && library && library->file[0])
		strcpy(trial->settings.nccl, library->file);
	trial->yield = yields(&v->settings, plan->machine->cores);
	trial->warmup = spec->warmup;
	trial->stretches = spec->stretches;
	trial->calls = spec->calls;
	trial->isolated_calls = plan_isolated_calls(plan, SIZE_MAX);
	trial->p99_bytes = plan->p99_bytes;
	trial->arena_bytes = plan->arena_bytes;
	/* One for the whole run: all variants move the same data. 53 bits, as
	 * readers of a record may know only doubles. */
	trial->seed = stream_start(plan->seed, STREAM_DATA, 0) >> 11;
	trial->weights = spec->weights;
	trial->network = plan->network;
	trial->cell_timeout_s = spec->cell_timeout_s;
	trial->cells = cells;
	trial->ncells = plan->ncells;
	if (limit)
		trial->ncells = limit_cells(plan, cells);
	else
		memcpy(cells, plan->cells, plan->ncells * sizeof *cells);
	shuffle(cells, trial->ncells, sizeof *cells, stream_start(plan->seed, STREAM_CELLS, block));
	if (limit)
		return trial;
	repeat_cells(trial, spec, plan_connections(plan, variant));
	if (block == 0)
		take_place(trial, timeline_cells(plan, traits_find(v->settings.backend)->gpus,
		                                 cells + trial->ncells));
	if (plan_counts(plan, variant, block))
		take_place(trial, large_cells(plan, PASS_COUNTERS, cells + trial->ncells));
	sizes_settle(trial, plan);
	return trial;
}

struct trial *plan_trial(const struct plan *plan, unsigned index, struct status *st)
{
	const struct plan_trial *t = &plan->trials[index];
	return plan_order_trial(plan, t->variant, t->block, t->order, st);
}

struct trial *plan_path_trial(const struct plan *plan, unsigned variant, unsigned order,
                              struct status *st)
{
	struct trial *trial = plan_order_trial(plan, variant, 0, order, st);
	if (trial) {
		trial->ncells = path_cells(plan, trial->cells);
		sizes_settle(trial, plan);
		trial->warmup = 1;
	}
	return trial;
}
