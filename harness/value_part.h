/* alltoallv: which elements go to whom, from weights by distance. */
#ifndef LAUNCHGAP_VALUE_PART_H
#define LAUNCHGAP_VALUE_PART_H

#include "value_bits.h"

/* alltoallv: how much each rank sends to the one `distance` ranks on, as weights by distance.
 */
#define VALUE_MAX_WEIGHTS 16
struct value_weights {
	unsigned n; /* 0: all alike; of more distances than weights, they begin again */
	unsigned char of[VALUE_MAX_WEIGHTS];
};

/* alltoallv: the weights of the first `distance` distances together. */
VALUE_FN uint64_t value_weight_until(const struct value_weights *w, unsigned distance)
{
	uint64_t all = 0, first = 0;
	if (w->n == 0)
		return distance;
	for (unsigned d = 0; d < w->n; d++) {
		all += w->of[d];
		first += d < distance % w->n ? w->of[d] : 0;
	}
	return distance / w->n * all + first;
}

/* alltoallv: the element with which the part for the rank `distance` on begins, in a buffer of
 * `count`; of distance nranks, count. Rank r sends these elements up to the next distance's to
 * rank (r + distance) % nranks, which puts them at the same places of its receive buffer.
 *
 *   floor(count × weights before it ÷ all weights), all alike when these come to 0 */
VALUE_FN uint64_t value_part_at(const struct value_weights *w, unsigned nranks, uint64_t count,
                                unsigned distance)
{
	uint64_t all = value_weight_until(w, nranks);
	uint64_t until = all ? value_weight_until(w, distance) : distance;
	if (all == 0)
		all = nranks;
	/* Whole multiples apart, so that no product is larger than count or 2^64. */
	return count / all * until + count % all * until / all;
}

/* The distance whose part element i < count is in: the largest that begins at it or before. */
VALUE_FN unsigned value_part_of(const struct value_weights *w, unsigned nranks, uint64_t count,
                                uint64_t i)
{
	uint64_t all = value_weight_until(w, nranks), turn, rest, until = 0;
	unsigned best = 0;
	/* floor(count × x ÷ all) <= i means: x <= ((i + 1) × all - 1) ÷ count. */
	if (w->n == 0 || all == 0)
		return (unsigned)(((i + 1) * nranks - 1) / count);
	rest = ((i + 1) * all - 1) / count;
	turn = value_weight_until(w, w->n);
	for (unsigned d = 0; d < w->n; d++) {
		if (until <= rest % turn)
			best = d;
		until += w->of[d];
	}
	return (unsigned)(rest / turn) * w->n + best;
}

#endif
