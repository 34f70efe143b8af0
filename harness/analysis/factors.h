/* What each factor does to bandwidth and latency. Pure. */
#ifndef LAUNCHGAP_FACTORS_H
#define LAUNCHGAP_FACTORS_H

#include "contrast.h"
#include "evidence.h"

struct factors_result {
	const struct factor *factor; /* borrowed */
	/* Of stream bandwidth to ÷ from, of latency (p50 of isolated calls) from ÷ to: above 1
	 * is faster in both. Either may not be judged (factors_judged). */
	struct verdict bandwidth, latency;
	unsigned ncells;               /* bandwidth's, or latency's if only that is judged */
	struct claim_range sizes;      /* of those cells */
	struct reason why;             /* neither is judged */
	struct evidence_setting acted; /* what became of its setting */
	bool unexpected;               /* one of its variants is (contrast_unexpected) */
};

/* Over the factor's sizes. Latency is not judged where ranks share cores
 * (contrast_oversubscribed). */
struct factors_result factors_judge(const struct summary *summary, const struct factor *factor);
/* Whether one of the two verdicts has figures. */
bool factors_judged(const struct verdict *verdict);
/* A placebo with an interval beyond the margin: the instrument, or the factor, is wrong. Returns
 * what it acts on, "bandwidth", "latency" or "bandwidth and latency"; NULL: no alarm. */
const char *factors_alarm(const struct factors_result *result);
/* A placebo that is within the margin in bandwidth, or in latency if only that is judged, and has
 * no effect on either. */
bool factors_proper(const struct factors_result *result);

#endif
