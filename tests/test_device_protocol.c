/* Calls of `api = device` by threads in place of kernels: the code of the kernel's thread blocks
 * (harness/backend/nccl/nccl_move_block.h) and its protocol, over plain memory. Ranks are delayed
 * at random; `make test SAN=thread` sees each access that the protocol does not order. */
#include <pthread.h>
#include <sched.h>

#include "../harness/clock.h"
#include "test.h"

/* A rank may wait for one that has no core. */
#define clock_relax() sched_yield()
#include "../harness/backend/nccl/nccl_move.h"

#define RANKS    4
#define CTAS     2
#define OWN_CTAS 1
#define THREADS  2
#define PART     1000 /* bytes, at most */
#define TILE     MOVE_ALIGN
#define STRIDE   31 /* a prime beyond the tiles of all peers */
#define BUFFER   (RANKS * (PART + 8))
#define BUFFERS  3 /* two that alternate, and one for all other calls */
#define LIMIT    ((uint64_t)60e9)

enum pattern { ALL, RING, PAIRS, PATTERNS };
enum kind { SMALL, ENTRY, ALTERNATING, KINDS };

/* What the threads of a block share. */
struct block {
	pthread_barrier_t meets;
	bool bad[2];
	struct rank *of;
};

struct move_here {
	unsigned cta, thread, threads;
	struct block *block;
	uint64_t *random;
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x7fb5d329728ea185;
	x = (x ^ x >> 27) * 0x81dadef4bc2dd44d;
	return x ^ x >> 33;
}

static void delay(struct move_here h);

static bool move_any(struct move_here h, bool bad)
{
	bool *any = h.block->bad;
	delay(h);
	if (bad)
		__atomic_store_n(&any[0], true, __ATOMIC_RELAXED);
	pthread_barrier_wait(&h.block->meets);
	const bool is = __atomic_load_n(&any[0], __ATOMIC_RELAXED);
	pthread_barrier_wait(&h.block->meets);
	__atomic_store_n(&any[0], false, __ATOMIC_RELAXED);
	pthread_barrier_wait(&h.block->meets);
	return is;
}

static void move_warp(struct move_here h)
{
	(void)h;
}

static void move_flush(const struct move_call *c, struct move_here h)
{
	(void)c;
	move_any(h, false);
}

struct move_call;
static void move_copy(const struct move_call *c, struct move_here h, char *to, const char *from,
                      size_t bytes)
{
	(void)c;
	delay(h);
	for (size_t i = h.thread; i < bytes; i += h.threads)
		to[i] = from[i];
}

static void move_tell_host(uint32_t *failed, uint32_t failure)
{
	__atomic_store_n(failed, failure, __ATOMIC_RELEASE);
}

#include "../harness/backend/nccl/nccl_move_block.h"

struct job {
	unsigned nranks, calls, slow; /* slow: this rank is late in each step */
	uint32_t last;                /* the number of the call before the first */
	uint64_t seed;
	bool varies;           /* channels from call to call; then no buffers alternate */
	char *channels, *recv; /* of all ranks */
	struct rank {
		struct job *of;
		unsigned me;
		pthread_t thread;
		char send[BUFFER];
		struct move_call call;
		uint32_t failed;
		unsigned ended, wrong; /* calls; bytes */
		uint64_t random[CTAS + OWN_CTAS][THREADS];
	} ranks[RANKS];
};

static size_t channels_bytes(const struct job *job)
{
	return CTAS * protocol_channel_bytes(job->nranks, MOVE_PACKETS);
}

static void delay(struct move_here h)
{
	const struct rank *r = h.block->of;
	*h.random = mix(*h.random + 1);
	unsigned us = *h.random % 16 == 0 ? *h.random / 16 % 100 : 0;
	if (r->of->slow == r->me)
		us += *h.random / 4096 % 50;
	if (us)
		clock_sleep_until(clock_now_ns() + us * 1000);
}

/* The same on all ranks. */
struct plan {
	enum pattern pattern;
	enum kind kind;
	unsigned ctas, own_ctas, shift; /* shift: of where parts begin */
	bool halves;                    /* two parts in place of each */
	bool rounds;                    /* none of them is empty then */
	uint64_t seed;                  /* of the parts' sizes */
};

static struct plan plan_of(const struct job *job, unsigned call)
{
	uint64_t h = mix(job->seed + call);
	const enum pattern pattern = (enum pattern)(h % PATTERNS);
	return (struct plan){.pattern = pattern,
	                     .rounds = pattern == ALL && h / 1024 % 2 == 0,
	                     .kind = (enum kind)(h / 8 % (job->varies ? ALTERNATING : KINDS)),
	                     .ctas = job->varies ? 1 + (unsigned)(h / 32 % CTAS) : CTAS,
	                     .own_ctas = h / 64 % 2 ? OWN_CTAS : 0,
	                     .shift = h / 128 % 8,
	                     .halves = h / 1024 % 2,
	                     .seed = mix(h)};
}

static bool sends(const struct job *job, enum pattern pattern, unsigned from, unsigned to)
{
	if (from == to)
		return pattern == ALL;
	if (pattern == RING)
		return to == (from + 1) % job->nranks;
	return pattern == ALL || to == (from ^ 1);
}

static char value(unsigned call, unsigned from, unsigned to, size_t i)
{
	return (char)mix((((uint64_t)call * RANKS + from) * RANKS + to) * PART + i);
}

/* Of a part: each has its own, and some are empty, if nobody is to wait for one in vain. */
static size_t bytes_of(const struct plan *plan, unsigned from, unsigned to)
{
	const uint64_t h = mix(plan->seed + from * RANKS + to);
	return h % 8 == 0 && !plan->rounds ? 0 : 1 + h / 8 % PART;
}

/* Parts begin where neither end need be aligned. */
static void add_parts(const struct plan *plan, struct move_part *parts, unsigned *n, unsigned peer,
                      unsigned from, unsigned to)
{
	const size_t bytes = bytes_of(plan, from, to), group = (size_t)MOVE_WORD * plan->ctas;
	unsigned packet = 0;
	for (size_t at = 0, part; at < bytes; at += part) {
		part = plan->halves && !at ? (bytes + 1) / 2 : bytes - at;
		const unsigned packets = from == to ? 0 : (unsigned)((part + group - 1) / group);
		parts[(*n)++] = (struct move_part){.peer = peer,
		                                   .packet = packet,
		                                   .packets = packets,
		                                   .tiles = (unsigned)((part + TILE - 1) / TILE),
		                                   .from = to * (PART + 8) + plan->shift + at,
		                                   .to = from * (PART + 8) + at,
		                                   .bytes = part};
		packet += packets;
	}
}

static char *buffer_of(const struct job *job, unsigned rank, unsigned buffer)
{
	return job->recv + ((size_t)rank * BUFFERS + buffer) * BUFFER;
}

static void prepare(struct rank *r, const struct plan *plan, unsigned buffer)
{
	struct job *job = r->of;
	struct move_call *c = &r->call;
	*c = (struct move_call){.channels = job->channels,
	                        .recv = buffer_of(job, 0, buffer),
	                        .channels_stride = channels_bytes(job),
	                        .recv_stride = BUFFERS * BUFFER,
	                        .from = r->send,
	                        .to = buffer_of(job, r->me, buffer),
	                        .failed = &r->failed,
	                        .limit_ns = LIMIT,
	                        .me = r->me,
	                        .nranks = job->nranks,
	                        .way = plan->kind == SMALL ? MOVE_PACKET : MOVE_STORE,
	                        .turns = plan->kind == ENTRY ? 1 : PROTOCOL_TURNS,
	                        .rounds = plan->rounds,
	                        .tile = TILE,
	                        .stride = STRIDE,
	                        .ctas = plan->ctas,
	                        .own_ctas = plan->own_ctas};
	for (unsigned k = 1; k <= job->nranks; k++) {
		const unsigned i = (r->me + k) % job->nranks;
		if (sends(job, plan->pattern, r->me, i))
			add_parts(plan, c->sends, &c->nsends, i, r->me, i);
		if (i != r->me && sends(job, plan->pattern, i, r->me))
			add_parts(plan, c->receives, &c->nreceives, i, i, r->me);
	}
}

/* --- a kernel: a thread for each of its blocks' threads --- */

struct lane {
	const struct move_call *call;
	struct move_here here;
	pthread_t thread;
};

static void *lane_main(void *arg)
{
	const struct lane *l = arg;
	move_block(l->call, l->here);
	return NULL;
}

static void kernel(struct rank *r)
{
	struct block blocks[CTAS + OWN_CTAS];
	struct lane lanes[CTAS + OWN_CTAS][THREADS];
	const unsigned all = r->call.ctas + r->call.own_ctas;
	for (unsigned b = 0; b < all; b++) {
		blocks[b] = (struct block){.of = r};
		pthread_barrier_init(&blocks[b].meets, NULL, THREADS);
		for (unsigned t = 0; t < THREADS; t++) {
			lanes[b][t] = (struct lane){
			    &r->call, {b, t, THREADS, &blocks[b], &r->random[b][t]}, 0};
			assert_int_equal(
			    pthread_create(&lanes[b][t].thread, NULL, lane_main, &lanes[b][t]), 0);
		}
	}
	for (unsigned b = 0; b < all; b++) {
		for (unsigned t = 0; t < THREADS; t++)
			pthread_join(lanes[b][t].thread, NULL);
		pthread_barrier_destroy(&blocks[b].meets);
	}
}

/* --- a rank: a stream of them, and a caller who uses its buffers --- */

static void check(struct rank *r, const struct plan *plan, unsigned call)
{
	for (unsigned from = 0; from < r->of->nranks; from++)
		for (size_t i = 0; i < bytes_of(plan, from, r->me); i++)
			r->wrong +=
			    sends(r->of, plan->pattern, from, r->me) &&
			    r->call.to[from * (PART + 8) + i] != value(call, from, r->me, i);
}

static void *rank_main(void *arg)
{
	struct rank *r = arg;
	struct job *job = r->of;
	for (unsigned k = 0; k < job->calls; k++) {
		const struct plan plan = plan_of(job, k);
		prepare(r, &plan, plan.kind == ALTERNATING ? k % 2 : BUFFERS - 1);
		/* An alternating buffer is free since the call before began. */
		if (plan.kind != ALTERNATING)
			memset(r->call.to, 0xff, BUFFER);
		for (unsigned to = 0; to < job->nranks; to++)
			for (size_t i = 0; i < bytes_of(&plan, r->me, to); i++)
				r->send[to * (PART + 8) + plan.shift + i] = value(k, r->me, to, i);
		kernel(r);
		if (r->failed)
			break;
		check(r, &plan, k);
		/* Read, and of no more use. */
		memset(r->call.to, 0xff, BUFFER);
		r->ended = k + 1;
	}
	return NULL;
}

static struct protocol_channel *channel_of(const struct job *job, unsigned rank, unsigned b)
{
	return (struct protocol_channel *)(void *)(job->channels + rank * channels_bytes(job) +
	                                           b * protocol_channel_bytes(job->nranks,
	                                                                      MOVE_PACKETS));
}

/* What calls with these numbers left, long ago: they come again after the wrap. */
static void age(struct job *job, struct protocol_channel *own)
{
	own->call = job->last;
	for (unsigned from = 0; from < job->nranks; from++)
		own->inbox[from] = protocol_done(job->last);
	struct protocol_packet *old = protocol_packets(own, job->nranks, MOVE_PACKETS, 0, 0);
	for (unsigned k = 0; k < PROTOCOL_TURNS * job->nranks * MOVE_PACKETS; k++)
		protocol_write(&old[k],
		               (struct protocol_packet){{0xdead, 0xdead, 0xdead}, 3 + k % 8});
}

static void run(struct job *job)
{
	job->channels = calloc(job->nranks, channels_bytes(job));
	job->recv = calloc((size_t)job->nranks * BUFFERS, BUFFER);
	assert_non_null(job->channels);
	assert_non_null(job->recv);
	for (unsigned i = 0; i < job->nranks; i++) {
		struct rank *r = &job->ranks[i];
		*r = (struct rank){.of = job, .me = i};
		for (unsigned k = 0; k < (CTAS + OWN_CTAS) * THREADS; k++)
			r->random[k / THREADS][k % THREADS] = mix(job->seed * 64 + i * 8 + k);
		for (unsigned b = 0; job->last && b < CTAS; b++)
			age(job, channel_of(job, i, b));
	}
	for (unsigned i = 0; i < job->nranks; i++)
		assert_int_equal(
		    pthread_create(&job->ranks[i].thread, NULL, rank_main, &job->ranks[i]), 0);
	for (unsigned i = 0; i < job->nranks; i++)
		pthread_join(job->ranks[i].thread, NULL);
}

static void drop(struct job *job)
{
	free(job->channels);
	free(job->recv);
}

/* Nobody is slow, then each rank in turn. */
static void all_arrives(unsigned calls, uint32_t last)
{
	for (unsigned nranks = 2; nranks <= RANKS; nranks++)
		for (unsigned slow = 0; slow <= nranks; slow++) {
			static struct job job;
			job = (struct job){.nranks = nranks,
			                   .calls = calls,
			                   .slow = slow ? slow - 1 : RANKS,
			                   .last = last,
			                   .varies = slow % 2,
			                   .seed = 1000 * nranks + slow};
			run(&job);
			for (unsigned i = 0; i < nranks; i++) {
				assert_int_equal(job.ranks[i].ended, calls);
				assert_int_equal(job.ranks[i].wrong, 0);
			}
			drop(&job);
		}
}

/* Also where numbers wrap: old packets do not pass for new. */
TEST(every_call_is_complete_whichever_rank_is_late)
{
	all_arrives(50, 0);
	all_arrives(40, PROTOCOL_MASK / 2 - 2);
}

/* A rank that sends little, or to none, does not copy its own part in crumbs. */
TEST(tiles_are_cut_by_the_larger_share)
{
	enum { ALL_BYTES = 64 << 20, PEERS = 3 };
	for (unsigned peers = 0; peers <= PEERS; peers++)
		for (size_t to_peer = 1; to_peer <= ALL_BYTES; to_peer = to_peer * 48 + 128) {
			struct move_call c = {.me = peers, .ctas = 48};
			struct move_part parts[PEERS + 1];
			unsigned tiles = 0, a, b, rest;
			for (unsigned k = 0; k < peers; k++)
				parts[k] = (struct move_part){.peer = k, .bytes = to_peer};
			parts[peers] = (struct move_part){.peer = peers, .bytes = ALL_BYTES};
			move_cut(&c, parts, peers + 1);
			assert_int_equal(parts[peers].tiles, ALL_BYTES / MOVE_TILE);
			for (unsigned k = 0; k < peers; k++)
				tiles += parts[k].tiles;
			for (a = c.stride, b = tiles; b; a = b, b = rest)
				rest = a % b;
			assert_true(a == 1);
		}
}

TESTS(0);
