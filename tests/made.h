/* Records that are made up: what is written is decided stamp by stamp by the test. */
#ifndef LAUNCHGAP_MADE_H
#define LAUNCHGAP_MADE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../harness/report/report.h"
#include "../harness/analysis/summary.h"
#include "../harness/record/record_line.h"
#include "json.h"
#include "test.h"

enum made_variant { MADE_SINGLE, MADE_THREADS, MADE_PROCESSES, MADE_AGAIN, MADE_LIMIT };

static const char *const made_names[] = {"single", "threads", "processes", "threads-again",
                                         "limit"};

/* One stamp's place. */
struct made_place {
	enum made_variant variant;
	unsigned block, size, row, rank;
	unsigned connection, allocation;
	bool isolated, timeline, counters;
};

struct made {
	const char *backend;
	unsigned ranks, blocks, sizes, rows, cores;
	unsigned connections, allocations; /* 0: one, and not in the record */
	double load1;                      /* 0: not recorded */
	bool timeline; /* cells of that pass too, with device stamps where `device` */
	bool device, no_limit;
	const char *clock, *may, *throttle; /* facts, NULL: none */
	bool counters;            /* cells of that pass too; `line` says what they hold */
	const char *const *names; /* of the five variants, NULL: made_names */
	void (*environment)(json_t *environment);                   /* changes it; or NULL */
	void (*line)(json_t *line, const struct made_place *place); /* of cells; or NULL */
	void (*more)(FILE *out); /* lines behind all others; or NULL */
	/* Start, issued, idle and poll, device start and end, from 0 on; rows follow each
	 * other at a distance. */
	void (*stamps)(const struct made_place *place, int64_t out[6]);
};

static char made_folder[] = "/tmp/launchgap-made-XXXXXX";

static inline const char *made_path(const char *name)
{
	static char path[256];
	snprintf(path, sizeof path, "%s/%s", made_folder, name);
	return path;
}

/* Noise that is the same in every run and has no trend: −1 to 1. */
static inline double made_noise(unsigned a, unsigned b, unsigned c)
{
	uint64_t x = value_mix(((uint64_t)a << 40) ^ ((uint64_t)b << 20) ^ c ^ 0x9E3779B9);
	return (double)(x >> 11) / (double)(1ull << 52) - 1;
}

static inline bool made_no_gnuplot(void)
{
	return access("/usr/bin/gnuplot", X_OK) && access("/usr/local/bin/gnuplot", X_OK);
}

/* Whether lines have their checksums, as those of runs do; a test may then not edit them. */
static bool made_sums;

static inline void made_line(FILE *out, json_t *line)
{
	char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
	assert_non_null(text);
	if (made_sums)
		assert_int_equal(record_line_put(out, text), 0);
	else if (text)
		assert_true(fputs(text, out) >= 0 && fputc('\n', out) >= 0);
	free(text);
	json_decref(line);
}

static inline const char *made_name(const struct made *m, unsigned variant)
{
	return m->names ? m->names[variant] : made_names[variant];
}

/* Of two ranks in a mode. */
static inline const char *made_layout(const char *mode)
{
	return !strcmp(mode, "single") ? "1x1x2" : !strcmp(mode, "threads") ? "1x2x1" : "2x1x1";
}

/* The environment of the record that is written. */
static json_t *made_asked;

static inline void made_environment(FILE *out, const struct made *m)
{
	static const char *const roles[] = {"variant", "reference", "variant", "again",
	                                    "limit"};
	static const char *const modes[] = {"single", "threads", "processes", "threads",
	                                    "threads"};
	json_t *variants = json_array();
	for (unsigned v = 0; v < 5; v++)
		json_array_append_new(
		    variants,
		    json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:s}", "name",
		              made_name(m, v), "role", roles[v], "mode", modes[v], "layout",
		              made_layout(modes[v]), "backend", m->backend, "nccl", "", "path",
		              "auto", "bind", "none", "env", "skip", ""));
	json_t *machine = json_pack("{s:i, s:s}", "cores", (int)m->cores, "cpu", "a CPU");
	if (m->load1 > 0)
		json_object_set_new(machine, "load1", json_real(m->load1));
	json_t *line = json_pack(
	    "{s:i, s:s, s:s, s:s, s:s, s:[s], s:s, s:s, s:s, s:s, s:i, s:s, "
	    "s:s, s:i, s:i, s:i, s:i, s:i, s:o, s:o}",
	    "schema", 1, "kind", "environment", "experiment", "x", "title", "t", "question",
	    "Why?", "command", "launchgap", "created", "2026-11-21T08:00:00Z", "launchgap",
	    "abc", "backend", m->backend, "backend_why", "", "ranks", (int)m->ranks, "seed",
	    "ff", "reference", made_name(m, MADE_THREADS), "blocks", (int)m->blocks, "warmup",
	    5, "stretches", (int)m->rows, "calls", 10, "isolated_calls", (int)m->rows,
	    "variants", variants, "machine", machine);
	if (m->connections) {
		json_object_set_new(line, "connections", json_integer(m->connections));
		json_object_set_new(line, "allocations", json_integer(m->allocations));
	}
	if (m->environment)
		m->environment(line);
	json_decref(made_asked);
	made_asked = json_incref(line);
	made_line(out, line);
}

static inline unsigned made_number(const json_t *of, const char *key)
{
	return (unsigned)json_integer_value(json_object_get(of, key));
}

/* As the environment and the variant of that name have it. */
static inline int made_calls(const char *name, bool isolated)
{
	const struct cell cell = {.pace = isolated ? PACE_ISOLATED : PACE_STREAM};
	const json_t *each, *own = NULL;
	size_t i;
	json_array_foreach(json_object_get(made_asked, "variants"), i, each) own =
	    strcmp(json_string_value(json_object_get(each, "name")), name) ? own : each;
	return (int)trial_calls_of(&cell, made_number(made_asked, "calls"),
	                           made_number(own, "aggregate"), made_number(own, "graph"));
}

static inline void made_stamps(json_t *line, const struct made *m, struct made_place place)
{
	static const char *const fields[] = {"start_ns", "issued_ns",       "idle_ns",
	                                     "poll_ns",  "device_start_ns", "device_end_ns"};
	unsigned nfields = place.timeline && m->device ? 6 : 4;
	for (unsigned f = 0; f < nfields; f++) {
		json_t *ranks = json_array();
		for (place.rank = 0; place.rank < m->ranks; place.rank++) {
			json_t *list = json_array();
			for (place.row = 0; place.row < m->rows; place.row++) {
				int64_t stamps[6] = {0}, base = 1000000000LL * place.row + 1;
				m->stamps(&place, stamps);
				json_array_append_new(
				    list, json_integer(stamps[f] + (f == 3 ? 0 : base)));
			}
			json_array_append_new(ranks, list);
		}
		json_object_set_new(line, fields[f], ranks);
	}
	if (place.timeline || place.counters)
		json_object_set_new(line, "pass",
		                    json_string(place.counters ? "counters" : "timeline"));
	if (place.timeline && m->device)
		json_object_set_new(line, "clock_residual_ns", json_pack("[i, i]", 300, -500));
}

static inline void made_one(FILE *out, const struct made *m, struct made_place place)
{
	json_t *line = json_pack(
	    "{s:i, s:s, s:s, s:s, s:i, s:s, s:I, s:I, s:s, s:s, s:i, s:b, s:s, s:i, s:i, s:i, "
	    "s:i, s:s, s:i, s:n, s:n}",
	    "schema", 1, "kind", "cell", "experiment", "x", "variant",
	    made_name(m, place.variant), "ranks", (int)m->ranks, "collective",
	    place.variant == MADE_LIMIT ? "copy" : "alltoall", "asked_bytes",
	    (json_int_t)4096 << 2 * place.size, "bytes", (json_int_t)4096 << 2 * place.size,
	    "dtype", "float32", "op", "sum", "root", 0, "in_place", 0, "pace",
	    place.isolated ? "isolated" : "stream", "block", (int)place.block, "order",
	    (int)(5 * place.block + (place.variant + 2 * place.block) % 5), "calls",
	    made_calls(made_name(m, place.variant), place.isolated), "warmup", 5, "digest",
	    place.variant == MADE_LIMIT ? "00000000000000cc" : "00000000000000aa", "wrong", 0,
	    "wrong_at", "error");
	assert_non_null(line);
	static const char *const lists[] = {"faults", "switches", "first_ns"};
	for (unsigned i = 0; i < 3; i++) {
		json_t *list = json_array();
		for (unsigned r = 0; r < m->ranks; r++)
			json_array_append_new(list, json_integer(0));
		json_object_set_new(line, lists[i], list);
	}
	json_t *facts = json_pack("{s:s}", "bind", "none");
	if (m->clock)
		json_object_set_new(facts, "clock_sm_mhz", json_string(m->clock));
	if (m->may)
		json_object_set_new(facts, "clock_sm_max_mhz", json_string(m->may));
	if (m->throttle)
		json_object_set_new(facts, "throttle", json_string(m->throttle));
	json_object_set_new(line, "facts", json_pack("[o]", facts));
	if (m->connections) {
		json_object_set_new(line, "connection", json_integer(place.connection));
		json_object_set_new(line, "allocation", json_integer(place.allocation));
	}
	made_stamps(line, m, place);
	if (m->line)
		m->line(line, &place);
	made_line(out, line);
}

/* A cell once in each allocation of each connection. */
static inline void made_cell(FILE *out, const struct made *m, struct made_place place)
{
	unsigned nested = m->connections * m->allocations;
	for (unsigned i = 0; i < (nested ? nested : 1); i++) {
		place.connection = nested ? i / m->allocations : 0;
		place.allocation = nested ? i % m->allocations : 0;
		made_one(out, m, place);
	}
}

/* Writes trials.jsonl into made_folder. */
static inline void made_write(const struct made *m)
{
	FILE *out = fopen(made_path("trials.jsonl"), "w");
	assert_non_null(out);
	made_environment(out, m);
	for (unsigned b = 0; b < m->blocks; b++)
		for (unsigned v = 0; v < (m->no_limit ? 4 : 5); v++)
			for (unsigned s = 0; s < m->sizes; s++) {
				struct made_place place = {
				    .variant = (enum made_variant)v, .block = b, .size = s};
				made_cell(out, m, place);
				place.counters = true;
				if (m->counters)
					made_cell(out, m, place);
				place.counters = false;
				place.isolated = true;
				if (v != MADE_LIMIT)
					made_cell(out, m, place);
				place.timeline = true;
				if (v != MADE_LIMIT && m->timeline)
					made_cell(out, m, place);
			}
	if (m->more)
		m->more(out);
	fclose(out);
}

struct made_loaded {
	struct record_run run;
	struct summary summary;
};

static inline void made_load(const struct made *m, struct made_loaded *out)
{
	struct status st = {""};
	bool torn;
	made_write(m);
	if (record_load(made_folder, &out->run, &torn, &st))
		fail_msg("%s", st.text);
	assert_int_equal(summary_make(&out->run, &out->summary, &st), 0);
}

static inline void made_unload(struct made_loaded *l)
{
	summary_free(&l->summary);
	record_free(&l->run);
}

static inline char *made_read(const char *name)
{
	static char text[1 << 18];
	FILE *in = fopen(made_path(name), "r");
	if (!in)
		fail_msg("%s is missing", name);
	text[fread(text, 1, sizeof text - 1, in)] = 0;
	fclose(in);
	return text;
}

/* What the report of the record prints; the last one's text is gone. */
static inline char *made_print(const struct report_options *options)
{
	struct status st = {""};
	fflush(stdout);
	int kept = dup(1);
	assert_non_null(freopen(made_path("stdout"), "w", stdout));
	int rc = report_make(made_folder, "/nowhere", options, &st);
	fflush(stdout);
	dup2(kept, 1);
	close(kept);
	if (rc)
		fail_msg("%s", st.text);
	return made_read("stdout");
}

/* report.json of the record, written and reported on with the pictures of `plot`; the last
 * one's is gone. */
static inline const json_t *made_report_with(const struct made *m, const char *plot, int rc)
{
	static json_t *report;
	struct status st = {""};
	made_write(m);
	if (report_make(made_folder, plot, NULL, &st) != rc)
		fail_msg("%s", st.text);
	json_decref(report);
	report = json_report(made_path("report.json"));
	return report;
}

static inline const json_t *made_report(const struct made *m)
{
	return made_report_with(m, "/nowhere", 0);
}

static inline void made_says(const char *text, const char *words)
{
	if (text && strstr(text, words))
		return;
	print_error("%s\n", text ? text : "nothing");
	fail_msg("lacks \"%s\"", words);
}

static inline int made_remove_one(const char *path, const struct stat *about, int type,
                                  struct FTW *ftw)
{
	(void)about, (void)type, (void)ftw;
	return remove(path);
}

static inline int made_begin(void **state)
{
	(void)state;
	return mkdtemp(made_folder) ? 0 : -1;
}

static inline int made_end(void **state)
{
	(void)state;
	return nftw(made_folder, made_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
