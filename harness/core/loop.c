/* The timed loop: it stamps and waits. */
#include <sys/resource.h>

#include "../clock.h"
#include "loop.h"
#include "traffic.h"

int loop_fail(struct loop *loop, const struct status *st)
{
	team_fail(loop->team, loop->place.first, st->text);
	return -1;
}

/* What they wait for may be another's fault: who is in a call that does not return never comes to
 * the meeting. */
static int fail_late(struct loop *loop, unsigned i, unsigned waiting)
{
	struct status st = {0};
	bool all;
	trial_late(loop->place.trial, loop->cell, &st);
	if (!team_late(loop->team, waiting, &all))
		team_fail(loop->team, all ? TEAM_ALL_RANKS : loop->place.first + i, st.text);
	return -1;
}

int loop_pause(struct loop *loop)
{
	return team_pause(loop->team);
}

/* Time asleep is not time between two polls: the last interval begins when the device is done. */
int loop_pause_blocked(struct loop *loop)
{
	unsigned i = 0;
	while (!loop->busy[i])
		i++;
	loop->backend->block(loop->ctx, i);
	loop->rows[i]->idle_ns = clock_now_ns();
	return team_pause(loop->team);
}

/* The clock is read once per poll: with eight ranks a worker pays as much per rank as with one. */
int loop_wait(struct loop *loop)
{
	unsigned count = loop->place.count, left = count;
	memset(loop->busy, true, count);
	for (;;) {
		for (unsigned i = 0; i < count; i++) {
			if (!loop->busy[i])
				continue;
			struct sample *s = loop->rows[i];
			int done = loop->backend->poll(loop->ctx, i);
			int64_t now = clock_now_ns();
			s->poll_ns = now - s->idle_ns;
			s->idle_ns = now;
			if (!done && now < loop->deadline_ns)
				continue;
			if (!done)
				return fail_late(loop, i, left);
			if (done < 0) {
				struct status st = {0};
				loop->backend->error(loop->ctx, &st);
				return loop_fail(loop, &st);
			}
			loop->busy[i] = false;
			left--;
		}
		if (!left)
			return 0;
		if (loop->pause(loop))
			return -1;
	}
}

void loop_issue(struct loop *loop, unsigned calls)
{
	const struct backend *b = loop->backend;
	for (unsigned done = 0; done < calls; done += loop->aggregate) {
		b->begin(loop->ctx);
		for (unsigned c = 0; c < loop->aggregate; c++) {
			for (unsigned i = 0; i < loop->place.count; i++)
				b->issue(loop->ctx, i, loop->slot);
			if (++loop->slot == loop->slots)
				loop->slot = 0;
		}
		b->end(loop->ctx);
	}
}

void loop_replay(struct loop *loop, unsigned calls)
{
	(void)calls;
	for (unsigned r = 0; r < loop->replays; r++)
		loop->backend->replay(loop->ctx);
}

static void stamp_rows(struct loop *loop, int64_t start, int64_t issued)
{
	for (unsigned i = 0; i < loop->place.count; i++) {
		loop->rows[i]->start_ns = start;
		loop->rows[i]->issued_ns = issued;
		loop->rows[i]->idle_ns = issued;
	}
}

/* THE timed loop: meet, stamp, issue, stamp, wait. A row is a stretch of calls, or one call. */
int loop_row(struct loop *loop, unsigned calls)
{
	if (team_meet(loop->team))
		return -1;
	int64_t start = clock_now_ns();
	loop->issue(loop, calls);
	int64_t issued = clock_now_ns();
	stamp_rows(loop, start, issued);
	return loop_wait(loop);
}

/* The same with the devices held until all have issued: only execution is timed. */
int loop_row_gated(struct loop *loop, unsigned calls)
{
	if (team_meet(loop->team))
		return -1;
	loop->backend->hold(loop->ctx);
	loop_issue(loop, calls);
	int met = team_meet(loop->team);
	int64_t start = clock_now_ns();
	loop->backend->release(loop->ctx);
	if (met)
		return -1;
	stamp_rows(loop, start, start);
	return loop_wait(loop);
}

void loop_keep_nothing(struct loop *loop)
{
	for (unsigned i = 0; i < loop->place.count; i++)
		loop->rows[i] = &loop->scratch[i];
}

/* The first call of a cell, in which libraries connect. The team meets before and after it, and
 * also before end(), which NCCL needs when threads drive the ranks (NVIDIA/nccl#787). */
int loop_first_call(struct loop *loop, int64_t *length_ns)
{
	const struct backend *b = loop->backend;
	loop_keep_nothing(loop);
	if (team_meet(loop->team))
		return -1;
	int64_t start = clock_now_ns();
	b->begin(loop->ctx);
	for (unsigned i = 0; i < loop->place.count; i++)
		b->issue(loop->ctx, i, loop->slot);
	if (team_meet(loop->team))
		return -1;
	b->end(loop->ctx);
	if (++loop->slot == loop->slots)
		loop->slot = 0;
	if (loop_wait(loop))
		return -1;
	*length_ns = clock_now_ns() - start;
	return team_meet(loop->team);
}

struct tally *loop_tally(struct loop *loop, unsigned cell, unsigned i)
{
	return sample_tally(loop->place.trial, team_area(loop->team), cell, loop->place.first + i);
}

void loop_keep_rows(struct loop *loop, unsigned cell)
{
	for (unsigned i = 0; i < loop->place.count; i++)
		loop->rows[i] = sample_rows(loop->place.trial, team_area(loop->team), cell,
		                            loop->place.first + i);
}

void loop_next_row(struct loop *loop)
{
	for (unsigned i = 0; i < loop->place.count; i++)
		loop->rows[i]++;
}

static int64_t cpu_ns(const struct rusage *u)
{
	return (int64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000000 +
	       (int64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000;
}

int loop_warm_up(struct loop *loop)
{
	loop_keep_nothing(loop);
	for (unsigned w = 0; w < loop->place.trial->warmup; w++)
		if (loop_row(loop, loop->aggregate))
			return -1;
	return 0;
}

int loop_sleep(struct loop *loop, unsigned cell, bool measured, int64_t *waited_ns)
{
	const bool first = loop->place.worker == 0, ends = loop->deadline_ns != INT64_MAX;
	const int64_t from = clock_now_ns();
	if (first)
		team_set_deadline(loop->team, cell, 0);
	if (team_meet(loop->team))
		return -1;
	loop->turn++;
	if (first) {
		loop->calls->give(loop->calls->arg, measured);
		team_rouse(loop->team, loop->turn);
	} else if (team_sleep(loop->team, loop->turn)) {
		return -1;
	}
	const int64_t waited = clock_now_ns() - from;
	loop->phase_ns += waited;
	*waited_ns += waited;
	if (ends)
		loop->deadline_ns += waited;
	if (first && ends)
		team_set_deadline(loop->team, cell, loop->deadline_ns);
	return 0;
}

/* Other jobs have their turns before this row. */
static int give_turn(struct loop *loop, unsigned cell, unsigned row, int64_t *waited_ns)
{
	if (traffic_off(loop->traffic, loop->deadline_ns) ||
	    loop_sleep(loop, cell, false, waited_ns) ||
	    traffic_on(loop->traffic, loop->deadline_ns) || loop_warm_up(loop))
		return -1;
	loop_keep_rows(loop, cell);
	for (unsigned i = 0; i < loop->place.count; i++)
		loop->rows[i] += row;
	return 0;
}

int loop_measure_rows(struct loop *loop, unsigned cell)
{
	const struct trial *trial = loop->place.trial;
	const struct cell *c = &trial->cells[cell];
	unsigned rows = trial_rows(trial, c), calls = trial_calls(trial, c);
	const unsigned turn_rows = trial_turn_rows(trial, c);
	int64_t waited = 0;
	struct rusage before, after;
	loop_keep_rows(loop, cell);
	getrusage(RUSAGE_THREAD, &before);
	int64_t begin = clock_now_ns();
	for (unsigned row = 0; row < rows; row++) {
		if (turn_rows && row % turn_rows == 0 && give_turn(loop, cell, row, &waited))
			return -1;
		if (loop->measure_row(loop, calls))
			return -1;
		loop_next_row(loop);
	}
	int64_t took = clock_now_ns() - begin;
	getrusage(RUSAGE_THREAD, &after);
	int64_t off = took - waited - (cpu_ns(&after) - cpu_ns(&before));
	struct tally *tally = loop_tally(loop, cell, 0);
	tally->faults =
	    (uint64_t)(after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt);
	tally->switches = (uint64_t)(after.ru_nivcsw - before.ru_nivcsw);
	tally->off_core_ns = off > 0 ? off : 0;
	return 0;
}
