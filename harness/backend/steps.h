/* What a collective moves, as pulls. Pure.
 *
 * In each phase a rank takes at most one piece from every source, itself included, into its receive
 * buffer. A phase of a source may be read once the source has completed its pulls of all earlier
 * phases. What a rank pushes is the same schedule from the other side: both sides of a pair agree
 * without a message. In place, the data to send is in the receive buffer, which needs no more
 * synchronization (tests/test_steps.c checks it for every collective).
 *
 * Ranks are places in the communicator. A collective is a case in steps_of, and its phases. */
#pragma once

#include "../trial/trial.h"

enum step_side { STEP_SEND, STEP_RECV }; /* which of the source's buffers is read */

/* A plain copy; the first input of a reduction, a further one, the last. */
enum step_touch { STEP_COPY, STEP_FIRST, STEP_COMBINE, STEP_LAST };

struct steps_call {
	struct cell cell;
	unsigned nranks;          /* of the communicator */
	struct value_parts parts; /* coll_parts */
	struct buckets buckets;   /* of a step of training */
	bool copied;              /* its buckets are separate, in the send arena */
};

struct step {
	size_t bytes; /* 0: nothing from this source in this phase */
	size_t from;  /* offset into the source's buffer */
	size_t to;    /* offset into the receiver's receive buffer */
	enum step_side side;
	enum step_touch touch;
};

struct steps_move {
	unsigned peer;  /* the buffers' rank; in the lists below the same as place */
	unsigned place; /* in the communicator */
	unsigned phase;
	struct step step;
};

struct steps_call steps_call(const struct trial *trial, const struct cell *cell);
unsigned steps_phases(const struct steps_call *call);
/* An expert's forward work: to 4 times a token's width and back, 16 width² FLOPs a token. */
uint64_t steps_expert_flops(const struct steps_call *call, unsigned me, unsigned width);
/* false: no rank waits for another (the machine's limit, measured without a handshake). */
bool steps_waits(enum coll_kind coll);
/* Why the call is not possible (buffers that cannot be cut, no such root), or NULL. */
const char *steps_refuses(const struct steps_call *call);

/* 0, or -1 with the sentence: the same, and whether an offset keeps elements whole. */
int steps_supports(const char *backend, const struct trial *trial, const struct cell *cell,
                   struct status *st);

struct step steps_of(const struct steps_call *call, unsigned rank, unsigned source, unsigned phase);

/* A rank's moves in order. Turn t takes from rank − t and gives to rank + t: in each turn every
 * buffer has one reader, and both sides of a pair meet. Pushes omit the rank itself. */
struct steps_plan {
	struct steps_move *pulls, *pushes; /* owned, in one allocation */
	unsigned npulls, npushes;
};

/* In place of what the plan had. */
void steps_plan(const struct steps_call *call, unsigned rank, struct steps_plan *plan);
void steps_plan_free(struct steps_plan *plan);
