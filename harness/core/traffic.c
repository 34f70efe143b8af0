#include "traffic.h"
#include "../memory.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../clock.h"
#include "buffers.h"

#define COPY_BYTES   ((size_t)32 << 20) /* beyond a core's caches, */
#define PIECE_BYTES  ((size_t)1 << 20)  /* piece by piece */
#define DEVICE_BYTES ((size_t)16 << 20) /* of a call, between GPUs */
#define CPU_BYTES    ((size_t)1 << 20)  /* between cores */
#define AHEAD        8                  /* calls in flight, */
#define AHEAD_NS     1000000            /* but for no longer than this: they have to stop */
#define LOOK_US      50                 /* between two polls of them */
#define SPINS        4096               /* between two checks whether to stop */

enum state { TRAFFIC_IDLE, TRAFFIC_RUNS, TRAFFIC_STOPS, TRAFFIC_ENDS };

struct traffic {
	const struct backend *backend;
	const struct backend_place *place;
	pthread_t thread;
	sem_t orders; /* to run, or to end */
	_Atomic int state;
	_Atomic bool flows; /* since its last order to run */
	/* links, on a second context: its trial has one cell. */
	struct trial *trial;
	struct cell cell;
	struct backend_place own;
	struct backend_ctx *ctx;
	unsigned ahead;
	char *copies; /* links without a second context: copied from its first half to its second */
	/* What was moved, and how long it took. */
	double bytes;
	int64_t ns;
};

static bool runs(const struct traffic *t)
{
	return atomic_load_explicit(&t->state, memory_order_relaxed) == TRAFFIC_RUNS;
}

/* --- what the thread does --- */

static void spin(struct traffic *t)
{
	atomic_store(&t->flows, true);
	while (runs(t))
		for (unsigned i = 0; i < SPINS; i++)
			atomic_signal_fence(memory_order_seq_cst); /* nothing, each time */
}

static void copy(struct traffic *t)
{
	for (size_t at = 0; runs(t); at = (at + PIECE_BYTES) % COPY_BYTES) {
		memcpy(t->copies + COPY_BYTES + at, t->copies + at, PIECE_BYTES);
		t->bytes += PIECE_BYTES;
		atomic_store(&t->flows, true);
	}
}

static void issue(struct traffic *t)
{
	const struct backend *b = t->backend;
	b->begin(t->ctx);
	for (unsigned i = 0; i < t->own.count; i++)
		b->issue(t->ctx, i, 0);
	b->end(t->ctx);
	t->bytes += (double)t->cell.bytes * t->own.count;
}

/* 1: all issued calls are done; -1: one failed, and the team with it. */
static int poll(struct traffic *t)
{
	struct status st = {""};
	int all = 1;
	for (unsigned i = 0; i < t->own.count; i++) {
		int done = t->backend->poll(t->ctx, i);
		if (done < 0) {
			t->backend->error(t->ctx, &st);
			team_fail(t->own.team, t->own.first, st.text);
			return -1;
		}
		all = all && done;
	}
	return all;
}

static int wait(struct traffic *t)
{
	int done;
	while (!(done = poll(t))) {
		if (team_failure(t->own.team))
			return -1;
		usleep(LOOK_US);
	}
	return done < 0 ? -1 : 0;
}

/* Whether all have stopped, and the most calls that any has begun, to which the rest catch up. */
static bool all_stopped(const struct traffic *t, unsigned *most)
{
	unsigned n = team_shape(t->own.team)->nworkers;
	bool all = true;
	*most = 0;
	for (unsigned w = 0; w < n; w++)
		all =
		    __atomic_load_n(&team_beside(t->own.team, w)->stopped, __ATOMIC_SEQ_CST) && all;
	for (unsigned w = 0; w < n; w++) {
		unsigned begun =
		    __atomic_load_n(&team_beside(t->own.team, w)->begun, __ATOMIC_SEQ_CST);
		*most = begun > *most ? begun : *most;
	}
	return all;
}

static void call(struct traffic *t)
{
	struct team_beside *own = team_beside(t->own.team, t->own.worker);
	unsigned calls = 0, most;
	bool all;
	while (runs(t)) {
		/* Counted before: an issue that blocks waits for the others to follow. */
		__atomic_store_n(&own->begun, ++calls, __ATOMIC_SEQ_CST);
		issue(t);
		if (calls % t->ahead == 0 && wait(t))
			return;
		if (calls % t->ahead == 0)
			atomic_store(&t->flows, true);
	}
	__atomic_store_n(&own->stopped, 1, __ATOMIC_SEQ_CST);
	do {
		all = all_stopped(t, &most);
		while (calls < most) {
			__atomic_store_n(&own->begun, ++calls, __ATOMIC_SEQ_CST);
			issue(t);
		}
		if (team_failure(t->own.team))
			return;
		if (!all)
			usleep(LOOK_US);
	} while (!all);
	wait(t);
}

static void *carry(void *arg)
{
	struct traffic *t = arg;
	for (;;) {
		while (sem_wait(&t->orders))
			continue;
		if (atomic_load(&t->state) == TRAFFIC_ENDS)
			return NULL;
		int64_t begin = clock_now_ns();
		if (t->ctx)
			call(t);
		else if (t->copies)
			copy(t);
		else
			spin(t);
		t->ns += clock_now_ns() - begin;
		/* Not before the order to stop, which the worker of a failed team gives as well. */
		while (atomic_load(&t->state) == TRAFFIC_RUNS)
			usleep(LOOK_US);
		int stops = TRAFFIC_STOPS;
		atomic_compare_exchange_strong(&t->state, &stops, TRAFFIC_IDLE);
	}
}

/* --- what the worker does --- */

static void order(struct traffic *t, enum state state)
{
	atomic_store(&t->state, state);
	sem_post(&t->orders);
}

/* Waits until the thread is in that state, or the traffic flows. */
static int await(struct traffic *t, enum state state, int64_t deadline_ns, const char *late)
{
	while (atomic_load(&t->state) != (int)state ||
	       (state == TRAFFIC_RUNS && !atomic_load(&t->flows))) {
		if (team_pause(t->place->team))
			return -1;
		if (clock_now_ns() > deadline_ns) {
			team_fail(t->place->team, t->place->first, late);
			return -1;
		}
	}
	return 0;
}

int traffic_on(struct traffic *t, int64_t deadline_ns)
{
	if (!t)
		return 0;
	struct team_beside *own = team_beside(t->place->team, t->place->worker);
	__atomic_store_n(&own->begun, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&own->stopped, 0, __ATOMIC_SEQ_CST);
	atomic_store(&t->flows, false);
	order(t, TRAFFIC_RUNS);
	return await(t, TRAFFIC_RUNS, deadline_ns,
	             "the traffic beside the calls did not begin in time");
}

int traffic_off(struct traffic *t, int64_t deadline_ns)
{
	if (!t)
		return 0;
	atomic_store(&t->state, TRAFFIC_STOPS);
	return await(t, TRAFFIC_IDLE, deadline_ns,
	             "the traffic beside the calls did not stop in time");
}

/* The trial's settings, without those for the measured calls alone. */
static void make_trial(struct traffic *t)
{
	const struct trial *from = t->place->trial;
	t->trial = memory_take(1, sizeof *t->trial);
	*t->trial = *from;
	t->cell = (struct cell){.coll = COLL_SENDRECV, .dtype = DTYPE_FLOAT32, .op = OP_NONE};
	t->cell.bytes = t->backend->is.gpus ? DEVICE_BYTES : CPU_BYTES;
	t->cell.asked_bytes = t->cell.bytes;
	t->trial->cells = &t->cell;
	t->trial->ncells = 1;
	t->trial->places = NULL;
	t->trial->arena_bytes = t->cell.bytes;
	t->trial->network = (struct network){.n = 0};
	struct settings *set = &t->trial->settings;
	set->traffic = TRAFFIC_NONE;
	set->wait = WAIT_SPIN;
	set->start = START_FREE;
	set->registration = REGISTER_NONE;
	set->cta_policy = CTA_LIBRARY;
	set->graph = 0;
	set->aggregate = 1;
	set->extra_ns = 0;
	set->flip_rank = -1;
	t->own = *t->place;
	t->own.trial = t->trial;
}

/* One call by the worker itself, like the first of any cell (loop_first_call). */
static int call_once(struct traffic *t, struct status *st)
{
	const struct backend *b = t->backend;
	if (team_meet(t->own.team))
		return status_set(st, "the team failed before its traffic");
	b->begin(t->ctx);
	for (unsigned i = 0; i < t->own.count; i++)
		b->issue(t->ctx, i, 0);
	int met = team_meet(t->own.team);
	b->end(t->ctx);
	if (met || wait(t))
		return status_set(st, "a call of the traffic failed");
	return 0;
}

static int open_context(struct traffic *t, struct status *st)
{
	const struct backend *b = t->backend;
	make_trial(t);
	if (b->supports(t->trial, st) || b->open(&t->own, &t->ctx, st) ||
	    buffers_prepare(b, t->ctx, t->own.count, &t->cell, t->trial->seed, 1, st))
		return -1;
	if (call_once(t, st))
		return -1;
	int64_t begin = clock_now_ns();
	if (call_once(t, st))
		return -1;
	int64_t fit = AHEAD_NS / (clock_now_ns() - begin + 1);
	t->ahead = fit < 1 ? 1 : fit > AHEAD ? AHEAD : (unsigned)fit;
	return 0;
}

int traffic_open(const struct backend *backend, const struct backend_place *place,
                 struct traffic **out, struct status *st)
{
	const enum traffic_kind kind = place->trial->settings.traffic;
	*out = NULL;
	if (kind == TRAFFIC_NONE)
		return 0;
	struct traffic *t = memory_take(1, sizeof *t);
	t->backend = backend;
	t->place = place;
	sem_init(&t->orders, 0, 0);
	int failed = kind != TRAFFIC_CPU && backend->is.traffics ? open_context(t, st) : 0;
	if (kind != TRAFFIC_CPU && !backend->is.traffics) {
		t->copies = memory_take(2, COPY_BYTES);
		memset(t->copies, 1, 2 * COPY_BYTES);
	}
	if (!failed && pthread_create(&t->thread, NULL, carry, t))
		failed = status_set(st, "cannot start a thread for the traffic");
	if (failed) {
		if (t->ctx)
			backend->close(t->ctx);
		free(t->trial);
		free(t->copies);
		free(t);
		return -1;
	}
	*out = t;
	return 0;
}

void traffic_describe(const struct traffic *t, char *text, size_t bytes)
{
	text[0] = '\0';
	if (t && t->ns && t->bytes > 0)
		snprintf(text, bytes, "traffic_gbs=%.3g\n", t->bytes / (double)t->ns);
}

/* Ends in a failed team as well: the thread checks for a failure wherever it waits. */
void traffic_close(struct traffic *t)
{
	if (!t)
		return;
	order(t, TRAFFIC_ENDS);
	pthread_join(t->thread, NULL);
	sem_destroy(&t->orders);
	if (t->ctx)
		t->backend->close(t->ctx);
	free(t->trial);
	free(t->copies);
	free(t);
}
