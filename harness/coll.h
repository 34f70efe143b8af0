/* The algebra of collectives: names, sizes, and factors. No data is touched here.
 *
 * Sizes follow nccl-tests: `bytes` is the larger of one rank's send and receive buffer; for
 * alltoall it is the whole send buffer, the part for oneself included. */
#ifndef LAUNCHGAP_COLL_H
#define LAUNCHGAP_COLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "value.h"

enum dtype { DTYPE_FLOAT32, DTYPE_KINDS };
enum op { OP_SUM, OP_KINDS };

/* stream: calls issued back to back (bandwidth). isolated: the team meets before each
 * (latency). */
enum pace { PACE_STREAM, PACE_ISOLATED, PACE_KINDS };

/* timed: what figures are made of. timeline: isolated calls that the device's own clock is
 * asked about too, which costs time, and so are in a pass of their own. */
enum pass { PASS_TIMED, PASS_TIMELINE, PASS_KINDS };

struct cell {
	enum coll_kind coll;
	enum dtype dtype;
	enum op op;
	enum pace pace;
	enum pass pass;
	bool spared; /* the settings' extra delay does not apply: instrument tests switch it by
	                cell */
	bool in_place;
	unsigned root;
	size_t asked_bytes; /* as the experiment file says */
	size_t bytes;       /* used: asked, rounded down to n × 16 */
};

struct coll_info {
	const char *name;
	const char *summary;
	bool reduces;
	/* busbw ÷ algbw for n ranks, from nccl-tests' doc/PERFORMANCE.md: the share of each
	 * byte that has to cross a link, so that busbw can be held against the hardware's
	 * limit. */
	double (*bus_factor)(unsigned nranks);
};

/* The row of a collective; kind < COLL_KINDS. */
const struct coll_info *coll_info(enum coll_kind kind);

/* Index by name, or -1. */
int coll_find(const char *name);
int coll_find_dtype(const char *name);
int coll_find_op(const char *name);
int coll_find_pace(const char *name);
int coll_find_pass(const char *name);

const char *coll_dtype_name(enum dtype dtype);
const char *coll_op_name(enum op op);
const char *coll_pace_name(enum pace pace);
const char *coll_pass_name(enum pass pass);
size_t coll_dtype_bytes(enum dtype dtype);

/* Rounded down to a multiple of nranks × 16 bytes; 0 when that leaves nothing. */
size_t coll_round(size_t bytes, unsigned nranks);

/* GB/s (1e9 bytes) of a call that moved `bytes` in `seconds`. seconds > 0. */
double coll_algbw(size_t bytes, double seconds);
double coll_busbw(enum coll_kind kind, unsigned nranks, size_t bytes, double seconds);

#endif
