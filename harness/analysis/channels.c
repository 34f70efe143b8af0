#include "channels.h"

#include <string.h>

#define CHUNKS_OF_PART 32 /* the most that one channel takes of a message on one node, */
#define LEAST_OF_CHUNK 8  /* and the least, a chunk's eighth */

/* Beyond these a record is damaged. */
#define MOST_CHANNELS 1024
#define MOST_CHUNK    ((size_t)1 << 40)

bool channels_rule(const struct path *path, unsigned nranks, struct channels *out)
{
	struct channels c = {.all = path->p2p_channels,
	                     .start = path->p2p_channels_per_peer,
	                     .most = path->p2p_channels_per_peer,
	                     .chunk_bytes = (size_t)path->p2p_chunk_bytes};
	bool here = !strncmp(path->transport, "P2P/", 4) || !strncmp(path->transport, "SHM/", 4);
	if (!c.all || !c.start || c.all > MOST_CHANNELS || c.most > MOST_CHANNELS ||
	    c.chunk_bytes < LEAST_OF_CHUNK || c.chunk_bytes > MOST_CHUNK || !here ||
	    path->copy_engine || path->symmetric)
		return false;
	while (c.start > 1 && (unsigned long long)c.start * nranks > c.all)
		c.start /= 2;
	*out = c;
	return true;
}

static size_t rounded_up(size_t bytes, size_t parts)
{
	return bytes / parts + (bytes % parts > 0);
}

unsigned channels_of(const struct channels *rule, size_t message)
{
	size_t least = rounded_up(message, rule->chunk_bytes / LEAST_OF_CHUNK);
	unsigned n = least < rule->start ? (unsigned)least : rule->start;
	while (n && rounded_up(message, n) > CHUNKS_OF_PART * rule->chunk_bytes &&
	       n <= rule->most / 2)
		n *= 2;
	return n ? n : 1;
}

size_t channels_bound(const struct channels *rule, size_t message)
{
	unsigned n = channels_of(rule, message);
	n = n < rule->start ? rule->start : n;
	return n <= rule->most / 2 ? n * CHUNKS_OF_PART * rule->chunk_bytes : 0;
}

unsigned channels_parts(enum coll_kind coll, unsigned nranks)
{
	switch (coll) {
	case COLL_SENDRECV:
	case COLL_SENDRECV_PAIRS:
	case COLL_SENDRECV_HALVES:
		return 1;
	case COLL_SENDRECV_BOTH:
		return 2;
	case COLL_ALLTOALL:
	case COLL_GATHER:
	case COLL_SCATTER:
		return nranks;
	default:
		return 0;
	}
}
