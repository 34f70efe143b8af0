/* One rank's buffers of a cell, whatever carries the collective out: what is put into them, and
 * what must be found there. The functions are of buffers in CPU memory; device.h has those of a
 * GPU's. Never in a timed call. */
#ifndef LAUNCHGAP_BUFFERS_H
#define LAUNCHGAP_BUFFERS_H

#include "../core/backend.h"

/* `slots` of them, question.count elements apart, one after the other in each arena. Not owned.
 */
struct buffers {
	struct value_question question; /* of the rank */
	struct coll_span span;
	bool in_place; /* both sides lie in recv */
	unsigned slots;
	char *send, *recv; /* the arenas */
};

/* The question of rank `index` of a communicator of nranks. Groups that a communicator is split
 * into have inputs of their own, so that one cannot pass for another. */
struct value_question buffers_question(const struct trial *trial, const struct cell *cell,
                                       const struct value_parts *parts, unsigned nranks,
                                       unsigned index, unsigned color, uint64_t seed);
/* Poisons the slots that outputs go to, then writes value_input to the send sides. */
void buffers_fill(const struct buffers *buffers);
/* backend.h's check and digest. */
void buffers_check(const struct buffers *buffers, struct backend_verdict *out);
uint64_t buffers_digest(const struct buffers *buffers);

/* Whole pages that hold so many bytes. */
size_t buffers_pages(size_t bytes);
/* Faults in whole pages now, writable, so that no timed call does. fresh: the memory is this
 * worker's alone and still zero; else others may be using it and its content stays. `backend`:
 * who speaks, should there be no memory. */
int buffers_touch(const char *backend, void *at, size_t bytes, bool fresh, struct status *st);

#endif
