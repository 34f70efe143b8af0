/* A trial: a fresh job of a variant that measures cells; the order that it gets. */
#pragma once

#include "../coll/coll.h"
#include "../coll/network.h"
#include "field.h"
#include "settings.h"

#define TRIAL_TIMELINE_ROWS 20 /* calls of a timeline cell: enough to pick a typical one */
#define TRIAL_COUNTERS_ROWS 5  /* kept of a counters cell, which has many more */
#define TRIAL_INIT_ROWS     3  /* of an init cell */
#define TRIAL_TURNS         10 /* of a cell, if it has so many rows: some milliseconds each */
/* Below 368 calls the interval of a p99 has no upper end: 0.99 to the 367th is more than 0.025
 * (stats_quantile_interval). Of 500, five are expected beyond it. */
#define TRIAL_P99_CALLS 500

struct trial {
	char experiment[TRIAL_NAME_BYTES];
	char variant[TRIAL_NAME_BYTES];
	unsigned block, order; /* which block; place in the run's shuffled order */
	struct settings settings;
	bool yield;
	unsigned warmup;              /* calls before the timed ones, per cell */
	unsigned stretches;           /* stream: how many */
	unsigned calls;               /* stream: calls in a stretch */
	unsigned isolated_calls;      /* of a size above p99_bytes; below, TRIAL_P99_CALLS */
	size_t p99_bytes;             /* as asked; 0: no size */
	size_t turns_from, turns_to;  /* asked sizes whose rows are in turns with other jobs */
	size_t arena_bytes;           /* one rank's send arena, and as much to receive */
	uint64_t seed;                /* of the data */
	struct value_weights weights; /* of alltoallv */
	struct network network;       /* of a step of training; none: n is 0 */
	unsigned cell_timeout_s;      /* of one cell; 0: only the job has one */
	unsigned ncells;
	struct cell *cells;
	size_t *places; /* of each cell's samples (core/sample.h); NULL: not found yet */
};

/* Of the communicator that each rank is in: all, or its group's. */
unsigned trial_comm_ranks(const struct trial *trial);
bool trial_has(const struct trial *trial, enum coll_kind coll);
/* The index of a rank's device among those that its process sees. */
unsigned trial_device(const struct trial *trial, unsigned rank);
unsigned trial_group(const struct trial *trial);
/* Calls in a row of samples of a cell, replays of a graph counted. */
unsigned trial_calls(const struct trial *trial, const struct cell *cell);
/* The same of a trial's calls in a stretch and its settings. */
unsigned trial_calls_of(const struct cell *cell, unsigned calls, unsigned aggregate,
                        unsigned graph);
/* How often a row replays its captured graph; 1 without a graph, and for isolated calls. */
unsigned trial_replays(const struct trial *trial, const struct cell *cell);
/* In place, with buffers that are used twice, only a fresh call can be checked. */
bool trial_spoils(const struct trial *trial, const struct cell *cell);

/* A cell with the bytes of its buffers: of a step of training all gradients, where `bytes` was a
 * bucket's; of a mixture of experts coll_routed_bytes. */
struct cell trial_whole(const struct network *network, unsigned nranks, const struct cell *cell);
struct buckets trial_buckets(const struct trial *trial, const struct cell *cell);

unsigned trial_rows(const struct trial *trial, const struct cell *cell);
/* Rows of a turn; 0: others have none meanwhile. */
unsigned trial_turn_rows(const struct trial *trial, const struct cell *cell);
/* Buffers that a cell's calls rotate through. */
unsigned trial_slots(const struct trial *trial, const struct cell *cell);

int trial_late(const struct trial *trial, const struct cell *cell, struct status *st);

int trial_save(const struct trial *trial, const char *file, struct status *st);
/* The caller owns *out and frees it with trial_free. */
int trial_load(const char *file, struct trial **out, struct status *st);
/* In two steps: the file's bytes, which the caller frees (NULL: an error), and what they say. */
void *trial_read(const char *file, size_t *bytes, struct status *st);
int trial_take(const void *order, size_t bytes, const char *file, struct trial **out,
               struct status *st);
void trial_free(struct trial *trial);

/* What a cell is, as the record has it. */
extern const struct fields trial_cell_fields;
