/* The right answers: that no order of a reduction rounds, that the answers are what collectives
 * do, taken from the sender's side, and that what goes wrong shows. */
#include "number.h"

#define MAX_RANKS 1024
#define PART      64 /* elements, in simulated collectives */
#define MOST      16 /* ranks there */

static const unsigned sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, MOST};

static const struct value_weights weights[] = {
    {0},
    {3, 1, {1, 2, 4}},
    {4, 1, {0, 3, 0, 1}},
    {2, 1, {1, 0}},
    {1, 1, {65535}},
    {3, 1, {0, 0, 0}},
    {3, 3, {0, 7, 1, 0, 0, 0, 1, 9, 0}},
    {5, 5, {0, 1, 2, 3, 4, 5, 0, 5, 5, 5, 0, 0, 0, 0, 1, 9, 0, 9, 0, 9, 1, 1, 1, 1, 1}},
};

static unsigned draw(uint64_t *state, unsigned below)
{
	return (unsigned)(value_mix((*state)++) % below);
}

/* The reduction of one position's inputs in an order that `order` draws: any two partial results
 * are joined next. `leave` is omitted: a rank, or none. */
static long double reduce(const struct value_question *q, const uint64_t in[], unsigned leave,
                          uint64_t *order)
{
	static uint64_t bits[MAX_RANKS];
	static long double x[MAX_RANKS];
	bool is_float = value_is_float(q->dtype);
	unsigned left = 0;
	for (unsigned r = 0; r < q->nranks; r++) {
		if (r == leave)
			continue;
		bits[left] = number_whole(q->dtype, q->op, in[r], r);
		x[left] = 0;
		if (is_float)
			x[left] =
			    number_real(q->dtype, q->op, number_of(q->dtype, in[r]), q->nranks, r);
		left++;
	}
	while (left > 1) {
		unsigned a = draw(order, left), b = draw(order, left - 1);
		b += b >= a;
		if (is_float)
			x[a] = number_join_real(q->dtype, q->op, x[a], x[b]);
		else
			bits[a] = number_join_whole(q->dtype, q->op, bits[a], bits[b]);
		left--;
		bits[b] = bits[left];
		x[b] = x[left];
	}
	if (is_float)
		return x[0];
	return q->op == OP_AVG ? truncl(number_of(q->dtype, bits[0]) / q->nranks)
	                       : number_of(q->dtype, bits[0]);
}

/* No poison, no NaN, no infinity, no −0, nothing above the element's bits. */
static void is_sound(enum dtype dtype, uint64_t bits)
{
	assert_int_equal(bits & ~number_mask(dtype), 0);
	assert_true(bits != number_mask(dtype));
	if (!value_is_float(dtype))
		return;
	assert_false(isnan(number_of(dtype, bits)));
	assert_true(bits == 0 || number_of(dtype, bits) != 0);
}

static bool next_reduction(struct value_question *q)
{
	if (++q->op < OP_NONE)
		return true;
	q->op = OP_SUM;
	return ++q->dtype < DTYPE_KINDS;
}

static void look_at(struct value_question *q, unsigned positions, unsigned orders)
{
	static uint64_t in[MAX_RANKS];
	uint64_t order = q->nranks;
	for (uint64_t i = 0; i < positions; i++) {
		uint64_t right = value_expected(q, 1000, i);
		is_sound(q->dtype, right);
		for (unsigned r = 0; r < q->nranks; r++) {
			in[r] = value_input(q, r, 1000 + i);
			is_sound(q->dtype, in[r]);
		}
		for (unsigned o = 0; o < orders; o++)
			assert_true(reduce(q, in, MAX_RANKS, &order) == number_of(q->dtype, right));
	}
}

TEST(no_order_of_a_reduction_rounds)
{
	static const unsigned many[] = {31, 64, 100, 256, 257, 512, MAX_RANKS};
	struct value_question q = {.coll = COLL_ALL_REDUCE, .seed = 11, .count = 4096};
	do {
		for (unsigned s = 0; s < LENGTH(sizes); s++) {
			q.nranks = sizes[s];
			look_at(&q, 50, 3);
		}
		for (unsigned s = 0; s < LENGTH(many); s++) {
			q.nranks = many[s];
			look_at(&q, 4, 2);
		}
	} while (next_reduction(&q));
}

/* A rank's contribution that is missing, or is another rank's, shows within a few positions. */
TEST(a_missing_contribution_shows)
{
	struct value_question q = {.coll = COLL_ALL_REDUCE, .seed = 12, .count = 4096};
	uint64_t order = 1;
	do {
		for (unsigned s = 1; s < LENGTH(sizes); s++) {
			q.nranks = sizes[s];
			for (unsigned leave = 0; leave < q.nranks; leave++) {
				unsigned missing = 0, twice = 0;
				for (uint64_t i = 0; i < 200 && !(missing && twice); i++) {
					uint64_t in[MOST];
					long double right =
					    number_of(q.dtype, value_expected(&q, 0, i));
					for (unsigned r = 0; r < q.nranks; r++)
						in[r] = value_input(&q, r, i);
					missing += reduce(&q, in, leave, &order) != right;
					twice += in[leave] != in[(leave + 1) % q.nranks];
				}
				assert_true(missing > 0);
				assert_true(twice > 0);
			}
		}
	} while (next_reduction(&q));
}

/* What one rank sends, put where it belongs: the collectives as their senders see them. */
static void deliver(const struct value_question *q, unsigned from, const uint64_t *in,
                    uint64_t out[MOST][MOST * PART])
{
	unsigned n = q->nranks;
	uint64_t sent = 0;
	for (unsigned to = 0; to < n; to++) {
		uint64_t part = value_part(&q->parts, from, to);
		switch (q->coll) {
		case COLL_ALL_GATHER:
		case COLL_HYPERCUBE:
		case COLL_GATHER:
			memcpy(&out[to][from * PART], in, PART * sizeof *in);
			break;
		case COLL_ALLTOALL:
			memcpy(&out[to][from * PART], &in[to * PART], PART * sizeof *in);
			break;
		case COLL_ALLTOALLV:
			memcpy(&out[to][value_received_before(&q->parts, to, from)], &in[sent],
			       part * sizeof *in);
			sent += part;
			break;
		case COLL_SCATTER:
			if (from == q->root)
				memcpy(out[to], &in[to * PART], PART * sizeof *in);
			break;
		case COLL_BROADCAST:
			if (from == q->root)
				memcpy(out[to], in, q->count * sizeof *in);
			break;
		default:
			break;
		}
	}
	if (q->coll == COLL_ACCESS || q->coll == COLL_TO_DEVICE || q->coll == COLL_TO_HOST)
		memcpy(out[from], in, q->count * sizeof *in);
	if (q->coll == COLL_SENDRECV || q->coll == COLL_COPY)
		memcpy(out[(from + 1) % n], in, q->count * sizeof *in);
	bool pair =
	    q->coll == COLL_PAIR || q->coll == COLL_PAIR_COPY || q->coll == COLL_PAIR_STAGED;
	if (pair && from == value_pair_from(q->root))
		memcpy(out[value_pair_to(q->root, n)], in, q->count * sizeof *in);
	if (q->coll == COLL_PINGPONG && from == value_pair_from(q->root)) {
		memcpy(out[value_pair_to(q->root, n)], in, q->count * sizeof *in);
		memcpy(out[from], out[value_pair_to(q->root, n)], q->count * sizeof *in);
	}
	if (q->coll == COLL_SENDRECV_PAIRS)
		memcpy(out[from % 2 ? from - 1 : from + 1], in, q->count * sizeof *in);
	if (q->coll == COLL_SENDRECV_HALVES)
		memcpy(out[from < n / 2 ? from + n / 2 : from - n / 2], in, q->count * sizeof *in);
	if (q->coll == COLL_SENDRECV_BOTH) {
		memcpy(out[(from + 1) % n], in, q->count / 2 * sizeof *in);
		memcpy(&out[(from + n - 1) % n][q->count / 2], &in[q->count / 2],
		       (q->count - q->count / 2) * sizeof *in);
	}
}

static void carry_out(struct value_question *q, uint64_t base)
{
	static uint64_t in[MOST][MOST * PART], out[MOST][MOST * PART];
	struct cell cell = {.coll = q->coll, .dtype = q->dtype, .root = q->root};
	size_t element = coll_dtype_bytes(q->dtype);
	unsigned n = q->nranks;
	uint64_t order = base;
	cell.bytes = q->count * element;
	memset(out, VALUE_POISON_BYTE, sizeof out);
	for (unsigned r = 0; r < n; r++) {
		memset(in[r], VALUE_POISON_BYTE, sizeof in[r]);
		for (uint64_t k = 0; k < coll_span(&cell, &q->parts, n, r).send_bytes / element;
		     k++)
			in[r][k] = value_input(q, r, base + k);
	}
	for (unsigned r = 0; r < n; r++)
		deliver(q, r, in[r], out);
	bool reduced[MOST * PART] = {false}; /* once for all ranks that receive it */
	long double sums[MOST * PART];
	for (q->rank = 0; q->rank < n; q->rank++) {
		uint64_t at = q->coll == COLL_REDUCE_SCATTER ? q->rank * PART : 0;
		uint64_t received = coll_span(&cell, &q->parts, n, q->rank).recv_bytes / element;
		for (uint64_t i = 0; i < received; i++) {
			uint64_t right = value_expected(q, base, i), column[MOST];
			is_sound(q->dtype, right);
			if (!(coll_info(q->coll)->is & COLL_REDUCES)) {
				assert_int_equal(out[q->rank][i], right);
				continue;
			}
			for (unsigned r = 0; r < n; r++)
				column[r] = in[r][at + i];
			if (!reduced[at + i])
				sums[at + i] = reduce(q, column, MAX_RANKS, &order);
			reduced[at + i] = true;
			assert_true(sums[at + i] == number_of(q->dtype, right));
		}
	}
}

TEST(answers_are_what_collectives_do)
{
	for (unsigned c = 0; c < COLL_INIT; c++) {
		bool reduces = coll_info(c)->is & COLL_REDUCES;
		struct value_question q = {.coll = c, .seed = 13};
		q.op = reduces ? OP_SUM : OP_NONE;
		do {
			for (unsigned s = 0; s < LENGTH(sizes); s++) {
				q.nranks = sizes[s];
				q.root = q.nranks * 2 / 3;
				q.count = q.nranks * PART;
				const struct value_weights *w =
				    &weights[(s + q.dtype) % LENGTH(weights)];
				q.parts = value_parts(w, q.nranks, q.count, q.dtype);
				if (!coll_refuses(c, q.nranks))
					carry_out(&q, 3 * q.count);
			}
		} while (reduces ? next_reduction(&q) : ++q.dtype < DTYPE_KINDS);
	}
}

TEST(inputs_depend_on_rank_seed_and_position)
{
	struct value_question q = {.coll = COLL_SENDRECV, .op = OP_NONE, .nranks = 8};
	for (unsigned d = 0; d < DTYPE_KINDS; d++) {
		unsigned rank = 0, seed = 0, place = 0, all = 4096;
		struct value_question other = q;
		q.dtype = other.dtype = d;
		other.seed = q.seed + 1;
		for (uint64_t i = 0; i < all; i++) {
			uint64_t bits = value_input(&q, 3, i);
			rank += bits == value_input(&q, 4, i);
			seed += bits == value_input(&other, 3, i);
			place += bits == value_input(&q, 3, i + 1);
		}
		/* By chance one in 128 or fewer: of 8 bits, some stand for two. */
		assert_true(rank < all / 64 && seed < all / 64 && place < all / 64);
	}
}

/* `compare` and `resume` take equal seeds for equal data, whichever version made a record. */
TEST(a_seed_is_the_same_data_in_every_version)
{
	static const unsigned many[] = {1, 2, 3, 7, 8, 100, 257, 300};
	struct value_question q = {.seed = 15, .count = 4096};
	uint64_t all = 0;
	for (q.dtype = 0; q.dtype < DTYPE_KINDS; q.dtype++)
		for (q.op = 0; q.op < OP_KINDS; q.op++)
			for (unsigned s = 0; s < LENGTH(many); s++)
				for (uint64_t i = 0; i < 20; i++) {
					q.coll = q.op == OP_NONE ? COLL_BROADCAST : COLL_ALL_REDUCE;
					q.nranks = many[s];
					all = value_mix(all ^ value_input(&q, q.nranks / 2, i));
					all = value_mix(all ^ value_expected(&q, i, 1));
				}
	assert_int_equal(all, UINT64_C(0x96c70f017869e01c));
}

TESTS(.slow = true);
