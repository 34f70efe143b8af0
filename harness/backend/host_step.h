/* What a collective moves, as pulls: pure functions, no data is touched.
 *
 * In each phase a rank takes at most one piece from every source, its own send buffer included,
 * and puts it into its receive buffer. A phase of a source may be read once the source has all
 * its pulls of the phases before. What a rank has to push is the same schedule seen from the
 * other side, so that both sides of a pair agree on every piece without exchanging a word.
 *
 * Adding a collective is one case in host_step (and its number of phases). */
#ifndef LAUNCHGAP_HOST_STEP_H
#define LAUNCHGAP_HOST_STEP_H

#include "../coll.h"

enum host_side { HOST_SEND, HOST_RECV }; /* which of the source's buffers is read */

struct host_step {
	size_t bytes; /* 0: nothing from this source in this phase */
	size_t from;  /* offset into the source's buffer */
	size_t to;    /* offset into the receiver's receive buffer */
	enum host_side side;
	bool reduce; /* combined with what lies there; else copied over it */
};

struct host_move {
	unsigned peer, phase;
	struct host_step step;
};

unsigned host_step_phases(enum coll_kind coll);
/* false: nobody waits for anybody (the machine's limit, measured without a handshake). */
bool host_step_waits(enum coll_kind coll);
/* Why buffers of `bytes` cannot be cut for nranks ranks, or NULL. */
const char *host_step_refuses(unsigned nranks, size_t bytes, size_t element_bytes);

/* What `rank` takes from `source` in `phase`. bytes: one buffer, coll.h's sense. */
struct host_step host_step(enum coll_kind coll, unsigned nranks, size_t bytes, unsigned rank,
                           unsigned source, unsigned phase);

/* A rank's moves in order, empty ones left out; out holds phases × nranks; returns how many.
 * Turn t takes from rank − t and gives to rank + t, so that in each turn every buffer has one
 * reader, and the two sides of a pair meet in the same turn. Pushes leave out oneself. */
unsigned host_step_pulls(enum coll_kind coll, unsigned nranks, size_t bytes, unsigned rank,
                         struct host_move *out);
unsigned host_step_pushes(enum coll_kind coll, unsigned nranks, size_t bytes, unsigned rank,
                          struct host_move *out);

#endif
