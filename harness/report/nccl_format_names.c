/* How nccl-tests calls things, and what it counts. */
#include "nccl_format_parts.h"

#include <string.h>

const struct summary_group *nccl_format_group(const struct nccl_table *t)
{
	return &t->s->groups[t->first];
}

bool nccl_format_holds(const struct nccl_table *t, unsigned group)
{
	const struct summary_group *a = nccl_format_group(t), *b = &t->s->groups[group];
	return a->nranks == b->nranks && a->cell.coll == b->cell.coll &&
	       a->cell.pace == b->cell.pace && a->cell.comm_ranks == b->cell.comm_ranks;
}

/* Its programs, as far as their columns differ: whether the count is of one rank's part, what
 * stands for the operation (NULL: the one that is done; sendrecv shows one that it does not do,
 * hypercube an empty one), whether there is a root. */
static const struct {
	const char *collective;
	bool part;
	const char *op;
	bool root;
} programs[] = {
    {"all_reduce", false, NULL, false}, {"all_gather", true, "none", false},
    {"alltoall", true, "none", false},  {"alltoallv", true, "none", false},
    {"broadcast", false, "none", true}, {"gather", true, "none", true},
    {"hypercube", true, "", false},     {"reduce", false, NULL, true},
    {"scatter", true, "none", true},    {"reduce_scatter", true, NULL, false},
    {"sendrecv", false, "sum", false},
};

#define NPROGRAMS (sizeof programs / sizeof *programs)

/* NPROGRAMS: it has none for that. */
static size_t program_of(const struct cell *cell)
{
	size_t i = 0;
	while (i < NPROGRAMS && strcmp(programs[i].collective, coll_info(cell->coll)->name))
		i++;
	return i;
}

/* What it calls otherwise than we do: our name, and its. */
static const char *const names[][2] = {{"float32", "float"},      {"float16", "half"},
                                       {"float64", "double"},     {"float8_e4m3", "f8e4m3"},
                                       {"float8_e5m2", "f8e5m2"}, {"premulsum", "mulsum"}};

static const char *renamed(const char *name, unsigned from)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i][from]))
			return names[i][!from];
	return name;
}

static const char *theirs(const char *ours)
{
	return renamed(ours, 0);
}

const char *nccl_format_ours(const char *name)
{
	return renamed(name, 1);
}

const char *nccl_format_dtype(enum dtype dtype)
{
	return theirs(coll_dtype_name(dtype));
}

const char *nccl_format_op(const struct cell *cell)
{
	size_t i = program_of(cell);
	if (i == NPROGRAMS)
		return "none";
	return programs[i].op ? programs[i].op : theirs(coll_op_name(cell->op));
}

int nccl_format_root(const struct cell *cell)
{
	size_t i = program_of(cell);
	return i < NPROGRAMS && programs[i].root ? (int)cell->root : -1;
}

/* Ranks of the communicator, which is all of them where the record says nothing else. */
static unsigned comm_ranks(const struct nccl_table *t)
{
	for (unsigned i = 0; i < t->s->run->ncells; i++) {
		const struct record_cell *c = &t->s->run->cells[i];
		json_int_t n = json_integer_value(json_object_get(c->json, "comm_ranks"));
		if (!strcmp(c->variant, t->s->variants[t->variant].name) && n > 0 &&
		    n <= nccl_format_group(t)->nranks)
			return (unsigned)n;
	}
	return nccl_format_group(t)->nranks;
}

size_t nccl_format_count(const struct nccl_table *t, const struct cell *cell)
{
	size_t i = program_of(cell), count = cell->bytes / coll_dtype_bytes(cell->dtype);
	return i < NPROGRAMS && programs[i].part ? count / comm_ranks(t) : count;
}
