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

/* stream: calls issued back to back (bandwidth). isolated: the team meets before each
 * (latency). */
enum pace { PACE_STREAM, PACE_ISOLATED, PACE_KINDS };

/* timed: what figures are made of. What would disturb them has a pass of its own. timeline:
 * isolated calls that the device's own clock is asked about too. counters: a steady stretch
 * that the hardware's counters are read around. path: a few calls of a job that logs the way
 * its data takes. show: one call on readable numbers, kept as they are. */
enum pass { PASS_TIMED, PASS_TIMELINE, PASS_COUNTERS, PASS_PATH, PASS_KINDS };

struct cell {
	enum coll_kind coll;
	enum dtype dtype;
	enum op op;
	enum pace pace;
	enum pass pass;
	bool in_place;
	unsigned root;       /* COLL_ROUTED: routing.h; of pairs: sender and distance (value.h) */
	unsigned cycle;      /* of a soak; 0: the first */
	unsigned connection; /* which opening of the backend within the job; 0: the first */
	unsigned allocation; /* which of that connection's buffers; 0: the first */
	int64_t extra_ns;    /* of an order: a known delay of each call on every rank, beside the
	                        settings' extra */
	unsigned comm_ranks; /* of a record: ranks of the communicator; an order leaves it to
	                        the settings' split */
	size_t asked_bytes;  /* as the experiment file says */
	size_t bytes;        /* used: asked, rounded down by coll_round */
};

/* What one rank's buffer holds of the size that a collective is named by. */
enum coll_side { SIDE_WHOLE, SIDE_PART, SIDE_NONE };

enum {
	COLL_REDUCES = 1,
	COLL_ROOTED = 2,
	COLL_IN_PLACE = 4, /* has a form that works in one buffer */
	COLL_PSEUDO = 8,   /* not what a job calls: the limit, and connecting */
	COLL_OTHERS = 16,  /* its algbw is of the others' parts only (hypercube.cu) */
	COLL_PARTED = 32,  /* a buffer is cut into a part for each rank */
	COLL_PAIRS = 64,   /* of two ranks, which its root names */
	COLL_LOCAL = 512,  /* nothing goes from rank to rank */
	COLL_ROUNDS = 128, /* a call has several steps, each on what the last one brought */
	/* A step of training, whole or a part of it: in place, and of the model's size; a cell's is
	 * that at which a bucket is full. */
	COLL_TRAINS = 256,
	/* Of a mixture of experts: a cell's size is what each rank sends; its root says how they are
	 * wanted (routing.h). */
	COLL_ROUTED = 1024,
	/* A part of a step, measured beside it to say what the step is made of. */
	COLL_STEP_PART = 2048,
};

struct coll_info {
	const char *name;
	const char *summary;
	unsigned is;                     /* COLL_REDUCES … */
	enum coll_side send[2], recv[2]; /* at the root, elsewhere; without a root the same */
	/* busbw ÷ algbw for n ranks, from nccl-tests' doc/PERFORMANCE.md: the share of each
	 * byte that has to cross a link, so that busbw can be held against the hardware's
	 * limit. */
	double (*bus_factor)(unsigned nranks);
};

/* The row of a collective; kind < COLL_KINDS. */
const struct coll_info *coll_info(enum coll_kind kind);

/* What a cell calls, in one word: the collective, and as far as they are not the usual ones its
 * dtype, operation, root, place and part of the ranks: "all_reduce", "broadcast_int8_root3". */
struct coll_word {
	char text[96];
};
struct coll_word coll_word(const struct cell *cell, unsigned nranks);
/* The same with its pace, as titles have it: "alltoall, stream". */
struct coll_word coll_title(const struct cell *cell, unsigned nranks);

/* Index by name, or -1. */
/* By their index, NULL-terminated; and collectives, NULL beyond the last. */
extern const char *const coll_dtype_names[], *const coll_op_names[], *const coll_pace_names[],
    *const coll_pass_names[];
const char *coll_name(unsigned i);

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
bool coll_dtype_is_float(enum dtype dtype);

/* Why nranks ranks cannot do it (hypercube wants a power of two), or NULL. */
const char *coll_refuses(enum coll_kind kind, unsigned nranks);

/* How many cells a collective has that differ in their two ranks alone: of `pair` each way counts,
 * of `pingpong` both are one; 1 of all that has no pairs. The i-th as a cell's root (value.h); 0
 * where there are no pairs. Whether a root is a pair of nranks ranks. nranks is 2 or more. */
unsigned coll_pairs(enum coll_kind kind, unsigned nranks);
unsigned coll_pair(enum coll_kind kind, unsigned i, unsigned nranks);
bool coll_is_pair(unsigned root, unsigned nranks);

/* What each rank of a mixture of experts has to have room for, twice, so that it can send
 * `bytes`: the most that a rank gets. */
size_t coll_routed_bytes(const struct cell *cell, unsigned nranks);

/* How an alltoallv's buffers are cut, or those of a mixture of experts, whose bytes are
 * coll_routed_bytes; nothing of other collectives. */
struct value_parts coll_parts(const struct cell *cell, const struct value_weights *weights,
                              unsigned nranks);

/* One rank's buffers, out of `bytes` as above, for a communicator of nranks; parts are those of
 * coll_parts, read for an alltoallv alone. in_place: both offsets are into the one buffer, as
 * NCCL defines it: the part of a rank lies at rank × part. Else they are 0. */
struct coll_span {
	size_t send_bytes, recv_bytes;
	size_t send_at, recv_at;
};
struct coll_span coll_span(const struct cell *cell, const struct value_parts *parts,
                           unsigned nranks, unsigned rank);

/* What the size of a call comes to, as nccl-tests counts it: the most that a rank sends or
 * receives. That is cell->bytes, but of alltoallv, whose parts are rounded down one by one
 * (value_cut.h), up to 15 bytes less for each rank. Bandwidths are of this. */
size_t coll_moved(const struct cell *cell, const struct value_parts *parts, unsigned nranks);

/* The least size there is, and what sizes are multiples of: 16 bytes for each rank where a
 * buffer is cut into parts, else one element; as every *GetCollByteCount of nccl-tests has it.
 */
size_t coll_least(enum coll_kind kind, enum dtype dtype, unsigned nranks);
/* Rounded down to a multiple of that; 0 when that leaves nothing. */
size_t coll_round(enum coll_kind kind, enum dtype dtype, size_t bytes, unsigned nranks);

/* "4 KiB"; in reports of the asked size, which may be above the used one. */
void coll_size_label(size_t size, char *text, size_t bytes);

/* GB/s (1e9 bytes) of a call that moves `bytes` (coll_moved) and took `seconds` > 0, as
 * nccl-tests counts them: the size over the time, but for hypercube what a rank gets from
 * others, so that it has no factor.
 */
double coll_algbw(enum coll_kind kind, unsigned nranks, size_t bytes, double seconds);
double coll_busbw(enum coll_kind kind, unsigned nranks, size_t bytes, double seconds);

#endif
