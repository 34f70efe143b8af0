#include "memory.h"

#include <math.h>

#include "../arena.h"
#include "measure.h"

enum { BUFFERS, COMM, REGISTER, CALLS, PROCESS, RANK, KINDS };

static const char *const keys[] = {"memory_buffers_bytes", "memory_comm_bytes",
                                   "memory_register_bytes", "memory_calls_bytes",
                                   "process_peak_bytes"};

/* The facts of a trial's workers are in each of its cells, which follow each other: only the first
 * of them counts. NULL for the others, and for other variants. */
static const json_t *facts_of(const struct summary *s, unsigned variant, unsigned cell)
{
	const struct record_cell *c = &s->run->cells[cell];
	if (s->index.variant_of[cell] != variant ||
	    (cell && s->run->cells[cell - 1].order == c->order))
		return NULL;
	return json_object_get(c->json, "facts");
}

struct gathered {
	double *x[KINDS];
	size_t n[KINDS];
};

static void gather(struct gathered *g, unsigned kind, double x)
{
	if (isfinite(x))
		g->x[kind][g->n[kind]++] = x;
}

static void gather_worker(struct gathered *g, const json_t *facts)
{
	for (unsigned kind = 0; kind < RANK; kind++)
		gather(g, kind, measure_fact(facts, keys[kind]));
	gather(g, RANK, measure_rank_bytes(facts));
}

struct memory_use memory_of(const struct summary *s, unsigned variant)
{
	const struct arena_mark mark = arena_mark(s->arena);
	struct gathered g = {0};
	size_t workers = 0;
	for (unsigned i = 0; i < s->run->ncells; i++)
		workers += json_array_size(facts_of(s, variant, i));
	for (unsigned kind = 0; kind < KINDS; kind++)
		g.x[kind] = ARENA_ARRAY(s->arena, double, workers);
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const json_t *list = facts_of(s, variant, i), *facts;
		size_t k;
		json_array_foreach(list, k, facts)
		{
			gather_worker(&g, facts);
		}
	}
	const struct memory_use use = {.buffers = stats_median(g.x[BUFFERS], g.n[BUFFERS]),
	                               .comm = stats_median(g.x[COMM], g.n[COMM]),
	                               .registering = stats_median(g.x[REGISTER], g.n[REGISTER]),
	                               .calls = stats_median(g.x[CALLS], g.n[CALLS]),
	                               .rank = stats_median(g.x[RANK], g.n[RANK]),
	                               .process = stats_median(g.x[PROCESS], g.n[PROCESS])};
	arena_release(s->arena, mark);
	return use;
}
