#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "summary_parts.h"

#define CONFIDENCE 0.95
#define MARGIN     0.02 /* where the record names none */

static const char *const role_names[] = {[ROLE_VARIANT] = "variant",
                                         [ROLE_REFERENCE] = "reference",
                                         [ROLE_AGAIN] = "again",
                                         [ROLE_LIMIT] = "limit"};

const char *summary_role_name(enum summary_role role)
{
	return role_names[role];
}

static enum summary_role find_role(const char *name)
{
	for (int i = 0; i <= ROLE_LIMIT; i++)
		if (!strcmp(name, role_names[i]))
			return (enum summary_role)i;
	return ROLE_VARIANT;
}

static const char *member(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

static int read_variants(struct summary *s, struct status *st)
{
	const json_t *list = json_object_get(s->run->environment, "variants");
	s->nvariants = (unsigned)json_array_size(list);
	s->variants = calloc(s->nvariants, sizeof *s->variants);
	if (!s->variants)
		return status_set(st, "out of memory for the summary");
	s->reference = -1;
	for (unsigned i = 0; i < s->nvariants; i++) {
		const json_t *v = json_array_get(list, i);
		s->variants[i] = (struct summary_variant){.name = member(v, "name"),
		                                          .mode = member(v, "mode"),
		                                          .layout = member(v, "layout"),
		                                          .backend = member(v, "backend"),
		                                          .bind = member(v, "bind"),
		                                          .skip = member(v, "skip"),
		                                          .library = "",
		                                          .path = "",
		                                          .role = find_role(member(v, "role"))};
		if (s->variants[i].role == ROLE_REFERENCE)
			s->reference = (int)i;
	}
	return 0;
}

static unsigned find_variant(const struct summary *s, const char *name)
{
	unsigned i = 0;
	while (i + 1 < s->nvariants && strcmp(s->variants[i].name, name))
		i++;
	return i;
}

bool summary_same_group(const struct cell *a, const struct cell *b)
{
	return a->coll == b->coll && a->pace == b->pace && a->dtype == b->dtype &&
	       a->op == b->op && a->in_place == b->in_place && a->root == b->root &&
	       a->comm_ranks == b->comm_ranks;
}

static int by_place(const void *left, const void *right)
{
	const struct summary_row *a = left, *b = right;
	const int64_t keys[][2] = {{a->variant, b->variant},
	                           {a->cell.coll, b->cell.coll},
	                           {a->cell.pace, b->cell.pace},
	                           {a->cell.dtype, b->cell.dtype},
	                           {a->cell.op, b->cell.op},
	                           {a->cell.in_place, b->cell.in_place},
	                           {a->cell.root, b->cell.root},
	                           {a->nranks, b->nranks},
	                           {a->cell.comm_ranks, b->cell.comm_ranks},
	                           {(int64_t)a->cell.bytes, (int64_t)b->cell.bytes}};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

struct summary_row *summary_row_of(struct summary *s, const struct record_cell *c)
{
	unsigned variant = find_variant(s, c->variant);
	for (unsigned i = 0; i < s->nrows; i++) {
		struct summary_row *row = &s->rows[i];
		if (row->variant == variant && row->nranks == c->nranks &&
		    row->cell.bytes == c->cell.bytes &&
		    summary_same_group(&row->cell, &c->cell))
			return row;
	}
	struct summary_row *row = &s->rows[s->nrows++];
	*row = (struct summary_row){.variant = variant, .nranks = c->nranks, .cell = c->cell};
	row->calls = c->calls;
	row->digest_ok = true;
	return row;
}

/* A trial that measures its cells again and again has their mean. */
static void add_cycle(struct summary_trial *mean, const struct summary_trial *more, unsigned n)
{
	double *const to[] = {&mean->time_ns,   &mean->p95_ns,  &mean->p99_ns,
	                      &mean->launch_ns, &mean->skew_ns, &mean->poll_ns};
	const double from[] = {more->time_ns,   more->p95_ns,  more->p99_ns,
	                       more->launch_ns, more->skew_ns, more->poll_ns};
	for (size_t i = 0; i < sizeof from / sizeof *from; i++)
		*to[i] = (*to[i] * n + from[i]) / (n + 1);
}

static int add_trial(struct summary_row *row, const struct record_cell *c)
{
	struct summary_trial trial;
	if (c->error[0]) {
		row->failed++;
		return 0;
	}
	if (summary_trial_of(c, &trial))
		return -1;
	row->wrong += c->wrong;
	row->faults += c->faults;
	row->switches += c->switches;
	row->ncalls += (uint64_t)c->calls * c->rows;
	row->watched_s += trial.time_ns * 1e-9 * c->calls * c->rows * c->nranks;
	row->carries_data = row->carries_data || c->carries_data;
	/* Shorter than the clock's step: no time was seen, and a ratio with it would be none.
	 */
	if (!(trial.time_ns > 0)) {
		row->failed++;
		return 0;
	}
	struct summary_trial *last = row->ntrials ? &row->trials[row->ntrials - 1] : NULL;
	if (last && last->block == trial.block && c->cell.cycle) {
		add_cycle(last, &trial, c->cell.cycle);
		return 0;
	}
	struct summary_trial *more =
	    realloc(row->trials, (row->ntrials + 1) * sizeof *row->trials);
	if (!more)
		return -1;
	row->trials = more;
	row->trials[row->ntrials++] = trial;
	return 0;
}

static void read_facts(struct summary_variant *v, const struct record_cell *c)
{
	const json_t *facts = json_array_get(json_object_get(c->json, "facts"), 0);
	if (!*v->library)
		v->library = member(facts, "library");
	if (!*v->path)
		v->path = member(facts, "path");
}

static int read_cells(struct summary *s, struct status *st)
{
	unsigned ncells = s->run->ncells;
	s->rows = calloc(ncells ? ncells : 1, sizeof *s->rows);
	if (!s->rows)
		return status_set(st, "out of memory for the summary");
	for (unsigned i = 0; i < ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (c->cell.pass != PASS_TIMED)
			continue;
		struct summary_row *row = summary_row_of(s, c);
		if (add_trial(row, c))
			return status_set(st, "out of memory for the summary");
		struct summary_variant *v = &s->variants[row->variant];
		read_facts(v, c);
		v->measured = v->measured || row->ntrials;
		if (row->ntrials > s->nblocks)
			s->nblocks = row->ntrials;
		s->carries_data = s->carries_data || row->carries_data;
	}
	qsort(s->rows, s->nrows, sizeof *s->rows, by_place);
	return 0;
}

bool summary_counts(const struct record_cell *c)
{
	return !c->error[0] && c->cell.pass == PASS_TIMED;
}

/* One of a row's numbers over its trials: a quantile, in µs. */
static double over_trials_us(const struct summary_row *row, size_t offset, double p)
{
	double *x = malloc((row->ntrials ? row->ntrials : 1) * sizeof *x);
	if (!x)
		return NAN;
	for (unsigned i = 0; i < row->ntrials; i++)
		memcpy(&x[i], (const char *)&row->trials[i] + offset, sizeof x[i]);
	double value = stats_quantile(x, row->ntrials, p) / 1000;
	free(x);
	return value;
}

#define MEDIAN_US(row, field) over_trials_us(row, offsetof(struct summary_trial, field), 0.5)

static void finish_row(struct summary_row *row)
{
	bool isolated = row->cell.pace == PACE_ISOLATED;
	bool several = row->ntrials > 1;
	size_t time = offsetof(struct summary_trial, time_ns);
	row->time_us = over_trials_us(row, time, 0.5);
	row->time_us_lo = several ? over_trials_us(row, time, 0.25) : NAN;
	row->time_us_hi = several ? over_trials_us(row, time, 0.75) : NAN;
	row->time_rank0_us = MEDIAN_US(row, workers.rank0_ns);
	row->time_mean_us = MEDIAN_US(row, workers.mean_ns);
	row->time_min_us = MEDIAN_US(row, workers.min_ns);
	row->time_max_us = MEDIAN_US(row, workers.max_ns);
	row->p50_us = isolated ? row->time_us : NAN;
	row->p95_us = isolated ? MEDIAN_US(row, p95_ns) : NAN;
	row->p99_us = isolated ? MEDIAN_US(row, p99_ns) : NAN;
	row->launch_us = MEDIAN_US(row, launch_ns);
	row->skew_us = MEDIAN_US(row, skew_ns);
	row->resolution_us = MEDIAN_US(row, poll_ns);
	row->algbw_gbs = row->busbw_gbs = NAN;
	if (row->carries_data && row->ntrials) {
		row->algbw_gbs = coll_algbw(row->cell.coll, row->cell.comm_ranks,
		                            row->cell.bytes, row->time_us / 1e6);
		row->busbw_gbs = coll_busbw(row->cell.coll, row->cell.comm_ranks,
		                            row->cell.bytes, row->time_us / 1e6);
	}
	row->ratio = stats_ratio(NULL, NULL, 0, CONFIDENCE);
}

int summary_make(const struct record_run *run, struct summary *out, struct status *st)
{
	struct summary s = {.run = run};
	const json_t *machine = json_object_get(run->environment, "machine");
	s.ncores = (unsigned)json_integer_value(json_object_get(machine, "cores"));
	double margin = json_number_value(json_object_get(run->environment, "margin"));
	s.margin = margin > 0 ? margin : MARGIN;
	if (read_variants(&s, st) || read_cells(&s, st))
		goto fail;
	for (unsigned i = 0; i < s.nrows; i++)
		finish_row(&s.rows[i]);
	summary_check(&s);
	if (summary_group_rows(&s, st) || summary_rank_rows(&s, st))
		goto fail;
	/* Figures of different computations are not compared. */
	if (!s.trouble[0] && summary_compare(&s, CONFIDENCE, st))
		goto fail;
	*out = s;
	return 0;
fail:
	summary_free(&s);
	return -1;
}

void summary_free(struct summary *s)
{
	for (unsigned i = 0; i < s->nrows; i++) {
		free(s->rows[i].trials);
		free(s->rows[i].ranks);
	}
	for (unsigned g = 0; g < s->ngroups; g++) {
		free(s->groups[g].bytes);
		free(s->groups[g].asked_bytes);
		free(s->groups[g].gaps);
	}
	free(s->rows);
	free(s->groups);
	free(s->variants);
	*s = (struct summary){0};
}
