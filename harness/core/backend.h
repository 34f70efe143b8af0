/* A backend carries a collective out. One table of functions each, one row in backend/table.c.
 *
 * Called by one worker with a context of its own; what contexts share goes through the team.
 * The timed path (begin, issue, end, poll) allocates nothing, locks nothing, logs nothing,
 * makes no system call of ours, and does not ask for the mode. */
#ifndef LAUNCHGAP_BACKEND_H
#define LAUNCHGAP_BACKEND_H

#include "../trial/trial.h"
#include "team.h"
#include "traits.h"

struct backend_ctx;
struct counters;
struct path;
struct sample;
struct sample_spans;

struct backend_place {
	const struct trial *trial;
	struct team *team;
	unsigned nranks;
	unsigned worker;
	unsigned first, count;       /* this worker's ranks */
	unsigned process, processes; /* ranks of one process share an address space */
};

struct backend_verdict {
	uint64_t wrong, wrong_at, expected, got; /* see struct tally */
};

#define LIBRARY_FILE_BYTES 1024

struct library {
	char file[LIBRARY_FILE_BYTES]; /* its real path, or "" where no backend can find it */
	char version[32];              /* or "" where no backend can tell */
};

struct backend {
	const char *name;
	const char *summary;
	struct backend_traits is;
	/* Keys of a variant that not every backend heeds and this one does, NULL-terminated, or
	 * NULL (struct field's `special`). */
	const char *const *heeds;
	/* An arena is no smaller, so that calls rotate through more than a cache holds. */
	size_t arena_bytes;

	/* Ranks that this machine can hold: GPUs; 0 when there is nothing to run on, with the
	 * reason in st; UINT_MAX when only cores limit it. */
	unsigned (*capacity)(struct status *st);
	/* The version of a library, "2.28.3", and where the dynamic linker found it; -1 when it
	 * is none. "" is the system's. NULL: has no library. */
	int (*library)(const char *name, struct library *out, struct status *st);
	/* 0, or -1 with the sentence why this trial cannot run, before anything is allocated.
	 */
	int (*supports)(const struct trial *trial, struct status *st);
	/* Bytes wanted in the team's store. */
	size_t (*store_bytes)(const struct trial *trial);
	/* NUMA node that the device of a rank of the trial hangs on, or -1. */
	int (*numa_node)(const struct trial *trial, unsigned rank);

	/* Allocates and connects; may block and may team_meet (all workers alike). On error
	 * *out is still what close() accepts, NULL included. */
	int (*open)(const struct backend_place *place, struct backend_ctx **out,
	            struct status *st);
	/* Fills `slots` input buffers from seed and poisons the outputs, for all local ranks.
	 */
	int (*prepare)(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
	               unsigned slots, struct status *st);

	void (*begin)(struct backend_ctx *ctx);
	/* Local rank i's part of one call on buffer `slot`. Errors are kept for poll. */
	void (*issue)(struct backend_ctx *ctx, unsigned i, unsigned slot);
	void (*end)(struct backend_ctx *ctx);
	/* 1: all that local rank i issued is done. 0: not yet. -1: failed, error() says why.
	 * Never blocks; where the CPU does the work, this is where it is done, a bounded piece.
	 */
	int (*poll)(struct backend_ctx *ctx, unsigned i);
	void (*error)(struct backend_ctx *ctx, struct status *st);
	/* wait = block: sleeps until local rank i's device is through; poll then says how it
	 * went. Of each backend that launches; NULL: there is no device to wait for. */
	void (*block)(struct backend_ctx *ctx, unsigned i);

	/* start = gated: between hold and release nothing that is issued begins. release
	 * returns at once. NULL, both: cannot. */
	void (*hold)(struct backend_ctx *ctx);
	void (*release)(struct backend_ctx *ctx);

	/* Around a cell and its parts, for profilers: begins a range of that name, NULL ends the
	 * last one. Never between timed calls. NULL: no profiler would show it. */
	void (*mark)(struct backend_ctx *ctx, const char *text);

	/* The timeline's pass: asks the device's own clock, from trace(true) until
	 * trace(false), and adds device_start_ns and device_end_ns to local rank i's rows, in
	 * order, as far as the device knows them. All workers alike, a meeting between each.
	 * NULL, both: no such clock. */
	void (*trace)(struct backend_ctx *ctx, bool on);
	void (*trace_read)(struct backend_ctx *ctx, unsigned i, struct sample *rows,
	                   unsigned n);

	/* The same pass, of a step of training: when local rank i's work and its communication ran in
	 * the row that began at from_ns, as far as it is known. NULL: it never is. */
	void (*spans)(struct backend_ctx *ctx, unsigned i, int64_t from_ns,
	              struct sample_spans *out);

	/* Between capture(true) and capture(false) what is issued is not run but kept, and
	 * each replay then issues all of it. NULL, both: cannot. */
	int (*capture)(struct backend_ctx *ctx, bool on, struct status *st);
	void (*replay)(struct backend_ctx *ctx);

	/* The counters' pass: reads the hardware's counters at the begin and the end of a
	 * stretch of about watch_ns; watch_read says what they came to for local rank i. A
	 * second begin forgets the first. NULL, both: it has none. */
	int64_t watch_ns;
	int64_t watch_lead_ns; /* work to have on its way while they are read; 0: a row */
	void (*watch)(struct backend_ctx *ctx, bool on);
	void (*watch_read)(struct backend_ctx *ctx, unsigned i, struct counters *out);

	/* Gives the buffers back and allocates others, with the communicators kept. May block
	 * and may team_meet, all workers alike; no call is on its way. NULL: has no
	 * communicators to keep, so that closing and opening does the same. */
	int (*reallocate)(struct backend_ctx *ctx, struct status *st);

	/* Makes the communicators anew, after disconnect gave them back, for cells of `init`.
	 * NULL, both: it has none. */
	void (*disconnect)(struct backend_ctx *ctx);
	int (*connect)(struct backend_ctx *ctx, struct status *st);

	/* Turns one bit round at a byte of local rank i's output arena, for check to find. */
	int (*corrupt)(struct backend_ctx *ctx, unsigned i, size_t byte, struct status *st);

	/* Compares every output of the last prepare with the exact answer. */
	int (*check)(struct backend_ctx *ctx, unsigned i, struct backend_verdict *out,
	             struct status *st);
	/* XXH3_64bits of local rank i's output of slot 0; of a rank that receives nothing that
	 * of no bytes, and 0 where no data is carried. */
	int (*digest)(struct backend_ctx *ctx, unsigned i, uint64_t *out, struct status *st);
	/* The pass show: copies what local rank i sends (or has received), as it lies in slot 0;
	 * no more than *bytes, which becomes how many it was. NULL: carries no data. */
	int (*peek)(struct backend_ctx *ctx, unsigned i, bool received, void *out,
	            size_t *bytes, struct status *st);
	/* The path's pass, where is.logs_path: what makes a job log which way its data takes,
	 * into files of `folder` whose names begin with `prefix`; and that way, after the job.
	 * The caller frees *out with path_free. Outside of any job; no context. */
	int (*log_ask)(struct settings *settings, const char *folder, const char *prefix,
	               struct status *st);
	int (*log_path)(const struct settings *settings, const char *folder, const char *prefix,
	                struct path *out, struct status *st);

	/* "key=value" facts for the record, one a line: library, version, device, path. */
	void (*describe)(struct backend_ctx *ctx, char *text, size_t bytes);
	void (*close)(struct backend_ctx *ctx);
};

#endif
