/* The algebra of collectives. Sizes follow nccl-tests: `bytes` is the larger of a rank's send and
 * receive buffer; of alltoall the whole send buffer. */
#pragma once

#include <stddef.h>

#include "value.h"

/* stream: back to back (bandwidth). isolated: the team meets before each (latency). */
enum pace { PACE_STREAM, PACE_ISOLATED, PACE_KINDS };

/* timed: all figures come from these calls. timeline: isolated calls with the device's clock too.
 * counters: a steady stretch between two readings. path: a few calls of a job that logs its
 * path. */
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
	unsigned comm_ranks; /* in a record: ranks of the communicator; in an order the settings'
	                        split decides */
	size_t asked_bytes;  /* as the experiment file says */
	size_t bytes;        /* used: asked, rounded down by coll_round */
};

/* One rank's buffer, as a share of the collective's size. */
enum coll_side { SIDE_WHOLE, SIDE_PART, SIDE_NONE };

enum {
	COLL_REDUCES = 1,
	COLL_ROOTED = 2,
	COLL_IN_PLACE = 4, /* has a form that works in one buffer */
	COLL_PSEUDO = 8,   /* not a collective of a job: the limit, and connecting */
	COLL_OTHERS = 16,  /* its algbw counts the others' parts only (hypercube.cu) */
	COLL_PARTED = 32,  /* a buffer is cut into a part for each rank */
	COLL_PAIRS = 64,   /* between two ranks, which its root names */
	COLL_LOCAL = 512,  /* no data goes from rank to rank */
	COLL_ROUNDS = 128, /* a call has several steps, each on the result of the last one */
	/* A step of training, or a part: in place, and of the model's size; the cell's size is that
	 * of a full bucket. */
	COLL_TRAINS = 256,
	/* A mixture of experts: the size is what a rank sends, the root the skew (routing.h). */
	COLL_ROUTED = 1024,
	COLL_STEP_PART = 2048,
	COLL_RAW = 8192,    /* plain copies over one link; no library has a part in them */
	COLL_CHOSEN = 4096, /* libraries have several algorithms for it, and choose one by size */
};

struct coll_info {
	const char *name;
	const char *summary;
	unsigned is;                     /* COLL_REDUCES … */
	enum coll_side send[2], recv[2]; /* at the root, elsewhere; without a root the same */
	/* busbw ÷ algbw for n ranks, from nccl-tests' doc/PERFORMANCE.md, the share of bytes that
	 * cross a link: the first, and (n − 1) ÷ n times the second. */
	unsigned bus[2];
};

const struct coll_info *coll_info(enum coll_kind kind);

/* With dtype, operation, root, place and part of the ranks, if unusual: "broadcast_int8_root3". */
struct coll_word {
	char text[96];
};
struct coll_word coll_word(const struct cell *cell, unsigned nranks);
/* The same with its pace, for titles: "alltoall, stream". */
struct coll_word coll_title(const struct cell *cell, unsigned nranks);

/* By their index, NULL-terminated; and collectives, NULL beyond the last. */
extern const char *const coll_dtype_names[], *const coll_op_names[], *const coll_pace_names[],
                                                                         *const coll_pass_names[];
const char *coll_name(unsigned i);
int coll_find(const char *name);
int coll_find_dtype(const char *name);
int coll_find_op(const char *name);

const char *coll_dtype_name(enum dtype dtype);
const char *coll_op_name(enum op op);
const char *coll_pace_name(enum pace pace);
const char *coll_pass_name(enum pass pass);
size_t coll_dtype_bytes(enum dtype dtype);

/* Why nranks ranks cannot do it (hypercube needs a power of two), or NULL. */
const char *coll_refuses(enum coll_kind kind, unsigned nranks);

/* Cells that differ only in their two ranks: each direction counts, but for `pingpong`; 1 without
 * pairs. The i-th pair as a cell's root (value.h). Whether a root is a pair. */
unsigned coll_pairs(enum coll_kind kind, unsigned nranks);
unsigned coll_pair(enum coll_kind kind, unsigned i, unsigned nranks);
bool coll_is_pair(unsigned root, unsigned nranks);

/* The most that a rank receives of a mixture of experts that send `bytes`; it needs twice that. */
size_t coll_routed_bytes(const struct cell *cell, unsigned nranks);

/* How buffers are cut in an alltoallv or a mixture of experts (coll_routed_bytes); else empty. */
struct value_parts coll_parts(const struct cell *cell, const struct value_weights *weights,
                              unsigned nranks);

/* One rank's buffers, out of `bytes` as above; parts: of an alltoallv. in_place: both offsets are
 * into the one buffer, a rank's part at rank × part. Else they are 0. */
struct coll_span {
	size_t send_bytes, recv_bytes;
	size_t send_at, recv_at;
};
struct coll_span coll_span(const struct cell *cell, const struct value_parts *parts,
                           unsigned nranks, unsigned rank);

/* As nccl-tests counts it, the most that a rank sends or receives: of alltoallv, which rounds each
 * part down, up to 15 bytes per rank less. Bandwidths use it. */
size_t coll_moved(const struct cell *cell, const struct value_parts *parts, unsigned nranks);

/* Of which all sizes are multiples: 16 bytes per rank if a buffer is cut, else an element. */
size_t coll_least(enum coll_kind kind, enum dtype dtype, unsigned nranks);
/* Rounded down to a multiple of that; 0 when that leaves nothing. */
size_t coll_round(enum coll_kind kind, enum dtype dtype, size_t bytes, unsigned nranks);

/* "4 KiB"; reports show the asked size, which may be above the used one. */
void coll_size_label(size_t size, char *text, size_t bytes);
/* "4 KiB to 64 KiB", "up to 4 KiB"; hi = SIZE_MAX: "from 4 KiB up", "all sizes". */
void coll_range_label(size_t lo, size_t hi, char *text, size_t bytes);

/* GB/s (1e9 bytes) of a call that moves coll_moved bytes in `seconds` > 0; of hypercube the bytes
 * from other ranks, so that it has no factor. */
double coll_algbw(enum coll_kind kind, unsigned nranks, size_t bytes, double seconds);
double coll_busbw(enum coll_kind kind, unsigned nranks, size_t bytes, double seconds);
