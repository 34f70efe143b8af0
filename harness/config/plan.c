#include "plan.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"

unsigned plan_capacity(const struct plan_machine *machine, const char *backend,
                       unsigned ranks_per_gpu, struct status *st)
{
	const struct backend *b = backend_find(backend);
	if (machine->imagined && !strcmp(machine->imagined, backend))
		return machine->imagined_ranks;
	unsigned devices = machine->capacity(backend, st);
	return b && b->is.gpus ? devices * ranks_per_gpu : devices;
}

unsigned plan_sharing(const struct spec *spec)
{
	unsigned most = 1;
	for (unsigned i = 0; i < spec->nvariants; i++)
		if (spec->variants[i].settings.ranks_per_gpu > most)
			most = spec->variants[i].settings.ranks_per_gpu;
	return most;
}

const char *plan_backend(const struct spec *spec, const struct plan_machine *machine, char *why,
                         size_t why_bytes)
{
	const char *first = NULL, *last = spec->backend;
	char reason[512] = "";
	snprintf(why, why_bytes, "%s", "");
	if (strcmp(spec->backend, "auto"))
		return spec->backend;
	for (const struct backend *const *b = backend_table; *b; b++) {
		if (!(*b)->is.carries_data)
			continue;
		last = (*b)->name; /* where none fits: it says why */
		struct status st = {""};
		unsigned ranks = plan_capacity(machine, (*b)->name, plan_sharing(spec), &st);
		if (ranks >= PLAN_MIN_RANKS) {
			if (first)
				snprintf(why, why_bytes,
				         "Backend %s is measured, because %s %s", (*b)->name,
				         first, reason);
			return (*b)->name;
		}
		if (first)
			continue;
		first = (*b)->name;
		if (ranks)
			snprintf(reason, sizeof reason,
			         "has room for 1 rank here and a collective needs %d",
			         PLAN_MIN_RANKS);
		else
			snprintf(reason, sizeof reason, "has nothing to run on: %.400s",
			         st.text[0] ? st.text : "no device");
	}
	return last;
}

void plan_free(struct plan *plan)
{
	free(plan->trials);
	free(plan->cells);
	plan->trials = NULL;
	plan->cells = NULL;
	plan->ntrials = plan->ncells = 0;
}

size_t plan_scratch_bytes(const struct plan *plan)
{
	size_t most = 0;
	for (unsigned i = 0; i < plan->nvariants; i++) {
		const struct settings *s = &plan->variants[i].settings;
		const struct mode *mode = mode_pick(s->mode, s->layout);
		size_t bytes = mode && mode->scratch_bytes && !plan->variants[i].skip[0]
		                   ? mode->scratch_bytes(s->layout)
		                   : 0;
		most = bytes > most ? bytes : most;
	}
	return most;
}

int plan_command(const struct trial *trial, const char *self, const char *order_file,
                 const char *scratch, struct mode_argv *out, struct status *st)
{
	const struct mode *mode = mode_pick(trial->settings.mode, trial->settings.layout);
	if (!mode)
		return status_set(st, "mode '%s' is not known, or has no such layout",
		                  trial->settings.mode);
	const struct run run = {
	    .layout = trial->settings.layout,
	    .shape = {.nranks = layout_ranks(trial->settings.layout),
	              .nworkers = layout_workers(trial->settings.layout),
	              .yield = trial->yield},
	    .order = order_file,
	    .scratch = scratch,
	    .messages = traits_find(trial->settings.backend)->messages,
	};
	return mode->command(&run, self, out, st);
}

void plan_note(struct plan *plan, const char *format, ...)
{
	va_list args;
	if (plan->nnotes == PLAN_MAX_NOTES)
		return;
	va_start(args, format);
	vsnprintf(plan->notes[plan->nnotes++], sizeof plan->notes[0], format, args);
	va_end(args);
}

/* --- factors and the gap, as the plan resolves them
 * -------------------------------------------- */

/* A variant's settings as the plan has them; false where there is none of the name here, as it
 * would be of a library that this machine lacks. A library that is not set stands as the
 * sentence that names its variable, so that two of the same variable are equal and a factor is
 * right or wrong on every machine alike. */
static bool settings_of(const struct plan *plan, const char *name, struct settings *out)
{
	const struct spec *spec = plan->spec;
	unsigned i = 0;
	while (i < spec->nvariants && strcmp(spec->variants[i].name, name))
		i++;
	if (i == spec->nvariants)
		return false;
	*out = plan->variants[i].settings;
	if (spec->variants[i].skip[0])
		snprintf(out->nccl, sizeof out->nccl, "%s", spec->variants[i].skip);
	return true;
}

unsigned plan_factor_differ(const struct plan *plan, const struct factor *factor, char *keys,
                            size_t bytes)
{
	struct settings from, to;
	keys[0] = '\0';
	if (!settings_of(plan, factor->from, &from) || !settings_of(plan, factor->to, &to))
		return 1;
	return settings_differ(&from, &to, keys, bytes);
}

static bool is_here(const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (!strcmp(plan->variants[i].name, name))
			return !plan->variants[i].skip[0];
	return false;
}

void plan_gap(const struct plan *plan, struct gap *out)
{
	const struct gap *asked = &plan->spec->asked.gap;
	struct gap gap = {.bytes = asked->bytes};
	bool here = is_here(plan, asked->from) && is_here(plan, asked->to);
	memcpy(gap.from, asked->from, sizeof gap.from);
	memcpy(gap.to, asked->to, sizeof gap.to);
	for (unsigned i = 0; i < asked->nothers && !here; i++) {
		const struct gap_ends *other = &asked->others[i];
		here = is_here(plan, other->from) && is_here(plan, other->to);
		if (!here)
			continue;
		memcpy(gap.from, other->from, sizeof gap.from);
		memcpy(gap.to, other->to, sizeof gap.to);
	}
	*out = gap;
}

void plan_primary(const struct plan *plan, struct primary *out)
{
	const struct claim_list *asked = &plan->spec->asked;
	const struct primary *named = &asked->primary;
	struct primary primary = *named;
	bool found = false;
	for (unsigned i = 0; i < named->n && !found; i++)
		for (unsigned k = 0; k < asked->nclaims && !found; k++) {
			const struct claim *c = &asked->claims[k];
			found = !strcmp(c->name, named->names[i]) && c->test != CLAIM_NEEDS &&
			        is_here(plan, c->left) && is_here(plan, c->right);
			if (found)
				memcpy(primary.names[0], c->name, sizeof primary.names[0]);
		}
	primary.n = named->n > 0;
	*out = primary;
}

/* --- the order: who runs when, and each trial's cells
 * ------------------------------------------- */

#define TIMELINE_MOST ((size_t)256 << 20) /* bytes of a cell */
#define GOLDEN_GAMMA  0x9E3779B97F4A7C15u /* splitmix64's step */

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

/* Of what takes long the timeline would show nothing, and take 20 calls for it. */
static bool has_timeline(const struct cell *cell)
{
	return cell->pace == PACE_ISOLATED && cell->asked_bytes <= TIMELINE_MOST &&
	       !(coll_info(cell->coll)->is & COLL_PSEUDO);
}

/* Block 0 ends with the timeline's pass: per collective the smallest size, where launching
 * shows, and on GPUs the largest one too, where a kernel has all the thread blocks that it
 * gets. A step of training has as many at any size of its buckets. */
static unsigned timeline_cells(const struct plan *plan, bool gpus, struct cell *cells)
{
	unsigned n = 0, nsmallest;
	for (unsigned i = 0; i < plan->ncells; i++) {
		const struct cell *cell = &plan->cells[i];
		if (!has_timeline(cell))
			continue;
		if (n == 0 || cells[n - 1].coll != cell->coll)
			cells[n++] = *cell;
		else if (cell->bytes < cells[n - 1].bytes)
			cells[n - 1] = *cell;
	}
	nsmallest = gpus ? n : 0;
	for (unsigned k = 0; k < nsmallest; k++) {
		cells[n] = cells[k];
		for (unsigned i = 0; i < plan->ncells; i++)
			if (has_timeline(&plan->cells[i]) &&
			    plan->cells[i].coll == cells[n].coll &&
			    plan->cells[i].bytes > cells[n].bytes)
				cells[n] = plan->cells[i];
		n += cells[n].bytes > cells[k].bytes &&
		     !(coll_info(cells[k].coll)->is & COLL_TRAINS);
	}
	for (unsigned i = 0; i < n; i++)
		cells[i].pass = PASS_TIMELINE;
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

/* The cells again and again, in the same order: in each cycle of a soak; in each allocation of
 * each connection. */
static void repeat_cells(struct trial *trial, const struct spec *spec)
{
	const unsigned n = trial->ncells, each = spec->cycles * spec->allocations;
	for (unsigned time = 1; time < spec_times(spec); time++)
		for (unsigned i = 0; i < n; i++, trial->ncells++) {
			struct cell *cell = &trial->cells[trial->ncells];
			*cell = trial->cells[i];
			cell->connection = time / each;
			cell->allocation = time % each / spec->cycles;
			cell->cycle = time % spec->cycles;
		}
}

/* Cells of a pass of its own, behind the timed ones: of the connection and the buffers that are
 * there. */
static void take_place(struct trial *trial, unsigned more)
{
	const struct cell *last = &trial->cells[trial->ncells - 1];
	for (unsigned i = 0; i < more; i++) {
		trial->cells[trial->ncells + i].connection = last->connection;
		trial->cells[trial->ncells + i].allocation = last->allocation;
	}
	trial->ncells += more;
}

const struct library *plan_library(const struct plan *plan, const char *nccl)
{
	for (unsigned i = 0; i < plan->nlibraries; i++)
		if (!strcmp(plan->libraries[i].nccl, nccl))
			return &plan->libraries[i].library;
	return NULL;
}

const struct plan_variant *plan_reference(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (!strcmp(plan->variants[i].role, "reference"))
			return &plan->variants[i];
	return NULL;
}

const char *plan_main_backend(const struct plan *plan)
{
	const struct plan_variant *reference = plan_reference(plan);
	return (reference ? reference : plan->variants)->settings.backend;
}

/* Sleeping is for devices: a worker that waits for its team gives its CPU away. Where a library
 * has a thread at work for each rank, a worker that spins on its CPU would keep it from it. */
static bool yields(const struct settings *s, unsigned cores, unsigned nranks)
{
	unsigned ranks, cpus = settings_cpus(s, &ranks);
	if (traits_find(s->backend)->helpers)
		nranks *= 2;
	if (s->wait == WAIT_AUTO)
		return cores < nranks || (cpus && ranks > 1);
	return s->wait != WAIT_SPIN;
}

struct trial *plan_order_trial(const struct plan *plan, unsigned cores, unsigned variant,
                               unsigned block, unsigned order)
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
	trial->yield = yields(&v->settings, cores, plan->nranks);
	trial->warmup = spec->warmup;
	trial->stretches = spec->stretches;
	trial->calls = spec->calls;
	trial->isolated_calls = spec->isolated_calls;
	trial->arena_bytes = plan->arena_bytes;
	/* One for the whole run: digests are compared across variants and blocks. 53 bits, as
	 * a record's readers may know doubles only. */
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
	shuffle(cells, trial->ncells, sizeof *cells,
	        stream_start(plan->seed, STREAM_CELLS, block));
	if (limit)
		return trial;
	repeat_cells(trial, spec);
	if (block == 0)
		take_place(trial, timeline_cells(plan, traits_find(v->settings.backend)->gpus,
		                                 cells + trial->ncells));
	if (spec->counters)
		take_place(trial, large_cells(plan, PASS_COUNTERS, cells + trial->ncells));
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

#define SHOWN_ELEMENTS 4 /* of a buffer that is not cut into parts */

struct trial *plan_show_trial(const struct plan *plan, const struct plan_machine *machine,
                              unsigned variant, struct status *st)
{
	struct trial *trial = plan_path_trial(plan, machine, variant, 0, st);
	if (!trial)
		return NULL;
	for (unsigned i = 0; i < trial->ncells; i++) {
		struct cell *c = &trial->cells[i];
		size_t least = coll_least(c->coll, c->dtype, trial_comm_ranks(trial));
		size_t few = SHOWN_ELEMENTS * coll_dtype_bytes(c->dtype);
		c->pass = PASS_SHOW;
		c->bytes = c->asked_bytes = least > few ? least : few;
	}
	trial->seed = VALUE_READABLE;
	trial->warmup = 0;
	return trial;
}

/* --- whether what the plan measures can answer what is asked, told before the first trial: by
 * the same rules by which the analysis picks cells
 * --------------------------------------------------- */

static size_t largest_of(const struct plan *plan, enum coll_kind coll)
{
	size_t most = 0;
	for (unsigned i = 0; i < plan->ncells; i++)
		if (plan->cells[i].coll == coll && plan->cells[i].bytes > most)
			most = plan->cells[i].bytes;
	return most;
}

/* Counters are read over a stream. Launch cost is of isolated calls, or else of a stream's. */
static int pace_of(const struct claim *claim)
{
	const struct metric_info *metric = metric_info(claim->metric);
	if (metric->counters && claim->pace == CLAIM_ANY_PACE)
		return PACE_STREAM;
	return claim->pace == CLAIM_ANY_PACE ? metric->pace : claim->pace;
}

/* The claim with the sizes of its regime, where it names none: as regimes_settle. */
static struct claim settled(const struct plan *plan, const struct claim *claim)
{
	const struct backend_traits *is = traits_find(plan_main_backend(plan));
	struct claim c = *claim;
	int regime = claim_regime(claim);
	bool third;
	if (regime != CLAIM_ANY_REGIME && claim_range_open(c.bytes))
		c.bytes = claim_regime_range((enum regime_kind)regime, is && is->gpus,
		                             plan->spec->sizes, plan->spec->nsizes, &third);
	return c;
}

struct found {
	bool coll, pace, size, counted;
};

static struct found look_for(const struct plan *plan, const struct claim *c)
{
	struct found found = {false};
	int pace = pace_of(c);
	for (unsigned i = 0; i < plan->ncells; i++) {
		const struct cell *cell = &plan->cells[i];
		if (c->coll != CLAIM_ANY_COLL && (int)cell->coll != c->coll)
			continue;
		found.coll = true;
		if (pace != CLAIM_ANY_PACE && (int)cell->pace != pace)
			continue;
		found.pace = true;
		if (cell->asked_bytes < c->bytes.lo || cell->asked_bytes > c->bytes.hi)
			continue;
		found.size = true;
		found.counted |= cell->bytes >= largest_of(plan, cell->coll) / PLAN_LARGE;
	}
	return found;
}

static void size_why(const struct claim *c, const char *what, char *why, size_t bytes)
{
	char lo[32], hi[32], range[80];
	coll_size_label(c->bytes.lo, lo, sizeof lo);
	coll_size_label(c->bytes.hi, hi, sizeof hi);
	if (c->bytes.lo == c->bytes.hi)
		snprintf(range, sizeof range, "of %s", lo);
	else if (!c->bytes.lo)
		snprintf(range, sizeof range, "up to %s", hi);
	else if (c->bytes.hi == SIZE_MAX)
		snprintf(range, sizeof range, "from %s up", lo);
	else
		snprintf(range, sizeof range, "from %s to %s", lo, hi);
	snprintf(why, bytes, "no size %s is measured%s", range, what);
}

/* Where a factor has its sizes from, if not from its own key. */
static const char *sizes_from(const struct plan *plan, const struct factor *factor)
{
	const struct spec *spec = plan->spec;
	for (unsigned i = 0; i < spec->asked.nfactors; i++)
		if (!strcmp(spec->asked.factors[i].name, factor->name) && spec->factors_open[i])
			return claim_range_open(factor->bytes) ? ""
			       : spec->gap_open
			           ? " (without bytes of its own, and without gap_bytes, it "
			             "has "
			             "the sizes of the claims about busbw)"
			           : " (without bytes of its own, it has those of gap_bytes)";
	return "";
}

void plan_claim_why(const struct plan *plan, const struct claim *claim, char *why, size_t bytes)
{
	why[0] = '\0';
	if (claim->test == CLAIM_NEEDS)
		return;
	const struct metric_info *metric = metric_info(claim->metric);
	const struct claim sized = settled(plan, claim);
	const struct found found = look_for(plan, &sized);
	if (!found.coll)
		snprintf(why, bytes, "%s is not measured",
		         coll_info((enum coll_kind)claim->coll)->name);
	else if (metric->counters && !plan->spec->counters)
		snprintf(why, bytes, "no counters are read; say counters = yes");
	else if (metric->counters && pace_of(claim) != PACE_STREAM)
		snprintf(why, bytes, "counters are of pace stream alone");
	else if (!found.pace)
		snprintf(why, bytes, "pace %s is not measured",
		         coll_pace_name((enum pace)pace_of(claim)));
	else if (!found.size)
		size_why(&sized, "", why, bytes);
	else if (plan->spec->isolated_calls < metric->least_calls)
		snprintf(why, bytes, "%s needs %u isolated calls, and isolated_calls is %u",
		         metric->name, metric->least_calls, plan->spec->isolated_calls);
	else if (metric->counters && !found.counted)
		size_why(&sized,
		         " with counters, which are read from a sixteenth of the largest up",
		         why, bytes);
}

void plan_factor_why(const struct plan *plan, const struct factor *factor, char *why,
                     size_t bytes)
{
	const struct claim bandwidth = {.metric = METRIC_BUSBW,
	                                .bytes = factor->bytes,
	                                .regime = CLAIM_ANY_REGIME,
	                                .pace = CLAIM_ANY_PACE,
	                                .coll = CLAIM_ANY_COLL};
	struct claim latency = bandwidth;
	latency.metric = METRIC_LATENCY;
	why[0] = '\0';
	if (!factor->from[0])
		return;
	/* Either pace will do: what one lacks is of no matter where the other is measured. */
	const struct claim sized = settled(plan, &bandwidth);
	bool isolated = !look_for(plan, &sized).size && look_for(plan, &latency).pace;
	plan_claim_why(plan, isolated ? &latency : &bandwidth, why, bytes);
	if (why[0]) {
		size_t used = strlen(why);
		snprintf(why + used, bytes - used, "%s", sizes_from(plan, factor));
	}
}
