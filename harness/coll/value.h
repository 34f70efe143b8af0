/* The content of every buffer, as pure functions of a question (seed, datatype, operation …), a
 * rank and a position: the inputs, and the one right answer of each collective; for host code and
 * CUDA kernels. Elements are bits in the low end of a uint64_t. Positions count elements from the
 * start of a rank's arena: each rotated buffer has its own data.
 *
 * Inputs are hashes of their place, so that every partial result of a reduction is exact, in any
 * order. With p binary digits of a float (24 for float32), for n ranks:
 *
 *   of floats
 *     sum        integers other than 0, of magnitudes up to 2^p ÷ active ranks
 *     premulsum  the same with a digit to spare, as rank r's scale is 1 or 2
 *     avg        NCCL multiplies by 1/n, rounded to the datatype, then sums:
 *                for n a power of two (up to 256) as sum; else one rank is active at each position,
 *                with a power of two, and the answer is that power × the rounded 1/n
 *     prod       ±1; with up to 6 active ranks ±2 and ±1/2, which stays within 2^-6 … 2^6
 *     min, max   integers of p digits
 *   of integers
 *     sum, prod, premulsum   wrap: of even numbers; of 1 modulo 4, which never come to 0
 *     avg        NCCL sums, then divides: positive numbers whose sum fits
 *     min, max   all bits
 *   not reduced  all bits, for floats without NaN and infinity
 *
 * Where digits do not suffice for all ranks, some are inactive at a position, with neutral values.
 * −0 never occurs. */
#pragma once

#include "value_bits.h"
#include "value_cut.h"

/* No input and no right answer has these bits: an output that has them was not written. */
#define VALUE_POISON_BYTE 0xFF

/* With this seed inputs are 10 (rank + 1) + position % 10, but for prod, avg, premulsum. */
#define VALUE_READABLE UINT64_C(0x7265616461626C65)

enum coll_kind {
	COLL_ALL_REDUCE,
	COLL_ALL_GATHER,
	COLL_REDUCE_SCATTER,
	COLL_BROADCAST,
	COLL_REDUCE,
	COLL_ALLTOALL,
	COLL_ALLTOALLV,
	COLL_SENDRECV,
	COLL_SENDRECV_PAIRS,
	COLL_SENDRECV_BOTH,
	COLL_SENDRECV_HALVES,
	COLL_PAIR,
	COLL_PINGPONG,
	COLL_GATHER,
	COLL_SCATTER,
	COLL_HYPERCUBE,
	COLL_DDP_STEP,
	COLL_DDP_COMMUNICATION,
	COLL_ACCESS,
	COLL_TO_DEVICE,
	COLL_TO_HOST,
	COLL_PAIR_COPY,
	COLL_PAIR_STAGED,
	COLL_COPY,
	COLL_INIT,
	COLL_DDP_COMPUTE,
	COLL_MOE_STEP,
	COLL_MOE_COMMUNICATION,
	COLL_MOE_DISPATCH,
	COLL_MOE_COMPUTE,
	COLL_KINDS
};

enum op { OP_SUM, OP_PROD, OP_MIN, OP_MAX, OP_AVG, OP_PREMULSUM, OP_NONE, OP_KINDS };

/* splitmix64's finalizer (Steele, Lea, Flood 2014): a bijection that mixes all 64 bits. */
VALUE_FN uint64_t value_mix(uint64_t x)
{
	x += 0x9E3779B97F4A7C15u;
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
	return x ^ (x >> 31);
}

/* The `root` of a cell between two ranks (COLL_PAIRS) is sender + (distance - 1) × this, so that 0
 * is always a valid pair: 0 to 1. The receiver is `distance` ranks after the sender. */
#define VALUE_PAIR 1024u

VALUE_FN unsigned value_pair_from(unsigned root)
{
	return root % VALUE_PAIR;
}

VALUE_FN unsigned value_pair_to(unsigned root, unsigned nranks)
{
	return (root % VALUE_PAIR + root / VALUE_PAIR + 1) % nranks;
}

/* One rank's buffers of one cell. nranks, rank and root are those of its communicator. */
struct value_question {
	enum coll_kind coll;
	enum dtype dtype;
	enum op op;
	unsigned nranks, rank, root;
	uint64_t seed;
	uint64_t count; /* elements of one whole buffer: the cell's bytes ÷ an element's */
	struct value_parts parts; /* of alltoallv */
};

/* Of an element that is a pattern: bits that are hashed; that are set; what it must not have, from
 * which `one` is subtracted (NaN and infinity, all bits set); and -0. */
struct value_bounds {
	uint64_t hashed, set, exponent, one, zero;
};

/* What all elements of a question have in common: the active ranks at a position, the digits of
 * each magnitude, and avg's factor, share × 2^exponent. */
struct value_rule {
	bool pattern;
	struct value_bounds bounds;
	unsigned speakers, digits;
	bool power; /* one is active, with a power of two */
	uint64_t share;
	int exponent;
	struct value_form form;
};

/* Whether elements are bit patterns: integers, and data that is only moved. */
VALUE_FN bool value_is_pattern(const struct value_question *q)
{
	return q->seed != VALUE_READABLE &&
	       (q->op == OP_NONE || (!value_is_float(q->dtype) && q->op != OP_AVG));
}

VALUE_FN struct value_bounds value_bounds(const struct value_question *q)
{
	uint64_t mask = value_mask(q->dtype), one = (uint64_t)1 << (value_digits(q->dtype) - 1);
	uint64_t fixed = q->op == OP_PROD ? 3 : q->op == OP_SUM || q->op == OP_PREMULSUM;
	struct value_bounds integer = {mask & ~fixed, fixed >> 1, mask, 1, 0};
	struct value_bounds real = {mask, 0, (mask >> 1) & ~(one - 1), one, (mask >> 1) + 1};
	return value_is_float(q->dtype) ? real : integer;
}

VALUE_FN struct value_rule value_rule(const struct value_question *q)
{
	bool is_float = value_is_float(q->dtype);
	unsigned room = is_float ? value_digits(q->dtype) : value_width(q->dtype) - 2;
	struct value_rule r = {value_is_pattern(q), value_bounds(q), q->nranks, room, false, 1, 0,
	                       value_form(q->dtype)};
	if (r.pattern || q->op == OP_MIN || q->op == OP_MAX)
		return r;
	if (q->op == OP_PROD) {
		r.speakers = q->nranks < 6 ? q->nranks : 6;
		return r;
	}
	if (q->op == OP_AVG && is_float) {
		/* 1/nranks is a power of two, and the sum may have all digits */
		r.exponent = -value_log2(q->nranks);
		if (q->nranks > 256 || q->nranks & (q->nranks - 1)) {
			r.speakers = 1;
			r.power = true;
			r.share = value_share(q->dtype, q->nranks, &r.exponent);
			return r;
		}
	}
	room -= q->op == OP_PREMULSUM;
	if (room < 32 && q->nranks > 1u << room)
		r.speakers = 1u << room;
	r.digits = room - (r.speakers > 1 ? (unsigned)value_log2(r.speakers - 1) + 1 : 0);
	return r;
}

VALUE_FN uint64_t value_place(const struct value_question *q, uint64_t position)
{
	if (q->seed == VALUE_READABLE)
		return position;
	return value_mix(value_mix(q->seed) ^ position);
}

VALUE_FN bool value_speaks(const struct value_question *q, const struct value_rule *r,
                           uint64_t place, unsigned rank)
{
	unsigned turned;
	if (r->speakers == q->nranks)
		return true;
	turned = rank + (unsigned)(place >> 32) % q->nranks;
	return (turned < q->nranks ? turned : turned - q->nranks) < r->speakers;
}

/* `number`, or its negative where `sign` is odd. Signs are drawn: a branch costs more. */
VALUE_FN int64_t value_signed(uint64_t number, uint64_t sign)
{
	return (int64_t)((number ^ (0 - (sign & 1))) + (sign & 1));
}

/* A rank's input to a reduction of numbers: all of floats but prod, and avg of integers. */
VALUE_FN int64_t value_number(const struct value_question *q, const struct value_rule *r,
                              uint64_t place, unsigned rank)
{
	uint64_t h = value_mix(place + rank);
	if (q->seed == VALUE_READABLE)
		return (int64_t)(10 * (rank + 1) + place % 10);
	if (!value_speaks(q, r, place, rank))
		return 0;
	return value_signed(r->power ? (uint64_t)1 << (h >> 61) : 1 + (h >> 1 >> (63 - r->digits)),
	                    h & (uint64_t)value_is_float(q->dtype));
}

/* A rank's input to a product of floats: returns the exponent of two, and the sign. */
VALUE_FN int value_power(const struct value_question *q, const struct value_rule *r, uint64_t place,
                         unsigned rank, uint64_t *negative)
{
	uint64_t h = value_mix(place + rank);
	*negative = h & 1;
	return !value_speaks(q, r, place, rank) ? 0 : (int)(h & 2) - 1;
}

/* A rank's input that is hashed, within the rules at the top of this file. */
VALUE_FN uint64_t value_pattern(const struct value_bounds *in, uint64_t place, unsigned rank)
{
	uint64_t bits = (value_mix(place + rank) & in->hashed) | in->set;
	if ((bits & in->exponent) == in->exponent)
		bits -= in->one;
	return bits == in->zero ? 0 : bits;
}

VALUE_FN uint64_t value_input_by(const struct value_question *q, const struct value_rule *r,
                                 uint64_t place, unsigned rank)
{
	if (r->pattern)
		return value_pattern(&r->bounds, place, rank);
	if (q->op == OP_PROD) {
		uint64_t negative;
		int power = value_power(q, r, place, rank, &negative);
		return value_encode_as(&r->form, negative, 1, power);
	}
	int64_t number = value_number(q, r, place, rank);
	return value_is_float(q->dtype) ? value_encode_number(&r->form, number, 1, 0)
	                                : (uint64_t)number;
}

/* Element `position` of a rank's input. In a buffer that begins `base` elements into the arena,
 * element k of the send side has position base + k, wherever that side is in place. */
VALUE_FN uint64_t value_input(const struct value_question *q, unsigned rank, uint64_t position)
{
	const struct value_rule r = value_rule(q);
	return value_input_by(q, &r, value_place(q, position), rank);
}

VALUE_FN uint64_t value_reduce_patterns(const struct value_question *q, const struct value_rule *r,
                                        uint64_t place)
{
	uint64_t result = value_pattern(&r->bounds, place, 0), mask = value_mask(q->dtype);
	/* With their highest bit flipped, signed numbers are in the order of unsigned ones. */
	uint64_t turn = q->dtype == DTYPE_INT8 || q->dtype == DTYPE_INT32 || q->dtype == DTYPE_INT64
	                    ? (mask >> 1) + 1
	                    : 0;
	/* The largest is the smallest of complements. */
	turn = q->op == OP_MAX ? turn ^ mask : turn;
	for (unsigned rank = 1; rank < q->nranks; rank++) {
		uint64_t bits = value_pattern(&r->bounds, place, rank);
		if (q->op == OP_PROD)
			result *= bits;
		else if (q->op == OP_SUM)
			result += bits;
		else if (q->op == OP_PREMULSUM)
			result += bits * value_scale(rank);
		else
			result = (bits ^ turn) < (result ^ turn) ? bits : result;
	}
	return result & mask;
}

VALUE_FN uint64_t value_reduce_product(const struct value_question *q, const struct value_rule *r,
                                       uint64_t place)
{
	uint64_t negative = 0, one;
	int power = 0;
	for (unsigned rank = 0; rank < q->nranks; rank++) {
		power += value_power(q, r, place, rank, &one);
		negative ^= one;
	}
	return value_encode_as(&r->form, negative, 1, power);
}

VALUE_FN uint64_t value_reduce_numbers(const struct value_question *q, const struct value_rule *r,
                                       uint64_t place)
{
	int64_t result = value_number(q, r, place, 0);
	for (unsigned rank = 1; rank < q->nranks; rank++) {
		int64_t one = value_number(q, r, place, rank);
		if (q->op == OP_MIN)
			result = one < result ? one : result;
		else if (q->op == OP_MAX)
			result = one > result ? one : result;
		else
			result += q->op == OP_PREMULSUM ? one * value_scale(rank) : one;
	}
	if (!value_is_float(q->dtype))
		return q->op == OP_AVG ? (uint64_t)result / q->nranks : (uint64_t)result;
	return value_encode_number(&r->form, result, r->share, r->exponent);
}

VALUE_FN uint64_t value_reduced_by(const struct value_question *q, const struct value_rule *r,
                                   uint64_t place)
{
	if (r->pattern)
		return value_reduce_patterns(q, r, place);
	return q->op == OP_PROD ? value_reduce_product(q, r, place)
	                        : value_reduce_numbers(q, r, place);
}

/* `position` of a rank's input, or of the reduction, and `run` - 1 elements after it. */
struct value_source {
	bool reduced;
	unsigned rank;
	uint64_t position, run;
};

VALUE_FN struct value_source value_of_rank(unsigned rank, uint64_t position)
{
	struct value_source s = {false, rank, position, ~(uint64_t)0};
	return s;
}

VALUE_FN struct value_source value_of_all(uint64_t position)
{
	struct value_source s = {true, 0, position, ~(uint64_t)0};
	return s;
}

/* A source of which each rank has one part after the other, from `first` on. */
VALUE_FN struct value_source value_of_parts(uint64_t first, uint64_t part, uint64_t i)
{
	struct value_source s = {false, (unsigned)(i / part), first + i % part, part - i % part};
	return s;
}

/* Element i that q->rank receives in an alltoallv. */
VALUE_FN struct value_source value_of_weights(const struct value_question *q, uint64_t base,
                                              uint64_t i)
{
	struct value_source s = {false, 0, 0, ~(uint64_t)0};
	if (q->parts.weights.n == 0) { /* all equal: no need to search them */
		uint64_t all = value_part(&q->parts, 0, 0);
		return value_of_parts(base + q->rank * all, all, i);
	}
	for (uint64_t part; s.rank + 1 < q->nranks; s.rank++, i -= part) {
		part = value_part(&q->parts, s.rank, q->rank);
		s.run = part - i;
		if (i < part)
			break;
		s.run = ~(uint64_t)0; /* the last rank's part ends with the buffer */
	}
	s.position = base + value_sent_before(&q->parts, s.rank, q->rank) + i;
	return s;
}

/* Of element i of q->rank's receive side, in the buffer that begins `base` elements into every
 * arena. The rank must receive data. */
VALUE_FN struct value_source value_source(const struct value_question *q, uint64_t base, uint64_t i)
{
	unsigned n = q->nranks, rank = q->rank, next = (rank + 1) % n, last = (rank + n - 1) % n;
	uint64_t part = q->count / n;
	struct value_source half, none = {false, 0, 0, 0};
	switch (q->coll) {
	case COLL_ALL_REDUCE:
	case COLL_DDP_STEP: /* bucket by bucket, but the same elements */
	case COLL_DDP_COMMUNICATION:
	case COLL_REDUCE:
		return value_of_all(base + i);
	case COLL_REDUCE_SCATTER:
		return value_of_all(base + rank * part + i);
	case COLL_ALL_GATHER:
	case COLL_HYPERCUBE:
	case COLL_GATHER:
		return value_of_parts(base, part, i);
	case COLL_SCATTER:
		return value_of_rank(q->root, base + rank * part + i);
	case COLL_BROADCAST:
		return value_of_rank(q->root, base + i);
	case COLL_ALLTOALL:
		return value_of_parts(base + rank * part, part, i);
	case COLL_ALLTOALLV:
	case COLL_MOE_DISPATCH:
		return value_of_weights(q, base, i);
	case COLL_SENDRECV_PAIRS:
		return value_of_rank(rank ^ 1, base + i);
	case COLL_SENDRECV_BOTH:
		half = value_of_rank(i < q->count / 2 ? last : next, base + i);
		half.run = i < q->count / 2 ? q->count / 2 - i : half.run;
		return half;
	case COLL_SENDRECV_HALVES:
		return value_of_rank((rank + n / 2) % n, base + i);
	case COLL_PAIR:
	case COLL_PAIR_COPY:
	case COLL_PAIR_STAGED:
	case COLL_PINGPONG: /* the data that was sent comes back */
		return value_of_rank(value_pair_from(q->root), base + i);
	case COLL_ACCESS:
	case COLL_TO_DEVICE:
	case COLL_TO_HOST:
		return value_of_rank(rank, base + i);
	case COLL_SENDRECV:
	case COLL_COPY:
		return value_of_rank(last, base + i);
	case COLL_MOE_STEP: /* forth and back: its own elements, unchanged */
	case COLL_MOE_COMMUNICATION:
		return value_of_rank(rank, base + i);
	case COLL_MOE_COMPUTE:
	case COLL_INIT: /* have no output */
	case COLL_DDP_COMPUTE:
	case COLL_KINDS:
		break;
	}
	return none;
}

VALUE_FN uint64_t value_expected_by(const struct value_question *q, const struct value_rule *r,
                                    uint64_t base, uint64_t i)
{
	struct value_source s = value_source(q, base, i);
	if (!s.run)
		return 0;
	return s.reduced ? value_reduced_by(q, r, value_place(q, s.position))
	                 : value_input_by(q, r, value_place(q, s.position), s.rank);
}

VALUE_FN uint64_t value_expected(const struct value_question *q, uint64_t base, uint64_t i)
{
	const struct value_rule r = value_rule(q);
	return value_expected_by(q, &r, base, i);
}
