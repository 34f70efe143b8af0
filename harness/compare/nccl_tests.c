#include "side.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../arena.h"
#include "../coll/counts.h"
#include "../perf_options.h"
#include "../sanitize.h"
#include "../record/member.h"
#include "../record/record.h"
#include "../report/json.h"

#define MOST_BYTES (256 << 20) /* of a file */
#define GIVE       "give what nccl-tests' option -J FILE (since 2.17.5) writes of such a run, or its text"
#define HEAD_BYTES 4096 /* that say whose a file is */

/* --- options that change the meaning of its times ---------------------------------------- */

/* One of its options with a number; `config` is its name in the file's "config". */
struct option {
	char letter;
	const char *name, *config;
	long usual;         /* without the option */
	const char *manner; /* with it calls are not simply back to back */
};

static const struct option average_option = {'a', "average", NULL, 1, NULL};

/* Other options that distinguish measurements. */
static const struct option other_options[] = {
    {'R', "local_register", NULL, 0, NULL},
    {'x', "cta_policy", NULL, -1, NULL},
    {'u', "unalign", "unalign", 0, NULL},
    {'n', "iters", "iterations", 20, NULL},
    {'m', "agg_iters", "aggregated_iterations", 1, " -m (calls grouped)"},
    {'G', "cudagraph", "graph", 0, " -G (graphs)"},
    {'z', "blocking", "blocking_collectives", 0, " -z (blocking)"},
    {'I', "per_iter_timing", "per_iter_timing", 0, " -I"},
    {'y', "stream_null", NULL, 0, NULL},
    {'D', "device_implementation", NULL, 0, NULL},
    {'V', "device_cta_count", NULL, 16, NULL},
    {'w', "warmup_iters", "warmup_iters", 1, NULL}};

static const char *arg_at(const json_t *args, size_t i)
{
	const char *text = json_string_value(json_array_get(args, i));
	return text ? text : "";
}

/* Whether the argument is this option. *value: the value if the argument contains it; NULL if the
 * value is the next argument. Long names may be cut, as getopt_long allows. */
static bool is_option(const char *arg, const struct option *o, const char **value)
{
	size_t length = strcspn(arg, "=");
	*value = NULL;
	if (arg[0] != '-' || !arg[1])
		return false;
	if (arg[1] != '-') {
		*value = arg[2] ? arg + 2 : NULL;
		return arg[1] == o->letter;
	}
	*value = arg[length] ? arg + length + 1 : NULL;
	return length > 2 && !strncmp(arg + 2, o->name, length - 2);
}

/* The last one counts. All of its options have a value. */
static long number_in(const json_t *args, const struct option *o)
{
	long number = o->usual;
	for (size_t i = 1; i < json_array_size(args); i++) {
		const char *arg = arg_at(args, i), *value;
		bool here = is_option(arg, o, &value);
		if (arg[0] == '-' && !value)
			value = json_string_value(json_array_get(args, ++i));
		if (here && value)
			number = strtol(value, NULL, 0);
	}
	return number;
}

static void read_others(const json_t *args, const json_t *config, char manner[64],
                        char out[SIDE_OTHERS_BYTES])
{
	out[0] = manner[0] = '\0';
	for (size_t i = 0; i < sizeof other_options / sizeof *other_options; i++) {
		const struct option *o = &other_options[i];
		const json_t *said = o->config ? json_object_get(config, o->config) : NULL;
		const char *text = json_string_value(said);
		const bool yes = json_is_true(said) || (text && !strcmp(text, "true"));
		const long number = json_is_integer(said) ? (long)json_integer_value(said)
		                    : yes                 ? 1
		                                          : number_in(args, o);
		if (number == o->usual)
			continue;
		status_add(out, SIDE_OTHERS_BYTES, "%s-%c %ld", *out ? " " : "", o->letter, number);
		status_add(manner, 64, "%s", o->manner ? o->manner : "");
	}
}

/* The value of a variable, or NULL. */
static const char *env_find(const json_t *env, const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < json_array_size(env); i++) {
		const char *line = json_string_value(json_array_get(env, i));
		if (line && !strncmp(line, name, n) && line[n] == '=')
			return line + n + 1;
	}
	return NULL;
}

/* Writes what NCCL_TESTS_ALLTOALLV_* ask alltoallv for, in the words of counts if it has them.
 * Returns whether parts are cut from a size, so that a row's size is their sum. */
static bool read_counts(const json_t *env, unsigned nranks, char out[COUNTS_TEXT_BYTES])
{
	const char *matrix = env_find(env, "NCCL_TESTS_ALLTOALLV_MATRIX_FILE");
	const char *spread = env_find(env, "NCCL_TESTS_ALLTOALLV_SPREAD");
	struct value_weights weights = {.n = nranks, .rows = 1};
	char *end;
	double x = spread ? strtod(spread, &end) : 1;
	if (spread && (end == spread || *end))
		x = 1; /* as nccl-tests does */
	x = x < 0 ? 0 : x > 1 ? 1 : x;
	if (!json_is_array(env))
		snprintf(out, COUNTS_TEXT_BYTES, "not said");
	else if (matrix)
		snprintf(out, COUNTS_TEXT_BYTES, "its own matrix");
	else if (nranks > VALUE_MAX_WEIGHTS)
		snprintf(out, COUNTS_TEXT_BYTES, "by distance, spread %.3g", x);
	if (!json_is_array(env) || matrix || nranks > VALUE_MAX_WEIGHTS)
		return !matrix;
	/* (1 - spread) / n + spread × 2 distance / n (n - 1), in thousandths of n (n - 1) */
	for (unsigned d = 0; d < nranks; d++)
		weights.of[d] = (uint16_t)lround(1000 * (1 - x) * (nranks - 1) + 2000 * x * d);
	counts_text(&weights, nranks, out);
	return true;
}

/* --- one file, while it is read ----------------------------------------------------------- */

struct reading {
	struct member_place at;
	const json_t *root, *config;
	struct side *side;
	const char *variant;
	char head[HEAD_BYTES], layout[40];
	unsigned trial, nranks;
	unsigned added;
	bool cut; /* alltoallv's parts are cut from a size, and a row's is their sum */
};

/* Only the program's name has the collective: …/all_reduce_perf. */
static int read_collective(struct reading *r, enum coll_kind *out)
{
	const char *program =
	    json_string_value(json_array_get(json_object_get(r->root, "args"), 0));
	if (!program)
		return member_bad(&r->at, "does not name the program, which says the collective: "
		                          "of JSON \"args\" begins with it; a file of text may be "
		                          "called all_reduce_perf.txt");
	const char *name = program; /* Windows has other slashes; a fork's begins with nccl_ */
	for (const char *at; (at = strpbrk(name, "/\\"));)
		name = at + 1;
	name += strncmp(name, "nccl_", 5) ? 0 : 5;
	const char *end = strstr(name, "_perf");
	char text[32];
	snprintf(text, sizeof text, "%.*s", (int)(end ? end - name : 0), name);
	int found = coll_find(text);
	if (found < 0)
		return member_bad(&r->at,
		                  "the program \"%.60s\" measures no collective that is known "
		                  "here (`launchgap list` names them)",
		                  name);
	*out = (enum coll_kind)found;
	return 0;
}

/* Files of one side must be trials of the same measurement; otherwise their spread means
 * nothing. */
static int read_options(struct reading *r)
{
	struct side *side = r->side;
	const json_t *args = json_object_get(r->root, "args");
	int average = (int)number_in(args, &average_option);
	char manner[64], others[SIDE_OTHERS_BYTES];
	read_others(args, r->config, manner, others);
	if (side->nfiles && (side->average != average || strcmp(side->manner, manner) ||
	                     strcmp(side->others, others)))
		return member_bad(&r->at,
		                  "was measured with other options than the files before it: -a "
		                  "%d%s%s%s against -a %d%s%s%s",
		                  average, manner, *others ? " " : "", others, side->average,
		                  side->manner, *side->others ? " " : "", side->others);
	side->average = average;
	strcpy(side->manner, manner);
	strcpy(side->others, others);
	if (json_integer_value(json_object_get(r->config, "validation")) == 0)
		side->unchecked = true;
	return 0;
}

/* Each process names its first device. */
static int read_devices(struct reading *r, unsigned *processes)
{
	const json_t *devices = json_object_get(r->config, "devices");
	json_int_t group = json_integer_value(json_object_get(json_array_get(devices, 0), "group"));
	*processes = (unsigned)json_array_size(devices);
	if (!*processes || *processes > RECORD_MAX_RANKS)
		return member_bad(&r->at, "\"devices\" in \"config\" is missing or empty (of "
		                          "text: the lines # Rank)");
	for (unsigned i = 0; i < *processes; i++) {
		const json_t *device = json_array_get(devices, i);
		const char *host = json_string_value(json_object_get(device, "hostname"));
		const char *gpu = json_string_value(json_object_get(device, "device_info"));
		char machine[SIDE_FACT_BYTES];
		if (json_integer_value(json_object_get(device, "group")) != group)
			return member_bad(&r->at, "its ranks were split into several groups "
			                          "that measure at once");
		snprintf(machine, sizeof machine, "%.40s: %.40s", host ? host : "?",
		         gpu ? gpu : "?");
		if (host || gpu)
			side_says(r->side, "machine", machine);
	}
	return 0;
}

static int read_layout(struct reading *r, char name[TRIAL_NAME_BYTES])
{
	static const struct member rows[] = {
	    {"nthreads", JSON_INTEGER, 1, INT_MAX, .null = true}, /* not every text says it */
	    MEMBER_COUNT("ngpus", 1),
	    MEMBER_END};
	const bool unknown = json_is_null(json_object_get(r->config, "nthreads"));
	unsigned processes = 0;
	if (read_devices(r, &processes) || member_check(&r->at, r->config, rows))
		return -1;
	const unsigned threads = unknown ? 1 : (unsigned)member_number(r->config, "nthreads"),
	               gpus = (unsigned)member_number(r->config, "ngpus");
	uint64_t ranks = (uint64_t)processes * threads;
	if (ranks > RECORD_MAX_RANKS || ranks * gpus > RECORD_MAX_RANKS)
		return member_bad(&r->at,
		                  "says %u processes × %u threads × %u GPUs, at most %d "
		                  "ranks are believed",
		                  processes, threads, gpus, RECORD_MAX_RANKS);
	r->nranks = (unsigned)ranks * gpus;
	if (r->variant)
		snprintf(name, TRIAL_NAME_BYTES, "%s", r->variant);
	else if (unknown)
		snprintf(name, TRIAL_NAME_BYTES, "%u-ranks", r->nranks);
	else if (processes == 1 && threads == 1)
		strcpy(name, "single");
	else if (processes == 1 && gpus == 1)
		strcpy(name, "threads");
	else if (threads == 1 && gpus == 1)
		strcpy(name, "processes");
	else
		snprintf(name, TRIAL_NAME_BYTES, "%ux%ux%u", processes, threads, gpus);
	if (!unknown)
		snprintf(r->layout, sizeof r->layout, "%ux%ux%u", processes, threads, gpus);
	return 0;
}

/* Files of one variant must be trials of one layout; otherwise they are not repetitions. */
static int check_layout(struct reading *r, const char *name)
{
	for (unsigned i = 0; i < r->side->nfiles; i++) {
		const struct side_layout *before = &r->side->layouts[i];
		if (!strcmp(before->variant, name) && strcmp(before->layout, r->layout))
			return member_bad(&r->at,
			                  "its layout is %s (processes x threads x GPUs), but "
			                  "files before it have %s, and both would be %s",
			                  r->layout, before->layout, name);
	}
	return 0;
}

static void add_variables(struct side *side, const json_t *env)
{
	side->knows |= env != NULL;
	for (size_t i = 0; i < json_array_size(env); i++) {
		const char *line = json_string_value(json_array_get(env, i));
		const char *end = line ? strchr(line, '=') : NULL;
		char name[SIDE_FACT_BYTES];
		if (!end)
			continue;
		snprintf(name, sizeof name, "%.*s", (int)(end - line), line);
		side_variable(side, name, end + 1);
	}
}

static void add_facts(struct reading *r, enum coll_kind coll)
{
	json_int_t v = json_integer_value(json_object_get(r->root, "nccl_version"));
	json_int_t minor = v < 10000 ? 1000 : 10000; /* 2804 is 2.8.4, 22803 is 2.28.3 */
	const char *time = json_string_value(json_object_get(r->root, "start_time"));
	char text[64], counts[COUNTS_TEXT_BYTES];
	side_says(r->side, "experiment", "-");
	const json_t *ours = json_object_get(r->root, "launchgap");
	const char *backend = json_string_value(json_object_get(ours, "backend"));
	const char *torch = json_string_value(json_object_get(r->root, "torch"));
	const bool rccl = json_is_true(json_object_get(r->root, "rccl"));
	snprintf(text, sizeof text, "PyTorch %.40s", torch ? torch : "");
	side_says(r->side, "program",
	          ours    ? "launchgap"
	          : torch ? text
	          : rccl  ? "rccl-tests"
	                  : "nccl-tests");
	side_says(r->side, "backend", backend ? backend : rccl ? "rccl" : "nccl");
	if (*r->layout)
		side_says(r->side, "layout", r->layout);
	add_variables(r->side, json_object_get(r->root, "env"));
	snprintf(text, sizeof text, "%u", r->nranks);
	side_says(r->side, "ranks", text);
	r->cut = read_counts(json_object_get(r->root, "env"), r->nranks, counts);
	if (coll == COLL_ALLTOALLV)
		side_says(r->side, "counts", counts);
	snprintf(text, sizeof text, "%lld.%lld.%lld", (long long)(v / minor),
	         (long long)(v % minor / 100), (long long)(v % 100));
	if (v > 0)
		side_says(r->side, "library", text);
	if (time && !r->side->nfiles)
		side_says(r->side, "measured", time);
}

/* out_of_place or in_place of a row: null if it was not measured. */
static int add_body(struct reading *r, const json_t *row, const char *key, const char *name,
                    struct cell *cell)
{
	const json_t *body = json_object_get(row, key);
	const json_t *time = json_object_get(body, "time");
	const json_t *wrong = json_object_get(body, "nwrong");
	if (!body || json_is_null(body))
		return 0;
	if (json_object_get(body, "cpu_time"))
		return member_bad(&r->at, "holds the CPU's time (-C 1), which is that of "
		                          "launching only");
	if (!json_is_number(time) || !(json_number_value(time) > 0) ||
	    !(json_number_value(time) < 1e12))
		return member_bad(&r->at, "%zu bytes: \"time\" of \"%s\" is no time in µs",
		                  cell->bytes, key);
	if (wrong && !json_is_null(wrong) && !json_is_number(wrong))
		return member_bad(&r->at, "%zu bytes: \"nwrong\" of \"%s\" is no number",
		                  cell->bytes, key);
	if (json_number_value(wrong) > 0)
		return member_bad(&r->at,
		                  "%s of %zu bytes delivered %.0f wrong elements: times "
		                  "of wrong results mean nothing",
		                  coll_info(cell->coll)->name, cell->bytes,
		                  json_number_value(wrong));
	side_add(r->side, name, cell, r->nranks, false, r->trial, json_number_value(time));
	r->added++;
	return 0;
}

static int add_row(struct reading *r, const json_t *row, enum coll_kind coll, const char *name)
{
	struct cell cell = {.coll = coll, .pace = PACE_STREAM};
	static const struct member rows[] = {{"size", JSON_INTEGER, 0, .hi = LLONG_MAX},
	                                     MEMBER("type", JSON_STRING),
	                                     MEMBER("redop", JSON_STRING),
	                                     MEMBER_END};
	const json_t *root = json_object_get(row, "root");
	if (!json_is_object(row))
		return member_bad(&r->at, "\"results\" holds something else than objects");
	if (member_check(&r->at, row, rows))
		return -1;
	const json_int_t bytes = member_number(row, "size");
	int dtype = coll_find_dtype(perf_word_ours(member_or_empty(row, "type")));
	int op = coll_find_op(perf_word_ours(member_or_empty(row, "redop")));
	/* Types and operations that only nccl-tests has match nothing here. */
	if (bytes == 0 || dtype < 0 || ((coll_info(coll)->is & COLL_REDUCES) && op < 0))
		return 0;
	long number = json_is_string(root) ? strtol(json_string_value(root), NULL, 10)
	                                   : (long)json_integer_value(root);
	cell.dtype = (enum dtype)dtype;
	cell.op = coll_info(coll)->is & COLL_REDUCES ? (enum op)op : OP_NONE;
	cell.root = number > 0 && number < INT_MAX ? (unsigned)number : 0;
	cell.bytes = (size_t)bytes;
	if (coll == COLL_ALLTOALLV && r->cut) /* each was rounded down */
		cell.bytes += coll_least(coll, cell.dtype, r->nranks) - 1;
	if (coll == COLL_ALLTOALLV)
		cell.bytes = coll_round(coll, cell.dtype, cell.bytes, r->nranks);
	cell.asked_bytes = cell.bytes;
	if (add_body(r, row, "out_of_place", name, &cell))
		return -1;
	cell.in_place = true;
	return add_body(r, row, "in_place", name, &cell);
}

/* A run that failed writes its file too. */
static int check_errors(struct reading *r)
{
	const json_t *errors = json_object_get(r->root, "errors");
	for (size_t i = 0; i < json_array_size(errors); i++) {
		const char *text = json_string_value(json_array_get(errors, i));
		if (text && *text)
			return member_bad(&r->at, "is of a run that failed: %.200s", text);
	}
	return 0;
}

/* Says whose a file is by words at its head, and what to give in its place. */
static int refuse_kind(const struct member_place *at, const char *head)
{
	// clang-format off
	static const struct {
		const char *words, *whose, *give;
	} kinds[] = {
	    {"\"launchgap\"", "launchgap's report.json", "give the folder of its run, which has trials.jsonl"},
	    {"\"benchmark\"", "JSON of a fork of nccl-tests (its pull request 318), which names neither collective nor GPUs", GIVE},
	    {"size,count,type,redop", "CSV of a fork of nccl-tests (its pull request 138), which names neither collective nor GPUs", GIVE},
	    {"busBw", "rows of rccl-tests that name no collective or no GPUs", GIVE},
	    {"size,", "CSV that names no collective or no GPUs", GIVE},
	    {"\"results\"", "JSON like that of nccl-tests, without its \"config\"", GIVE},
	    {"{", "JSON of another program", GIVE},
	    {"", "neither JSON nor text of nccl-tests", GIVE},
	};
	// clang-format on
	size_t i = 0;
	while (!strstr(head, kinds[i].words))
		i++;
	return member_bad(at, "is %s; %s", kinds[i].whose, kinds[i].give);
}

static int read_root(struct reading *r)
{
	const json_t *results = json_object_get(r->root, "results");
	enum coll_kind coll = COLL_KINDS;
	char name[TRIAL_NAME_BYTES];
	r->config = json_object_get(r->root, "config");
	if (!json_is_array(results) || !json_is_object(r->config))
		return refuse_kind(&r->at, r->head);
	if (check_errors(r) || read_collective(r, &coll) || read_layout(r, name) ||
	    check_layout(r, name) || read_options(r))
		return -1;
	add_facts(r, coll);
	for (size_t i = 0; i < json_array_size(results); i++)
		if (add_row(r, json_array_get(results, i), coll, name))
			return -1;
	if (!json_array_size(results))
		return member_bad(&r->at, "holds no whole row of times: was it cut off?");
	if (!r->added)
		return member_bad(&r->at, "holds no row of a datatype and operation that are "
		                          "known here (`launchgap list` names them)");
	r->side->torn |= !json_object_get(r->root, "end_time");
	struct side *side = r->side;
	side->layouts = arena_more(side->arena, side->layouts, side->nfiles, sizeof *side->layouts);
	struct side_layout *own = &side->layouts[side->nfiles++];
	strcpy(own->variant, name);
	strcpy(own->layout, r->layout);
	return 0;
}

/* Of nccl-tests, or rows of rccl-tests. */
static json_t *read_json(FILE *in, json_error_t *why)
{
	json_error_t end;
	json_t *root = json_loadf(in, 0, why), *row;
	json_t *rows = json_is_array(root) ? json_incref(root) : json_array();
	if (!root)
		rewind(in);
	while (!root && (row = json_loadf(in, JSON_DISABLE_EOF_CHECK, &end)))
		json_array_append_new(rows, row);
	if (json_is_object(root))
		json_array_append(rows, root);
	json_t *made = nccl_rows_read(rows);
	json_decref(rows);
	if (made)
		json_decref(root);
	return made ? made : root;
}

int nccl_tests_read(const char *file, const char *variant, unsigned trial, struct side *side,
                    struct status *st)
{
	struct reading r = {
	    .at = {.file = file, .st = st}, .side = side, .variant = variant, .trial = trial};
	json_error_t why;
	const char *cause;
	FILE *in = sanitize_stream(file, MOST_BYTES, &cause);
	if (!in)
		return status_set(st, "cannot read %s: %s", file, cause);
	r.head[fread(r.head, 1, sizeof r.head - 1, in)] = '\0';
	rewind(in);
	json_t *root = read_json(in, &why);
	rewind(in);
	const bool json = root || getc(in) == '{';
	rewind(in);
	if (!json)
		root = nccl_text_read(in, file);
	fclose(in);
	/* Whole values that are no rows, or no JSON at all. */
	if (!root && (!json || json_error_code(&why) == json_error_end_of_input_expected))
		return refuse_kind(&r.at, r.head);
	/* Without why.text, which quotes the file: the quoted part may be the environment. */
	if (!root)
		return member_bad(&r.at,
		                  "not JSON from line %d, column %d, on; a run of nccl-tests "
		                  "that was stopped leaves such a file",
		                  why.line, why.column);
	r.root = json_keep(side->arena, root);
	int result = read_root(&r);
	arena_undo(side->arena, root);
	return result;
}
