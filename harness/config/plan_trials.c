/* A plan's trials: blocks of variants in a shuffled order, and the cells of each job, with those of
 * its passes. */
#include "plan.h"

#include "../memory.h"

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

void plan_add_block(struct plan *plan, unsigned block, unsigned first, const unsigned *variants,
                    unsigned n)
{
	unsigned order[PLAN_MAX_VARIANTS];
	plan->trials =
	    memory_more(plan->trials, (size_t)plan->ntrials + n + 1, sizeof *plan->trials);
	memcpy(order, variants, n * sizeof *order);
	shuffle(order, n, sizeof order[0], stream_start(plan->seed, STREAM_VARIANTS, block));
	for (unsigned i = 0; i < n; i++, plan->ntrials++)
		plan->trials[plan->ntrials] = (struct plan_trial){order[i], block, first + i};
}

void plan_order_trials(struct plan *plan)
{
	unsigned runs[PLAN_MAX_VARIANTS], nruns = 0;
	for (unsigned v = 0; v < plan->nvariants; v++)
		if (!plan->variants[v].skip[0])
			runs[nruns++] = v;
	for (unsigned block = 0; block < plan->spec->blocks && !plan->search.nkeys; block++)
		plan_add_block(plan, block, block * nruns, runs, nruns);
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
static bool fits(const struct cell *cell, enum pass pass)
{
	return is_called(cell) && (pass != PASS_TIMELINE || (cell->pace == PACE_ISOLATED &&
	                                                     cell->asked_bytes <= TIMELINE_MOST));
}

/* Sizes that a pass looks at, of those of a collective from `least` to `most`. Timeline: the
 * smallest, where launching shows, and on GPUs the largest too, where a kernel has all its thread
 * blocks; a step of training has as many at any size of its buckets. Counters: large ones. Path:
 * the largest, and all of a collective that a library has several algorithms for. */
static bool is_wanted(const struct cell *cell, enum pass pass, bool gpus, size_t least, size_t most)
{
	const unsigned is = coll_info(cell->coll)->is;
	if (pass == PASS_TIMELINE)
		return cell->bytes == least || (gpus && cell->bytes == most && !(is & COLL_TRAINS));
	if (pass == PASS_COUNTERS)
		return cell->bytes >= most / PLAN_LARGE;
	return cell->bytes == most || is & COLL_CHOSEN;
}

/* Adds the cells of a separate pass, of the existing connection and buffers: per collective each
 * size once, ascending, as what is reported of a collective as a whole is of its last call. */
static void add_pass(struct trial *trial, const struct plan *plan, enum pass pass, bool gpus)
{
	const struct cell *end = plan->cells + plan->ncells,
	                  last = trial->ncells ? trial->cells[trial->ncells - 1] : *plan->cells;
	struct cell *cells = &trial->cells[trial->ncells];
	size_t least[COLL_KINDS], most[COLL_KINDS] = {0};
	unsigned n = 0;
	memset(least, 0xff, sizeof least);
	for (const struct cell *c = plan->cells; c < end; c++)
		if (fits(c, pass)) {
			least[c->coll] = c->bytes < least[c->coll] ? c->bytes : least[c->coll];
			most[c->coll] = c->bytes > most[c->coll] ? c->bytes : most[c->coll];
		}
	for (const struct cell *c = plan->cells; c < end; c++) {
		if (!fits(c, pass) || !is_wanted(c, pass, gpus, least[c->coll], most[c->coll]) ||
		    (n && cells[n - 1].coll == c->coll && cells[n - 1].bytes >= c->bytes))
			continue;
		cells[n] = *c;
		cells[n].connection = last.connection;
		cells[n].allocation = last.allocation;
		cells[n].pace = pass == PASS_TIMELINE ? c->pace : PACE_STREAM;
		cells[n++].pass = pass;
	}
	trial->ncells += n;
}

/* The luck of one connection: of ten blocks an A/A line is within 5.2 %, with 8 connections 3.4
 * (analysis/SIMULATED.md). */
#define PLAN_LUCK 0.10
/* Of times at sizes of later connections, within one's luck; of a whole job there is no size. */
static bool of_connections(const struct plan *plan, const struct claim *c)
{
	const struct claim_range own = plan_claim_sizes(plan, c),
	                         again = plan->spec->connection_bytes;
	return c->by < PLAN_LUCK && !metric_info(c->metric)->whole && own.lo <= again.hi &&
	       own.hi >= again.lo;
}

/* By a claim that can be tested here: on counters, or for connections. The reference's twin is its
 * second trial in each block. */
static bool is_claimed(const struct plan *plan, const struct plan_variant *v, bool counters)
{
	const struct claim_list *asked = &plan->spec->asked;
	const char *name = !strcmp(v->role, "again") ? plan_reference(plan)->name : v->name;
	for (unsigned i = 0; i < asked->nclaims; i++) {
		const struct claim *c = &asked->claims[i];
		if (plan_tests(plan, c) && metric_info(c->metric)->counters == counters &&
		    (counters || of_connections(plan, c)) &&
		    (!strcmp(c->left, name) || !strcmp(c->right, name)))
			return true;
	}
	return false;
}

/* If connections after the first have some sizes alone, they are for claims about such sizes that
 * are decided by less than PLAN_LUCK; without claims, for all. */
static unsigned plan_connections(const struct plan *plan, unsigned variant)
{
	const struct spec *spec = plan->spec;
	return spec->connection_bytes.hi && spec->asked.nclaims &&
	               !is_claimed(plan, &plan->variants[variant], false)
	           ? 1
	           : spec->connections;
}

/* In the same order: in each cycle of a soak; in each allocation of each connection. */
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

bool plan_counts(const struct plan *plan, unsigned variant, unsigned block)
{
	const struct spec *spec = plan->spec;
	const bool added = spec->first_plan && block >= spec->first_plan;
	unsigned most = PLAN_COUNTED_BLOCKS;
	if (is_claimed(plan, &plan->variants[variant], true))
		plan_family(plan, &most);
	return spec->counters && (block < most || added || plan->search.nkeys);
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
                               unsigned order)
{
	const struct spec *spec = plan->spec;
	const struct plan_variant *v = &plan->variants[variant];
	const bool limit = !strcmp(v->role, "limit");
	struct trial *trial = memory_take(1, sizeof *trial);
	struct cell *cells = memory_take(
	    (size_t)plan->ncells * (spec_times(spec) + 1) + 2 * COLL_KINDS + 1, sizeof *cells);
	strcpy(trial->experiment, spec->name);
	strcpy(trial->variant, v->name);
	trial->block = block;
	trial->order = order;
	trial->settings = v->settings;
	const struct library *library = plan_library(plan, v->settings.nccl);
	if (v->settings.nccl[0] && library && library->file[0])
		strcpy(trial->settings.nccl, library->file);
	trial->yield = yields(&v->settings, plan->machine->cores);
	trial->turns_from = plan->turns.lo;
	trial->turns_to = plan->turns.hi;
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
		add_pass(trial, plan, PASS_TIMELINE, traits_find(v->settings.backend)->gpus);
	if (plan_counts(plan, variant, block))
		add_pass(trial, plan, PASS_COUNTERS, false);
	sizes_settle(trial, plan);
	return trial;
}

struct trial *plan_trial(const struct plan *plan, unsigned index)
{
	const struct plan_trial *t = &plan->trials[index];
	return plan_order_trial(plan, t->variant, t->block, t->order);
}

struct trial *plan_path_trial(const struct plan *plan, unsigned variant, unsigned order)
{
	struct trial *trial = plan_order_trial(plan, variant, 0, order);
	trial->ncells = 0;
	trial->turns_to = 0; /* it is alone */
	add_pass(trial, plan, PASS_PATH, false);
	sizes_settle(trial, plan);
	trial->warmup = 1;
	return trial;
}
