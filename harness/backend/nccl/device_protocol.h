/* How ranks that write into each other's memory agree, in calls of `api = device`: of the kernels,
 * of the host that lays out their memory, and of tests/test_device_protocol.c.
 *
 * A channel is what one thread block of each rank shares with that block of every other rank. In a
 * call all ranks run the same channels, one call at a time; a channel counts the calls that run it.
 * In its own memory, where all ranks can write, a rank has per channel an inbox word from each
 * peer, and slots for packets.
 *
 * A call, of every rank, if it takes part or not, but not after a failure of its channel:
 *   1. call = protocol_next(the last one); tell every peer protocol_begun(call).
 *   2. Await, of each rank that is written to, protocol_may_write(call, turns).
 *   3. Write: into its buffer, or packets into its slot protocol_slot(call).
 *   4. Buffers: after all writes, tell those ranks protocol_done(call).
 *   5. Await protocol_done(call) of each rank that writes here; or take its packets.
 *   6. If protocol_wipes(call): zero this call's slot, whatever was sent. Keep `call`.
 *
 * Why that is right. A kernel begins when all earlier work of its stream has ended, so that "begun
 * call" says: all that was here for earlier calls is read, and the receive buffer is free. Memory
 * that is used in turns of n is last used n calls ago, hence the wait for call + 1 - n:
 *   turns = 1              a buffer of the caller's, NCCL's contract: an entry barrier
 *   turns = PROTOCOL_TURNS slots; or receive buffers that the caller alternates ("without entry
 *                          barrier"): this call's was free when the channel's last call began,
 *                          the caller's last call if every call runs the same channels
 * The second wait ends at once where each rank hears from each in every call, as in alltoall: the
 * peer had to begin the last call for it to end here. In a ring it keeps fast ranks from running
 * ahead. After 5 all that was sent here has arrived; what is sent was read by this rank itself, so
 * that the send buffer is free.
 *
 * Who writes: an inbox word has one writer, its values only grow (by 2 per call: begun, and done if
 * it wrote there), and every call writes all of them, so that no word ever lags by half of its
 * range. Memory is zeroed before any rank gets its address: zero is what no call has written. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __CUDACC__
#define PROTOCOL_FN static __host__ __device__ __forceinline__
#else
#define PROTOCOL_FN static inline
#endif

#define PROTOCOL_MASK 0xffffffffu /* of a word */

enum {
	PROTOCOL_TURNS = 2, /* slots */
	PROTOCOL_RANKS = 61,
};

/* Calls are numbered from 1 to half of the mask, and from 1 again: 0 is what zeroed memory holds.
 * The last number and the first have one slot; call 1 then waits for begun(0), which no earlier
 * word has reached, and so until its peers have begun it too. */
PROTOCOL_FN uint32_t protocol_next(uint32_t call)
{
	return call == PROTOCOL_MASK / 2 ? 1 : call + 1;
}

PROTOCOL_FN unsigned protocol_slot(uint32_t call)
{
	return call % PROTOCOL_TURNS;
}

/* Words of an inbox. */
PROTOCOL_FN uint32_t protocol_begun(uint32_t call)
{
	return 2 * call & PROTOCOL_MASK;
}

PROTOCOL_FN uint32_t protocol_done(uint32_t call)
{
	return (2 * call + 1) & PROTOCOL_MASK;
}

/* Whether a word has come as far as wanted, also where numbers wrap between the two. */
PROTOCOL_FN bool protocol_reached(uint32_t word, uint32_t wanted)
{
	return ((word - wanted) & PROTOCOL_MASK) <= PROTOCOL_MASK / 2;
}

/* What a peer has to have told before its memory may be written that is used in so many turns. */
PROTOCOL_FN uint32_t protocol_may_write(uint32_t call, unsigned turns)
{
	return protocol_begun(call + 1 - turns);
}

/* In a slot's last call before numbers come again: what it holds would pass for new then. */
PROTOCOL_FN bool protocol_wipes(uint32_t call)
{
	return call > PROTOCOL_MASK / 2 - PROTOCOL_TURNS;
}

/* Twelve bytes of data and the call that they are of, in one store of 16 bytes, so that none
 * arrives without the others. */
struct protocol_packet {
	uint32_t data[3], call;
} __attribute__((aligned(16)));

/* A channel of a rank, in its own memory; its slots follow. */
struct protocol_channel {
	uint32_t call;                  /* the last one; written by this rank alone, */
	uint32_t failed;                /* as this: 0, or protocol_failure; it stays */
	uint32_t round;                 /* how far the next rank is: protocol_round */
	uint32_t inbox[PROTOCOL_RANKS]; /* from each rank */
};

/* Of a channel with room for so many packets from each rank. */
PROTOCOL_FN size_t protocol_channel_bytes(unsigned nranks, unsigned packets)
{
	return sizeof(struct protocol_channel) +
	       sizeof(struct protocol_packet) * PROTOCOL_TURNS * nranks * packets;
}

/* The first packet of a call from one rank. */
PROTOCOL_FN struct protocol_packet *protocol_packets(struct protocol_channel *of, unsigned nranks,
                                                     unsigned packets, uint32_t call, unsigned from)
{
	return (struct protocol_packet *)(of + 1) +
	       (size_t)(protocol_slot(call) * nranks + from) * packets;
}

/* What was waited for when the time was over. */
enum protocol_awaited { PROTOCOL_BEGIN, PROTOCOL_END, PROTOCOL_DATA };

PROTOCOL_FN uint32_t protocol_failure(unsigned peer, enum protocol_awaited awaited)
{
	return 1 + peer * 4 + (uint32_t)awaited;
}

PROTOCOL_FN unsigned protocol_failed_peer(uint32_t failed)
{
	return (failed - 1) / 4;
}

PROTOCOL_FN enum protocol_awaited protocol_failed_for(uint32_t failed)
{
	return (enum protocol_awaited)((failed - 1) % 4);
}

/* --- memory: of the device, or of threads of the host
 * ------------------------------------------ */

#if defined(__CUDACC__)
#define PROTOCOL_THREAD static __device__ __forceinline__

PROTOCOL_THREAD uint64_t protocol_now_ns(void)
{
	uint64_t t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

/* Needs no release: what it tells of ended with the kernels before this one. */
PROTOCOL_THREAD void protocol_tell_begun(uint32_t *inbox, uint32_t call)
{
	asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(inbox), "r"(protocol_begun(call))
	             : "memory");
}

/* Of one thread, after a barrier of all that wrote. */
PROTOCOL_THREAD void protocol_tell_done(uint32_t *inbox, uint32_t call)
{
	asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(inbox), "r"(protocol_done(call))
	             : "memory");
}

PROTOCOL_THREAD uint32_t protocol_read(const uint32_t *word)
{
	uint32_t value;
	asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
	return value;
}

/* For spins: an acquire load in a loop slows those of other threads. */
PROTOCOL_THREAD uint32_t protocol_peek(const uint32_t *word)
{
	uint32_t value;
	asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
	return value;
}

PROTOCOL_THREAD void protocol_keep(uint32_t *word, uint32_t value)
{
	asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/* Of 16 bytes; 128-bit stores are PTX 8.3's. */
PROTOCOL_THREAD void protocol_write(struct protocol_packet *to, struct protocol_packet packet)
{
	asm volatile("{ .reg .b64 a, b; .reg .b128 p; mov.b64 a, {%1, %2}; mov.b64 b, {%3, %4};\n"
	             "mov.b128 p, {a, b}; st.relaxed.sys.global.b128 [%0], p; }" ::"l"(to),
	             "r"(packet.data[0]), "r"(packet.data[1]), "r"(packet.data[2]), "r"(packet.call)
	             : "memory");
}

PROTOCOL_THREAD struct protocol_packet protocol_look(const struct protocol_packet *at)
{
	struct protocol_packet p;
	asm volatile("{ .reg .b64 a, b; .reg .b128 p; ld.relaxed.sys.global.b128 p, [%4];\n"
	             "mov.b128 {a, b}, p; mov.b64 {%0, %1}, a; mov.b64 {%2, %3}, b; }"
	             : "=r"(p.data[0]), "=r"(p.data[1]), "=r"(p.data[2]), "=r"(p.call)
	             : "l"(at)
	             : "memory");
	return p;
}

#else
#define PROTOCOL_THREAD static inline

#include <sched.h>

#include "../../clock.h"

/* Of threads there may be more than cores: another one runs first. */
PROTOCOL_THREAD uint64_t protocol_now_ns(void)
{
	sched_yield();
	return (uint64_t)clock_now_ns();
}

PROTOCOL_THREAD void protocol_tell_begun(uint32_t *inbox, uint32_t call)
{
	__atomic_store_n(inbox, protocol_begun(call), __ATOMIC_RELEASE);
}

PROTOCOL_THREAD void protocol_tell_done(uint32_t *inbox, uint32_t call)
{
	__atomic_store_n(inbox, protocol_done(call), __ATOMIC_RELEASE);
}

PROTOCOL_THREAD uint32_t protocol_read(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

PROTOCOL_THREAD uint32_t protocol_peek(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

PROTOCOL_THREAD void protocol_keep(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* No more than 8 bytes go in one store: the call comes last. */
PROTOCOL_THREAD void protocol_write(struct protocol_packet *to, struct protocol_packet packet)
{
	for (unsigned i = 0; i < 3; i++)
		__atomic_store_n(&to->data[i], packet.data[i], __ATOMIC_RELAXED);
	__atomic_store_n(&to->call, packet.call, __ATOMIC_RELEASE);
}

PROTOCOL_THREAD struct protocol_packet protocol_look(const struct protocol_packet *at)
{
	struct protocol_packet p = {.call = __atomic_load_n(&at->call, __ATOMIC_ACQUIRE)};
	for (unsigned i = 0; i < 3; i++)
		p.data[i] = __atomic_load_n(&at->data[i], __ATOMIC_RELAXED);
	return p;
}
#endif

/* --- waiting, for a bounded time
 * ---------------------------------------------------------------- */

enum { PROTOCOL_LOOKS = 256 }; /* between readings of the clock */

/* A wait of one thread: {.limit_ns = …}. */
struct protocol_wait {
	uint64_t limit_ns, since_ns; /* 0: the clock was not read yet */
	unsigned looks;
};

/* After a look in vain: whether to look again. Once a wait took too long, all later ones of this
 * channel end as soon, and the channel is dead: whoever comes late may still write here, so that
 * its memory has to stay until every rank has left. */
PROTOCOL_THREAD bool protocol_again(struct protocol_channel *own, struct protocol_wait *w,
                                    unsigned peer, enum protocol_awaited awaited)
{
	if (++w->looks % PROTOCOL_LOOKS)
		return true;
	if (protocol_read(&own->failed))
		return false;
	uint64_t now = protocol_now_ns();
	if (!w->since_ns)
		w->since_ns = now;
	if (now - w->since_ns <= w->limit_ns)
		return true;
	protocol_keep(&own->failed, protocol_failure(peer, awaited));
	return false;
}

/* Until the peer's word here has come as far as wanted. false: the channel has failed. */
PROTOCOL_THREAD bool protocol_await(struct protocol_channel *own, unsigned peer, uint32_t wanted,
                                    uint64_t limit_ns)
{
	struct protocol_wait w = {limit_ns, 0, 0};
	while (!protocol_reached(protocol_peek(&own->inbox[peer]), wanted))
		if (!protocol_again(own, &w, peer, wanted & 1 ? PROTOCOL_END : PROTOCOL_BEGIN))
			return false;
	protocol_read(&own->inbox[peer]);
	return true;
}

/* Until a packet of the call has come. */
PROTOCOL_THREAD bool protocol_take(struct protocol_channel *own, unsigned peer,
                                   const struct protocol_packet *at, uint32_t call,
                                   uint64_t limit_ns, struct protocol_packet *out)
{
	struct protocol_wait w = {limit_ns, 0, 0};
	struct protocol_packet p;
	while ((p = protocol_look(at)).call != call)
		if (!protocol_again(own, &w, peer, PROTOCOL_DATA))
			return false;
	*out = p;
	return true;
}

/* --- rounds: a hint, on which nothing rests but speed
 * ------------------------------------------- */

/* In round k rank r writes to r + k, and so each rank is written to by one. Who ends a round tells
 * the rank before it, which has the same target next. */
PROTOCOL_FN uint32_t protocol_round(uint32_t call, unsigned k)
{
	return call * 2 * PROTOCOL_RANKS + k;
}

PROTOCOL_THREAD bool protocol_await_round(struct protocol_channel *own, unsigned next,
                                          uint32_t wanted, uint64_t limit_ns)
{
	struct protocol_wait w = {limit_ns, 0, 0};
	while ((int32_t)(protocol_peek(&own->round) - wanted) < 0)
		if (!protocol_again(own, &w, next, PROTOCOL_BEGIN))
			return false;
	return true;
}
