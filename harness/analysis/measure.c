#include "measure.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../arena.h"

#define MIB 1048576.0

double measure_timed(const struct summary_row *row, const struct summary_trial *t,
                     enum metric metric)
{
	switch (metric) {
	case METRIC_LAUNCH:
		return t->launch_ns;
	case METRIC_P95:
		return t->p95_ns;
	case METRIC_P99:
		return t->p99_ns;
	case METRIC_BUSBW:
		break;
	default:
		return t->time_ns;
	}
	return row->carries_data ? coll_busbw(row->cell.coll, row->cell.comm_ranks,
	                                      row->moved_bytes, t->time_ns * 1e-9)
	                         : NAN;
}

/* The sum over ranks of the counter at an offset in struct counters; NaN without counters. */
static double sum_of(const struct record_cell *c, size_t offset)
{
	double sum = 0, one;
	for (unsigned r = 0; c->counters && r < c->nranks; r++) {
		memcpy(&one, (const char *)&c->counters[r] + offset, sizeof one);
		sum += one;
	}
	return c->counters ? sum : NAN;
}

#define SUM(cell, field) sum_of(cell, offsetof(struct counters, field))

/* From the earliest start to the latest return of issue. */
static double issue_wall(const struct record_cell *c, unsigned row)
{
	int64_t first = c->samples[row].start_ns, last = c->samples[row].issued_ns;
	for (unsigned r = 1; r < c->nranks; r++) {
		const struct sample *s = &c->samples[(size_t)r * c->rows + row];
		first = s->start_ns < first ? s->start_ns : first;
		last = s->issued_ns > last ? s->issued_ns : last;
	}
	return (double)(last - first);
}

/* The usual time of a row: by a mean, a cell that was preempted once would look long. */
static double usual_wall(struct arena *arena, const struct record_cell *c)
{
	const struct arena_mark mark = arena_mark(arena);
	double *walls = ARENA_ARRAY(arena, double, c->rows);
	for (unsigned i = 0; i < c->rows; i++)
		walls[i] = issue_wall(c, i);
	const double usual = stats_median(walls, c->rows);
	arena_release(arena, mark);
	return usual;
}

double measure_issue_cores(struct arena *arena, const struct record_cell *c, unsigned rank)
{
	double wall = 0;
	if (!c->issue_cpu_ns || !c->samples || !c->traits->launches ||
	    !(usual_wall(arena, c) >= MEASURE_ISSUE_NS))
		return NAN;
	for (unsigned i = 0; i < c->rows; i++)
		wall += issue_wall(c, i);
	return (double)c->issue_cpu_ns[rank] / wall;
}

static double issue_cores(struct arena *arena, const struct record_cell *c)
{
	double cores = 0;
	for (unsigned r = 0; r < c->nranks; r++)
		cores += measure_issue_cores(arena, c, r);
	return cores;
}

double measure_counter(struct arena *arena, const struct record_cell *c, enum metric metric)
{
	switch (metric) {
	case METRIC_NVLINK_TX:
		return SUM(c, nvlink_tx_gbs) / c->nranks;
	case METRIC_DRAM:
		return SUM(c, dram_gbs) / c->nranks;
	case METRIC_DRAM_PER_NVLINK:
		return SUM(c, nvlink_tx_gbs) > 0 ? SUM(c, dram_gbs) / SUM(c, nvlink_tx_gbs) : NAN;
	case METRIC_COPIES:
		return SUM(c, delivered_bytes) > 0 ? SUM(c, copied_bytes) / SUM(c, delivered_bytes)
		                                   : NAN;
	case METRIC_ISSUE_CORES:
		return issue_cores(arena, c);
	default:
		return NAN;
	}
}

/* Facts are texts. */
double measure_fact(const json_t *facts, const char *key)
{
	const char *text = json_string_value(json_object_get(facts, key));
	char *end;
	double x = text ? strtod(text, &end) : NAN;
	return text && (end == text || *end) ? NAN : x;
}

/* What a worker's GPU (or first rank) used altogether. */
static double rank_bytes(const json_t *facts)
{
	/* If nothing is registered separately, and in older records, comm includes it. */
	double registering = measure_fact(facts, "memory_register_bytes");
	return measure_fact(facts, "memory_buffers_bytes") +
	       measure_fact(facts, "memory_comm_bytes") +
	       measure_fact(facts, "memory_calls_bytes") + (isnan(registering) ? 0 : registering);
}

/* Of a worker. */
static double whole_of(const json_t *facts, enum metric metric)
{
	return metric == METRIC_INIT ? measure_fact(facts, "init_ns") : rank_bytes(facts);
}

/* Of all processes. Any of a process's workers may say what all of it holds: its first one, in
 * older records each. */
static double held_by_all(const json_t *list, unsigned threads)
{
	const size_t n = json_array_size(list);
	double all = 0;
	for (size_t first = 0; first < n; first += threads) {
		double sum = 0;
		unsigned say = 0;
		for (size_t w = first; w < first + threads && w < n; w++) {
			double x = measure_fact(json_array_get(list, w), "process_share_bytes");
			sum += isnan(x) ? 0 : x;
			say += !isnan(x);
		}
		all += say ? sum / say : NAN;
	}
	return all;
}

double measure_whole(const struct record_cell *c, enum metric metric)
{
	const json_t *list = json_object_get(c->json, "facts");
	const char *layout = json_string_value(json_object_get(c->json, "layout"));
	double sum = 0, most = 0, n = (double)json_array_size(list);
	unsigned threads = 0;
	if (metric == METRIC_MEMORY)
		return layout && sscanf(layout, "%*ux%u", &threads) == 1 && threads && n > 0
		           ? held_by_all(list, threads) / MIB
		           : NAN;
	for (size_t w = 0; w < json_array_size(list); w++) {
		double x = whole_of(json_array_get(list, w), metric);
		sum += x;
		most = fmax(most, x);
	}
	if (n == 0 || isnan(sum))
		return NAN;
	return metric == METRIC_INIT ? most / 1e6 : sum / n / MIB;
}

/* A variant's cells with counters: how many, and how many with the metric's figure. */
struct counted {
	unsigned read, has;
	bool launches, has_cpu; /* of the last one */
	const char *missing;    /* what the record says about a missing figure; or NULL */
};

static const char *missing_of(const struct record_cell *c)
{
	for (unsigned r = 0; c->counters && r < c->nranks; r++)
		if (c->counters[r].missing[0])
			return c->counters[r].missing;
	return NULL;
}

static struct counted count(const struct summary *s, enum metric metric, unsigned variant)
{
	struct counted n = {.launches = true};
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (c->cell.pass != PASS_COUNTERS || c->error[0] ||
		    s->index.variant_of[i] != variant)
			continue;
		n.read++;
		n.launches = c->traits->launches;
		n.has_cpu = c->issue_cpu_ns;
		if (!isnan(measure_counter(s->arena, c, metric)))
			n.has++;
		else if (!n.missing)
			n.missing = missing_of(c);
	}
	return n;
}

/* For counters that were read, and have no figure. */
static enum reason_kind no_figure(const struct counted *n, enum metric metric)
{
	const bool issue = metric == METRIC_ISSUE_CORES; /* not a hardware counter */
	if (issue && !n->launches)
		return REASON_NO_LAUNCH;
	if (issue && n->has_cpu)
		return REASON_SHORT_ISSUE;
	return !issue && n->missing ? REASON_NO_COUNTER : REASON_NO_FIGURE_OF;
}

struct reason measure_missing(const struct summary *s, enum metric metric, const unsigned *variants,
                              unsigned n)
{
	struct reason why = {.kind = REASON_NO_COUNTERS, .metric = metric};
	unsigned read = 0;
	for (unsigned i = 0; i < n; i++)
		read += count(s, metric, variants[i]).read;
	for (unsigned i = 0; i < n && read; i++) {
		const struct counted of = count(s, metric, variants[i]);
		why.of = s->variants[variants[i]].name;
		why.detail = of.missing;
		why.kind = !of.read  ? REASON_NO_COUNTERS_OF
		           : !of.has ? no_figure(&of, metric)
		                     : REASON_NO_COUNTERS_TOGETHER;
		if (why.kind != REASON_NO_COUNTERS_TOGETHER)
			return why;
	}
	return why;
}
