/* How tokens find their experts in a mixture of experts: pure functions of what a cell's `root`
 * holds, so that every mode, rank and reader has the same counts.
 *
 * Expert e of E is wanted in proportion to 1 ÷ (e + 1)^s (Zipf's law; s = 0: all alike), by the
 * tokens of every rank alike, and lies on rank e modulo ranks. What a rank sends to another is
 * the share of that one's experts, in steps of 1 ÷ 4096 of its tokens; there are no draws. */
#ifndef LAUNCHGAP_ROUTING_H
#define LAUNCHGAP_ROUTING_H

#include "value_cut.h"

#define ROUTING_EXPERTS   1024u /* root: skew in tenths, and experts times this */
#define ROUTING_MOST_SKEW    40u /* tenths */
#define ROUTING_MOST_EXPERTS 1024u

static inline unsigned routing_root(unsigned skew_tenths, unsigned experts)
{
	return skew_tenths + experts * ROUTING_EXPERTS;
}

static inline unsigned routing_skew(unsigned root)
{
	return root % ROUTING_EXPERTS;
}

/* 0: as many as ranks. */
static inline unsigned routing_experts(unsigned root)
{
	return root / ROUTING_EXPERTS;
}

struct value_weights routing_weights(unsigned root, unsigned nranks);
/* What the most wanted rank gets ÷ what they get on average: 1 is even. */
double routing_imbalance(unsigned root, unsigned nranks);

#endif
