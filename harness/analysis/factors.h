/* What each factor does to bandwidth and latency. Pure. */
#ifndef LAUNCHGAP_FACTORS_H
#define LAUNCHGAP_FACTORS_H

#include "contrast.h"

struct factors_result {
	const struct factor *factor; /* borrowed */
	/* Of stream bandwidth to ÷ from, of latency (p50 of isolated calls) from ÷ to: above 1
	 * is faster in both. One that is not judged has no ratio. */
	struct verdict bandwidth, latency;
	/* Each from its slowest to its fastest cell, and the sizes of these. */
	struct stats_interval bandwidth_by_cell, latency_by_cell;
	struct claim_range latency_sizes;
	unsigned ncells;          /* bandwidth's, or latency's if only that is judged */
	struct claim_range sizes; /* of those cells */
	struct reason why;        /* neither is judged */
	bool unexpected;          /* one of its variants is (contrast_unexpected) */
};

/* Over the factor's sizes. Latency is not judged where ranks share cores
 * (contrast_oversubscribed). */
struct factors_result factors_judge(const struct summary *summary, const struct factor *factor);

#endif
