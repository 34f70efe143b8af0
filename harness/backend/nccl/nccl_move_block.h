/* What a thread block does in a call of api = device: on the GPU (nccl_move_kernels.cu), and on CPU
 * threads that stand for GPUs. Thread block b of a rank is channel b of device_protocol.h: it deals with
 * block b of each peer alone, so that blocks of one call never wait for each other. Who includes this
 * defines before it
 *
 *   struct move_here   cta, thread, threads: of the block
 *   move_any(h, bad)   all its threads meet; whether one of them has `bad`
 *   move_copy          its threads copy bytes, to a peer or here
 *   move_flush(h)      its threads meet, and what they copied comes before what they write next
 *   move_tell_host     a failure, where the host sees it
 *
 * The floor of a call, by bytes and flags. Packets: a launch, the loads of the number and of the data (at
 * once), a store over the link, a load; the link carries each byte twice. Else: a launch, a flag over
 * the link and one back, and the bytes for peers at the link's speed; the own part is copied meanwhile
 * by blocks of its own, from and to local memory. */
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

/* A part's packets in one channel's slot. */
PROTOCOL_THREAD unsigned move_packets(const struct move_call *c, const struct move_part *p)
{
	return (unsigned)((p->bytes + 8 * c->ctas - 1) / (8 * c->ctas));
}

PROTOCOL_THREAD bool move_send(const struct move_call *c, struct move_here h,
                               struct protocol_channel *own, const struct move_part *p,
                               uint32_t call)
{
	const unsigned n = move_packets(c, p);
	struct protocol_packet *slot = protocol_packets(move_channel(c, p->peer, h.cta), c->nranks,
	                                                MOVE_PACKETS, call, c->me) +
	                               p->packet;
	for (unsigned i = h.thread; i < n; i += h.threads) {
		const size_t at = ((size_t)h.cta * n + i) * 8;
		if (at >= p->bytes)
			break;
		uint64_t word = move_load(c->from + p->from + at, p->bytes - at);
		if (i == h.thread &&
		    !protocol_await(own, p->peer, protocol_may_write(call, PROTOCOL_TURNS),
		                    c->limit_ns))
			return false;
		protocol_send(slot + i, call, (uint32_t)word, (uint32_t)(word >> 32));
	}
	return true;
}

PROTOCOL_THREAD bool move_receive(const struct move_call *c, struct move_here h,
                                  struct protocol_channel *own, const struct move_part *p,
                                  uint32_t call)
{
	const unsigned n = move_packets(c, p);
	const struct protocol_packet *slot =
	    protocol_packets(own, c->nranks, MOVE_PACKETS, call, p->peer) + p->packet;
	uint32_t low, high;
	for (unsigned i = h.thread; i < n; i += h.threads) {
		const size_t at = ((size_t)h.cta * n + i) * 8;
		if (at >= p->bytes)
			break;
		if (!protocol_take(own, p->peer, slot + i, call, c->limit_ns, &low, &high))
			return false;
		move_store(c->to + p->to + at, p->bytes - at, (uint64_t)high << 32 | low);
	}
	return true;
}

/* Block `b` of n copies its share of a part; shares end between two packets of the link. */
PROTOCOL_THREAD void move_share(const struct move_call *c, struct move_here h,
                                const struct move_part *p, char *to, unsigned b, unsigned n)
{
	const size_t packets = (p->bytes + MOVE_ALIGN - 1) / MOVE_ALIGN;
	const size_t first = packets * b / n * MOVE_ALIGN,
	             next = packets * (b + 1) / n * MOVE_ALIGN;
	const size_t end = next < p->bytes ? next : p->bytes;
	if (first < end)
		move_copy(c, h, to + p->to + first, c->from + p->from + first, end - first);
}

/* In place it is there already. */
PROTOCOL_THREAD void move_own(const struct move_call *c, struct move_here h, unsigned b, unsigned n)
{
	for (unsigned k = 0; k < c->nsends; k++)
		if (c->sends[k].peer == c->me &&
		    c->from + c->sends[k].from != c->to + c->sends[k].to)
			move_share(c, h, &c->sends[k], c->to, b, n);
}

PROTOCOL_THREAD bool move_by_packets(const struct move_call *c, struct move_here h,
                                     struct protocol_channel *own, uint32_t call)
{
	bool good = true;
	for (unsigned k = 0; good && k < c->nsends; k++)
		if (c->sends[k].peer != c->me)
			good = move_send(c, h, own, &c->sends[k], call);
	for (unsigned k = 0; good && k < c->nreceives; k++)
		good = move_receive(c, h, own, &c->receives[k], call);
	return good;
}

PROTOCOL_THREAD bool move_into_buffers(const struct move_call *c, struct move_here h,
                                       struct protocol_channel *own, uint32_t call)
{
	bool good = true;
	/* Blocks begin with different peers, so that all links are in use. */
	for (unsigned k = 0; k < c->nsends; k++) {
		const struct move_part *p = &c->sends[(k + h.cta) % c->nsends];
		if (p->peer == c->me)
			continue;
		if (h.thread == 0)
			good = protocol_await(own, p->peer, protocol_may_write(call, c->turns),
			                      c->limit_ns);
		if (move_any(h, !good))
			return false;
		move_share(c, h, p, c->recv + p->peer * c->recv_stride, h.cta, c->ctas);
	}
	move_flush(h);
	for (unsigned r = h.thread; r < c->nranks; r += h.threads)
		if (r != c->me)
			protocol_tell_done(&move_channel(c, r, h.cta)->inbox[c->me], call);
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
		move_own(c, h, h.cta - c->ctas, c->own_ctas);
		return;
	}
	struct protocol_channel *own = move_channel(c, c->me, h.cta);
	const uint32_t call = protocol_next(own->call);
	/* Whoever was waited for may have come by now: what this call wrote would pass for the failed one's. */
	if (move_any(h, protocol_read(&own->failed) != 0)) {
		if (h.thread == 0)
			move_tell_host(c->failed, protocol_read(&own->failed));
		return;
	}
	for (unsigned r = h.thread; r < c->nranks; r += h.threads)
		if (r != c->me)
			protocol_tell_begun(&move_channel(c, r, h.cta)->inbox[c->me], call);
	const bool good = c->way == MOVE_PACKET ? move_by_packets(c, h, own, call)
	                                        : move_into_buffers(c, h, own, call);
	if (!c->own_ctas)
		move_own(c, h, h.cta, c->ctas);
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
