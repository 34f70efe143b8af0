/* From one cell's counters to one number. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "pairs.h"

double pairs_counter_sum(const struct record_cell *c, size_t offset)
{
	double sum = 0, one;
	for (unsigned r = 0; c->counters && r < c->nranks; r++) {
		memcpy(&one, (const char *)&c->counters[r] + offset, sizeof one);
		sum += one;
	}
	return c->counters ? sum : NAN;
}

#define SUM(cell, field) pairs_counter_sum(cell, offsetof(struct counters, field))

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

/* What a row takes usually: a mean would take a cell for long that was preempted once. */
static double usual_wall(const struct record_cell *c)
{
	double usual = NAN, *walls = malloc((c->rows + 1) * sizeof *walls);
	for (unsigned i = 0; walls && i < c->rows; i++)
		walls[i] = issue_wall(c, i);
	if (walls)
		usual = stats_median(walls, c->rows);
	free(walls);
	return usual;
}

/* On host nothing is launched: the worker hands its call over to itself. */
static bool launches(const struct record_cell *c)
{
	const char *backend = json_string_value(json_object_get(c->json, "backend"));
	return !backend || strcmp(backend, "host");
}

static double issue_cores(const struct record_cell *c)
{
	double cpu = 0, wall = 0;
	if (!c->issue_cpu_ns || !c->samples || !launches(c) ||
	    !(usual_wall(c) >= PAIRS_ISSUE_NS))
		return NAN;
	for (unsigned r = 0; r < c->nranks; r++)
		cpu += (double)c->issue_cpu_ns[r];
	for (unsigned i = 0; i < c->rows; i++)
		wall += issue_wall(c, i);
	return cpu / wall;
}

double pairs_counter(const struct record_cell *c, enum metric metric)
{
	switch (metric) {
	case METRIC_NVLINK_TX:
		return SUM(c, nvlink_tx_gbs) / c->nranks;
	case METRIC_DRAM:
		return SUM(c, dram_gbs) / c->nranks;
	case METRIC_DRAM_PER_NVLINK:
		return SUM(c, nvlink_tx_gbs) > 0 ? SUM(c, dram_gbs) / SUM(c, nvlink_tx_gbs)
		                                 : NAN;
	case METRIC_COPIES:
		return SUM(c, delivered_bytes) > 0
		           ? SUM(c, copied_bytes) / SUM(c, delivered_bytes)
		           : NAN;
	case METRIC_ISSUE_CORES:
		return issue_cores(c);
	default:
		return NAN;
	}
}
