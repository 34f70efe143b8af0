/* trace.json compared with the Trace Event Format: the fields of every event, lanes, nesting; and
 * with the stamps of the record that it is made of. */
#include "../harness/report/trace.h"
#include "here.h"
#include "json.h"
#include "scratch.h"

#define RECORD "results/reference/2x-h200/folklore"
#define MOST   5000
#define LANES  4096
#define DEPTH  4
#define NEAR   0.0011 /* µs: a stamp is printed to the ns */

/* A lane, and the events that are open in it. */
struct lane {
	json_int_t pid, tid;
	bool named, placed;
	unsigned depth;
	double begin[DEPTH], end[DEPTH];
	double parts, whole; /* of the last call: its issue and wait; itself */
	unsigned calls, cells, devices, spans;
};

static struct lane lanes[LANES];
static unsigned nlanes;

static struct lane *lane_of(const json_t *event)
{
	json_int_t pid = json_integer_value(json_object_get(event, "pid")),
	           tid = json_integer_value(json_object_get(event, "tid"));
	for (unsigned i = 0; i < nlanes; i++)
		if (lanes[i].tid == tid) {
			assert_int_equal(lanes[i].pid, pid); /* a thread is of one process */
			return &lanes[i];
		}
	assert_true(nlanes < LANES);
	lanes[nlanes] = (struct lane){.pid = pid, .tid = tid};
	return &lanes[nlanes++];
}

static const char *text(const json_t *event, const char *key)
{
	const char *value = json_string_value(json_object_get(event, key));
	if (!value || !*value)
		fail_msg("an event has no %s", key);
	return value;
}

/* Phase M: of a process or a thread, its name or its place. */
static void check_metadata(const json_t *event, struct lane *lane)
{
	const json_t *args = json_object_get(event, "args");
	const char *name = text(event, "name");
	if (!strcmp(name, "thread_name"))
		lane->named = *text(args, "name");
	else if (!strcmp(name, "process_name"))
		text(args, "name");
	else if (!strcmp(name, "thread_sort_index"))
		lane->placed = json_is_integer(json_object_get(args, "sort_index"));
	else
		assert_string_equal(name, "process_sort_index");
}

/* Phase X: events of a lane come by their begin, and each is within the open one or after it. */
static void check_complete(const json_t *event, struct lane *lane)
{
	const json_t *ts = json_object_get(event, "ts"), *dur = json_object_get(event, "dur");
	const char *cat = text(event, "cat");
	assert_true(json_is_number(ts) && json_is_number(dur));
	double begin = json_number_value(ts), end = begin + json_number_value(dur);
	assert_true(begin >= 0 && end >= begin);
	assert_true(lane->named && lane->placed);
	while (lane->depth && begin >= lane->end[lane->depth - 1] - NEAR)
		lane->depth--;
	if (!strcmp(cat, "issue") || !strcmp(cat, "wait")) {
		lane->parts += end - begin;
	} else if (!strcmp(cat, "call")) {
		assert_true(fabs(lane->parts - lane->whole) <= 3 * NEAR);
		lane->whole = end - begin;
		lane->parts = 0;
		lane->calls++;
	}
	lane->cells += !strcmp(cat, "cell");
	lane->devices += !strcmp(cat, "device");
	lane->spans += !strcmp(cat, "work") || !strcmp(cat, "communication");
	if (lane->depth) {
		assert_true(begin >= lane->begin[lane->depth - 1] - NEAR);
		assert_true(end <= lane->end[lane->depth - 1] + NEAR);
	}
	if (end - begin <= 2 * NEAR)
		return; /* too short to hold others */
	assert_true(lane->depth < DEPTH);
	lane->begin[lane->depth] = begin;
	lane->end[lane->depth++] = end;
}

/* How many events there are. */
static size_t check_format(const json_t *trace)
{
	const json_t *events = json_object_get(trace, "traceEvents"), *event;
	size_t i;
	nlanes = 0;
	assert_true(json_is_array(events));
	assert_string_equal(text(trace, "displayTimeUnit"), "ns");
	json_array_foreach(events, i, event)
	{
		const char *phase = text(event, "ph");
		text(event, "name");
		assert_true(json_is_integer(json_object_get(event, "pid")));
		assert_true(json_is_integer(json_object_get(event, "tid")));
		if (!strcmp(phase, "M"))
			check_metadata(event, lane_of(event));
		else if (!strcmp(phase, "X"))
			check_complete(event, lane_of(event));
		else
			fail_msg("phase %s", phase);
	}
	return json_array_size(events);
}

/* The only event of a lane that is so. */
static const json_t *find(const json_t *trace, json_int_t tid, const char *cat, const char *name)
{
	const json_t *events = json_object_get(trace, "traceEvents"), *event;
	size_t i;
	json_array_foreach(events, i, event)
	{
		const char *is = json_string_value(json_object_get(event, "cat"));
		if (json_integer_value(json_object_get(event, "tid")) == tid && is &&
		    !strcmp(is, cat) && !strcmp(text(event, "name"), name))
			return event;
	}
	fail_msg("no %s %s in lane %lld", cat, name, (long long)tid);
	return NULL;
}

static unsigned processes(void)
{
	unsigned n = 0;
	for (unsigned i = 0; i < nlanes; i++) {
		bool seen = false;
		for (unsigned k = 0; k < i; k++)
			seen |= lanes[k].pid == lanes[i].pid;
		n += !seen;
	}
	return n;
}

static const char experiment[] =
    "; Where does time go?\n"
    "[experiment]\ncollective = all_reduce\nbytes = 64, 4K\nranks = 4\nbackend = null\n"
    "blocks = 1\nwarmup = 1\nstretches = 3\ncalls = 2\nisolated_calls = 5\nlimit = no\n"
    "reference = single\n"
    "[variant single]\nmode = single\n[variant threads]\nmode = threads\n"
    "[variant processes]\nmode = processes\n";

/* Ranks of one process are threads of it: 1 (twice, with the reference's twin), 1 and 4. */
TEST_WITH(a_run_becomes_a_trace, set_up, tear_down)
{
	cli_expect(here_run(experiment, "--no-report", NULL), 0, "");
	struct record_run run = cli_record(here_path(""));
	setenv("PATH", folder, 1); /* no gnuplot there */
	cli_expect(cli_call(folder, "report", here_path(""), "--trace", NULL), 0,
	           "open it in https://ui.perfetto.dev");
	json_t *trace = json_report(here_path("trace.json"));
	check_format(trace);
	assert_int_equal(nlanes, 4 * 4);
	assert_int_equal(processes(), 1 + 1 + 1 + 4);
	for (unsigned i = 0; i < nlanes; i++) {
		/* Two sizes: three stretches and five calls; and one more size in the
		 * timeline's pass. */
		assert_true(lanes[i].cells >= 4);
		assert_true(lanes[i].calls >= 2 * (3 + 5));
		assert_int_equal(lanes[i].devices, 0);
	}
	/* Lane 1 is rank 0 of the first variant. */
	const struct record_cell *c = NULL;
	for (unsigned i = 0; i < run.ncells && !c; i++)
		if (run.cells[i].cell.pace == PACE_ISOLATED && run.cells[i].cell.bytes == 4096 &&
		    run.cells[i].cell.pass == PASS_TIMED && !strcmp(run.cells[i].variant, "single"))
			c = &run.cells[i];
	assert_non_null(c);
	const json_t *cell = find(trace, 1, "cell", "all_reduce 4 KiB, isolated");
	json_assert_number(cell, "dur",
	                   (double)(c->samples[4].idle_ns - c->samples[0].start_ns) / 1e3, 1e-6);
	json_assert_text(json_object_get(cell, "args"), "collective", "all_reduce");
	json_assert_number(json_object_get(cell, "args"), "rows", 5, 0);
}

/* A step's work and communication, a lane of each rank for each. */
TEST_WITH(a_step_shows_when_it_worked, set_up, tear_down)
{
	char here[128];
	unsigned spans = 0;
	assert_non_null(getcwd(here, sizeof here));
	char *text =
	    test_text("; When?\n[experiment]\ncollective = ddp_step\nbackend = host\nranks = "
	              "2\nblocks = 1\n"
	              "bytes = 64K\nmodel = %s/experiments/models/lenet5.csv\nfirst_bucket = 4K\n"
	              "op = avg\npace = isolated\nisolated_calls = 2\nwarmup = 1\nlimit = no\n"
	              "[variant threads]\nmode = threads\n",
	              here);
	cli_expect(here_run(text, "--trace", NULL), 0, "open it in https://ui.perfetto.dev");
	json_t *trace = json_report(here_path("trace.json"));
	check_format(trace);
	for (unsigned i = 0; i < nlanes; i++) {
		spans += lanes[i].spans > 0;
		assert_true(!lanes[i].spans || !lanes[i].cells);
	}
	assert_true(spans >= 2 * 2);
}

/* As a trace, checked, of a record of GPUs. */
static json_t *trace_of(unsigned most, size_t *events)
{
	struct record_run run;
	struct summary summary;
	struct status st = {""};
	const struct arena_mark mark = arena_mark(scratch());
	char *text = NULL;
	size_t bytes = 0;
	assert_works(record_load(RECORD, &run, &st), st);
	summary_make(&run, scratch(), &summary);
	FILE *out = open_memstream(&text, &bytes);
	assert_non_null(out);
	trace_write(&summary, most, scratch(), out);
	fclose(out);
	json_error_t error;
	json_t *trace = json_loads(text, 0, &error);
	if (!trace)
		fail_msg("%s", error.text);
	*events = check_format(trace);
	arena_release(scratch(), mark);
	record_free(&run);
	free(text);
	return trace;
}

TEST(devices_have_lanes_of_their_own)
{
	size_t events;
	unsigned devices = 0;
	json_t *trace = trace_of(TRACED_EVENTS, &events);
	for (unsigned i = 0; i < nlanes; i++) {
		devices += lanes[i].devices > 0;
		assert_true(!lanes[i].devices || !lanes[i].cells);
	}
	assert_true(devices >= 2);
	json_decref(trace);
}

/* And the report says how much is omitted. */
TEST(a_long_run_is_cut_to_size)
{
	size_t events;
	json_t *trace = trace_of(MOST, &events);
	const json_t *other = json_object_get(trace, "otherData");
	assert_true(events > MOST / 2);
	assert_true(events < MOST + 6 * nlanes); /* with the names */
	assert_true(strtoull(text(other, "rows_left_out"), NULL, 10) > 0);
	json_decref(trace);
}
