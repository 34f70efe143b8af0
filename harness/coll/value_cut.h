/* alltoallv: how a call's buffers are cut, from weights. */
#pragma once

#include "value_bits.h"

#define VALUE_MAX_WEIGHTS 16 /* a row */

/* How much each rank sends to each: all equal (n 0), by distance (one row), or from each to each (n
 * rows). With more ranks than weights these repeat. */
struct value_weights {
	unsigned n, rows;
	uint16_t of[VALUE_MAX_WEIGHTS * VALUE_MAX_WEIGHTS];
};

/* The parts of one call's buffers, in the order of ranks, as in nccl-tests' alltoallv.cu; who sends
 * or receives most has the whole size:
 *   part(from, to) = floor(size × weight(from, to) ÷ most ÷ 16) × 16 */
struct value_parts {
	struct value_weights weights;
	unsigned nranks;
	uint64_t most;  /* the largest sum of weights that a rank sends or receives */
	uint64_t units; /* of 16 bytes, in the whole size */
	uint64_t unit;  /* elements */
};

VALUE_FN uint64_t value_weight(const struct value_parts *p, unsigned from, unsigned to)
{
	const struct value_weights *w = &p->weights;
	if (w->n == 0)
		return 1;
	if (w->rows == 1)
		return w->of[(to + p->nranks - from) % p->nranks % w->n];
	return w->of[from % w->n * w->n + to % w->n];
}

/* count: elements of one whole buffer. Weights whose sum is 0 count as equal. */
VALUE_FN struct value_parts value_parts(const struct value_weights *w, unsigned nranks,
                                        uint64_t count, enum dtype dtype)
{
	struct value_parts p = {*w, nranks, 0, 0, 128 / value_width(dtype)};
	p.units = count / p.unit;
	for (unsigned rank = 0; rank < nranks; rank++) {
		uint64_t sent = 0, received = 0;
		for (unsigned other = 0; other < nranks; other++) {
			sent += value_weight(&p, rank, other);
			received += value_weight(&p, other, rank);
		}
		p.most = sent > p.most ? sent : p.most;
		p.most = received > p.most ? received : p.most;
	}
	if (p.most == 0) {
		p.weights.n = 0;
		p.most = nranks;
	}
	return p;
}

VALUE_FN uint64_t value_part(const struct value_parts *p, unsigned from, unsigned to)
{
	uint64_t weight = value_weight(p, from, to);
	/* Whole multiples separately, so that no product exceeds the size or 2^64. */
	return (p->units / p->most * weight + p->units % p->most * weight / p->most) * p->unit;
}

/* Elements that a rank sends to ranks before `to`; to = nranks: all that it sends. */
VALUE_FN uint64_t value_sent_before(const struct value_parts *p, unsigned from, unsigned to)
{
	uint64_t sum = 0;
	for (unsigned other = 0; other < to; other++)
		sum += value_part(p, from, other);
	return sum;
}

/* Elements that a rank receives from ranks before `from`; from = nranks: all that it receives. */
VALUE_FN uint64_t value_received_before(const struct value_parts *p, unsigned to, unsigned from)
{
	uint64_t sum = 0;
	for (unsigned other = 0; other < from; other++)
		sum += value_part(p, other, to);
	return sum;
}
