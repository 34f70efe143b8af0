#include "measure.h"

#include <math.h>
#include <stdlib.h>

#include "../arena.h"

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

/* Facts are texts. */
double measure_fact(const json_t *facts, const char *key)
{
	const char *text = json_string_value(json_object_get(facts, key));
	char *end;
	double x = text ? strtod(text, &end) : NAN;
	return text && (end == text || *end) ? NAN : x;
}
