/* The settings of a variant: a factor is two variants that differ in exactly one of these. One
 * row each in settings.c says its key and its kind; from there come how an experiment file
 * writes it, the order's and the record's JSON, help, and what differs. */
#ifndef LAUNCHGAP_SETTINGS_H
#define LAUNCHGAP_SETTINGS_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "../coll/split.h"
#include "../core/team.h"
#include "field.h"

#define TRIAL_NAME_BYTES   64
#define TRIAL_MAX_ENV      36 /* what a file may set, and what the path's pass adds */
#define TRIAL_ENV_BYTES    512
#define SETTINGS_MAX_RANKS 1024

/* free: each worker launches when it leaves the barrier. gated: devices hold what is issued
 * until all have issued, so that executing is timed without launching. */
enum start { START_FREE, START_GATED, START_KINDS };
enum bind { BIND_NONE, BIND_CORE, BIND_NUMA, BIND_NEAR_GPU, BIND_CLOSE, BIND_KINDS };
/* auto: ncclMemAlloc where the library has it. */
enum allocator { ALLOCATOR_AUTO, ALLOCATOR_NCCL, ALLOCATOR_CUDA, ALLOCATOR_KINDS };
/* Of the user's buffers, with the communicator. */
enum registration { REGISTER_NONE, REGISTER_LOCAL, REGISTER_WINDOW, REGISTER_KINDS };
enum cta_policy { CTA_LIBRARY, CTA_DEFAULT, CTA_EFFICIENCY, CTA_ZERO, CTA_KINDS };
/* Who makes a process's communicators: each worker its own ranks', or the first worker all. */
enum init { INIT_PARALLEL, INIT_GROUPED, INIT_KINDS };
/* auto: around the calls of all ranks of a worker. never: none but what alltoall needs. */
enum grouping { GROUPING_AUTO, GROUPING_NEVER, GROUPING_KINDS };

struct settings {
	char mode[TRIAL_NAME_BYTES];
	struct layout layout;
	char backend[TRIAL_NAME_BYTES];
	enum bind bind;
	enum start start;
	struct split split;            /* the communicator, into groups that work in parallel */
	unsigned aggregate;            /* calls that are issued in one group, 1 and up */
	unsigned graph;                /* replays of a captured row; 0: no graph */
	bool force;                    /* also where the vendor advises against */
	unsigned offset_bytes;         /* of the buffers from an aligned address */
	char expect[TRIAL_NAME_BYTES]; /* the path that has to be taken, or "" */

	char path[TRIAL_NAME_BYTES]; /* host: auto, direct, fifo, shared */

	char nccl[PATH_MAX];        /* library to load; "" is the system's */
	char nccl_below[16];        /* its version has to be before this, "2.23", or "" */
	char api[TRIAL_NAME_BYTES]; /* grouped sends and receives, or native where there is one
	                             */
	enum allocator allocator;
	enum registration registration;
	enum cta_policy cta_policy;
	unsigned min_ctas, max_ctas; /* 0: the library's choice */
	bool nonblocking;
	enum init init;
	enum grouping grouping;

	int64_t delay_ns;  /* null: length of one call on the virtual device */
	int delay_rank;    /* the rank that has extra_ns on top; -1 is all of them */
	int64_t extra_ns;  /* null and host: a known delay to be found again */
	int flip_rank;     /* whose output has one bit turned round before it is checked, to be
	                      found again; -1: nobody's */
	int64_t flip_byte; /* which byte, from the start of its receive arena */

	unsigned nenv;
	char env[TRIAL_MAX_ENV][TRIAL_ENV_BYTES]; /* KEY=value */
};

void settings_default(struct settings *out);

/* The rows, in the order of the record; two may share a key, whose first one reads it. */
const struct field *settings_fields(size_t *n);

/* The words of a key whose values are words (an enum's, in its order), NULL-terminated; NULL:
 * it is no such key. */
const char *const *settings_words(const char *key);

/* An object with one member a row; the caller owns it. NULL when memory is out, or a text is
 * not UTF-8. */
json_t *settings_to_json(const struct settings *settings);
/* Strict: every row has to be there, and nothing else. Errors say what is wrong. */
int settings_from_json(json_t *json, struct settings *out, struct status *st);

/* Whether a key is checked of a variant (expect, force, nccl_below) and no setting of what is
 * measured. */
bool settings_is_check(const char *key);

/* How many settings differ, and their keys ("mode, env.NCCL_ALGO"). Mode and layout say the
 * same thing and count as one; checks do not count. */
unsigned settings_differ(const struct settings *a, const struct settings *b, char *keys,
                         size_t bytes);

/* Whether two are alike in a key as an experiment file says it ("mode" and "layout" are one,
 * "env.NAME" is one of them). True of what is no setting. */
bool settings_alike(const char *key, const struct settings *a, const struct settings *b);

/* Whether a key is set that not every backend heeds and that is not among `heeds`
 * (NULL-terminated, or NULL), and which. */
bool settings_unheeded(const struct settings *settings, const char *const *heeds, char *key,
                       size_t bytes);

#endif
