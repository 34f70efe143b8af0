#include "nccl_table.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../coll/split.h"
#include "../perf_options.h"
#include "../trial/sizes.h"

/* --- nccl-tests' names, and what it counts ----------------------------------------------- */

static const char *const average_names[NCCL_AVERAGE_KINDS] = {"0", "1", "2", "3", "span", "launch"};

int nccl_average_find(const char *name, enum nccl_average *out, struct status *st)
{
	for (int i = 0; i < NCCL_AVERAGE_KINDS; i++)
		if (!strcmp(name, average_names[i])) {
			*out = (enum nccl_average)i;
			return 0;
		}
	return status_set(st,
	                  "--average %s: allowed are 0 (rank 0), 1 (mean), 2 (min), 3 (max) of "
	                  "the workers' own times, as nccl-tests' -a, span (earliest start "
	                  "to latest end), and launch (of launching alone, as its -C 1)",
	                  name);
}

const char *nccl_average_name(enum nccl_average average)
{
	return average_names[average];
}

const struct summary_group *nccl_table_group(const struct nccl_table *t)
{
	return &t->s->groups[t->first];
}

bool nccl_table_holds(const struct nccl_table *t, unsigned group)
{
	const struct summary_group *a = nccl_table_group(t), *b = &t->s->groups[group];
	return a->nranks == b->nranks && a->cell.coll == b->cell.coll &&
	       a->cell.pace == b->cell.pace && a->cell.comm_ranks == b->cell.comm_ranks;
}

/* The nccl-tests programs, as far as their columns differ. */
struct program {
	const char *collective; /* NULL, the last row: any other */
	bool part;              /* the count is of one rank's part */
	const char *redop;      /* printed as the operation; NULL: the one that is done */
	bool root;
};

// clang-format off
static const struct program programs[] = {
    {"all_reduce",     false, NULL,   false},
    {"all_gather",     true,  "none", false},
    {"alltoall",       true,  "none", false},
    {"alltoallv",      true,  "none", false},
    {"broadcast",      false, "none", true},
    {"gather",         true,  "none", true},
    {"hypercube",      true,  "",     false},
    {"reduce",         false, NULL,   true},
    {"reduce_scatter", true,  NULL,   false},
    {"scatter",        true,  "none", true},
    {"sendrecv",       false, "sum",  false}, /* shown, and not done */
    {NULL,             false, "none", false},
};
// clang-format on

static const struct program *program_of(const struct cell *cell)
{
	const struct program *p = programs;
	while (p->collective && strcmp(p->collective, coll_info(cell->coll)->name))
		p++;
	return p;
}

const char *nccl_program(const char *name)
{
	static const char end[] = "_perf";
	const size_t n = strlen(name), bytes = sizeof end - 1;
	const struct program *p = programs;
	if (n <= bytes || strcmp(name + n - bytes, end))
		return NULL;
	while (p->collective &&
	       (strlen(p->collective) != n - bytes || strncmp(p->collective, name, n - bytes)))
		p++;
	return p->collective;
}

int nccl_cell_root(const struct cell *cell)
{
	return program_of(cell)->root ? (int)cell->root : -1;
}

/* Elements as nccl-tests counts them: one rank's part if the collective moves parts. */
static size_t count_of(const struct cell *cell)
{
	size_t count = cell->bytes / coll_dtype_bytes(cell->dtype);
	return program_of(cell)->part ? count / cell->comm_ranks : count;
}

/* --- what stands before its lines -------------------------------------------------------- */

/* A setting of the variant, NULL in records without it. */
static const json_t *setting(const struct nccl_table *t, const char *key)
{
	return json_object_get(t->s->run->variants[t->variant].json, key);
}

static unsigned number(const struct nccl_table *t, const char *key, unsigned at_least)
{
	json_int_t n = json_integer_value(setting(t, key));
	return n > at_least && n < UINT_MAX ? (unsigned)n : at_least;
}

/* Whether a setting is this word. */
static bool says(const struct nccl_table *t, const char *key, const char *word)
{
	const char *text = json_string_value(setting(t, key));
	return text && !strcmp(text, word);
}

unsigned nccl_table_library(const struct nccl_table *t)
{
	unsigned major, minor, patch;
	if (sscanf(t->s->variants[t->variant].library, "%3u.%3u.%3u", &major, &minor, &patch) != 3)
		return 0;
	return major * (major > 2 || minor > 8 ? 10000 : 1000) + minor * 100 + patch;
}

/* A size as it is typed; 0: it is none. */
static size_t typed_size(const char *from, size_t length)
{
	char text[32];
	size_t sizes[SIZES_MAX];
	unsigned n;
	struct status ignored = {""};
	snprintf(text, sizeof text, "%.*s", (int)length, from);
	return sizes_parse(text, sizes, &n, &ignored) ? 0 : sizes[0];
}

/* The ends of the command line's last range, whose first sizes may come to 0, and whose steps may not meet
 * the last; 0: it has none. */
static void typed_ends(const struct nccl_table *t, size_t ends[2])
{
	static const char key[] = "bytes=";
	const json_t *command = json_object_get(t->s->run->environment, "command"), *word;
	size_t i;
	ends[0] = ends[1] = 0;
	json_array_foreach((json_t *)(size_t)command, i, word)
	{
		const char *text = json_string_value(word);
		if (!text || strncmp(text, key, sizeof key - 1) != 0)
			continue;
		const char *from = text + sizeof key - 1,
		           *dots = strchr(from, ',') ? NULL : strstr(from, "..");
		ends[0] = dots ? typed_size(from, (size_t)(dots - from)) : 0;
		ends[1] = dots ? typed_size(dots + 2, strcspn(dots + 2, " x+")) : 0;
	}
}

/* The least and the most of all rows' sizes, or what was typed, as nccl-tests prints it. */
static void read_sizes(const struct nccl_table *t, struct nccl_options *o)
{
	size_t typed[2];
	o->least = SIZE_MAX;
	for (unsigned g = t->first; g < t->s->ngroups; g++) {
		const struct summary_group *group = &t->s->groups[g];
		if (!nccl_table_holds(t, g) || !group->nsizes)
			continue;
		if (group->asked_bytes[0] < o->least)
			o->least = group->asked_bytes[0];
		if (group->asked_bytes[group->nsizes - 1] > o->most)
			o->most = group->asked_bytes[group->nsizes - 1];
	}
	typed_ends(t, typed);
	o->least = typed[0] && typed[0] < o->least ? typed[0] : o->least;
	o->most = typed[1] > o->most ? typed[1] : o->most;
}

/* The step from one size to the next, if it is the same for all. */
static void read_step(const struct summary_group *group, struct nccl_options *o)
{
	const size_t *b = group->asked_bytes;
	const unsigned n = group->nsizes;
	bool factor = n > 1 && b[0] && b[1] % b[0] == 0, step = n > 1;
	for (unsigned i = 2; i < n; i++) {
		factor = factor && b[i] == b[i - 1] * (b[1] / b[0]);
		step = step && b[i] - b[i - 1] == b[1] - b[0];
	}
	if (factor)
		o->factor = b[1] / b[0];
	else if (step)
		o->step = b[1] - b[0];
}

/* Our calls are all calls; nccl-tests' iterations are replays of a group. */
static void read_calls(const struct nccl_table *t, struct nccl_options *o)
{
	unsigned calls = 0;
	for (unsigned i = 0; i < t->s->nrows; i++) {
		const struct summary_row *row = &t->s->rows[i];
		if (row->variant != t->variant || !nccl_table_holds(t, row->group))
			continue;
		calls = row->calls;
		o->checked = o->checked || row->carries_data;
	}
	o->together = number(t, "aggregate", 1);
	o->graph = number(t, "graph", 0);
	o->waits = nccl_table_group(t)->cell.pace == PACE_ISOLATED;
	o->iters =
	    o->waits ? t->s->isolated_calls : calls / (o->graph ? o->graph : 1) / o->together;
}

struct nccl_options nccl_table_options(const struct nccl_table *t)
{
	static const char *const registrations[] = {"none", "local", "window"};
	static const char *const policies[] = {"default", "efficiency", "zero"};
	const json_t *warmup = json_object_get(t->s->run->environment, "warmup");
	struct nccl_options o = {.cta_policy = -1,
	                         .warmup = (unsigned)json_integer_value(warmup),
	                         .parallel_init = says(t, "init", "parallel"),
	                         .unalign = number(t, "offset", 0) /
	                                    coll_dtype_bytes(nccl_table_group(t)->cell.dtype)};
	sscanf(t->s->variants[t->variant].layout, "%ux%ux%u", &o.processes, &o.threads, &o.gpus);
	for (int i = 0; i < 3; i++) {
		o.registers = says(t, "register", registrations[i]) ? (unsigned)i : o.registers;
		o.cta_policy = says(t, "cta_policy", policies[i]) ? i : o.cta_policy;
	}
	read_sizes(t, &o);
	read_step(nccl_table_group(t), &o);
	read_calls(t, &o);
	return o;
}

/* The worker's report on the rank's device, or NULL. */
static const char *device_of(const struct nccl_table *t, unsigned rank)
{
	char key[32];
	snprintf(key, sizeof key, "device_%u", rank);
	return summary_fact(t->s, t->variant, -1, key);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

/* "NVIDIA H200 at 0000:00:06.0": its index among the machine's devices, or -1. */
static int device_number(const json_t *machine, const char *pci)
{
	const json_t *gpus = json_object_get(machine, "gpus");
	for (size_t i = 0; i < json_array_size(gpus); i++)
		if (!strcmp(text_of(json_array_get(gpus, i), "pci"), pci))
			return (int)i;
	return -1;
}

struct nccl_device nccl_table_device(const struct nccl_table *t, unsigned rank)
{
	const char *text = json_string_value(setting(t, "split"));
	const json_t *machine = json_object_get(t->s->run->environment, "machine");
	struct status unread = {""};
	struct split split = {SPLIT_NONE, 0};
	const bool known = !text || !split_parse(text, &split, &unread);
	const char *device = device_of(t, rank), *at = device ? strstr(device, " at ") : NULL;
	const char *name = device ? device : t->s->variants[t->variant].backend;
	const char *pci = at ? at + 4 : "-";
	return (struct nccl_device){
	    .group = known ? (int)split_place(split, nccl_table_group(t)->nranks, rank).color : -1,
	    .number = at ? device_number(machine, pci) : -1,
	    .host = text_of(machine, "host"),
	    .pci = pci,
	    .pci_bytes = (int)strcspn(pci, "."),
	    .name = name,
	    .name_bytes = at ? (int)(at - device) : (int)strlen(name)};
}

/* --- its lines --------------------------------------------------------------------------- */

static double time_us(const struct summary_row *row, enum nccl_average average)
{
	const double times[NCCL_AVERAGE_KINDS] = {row->time_rank0_us, row->time_mean_us,
	                                          row->time_min_us,   row->time_max_us,
	                                          row->time_us,       row->launch_us};
	return times[average];
}

static const struct summary_row *row_of(const struct nccl_table *t, int group, size_t bytes)
{
	const struct summary_row *row =
	    group < 0 ? NULL : summary_find(t->s, t->variant, (unsigned)group, bytes);
	return row && time_us(row, t->average) > 0 ? row : NULL;
}

/* The next larger size that either group has; 0: there is none. */
static size_t next_size(const struct nccl_table *t, const int groups[2], size_t after)
{
	size_t next = 0;
	for (int half = 0; half < 2; half++) {
		if (groups[half] < 0)
			continue;
		const struct summary_group *group = &t->s->groups[groups[half]];
		unsigned i = 0;
		while (i < group->nsizes && group->bytes[i] <= after)
			i++;
		if (i < group->nsizes && (!next || group->bytes[i] < next))
			next = group->bytes[i];
	}
	return next;
}

static void read_line(const struct nccl_table *t, const int groups[2], size_t bytes,
                      struct nccl_line *line)
{
	*line = (struct nccl_line){
	    .halves = {row_of(t, groups[0], bytes), row_of(t, groups[1], bytes)}};
	const struct summary_row *any = line->halves[0] ? line->halves[0] : line->halves[1];
	if (!any)
		return;
	const char *redop = program_of(&any->cell)->redop;
	line->bytes = any->moved_bytes;
	line->count = count_of(&any->cell);
	line->type = perf_word_theirs(coll_dtype_name(any->cell.dtype));
	line->redop = redop ? redop : perf_word_theirs(coll_op_name(any->cell.op));
	line->root = nccl_cell_root(&any->cell);
}

bool nccl_table_next(const struct nccl_table *t, struct nccl_place *at, struct nccl_line *line)
{
	for (; t->first + at->groups < t->s->ngroups; at->groups++, at->bytes = 0) {
		const unsigned g = t->first + at->groups;
		const bool in_place = t->s->groups[g].cell.in_place;
		const int partner = summary_partner(t->s, g);
		const int groups[2] = {in_place ? -1 : (int)g, in_place ? (int)g : partner};
		/* An in-place group shares its partner's line. */
		if (!nccl_table_holds(t, g) || (in_place && partner >= 0))
			continue;
		while ((at->bytes = next_size(t, groups, at->bytes))) {
			read_line(t, groups, at->bytes, line);
			if (line->type)
				return true;
		}
	}
	return false;
}

struct nccl_half nccl_table_half(const struct nccl_table *t, const struct summary_row *row)
{
	if (!row)
		return (struct nccl_half){NAN, NAN, NAN, false, 0};
	const double time = time_us(row, t->average);
	const double scale = row->time_us / time; /* the bandwidths are of time_us */
	return (struct nccl_half){.time_us = time,
	                          .algbw = row->algbw_gbs * scale,
	                          .busbw = row->busbw_gbs * scale,
	                          .checked = row->carries_data,
	                          .wrong = (double)row->wrong};
}

const struct summary_row *nccl_table_calls(const struct nccl_table *t,
                                           const struct summary_row *row)
{
	struct cell cell = row ? row->cell : (struct cell){0};
	cell.pace = PACE_ISOLATED;
	for (unsigned g = 0; row && t->per_call && g < t->s->ngroups; g++)
		if (t->s->groups[g].nranks == row->nranks &&
		    index_same_group(&t->s->groups[g].cell, &cell))
			return summary_find(t->s, t->variant, g, row->cell.bytes);
	return NULL;
}

struct nccl_totals nccl_table_totals(const struct nccl_table *t)
{
	struct nccl_totals totals = {0};
	struct nccl_place at = {0};
	struct nccl_line line;
	unsigned n = 0;
	while (nccl_table_next(t, &at, &line))
		for (int i = 0; i < 2; i++) {
			const struct nccl_half half = nccl_table_half(t, line.halves[i]);
			totals.wrong += half.wrong > 0;
			totals.busbw += isfinite(half.busbw) ? half.busbw : 0;
			n += isfinite(half.busbw);
		}
	totals.busbw = n ? totals.busbw / n : NAN;
	return totals;
}

unsigned nccl_tables(const struct summary *s, enum nccl_average average, bool per_call,
                     void (*use)(const struct nccl_table *table, void *arg), void *arg)
{
	const enum pace pace = summary_has_pace(s, PACE_STREAM) ? PACE_STREAM : PACE_ISOLATED;
	unsigned tables = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		/* The twin is the reference again: a reader who takes a variant's average from the
		 * last table would take it for another variant's. */
		if (!summary_is_asked(s, v))
			continue;
		for (unsigned g = 0; g < s->ngroups; g++) {
			const struct nccl_table t = {s, v, g, average, per_call};
			struct nccl_place at = {0};
			struct nccl_line line;
			bool begun = s->groups[g].cell.pace != pace;
			for (unsigned k = 0; k < g; k++)
				begun = begun || nccl_table_holds(&t, k);
			if (begun || !nccl_table_next(&t, &at, &line))
				continue;
			if (use)
				use(&t, arg);
			tables++;
		}
	}
	return tables;
}
