/* A reader who looks at a verdict, measures as many blocks as it asks for, and looks again. */
#pragma once

#include "../harness/analysis/looks.h"
#include "../harness/analysis/verdict.h"
#include "noise.h"
#include "scratch.h"

#define FOLLOWING_MOST    60 /* blocks at which it ends, undecided or not */
#define FOLLOWING_SCATTER 0.02

enum following_goal {
	FOLLOWING_EFFECT,  /* two equal things, until the interval excludes 1 */
	FOLLOWING_VERDICT, /* a true difference of the margin, until there is a verdict */
};

/* Whether it ends with a wrong word: that an effect exists; that the difference is beyond the
 * margin, or within. `corrected`: intervals account for the looks. */
static inline bool following_errs(enum noise noise, enum following_goal goal, unsigned from,
                                  bool corrected, uint64_t *seed)
{
	const double margin = goal == FOLLOWING_EFFECT ? 0 : 0.02;
	double logs[FOLLOWING_MOST];
	unsigned blocks[FOLLOWING_MOST];
	struct looks looks = {.nplans = 0};
	for (unsigned i = 0; i < FOLLOWING_MOST; i++) {
		blocks[i] = i;
		logs[i] = log1p(margin) + FOLLOWING_SCATTER * noise_log_ratio(noise, seed);
	}
	for (unsigned n = from;;) {
		double confidence =
		    corrected ? looks_confidence(&looks, blocks, n) : VERDICT_CONFIDENCE;
		struct verdict v =
		    verdict_of(stats_ratio_of_logs(scratch(), logs, n, confidence), margin);
		bool excludes = v.ratio.lo > 1 || v.ratio.hi < 1;
		if (goal == FOLLOWING_EFFECT ? excludes : verdict_decided(&v))
			return true;
		if (n == FOLLOWING_MOST || looks.nplans == LOOKS_MOST)
			return false;
		looks.at[looks.nplans++] = n;
		unsigned more = v.more_blocks ? v.more_blocks : 1;
		n = more < FOLLOWING_MOST - n ? n + more : FOLLOWING_MOST;
	}
}
