#include "trace.h"

#include <jansson.h>
#include <string.h>

#include "../arena.h"
#include "../data/format.h"

/* Numbers of processes and lanes. Viewers need each lane's number to be unique, even across
 * processes. */
#define MOST_PROCESSES 4096
#define MOST_LANES     16384

/* Of a rank. */
enum track { TRACK_CALLS, TRACK_DEVICE, TRACK_WORK, TRACK_COMMUNICATION, TRACKS };
static const char *const track_names[TRACKS] = {"", "device", "work", "communication"};

struct writer {
	FILE *out;
	bool first; /* no event yet */
};

static unsigned pid_of(const struct summary *s, const struct traced_cell *x, unsigned rank)
{
	return 1 + x->variant * MOST_PROCESSES +
	       traced_place(&s->variants[x->variant], rank).process;
}

static unsigned long long tid_of(const struct traced_cell *x, unsigned rank, enum track lane)
{
	return 1 + (unsigned long long)x->variant * MOST_LANES + TRACKS * rank + lane;
}

/* Takes it; NULL: out of memory. */
static void put(struct writer *w, json_t *event)
{
	fputs(w->first ? "\n" : ",\n", w->out);
	w->first = false;
	if (!event || json_dumpf(event, w->out, JSON_COMPACT | JSON_REAL_PRECISION(15)))
		fputs("{}", w->out);
	json_decref(event);
}

/* The name of a process or a lane, and its position. */
static void put_name(struct writer *w, const char *what, unsigned pid, unsigned long long tid,
                     const char *name)
{
	const json_int_t place = strcmp(what, "process") ? (json_int_t)tid : pid;
	put(w, json_pack("{s:s, s:s+, s:i, s:I, s:{s:s}}", "ph", "M", "name", what, "_name", "pid",
	                 (int)pid, "tid", (json_int_t)tid, "args", "name", name));
	put(w, json_pack("{s:s, s:s+, s:i, s:I, s:{s:I}}", "ph", "M", "name", what, "_sort_index",
	                 "pid", (int)pid, "tid", (json_int_t)tid, "args", "sort_index", place));
}

/* Whether any of the variant's cells, of which x is the first, has data for the lane. */
static bool has_lane(const struct traced *t, const struct traced_cell *x, enum track lane)
{
	static const enum sample_lane of[TRACKS] = {
	    [TRACK_WORK] = LANE_WORK, [TRACK_COMMUNICATION] = LANE_COMMUNICATION};
	const struct traced_cell *end = t->cells + t->n;
	int64_t from, to;
	for (unsigned variant = x->variant; x < end && x->variant == variant; x++)
		for (unsigned r = 0; r < x->cell->nranks; r++)
			if (lane == TRACK_CALLS ||
			    (lane == TRACK_DEVICE && x->cell->device_clock) ||
			    (lane > TRACK_DEVICE &&
			     traced_span(x->cell, of[lane], r, 0, &from, &to)))
				return true;
	return false;
}

static void put_names(struct writer *w, const struct summary *s, const struct traced *t,
                      const struct traced_cell *x)
{
	const struct summary_variant *v = &s->variants[x->variant];
	char name[TRIAL_NAME_BYTES + 96];
	bool has[TRACKS];
	unsigned last = 0;
	for (unsigned lane = 0; lane < TRACKS; lane++)
		has[lane] = has_lane(t, x, (enum track)lane);
	for (unsigned r = 0; r < x->cell->nranks; r++) {
		unsigned pid = pid_of(s, x, r);
		struct traced_place at = traced_place(v, r);
		if (pid != last) {
			snprintf(name, sizeof name, "%s%s, process %u", v->name,
			         v->role == ROLE_AGAIN ? " (A/A)" : "", at.process);
			put_name(w, "process", pid, tid_of(x, r, TRACK_CALLS), name);
		}
		last = pid;
		for (unsigned lane = 0; lane < TRACKS; lane++) {
			snprintf(name, sizeof name, "rank %u, %s", r, track_names[lane]);
			if (lane == TRACK_CALLS)
				snprintf(name, sizeof name, "rank %u, thread %u", r, at.thread);
			if (has[lane])
				put_name(w, "thread", pid, tid_of(x, r, (enum track)lane), name);
		}
	}
}

/* Takes the arguments; NULL: there are none. */
static void put_event(struct writer *w, const char *cat, const char *name, unsigned pid,
                      unsigned long long tid, int64_t from_ns, int64_t to_ns, json_t *args)
{
	const int64_t long_ns = to_ns > from_ns ? to_ns - from_ns : 0;
	put(w, json_pack("{s:s, s:s, s:s, s:i, s:I, s:f, s:f, s:o*}", "ph", "X", "cat", cat, "name",
	                 name, "pid", (int)pid, "tid", (json_int_t)tid, "ts",
	                 (double)from_ns / 1000, "dur", (double)long_ns / 1000, "args", args));
}

static void put_cell(struct writer *w, const struct traced_cell *x, unsigned pid, unsigned rank)
{
	const struct record_cell *c = x->cell;
	const struct sample *rows = &c->samples[rank * c->rows];
	const char *pass = c->cell.pass == PASS_TIMED ? "" : coll_pass_name(c->cell.pass);
	char name[256];
	snprintf(name, sizeof name, "%s %s, %s%s%s", coll_word(&c->cell, c->nranks).text,
	         format_size(c->cell.asked_bytes).text, coll_pace_name(c->cell.pace),
	         pass[0] ? ", " : "", pass);
	put_event(w, "cell", name, pid, tid_of(x, rank, TRACK_CALLS), x->at_ns + rows[0].start_ns,
	          x->at_ns + rows[x->rows - 1].idle_ns,
	          json_pack("{s:s, s:I, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i}", "collective",
	                    coll_info(c->cell.coll)->name, "bytes", (json_int_t)c->cell.bytes,
	                    "dtype", coll_dtype_name(c->cell.dtype), "pace",
	                    coll_pace_name(c->cell.pace), "pass", coll_pass_name(c->cell.pass),
	                    "rank", (int)rank, "block", (int)c->block, "calls", (int)c->calls,
	                    "rows", (int)c->rows, "shown", (int)x->rows));
}

static void put_row(struct writer *w, const struct traced_cell *x, unsigned pid, unsigned rank,
                    unsigned row)
{
	const struct record_cell *c = x->cell;
	const struct sample *s = &c->samples[rank * c->rows + row];
	unsigned long long tid = tid_of(x, rank, TRACK_CALLS);
	char name[64];
	if (c->cell.pace == PACE_STREAM)
		snprintf(name, sizeof name, "stretch %u, %u calls", row + 1, c->calls);
	else
		snprintf(name, sizeof name, "call %u", row + 1);
	put_event(w, "call", name, pid, tid, x->at_ns + s->start_ns, x->at_ns + s->idle_ns,
	          json_pack("{s:I}", "poll_ns", (json_int_t)s->poll_ns));
	put_event(w, "issue", "issue", pid, tid, x->at_ns + s->start_ns, x->at_ns + s->issued_ns,
	          NULL);
	put_event(w, "wait", "wait", pid, tid, x->at_ns + s->issued_ns, x->at_ns + s->idle_ns,
	          NULL);
	if (!c->device_clock || !s->device_end_ns)
		return;
	put_event(w, "device", coll_word(&c->cell, c->nranks).text, pid,
	          tid_of(x, rank, TRACK_DEVICE), x->at_ns + s->device_start_ns,
	          x->at_ns + s->device_end_ns, NULL);
}

/* Spans of a damaged record that would overlap are omitted. */
static void put_spans(struct writer *w, const struct traced_cell *x, unsigned pid, unsigned rank)
{
	static const enum track of[LANES] = {
	    [LANE_WORK] = TRACK_WORK, [LANE_COMMUNICATION] = TRACK_COMMUNICATION};
	for (unsigned lane = 0; lane < LANES; lane++) {
		const char *name = track_names[of[lane]];
		int64_t from, to, last = INT64_MIN;
		for (size_t i = 0;
		     traced_span(x->cell, (enum sample_lane)lane, rank, i, &from, &to); i++) {
			if (from < last)
				continue;
			put_event(w, name, name, pid, tid_of(x, rank, of[lane]), x->at_ns + from,
			          x->at_ns + to, NULL);
			last = to;
		}
	}
}

static void put_end(FILE *out, const struct summary *s, const struct traced *t)
{
	const char *title = json_string_value(json_object_get(s->run->environment, "title"));
	fputs("\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":", out);
	put(&(struct writer){out, true},
	    json_pack("{s:s, s:s, s:s, s:s}", "experiment", title ? title : "", "rows_left_out",
	              arena_text(s->arena, "%llu", t->rows_left_out), "cells_left_out",
	              arena_text(s->arena, "%llu", t->cells_left_out), "time",
	              "stamps are exact within a cell; the time between two cells is not kept, and "
	              "equal cells of two variants begin at the same place"));
	fputs("}\n", out);
}

void trace_write(const struct summary *s, unsigned most, struct arena *arena, FILE *out)
{
	const struct traced t = traced_make(s, most, arena);
	struct writer w = {out, true};
	fputs("{\"traceEvents\":[", out);
	for (unsigned i = 0; i < t.n; i++) {
		const struct traced_cell *x = &t.cells[i];
		if (!i || t.cells[i - 1].variant != x->variant)
			put_names(&w, s, &t, x);
		for (unsigned r = 0; r < x->cell->nranks; r++) {
			unsigned pid = pid_of(s, x, r);
			put_cell(&w, x, pid, r);
			for (unsigned row = 0; row < x->rows; row++)
				put_row(&w, x, pid, r, row);
			put_spans(&w, x, pid, r);
		}
	}
	put_end(out, s, &t);
}
