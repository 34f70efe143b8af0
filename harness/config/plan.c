/* What a finished plan says: its backend, the jobs that it starts, how long they take, and why it
 * cannot answer a claim. */
#include "plan.h"

#include <stdarg.h>

#include "family.h"

unsigned plan_capacity(const struct plan_machine *machine, const char *backend, unsigned sharing,
                       struct status *st)
{
	const struct backend *b = backend_find(backend);
	if (machine->imagined && !strcmp(machine->imagined, backend))
		return machine->imagined_ranks;
	unsigned devices = machine->capacity(backend, st);
	return b && b->is.gpus ? devices * sharing : devices;
}

unsigned plan_sharing(const struct spec *spec)
{
	unsigned most = 1;
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct settings *s = &spec->variants[i].settings;
		const unsigned sharing = s->ranks_per_gpu * settings_hosts(s);
		most = sharing > most ? sharing : most;
	}
	return most;
}

unsigned plan_min_ranks(const struct spec *spec)
{
	const bool local = spec->ncolls && coll_info(spec->colls[0])->is & COLL_LOCAL;
	return spec->ranks == 1 || local ? 1 : PLAN_MIN_RANKS;
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
		last = (*b)->name; /* if none fits: the reason */
		struct status st = {""};
		unsigned ranks = plan_capacity(machine, (*b)->name, plan_sharing(spec), &st);
		if (ranks >= plan_min_ranks(spec)) {
			if (first)
				snprintf(why, why_bytes,
				         "CPU memory is measured (backend %s): %s %s", (*b)->name,
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
			snprintf(reason, sizeof reason, "cannot run here: %.400s",
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
		struct status ignored = {""};
		const struct launcher *by =
		    plan->variants[i].skip[0] ? NULL : launcher_pick(s, &ignored);
		size_t bytes = by && by->scratch_bytes ? by->scratch_bytes(s->layout) : 0;
		most = bytes > most ? bytes : most;
	}
	return plan->spec->overlap ? 2 * most : most;
}

/* Another job can exist meanwhile. */
static bool shares(const struct plan *plan, const struct trial *trial)
{
	struct status ignored = {""};
	const struct launcher *by = launcher_pick(&trial->settings, &ignored);
	const struct backend *backend = backend_find(trial->settings.backend);
	return plan->spec->overlap && by && !by->queues &&
	       (!backend->shares || backend->shares(trial));
}

bool plan_overlaps(const struct plan *plan, const struct trial *trial)
{
	return !trial->yield && shares(plan, trial);
}

static bool takes_turns(const struct plan *plan, unsigned variant)
{
	struct trial *trial = plan_order_trial(plan, variant, 0, 0);
	const bool takes = shares(plan, trial) && settings_hosts(&trial->settings) == 1;
	trial_free(trial);
	return takes;
}

int plan_turns(const struct plan *plan, struct status *st)
{
	const size_t memory = plan->backend->memory ? plan->backend->memory() : 0; /* 0: unknown */
	if (plan->search.nkeys)
		return status_set(st, "a search plans its trials one by one");
	if (memory && plan->arena_bytes > memory / 4 / plan->nvariants)
		return status_set(st, "the buffers of %u jobs need too much memory",
		                  plan->nvariants);
	for (unsigned v = 0; v < plan->nvariants; v++)
		if (!plan->variants[v].skip[0] && !takes_turns(plan, v))
			return status_set(st, "no other job can run beside one of %s",
			                  plan->variants[v].name);
	return 0;
}

int plan_command(const struct trial *trial, const char *self, const char *order_file,
                 const char *scratch, struct launcher_argv *out, struct status *st)
{
	const struct launcher *by = launcher_pick(&trial->settings, st);
	const struct launch launch = {
	    .set = &trial->settings,
	    .yield = trial->yield,
	    .messages = traits_find(trial->settings.backend)->messages,
	    .self = self,
	    .order = order_file,
	    .scratch = scratch,
	};
	return by ? launcher_command(by, &launch, out, st) : -1;
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

const struct library *plan_library(const struct plan *plan, const char *nccl)
{
	for (unsigned i = 0; i < plan->nlibraries; i++)
		if (!strcmp(plan->libraries[i].nccl, nccl))
			return &plan->libraries[i].library;
	return NULL;
}

const struct plan_variant *plan_find(const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (!strcmp(plan->variants[i].name, name))
			return &plan->variants[i];
	return NULL;
}

const struct plan_variant *plan_reference(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (!strcmp(plan->variants[i].role, "reference"))
			return &plan->variants[i];
	return NULL;
}

unsigned plan_ranks(const struct plan *plan, const struct spec_variant *variant)
{
	const unsigned own = variant->ranks;
	return own && own < plan->nranks ? own : plan->nranks;
}

const char *plan_main_backend(const struct plan *plan)
{
	const struct plan_variant *reference = plan_reference(plan);
	return (reference ? reference : plan->variants)->settings.backend;
}

/* --- what it costs --- */

/* Rough figures: a call on devices, a call on cores, and a row of stamps in the record. */
#define CALL_S         20e-6
#define DEVICE_BYTES_S 300e9 /* over NVLink */
#define CORE_BYTES_S   3e9
#define ROW_BYTES      25.0
#define CELL_BYTES     600.0
#define TRIAL_BYTES    3200.0

static bool on_cores(const struct trial *t)
{
	return !traits_find(t->settings.backend)->gpus;
}

/* Of ranks that share cores. */
static double slower(const struct plan *plan, const struct trial *t)
{
	const unsigned nranks = layout_ranks(t->settings.layout), ncores = plan->machine->cores;
	return on_cores(t) && ncores < nranks ? (double)nranks / ncores : 1;
}

/* beside: one of its block before it starts with it. */
static double start_seconds(const struct plan *plan, const struct trial *t, bool beside)
{
	const struct cell *last = &t->cells[t->ncells - 1];
	if (on_cores(t))
		return COST_CORE_START_S * slower(plan, t);
	return (beside ? COST_BESIDE_S : COST_DEVICE_START_S) + COST_CONNECT_S * last->connection +
	       COST_ALLOCATE_S * (last->connection + 1) * last->allocation;
}

/* So many rows of a cell. */
static double rows_seconds(const struct plan *plan, const struct trial *t, const struct cell *cell,
                           double rows)
{
	const double calls = rows * trial_calls(t, cell) * trial_replays(t, cell) + t->warmup,
	             call = CALL_S + 1e-9 * (double)t->settings.delay_ns +
	                    (double)cell->bytes / (on_cores(t) ? CORE_BYTES_S : DEVICE_BYTES_S);
	return calls * call * slower(plan, t);
}

static void cost_add(struct plan_cost *sum, const struct plan *plan, const struct trial *t,
                     bool beside)
{
	const unsigned nranks = layout_ranks(t->settings.layout);
	sum->seconds += start_seconds(plan, t, beside);
	sum->bytes += TRIAL_BYTES;
	for (unsigned c = 0; c < t->ncells; c++) {
		const struct cell *cell = &t->cells[c];
		const double rows = trial_rows(t, cell);
		sum->seconds += rows_seconds(plan, t, cell, rows);
		if (!on_cores(t) && cell->pass == PASS_COUNTERS)
			sum->seconds += COST_COUNTERS_S;
		sum->bytes += CELL_BYTES + rows * nranks * ROW_BYTES;
	}
}

struct plan_cost plan_cost(const struct plan *plan)
{
	struct plan_cost sum = {0, 0};
	const unsigned in_block = plan->ntrials / plan->spec->blocks;
	for (unsigned i = 0; i < plan->ntrials; i++) {
		struct trial *t = plan_trial(plan, i);
		cost_add(&sum, plan, t, plan->turns.hi && i % in_block);
		trial_free(t);
	}
	return sum;
}

/* --- isolated calls --- */

unsigned plan_isolated_calls(const struct plan *plan, size_t asked_bytes)
{
	const unsigned own = plan->spec->isolated_calls;
	return own ? own : asked_bytes <= plan->p99_bytes ? TRIAL_P99_CALLS : PLAN_ISOLATED_CALLS;
}

/* Calls of ranks that share a GPU, cores or a network may take milliseconds; a step computes. */
static bool calls_are_short(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->spec->ncolls; i++)
		if (coll_info(plan->spec->colls[i])->is & (COLL_TRAINS | COLL_ROUTED))
			return false;
	for (unsigned v = 0; v < plan->nvariants; v++) {
		const struct settings *set = &plan->variants[v].settings;
		const bool shares =
		    settings_hosts(set) > 1 || set->ranks_per_gpu > 1 ||
		    (!traits_find(set->backend)->gpus && plan->nranks > plan->machine->cores);
		if (!plan->variants[v].skip[0] && shares)
			return false;
	}
	return true;
}

void plan_p99_settle(struct plan *plan)
{
	const struct spec *spec = plan->spec;
	if (!spec->isolated_calls && spec->paces[PACE_ISOLATED] && !plan->search.nkeys &&
	    plan->nranks <= PLAN_MOST_SAMPLES / TRIAL_P99_CALLS && calls_are_short(plan))
		plan->p99_bytes = PLAN_P99_BYTES;
}

/* --- what is asked --- */

/* A variant's settings as the plan has them; false if no variant has the name here, as with a
 * library that this machine lacks. An unset library is kept as the sentence that names its
 * variable: then two of the same variable are equal, and a factor is right or wrong on every
 * machine. */
static bool settings_of(const struct plan *plan, const char *name, struct settings *out)
{
	const struct spec *spec = plan->spec;
	const struct plan_variant *v = plan_find(plan, name);
	if (!v || v >= plan->variants + spec->nvariants)
		return false;
	const char *unset = spec->variants[v - plan->variants].skip;
	*out = v->settings;
	if (unset[0])
		snprintf(out->nccl, sizeof out->nccl, "%s", unset);
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

bool plan_has(const struct plan *plan, const char *name)
{
	const struct plan_variant *v = plan_find(plan, name);
	return v && !v->skip[0];
}

bool plan_tests(const struct plan *plan, const struct claim *claim)
{
	return claim->test != CLAIM_NEEDS && plan_has(plan, claim->left) &&
	       plan_has(plan, claim->right);
}

static size_t largest_of(const struct plan *plan, enum coll_kind coll)
{
	size_t most = 0;
	for (unsigned i = 0; i < plan->ncells; i++)
		if (plan->cells[i].coll == coll && plan->cells[i].bytes > most)
			most = plan->cells[i].bytes;
	return most;
}

/* Counters are read over a stream. Launch cost is of isolated calls, or else of a stream's. */
int plan_claim_pace(const struct claim *claim)
{
	const struct metric_info *metric = metric_info(claim->metric);
	if (metric->counters && claim->pace == CLAIM_ANY_PACE)
		return PACE_STREAM;
	return claim->pace == CLAIM_ANY_PACE ? metric->pace : claim->pace;
}

/* As regimes_settle. */
struct claim_range plan_claim_sizes(const struct plan *plan, const struct claim *claim)
{
	const int regime = claim_regime(claim);
	bool third;
	if (regime == CLAIM_ANY_REGIME || !claim_range_open(claim->bytes))
		return claim->bytes;
	return claim_regime_range((enum regime_kind)regime,
	                          traits_find(plan_main_backend(plan))->gpus, plan->spec->sizes,
	                          plan->spec->nsizes, &third);
}

struct found {
	bool coll, pace, size, counted;
	unsigned calls; /* isolated, the most */
};

static struct found look_for(const struct plan *plan, const struct claim *c, int coll)
{
	struct found found = {false};
	int pace = plan_claim_pace(c);
	for (unsigned i = 0; i < plan->ncells; i++) {
		const struct cell *cell = &plan->cells[i];
		if (coll != CLAIM_ANY_COLL && (int)cell->coll != coll)
			continue;
		found.coll = true;
		if (pace != CLAIM_ANY_PACE && (int)cell->pace != pace)
			continue;
		found.pace = true;
		if (cell->asked_bytes < c->bytes.lo || cell->asked_bytes > c->bytes.hi)
			continue;
		const unsigned calls = plan_isolated_calls(plan, cell->asked_bytes);
		found.calls = calls > found.calls ? calls : found.calls;
		found.size = true;
		found.counted |= cell->bytes >= largest_of(plan, cell->coll) / PLAN_LARGE;
	}
	return found;
}

static void size_why(const struct claim *c, const char *what, char *why, size_t bytes)
{
	char range[80];
	coll_range_label(c->bytes.lo, c->bytes.hi, range, sizeof range);
	snprintf(why, bytes, "none of these sizes is measured%s: %s", what, range);
}

/* What one side of a claim lacks. */
static void side_why(const struct plan *plan, const struct claim *claim, bool right, char *why,
                     size_t bytes)
{
	const int coll = claim_coll(claim, right);
	const struct metric_info *metric = metric_info(claim->metric);
	struct claim sized = *claim;
	sized.bytes = plan_claim_sizes(plan, claim);
	const struct found found = look_for(plan, &sized, coll);
	if (!found.coll)
		snprintf(why, bytes, "%s is not measured", coll_info((enum coll_kind)coll)->name);
	else if (metric->counters && !plan->spec->counters)
		snprintf(why, bytes, "no counters are read; say counters = yes");
	else if (metric->counters && plan_claim_pace(claim) != PACE_STREAM)
		snprintf(why, bytes, "counters are of pace stream alone");
	else if (!found.pace)
		snprintf(why, bytes, "pace %s is not measured",
		         coll_pace_name((enum pace)plan_claim_pace(claim)));
	else if (!found.size)
		size_why(&sized, "", why, bytes);
	else if (found.calls < metric->least_calls)
		snprintf(why, bytes, "%s needs %u isolated calls, and isolated_calls is %u",
		         metric->name, metric->least_calls, found.calls);
	else if (metric->counters && !found.counted)
		size_why(&sized, " with counters (from a sixteenth of the largest up)", why, bytes);
}

void plan_claim_why(const struct plan *plan, const struct claim *claim, char *why, size_t bytes)
{
	const bool alone = claim->test != CLAIM_NEEDS && metric_info(claim->metric)->alone;
	snprintf(why, bytes, "%s",
	         alone && plan->turns.hi ? "jobs in turns connect side by side" : "");
	for (unsigned right = 0; right < 2 && !why[0] && claim->test != CLAIM_NEEDS; right++)
		side_why(plan, claim, right, why, bytes);
}

unsigned plan_family(const struct plan *plan, unsigned *blocks)
{
	const struct claim_list *asked = &plan->asked;
	unsigned family = 0;
	bool primary = false;
	*blocks = 0;
	for (unsigned i = 0; i < asked->nclaims; i++) {
		const struct claim *c = &asked->claims[i];
		char why[512];
		plan_claim_why(plan, c, why, sizeof why);
		if (why[0] || !plan_tests(plan, c))
			continue;
		const bool leads = !strcmp(c->name, plan->asked.primary);
		primary |= leads;
		family += !leads;
	}
	if (family || primary)
		*blocks = family_blocks(family, FAMILY_ALPHA);
	return family;
}

void plan_factor_why(const struct plan *plan, const struct factor *factor, char *why, size_t bytes)
{
	static const enum metric of[] = {METRIC_BUSBW, METRIC_LATENCY};
	why[0] = '\0';
	/* Either pace will do: a lack in one does not matter if the other is measured. */
	for (unsigned i = 0; i < 2 && factor->from[0]; i++) {
		const struct claim c = {.metric = of[i],
		                        .bytes = factor->bytes,
		                        .regime = CLAIM_ANY_REGIME,
		                        .pace = CLAIM_ANY_PACE,
		                        .coll = CLAIM_ANY_COLL};
		if (!plan->spec->paces[metric_info(of[i])->pace])
			continue;
		plan_claim_why(plan, &c, why, bytes);
		if (!why[0])
			return;
	}
	if (why[0] && factor->as_gap && !claim_range_open(factor->bytes))
		status_add(why, bytes,
		           " (without its own bytes it has the sizes of the claims about busbw)");
}
