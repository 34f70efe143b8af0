/* A worker's timed loop. Nothing in it allocates, locks, logs or tests the mode. */
#pragma once

#include "sample.h"
#include "backend.h"

struct machine_binding;
struct traffic;

/* What the first worker of all calls while the others wait. */
struct loop_calls {
	void (*awake)(void *arg); /* once all are: before, nothing is allocated or connected */
	/* In its place of a trial in turns, which has connected, and later: lets other jobs go on
	 * until its next turn; measured: it has only to close then. */
	void (*give)(void *arg, bool measured);
	void *arg;
};

struct loop {
	const struct backend *backend;
	struct backend_ctx *ctx;
	struct team *team;
	struct traffic *traffic; /* NULL: none */
	struct backend_place place;
	int (*measure_row)(struct loop *loop, unsigned calls);
	void (*issue)(struct loop *loop, unsigned calls); /* a row's */
	int (*pause)(struct loop *loop); /* between rounds of polling; -1: a rank failed */
	unsigned slot, slots;            /* the buffer of the next call, and their number */
	unsigned aggregate;              /* calls issued in one group */
	unsigned replays;                /* of the captured calls, per row */
	const struct cell *cell;         /* the current one */
	int64_t deadline_ns;             /* of the cell */
	int64_t phase_ns;                /* when the current phase began */
	const struct loop_calls *calls;
	bool awake;
	unsigned turn; /* the current one */
	struct sample **rows;            /* per local rank: where the next row goes */
	struct sample *scratch;          /* per local rank: rows that are not kept (warm-up) */
	bool *busy;                      /* per local rank */
	struct machine_binding *binding; /* the cores that it may be bound to */
	char bind[64];                   /* its binding, in words */
	char cpus[192];                  /* CPUs of the worker and its helper threads */
	long long share_bytes;           /* of the process's memory; 0: not asked */
};

int loop_fail(struct loop *loop, const struct status *st);
void loop_keep_nothing(struct loop *loop);
void loop_keep_rows(struct loop *loop, unsigned cell);
void loop_next_row(struct loop *loop);
/* The two values of `issue`: the calls one by one, or what was captured of them. */
void loop_issue(struct loop *loop, unsigned calls);
void loop_replay(struct loop *loop, unsigned calls);
/* One row of `calls` calls; gated: with the devices held until all have issued. */
int loop_row(struct loop *loop, unsigned calls);
int loop_row_gated(struct loop *loop, unsigned calls);
/* A cell's first call, which is not kept, and its length. */
int loop_first_call(struct loop *loop, int64_t *length_ns);
int loop_wait(struct loop *loop);
int loop_warm_up(struct loop *loop);
/* While other jobs have their turns; the deadline and the phase wait with it. measured: its rows
 * are over. */
int loop_sleep(struct loop *loop, unsigned cell, bool measured, int64_t *waited_ns);
/* The values of `pause`: spins or yields, as the team; or sleeps until a busy rank is done. */
int loop_pause(struct loop *loop);
int loop_pause_blocked(struct loop *loop);
struct tally *loop_tally(struct loop *loop, unsigned cell, unsigned i);
/* All rows of a cell, with the worker's page faults, context switches and time off its core. */
int loop_measure_rows(struct loop *loop, unsigned cell);

int pass_rows(struct loop *loop, unsigned cell);
int pass_init(struct loop *loop, unsigned cell);
