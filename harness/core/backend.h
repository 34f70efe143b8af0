/* A backend carries out collectives: one table of functions, and one row in backend/table.c. Each
 * worker calls it with its own context; contexts share data through the team only. The timed path
 * (begin, issue, end, poll) allocates, locks and logs nothing, and makes no system call of ours. */
#pragma once

#include "../trial/trial.h"
#include "team.h"
#include "traits.h"

struct backend_ctx;
struct buffers;
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
	char file[LIBRARY_FILE_BYTES]; /* its real path, or "" if no backend can find it */
	char version[32];              /* or "" if no backend knows */
};

struct backend {
	const char *name;
	const char *summary;
	/* Where it has nothing to run on: what cannot be measured, and the command that mends it.
	 * NULL, both: never. */
	const char *costs, *mend;
	struct backend_traits is;
	/* Keys that only some backends use, this one among them; NULL-terminated, or NULL. */
	const char *const *uses;
	/* An arena has at least so many: calls rotate through more than a cache holds. */
	size_t arena_bytes;

	/* Ranks that this machine can hold, 0 with the reason in st, which also says what a
	 * variable hides. UINT_MAX, or NULL: only cores limit it. */
	unsigned (*capacity)(struct status *st);
	/* Bytes of the smallest device, without a context. 0: not known. NULL: no device. */
	size_t (*memory)(void);
	/* A library's version and file; -1: it is none. "": the system's. NULL: has none. */
	int (*library)(const char *name, struct library *out, struct status *st);
	/* 0, or -1 with a sentence why this trial cannot run; allocates nothing. */
	int (*supports)(const struct trial *trial, struct status *st);
	/* Whether another process can use its devices meanwhile. NULL: it can. */
	bool (*shares)(const struct trial *trial);
	size_t (*store_bytes)(const struct trial *trial);
	/* NUMA node of the device of a rank, or -1. NULL: there is no device. */
	int (*numa_node)(const struct trial *trial, unsigned rank);

	/* What takes a while and takes none of the devices' memory for buffers, as another job may
	 * still close: libraries, contexts. NULL: nothing does. */
	int (*wake)(const struct backend_place *place, struct status *st);
	/* Allocates and connects; may block and may team_meet, in all workers or in none. After an
	 * error close() accepts *out, which may be NULL. */
	int (*open)(const struct backend_place *place, struct backend_ctx **out, struct status *st);
	/* For calls of a cell on `slots` buffers, whose inputs are made of the seed. */
	int (*prepare)(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
	               unsigned slots, struct status *st);
	/* Local rank i's buffers in the cell that was prepared last. NULL: it carries no data. */
	void (*buffers)(const struct backend_ctx *ctx, unsigned i, struct buffers *out);

	void (*begin)(struct backend_ctx *ctx);
	/* Local rank i's part of one call on buffer `slot`. Errors are kept for poll. */
	void (*issue)(struct backend_ctx *ctx, unsigned i, unsigned slot);
	void (*end)(struct backend_ctx *ctx);
	/* 1: all that local rank i issued is done. 0: not yet. -1: failed, error() says why. Never
	 * blocks. If the CPU does the work, it does a bounded piece of it here. */
	int (*poll)(struct backend_ctx *ctx, unsigned i);
	void (*error)(struct backend_ctx *ctx, struct status *st); /* NULL: no call fails */
	/* wait = block: sleeps until local rank i is done, as poll says. NULL: no device. */
	void (*block)(struct backend_ctx *ctx, unsigned i);

	/* start = gated: what is issued between hold and release begins after release, which
	 * returns at once. NULL, both: not possible. */
	void (*hold)(struct backend_ctx *ctx);
	void (*release)(struct backend_ctx *ctx);

	/* Begins a range for profilers; name NULL: ends it. Not between timed calls. */
	void (*mark)(struct backend_ctx *ctx, const char *text);

	/* The timeline's pass: from trace(true) to trace(false), and adds the device's own times to
	 * local rank i's rows, if it knows them. All workers call each, and meet between. */
	void (*trace)(struct backend_ctx *ctx, bool on);
	void (*trace_read)(struct backend_ctx *ctx, unsigned i, struct sample *rows, unsigned n);

	/* In the same pass, of a step of training: when work and communication ran in the row that
	 * began at from_ns, if known. NULL: never. */
	void (*spans)(struct backend_ctx *ctx, unsigned i, int64_t from_ns,
	              struct sample_spans *out);

	/* What is issued between capture(true) and capture(false) is kept, not run; each replay
	 * issues all of it. NULL, both: not possible. */
	int (*capture)(struct backend_ctx *ctx, bool on, struct status *st);
	void (*replay)(struct backend_ctx *ctx);

	/* The counters' pass: the hardware's counters at the start and the end of about watch_ns;
	 * watch_read gives the differences for local rank i. A second start discards the first. */
	int64_t watch_ns;
	int64_t watch_settle_ns; /* steady calls before the first reading; 0: a row */
	int64_t watch_lead_ns;   /* of a rank: work in flight while they are read; 0: a row */
	void (*watch)(struct backend_ctx *ctx, bool on);
	void (*watch_read)(struct backend_ctx *ctx, unsigned i, struct counters *out);

	/* Other buffers with the same communicators. May block and may team_meet; no call is in
	 * flight. NULL: close and open do the same. */
	int (*reallocate)(struct backend_ctx *ctx, struct status *st);

	/* A new connection in place of *ctx, as open makes one; the old buffers are given back once
	 * the new ones exist, and old communicators may stay until close. NULL: close and open. */
	int (*renew)(struct backend_ctx **ctx, struct status *st);

	/* For cells of `init`: destroys the communicators, creates them again; or NULL. */
	void (*disconnect)(struct backend_ctx *ctx);
	int (*connect)(struct backend_ctx *ctx, struct status *st);

	/* The path's job, if is.logs_path; outside of any job. log_ask makes it log the path of its
	 * data into files of `folder` that begin with `prefix`; log_path reads them. The caller
	 * frees *out with path_free. */
	int (*log_ask)(struct settings *settings, const char *folder, const char *prefix,
	               struct status *st);
	int (*log_path)(const struct settings *settings, const char *folder, const char *prefix,
	                struct path *out, struct status *st);

	void (*describe)(struct backend_ctx *ctx, char *text, size_t bytes);
	void (*close)(struct backend_ctx *ctx);
	/* In place of close where the process is about to exit. NULL: close. */
	void (*leave)(struct backend_ctx *ctx);
};

/* For begin and end, where there is nothing to group. */
static inline void backend_nothing(struct backend_ctx *ctx)
{
	(void)ctx;
}
