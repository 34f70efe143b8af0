#include "nccl_format.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "../coll/split.h"

/* One table, as one of the nccl-tests programs prints it: a variant's figures of a collective,
 * whatever the datatype, operation and root. */
struct nccl_table {
	const struct summary *s;
	unsigned variant;
	unsigned first; /* group */
	enum nccl_average average;
};

/* --- nccl-tests' names, and what it counts ----------------------------------------------- */

static const char *const average_names[NCCL_AVERAGE_KINDS] = {"0", "1", "2", "3", "span"};

int nccl_average_find(const char *name, enum nccl_average *out, struct status *st)
{
	for (int i = 0; i < NCCL_AVERAGE_KINDS; i++)
		if (!strcmp(name, average_names[i])) {
			*out = (enum nccl_average)i;
			return 0;
		}
	return status_set(st,
	                  "--average %s: allowed are 0 (rank 0), 1 (mean), 2 (min), 3 (max) of "
	                  "the workers' own times, as nccl-tests' -a, and span (earliest start "
	                  "to latest end)",
	                  name);
}

static const struct summary_group *group_of(const struct nccl_table *t)
{
	return &t->s->groups[t->first];
}

/* Whether a group's rows are in the table. */
static bool holds(const struct nccl_table *t, unsigned group)
{
	const struct summary_group *a = group_of(t), *b = &t->s->groups[group];
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

/* Names that nccl-tests has differently: ours, and its. */
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

static const char *op_name(const struct cell *cell)
{
	const char *shown = program_of(cell)->redop;
	return shown ? shown : theirs(coll_op_name(cell->op));
}

/* -1 if there is none. */
static int root_of(const struct cell *cell)
{
	return program_of(cell)->root ? (int)cell->root : -1;
}

/* Elements as nccl-tests counts them: one rank's part if the collective moves parts. */
static size_t count_of(const struct cell *cell)
{
	size_t count = cell->bytes / coll_dtype_bytes(cell->dtype);
	return program_of(cell)->part ? count / cell->comm_ranks : count;
}

/* --- what it prints above its rows ------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

/* At most `most` bytes of a text, `blank` for a blank and _ for what could end the line, which has
 * to stay a comment: records come from anywhere. */
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

/* The version as the nccl-tests programs print it: 22803 is 2.28.3, 2804 is 2.8.4; 0: none. */
static unsigned version_code(const char *text)
{
	unsigned major, minor, patch;
	if (sscanf(text, "%3u.%3u.%3u", &major, &minor, &patch) != 3)
		return 0;
	return major * (major > 2 || minor > 8 ? 10000 : 1000) + minor * 100 + patch;
}

/* The values that distinguish rows of a table, in our words. */
static void put_what(const struct cell *cell, unsigned what, char text[16])
{
	enum op op = coll_info(cell->coll)->is & COLL_REDUCES ? cell->op : OP_NONE;
	if (what == 2)
		snprintf(text, 16, "%d", root_of(cell));
	else
		snprintf(text, 16, "%s", what ? coll_op_name(op) : coll_dtype_name(cell->dtype));
}

/* All such values of the table's rows, each once. */
static void put_all(const struct nccl_table *t, unsigned what, const char *key, FILE *out)
{
	const char *separator = "=";
	char text[16], other[16];
	fprintf(out, " %s", key);
	for (unsigned g = t->first; g < t->s->ngroups; g++) {
		bool said = !holds(t, g);
		put_what(&t->s->groups[g].cell, what, text);
		for (unsigned k = t->first; k < g && !said; k++) {
			put_what(&t->s->groups[k].cell, what, other);
			said = holds(t, k) && !strcmp(text, other);
		}
		if (said)
			continue;
		fprintf(out, "%s%s", separator, text);
		separator = ",";
	}
}

/* The first line, for parsers that look for it: the version is that of nccl-tests' columns, and the
 * line says so; headers are 0, as it was not built with any. */
static void put_version(const struct nccl_table *t, FILE *out)
{
	const char *commit = text_of(t->s->run->environment, "launchgap");
	fprintf(out,
	        "# nccl-tests version 2.19.6+launchgap nccl-headers=0 nccl-library=%u its "
	        "columns only: measured and printed by launchgap ",
	        version_code(t->s->variants[t->variant].library));
	put_clean(out, commit, SIZE_MAX, '_');
	fprintf(out,
	        "\n# times are medians over stretches, then over %u block%s; pids are not "
	        "recorded\n",
	        t->s->nblocks, t->s->nblocks == 1 ? "" : "s");
}

static void put_variant(const struct nccl_table *t, FILE *out)
{
	const struct summary_variant *v = &t->s->variants[t->variant];
	fprintf(out, "#");
	put_word(out, "variant", v->name);
	put_word(out, "role", summary_role_name(v->role));
	put_word(out, "mode", v->mode);
	put_word(out, "layout", v->layout);
	put_word(out, "backend", v->backend);
	put_word(out, "library", *v->library ? v->library : "-");
	put_word(out, "average", average_names[t->average]);
	put_word(out, "collective", coll_info(group_of(t)->cell.coll)->name);
	put_all(t, 0, "dtype", out);
	put_all(t, 1, "op", out);
	put_all(t, 2, "root", out);
	fputc('\n', out);
}

/* The step from one size to the next, if it is the same for all. */
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

/* The least and the most of all rows' sizes. */
static void put_sizes(const struct nccl_table *t, FILE *out)
{
	size_t least = SIZE_MAX, most = 0;
	for (unsigned g = t->first; g < t->s->ngroups; g++) {
		const struct summary_group *group = &t->s->groups[g];
		if (!holds(t, g) || !group->nsizes)
			continue;
		if (group->asked_bytes[0] < least)
			least = group->asked_bytes[0];
		if (group->asked_bytes[group->nsizes - 1] > most)
			most = group->asked_bytes[group->nsizes - 1];
	}
	fprintf(out, "minBytes %zu maxBytes %zu step: ", least, most);
	put_step(group_of(t), out);
}

static void put_options(const struct nccl_table *t, FILE *out)
{
	unsigned processes = 0, threads = 0, ranks = 0, calls = 0;
	bool checked = false;
	sscanf(t->s->variants[t->variant].layout, "%ux%ux%u", &processes, &threads, &ranks);
	for (unsigned i = 0; i < t->s->nrows; i++) {
		const struct summary_row *row = &t->s->rows[i];
		if (row->variant != t->variant || !holds(t, row->group))
			continue;
		calls = row->calls;
		checked = checked || row->carries_data;
	}
	fprintf(out, "# nThread %u nGpus %u ", threads, ranks);
	put_sizes(t, out);
	/* Our calls are all calls; nccl-tests' iterations are replays of a group. */
	unsigned together = number(t, "aggregate", 1), graph = number(t, "graph", 0);
	calls /= graph ? graph : 1;
	fprintf(out,
	        " warmup iters: %lld iters: %u agg iters: %u validation: %d graph: %u unalign: "
	        "%zu\n#\n",
	        (long long)json_integer_value(json_object_get(t->s->run->environment, "warmup")),
	        calls / together, together, checked, graph,
	        number(t, "offset", 0) / coll_dtype_bytes(group_of(t)->cell.dtype));
}

/* The worker's report on the rank's device, or NULL. */
static const char *device_of(const struct nccl_table *t, unsigned rank)
{
	char key[32];
	snprintf(key, sizeof key, "device_%u", rank);
	return summary_fact(t->s, t->variant, -1, key);
}

/* "NVIDIA H200 at 0000:00:06.0": its index among the machine's devices, or -1. */
static int device_number(const struct nccl_table *t, const char *pci)
{
	const json_t *machine = json_object_get(t->s->run->environment, "machine");
	const json_t *gpus = json_object_get(machine, "gpus");
	for (size_t i = 0; i < json_array_size(gpus); i++)
		if (!strcmp(text_of(json_array_get(gpus, i), "pci"), pci))
			return (int)i;
	return -1;
}

/* One line per rank, as parsers count them. The process is not in a record: 0. */
static void put_devices(const struct nccl_table *t, FILE *out)
{
	const char *text = json_string_value(setting(t, "split"));
	struct status unread = {""};
	struct split split = {SPLIT_NONE, 0};
	bool known = !text || !split_parse(text, &split, &unread);
	const char *host = text_of(json_object_get(t->s->run->environment, "machine"), "host");
	unsigned nranks = group_of(t)->nranks;
	fprintf(out, "# Using devices\n");
	for (unsigned r = 0; r < nranks; r++) {
		const char *device = device_of(t, r);
		const char *at = device ? strstr(device, " at ") : NULL;
		const char *pci = at ? at + 4 : "-";
		if (!device)
			device = t->s->variants[t->variant].backend;
		fprintf(out, "#  Rank %2u Group %2d Pid %6d on %*s", r,
		        known ? (int)split_place(split, nranks, r).color : -1, 0,
		        strlen(host) < 10 ? (int)(10 - strlen(host)) : 0, "");
		put_clean(out, host, SIZE_MAX, '_');
		fprintf(out, " device %2d [", at ? device_number(t, pci) : -1);
		put_clean(out, pci, strcspn(pci, "."), '_');
		fprintf(out, "] ");
		put_clean(out, device, at ? (size_t)(at - device) : SIZE_MAX, ' ');
		fputc('\n', out);
	}
}

static void put_head(const struct nccl_table *t, FILE *out)
{
	put_version(t, out);
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

/* --- its rows, and what it prints below them --------------------------------------------- */

/* The footer's sums. */
struct totals {
	unsigned wrong; /* halves with wrong elements */
	double busbw;
	unsigned count; /* halves that have a busbw */
};

static double time_us(const struct summary_row *row, enum nccl_average average)
{
	const double times[NCCL_AVERAGE_KINDS] = {row->time_rank0_us, row->time_mean_us,
	                                          row->time_min_us, row->time_max_us, row->time_us};
	return times[average];
}

/* Two decimals, or as many fewer as the width requires. What is not a number reads nan, as in
 * nccl-tests' own output, which callers that convert the field accept. */
static void put_number(FILE *out, double x, int width)
{
	char text[400];
	int digits = 2;
	if (!isfinite(x)) {
		fprintf(out, "  %*s", width, "nan");
		return;
	}
	while (snprintf(text, sizeof text, "%*.*f", width, digits, x) > width && digits > 0)
		digits--;
	if ((int)strlen(text) > width)
		snprintf(text, sizeof text, "%*.*e", width, width >= 7 ? 1 : 0, x);
	fprintf(out, "  %s", text);
}

/* The two halves of one line: groups, out of place and in place; -1: not measured. */
struct halves {
	int of[2];
};

static const struct summary_row *row_of(const struct nccl_table *t, int group, size_t bytes)
{
	const struct summary_row *row =
	    group < 0 ? NULL : summary_find(t->s, t->variant, (unsigned)group, bytes);
	return row && time_us(row, t->average) > 0 ? row : NULL;
}

/* Time, algbw, busbw, #wrong. */
static void put_half(FILE *out, const struct nccl_table *t, const struct summary_row *row,
                     struct totals *totals)
{
	double time = row ? time_us(row, t->average) : NAN;
	double scale = row ? row->time_us / time : NAN; /* the bandwidths are of time_us */
	double busbw = row ? row->busbw_gbs * scale : NAN;
	if (isfinite(busbw)) {
		totals->busbw += busbw;
		totals->count++;
	}
	put_number(out, time, 7);
	put_number(out, row ? row->algbw_gbs * scale : NAN, 6);
	put_number(out, busbw, 6);
	if (row && row->carries_data)
		fprintf(out, "  %6g", (double)row->wrong);
	else
		fprintf(out, "    N/A"); /* a column narrower, as there */
	totals->wrong += row && row->wrong;
}

/* Whether there is a line to print. */
static bool put_row(FILE *out, const struct nccl_table *t, const struct halves *h, size_t bytes,
                    struct totals *totals)
{
	const struct summary_row *rows[2] = {row_of(t, h->of[0], bytes),
	                                     row_of(t, h->of[1], bytes)};
	const struct summary_row *any = rows[0] ? rows[0] : rows[1];
	if (!any || !out)
		return any;
	fprintf(out, "%12zu  %12zu  %8s  %6s  %6d", any->moved_bytes, count_of(&any->cell),
	        theirs(coll_dtype_name(any->cell.dtype)), op_name(&any->cell), root_of(&any->cell));
	put_half(out, t, rows[0], totals);
	put_half(out, t, rows[1], totals);
	fputc('\n', out);
	return true;
}

/* The next larger size that either half has; 0: there is none. */
static size_t next_size(const struct nccl_table *t, const struct halves *h, size_t after)
{
	size_t next = 0;
	for (int half = 0; half < 2; half++) {
		if (h->of[half] < 0)
			continue;
		const struct summary_group *group = &t->s->groups[h->of[half]];
		unsigned i = 0;
		while (i < group->nsizes && group->bytes[i] <= after)
			i++;
		if (i < group->nsizes && (!next || group->bytes[i] < next))
			next = group->bytes[i];
	}
	return next;
}

/* All lines of the table; returns whether there is one. out NULL: only that. */
static bool put_rows(FILE *out, const struct nccl_table *t, struct totals *totals)
{
	bool any = false;
	for (unsigned g = t->first; g < t->s->ngroups; g++) {
		bool in_place = t->s->groups[g].cell.in_place;
		int partner = summary_partner(t->s, g);
		/* An in-place group shares its partner's line. */
		if (!holds(t, g) || (in_place && partner >= 0))
			continue;
		struct halves h = {{in_place ? -1 : (int)g, in_place ? (int)g : partner}};
		for (size_t bytes = 0; (bytes = next_size(t, &h, bytes));)
			any = put_row(out, t, &h, bytes, totals) || any;
	}
	return any;
}

static void put_footer(FILE *out, const struct totals *totals, const char *collective)
{
	fprintf(out, "# Out of bounds values : %u %s\n", totals->wrong,
	        totals->wrong ? "FAILED" : "OK");
	if (totals->count)
		fprintf(out, "# Avg bus bandwidth    : %g \n", totals->busbw / totals->count);
	else
		fprintf(out, "# Avg bus bandwidth    : nan \n");
	fprintf(out, "#\n# Collective test concluded: %s_perf\n#\n\n", collective);
}

static void put_table(FILE *out, const struct nccl_table *t)
{
	struct totals totals = {0};
	put_head(t, out);
	put_rows(out, t, &totals);
	put_footer(out, &totals, coll_info(group_of(t)->cell.coll)->name);
}

unsigned nccl_format_print(const struct summary *s, enum nccl_average average, FILE *out)
{
	unsigned tables = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		/* The twin is the reference again: a reader who takes a variant's average from the
		 * last table would take it for another variant's. */
		if (!summary_is_asked(s, v))
			continue;
		for (unsigned g = 0; g < s->ngroups; g++) {
			struct nccl_table t = {
			    .s = s, .variant = v, .first = g, .average = average};
			bool begun = s->groups[g].cell.pace != PACE_STREAM;
			for (unsigned k = 0; k < g; k++)
				begun = begun || holds(&t, k);
			if (begun || !put_rows(NULL, &t, NULL))
				continue;
			put_table(out, &t);
			tables++;
		}
	}
	return tables;
}
