/* How many channels the library gives a pair of ranks, by the size of a message, by NCCL's own
 * rule. Pure.
 *
 * NCCL's rule for sends and receives on one node (scheduleP2pTasksToPlan and addP2pToPlan in its
 * src/enqueue.cc, the same from 2.21 to 2.31): a pair starts with the channels of a peer, halved
 * until all ranks' fit into those for sends and receives, and doubles them while a channel's part
 * is larger than 32 chunks. So bandwidth stays constant until a channel's part reaches that, and
 * jumps beyond it: on 8 ranks with 32 channels, 16 a peer and chunks of 512 KiB at 64 MiB and at
 * 128 MiB. NCCL's log has the rule's inputs (trial/path.h). */
#ifndef LAUNCHGAP_CHANNELS_H
#define LAUNCHGAP_CHANNELS_H

#include "../coll/coll.h"
#include "../trial/path.h"

struct channels {
	unsigned all;         /* for sends and receives */
	unsigned start, most; /* of a pair */
	size_t chunk_bytes;
};

/* False if the log does not say it, or if data leaves the node, where another rule applies. */
bool channels_rule(const struct path *path, unsigned nranks, struct channels *out);
/* Channels of a pair, for a message of so many bytes. */
unsigned channels_of(const struct channels *rule, size_t message_bytes);
/* The largest message that has no more channels than this one; 0: none has more. */
size_t channels_bound(const struct channels *rule, size_t message_bytes);
/* Messages in a call, each as large as its nth part: 1 in sendrecv, the number of ranks in
 * alltoall. 0: it is not made of messages of one size. */
unsigned channels_parts(enum coll_kind coll, unsigned nranks);

#endif
