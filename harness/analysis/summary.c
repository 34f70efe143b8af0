#include "summary.h"

#include <math.h>
#include <string.h>

#include "../arena.h"
#include "../coll/counts.h"
#include "../record/member.h"
#include "verdict.h"
#include "ranks.h"

#define MARGIN 0.02 /* where the record names none */

static const char *const role_names[] = {[ROLE_VARIANT] = "variant",
                                         [ROLE_REFERENCE] = "reference",
                                         [ROLE_AGAIN] = "again",
                                         [ROLE_LIMIT] = "limit"};

static enum summary_role find_role(const char *name)
{
	for (int i = 0; i <= ROLE_LIMIT; i++)
		if (!strcmp(name, role_names[i]))
			return (enum summary_role)i;
	return ROLE_VARIANT;
}

static void read_variants(struct summary *s)
{
	s->nvariants = s->run->nvariants;
	s->variants = ARENA_ARRAY(s->arena, struct summary_variant, s->nvariants);
	s->reference = s->twin = -1;
	for (unsigned i = 0; i < s->nvariants; i++) {
		const struct record_variant *v = &s->run->variants[i];
		s->variants[i] =
		    (struct summary_variant){.name = v->name,
		                             .mode = v->mode,
		                             .layout = v->layout,
		                             .backend = v->backend,
		                             .bind = v->bind,
		                             .skip = v->skip,
		                             .library = "",
		                             .path = "",
		                             .traits = record_traits(s->run, v->name),
		                             .role = find_role(v->role),
		                             .settings = v->known ? &v->settings : NULL};
		if (s->variants[i].role == ROLE_REFERENCE)
			s->reference = (int)i;
		if (s->variants[i].role == ROLE_AGAIN)
			s->twin = (int)i;
	}
}

/* Rows by variant, group and size, each with its cell as the record first has it. */
static void make_rows(struct summary *s)
{
	const struct index *x = &s->index;
	size_t most = (size_t)s->nvariants * x->nplaces;
	const struct record_cell **first = ARENA_ARRAY(s->arena, const struct record_cell *, most);
	for (unsigned i = s->run->ncells; i-- > 0;)
		if (s->run->cells[i].cell.pass == PASS_TIMED)
			first[x->variant_of[i] * x->nplaces + x->place_of[i]] = &s->run->cells[i];
	for (size_t k = 0; k < most; k++)
		s->nrows += first[k] != NULL;
	s->rows = ARENA_ARRAY(s->arena, struct summary_row, s->nrows);
	struct summary_row *row = s->rows;
	for (unsigned v = 0; v < s->nvariants; v++)
		for (unsigned g = 0; g < s->ngroups; g++)
			for (unsigned i = 0; i < s->groups[g].nsizes; i++) {
				const struct record_cell *c =
				    first[v * x->nplaces + index_place(s, g, i)];
				if (c)
					*row++ = (struct summary_row){.variant = v,
					                              .group = g,
					                              .nranks = c->nranks,
					                              .cell = c->cell,
					                              .calls = c->calls};
			}
	index_rows(s);
}

/* How alltoallv's parts were cut. If the record does not say it as it is done here, they came to
 * the whole size: all equal. */
static struct value_weights weights_of(const struct record_run *run)
{
	const char *parts = json_string_value(json_object_get(run->environment, "parts"));
	struct value_weights weights = {0};
	struct status why = {0};
	if (!parts || strcmp(parts, "by rank") ||
	    counts_from_json(json_object_get(run->environment, "counts"), &weights, &why))
		return (struct value_weights){0};
	return weights;
}

/* For a step of training all gradients, whatever its buckets are. */
size_t summary_moved(const struct record_run *run, const struct cell *cell, unsigned nranks)
{
	const struct value_weights weights = weights_of(run);
	const json_t *model = json_object_get(run->environment, "model");
	const json_int_t elements = json_integer_value(json_object_get(model, "elements"));
	const unsigned ranks = cell->comm_ranks ? cell->comm_ranks : nranks;
	if (coll_info(cell->coll)->is & COLL_TRAINS && elements > 0)
		return (size_t)elements * coll_dtype_bytes(cell->dtype);
	const struct value_parts parts = coll_parts(cell, &weights, ranks);
	return coll_moved(cell, &parts, ranks);
}

/* What a group takes from its rows; the first row decides. */
static void finish_groups(struct summary *s)
{
	for (unsigned i = s->nrows; i-- > 0;) {
		struct summary_row *row = &s->rows[i];
		struct summary_group *g = &s->groups[row->group];
		unsigned size = 0;
		while (g->bytes[size] != row->cell.bytes)
			size++;
		g->cell = row->cell;
		g->asked_bytes[size] = row->cell.asked_bytes;
		row->moved_bytes = summary_moved(s->run, &row->cell, row->nranks);
		g->moved_bytes[size] = row->moved_bytes;
	}
	for (unsigned g = 0; g < s->ngroups; g++) {
		s->groups[g].limit = true;
		if (s->groups[g].nranks > s->ncores && s->ncores)
			s->oversubscribed = true;
	}
	for (unsigned i = 0; i < s->nrows; i++)
		if (s->variants[s->rows[i].variant].role != ROLE_LIMIT)
			s->groups[s->rows[i].group].limit = false;
}

/* Ranks that one worker drove; 1 if the record's layout does not match its ranks. */
static unsigned ranks_per_worker(const struct record_cell *c)
{
	const char *layout = json_string_value(json_object_get(c->json, "layout"));
	unsigned processes, threads, ranks;
	if (layout && sscanf(layout, "%ux%ux%u", &processes, &threads, &ranks) == 3 && ranks > 0 &&
	    (uint64_t)processes * threads * ranks == c->nranks)
		return ranks;
	return 1;
}

/* A trial's times of each row, a list of each. */
enum { TIME, LAUNCH, SKEW, RANK0, MEAN, MIN, MAX, TIMES };

struct summary_trial summary_cell(struct arena *arena, const struct record_cell *c)
{
	const struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
	const size_t n = c->rows, nsamples = (size_t)c->nranks * c->rows;
	const struct arena_mark mark = arena_mark(arena);
	double *times = ARENA_ARRAY(arena, double, TIMES *n + nsamples), median[TIMES];
	double *polls = times + TIMES * n;
	const unsigned per_worker = ranks_per_worker(c);
	for (unsigned i = 0; i < n; i++) {
		struct timing_workers w = timing_workers(&view, per_worker, i);
		const double of[] = {[TIME] = timing_row_ns(&view, i),
		                     [LAUNCH] = timing_launch_ns(&view, i),
		                     [SKEW] = timing_skew_ns(&view, i),
		                     [RANK0] = w.rank0_ns,
		                     [MEAN] = w.mean_ns,
		                     [MIN] = w.min_ns,
		                     [MAX] = w.max_ns};
		for (unsigned k = 0; k < TIMES; k++)
			times[k * n + i] = of[k];
	}
	const double early = timing_early(times, n); /* while they are in their order */
	for (unsigned k = 0; k < TIMES; k++)
		median[k] = stats_median(times + k * n, n);
	for (size_t i = 0; i < nsamples; i++)
		polls[i] = (double)c->samples[i].poll_ns;
	const struct summary_trial trial = {
	    .block = c->block,
	    .order = c->order,
	    .ntimes = 1,
	    .time_ns = median[TIME],
	    .p95_ns = stats_quantile(times, n, 0.95),
	    .p99_ns = n + c->stall.rows < TRIAL_P99_CALLS ? NAN : stats_quantile(times, n, 0.99),
	    /* For calls that block, issuing is all of the call. */
	    .launch_ns = c->traits->blocks ? NAN : median[LAUNCH],
	    .skew_ns = median[SKEW],
	    .workers = {median[RANK0], median[MEAN], median[MIN], median[MAX]},
	    .poll_ns = stats_median(polls, nsamples),
	    .early = early,
	    .step_ns = (double)timing_step_ns(&view)};
	arena_release(arena, mark);
	return trial;
}

/* A trial that measures its cells several times has their mean. Over connections and allocations it
 * is the geometric one: they differ by factors, as jobs do. */
static void add_time(struct summary_trial *mean, const struct summary_trial *more, bool geometric)
{
	double *const to[] = {&mean->time_ns,          &mean->p95_ns,
	                      &mean->p99_ns,           &mean->launch_ns,
	                      &mean->skew_ns,          &mean->poll_ns,
	                      &mean->workers.rank0_ns, &mean->workers.mean_ns,
	                      &mean->workers.min_ns,   &mean->workers.max_ns};
	const double from[] = {more->time_ns,          more->p95_ns,          more->p99_ns,
	                       more->launch_ns,        more->skew_ns,         more->poll_ns,
	                       more->workers.rank0_ns, more->workers.mean_ns, more->workers.min_ns,
	                       more->workers.max_ns};
	const unsigned n = mean->ntimes++;
	for (size_t i = 0; i < sizeof from / sizeof *from; i++)
		*to[i] = geometric && *to[i] > 0 && from[i] > 0
		             ? exp((log(*to[i]) * n + log(from[i])) / (n + 1))
		             : (*to[i] * n + from[i]) / (n + 1);
}

static void add_trial(struct arena *arena, struct summary_row *row, const struct record_cell *c)
{
	if (c->error[0]) {
		row->failed++;
		return;
	}
	const struct summary_trial trial = summary_cell(arena, c);
	row->wrong += c->wrong;
	row->faults += c->faults;
	row->switches += c->switches;
	row->ncalls += (uint64_t)c->calls * c->rows;
	row->watched_s += trial.time_ns * 1e-9 * c->calls * c->rows * c->nranks;
	row->carries_data = row->carries_data || c->carries_data;
	/* Shorter than the clock's step: no time was seen, and a ratio with it would mean
	 * nothing. */
	if (!(trial.time_ns > 0)) {
		row->failed++;
		return;
	}
	struct summary_trial *last = row->ntrials ? &row->trials[row->ntrials - 1] : NULL;
	const bool nested = c->cell.connection || c->cell.allocation;
	if (last && last->block == trial.block && (c->cell.cycle || nested)) {
		add_time(last, &trial, nested);
		return;
	}
	row->trials = arena_more(arena, row->trials, row->ntrials, sizeof *row->trials);
	row->trials[row->ntrials++] = trial;
}

static void read_facts(struct summary_variant *v, const struct record_cell *c)
{
	const json_t *facts = json_array_get(json_object_get(c->json, "facts"), 0);
	if (!*v->library)
		v->library = member_or_empty(facts, "library");
	if (!*v->path)
		v->path = member_or_empty(facts, "path");
}

static void read_cells(struct summary *s)
{
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (c->cell.pass != PASS_TIMED)
			continue;
		struct summary_row *row =
		    index_row(s, s->index.variant_of[i], s->index.place_of[i]);
		add_trial(s->arena, row, c);
		struct summary_variant *v = &s->variants[row->variant];
		read_facts(v, c);
		v->measured = v->measured || row->ntrials;
		s->measured = s->measured || row->ntrials;
		s->carries_data = s->carries_data || row->carries_data;
	}
}

/* One of a row's numbers of each of its trials. */
static double *over_trials(const struct summary_row *row, size_t offset, double *room)
{
	for (unsigned i = 0; i < row->ntrials; i++)
		memcpy(&room[i], (const char *)&row->trials[i] + offset, sizeof *room);
	return room;
}

static double quantile_us(const struct summary_row *row, size_t offset, double p, double *room)
{
	return stats_quantile(over_trials(row, offset, room), row->ntrials, p) / 1000;
}

static struct stats_interval interval_us(const struct summary_row *row, size_t offset, double *room)
{
	const struct stats_interval ns = stats_quantile_interval(
	    over_trials(row, offset, room), row->ntrials, 0.5, VERDICT_CONFIDENCE);
	return (struct stats_interval){ns.estimate / 1000, ns.lo / 1000, ns.hi / 1000};
}

#define TRIAL(field) offsetof(struct summary_trial, field)

/* `room` has a number for each of its trials. */
static void finish_row(struct summary_row *row, double *room)
{
	bool isolated = row->cell.pace == PACE_ISOLATED;
	bool several = row->ntrials > 1;
	row->time_us = quantile_us(row, TRIAL(time_ns), 0.5, room);
	row->time_us_lo = several ? quantile_us(row, TRIAL(time_ns), 0.25, room) : NAN;
	row->time_us_hi = several ? quantile_us(row, TRIAL(time_ns), 0.75, room) : NAN;
	row->time_rank0_us = quantile_us(row, TRIAL(workers.rank0_ns), 0.5, room);
	row->time_mean_us = quantile_us(row, TRIAL(workers.mean_ns), 0.5, room);
	row->time_min_us = quantile_us(row, TRIAL(workers.min_ns), 0.5, room);
	row->time_max_us = quantile_us(row, TRIAL(workers.max_ns), 0.5, room);
	row->p50_us = isolated ? row->time_us : NAN;
	row->p95_us = row->p99_us = STATS_NO_INTERVAL;
	if (isolated) {
		row->p95_us = interval_us(row, TRIAL(p95_ns), room);
		row->p99_us = interval_us(row, TRIAL(p99_ns), room);
	}
	bool launches = row->ntrials && !isnan(row->trials[0].launch_ns);
	row->launch_us = launches ? quantile_us(row, TRIAL(launch_ns), 0.5, room) : NAN;
	row->skew_us = quantile_us(row, TRIAL(skew_ns), 0.5, room);
	row->resolution_us = quantile_us(row, TRIAL(poll_ns), 0.5, room);
	row->algbw_gbs = row->busbw_gbs = NAN;
	if (row->carries_data && row->ntrials) {
		row->algbw_gbs = coll_algbw(row->cell.coll, row->cell.comm_ranks, row->moved_bytes,
		                            row->time_us / 1e6);
		row->busbw_gbs = coll_busbw(row->cell.coll, row->cell.comm_ranks, row->moved_bytes,
		                            row->time_us / 1e6);
	}
}

static void finish_rows(struct summary *s)
{
	const struct arena_mark mark = arena_mark(s->arena);
	unsigned most = 0;
	for (unsigned i = 0; i < s->nrows; i++)
		most = s->rows[i].ntrials > most ? s->rows[i].ntrials : most;
	double *room = ARENA_ARRAY(s->arena, double, most);
	for (unsigned i = 0; i < s->nrows; i++)
		finish_row(&s->rows[i], room);
	arena_release(s->arena, mark);
}

static void check_wrong(struct summary *s)
{
	for (unsigned i = 0; i < s->run->ncells && !s->trouble.wrong; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (!c->wrong)
			continue;
		const json_t *at = json_object_get(c->json, "wrong_at");
		s->trouble = (struct trouble){.collective = coll_info(c->cell.coll)->name,
		                              .variant = c->variant,
		                              .bytes = c->cell.bytes,
		                              .block = c->block + 1,
		                              .wrong = c->wrong,
		                              .at = json_is_object(at) ? at : NULL};
	}
}

static bool is_compared(const struct summary *s, unsigned variant)
{
	/* Figures of different computations are not compared. */
	return !s->uncompared && s->reference >= 0 && (int)variant != s->reference &&
	       s->variants[variant].role != ROLE_LIMIT;
}

static void check_comparable(struct summary *s)
{
	if (s->trouble.wrong)
		s->uncompared = "the variants did not do the same work";
	for (unsigned v = 0; v < s->nvariants && !s->uncompared; v++)
		if (s->variants[v].measured && s->run->variants[v].settings.ranks_per_gpu > 1)
			s->uncompared = arena_text(
			    s->arena, "%u ranks share a GPU in %s, where their kernels take turns",
			    s->run->variants[v].settings.ranks_per_gpu, s->variants[v].name);
}

static bool has_trial(const struct summary *s, unsigned variant, unsigned block)
{
	for (unsigned p = 0; p < s->index.nplaces; p++)
		if (index_timed(s, variant, p, block))
			return true;
	return false;
}

/* The last block in which a variant has a time, as its place in the list plus one; 0: none. */
static unsigned blocks_until(const struct summary *s, unsigned variant, unsigned blocks)
{
	while (blocks && !has_trial(s, variant, blocks - 1))
		blocks--;
	return blocks;
}

/* A variant that failed in at least the last two blocks was given up: no block waits for it. */
static void count_blocks(struct summary *s)
{
	const unsigned begun = record_begun(s->run) > 0, all = s->index.nblocks,
	               blocks = all > begun ? all - begun : 0;
	for (unsigned b = 0; b < blocks; b++) {
		bool whole = s->measured;
		for (unsigned v = 0; v < s->nvariants && whole; v++) {
			const unsigned until = blocks_until(s, v, blocks);
			whole = !until || has_trial(s, v, b) || (b >= until && until + 1 < blocks);
		}
		s->nblocks += whole;
	}
}

/* The record does not say it: the plan gave each size its own. */
static void count_calls(struct summary *s)
{
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		const unsigned n = c->rows + c->stall.rows;
		if (c->error[0] || c->cell.pass != PASS_TIMED || c->cell.pace != PACE_ISOLATED ||
		    c->cell.coll == COLL_INIT)
			continue;
		s->least_calls = s->isolated_calls && s->least_calls < n ? s->least_calls : n;
		s->isolated_calls = s->isolated_calls > n ? s->isolated_calls : n;
	}
}

void summary_make(const struct record_run *run, struct arena *arena, struct summary *out)
{
	struct summary s = {.run = run, .arena = arena};
	const json_t *machine = json_object_get(run->environment, "machine");
	s.ncores = (unsigned)json_integer_value(json_object_get(machine, "cores"));
	s.load = json_number_value(json_object_get(machine, "load1"));
	s.loaded = s.ncores && s.load > 1 && s.load > 0.1 * s.ncores;
	s.isolated_calls = s.least_calls =
	    (unsigned)json_integer_value(json_object_get(run->environment, "isolated_calls"));
	double margin = json_number_value(json_object_get(run->environment, "margin"));
	s.margin = margin > 0 ? margin : MARGIN;
	s.looks = looks_count(run);
	read_variants(&s);
	index_make(&s);
	make_rows(&s);
	if (!s.isolated_calls)
		count_calls(&s);
	read_cells(&s);
	finish_groups(&s);
	finish_rows(&s);
	check_wrong(&s);
	check_comparable(&s);
	ranks_make(&s);
	index_trials(&s);
	count_blocks(&s);
	*out = s;
}

struct stats_interval summary_busbw(const struct summary_row *row)
{
	const double scale = row->busbw_gbs * row->time_us;
	return (struct stats_interval){row->busbw_gbs, scale / row->time_us_hi,
	                               scale / row->time_us_lo};
}

bool summary_is_asked(const struct summary *s, unsigned v)
{
	return s->variants[v].role == ROLE_VARIANT || s->variants[v].role == ROLE_REFERENCE;
}

bool summary_like(const struct summary *s, unsigned a, unsigned b)
{
	const struct settings *x = s->variants[a].settings, *y = s->variants[b].settings;
	char keys[512];
	if (!x || !y || index_ranks(s, a) != index_ranks(s, b))
		return false;
	struct settings as = *y;
	memcpy(as.mode, x->mode, sizeof as.mode);
	memcpy(as.nccl, x->nccl, sizeof as.nccl);
	as.layout = x->layout;
	return !settings_differ(x, &as, keys, sizeof keys);
}

bool summary_has_pace(const struct summary *s, enum pace pace)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].cell.pace == pace && !s->groups[g].limit)
			return true;
	return false;
}

bool summary_has_ratio(const struct summary *s, unsigned v)
{
	return s->variants[v].measured && is_compared(s, v);
}

const char *summary_fact(const struct summary *s, unsigned variant, int worker, const char *key)
{
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const json_t *facts = json_object_get(s->run->cells[i].json, "facts");
		if (s->index.variant_of[i] != variant)
			continue;
		for (size_t w = 0; w < json_array_size(facts); w++) {
			const char *text =
			    json_string_value(json_object_get(json_array_get(facts, w), key));
			if (text && (worker < 0 || worker == (int)w))
				return text;
		}
	}
	return NULL;
}

double summary_copies(const struct summary *s, size_t bytes)
{
	double best = NAN;
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (s->variants[row->variant].role != ROLE_LIMIT || isnan(row->busbw_gbs))
			continue;
		if (row->cell.bytes == bytes)
			return row->busbw_gbs;
		if (!(row->busbw_gbs <= best))
			best = row->busbw_gbs;
	}
	return best;
}

bool summary_lost_cores(const struct summary_row *row)
{
	return row->switches >= 10 && row->switches > 50 * row->watched_s;
}

const struct summary_row *summary_beyond_copies(const struct summary *s, size_t bytes)
{
	const struct summary_row *most = NULL;
	double gbs = summary_copies(s, bytes) * (1 + s->margin);
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		const enum summary_role role = s->variants[row->variant].role;
		if (row->cell.bytes == bytes && role != ROLE_LIMIT && role != ROLE_AGAIN &&
		    !(coll_info(row->cell.coll)->is & COLL_REDUCES) && row->busbw_gbs > gbs) {
			gbs = row->busbw_gbs;
			most = row;
		}
	}
	return most;
}

double summary_limit(const struct summary *s, size_t bytes)
{
	return summary_beyond_copies(s, bytes) ? NAN : summary_copies(s, bytes);
}

size_t summary_gpus(const struct summary *s, const char **name)
{
	const json_t *machine = json_object_get(s->run->environment, "machine"),
	             *gpus = json_object_get(machine, "gpus"), *gpu = json_array_get(gpus, 0);
	*name = gpu && json_is_string(gpu) ? json_string_value(gpu) : member_or_empty(gpu, "name");
	return record_traits(s->run, NULL)->gpus ? json_array_size(gpus) : 0;
}
