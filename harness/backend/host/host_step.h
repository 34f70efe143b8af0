/* What a collective moves, as pulls: pure functions, no data is touched.
 *
 * In each phase a rank takes at most one piece from every source, its own buffers included, and
 * puts it into its receive buffer. A phase of a source may be read once the source has all its
 * pulls of the phases before. What a rank has to push is the same schedule seen from the other
 * side, so that both sides of a pair agree on every piece without exchanging a word.
 *
 * In place, what is sent lies in the receive buffer. That needs no word more: in one phase no
 * rank writes what another still has to read of it, and what a later phase writes was read
 * before the source of the new bytes could begin that phase (tests/test_host_step.c holds
 * every collective against this).
 *
 * Ranks here are places in the communicator. Adding a collective is one case in host_step, and
 * its phases where it has more than one. */
#ifndef LAUNCHGAP_HOST_STEP_H
#define LAUNCHGAP_HOST_STEP_H

#include "../../coll/coll.h"
#include "../../coll/network.h"

enum host_side { HOST_SEND, HOST_RECV }; /* which of the source's buffers is read */

/* What is done with the bytes on the way: nothing; or they are a first input, one that is
 * combined with what lies there, and the last of those. */
enum host_touch { HOST_COPY, HOST_FIRST, HOST_COMBINE, HOST_LAST };

/* One call as all its ranks see it. */
struct host_call {
	struct cell cell;
	unsigned nranks;          /* of the communicator */
	struct value_parts parts; /* coll_parts */
	struct buckets buckets;   /* of a step of training */
	bool copied;              /* its buckets lie apart: in the send arena */
};

struct host_step {
	size_t bytes; /* 0: nothing from this source in this phase */
	size_t from;  /* offset into the source's buffer */
	size_t to;    /* offset into the receiver's receive buffer */
	enum host_side side;
	enum host_touch touch;
};

struct host_move {
	unsigned peer;  /* whose buffers; as the lists below make it, the same as place */
	unsigned place; /* in the communicator */
	unsigned phase;
	struct host_step step;
};

unsigned host_step_phases(const struct host_call *call);
/* false: nobody waits for anybody (the machine's limit, measured without a handshake). */
bool host_step_waits(enum coll_kind coll);
/* Why the call cannot be carried out (buffers that cannot be cut, a root that is not there), or
 * NULL. */
const char *host_step_refuses(const struct host_call *call);

/* What `rank` takes from `source` in `phase`. */
struct host_step host_step(const struct host_call *call, unsigned rank, unsigned source,
                           unsigned phase);

/* A rank's moves in order, empty ones left out; out holds phases × nranks; returns how many.
 * Turn t takes from rank − t and gives to rank + t, so that in each turn every buffer has one
 * reader, and the two sides of a pair meet in the same turn. Pushes leave out oneself. */
unsigned host_step_pulls(const struct host_call *call, unsigned rank, struct host_move *out);
unsigned host_step_pushes(const struct host_call *call, unsigned rank, struct host_move *out);

#endif
