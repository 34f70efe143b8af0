/* What each factor does to bandwidth and latency. Pure. */
#ifndef LAUNCHGAP_FACTORS_H
#define LAUNCHGAP_FACTORS_H

#include "contrast.h"

struct factors_result {
	const struct factor *factor; /* borrowed */
	/* Of stream bandwidth to ÷ from, of latency (p50 of isolated calls) from ÷ to: above 1
	 * is faster in both. Either may not be judged (factors_judged). */
	struct verdict bandwidth, latency;
	unsigned ncells;              /* bandwidth's, or latency's if only that is judged */
	struct claim_range sizes;     /* of those cells */
	char why[CONTRAST_WHY_BYTES]; /* why neither is judged, or "" */
	char acted[512]; /* why its setting cannot have acted, or "" (evidence_acted) */
	bool unexpected; /* one of its variants is (contrast_unexpected) */
};

/* Over the factor's sizes. Latency is not judged where ranks share cores
 * (contrast_oversubscribed). -1 only when memory is out. */
int factors_judge(const struct summary *summary, const struct factor *factor,
                  struct factors_result *out, struct status *st);
/* Whether one of the two verdicts has figures. */
bool factors_judged(const struct verdict *verdict);
/* As verdict_word; "" if it is not judged. */
const char *factors_word(const struct verdict *verdict);
/* A placebo with an interval beyond the margin: the instrument, or the factor, is wrong. Returns
 * what it acts on, "bandwidth", "latency" or "bandwidth and latency"; NULL: no alarm. */
const char *factors_alarm(const struct factors_result *result);
/* A placebo that is within the margin in bandwidth, or in latency if only that is judged, and has
 * no effect on either. */
bool factors_proper(const struct factors_result *result);

#endif
