/* The arithmetic of datatypes and operations, as NCCL's. Pure. Integers wrap; floats are rounded
 * after every operation. avg: floats are multiplied by 1 ÷ n, rounded, before they are summed;
 * integers are summed, then divided towards 0. premulsum: inputs are multiplied by value_scale. */
#pragma once

#include <stddef.h>

#include "../../coll/value.h"

struct host_reduction {
	enum dtype dtype;
	enum op op; /* not OP_NONE */
	unsigned nranks;
};

bool host_reduce_scales(enum dtype dtype, enum op op);

/* The first input; `to` may be `from`. bytes: whole elements, aligned. */
void host_reduce_first(const struct host_reduction *r, unsigned source, void *to, const void *from,
                       size_t bytes);
/* One more input; `last` completes the result. `to` and `from` do not overlap. */
void host_reduce_combine(const struct host_reduction *r, unsigned source, bool last,
                         void *restrict to, const void *restrict from, size_t bytes);
