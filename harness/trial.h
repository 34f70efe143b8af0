/* A trial: one fresh job of one variant, measuring a list of cells. This is the order that the
 * runner hands to the job, as JSON in a file, and all that the job knows. */
#ifndef LAUNCHGAP_TRIAL_H
#define LAUNCHGAP_TRIAL_H

#include <limits.h>

#include "coll.h"
#include "team.h"

#define TRIAL_NAME_BYTES 64
#define TRIAL_MAX_ENV    32
#define TRIAL_ENV_BYTES  512

#define TRIAL_TIMELINE_ROWS                                                                    \
	20 /* calls of a timeline cell: enough to pick one that is typical */

/* free: each worker launches when it leaves the barrier. gated: devices hold what is issued
 * until all have issued, so that executing is timed without launching. */
enum start { START_FREE, START_GATED, START_KINDS };

enum bind { BIND_NONE, BIND_CORE, BIND_NUMA, BIND_NEAR_GPU, BIND_KINDS };

/* The settings of a variant: a factor is two variants that differ in one of these. */
struct settings {
	char mode[TRIAL_NAME_BYTES];
	struct layout layout;
	char backend[TRIAL_NAME_BYTES];
	char nccl[PATH_MAX];         /* library to load; "" is the system's */
	char path[TRIAL_NAME_BYTES]; /* host: auto, direct, fifo, shared */
	char api[TRIAL_NAME_BYTES];  /* nccl: grouped sends and receives, or native where there
	                                is one */
	enum bind bind;
	enum start start;
	int64_t delay_ns; /* null: length of one call on the virtual device */
	int delay_rank;   /* the rank that has extra_ns on top; -1 is all of them */
	int64_t extra_ns; /* null and host: a known delay to be found again */
	unsigned nenv;
	char env[TRIAL_MAX_ENV][TRIAL_ENV_BYTES]; /* KEY=value */
};

struct trial {
	char experiment[TRIAL_NAME_BYTES];
	char variant[TRIAL_NAME_BYTES];
	unsigned block, order; /* which block; place in the run's shuffled order */
	struct settings settings;
	bool yield;
	unsigned warmup;         /* calls before the timed ones, per cell */
	unsigned stretches;      /* stream: how many */
	unsigned calls;          /* stream: calls in a stretch */
	unsigned isolated_calls; /* isolated: calls */
	size_t arena_bytes;      /* one rank's send arena, and as much to receive */
	uint64_t seed;           /* of the data */
	unsigned ncells;
	struct cell *cells;
};

const char *trial_bind_name(enum bind bind);
int trial_find_bind(const char *name); /* -1: none */
const char *trial_start_name(enum start start);
int trial_find_start(const char *name);

/* Rows of samples that a cell has: its stretches or its isolated calls. */
unsigned trial_rows(const struct trial *trial, const struct cell *cell);
/* Buffers that a cell's calls rotate through, from 1 up to its number of calls. */
unsigned trial_slots(const struct trial *trial, const struct cell *cell);

int trial_save(const struct trial *trial, const char *file, struct status *st);
/* The caller owns *out and frees it with trial_free. */
int trial_load(const char *file, struct trial **out, struct status *st);
void trial_free(struct trial *trial);

#endif
