#include "index.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../arena.h"

/* Everything of two cells but size is equal. */
static bool same_group(const struct cell *a, const struct cell *b)
{
	return a->coll == b->coll && a->pace == b->pace && a->dtype == b->dtype && a->op == b->op &&
	       a->in_place == b->in_place && a->root == b->root && a->comm_ranks == b->comm_ranks;
}

static int by_group(const void *left, const void *right)
{
	const struct summary_group *a = left, *b = right;
	const int64_t keys[][2] = {{a->cell.coll, b->cell.coll},
	                           {a->cell.pace, b->cell.pace},
	                           {a->cell.dtype, b->cell.dtype},
	                           {a->cell.op, b->cell.op},
	                           {a->cell.in_place, b->cell.in_place},
	                           {a->cell.root, b->cell.root},
	                           {a->cell.comm_ranks, b->cell.comm_ranks},
	                           {a->nranks, b->nranks}};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

static int by_number(const void *left, const void *right)
{
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
	return a < b ? -1 : a > b;
}

/* The group of a cell. The search starts at the group before, because cells of one group follow
 * each other. ngroups if there is none. */
static unsigned group_of(const struct summary *s, const struct record_cell *c, unsigned before)
{
	for (unsigned i = 0; i < s->ngroups; i++) {
		unsigned g = (before + i) % s->ngroups;
		if (s->groups[g].nranks == c->nranks && same_group(&s->groups[g].cell, &c->cell))
			return g;
	}
	return s->ngroups;
}

/* The place of a size among a group's, or where it belongs. */
static unsigned size_of(const struct summary_group *group, size_t bytes)
{
	unsigned at = 0;
	while (at < group->nsizes && group->bytes[at] < bytes)
		at++;
	return at;
}

/* Puts a size in its place, once. */
static void add_size(struct arena *arena, struct summary_group *group, size_t bytes)
{
	unsigned at = size_of(group, bytes);
	if (at < group->nsizes && group->bytes[at] == bytes)
		return;
	group->bytes = arena_more(arena, group->bytes, group->nsizes, sizeof *group->bytes);
	memmove(group->bytes + at + 1, group->bytes + at,
	        (group->nsizes - at) * sizeof *group->bytes);
	group->bytes[at] = bytes;
	group->nsizes++;
}

static void groups_make(struct summary *s)
{
	const struct record_run *run = s->run;
	unsigned g = 0;
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *c = &run->cells[i];
		if (c->cell.pass != PASS_TIMED)
			continue;
		g = group_of(s, c, g);
		if (g == s->ngroups) {
			s->groups = arena_more(s->arena, s->groups, g, sizeof *s->groups);
			s->groups[s->ngroups++] =
			    (struct summary_group){.cell = c->cell, .nranks = c->nranks};
		}
		add_size(s->arena, &s->groups[g], c->cell.bytes);
	}
	if (s->ngroups)
		qsort(s->groups, s->ngroups, sizeof *s->groups, by_group);
	for (g = 0; g < s->ngroups; g++) {
		struct summary_group *group = &s->groups[g];
		group->asked_bytes = ARENA_ARRAY(s->arena, size_t, group->nsizes);
		group->moved_bytes = ARENA_ARRAY(s->arena, size_t, group->nsizes);
	}
}

static void blocks_find(struct summary *s)
{
	struct index *x = &s->index;
	unsigned n = 0;
	x->blocks = ARENA_ARRAY(s->arena, unsigned, s->run->ncells);
	for (unsigned i = 0; i < s->run->ncells; i++)
		if (!n || x->blocks[n - 1] != s->run->cells[i].block)
			x->blocks[n++] = s->run->cells[i].block;
	qsort(x->blocks, n, sizeof *x->blocks, by_number);
	for (unsigned i = 0; i < n; i++)
		if (!x->nblocks || x->blocks[x->nblocks - 1] != x->blocks[i])
			x->blocks[x->nblocks++] = x->blocks[i];
}

/* The place of a block's number in the list, which has it. */
static unsigned block_of(const struct index *x, unsigned number)
{
	const unsigned *at = bsearch(&number, x->blocks, x->nblocks, sizeof *x->blocks, by_number);
	return (unsigned)(at - x->blocks);
}

int index_variant(const struct summary *s, const char *name)
{
	for (unsigned v = 0; v < s->nvariants; v++)
		if (!strcmp(s->variants[v].name, name))
			return (int)v;
	return -1;
}

unsigned index_ranks(const struct summary *s, unsigned v)
{
	const struct settings *settings = s->variants[v].settings;
	return settings ? layout_ranks(settings->layout) : 0;
}

bool index_other_ranks(const struct summary *s, unsigned v)
{
	const unsigned of = s->reference < 0 ? 0 : index_ranks(s, (unsigned)s->reference),
	               own = index_ranks(s, v);
	return of && own && of != own;
}

unsigned index_place(const struct summary *s, unsigned group, unsigned size)
{
	return s->index.first[group] + size;
}

static void cells_find(struct summary *s)
{
	struct index *x = &s->index;
	unsigned v = 0, g = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (strcmp(s->variants[v].name, c->variant))
			v = (unsigned)index_variant(s, c->variant); /* the record was checked */
		unsigned at = group_of(s, c, g);
		x->variant_of[i] = v;
		x->place_of[i] = INDEX_NONE;
		if (at == s->ngroups)
			continue;
		g = at;
		unsigned size = size_of(&s->groups[g], c->cell.bytes);
		if (size < s->groups[g].nsizes && s->groups[g].bytes[size] == c->cell.bytes)
			x->place_of[i] = index_place(s, g, size);
	}
}

void index_make(struct summary *s)
{
	struct index *x = &s->index;
	groups_make(s);
	blocks_find(s);
	x->variant_of = ARENA_ARRAY(s->arena, unsigned, s->run->ncells);
	x->place_of = ARENA_ARRAY(s->arena, unsigned, s->run->ncells);
	x->first = ARENA_ARRAY(s->arena, unsigned, s->ngroups);
	for (unsigned g = 0; g < s->ngroups; g++) {
		x->first[g] = x->nplaces;
		x->nplaces += s->groups[g].nsizes;
	}
	x->rows = ARENA_ARRAY(s->arena, struct summary_row *, (size_t)s->nvariants * x->nplaces);
	cells_find(s);
}

void index_rows(struct summary *s)
{
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		const struct summary_group *g = &s->groups[row->group];
		unsigned place = index_place(s, row->group, size_of(g, row->cell.bytes));
		s->index.rows[row->variant * s->index.nplaces + place] = &s->rows[i];
	}
}

struct summary_row *index_row(const struct summary *s, unsigned variant, unsigned place)
{
	return s->index.rows[variant * s->index.nplaces + place];
}

bool index_counts(const struct record_cell *c)
{
	return !c->error[0] && c->cell.pass == PASS_TIMED;
}

bool index_is_part(const struct summary *s, enum coll_kind coll)
{
	const unsigned kinds = COLL_TRAINS | COLL_ROUTED, is = coll_info(coll)->is;
	for (unsigned g = 0; (is & COLL_STEP_PART) && g < s->ngroups; g++) {
		const unsigned other = coll_info(s->groups[g].cell.coll)->is;
		if (!(other & COLL_STEP_PART) && (other & kinds) == (is & kinds))
			return true;
	}
	return false;
}

struct summary_row *index_cell_row(const struct summary *s, unsigned i)
{
	return index_counts(&s->run->cells[i])
	           ? index_row(s, s->index.variant_of[i], s->index.place_of[i])
	           : NULL;
}

static size_t slot(const struct summary *s, unsigned variant, unsigned place, unsigned block)
{
	const struct index *x = &s->index;
	return ((size_t)variant * x->nplaces + place) * x->nblocks + block;
}

void index_trials(struct summary *s)
{
	struct index *x = &s->index;
	const size_t rows = (size_t)s->nvariants * x->nplaces, room = rows * x->nblocks;
	x->timed = ARENA_ARRAY(s->arena, const struct summary_trial *, room);
	for (size_t r = 0; r < rows; r++)
		for (unsigned i = x->rows[r] ? x->rows[r]->ntrials : 0; i-- > 0;) {
			const struct summary_trial *t = &x->rows[r]->trials[i];
			x->timed[r * x->nblocks + block_of(x, t->block)] = t;
		}
}

const struct summary_trial *index_timed(const struct summary *s, unsigned variant, unsigned place,
                                        unsigned block)
{
	return s->index.timed[slot(s, variant, place, block)];
}
