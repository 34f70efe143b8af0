/* How tokens reach their experts, as pure functions of a cell's `root`. Expert e of E has a load
 * proportional to 1 ÷ (e + 1)^s (Zipf's law), of the tokens of every rank, and is on rank e modulo
 * ranks. A rank sends to another the share of that rank's experts, in steps of 1 ÷ 4096. */
#pragma once

#include "value_cut.h"

#define ROUTING_EXPERTS      1024u /* root: skew in tenths, and experts times this */
#define ROUTING_MOST_SKEW    40u   /* tenths */
#define ROUTING_MOST_EXPERTS 1024u

static inline unsigned routing_root(unsigned skew_tenths, unsigned experts)
{
	return skew_tenths + experts * ROUTING_EXPERTS;
}

static inline unsigned routing_skew(unsigned root)
{
	return root % ROUTING_EXPERTS;
}

/* 0: as many experts as ranks. */
static inline unsigned routing_experts(unsigned root)
{
	return root / ROUTING_EXPERTS;
}

struct value_weights routing_weights(unsigned root, unsigned nranks);
/* Load of the busiest rank ÷ average load: 1 is even. */
double routing_imbalance(unsigned root, unsigned nranks);
