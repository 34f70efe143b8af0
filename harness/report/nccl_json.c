#include "nccl_json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "../analysis/calls.h"
#include "../arena.h"
#include "../record/record_cell.h"
#include "json.h"

#define FILE_VERSION 3
#define MOST_FILES   1000 /* of one name */

/* nccl-tests writes what is no number as a text, and truth as another one. */
static json_t *real(double x)
{
	return isfinite(x) ? json_real(x) : json_string("nan");
}

static json_t *truth(bool x)
{
	return json_string(x ? "true" : "false");
}

static void add(json_t *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(json_t *list, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	json_array_append_new(list, json_vsprintf(format, args));
	va_end(args);
}

/* --- how it would have been called ------------------------------------------------------- */

/* The program and its options, those that differ from its defaults among them. */
static json_t *args_of(const struct nccl_table *t, const struct nccl_options *o)
{
	const struct {
		char letter;
		long long value, usual;
	} more[] = {{'m', o->together, 1},
	            {'p', o->parallel_init, 0},
	            {'z', o->waits, 0},
	            {'G', o->graph, 0},
	            {'R', o->registers, 0},
	            {'x', o->cta_policy, -1},
	            {'u', (long long)o->unalign, 0},
	            {'I', t->per_call, 0},
	            {'C', t->average == NCCL_AVERAGE_LAUNCH, 0}};
	json_t *args = json_array();
	add(args, "%s_perf", coll_info(nccl_table_group(t)->cell.coll)->name);
	add(args, "-t%u", o->threads);
	add(args, "-g%u", o->gpus);
	add(args, "-b%zu", o->least);
	add(args, "-e%zu", o->most);
	add(args, "-%c%zu", o->factor ? 'f' : 'i', o->factor ? o->factor : o->step);
	add(args, "-n%u", o->iters);
	add(args, "-w%u", o->warmup);
	if (t->average <= NCCL_AVERAGE_MAX)
		add(args, "-a%d", (int)t->average);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		if (more[i].value != more[i].usual)
			add(args, "-%c%lld", more[i].letter, more[i].value);
	return args;
}

/* Of the environment what the record has: variables of NCCL, CUDA and MPI. */
static json_t *env_of(const struct nccl_table *t)
{
	const json_t *run = t->s->run->environment;
	const json_t *machine = json_object_get(run, "machine");
	json_t *all = json_object_get(machine, "environment"), *value, *env = json_array();
	const char *key;
	json_object_foreach(all, key, value)
	{
		if (json_is_string(value))
			add(env, "%s=%s", key, json_string_value(value));
	}
	return env;
}

static json_t *devices_of(const struct nccl_table *t, const struct nccl_options *o)
{
	json_t *list = json_array();
	/* Each process names its first. */
	for (unsigned p = 0; p < o->processes; p++) {
		const unsigned rank = p * o->threads * o->gpus;
		const struct nccl_device d = nccl_table_device(t, rank);
		json_array_append_new(
		    list,
		    json_pack("{s:i, s:i, s:i, s:s, s:i, s:o, s:o}", "rank", (int)rank, "group",
		              d.group, "pid", 0, "hostname", d.host, "device", d.number,
		              "device_hex", json_stringn(d.pci, (size_t)d.pci_bytes), "device_info",
		              json_stringn(d.name, (size_t)d.name_bytes)));
	}
	return list;
}

static json_t *config_of(const struct nccl_table *t, const struct nccl_options *o)
{
	return json_pack(
	    "{s:i, s:i, s:I, s:I, s:I, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:i, s:o, s:o}",
	    "nthreads", (int)o->threads, "ngpus", (int)o->gpus, "minimum_bytes",
	    (json_int_t)o->least, "maximum_bytes", (json_int_t)o->most,
	    o->factor ? "step_factor" : "step_bytes", (json_int_t)(o->factor ? o->factor : o->step),
	    "warmup_iters", (int)o->warmup, "iterations", (int)o->iters, "aggregated_iterations",
	    (int)o->together, "validation", o->checked ? 1 : 0, "graph", (int)o->graph,
	    "blocking_collectives", truth(o->waits), "per_iter_timing", truth(t->per_call),
	    "per_iter_skip", 0, "parallel_init", truth(o->parallel_init), "devices",
	    devices_of(t, o));
}

/* --- its rows ---------------------------------------------------------------------------- */

static json_t *half_of(const struct nccl_table *t, const struct summary_row *row)
{
	const struct nccl_half half = nccl_table_half(t, row);
	if (!row)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}",
	                 t->average == NCCL_AVERAGE_LAUNCH ? "cpu_time" : "time",
	                 real(half.time_us), "alg_bw", real(half.algbw), "bus_bw", real(half.busbw),
	                 "nwrong", half.checked ? json_real(half.wrong) : json_null());
}

static json_t *times_of(const double *us, size_t n)
{
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_real(us[i]));
	return list;
}

/* The times of single calls; NULL: none were measured. */
static json_t *calls_of(const struct nccl_table *t, const struct summary_row *row)
{
	const struct summary_row *isolated = nccl_table_calls(t, row);
	const struct arena_mark mark = arena_mark(t->s->arena);
	struct calls_processes calls = {0};
	if (isolated)
		calls = calls_of_processes(t->s, isolated, t->s->arena);
	if (!calls.calls) {
		arena_release(t->s->arena, mark);
		return NULL;
	}
	const struct calls_spread x = calls_spread_of(calls.most_us, calls.calls, t->s->arena);
	json_t *out =
	    json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "skipped_iterations", 0,
	              "min_us", x.min_us, "max_us", x.max_us, "avg_us", x.mean_us, "p50_us",
	              x.p50_us, "p95_us", x.p95_us, "p99_us", x.p99_us, "stdev_us", x.deviation_us,
	              "cv_pct", x.cv_percent, "times_us", times_of(calls.most_us, calls.calls));
	json_t *processes = calls.processes > 1 ? json_array() : NULL;
	for (unsigned p = 0; p < calls.processes && processes; p++)
		json_array_append_new(processes,
		                      times_of(calls.own_us + p * calls.calls, calls.calls));
	if (processes)
		json_object_set_new(out, "per_process_max_times_us", processes);
	arena_release(t->s->arena, mark);
	return out;
}

static json_t *line_of(const struct nccl_table *t, const struct nccl_options *o,
                       const struct nccl_line *line)
{
	static const char *const halves[] = {"out_of_place", "in_place"};
	static const char *const calls[] = {"out_of_place_per_iter", "in_place_per_iter"};
	char root[16];
	snprintf(root, sizeof root, "%6d", line->root);
	json_t *out = json_pack("{s:I, s:I, s:s, s:s, s:s}", "size", (json_int_t)line->bytes,
	                        "count", (json_int_t)line->count, "type", line->type, "redop",
	                        line->redop, "root", root);
	for (int i = 0; i < 2; i++) {
		json_object_set_new(out, halves[i], half_of(t, line->halves[i]));
		json_t *single = calls_of(t, line->halves[i]);
		if (single)
			json_object_set_new(out, calls[i], single);
	}
	json_object_set_new(out, "actual_iterations", json_integer(o->iters));
	json_object_set_new(out, "experiment_name", json_string(""));
	return out;
}

static json_t *results_of(const struct nccl_table *t, const struct nccl_options *o)
{
	json_t *list = json_array();
	struct nccl_place at = {0};
	struct nccl_line line;
	while (nccl_table_next(t, &at, &line))
		json_array_append_new(list, line_of(t, o, &line));
	return list;
}

/* --- the file ---------------------------------------------------------------------------- */

/* When the last of its cells was written, in UTC. */
static json_t *end_of(const struct nccl_table *t)
{
	time_t last = 0;
	struct tm utc;
	char text[32];
	for (unsigned i = 0; i < t->s->run->ncells; i++)
		if (t->s->run->cells[i].written_s > last)
			last = (time_t)t->s->run->cells[i].written_s;
	gmtime_r(&last, &utc);
	strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &utc);
	return json_string(text);
}

/* "2026-11-23T20:15:00Z" as nccl-tests writes times. */
static json_t *begin_of(const struct nccl_table *t)
{
	const char *created = json_string_value(json_object_get(t->s->run->environment, "created"));
	return json_sprintf("%.10s %.8s", created ? created : "",
	                    created && strlen(created) > 11 ? created + 11 : "");
}

static json_t *file_of(const struct nccl_table *t, const char *dir)
{
	const struct nccl_options o = nccl_table_options(t);
	const struct nccl_totals totals = nccl_table_totals(t);
	const struct summary_variant *v = &t->s->variants[t->variant];
	return json_pack(
	    "{s:i, s:o, s:o, s:o, s:i, s:o, s:o, s:{s:i, s:o}, s:{s:o, s:s}, s:[], s:o, "
	    "s:{s:o, s:s, s:s, s:s, s:s}}",
	    "version", FILE_VERSION, "start_time", begin_of(t), "args", args_of(t, &o), "env",
	    env_of(t), "nccl_version", (int)nccl_table_library(t), "config", config_of(t, &o),
	    "results", results_of(t, &o), "out_of_bounds", "count", (int)totals.wrong, "okay",
	    truth(!totals.wrong), "average_bus_bandwidth", "bandwidth", real(totals.busbw), "okay",
	    "unchecked", "errors", "end_time", end_of(t), "launchgap", "record",
	    record_text(dir, strlen(dir)), "variant", v->name, "layout", v->layout, "backend",
	    v->backend, "average", nccl_average_name(t->average));
}

struct writing {
	const char *dir, *file;
	FILE *out;
	struct status *st;
	int failed;
};

/* The first name of file, file.0, … that is free. NULL: none, with errno. */
static FILE *open_free(const char *file, char *name, size_t bytes)
{
	snprintf(name, bytes, "%s", file);
	FILE *out = fopen(name, "wxe");
	for (int i = 0; !out && errno == EEXIST && i < MOST_FILES; i++) {
		snprintf(name, bytes, "%s.%d", file, i);
		out = fopen(name, "wxe");
	}
	return out;
}

static void write_table(const struct nccl_table *t, void *arg)
{
	struct writing *w = arg;
	struct arena *arena = t->s->arena;
	const size_t bytes = strlen(w->file) + 16;
	char *name = ARENA_ARRAY(arena, char, bytes);
	if (w->failed)
		return;
	json_t *json = json_keep(arena, file_of(t, w->dir));
	arena_need(arena, json);
	FILE *out = open_free(w->file, name, bytes);
	const int rc = out ? json_dumpf(json, out, JSON_COMPACT | JSON_REAL_PRECISION(12)) : -1;
	w->failed = (out && fclose(out)) || rc;
	if (w->failed)
		status_set(w->st, "cannot write %s: %s", name, strerror(errno));
	else
		fprintf(w->out, "# Writing JSON output to %s\n", name);
	arena_undo(arena, json);
}

int nccl_json_write(const struct summary *s, enum nccl_average average, bool per_call,
                    const char *dir, const char *file, FILE *out, struct status *st)
{
	struct writing w = {dir, file, out, st, 0};
	nccl_tables(s, average, per_call, write_table, &w);
	return w.failed ? -1 : 0;
}
