/* Walsh averages of what a test makes up, in its scratch. */
#pragma once

#include "../harness/analysis/stats.h"
#include "scratch.h"

/* The probabilities of one number a block. */
static inline struct stats_tails walsh_tails(const double *x, unsigned n, double at)
{
	const struct arena_mark mark = arena_mark(scratch());
	const struct stats_walsh of = stats_walsh_of(scratch(), x, NULL, n);
	const struct stats_tails out = stats_signed_rank_tails(&of, at);
	arena_release(scratch(), mark);
	return out;
}
