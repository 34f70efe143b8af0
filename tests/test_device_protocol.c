/* Calls of `api = device` by threads in place of kernels, with the memory operations of
 * harness/backend/nccl/device_protocol.h: a thread is a rank's block, its buffers are plain memory. Ranks are
 * delayed at random; `make test SAN=thread` sees each access that the protocol does not order. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/backend/nccl/device_protocol.h"
#include "test.h"

#define RANKS   4
#define PACKETS 8 /* of a part, at most */
#define WORDS   (2 * PACKETS)
#define LIMIT   ((uint64_t)20e9)

enum pattern { ALL, RING, PAIRS, PATTERNS };
enum kind { SMALL, ENTRY, ALTERNATING, KINDS };

struct job {
	unsigned nranks, calls, slow; /* slow: this rank is late in each step */
	uint32_t last;                /* the number of the call before the first */
	uint64_t seed, limit_ns;      /* limit_ns: of the call in which a rank dies */
	unsigned dies, dies_at;       /* this rank ends in its call dies_at; RANKS: none */
	bool tells;                   /* after it has told that it began; */
	uint32_t dead;                /* it has ended */
	struct rank {
		struct job *of;
		unsigned me;
		pthread_t thread;
		struct protocol_channel *own;
		uint32_t send[RANKS][WORDS], buffers[3][RANKS][WORDS];
		unsigned ended, wrong; /* calls */
		uint64_t random;
	} ranks[RANKS];
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x7fb5d329728ea185;
	x = (x ^ x >> 27) * 0x81dadef4bc2dd44d;
	return x ^ x >> 33;
}

/* The same on all ranks. */
struct plan {
	enum pattern pattern;
	enum kind kind;
	unsigned packets;
};

static struct plan plan_of(const struct job *job, unsigned call)
{
	uint64_t h = mix(job->seed + call);
	return (struct plan){(enum pattern)(h % PATTERNS), (enum kind)(h / 8 % KINDS),
	                     1 + (unsigned)(h / 64 % PACKETS)};
}

static bool sends(const struct job *job, enum pattern pattern, unsigned from, unsigned to)
{
	if (from == to)
		return false;
	if (pattern == RING)
		return to == (from + 1) % job->nranks;
	return pattern == ALL || (to == (from ^ 1));
}

static uint32_t value(unsigned call, unsigned from, unsigned to, unsigned i)
{
	return (uint32_t)mix(((uint64_t)call * RANKS + from) * RANKS * WORDS + to * WORDS + i);
}

static void delay(struct rank *r)
{
	r->random = mix(r->random + 1);
	unsigned us = r->random % 16 == 0 ? r->random / 16 % 100 : 0;
	if (r->of->slow == r->me)
		us += r->random / 4096 % 50;
	if (us)
		clock_sleep_until(clock_now_ns() + us * 1000);
}

/* Step 3 of a small call: into the peers' slots. */
static void send_packets(struct rank *r, const struct plan *plan, uint32_t call)
{
	struct job *job = r->of;
	for (unsigned to = 0; to < job->nranks; to++) {
		if (!sends(job, plan->pattern, r->me, to))
			continue;
		struct protocol_packet *at =
		    protocol_packets(job->ranks[to].own, job->nranks, PACKETS, call, r->me);
		for (unsigned i = 0; i < plan->packets; i++)
			protocol_send(&at[i], call, r->send[to][2 * i], r->send[to][2 * i + 1]);
		delay(r);
	}
}

static bool take_packets(struct rank *r, const struct plan *plan, uint32_t call,
                         uint32_t (*to)[WORDS], uint64_t limit_ns)
{
	struct job *job = r->of;
	for (unsigned from = 0; from < job->nranks; from++) {
		if (!sends(job, plan->pattern, from, r->me))
			continue;
		struct protocol_packet *at =
		    protocol_packets(r->own, job->nranks, PACKETS, call, from);
		for (unsigned i = 0; i < plan->packets; i++)
			if (!protocol_take(r->own, from, &at[i], call, limit_ns, &to[from][2 * i],
			                   &to[from][2 * i + 1]))
				return false;
		delay(r);
	}
	return true;
}

/* Steps 3 and 4 of a large call. */
static void write_buffers(struct rank *r, const struct plan *plan, uint32_t call, unsigned buffer)
{
	struct job *job = r->of;
	for (unsigned to = 0; to < job->nranks; to++)
		if (sends(job, plan->pattern, r->me, to)) {
			memcpy(job->ranks[to].buffers[buffer][r->me], r->send[to],
			       2 * plan->packets * sizeof **r->send);
			delay(r);
		}
	for (unsigned to = 0; to < job->nranks; to++)
		if (sends(job, plan->pattern, r->me, to))
			protocol_tell_done(&job->ranks[to].own->inbox[r->me], call);
}

static bool await_all(struct rank *r, const struct plan *plan, bool of_receivers, uint32_t wanted,
                      uint64_t limit_ns)
{
	const struct job *job = r->of;
	for (unsigned peer = 0; peer < job->nranks; peer++)
		if ((of_receivers ? sends(job, plan->pattern, r->me, peer)
		                  : sends(job, plan->pattern, peer, r->me)) &&
		    !protocol_await(r->own, peer, wanted, limit_ns))
			return false;
	return true;
}

/* One call of one rank; false: its channel has failed, or the rank died. */
static bool call_once(struct rank *r, const struct plan *plan, unsigned buffer, bool dies,
                      uint64_t limit_ns)
{
	struct job *job = r->of;
	uint32_t call = protocol_next(r->own->call);
	if (protocol_read(&r->own->failed) || (dies && !job->tells))
		return false;
	for (unsigned peer = 0; peer < job->nranks; peer++)
		if (peer != r->me)
			protocol_tell_begun(&job->ranks[peer].own->inbox[r->me], call);
	if (dies)
		return false;
	delay(r);
	if (!await_all(r, plan, true,
	               protocol_may_write(call, plan->kind == ENTRY ? 1 : PROTOCOL_TURNS),
	               limit_ns))
		return false;
	if (plan->kind == SMALL) {
		send_packets(r, plan, call);
		if (!take_packets(r, plan, call, r->buffers[buffer], limit_ns))
			return false;
	} else {
		write_buffers(r, plan, call, buffer);
		if (!await_all(r, plan, false, protocol_done(call), limit_ns))
			return false;
	}
	if (protocol_wipes(call))
		for (unsigned from = 0; from < job->nranks; from++)
			for (unsigned i = 0; i < PACKETS; i++)
				protocol_write(
				    &protocol_packets(r->own, job->nranks, PACKETS, call, from)[i],
				    0, 0);
	r->own->call = call;
	return true;
}

static void *rank_main(void *arg)
{
	struct rank *r = arg;
	struct job *job = r->of;
	for (unsigned k = 0; k < job->calls; k++) {
		const struct plan plan = plan_of(job, k);
		unsigned buffer = plan.kind == ALTERNATING ? k % 2 : 2;
		/* The buffer is free only from here on, or since the call before has begun: it is written
		 * to in between. */
		if (plan.kind != ALTERNATING)
			memset(r->buffers[buffer], 0xff, sizeof r->buffers[buffer]);
		for (unsigned to = 0; to < job->nranks; to++)
			for (unsigned i = 0; i < WORDS; i++)
				r->send[to][i] = value(k, r->me, to, i);
		delay(r);
		bool last = job->dies < RANKS && job->dies_at == k,
		     dies = last && job->dies == r->me;
		while (last && !dies && !protocol_read(&job->dead))
			sched_yield();
		if (!call_once(r, &plan, buffer, dies, last ? job->limit_ns : LIMIT)) {
			protocol_keep(&job->dead, 1);
			break;
		}
		for (unsigned from = 0; from < job->nranks; from++)
			for (unsigned i = 0; i < 2 * plan.packets; i++)
				r->wrong += sends(job, plan.pattern, from, r->me) &&
				            r->buffers[buffer][from][i] != value(k, from, r->me, i);
		/* Read: from here on it is of no use. */
		if (plan.kind == ALTERNATING)
			memset(r->buffers[buffer], 0xff, sizeof r->buffers[buffer]);
		r->ended = k + 1;
	}
	return NULL;
}

static void run(struct job *job)
{
	for (unsigned i = 0; i < job->nranks; i++) {
		struct rank *r = &job->ranks[i];
		size_t bytes = protocol_channel_bytes(job->nranks, PACKETS);
		*r = (struct rank){.of = job, .me = i, .random = mix(job->seed * RANKS + i)};
		r->own = calloc(1, bytes);
		assert_non_null(r->own);
		r->own->call = job->last;
		for (unsigned from = 0; from < job->nranks; from++)
			r->own->inbox[from] = protocol_done(job->last);
		/* What calls with these numbers left, long ago; they come again after the wrap. */
		struct protocol_packet *old = protocol_packets(r->own, job->nranks, PACKETS, 0, 0);
		for (unsigned k = 0; job->last && k < PROTOCOL_TURNS * job->nranks * PACKETS; k++)
			protocol_send(&old[k], 3 + k % 8, 0xdead, 0xdead);
	}
	for (unsigned i = 0; i < job->nranks; i++)
		assert_int_equal(
		    pthread_create(&job->ranks[i].thread, NULL, rank_main, &job->ranks[i]), 0);
	for (unsigned i = 0; i < job->nranks; i++)
		pthread_join(job->ranks[i].thread, NULL);
}

static void drop(struct job *job)
{
	for (unsigned i = 0; i < job->nranks; i++)
		free(job->ranks[i].own);
}

/* Nobody is slow, then each rank in turn. */
static void all_arrives(uint32_t last)
{
	for (unsigned nranks = 2; nranks <= RANKS; nranks++)
		for (unsigned slow = 0; slow <= nranks; slow++) {
			static struct job job;
			job = (struct job){.nranks = nranks,
			                   .calls = 100,
			                   .slow = slow ? slow - 1 : RANKS,
			                   .last = last,
			                   .seed = 1000 * nranks + slow,
			                   .dies = RANKS};
			run(&job);
			for (unsigned i = 0; i < nranks; i++) {
				assert_int_equal(job.ranks[i].ended, job.calls);
				assert_int_equal(job.ranks[i].wrong, 0);
				assert_int_equal(job.ranks[i].own->failed, 0);
			}
			drop(&job);
		}
}

TEST(every_call_is_complete_whichever_rank_is_late)
{
	all_arrives(0);
}

TEST(numbers_wrap_and_old_packets_do_not_pass_for_new)
{
	all_arrives(PROTOCOL_MASK / 2 - 20);
}

/* The words of the header, each in every place. */
TEST(numbers_of_calls_never_are_zero_and_words_grow)
{
	uint32_t call = PROTOCOL_MASK / 2 - 3, next;
	unsigned wiped = 0;
	for (unsigned i = 0; i < 8; i++, call = next) {
		next = protocol_next(call);
		assert_int_not_equal(next, 0);
		assert_true(protocol_reached(protocol_done(call), protocol_begun(call)));
		assert_false(protocol_reached(protocol_begun(call), protocol_done(call)));
		assert_true(protocol_reached(protocol_begun(next), protocol_done(call)));
		assert_false(protocol_reached(protocol_done(call), protocol_begun(next)));
		assert_false(protocol_reached(protocol_done(call), protocol_may_write(next, 1)));
		wiped |= protocol_wipes(call) << protocol_slot(call);
	}
	assert_int_equal(wiped, (1 << PROTOCOL_TURNS) - 1);
}

static void ends_with(bool tells, enum pattern pattern, enum kind kind,
                      enum protocol_awaited awaited)
{
	static struct job job;
	job = (struct job){.nranks = 2, .slow = RANKS, .limit_ns = 10000000, .dies = 1};
	job.tells = tells;
	for (job.dies_at = 5;; job.dies_at++) {
		struct plan plan = plan_of(&job, job.dies_at);
		if (plan.pattern == pattern && plan.kind == kind)
			break;
	}
	job.calls = job.dies_at + 2;
	run(&job);
	const struct rank *living = &job.ranks[0];
	assert_int_equal(living->ended, job.dies_at);
	assert_int_equal(living->wrong, 0);
	assert_int_not_equal(living->own->failed, 0);
	assert_int_equal(protocol_failed_peer(living->own->failed), 1);
	assert_int_equal(protocol_failed_for(living->own->failed), awaited);
	/* Its next call ends without a wait, and tells nobody of it. */
	struct rank *again = &job.ranks[0];
	const struct plan plan = plan_of(&job, job.dies_at);
	uint32_t told = job.ranks[1].own->inbox[0];
	assert_false(call_once(again, &plan, 2, false, LIMIT));
	assert_int_equal(job.ranks[1].own->inbox[0], told);
	drop(&job);
}

TEST(a_rank_that_dies_ends_the_others_with_its_number_and_what_was_awaited)
{
	ends_with(false, ALL, SMALL, PROTOCOL_DATA);
	ends_with(false, RING, ENTRY, PROTOCOL_BEGIN);
	ends_with(true, RING, ENTRY, PROTOCOL_END);
	ends_with(true, ALL, ALTERNATING, PROTOCOL_END);
	ends_with(true, PAIRS, SMALL, PROTOCOL_DATA);
}

TESTS(0);
