/* Claims on made-up blocks, alone and as a family: for simulations, and for a small one as a test. */
#pragma once

#include "../harness/analysis/claims.h"
#include "../harness/config/family.h"
#include "noise.h"
#include "walsh.h"

#define JUDGED_BY     0.02
#define JUDGED_EDGE   log1p(JUDGED_BY)
#define JUDGED_CLAIMS 9
#define JUDGED_MOST   40 /* blocks */

struct judged {
	enum claims_outcome outcome;
	double p;
};

static inline struct judged judged_of(const double *logs, unsigned n, enum claim_test test)
{
	const struct claims_ratio r = {stats_ratio_of_logs(scratch(), logs, n, 0.9),
	                               stats_ratio_of_logs(scratch(), logs, n, 0.95)};
	const struct claims_tails p = {.less = walsh_tails(logs, n, -JUDGED_EDGE),
	                             .one = walsh_tails(logs, n, 0),
	                             .more = walsh_tails(logs, n, JUDGED_EDGE)};
	unsigned more;
	const enum claims_outcome outcome = claims_decide(&r, test, JUDGED_BY, &more);
	return (struct judged){outcome, claims_p(&p, test, outcome)};
}

/* One claim, whose log ratio is `truth`. */
static inline struct judged judged_one(enum claim_test test, double truth, double scatter,
                                       enum noise noise, unsigned blocks, uint64_t *seed)
{
	double logs[JUDGED_MOST];
	for (unsigned i = 0; i < blocks; i++)
		logs[i] = truth + scatter * noise_log_ratio(noise, seed);
	return judged_of(logs, blocks, test);
}

/* Of a family: is any called wrongly, by the correction of a report; and of claims that are far beyond their bound: confirmed, and all. */
struct judged_family {
	bool wrong;
	unsigned confirmed, large;
};

/* Whether claim c is far beyond its bound. */
static inline bool judged_large(bool mixed, unsigned c)
{
	return mixed && c % 2 == 0;
}

/* On its bound "holds" is wrong of every claim but c % 4 == 1, which is just true. */
static inline bool judged_wrong(bool mixed, unsigned c, enum claims_outcome outcome)
{
	const bool refuted = outcome == CLAIMS_FAIL || outcome == CLAIMS_LITTLE;
	return judged_large(mixed, c) || c % 4 == 1 ? refuted : outcome == CLAIMS_HOLD;
}

/* Claims `less` that share their right variant, on their bounds; `mixed`: every other one is far
 * beyond its bound. */
static inline struct judged_family judged_family_of(unsigned claims, bool mixed, enum noise noise,
                                                    unsigned blocks, uint64_t *seed)
{
	double logs[JUDGED_CLAIMS][JUDGED_MOST], p[JUDGED_CLAIMS];
	enum claims_outcome outcome[JUDGED_CLAIMS];
	struct judged_family f = {false, 0, 0};
	for (unsigned i = 0; i < blocks; i++) {
		const double right = noise_side(noise, seed);
		for (unsigned c = 0; c < claims; c++) {
			const double error = noise == NOISE_LOPSIDED
			                         ? noise_log_ratio(noise, seed)
			                         : noise_side(noise, seed) - right;
			logs[c][i] =
			    0.01 * error - JUDGED_EDGE - (judged_large(mixed, c) ? 0.2 : 0);
		}
	}
	for (unsigned c = 0; c < claims; c++) {
		const struct judged j = judged_of(logs[c], blocks, CLAIM_LESS);
		outcome[c] = j.outcome;
		p[c] = j.p;
	}
	for (unsigned c = 0; c < claims; c++) {
		const bool wrong = judged_wrong(mixed, c, outcome[c]);
		const bool called = family_p(p[c], claims) <= FAMILY_ALPHA;
		f.wrong |= wrong && called;
		f.large += judged_large(mixed, c);
		f.confirmed += judged_large(mixed, c) && called && outcome[c] == CLAIMS_HOLD;
	}
	return f;
}
