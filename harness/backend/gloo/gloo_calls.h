/* The interface of the part that is C++ and linked with Gloo. The program loads that part if it
 * exists (gloo.c), so that it runs on machines without Gloo. Plain C structs alone, so that the
 * part needs no symbol of the program. */
#ifndef LAUNCHGAP_GLOO_CALLS_H
#define LAUNCHGAP_GLOO_CALLS_H

#include <stddef.h>

/* Its file. */
#define GLOO_PART "liblaunchgap_gloo.so"
#define GLOO_WHY  256 /* bytes of a sentence */

/* How ranks find each other: each publishes data under a key, and reads what others published. 0,
 * or -1 if the team failed. */
struct gloo_exchange {
	void *of;
	int (*say)(void *of, const char *key, const char *data, size_t bytes);
	/* Waits until it is published; *data is borrowed. */
	int (*hear)(void *of, const char *key, const char **data, size_t *bytes);
};

enum gloo_kind {
	GLOO_ALL_REDUCE,
	GLOO_ALL_GATHER,
	GLOO_REDUCE_SCATTER,
	GLOO_BROADCAST,
	GLOO_REDUCE,
	GLOO_ALLTOALL,
	GLOO_ALLTOALLV,
	GLOO_GATHER,
	GLOO_SCATTER
};
enum gloo_type {
	GLOO_INT8,
	GLOO_UINT8,
	GLOO_INT32,
	GLOO_UINT32,
	GLOO_INT64,
	GLOO_UINT64,
	GLOO_FLOAT16,
	GLOO_FLOAT32,
	GLOO_FLOAT64
};
enum gloo_op { GLOO_SUM, GLOO_PROD, GLOO_MIN, GLOO_MAX };

struct gloo_call {
	enum gloo_kind kind;
	enum gloo_type type; /* of what is reduced */
	enum gloo_op op;
	int n, me, root, in_place;
	size_t element, elements, part;
	const int *sent, *received; /* alltoallv: elements by rank */
	const char *from;
	char *to;
};

/* -1: no rank. */
struct gloo_move {
	int to, from;
	const char *out;
	char *in;
	size_t out_bytes, in_bytes;
};

/* 0, or -1 with a sentence. All of them block. */
struct gloo_part {
	/* address: where this rank listens. */
	int (*connect)(int rank, int size, const char *address,
	               const struct gloo_exchange *exchange, int timeout_s, void **link,
	               char why[GLOO_WHY]);
	void (*disconnect)(void *link);
	int (*call)(void *link, const struct gloo_call *call, char why[GLOO_WHY]);
	int (*move)(void *link, const struct gloo_move *move, char why[GLOO_WHY]);
};

/* The one name that is looked up. */
#define GLOO_ENTRY "launchgap_gloo"

#endif
