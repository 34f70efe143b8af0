/* How many channels the library gives a pair of ranks, by the size of a message, and where that
 * shows. Pure.
 *
 * NCCL's rule for sends and receives on one node (scheduleP2pTasksToPlan and addP2pToPlan in its
 * src/enqueue.cc, alike from 2.21 to 2.31): a pair starts with the channels of a peer, halved
 * until all ranks' fit into those for sends and receives, and doubles them while a channel's
 * part is larger than 32 chunks. So bandwidth stands still until a channel's part reaches that,
 * and jumps behind it: on 8 ranks with 32 channels, 16 a peer and chunks of 512 KiB at 64 MiB
 * and at 128 MiB. What goes in stands in NCCL's log (trial/path.h). */
#ifndef LAUNCHGAP_CHANNELS_H
#define LAUNCHGAP_CHANNELS_H

#include "../trial/path.h"
#include "cliffs.h"

struct channels {
	unsigned all;         /* for sends and receives */
	unsigned start, most; /* of a pair */
	size_t chunk_bytes;
};

/* False where the log does not say it, or data leaves the node, where the rule is another. */
bool channels_rule(const struct path *path, unsigned nranks, struct channels *out);
/* Of a pair, for a message of so many bytes. */
unsigned channels_of(const struct channels *rule, size_t message_bytes);
/* The largest message that has no more channels than this one; 0: none has more. */
size_t channels_bound(const struct channels *rule, size_t message_bytes);
/* Messages in a call, each as large as its nth part: 1 in sendrecv, the number of ranks in
 * alltoall. 0: it is not made of messages of one size. */
unsigned channels_parts(enum coll_kind coll, unsigned nranks);

/* From one measured size to the next a pair gets more channels; or behind the last size. */
struct channels_step {
	unsigned variant, group;
	struct channels rule;
	size_t bound_bytes;     /* the largest call that has as many as before */
	unsigned before, after; /* channels at the size below, and at the one above or behind
	                           the bound */
	unsigned to;            /* the group's size above; 0: none was measured */
	double from_gbs, to_gbs;
	double predicted_gbs; /* at most, there: as many times from_gbs as channels, up to the
	                         limit; NaN without a figure */
	bool breaks;          /* a jump was measured there (cliffs.h) */
};

struct channels_steps {
	unsigned n;
	struct channels_step *list; /* by group, variant, size */
};

/* Of every variant whose log says it. The caller frees the list. -1 only when memory is out. */
int channels_make(const struct summary *summary, struct channels_steps *out, struct status *st);
/* Why a cliff is where it is, and where the next one is to be expected; "" where channels do
 * not say it. */
void channels_say(const struct summary *summary, const struct channels_steps *steps,
                  const struct cliff *cliff, char *text, size_t bytes);
/* All that there is to say of a cliff; CHANNELS_SAY_BYTES will do. */
#define CHANNELS_SAY_BYTES 1536
void channels_cliff_say(const struct summary *summary, const struct channels_steps *steps,
                        const struct cliff *cliff, char *text, size_t bytes);

#endif
