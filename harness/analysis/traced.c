#include "traced.h"

#include <stdio.h>
#include <string.h>

#include "../arena.h"

/* Cells of several variants that are the same one. */
struct slot {
	const struct cell *cell;
	int64_t from_ns, to_ns; /* around the cell's 0 */
	int64_t at_ns;
};

static bool is_shown(const struct record_cell *c)
{
	return c->samples && c->rows && c->nranks && !c->error[0] &&
	       (c->cell.pass == PASS_TIMED || c->cell.pass == PASS_TIMELINE);
}

static bool is_same(const struct cell *a, const struct cell *b)
{
	return index_same_group(a, b) && a->pass == b->pass && a->bytes == b->bytes &&
	       a->cycle == b->cycle && a->connection == b->connection &&
	       a->allocation == b->allocation;
}

bool traced_span(const struct record_cell *c, enum sample_lane lane, unsigned rank, size_t i,
                 int64_t *start, int64_t *end)
{
	const json_t *ranks = json_object_get(c->json, sample_lane_keys[lane]);
	const json_t *span = json_array_get(json_array_get(ranks, rank), i);
	const json_t *from = json_array_get(span, 0), *to = json_array_get(span, 1);
	*start = json_integer_value(from);
	*end = json_integer_value(to);
	return json_is_integer(from) && json_is_integer(to) && *end >= *start &&
	       record_stamp_fits(*start) && record_stamp_fits(*end);
}

/* Its least and latest stamp. */
static void extent(const struct record_cell *c, int64_t *from, int64_t *to)
{
	*from = *to = 0;
	for (unsigned i = 0; i < c->nranks * c->rows; i++) {
		const struct sample *x = &c->samples[i];
		int64_t begin = x->start_ns, end = x->idle_ns;
		if (c->device_clock && x->device_end_ns) {
			begin = x->device_start_ns < begin ? x->device_start_ns : begin;
			end = x->device_end_ns > end ? x->device_end_ns : end;
		}
		*from = begin < *from ? begin : *from;
		*to = end > *to ? end : *to;
	}
	for (unsigned r = 0; r < LANES * c->nranks; r++) {
		enum sample_lane lane = (enum sample_lane)(r % LANES);
		int64_t begin, end;
		for (size_t i = 0; traced_span(c, lane, r / LANES, i, &begin, &end); i++) {
			*from = begin < *from ? begin : *from;
			*to = end > *to ? end : *to;
		}
	}
}

/* The place of a cell, added if it is new. slots has room for all cells. */
static unsigned slot_of(struct slot *slots, unsigned *n, const struct record_cell *c)
{
	int64_t from, to;
	unsigned i = 0;
	while (i < *n && !is_same(slots[i].cell, &c->cell))
		i++;
	if (i == *n)
		slots[(*n)++] = (struct slot){.cell = &c->cell};
	extent(c, &from, &to);
	slots[i].from_ns = from < slots[i].from_ns ? from : slots[i].from_ns;
	slots[i].to_ns = to > slots[i].to_ns ? to : slots[i].to_ns;
	return i;
}

/* Events of one cell with so many rows: one for the cell, and for each row the call, its issue, its
 * wait, and where the device has a clock the device's; of all ranks. Also what ran in the last
 * row. */
static unsigned long long events_in(const struct record_cell *c, unsigned rows)
{
	return c->nranks * (1ULL + (c->device_clock ? 4ULL : 3ULL) * rows);
}

static unsigned long long events_of(const struct traced *t, unsigned rows)
{
	unsigned long long sum = 0;
	for (unsigned i = 0; i < t->n; i++) {
		const struct record_cell *c = t->cells[i].cell;
		sum += events_in(c, c->rows < rows ? c->rows : rows);
	}
	return sum;
}

/* As many rows of every cell as fit, the same bound for all; of too many cells the first. */
static void bound(struct traced *t, unsigned events)
{
	unsigned rows = 1, n = 0;
	unsigned long long used = 0;
	for (unsigned i = 0; i < t->n; i++)
		rows = t->cells[i].cell->rows > rows ? t->cells[i].cell->rows : rows;
	while (rows > 1 && events_of(t, rows) > events)
		rows -= (rows + 9) / 10;
	for (unsigned i = 0; i < t->n; i++) {
		struct traced_cell *x = &t->cells[i];
		x->rows = x->cell->rows < rows ? x->cell->rows : rows;
		used += events_in(x->cell, x->rows);
		if (n && used > events) {
			t->cells_left_out++;
			continue;
		}
		t->rows_left_out += x->cell->rows - x->rows;
		t->cells[n++] = *x;
	}
	t->n = n;
}

struct traced traced_make(const struct summary *s, unsigned most, struct arena *arena)
{
	const struct record_run *run = s->run;
	struct slot *slots = ARENA_ARRAY(arena, struct slot, run->ncells);
	unsigned *slot = ARENA_ARRAY(arena, unsigned, run->ncells), nslots = 0;
	struct traced out = {.cells = ARENA_ARRAY(arena, struct traced_cell, run->ncells)};
	int64_t at = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct record_cell *first = NULL;
		for (unsigned i = 0; i < run->ncells; i++) {
			const struct record_cell *c = &run->cells[i];
			if (!is_shown(c) || strcmp(c->variant, s->variants[v].name))
				continue;
			first = first ? first : c;
			if (c->block != first->block)
				continue;
			slot[out.n] = slot_of(slots, &nslots, c);
			out.cells[out.n++] = (struct traced_cell){.cell = c, .variant = v};
		}
	}
	for (unsigned i = 0; i < nslots; i++) {
		slots[i].at_ns = at - slots[i].from_ns;
		/* Beyond all times cells are at the same place, rather than anywhere. */
		if (record_stamp_fits(at))
			at += slots[i].to_ns - slots[i].from_ns + TRACED_GAP_NS;
	}
	for (unsigned i = 0; i < out.n; i++)
		out.cells[i].at_ns = slots[slot[i]].at_ns;
	bound(&out, most);
	return out;
}

struct traced_place traced_place(const struct summary_variant *v, unsigned rank)
{
	unsigned procs, threads, each;
	if (sscanf(v->layout, "%ux%ux%u", &procs, &threads, &each) != 3 || !threads || !each)
		return (struct traced_place){0, 0};
	return (struct traced_place){rank / each / threads, rank / each % threads};
}
