/* One rank's part of a call, for what carries it out in CPU memory. Plain C: libraries beside the
 * program read it too. */
#pragma once

#include <stddef.h>

#include "value.h"

#define COLL_CALL_WHY 512 /* bytes of a sentence */

/* from, to: the start of the rank's send side and receive side; in place both are in one buffer. */
struct coll_call {
	enum coll_kind coll;
	bool reduces; /* the datatype and the operation count; if not, the elements' width does */
	enum dtype dtype;
	enum op op;
	unsigned n, me, root;
	bool in_place;
	size_t element;        /* bytes */
	size_t elements, part; /* of a whole buffer, and of one rank's part */
	/* alltoallv, in elements, by rank: counts and offsets of what is sent, and of what is
	 * received. */
	const int *sent, *sent_at, *received, *received_at;
	const char *from;
	char *to;
};

/* Sends to one rank while it receives from one. -1: none. */
struct coll_exchange {
	int to, from;
	const char *out;
	char *in;
	size_t out_elements, in_elements, element;
};

/* 0, or -1 with a sentence. Each blocks until the rank's part is done. */
struct coll_calls {
	int (*call)(void *link, const struct coll_call *call, char why[COLL_CALL_WHY]);
	int (*exchange)(void *link, const struct coll_exchange *exchange, char why[COLL_CALL_WHY]);
	void (*disconnect)(void *link);
};
