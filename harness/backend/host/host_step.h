/* What a collective moves, as pulls: pure functions that touch no data.
 *
 * In each phase a rank takes at most one piece from every source, its own buffers included, and
 * puts it into its receive buffer. A phase of a source may be read once the source has completed
 * its pulls of all earlier phases. What a rank pushes is the same schedule seen from the other
 * side, so that both sides of a pair agree on every piece without a message.
 *
 * In place, the data to send is in the receive buffer. That needs no more synchronization: in one
 * phase no rank writes what another still has to read from it, and what a later phase writes was
 * read before the source of the new bytes could begin that phase (tests/test_host_step.c checks
 * this for every collective).
 *
 * Ranks here are places in the communicator. Adding a collective is one case in host_step, and
 * its number of phases if it has more than one. */
#ifndef LAUNCHGAP_HOST_STEP_H
#define LAUNCHGAP_HOST_STEP_H

#include "../../coll/coll.h"
#include "../../coll/network.h"

enum host_side { HOST_SEND, HOST_RECV }; /* which of the source's buffers is read */

/* What happens to the bytes: a plain copy, the first input of a reduction, a further input, the last
 * input. */
enum host_touch { HOST_COPY, HOST_FIRST, HOST_COMBINE, HOST_LAST };

/* One call as all its ranks see it. */
struct host_call {
	struct cell cell;
	unsigned nranks;          /* of the communicator */
	struct value_parts parts; /* coll_parts */
	struct buckets buckets;   /* of a step of training */
	bool copied;              /* its buckets are separate, in the send arena */
};

struct host_step {
	size_t bytes; /* 0: nothing from this source in this phase */
	size_t from;  /* offset into the source's buffer */
	size_t to;    /* offset into the receiver's receive buffer */
	enum host_side side;
	enum host_touch touch;
};

struct host_move {
	unsigned peer;  /* the buffers' rank; in the lists below the same as place */
	unsigned place; /* in the communicator */
	unsigned phase;
	struct host_step step;
};

unsigned host_step_phases(const struct host_call *call);
/* false: no rank waits for another (the machine's limit, measured without a handshake). */
bool host_step_waits(enum coll_kind coll);
/* Why the call is not possible (buffers that cannot be cut, a root that does not exist), or NULL. */
const char *host_step_refuses(const struct host_call *call);

/* What `rank` takes from `source` in `phase`. */
struct host_step host_step(const struct host_call *call, unsigned rank, unsigned source,
                           unsigned phase);

/* A rank's moves in order, without empty ones; out holds phases × nranks; returns their number. Turn t
 * takes from rank − t and gives to rank + t, so that in each turn every buffer has one reader, and
 * the two sides of a pair meet in the same turn. Pushes omit the rank itself. */
unsigned host_step_pulls(const struct host_call *call, unsigned rank, struct host_move *out);
unsigned host_step_pushes(const struct host_call *call, unsigned rank, struct host_move *out);

#endif
