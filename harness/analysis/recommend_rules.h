/* The rules of recommend.c: one row each. */
#ifndef LAUNCHGAP_RECOMMEND_RULES_H
#define LAUNCHGAP_RECOMMEND_RULES_H

#include "../config/claim.h"

/* Which sizes: see recommend.c for what is small and large. */
enum recommend_reach { RECOMMEND_SMALL, RECOMMEND_LARGE, RECOMMEND_EVERY };

typedef bool recommend_is(const struct settings *settings);

/* Two variants that differ in `setting` alone, what is measured of them, and what to do when
 * the second is faster beyond the margin (equal: when they are equal within it). */
struct recommend_rule {
	const char *setting;
	recommend_is *from, *to;
	enum metric metric; /* latency: time where no isolated calls were measured */
	enum recommend_reach reach;
	bool equal;
	bool plain; /* of variants that are the reference but for mode and library alone */
	const char *advice;
};

/* The i-th rule, NULL behind the last. */
const struct recommend_rule *recommend_rule(unsigned i);

#endif
