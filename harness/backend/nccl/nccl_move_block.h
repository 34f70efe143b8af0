/* What a thread block does in a call of api = device: on the GPU (nccl_move_kernels.cu), and on CPU
 * threads that stand for GPUs. Thread block b of a rank is channel b of device_protocol.h: it deals with
 * block b of each peer alone, so that blocks of one call never wait for each other. Who includes this
 * defines before it
 *
 *   struct move_here   cta, thread, threads: of the block
 *   move_any(h, bad)   all its threads meet; whether one of them has `bad`
 *   move_warp(h)       those threads meet that run in step, if the machine has such
 *   move_copy          its threads copy bytes, to a peer or here
 *   move_flush(c, h)   its threads meet, and what they copied comes before what they write next
 *   move_tell_host     a failure, where the host sees it
 *
 * The floor of a call, by bytes and flags; a way is a store over the link and the look that finds it, near
 * 1 µs. Packets: a launch, the loads of the number and of the data (at once), a way; the link carries each
 * byte twice. Else: a launch, the load of the number, a way (begun), the load of the data, the bytes for
 * peers at the link's speed, the last store's way and its answer (the release), a way (done). The own part is
 * copied meanwhile, from and to local memory. The numbers are beside the table in nccl_device.c. */
#ifndef LAUNCHGAP_NCCL_MOVE_BLOCK_H
#define LAUNCHGAP_NCCL_MOVE_BLOCK_H

#include "device_protocol.h"
#include "nccl_move.h"

PROTOCOL_THREAD struct protocol_channel *move_channel(const struct move_call *c, unsigned rank,
                                                      unsigned b)
{
	return (
	    struct protocol_channel *)(void *)(c->channels + rank * c->channels_stride +
	                                       b * protocol_channel_bytes(c->nranks, MOVE_PACKETS));
}

/* Up to 8 bytes, as far as `left` goes. */
PROTOCOL_THREAD uint64_t move_load(const char *from, size_t left)
{
	uint64_t word = 0;
	if (left >= 8 && (uintptr_t)from % 8 == 0)
		return *(const uint64_t *)(const void *)from;
	for (unsigned i = 0; i < 8 && i < left; i++)
		word |= (uint64_t)(unsigned char)from[i] << 8 * i;
	return word;
}

PROTOCOL_THREAD void move_store(char *to, size_t left, uint64_t word)
{
	if (left >= 8 && (uintptr_t)to % 8 == 0) {
		*(uint64_t *)(void *)to = word;
		return;
	}
	for (unsigned i = 0; i < 8 && i < left; i++)
		to[i] = (char)(word >> 8 * i);
}

/* --- packets: those of all parts are one list, so that a block's threads serve all peers at once ---- */

struct move_item {
	unsigned peer, packet; /* packet: in the channel's slot */
	size_t from, to,
	    left; /* its data, up to 8 bytes of those left; 0: there is none in this block */
};

/* The block's i-th packet. false: it has fewer. */
PROTOCOL_THREAD bool move_find(const struct move_part *parts, unsigned nparts, struct move_here h,
                               unsigned i, struct move_item *out)
{
	for (unsigned k = 0; k < nparts; i -= parts[k++].packets)
		if (i < parts[k].packets) {
			const size_t at = ((size_t)h.cta * parts[k].packets + i) * 8;
			*out = (struct move_item){parts[k].peer, parts[k].packet + i,
			                          parts[k].from + at, parts[k].to + at,
			                          at < parts[k].bytes ? parts[k].bytes - at : 0};
			return true;
		}
	return false;
}

PROTOCOL_THREAD uint64_t move_word(const struct move_call *c, const struct move_item *it)
{
	return it->left ? move_load(c->from + it->from, it->left) : 0;
}

/* first: the data of this thread's first packet. */
PROTOCOL_THREAD bool move_send(const struct move_call *c, struct move_here h,
                               struct protocol_channel *own, uint32_t call, uint64_t first)
{
	const uint32_t wanted = protocol_may_write(call, PROTOCOL_TURNS);
	struct move_item it;
	for (unsigned i = h.thread; move_find(c->sends, c->nsends, h, i, &it); i += h.threads) {
		const uint64_t word = i == h.thread ? first : move_word(c, &it);
		const unsigned peer = it.peer;
		if (!it.left)
			continue;
		if (!protocol_await(own, peer, wanted, c->limit_ns))
			return false;
		protocol_send(protocol_packets(move_channel(c, peer, h.cta), c->nranks,
		                               MOVE_PACKETS, call, c->me) +
		                  it.packet,
		              call, (uint32_t)word, (uint32_t)(word >> 32));
	}
	return true;
}

PROTOCOL_THREAD bool move_receive(const struct move_call *c, struct move_here h,
                                  struct protocol_channel *own, uint32_t call)
{
	uint32_t low, high;
	struct move_item it;
	for (unsigned i = h.thread; move_find(c->receives, c->nreceives, h, i, &it);
	     i += h.threads) {
		const unsigned peer = it.peer;
		const struct protocol_packet *slot =
		    protocol_packets(own, c->nranks, MOVE_PACKETS, call, peer);
		if (!it.left)
			continue;
		if (!protocol_take(own, peer, slot + it.packet, call, c->limit_ns, &low, &high))
			return false;
		move_store(c->to + it.to, it.left, (uint64_t)high << 32 | low);
	}
	return true;
}

/* --- into buffers: all parts are one range, of which each block has a share ------------------------- */

/* Of the parts to peers or of the own one; in place that is there already. In packets of the link. */
PROTOCOL_THREAD unsigned move_units(const struct move_call *c, const struct move_part *p, bool own)
{
	if ((p->peer == c->me) != own || (own && c->from + p->from == c->to + p->to))
		return 0;
	return (unsigned)((p->bytes + MOVE_ALIGN - 1) / MOVE_ALIGN);
}

/* Block `b` of n copies its share, which begins and ends between two packets of the link. */
PROTOCOL_THREAD void move_share(const struct move_call *c, struct move_here h, bool own, unsigned b,
                                unsigned n)
{
	unsigned all = 0, at = 0;
	for (unsigned k = 0; k < c->nsends; k++)
		all += move_units(c, &c->sends[k], own);
	const unsigned share = (all + n - 1) / n, first = b * share, end = first + share;
	for (unsigned k = 0; k < c->nsends; k++) {
		const struct move_part *p = &c->sends[k];
		const unsigned units = move_units(c, p, own), next = at + units;
		if (units && first < next && end > at) {
			const size_t from = first > at ? (size_t)(first - at) * MOVE_ALIGN : 0;
			const size_t to = end < next ? (size_t)(end - at) * MOVE_ALIGN : p->bytes;
			char *base = own ? c->to : c->recv + p->peer * c->recv_stride;
			move_copy(c, h, base + p->to + from, c->from + p->from + from, to - from);
		}
		at = next;
	}
}

/* Without blocks for it, while the peers' data comes. */
PROTOCOL_THREAD void move_own(const struct move_call *c, struct move_here h)
{
	if (!c->own_ctas)
		move_share(c, h, true, h.cta, c->ctas);
}

PROTOCOL_THREAD bool move_by_packets(const struct move_call *c, struct move_here h,
                                     struct protocol_channel *own, uint32_t call, uint64_t first)
{
	const bool good = move_send(c, h, own, call, first);
	/* Threads without a packet would go ahead to the own part, and those of their warp with one send after it. */
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
	move_share(c, h, false, h.cta, c->ctas);
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
	struct protocol_packet *slots = protocol_packets(own, c->nranks, MOVE_PACKETS, call, 0);
	for (unsigned i = h.thread; i < c->nranks * MOVE_PACKETS; i += h.threads)
		protocol_write(slots + i, 0, 0);
}

PROTOCOL_THREAD void move_block(const struct move_call *c, struct move_here h)
{
	if (h.cta >= c->ctas) {
		move_share(c, h, true, h.cta - c->ctas, c->own_ctas);
		return;
	}
	struct protocol_channel *own = move_channel(c, c->me, h.cta);
	struct move_item it;
	uint64_t first = 0;
	/* Before the number, so that both are on the way at once. */
	if (c->way == MOVE_PACKET && move_find(c->sends, c->nsends, h, h.thread, &it))
		first = move_word(c, &it);
	const uint32_t call = protocol_next(own->call);
	/* Whoever was waited for may have come by now: what this call wrote would pass for the failed one's. */
	if (move_any(h, own->failed != 0)) {
		if (h.thread == 0)
			move_tell_host(c->failed, own->failed);
		return;
	}
	for (unsigned r = h.thread; r < c->nranks; r += h.threads)
		if (r != c->me)
			protocol_tell_begun(&move_channel(c, r, h.cta)->inbox[c->me], call);
	const bool good = c->way == MOVE_PACKET ? move_by_packets(c, h, own, call, first)
	                                        : move_into_buffers(c, h, own, call);
	if (move_any(h, !good)) {
		if (h.thread == 0)
			move_tell_host(c->failed, protocol_read(&own->failed));
		return;
	}
	if (protocol_wipes(call))
		move_wipe(c, h, own, call);
	if (h.thread == 0)
		own->call = call;
}

#endif
