/* The arithmetic of datatypes and operations. Pure.
 *
 * Integers wrap around. Floats are rounded to nearest, ties to even, after every operation, so
 * that a 16- or 8-bit sum stays in that type. avg: floats are multiplied by 1 ÷ n, rounded to
 * their type, before they are summed; integers are summed, and the sum is divided towards 0.
 * premulsum: every input is multiplied by its rank's value_scale. Both as in NCCL. */
#ifndef LAUNCHGAP_HOST_REDUCE_H
#define LAUNCHGAP_HOST_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../coll/value.h"

struct host_reduction {
	enum dtype dtype;
	enum op op; /* not OP_NONE */
	unsigned nranks;
};

/* Whether inputs change before they are combined. */
bool host_reduce_scales(enum dtype dtype, enum op op);

/* The first input, from rank `source`. `to` may be `from`. bytes: whole elements; both addresses are
 * aligned to the element. */
void host_reduce_first(const struct host_reduction *r, unsigned source, void *to, const void *from,
                       size_t bytes);
/* One more input; `last` completes the result. `to` and `from` do not overlap. */
void host_reduce_combine(const struct host_reduction *r, unsigned source, bool last,
                         void *restrict to, const void *restrict from, size_t bytes);

#endif
