/* A cell's calls by its pass: timed, and others for all that would disturb them. */
#include "../clock.h"
#include "loop.h"

#define MOST_ROWS    200000 /* of a steady stretch */
#define STEADY_PARTS 16     /* after each the clock is read */
#define MOST_AHEAD   512    /* calls that a device queues before their issuer has to wait */

static void read_spans(struct loop *loop, unsigned cell)
{
	const struct trial *trial = loop->place.trial;
	for (unsigned i = 0; loop->backend->spans && i < loop->place.count; i++) {
		unsigned rank = loop->place.first + i;
		struct sample_spans *out = sample_spans(trial, team_area(loop->team), cell, rank);
		const struct sample *rows = sample_rows(trial, team_area(loop->team), cell, rank);
		if (out)
			loop->backend->spans(
			    loop->ctx, i, rows[trial_rows(trial, &trial->cells[cell]) - 1].start_ns,
			    out);
	}
}

/* The timeline's pass: the same rows, with the device's clock as well as ours. */
static int timeline_rows(struct loop *loop, unsigned cell)
{
	const struct trial *trial = loop->place.trial;
	const struct backend *b = loop->backend;
	if (!b->trace) {
		int rc = loop_measure_rows(loop, cell);
		read_spans(loop, cell);
		return rc;
	}
	b->trace(loop->ctx, true);
	if (team_meet(loop->team) || loop_measure_rows(loop, cell) || team_meet(loop->team))
		return -1;
	for (unsigned i = 0; i < loop->place.count; i++)
		b->trace_read(
		    loop->ctx, i,
		    sample_rows(trial, team_area(loop->team), cell, loop->place.first + i),
		    trial_rows(trial, &trial->cells[cell]));
	read_spans(loop, cell);
	if (team_meet(loop->team))
		return -1;
	b->trace(loop->ctx, false);
	return 0;
}

/* Rows that also measure the CPU time of issuing: two system calls per row. */
static int issue_rows(struct loop *loop, unsigned cell)
{
	const struct trial *trial = loop->place.trial;
	const struct cell *c = &trial->cells[cell];
	struct tally *own = loop_tally(loop, cell, 0);
	loop_keep_rows(loop, cell);
	for (unsigned row = 0; row < trial_rows(trial, c); row++) {
		if (team_meet(loop->team))
			return -1;
		int64_t cpu = clock_cpu_ns(), start = clock_now_ns();
		loop->issue(loop, trial_calls(trial, c));
		int64_t issued = clock_now_ns();
		own->issue_cpu_ns += clock_cpu_ns() - cpu;
		for (unsigned i = 0; i < loop->place.count; i++)
			*loop->rows[i] = (struct sample){
			    .start_ns = start, .issued_ns = issued, .idle_ns = issued};
		if (loop_wait(loop))
			return -1;
		loop_next_row(loop);
	}
	return 0;
}

static int64_t row_length(const struct sample *row)
{
	return row->idle_ns - row->start_ns;
}

/* The median of n rows' lengths: a row that was delayed would make the stretch too short. */
static int64_t usual_length(const struct sample *rows, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned before = 0;
		for (unsigned k = 0; k < n; k++)
			before += row_length(&rows[k]) < row_length(&rows[i]) ||
			          (k < i && row_length(&rows[k]) == row_length(&rows[i]));
		if (before == n / 2)
			return row_length(&rows[i]);
	}
	return 0;
}

/* All workers have to run the same numbers of rows: what the first one's clock says counts. */
static int first_says(struct loop *loop, int64_t *what)
{
	void *mailbox = team_mailbox(loop->team, 0);
	if (loop->place.first == 0)
		memcpy(mailbox, what, sizeof *what);
	if (team_share(loop->team))
		return -1;
	memcpy(what, mailbox, sizeof *what);
	return team_meet(loop->team);
}

static int usual_row(struct loop *loop, unsigned cell, int64_t *out)
{
	const struct trial *trial = loop->place.trial;
	if (loop->place.first == 0)
		*out = usual_length(sample_rows(trial, team_area(loop->team), cell, 0),
		                    trial_rows(trial, &trial->cells[cell]));
	return first_says(loop, out);
}

static unsigned rows_in(int64_t ns, int64_t row_ns)
{
	int64_t rows = row_ns > 0 ? ns / row_ns + 1 : MOST_ROWS;
	return rows > MOST_ROWS ? MOST_ROWS : (unsigned)rows;
}

enum watch { WATCH_OFF, WATCH_ON, WATCH_READ };

static void watch(struct loop *loop, unsigned cell, enum watch what)
{
	if (what != WATCH_READ)
		loop->backend->watch(loop->ctx, what == WATCH_ON);
	for (unsigned i = 0; what == WATCH_READ && i < loop->place.count; i++) {
		struct tally *tally = loop_tally(loop, cell, i);
		loop->backend->watch_read(loop->ctx, i, &tally->counters);
		tally->watched = 1;
	}
}

/* One worker at a time: NVML's GPM crashes, or spoils samples, of several (driver 580.159). */
static int in_turn(struct loop *loop, unsigned cell, enum watch what)
{
	unsigned nworkers = team_shape(loop->team)->nworkers;
	for (unsigned turn = 0; turn < nworkers; turn++) {
		if (team_meet(loop->team))
			return -1;
		if (turn == loop->place.worker)
			watch(loop, cell, what);
	}
	return team_meet(loop->team);
}

/* Reads counters with calls in flight, so that the device is never idle meanwhile. */
static int read_at_work(struct loop *loop, unsigned cell, int64_t row_ns, enum watch what)
{
	const struct trial *trial = loop->place.trial;
	const unsigned calls = trial_calls(trial, &trial->cells[cell]);
	unsigned lead = rows_in(loop->backend->watch_lead_ns * loop->place.nranks, row_ns);
	lead = lead < MOST_AHEAD / calls ? lead : MOST_AHEAD / calls;
	if (team_meet(loop->team))
		return -1;
	int64_t now = clock_now_ns();
	for (unsigned row = 0; row < lead || !row; row++)
		loop->issue(loop, calls);
	for (unsigned i = 0; i < loop->place.count; i++)
		*loop->rows[i] = (struct sample){.start_ns = now, .issued_ns = now, .idle_ns = now};
	return in_turn(loop, cell, what) || loop_wait(loop) ? -1 : 0;
}

/* Rows until the time is over, whatever their length becomes; the clock is read after each part. */
static int steady_rows(struct loop *loop, unsigned cell, int64_t ns, int64_t row_ns)
{
	const struct trial *trial = loop->place.trial;
	const unsigned calls = trial_calls(trial, &trial->cells[cell]);
	const unsigned part = rows_in(ns, row_ns) / STEADY_PARTS + 1;
	const int64_t end_ns = clock_now_ns() + ns;
	int64_t left_ns;
	do {
		for (unsigned row = 0; row < part; row++)
			if (loop->measure_row(loop, calls))
				return -1;
		left_ns = end_ns - clock_now_ns();
		if (first_says(loop, &left_ns))
			return -1;
	} while (left_ns > 0);
	return 0;
}

/* A few rows that are kept, then a steady stretch between two readings. */
static int counters_rows(struct loop *loop, unsigned cell)
{
	const struct backend *b = loop->backend;
	int64_t row_ns = 0; /* the first worker says it */
	if (issue_rows(loop, cell))
		return -1;
	if (!b->watch)
		return 0;
	loop_keep_nothing(loop);
	/* The first reading opens the counters, which takes a while. */
	if (usual_row(loop, cell, &row_ns) || in_turn(loop, cell, WATCH_ON) ||
	    steady_rows(loop, cell, b->watch_settle_ns, row_ns) ||
	    read_at_work(loop, cell, row_ns, WATCH_ON) ||
	    steady_rows(loop, cell, b->watch_ns, row_ns) ||
	    read_at_work(loop, cell, row_ns, WATCH_OFF))
		return -1;
	return in_turn(loop, cell, WATCH_READ);
}

static int capture(struct loop *loop, unsigned cell)
{
	const struct trial *trial = loop->place.trial;
	const struct cell *c = &trial->cells[cell];
	struct status st = {0};
	if (!trial->settings.graph)
		return 0;
	loop->replays = trial_replays(trial, c);
	if (loop->backend->capture(loop->ctx, true, &st))
		return loop_fail(loop, &st);
	loop_issue(loop, trial_calls(trial, c) / loop->replays);
	if (loop->backend->capture(loop->ctx, false, &st))
		return loop_fail(loop, &st);
	loop->issue = loop_replay;
	return team_meet(loop->team);
}

int pass_rows(struct loop *loop, unsigned cell)
{
	if (capture(loop, cell))
		return -1;
	switch (loop->place.trial->cells[cell].pass) {
	case PASS_TIMELINE:
		return timeline_rows(loop, cell);
	case PASS_COUNTERS:
		return counters_rows(loop, cell);
	default:
		return loop_measure_rows(loop, cell);
	}
}

int pass_init(struct loop *loop, unsigned cell)
{
	const struct trial *trial = loop->place.trial;
	const struct backend *b = loop->backend;
	struct status st = {0};
	int64_t begin = clock_now_ns();
	loop_keep_rows(loop, cell);
	for (unsigned i = 0; i < loop->place.count; i++)
		loop_tally(loop, cell, i)->begin_ns = begin;
	for (unsigned row = 0; row < trial_rows(trial, &trial->cells[cell]); row++) {
		b->disconnect(loop->ctx);
		if (team_meet(loop->team))
			return -1;
		int64_t start = clock_now_ns();
		if (b->connect(loop->ctx, &st))
			return loop_fail(loop, &st);
		int64_t end = clock_now_ns();
		for (unsigned i = 0; i < loop->place.count; i++)
			*loop->rows[i] =
			    (struct sample){.start_ns = start, .issued_ns = end, .idle_ns = end};
		loop_next_row(loop);
	}
	for (unsigned i = 0; i < loop->place.count; i++)
		loop_tally(loop, cell, i)->measured = 1;
	return team_meet(loop->team);
}
