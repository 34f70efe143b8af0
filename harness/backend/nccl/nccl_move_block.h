/* What a thread block does in a call of api = device: on the GPU (nccl_move_kernels.cu), and on CPU
 * threads that stand for GPUs. Thread block b of a rank is channel b of device_protocol.h: it deals
 * with block b of each peer alone, so that blocks of one call never wait for each other. Who
 * includes this defines before it
 *
 *   struct move_here   cta, thread, threads: of the block
 *   move_any(h, bad)   all its threads meet; whether one of them has `bad`
 *   move_warp(h)       those threads meet that run in step, if the machine has such
 *   move_copy          its threads copy bytes, to a peer or here
 *   move_flush(c, h)   its threads meet, and what they copied comes before what they write next
 *   move_tell_host     a failure, where the host sees it
 *
 * The floor of a call, by bytes and flags; a way is a store over the link and the look that finds
 * it, near 1 µs. Packets: a launch, the loads of the number and of the data (at once), a way; the
 * link carries 16 bytes for 12. Else: a launch, the load of the number, a way (begun), the load of
 * the data, the bytes for peers at the link's speed for stores, the last store's way and its answer
 * (the release), a way (done); a way more for each round. The own part is copied meanwhile, from
 * and to local memory. The numbers are beside the table in nccl_device.c. */
#pragma once

#include "device_protocol.h"
#include "nccl_move.h"

PROTOCOL_THREAD struct protocol_channel *move_channel(const struct move_call *c, unsigned rank,
                                                      unsigned b)
{
	return (
	    struct protocol_channel *)(void *)(c->channels + rank * c->channels_stride +
	                                       b * protocol_channel_bytes(c->nranks, MOVE_PACKETS));
}

/* How many of a packet's bytes there are, and of them whole words that are aligned. */
PROTOCOL_THREAD unsigned move_words(const char *at, size_t left, unsigned *bytes)
{
	*bytes = left < MOVE_WORD ? (unsigned)left : MOVE_WORD;
	return (uintptr_t)at % 4 ? 0 : *bytes / 4;
}

PROTOCOL_THREAD struct protocol_packet move_load(const char *from, size_t left)
{
	struct protocol_packet p = {{0}, 0};
	unsigned bytes;
	const unsigned words = move_words(from, left, &bytes);
	for (unsigned i = 0; i < 3; i++)
		if (i < words)
			p.data[i] = ((const uint32_t *)(const void *)from)[i];
	for (unsigned i = 4 * words; i < bytes; i++)
		p.data[i / 4] |= (uint32_t)(unsigned char)from[i] << i % 4 * 8;
	return p;
}

PROTOCOL_THREAD void move_store(char *to, size_t left, const struct protocol_packet *p)
{
	unsigned bytes;
	const unsigned words = move_words(to, left, &bytes);
	for (unsigned i = 0; i < 3; i++)
		if (i < words)
			((uint32_t *)(void *)to)[i] = p->data[i];
	for (unsigned i = 4 * words; i < bytes; i++)
		to[i] = (char)(p->data[i / 4] >> i % 4 * 8);
}

/* --- packets: those of all parts are one list: a block's threads serve all peers at once --- */

struct move_item {
	unsigned peer, packet; /* packet: in the channel's slot */
	size_t from, to, left; /* its data, as far as `left` goes; 0: there is none in this block */
};

/* The block's i-th packet. false: it has fewer. */
PROTOCOL_THREAD bool move_find(const struct move_part *parts, unsigned nparts, struct move_here h,
                               unsigned i, struct move_item *out)
{
	for (unsigned k = 0; k < nparts; i -= parts[k++].packets)
		if (i < parts[k].packets) {
			const size_t at = ((size_t)h.cta * parts[k].packets + i) * MOVE_WORD;
			*out = (struct move_item){parts[k].peer, parts[k].packet + i,
			                          parts[k].from + at, parts[k].to + at,
			                          at < parts[k].bytes ? parts[k].bytes - at : 0};
			return true;
		}
	return false;
}

PROTOCOL_THREAD struct protocol_packet *
move_slot(const struct move_call *c, struct protocol_channel *of, unsigned from, uint32_t call)
{
	return protocol_packets(of, c->nranks, MOVE_PACKETS, call, from);
}

/* A thread's first packet, and the word of its peer: loaded before anything is waited for. */
struct move_first {
	struct move_item item;
	struct protocol_packet packet;
	uint32_t seen;
	bool is;
};

PROTOCOL_THREAD bool move_send(const struct move_call *c, struct move_here h,
                               struct protocol_channel *own, uint32_t call,
                               const struct move_first *first)
{
	const uint32_t wanted = protocol_may_write(call, PROTOCOL_TURNS);
	struct move_item it = first->item;
	struct protocol_packet p = first->packet;
	uint32_t seen = first->seen;
	unsigned i = h.thread;
	for (bool is = first->is; is; is = move_find(c->sends, c->nsends, h, i += h.threads, &it)) {
		if (i != h.thread && it.left) {
			p = move_load(c->from + it.from, it.left);
			seen = protocol_read(&own->inbox[it.peer]);
		}
		if (!it.left)
			continue;
		if (!protocol_reached(seen, wanted) &&
		    !protocol_await(own, it.peer, wanted, c->limit_ns))
			return false;
		p.call = call;
		protocol_write(
		    move_slot(c, move_channel(c, it.peer, h.cta), c->me, call) + it.packet, p);
	}
	return true;
}

PROTOCOL_THREAD bool move_receive(const struct move_call *c, struct move_here h,
                                  struct protocol_channel *own, uint32_t call)
{
	struct protocol_packet p;
	struct move_item it;
	for (unsigned i = h.thread; move_find(c->receives, c->nreceives, h, i, &it);
	     i += h.threads) {
		if (!it.left)
			continue;
		if (!protocol_take(own, it.peer, move_slot(c, own, it.peer, call) + it.packet, call,
		                   c->limit_ns, &p))
			return false;
		move_store(c->to + it.to, it.left, &p);
	}
	return true;
}

/* --- into buffers, tile by tile
 * ------------------------------------------------------------------- */

/* Of the tiles of `n` parts, the own one's or all others', those of block b of so many. Neighbours
 * of the list, `stride` apart in it, are copied at the same time: so all peers and all links have
 * their share at any time. */
PROTOCOL_THREAD void move_tiles(const struct move_call *c, struct move_here h,
                                const struct move_part *parts, unsigned n, bool own,
                                unsigned stride, unsigned b, unsigned blocks)
{
	unsigned tiles = 0;
	for (unsigned k = 0; k < n; k++)
		tiles += (parts[k].peer == c->me) == own ? parts[k].tiles : 0;
	if (!tiles)
		return;
	const unsigned step = blocks * stride % tiles;
	for (unsigned j = b, at = b * stride % tiles; j < tiles; j += blocks) {
		const struct move_part *p = parts;
		unsigned i = at;
		for (; (p->peer == c->me) != own || i >= p->tiles; p++)
			i -= (p->peer == c->me) == own ? p->tiles : 0;
		const size_t begin = (size_t)i * c->tile, left = p->bytes - begin;
		char *to = own ? c->to : c->recv + p->peer * c->recv_stride;
		move_copy(c, h, to + p->to + begin, c->from + p->from + begin,
		          left < c->tile ? left : c->tile);
		at += step;
		at -= at >= tiles ? tiles : 0;
	}
}

/* Without blocks for it, while the peers' data comes. */
PROTOCOL_THREAD void move_own(const struct move_call *c, struct move_here h)
{
	if (!c->own_ctas)
		move_tiles(c, h, c->sends, c->nsends, true, 1, h.cta, c->ctas);
}

/* One peer after the other, in step: each is written to by one rank at a time. */
PROTOCOL_THREAD bool move_rounds(const struct move_call *c, struct move_here h,
                                 struct protocol_channel *own, uint32_t call)
{
	const unsigned next = (c->me + 1) % c->nranks, last = (c->me + c->nranks - 1) % c->nranks;
	for (unsigned k = 1; k < c->nranks; k++) {
		bool good = true;
		move_tiles(c, h, &c->sends[k - 1], 1, false, 1, h.cta, c->ctas);
		if (k + 1 == c->nranks)
			break;
		move_any(h, false); /* all have stored */
		if (h.thread == 0) {
			protocol_keep(&move_channel(c, last, h.cta)->round,
			              protocol_round(call, k));
			good =
			    protocol_await_round(own, next, protocol_round(call, k), c->limit_ns);
		}
		if (move_any(h, !good))
			return false;
	}
	return true;
}

PROTOCOL_THREAD bool move_by_packets(const struct move_call *c, struct move_here h,
                                     struct protocol_channel *own, uint32_t call,
                                     const struct move_first *first)
{
	const bool good = move_send(c, h, own, call, first);
	/* Threads without a packet would go on to the own part; others of their warp wait. */
	move_warp(h);
	if (!good)
		return false;
	move_own(c, h);
	return move_receive(c, h, own, call);
}

PROTOCOL_THREAD bool move_into_buffers(const struct move_call *c, struct move_here h,
                                       struct protocol_channel *own, uint32_t call)
{
	bool good = true;
	for (unsigned k = h.thread; good && k < c->nsends; k += h.threads)
		good = c->sends[k].peer == c->me ||
		       protocol_await(own, c->sends[k].peer, protocol_may_write(call, c->turns),
		                      c->limit_ns);
	if (move_any(h, !good))
		return false;
	if (!c->rounds)
		move_tiles(c, h, c->sends, c->nsends, false, c->stride, h.cta, c->ctas);
	else if (!move_rounds(c, h, own, call))
		return false;
	move_flush(c, h);
	for (unsigned k = h.thread; k < c->nsends; k += h.threads)
		if (c->sends[k].peer != c->me)
			protocol_tell_done(&move_channel(c, c->sends[k].peer, h.cta)->inbox[c->me],
			                   call);
	move_own(c, h);
	for (unsigned k = h.thread; good && k < c->nreceives; k += h.threads)
		good = protocol_await(own, c->receives[k].peer, protocol_done(call), c->limit_ns);
	return good;
}

/* Slots of a call whose number comes again after the next ones. */
PROTOCOL_THREAD void move_wipe(const struct move_call *c, struct move_here h,
                               struct protocol_channel *own, uint32_t call)
{
	struct protocol_packet *slots = move_slot(c, own, 0, call);
	for (unsigned i = h.thread; i < c->nranks * MOVE_PACKETS; i += h.threads)
		protocol_write(slots + i, (struct protocol_packet){{0}, 0});
}

PROTOCOL_THREAD void move_block(const struct move_call *c, struct move_here h)
{
	if (h.cta >= c->ctas) {
		move_tiles(c, h, c->sends, c->nsends, true, 1, h.cta - c->ctas, c->own_ctas);
		return;
	}
	struct protocol_channel *own = move_channel(c, c->me, h.cta);
	struct move_first first = {.is = false};
	/* All loads that wait for nothing are on the way at once. */
	if (c->way == MOVE_PACKET)
		first.is = move_find(c->sends, c->nsends, h, h.thread, &first.item);
	if (first.is)
		first.packet = move_load(c->from + first.item.from, first.item.left);
	const uint32_t call = protocol_next(own->call), failed = own->failed;
	if (first.is)
		first.seen = protocol_read(&own->inbox[first.item.peer]);
	/* Whoever was waited for may have come by now: what this call wrote would pass for the
	 * failed one's. And all threads have read the number, before it is written. */
	if (move_any(h, failed != 0)) {
		if (h.thread == 0)
			move_tell_host(c->failed, own->failed);
		return;
	}
	for (unsigned r = h.thread; r < c->nranks; r += h.threads)
		if (r != c->me)
			protocol_tell_begun(&move_channel(c, r, h.cta)->inbox[c->me], call);
	const bool good = c->way == MOVE_PACKET ? move_by_packets(c, h, own, call, &first)
	                                        : move_into_buffers(c, h, own, call);
	if (!good)
		move_tell_host(c->failed, protocol_read(&own->failed));
	if (protocol_wipes(call)) {
		move_any(h, false); /* all have read their packets */
		move_wipe(c, h, own, call);
	}
	/* Of a failed channel the number says nothing: it is not used again. */
	if (h.thread == 0)
		own->call = call;
}
