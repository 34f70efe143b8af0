/* The host backend's steps, as algebra: every output is covered exactly once, no buffer has two
 * readers in a turn, and carrying the steps out in any order that the handshake allows gives the
 * right answer, in place too. What is pushed and what is pulled are the same. */
#include "../harness/backend/host/host_reduce.h"
#include "../harness/backend/steps.h"
#include "test.h"

#define MAX_RANKS 9
#define SEED      7
#define SHUFFLES  3

static const size_t multiples[] = {1, 2, 3, 16, 100};
/* Elements that ranks cannot share evenly, or not at all. */
static const size_t odd[] = {1, 2, 5, 7, 33};
#define SIZES LENGTH(multiples)
_Static_assert(sizeof odd == sizeof multiples, "as many of both");

typedef void world_fn(const struct steps_call *w);

/* Nothing for oneself, and for one of five nothing; one that all send to, and one that sends
 * nothing. */
static const struct value_weights weights[] = {
    {0},
    {2, 1, {0, 3}},
    {4, 1, {0, 3, 1, 0}},
    {3, 3, {0, 7, 1, 0, 0, 0, 1, 9, 0}},
};

/* All that may be asked for at this size: roots, counts and places. */
static unsigned vary(struct steps_call w, world_fn *check)
{
	unsigned is = coll_info(w.cell.coll)->is, checked = 0;
	for (unsigned root = 0; root<w.nranks; root += w.nranks> 2 ? w.nranks / 2 : 1)
		for (int place = 0; place < 2; place++)
			for (unsigned skew = 0; skew < LENGTH(weights); skew++) {
				w.cell.root = root;
				if (root && is & COLL_PAIRS)
					w.cell.root += (w.nranks - 2) * VALUE_PAIR;
				w.cell.in_place = place;
				w.parts = coll_parts(&w.cell, &weights[skew], w.nranks);
				if ((root && !(is & (COLL_ROOTED | COLL_PAIRS))) ||
				    (skew && w.cell.coll != COLL_ALLTOALLV) || steps_refuses(&w))
					continue;
				check(&w);
				checked++;
			}
	return checked;
}

/* Sizes that fill a bucket, and that do not; and work without a gradient. */
static const struct network network = {"four", 5, {{100, 1}, {3, 0}, {70, 1}, {0, 9}, {200, 1}}};

static unsigned buckets_world(enum coll_kind coll, world_fn *check)
{
	unsigned checked = 0;
	for (unsigned n = 1; n <= MAX_RANKS; n++)
		for (uint64_t cap = 1; cap < 2048; cap *= 4) {
			struct steps_call w = {
			    .cell = {.coll = coll,
			             .dtype = DTYPE_INT32,
			             .op = OP_SUM,
			             .bytes = 4 * network_sums(&network).elements},
			    .nranks = n,
			    .buckets =
			        buckets_of(&network, network_sums(&network).elements, 4, 0, cap)};

			checked += vary(w, check);
		}
	return checked;
}

static void each_world(world_fn *check)
{
	for (int coll = 0; coll < COLL_KINDS; coll++) {
		bool reduces = coll_info((enum coll_kind)coll)->is & COLL_REDUCES;
		bool trains = coll_info((enum coll_kind)coll)->is & (COLL_TRAINS | COLL_ROUTED);
		unsigned checked =
		    trains && reduces ? buckets_world((enum coll_kind)coll, check) : 0;
		for (unsigned n = 1; n <= MAX_RANKS; n++)
			for (size_t m = 0; m < 2 * SIZES && !trains; m++) {
				struct steps_call w = {
				    .cell = {.coll = (enum coll_kind)coll,
				             .dtype = DTYPE_INT32,
				             .op = reduces ? OP_SUM : OP_NONE,
				             .bytes = 4 * (m < SIZES ? multiples[m] * n
				                                     : odd[m - SIZES])},
				    .nranks = n,
				};
				checked += vary(w, check);
				w.cell.op = OP_PREMULSUM;
				checked += reduces ? vary(w, check) : 0;
			}
		assert_true(checked > 0 || coll_info((enum coll_kind)coll)->is & COLL_ROUTED ||
		            coll_info((enum coll_kind)coll)->send[0] == SIDE_NONE);
	}
}

static struct steps_move *moves_of(const struct steps_call *w, unsigned rank, bool pull,
                                   unsigned *count)
{
	struct steps_plan plan = {0};
	steps_plan(w, rank, &plan);
	if (!pull)
		memmove(plan.pulls, plan.pushes, plan.npushes * sizeof *plan.pulls);
	*count = pull ? plan.npulls : plan.npushes;
	return plan.pulls;
}

/* Whose share of an all_reduce a byte is in: rank r's elements are from ⌊count r ÷ n⌋ on. */
static bool in_share(const struct steps_call *w, size_t byte, unsigned rank)
{
	size_t count = w->cell.bytes / 4, at = byte / 4;
	struct bucket bucket = {0}, *last = NULL;
	/* Of a step of training it is the same in its bucket. */
	while (w->buckets.network && buckets_next(&w->buckets, last, &bucket) &&
	       at >= bucket.at + bucket.elements)
		last = &bucket;
	if (w->buckets.network) {
		at -= bucket.at;
		count = bucket.elements;
	}
	return at >= count * rank / w->nranks && at < count * (rank + 1) / w->nranks;
}

static bool is_shared(const struct steps_call *w)
{
	return w->cell.coll == COLL_ALL_REDUCE || w->buckets.network;
}

/* The data that has reached each byte of a rank's receive buffer. */
struct cover {
	unsigned char arrived, combined, finished;
};

static void cover_add(struct cover *cover, const struct step *s, const struct steps_call *w)
{
	assert_true(s->bytes > 0 && s->bytes % 4 == 0);
	assert_true(s->to + s->bytes <= w->cell.bytes && s->from + s->bytes <= w->cell.bytes);
	for (size_t b = s->to; b < s->to + s->bytes; b++) {
		bool combines = s->touch == STEP_COMBINE || s->touch == STEP_LAST;
		assert_true(cover[b].arrived == combines && !cover[b].finished);
		cover[b].arrived = 1;
		cover[b].combined += combines;
		cover[b].finished += s->touch == STEP_LAST;
	}
}

/* Every byte that a rank receives comes to it exactly once, or was there in place, and is
 * combined with the others' only after that; and nothing else is written. */
static void check_cover(const struct steps_call *w)
{
	bool reduces = coll_info(w->cell.coll)->is & COLL_REDUCES;
	for (unsigned rank = 0; rank < w->nranks; rank++) {
		struct cover *cover = calloc(w->cell.bytes, sizeof *cover);
		struct coll_span span = coll_span(&w->cell, &w->parts, w->nranks, rank);
		bool scales = host_reduce_scales(w->cell.dtype, w->cell.op);
		unsigned count;
		struct steps_move *moves = moves_of(w, rank, true, &count);
		assert_non_null(cover);
		/* The part that a rank sends itself in place is already where it is received. */
		for (size_t b = 0; w->cell.in_place && !scales && b < span.send_bytes; b++) {
			size_t at = span.send_at + b;
			bool own = !is_shared(w) || in_share(w, at, rank);
			cover[at].arrived =
			    own && at >= span.recv_at && at < span.recv_at + span.recv_bytes;
		}
		for (unsigned m = 0; m < count; m++)
			cover_add(cover, &moves[m].step, w);
		for (size_t b = 0; b < w->cell.bytes; b++) {
			bool within = b >= span.recv_at && b < span.recv_at + span.recv_bytes;
			bool here = reduces && within && (!is_shared(w) || in_share(w, b, rank));
			assert_int_equal(cover[b].arrived, within);
			assert_int_equal(cover[b].combined, here ? w->nranks - 1 : 0);
			assert_int_equal(cover[b].finished, here && w->nranks > 1);
		}
		free(moves);
		free(cover);
	}
}

/* Where all ranks have as many moves, the m-th of all of them reads each rank once. A root is
 * one, and so are a pair and the ranks of a matrix of counts; and of fewer elements than ranks
 * some have nothing to share. */
static void check_hot_spots(const struct steps_call *w)
{
	bool uneven = coll_info(w->cell.coll)->is & (COLL_ROOTED | COLL_PAIRS) ||
	              w->parts.weights.rows > 1 || w->cell.bytes / 4 < w->nranks;
	unsigned count, first;
	bool read[MAX_RANKS * 16][MAX_RANKS] = {{false}};
	free(moves_of(w, 0, true, &first));
	for (unsigned rank = 0; rank < w->nranks; rank++) {
		struct steps_move *moves = moves_of(w, rank, true, &count);
		assert_true(uneven || count == first);
		for (unsigned m = 0; m < count; m++) {
			assert_true(uneven || !read[m][moves[m].peer]);
			read[m][moves[m].peer] = true;
			assert_true(m == 0 || moves[m].phase >= moves[m - 1].phase);
		}
		free(moves);
	}
}

/* A call being carried out on plain arrays. */
struct play {
	const struct steps_call *w;
	uint8_t *send[MAX_RANKS], *recv[MAX_RANKS];
	struct steps_move *moves[MAX_RANKS];
	unsigned count[MAX_RANKS], next[MAX_RANKS];
	size_t done[MAX_RANKS]; /* bytes of the move `next` */
};

static struct value_question question_of(const struct steps_call *w, unsigned rank)
{
	return (struct value_question){.coll = w->cell.coll,
	                               .dtype = w->cell.dtype,
	                               .op = w->cell.op,
	                               .nranks = w->nranks,
	                               .rank = rank,
	                               .root = w->cell.root,
	                               .seed = SEED,
	                               .count = w->cell.bytes / 4,
	                               .parts = w->parts};
}

static void play_begin(struct play *p, const struct steps_call *w)
{
	*p = (struct play){.w = w};
	for (unsigned r = 0; r < w->nranks; r++) {
		struct value_question q = question_of(w, r);
		struct coll_span span = coll_span(&w->cell, &w->parts, w->nranks, r);
		p->send[r] = malloc(w->cell.bytes);
		p->recv[r] = malloc(w->cell.bytes);
		assert_true(p->send[r] && p->recv[r]);
		memset(p->send[r], VALUE_POISON_BYTE, w->cell.bytes);
		memset(p->recv[r], VALUE_POISON_BYTE, w->cell.bytes);
		for (size_t k = 0; k < span.send_bytes / 4; k++) {
			uint32_t bits = (uint32_t)value_input(&q, r, 5 * q.count + k);
			memcpy((w->cell.in_place ? p->recv : p->send)[r] + span.send_at + k * 4,
			       &bits, 4);
		}
		p->moves[r] = moves_of(w, r, true, &p->count[r]);
	}
}

/* The handshake's rule. */
static bool play_ready(const struct play *p, unsigned rank)
{
	if (p->next[rank] == p->count[rank])
		return false;
	const struct steps_move *m = &p->moves[rank][p->next[rank]];
	unsigned source = m->peer;
	bool through = p->next[source] == p->count[source];
	return source == rank || through || p->moves[source][p->next[source]].phase >= m->phase;
}

/* A few elements, so that ranks meet in the middle of moves. */
static void play_move(struct play *p, unsigned rank)
{
	const struct steps_move *m = &p->moves[rank][p->next[rank]];
	const struct step *s = &m->step;
	const struct host_reduction r = {p->w->cell.dtype, p->w->cell.op, p->w->nranks};
	size_t bytes = s->bytes - p->done[rank] < 64 ? s->bytes - p->done[rank] : 64;
	uint8_t *to = p->recv[rank] + s->to + p->done[rank];
	uint8_t *from =
	    (s->side == STEP_SEND ? p->send : p->recv)[m->peer] + s->from + p->done[rank];
	if (s->touch == STEP_COPY)
		memcpy(to, from, bytes);
	else if (s->touch == STEP_FIRST)
		host_reduce_first(&r, m->place, to, from, bytes);
	else
		host_reduce_combine(&r, m->place, s->touch == STEP_LAST, to, from, bytes);
	p->done[rank] += bytes;
	if (p->done[rank] < s->bytes)
		return;
	p->done[rank] = 0;
	p->next[rank]++;
}

static void play_end(struct play *p)
{
	for (unsigned r = 0; r < p->w->nranks; r++) {
		struct value_question q = question_of(p->w, r);
		struct coll_span span = coll_span(&p->w->cell, &p->w->parts, p->w->nranks, r);
		assert_int_equal(p->next[r], p->count[r]);
		for (size_t i = 0; i < span.recv_bytes / 4; i++) {
			uint32_t got;
			memcpy(&got, p->recv[r] + span.recv_at + i * 4, 4);
			assert_int_equal(got, value_expected(&q, 5 * q.count, i));
		}
		free(p->moves[r]);
		free(p->recv[r]);
		free(p->send[r]);
	}
}

/* The next rank is drawn; now and then one goes on for long, and others starve. */
static void check_answer(const struct steps_call *w)
{
	for (uint64_t shuffle = 0; shuffle < SHUFFLES; shuffle++) {
		uint64_t drawn = shuffle;
		struct play p;
		play_begin(&p, w);
		for (;;) {
			unsigned ready = 0, rank;
			for (unsigned r = 0; r < w->nranks; r++)
				ready += play_ready(&p, r);
			if (ready == 0)
				break;
			drawn = value_mix(drawn);
			rank = (unsigned)(drawn % w->nranks);
			for (unsigned long go = drawn >> 32 & 15; play_ready(&p, rank);) {
				play_move(&p, rank);
				if (go-- == 0)
					break;
			}
		}
		play_end(&p);
	}
}

TEST(steps_are_right_in_every_world)
{
	each_world(check_cover);
	each_world(check_hot_spots);
	each_world(check_answer);
}

static struct steps_call call_of(enum coll_kind coll, unsigned nranks, size_t bytes)
{
	bool reduces = coll_info(coll)->is & COLL_REDUCES;
	return (struct steps_call){.cell = {.coll = coll,
	                                    .dtype = DTYPE_FLOAT32,
	                                    .op = reduces ? OP_SUM : OP_NONE,
	                                    .bytes = bytes},
	                           .nranks = nranks};
}

static void refuses(struct steps_call call, const char *words)
{
	const char *text = steps_refuses(&call);
	assert_non_null(text);
	assert_says(text, words);
}

TEST(what_cannot_be_cut_is_refused)
{
	struct steps_call call = call_of(COLL_ALLTOALL, 3, 48), one = call_of(COLL_ALLTOALL, 1, 4);
	assert_true(!steps_refuses(&call) && !steps_refuses(&one));
	refuses(call_of(COLL_ALLTOALL, 3, 0), "whole elements");
	refuses(call_of(COLL_ALLTOALL, 3, 16), "whole elements");
	refuses(call_of(COLL_ALLTOALL, 2, 12), "whole elements for every rank");
	refuses(call_of(COLL_ALL_REDUCE, 2, 6), "whole elements");
	assert_null(steps_refuses(&(struct steps_call){
	    .cell = {.coll = COLL_SENDRECV, .dtype = DTYPE_INT8, .op = OP_NONE, .bytes = 7},
	    .nranks = 2}));
	refuses(call_of(COLL_HYPERCUBE, 6, 96), "power of two");
	refuses(call_of(COLL_SENDRECV_PAIRS, 3, 48), "even number");
	call = call_of(COLL_PAIR, 3, 48);
	call.cell.root = 3;
	refuses(call, "pair");
	call.cell.root = 2 * VALUE_PAIR;
	refuses(call, "pair");
	call = call_of(COLL_ALLTOALL, 2, 32);
	call.cell.in_place = true;
	refuses(call, "cannot be in place");
	call = call_of(COLL_GATHER, 2, 32);
	call.cell.root = 2;
	refuses(call, "root");
	call = call_of(COLL_ALL_REDUCE, 2, 32);
	call.cell.op = OP_NONE;
	refuses(call, "operation");
}
