/* What nccl-tests says above its rows, and how it calls things. */
#include "nccl_format_parts.h"

#include <limits.h>
#include <string.h>

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

/* What it calls otherwise than we do. */
static const char *theirs(const char *ours)
{
	static const char *const names[][2] = {
	    {"float32", "float"},      {"float16", "half"},       {"float64", "double"},
	    {"float8_e4m3", "f8e4m3"}, {"float8_e5m2", "f8e5m2"}, {"premulsum", "mulsum"}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(ours, names[i][0]))
			return names[i][1];
	return ours;
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

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

static const struct summary_group *group_of(const struct nccl_table *t)
{
	return &t->s->groups[t->halves[0] < 0 ? t->halves[1] : t->halves[0]];
}

/* Ranks of the communicator, which is all of them where the record says nothing else. */
static unsigned comm_ranks(const struct nccl_table *t)
{
	for (unsigned i = 0; i < t->s->run->ncells; i++) {
		const struct record_cell *c = &t->s->run->cells[i];
		json_int_t n = json_integer_value(json_object_get(c->json, "comm_ranks"));
		if (!strcmp(c->variant, t->s->variants[t->variant].name) && n > 0 &&
		    n <= group_of(t)->nranks)
			return (unsigned)n;
	}
	return group_of(t)->nranks;
}

size_t nccl_format_count(const struct nccl_table *t, const struct cell *cell)
{
	size_t i = program_of(cell), count = cell->bytes / coll_dtype_bytes(cell->dtype);
	return i < NPROGRAMS && programs[i].part ? count / comm_ranks(t) : count;
}

/* At most `most` bytes of a text, `blank` for a blank and _ for what could end the line, which
 * has to stay a comment: records come from anywhere. */
static void put_clean(FILE *out, const char *text, size_t most, char blank)
{
	for (size_t i = 0; i < most && text[i]; i++)
		fputc((unsigned char)text[i] < ' ' || text[i] == 0x7F ? '_'
		      : text[i] == ' '                                ? blank
		                                                      : text[i],
		      out);
}

/* A word of a comment line. */
static void put_word(FILE *out, const char *key, const char *text)
{
	fprintf(out, " %s=", key);
	put_clean(out, text, SIZE_MAX, '_');
}

/* A setting of the variant, NULL in records that do not name it. */
static const json_t *setting(const struct nccl_table *t, const char *key)
{
	const json_t *variants = json_object_get(t->s->run->environment, "variants");
	return json_object_get(json_array_get(variants, t->variant), key);
}

static unsigned number(const struct nccl_table *t, const char *key, unsigned at_least)
{
	json_int_t n = json_integer_value(setting(t, key));
	return n > at_least && n < UINT_MAX ? (unsigned)n : at_least;
}

static void put_variant(const struct nccl_table *t, FILE *out)
{
	const struct summary_variant *v = &t->s->variants[t->variant];
	const struct cell *cell = &group_of(t)->cell;
	fprintf(out, "#");
	put_word(out, "variant", v->name);
	put_word(out, "role", summary_role_name(v->role));
	put_word(out, "mode", v->mode);
	put_word(out, "layout", v->layout);
	put_word(out, "backend", v->backend);
	put_word(out, "library", *v->library ? v->library : "-");
	put_word(out, "average", nccl_average_name(t->average));
	fprintf(out, " collective=%s dtype=%s op=%s root=%d\n", coll_info(cell->coll)->name,
	        coll_dtype_name(cell->dtype), nccl_format_op(cell), nccl_format_root(cell));
	fprintf(out, "# launchgap ");
	put_clean(out, text_of(t->s->run->environment, "launchgap"), SIZE_MAX, '_');
	fprintf(out,
	        ", in the columns of nccl-tests 2.19.6; times are medians over stretches, then "
	        "over %u block%s\n",
	        t->s->nblocks, t->s->nblocks == 1 ? "" : "s");
}

/* What one size is to the next, where it is the same for all. */
static void put_step(const struct summary_group *group, FILE *out)
{
	const size_t *b = group->asked_bytes;
	unsigned n = group->nsizes;
	bool factor = n > 1 && b[0] && b[1] % b[0] == 0, step = true;
	for (unsigned i = 2; i < n; i++) {
		factor = factor && b[i] == b[i - 1] * (b[1] / b[0]);
		step = step && b[i] - b[i - 1] == b[1] - b[0];
	}
	if (factor)
		fprintf(out, "%zu(factor)", b[1] / b[0]);
	else if (step)
		fprintf(out, "%zu(bytes)", n > 1 ? b[1] - b[0] : 0);
	else
		fprintf(out, "0(list)");
}

static void put_options(const struct nccl_table *t, FILE *out)
{
	const struct summary_group *group = group_of(t);
	unsigned processes = 0, threads = 0, ranks = 0, calls = 0;
	bool checked = false;
	sscanf(t->s->variants[t->variant].layout, "%ux%ux%u", &processes, &threads, &ranks);
	for (unsigned i = 0; i < t->s->nrows; i++) {
		const struct summary_row *row = &t->s->rows[i];
		if (row->variant != t->variant || &t->s->groups[row->group] != group)
			continue;
		calls = row->calls;
		checked = checked || row->carries_data;
	}
	fprintf(out, "# nThread %u nGpus %u minBytes %zu maxBytes %zu step: ", threads, ranks,
	        group->asked_bytes[0], group->asked_bytes[group->nsizes - 1]);
	put_step(group, out);
	/* Our calls are all of them; its iterations are a group's, replayed. */
	unsigned together = number(t, "aggregate", 1), graph = number(t, "graph", 0);
	calls /= graph ? graph : 1;
	fprintf(
	    out,
	    " warmup iters: %lld iters: %u agg iters: %u validation: %d graph: %u unalign: "
	    "%zu\n#\n",
	    (long long)json_integer_value(json_object_get(t->s->run->environment, "warmup")),
	    calls / together, together, checked, graph,
	    number(t, "offset", 0) / coll_dtype_bytes(group->cell.dtype));
}

/* What the rank's worker said of its device, or NULL. */
static const char *device_of(const struct nccl_table *t, unsigned rank)
{
	char key[32];
	snprintf(key, sizeof key, "device_%u", rank);
	for (unsigned i = 0; i < t->s->run->ncells; i++) {
		const struct record_cell *c = &t->s->run->cells[i];
		const json_t *facts = json_object_get(c->json, "facts");
		if (strcmp(c->variant, t->s->variants[t->variant].name))
			continue;
		for (size_t w = 0; w < json_array_size(facts); w++) {
			const char *text =
			    json_string_value(json_object_get(json_array_get(facts, w), key));
			if (text)
				return text;
		}
	}
	return NULL;
}

/* "NVIDIA H200 at 0000:00:06.0": its place among the machine's, or -1. */
static int device_number(const struct nccl_table *t, const char *pci)
{
	const json_t *machine = json_object_get(t->s->run->environment, "machine");
	const json_t *gpus = json_object_get(machine, "gpus");
	for (size_t i = 0; i < json_array_size(gpus); i++)
		if (!strcmp(text_of(json_array_get(gpus, i), "pci"), pci))
			return (int)i;
	return -1;
}

/* A line a rank, as parsers count them. What is not in a record: the process, 0, and of a split
 * communicator the group, -1. */
static void put_devices(const struct nccl_table *t, FILE *out)
{
	const char *split = json_string_value(setting(t, "split"));
	int group = split && strcmp(split, "none") ? -1 : 0;
	const char *host = text_of(json_object_get(t->s->run->environment, "machine"), "host");
	fprintf(out, "# Using devices\n");
	for (unsigned r = 0; r < group_of(t)->nranks; r++) {
		const char *device = device_of(t, r);
		const char *at = device ? strstr(device, " at ") : NULL;
		const char *pci = at ? at + 4 : "-";
		if (!device)
			device = t->s->variants[t->variant].backend;
		fprintf(out, "#  Rank %2u Group %2d Pid %6d on %*s", r, group, 0,
		        strlen(host) < 10 ? (int)(10 - strlen(host)) : 0, "");
		put_clean(out, host, SIZE_MAX, '_');
		fprintf(out, " device %2d [", at ? device_number(t, pci) : -1);
		put_clean(out, pci, strcspn(pci, "."), '_');
		fprintf(out, "] ");
		put_clean(out, device, at ? (size_t)(at - device) : SIZE_MAX, ' ');
		fputc('\n', out);
	}
}

void nccl_format_head(const struct nccl_table *t, FILE *out)
{
	put_variant(t, out);
	fprintf(out, "# Collective test starting: %s_perf\n",
	        coll_info(group_of(t)->cell.coll)->name);
	put_options(t, out);
	put_devices(t, out);
	fprintf(out,
	        "#\n# %10s  %12s  %8s  %6s  %6s           out-of-place                "
	        "       in-place          \n",
	        "", "", "", "", "");
	fprintf(out, "# %10s  %12s  %8s  %6s  %6s", "size", "count", "type", "redop", "root");
	for (int half = 0; half < 2; half++)
		fprintf(out, "  %7s  %6s  %6s  %6s", "time", "algbw", "busbw", "#wrong");
	fprintf(out, " \n# %10s  %12s  %8s  %6s  %6s", "(B)", "(elements)", "", "", "");
	for (int half = 0; half < 2; half++)
		fprintf(out, "  %7s  %6s  %6s  %6s", "(us)", "(GB/s)", "(GB/s)", "");
	fprintf(out, " \n");
}
