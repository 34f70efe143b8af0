/* Claims on made-up blocks, alone and as a family: for simulations, and for a small one as a test. */
#ifndef LAUNCHGAP_TESTS_JUDGED_H
#define LAUNCHGAP_TESTS_JUDGED_H

#include "../harness/analysis/claims.h"
#include "../harness/config/family.h"
#include "noise.h"
#include "scratch.h"

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
	const struct contrast_p p = {.less = stats_signed_rank_tails(logs, n, -JUDGED_EDGE),
	                             .one = stats_signed_rank_tails(logs, n, 0),
	                             .more = stats_signed_rank_tails(logs, n, JUDGED_EDGE)};
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

/* Holm's step-down adjustment (Scand. J. Statist. 6, 1979) of n probabilities: calling those with
 * an adjusted one of at most α errs, in any way, in at most α of all runs. NaN are omitted. */
static inline void holm_adjust(const double *p, unsigned n, double *adjusted)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned left = 0; /* those that are no smaller; NaN is neither */
		for (unsigned k = 0; k < n; k++)
			left += p[k] >= p[i];
		adjusted[i] = isnan(p[i]) ? NAN : fmin(left * p[i], 1);
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < n; k++)
			if (p[k] < p[i])
				adjusted[i] = fmax(adjusted[i], adjusted[k]);
}

/* Of a family: is any called wrongly, by the correction of a report or by Holm's beside it; and of
 * claims that are far beyond their bound: confirmed, and all. */
struct judged_family {
	bool wrong, wrong_holm;
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
	double logs[JUDGED_CLAIMS][JUDGED_MOST], p[JUDGED_CLAIMS], holm[JUDGED_CLAIMS];
	enum claims_outcome outcome[JUDGED_CLAIMS];
	struct judged_family f = {false, false, 0, 0};
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
	holm_adjust(p, claims, holm);
	for (unsigned c = 0; c < claims; c++) {
		const bool wrong = judged_wrong(mixed, c, outcome[c]);
		const bool called = family_p(p[c], claims) <= FAMILY_ALPHA;
		f.wrong |= wrong && called;
		f.wrong_holm |= wrong && holm[c] <= FAMILY_ALPHA;
		f.large += judged_large(mixed, c);
		f.confirmed += judged_large(mixed, c) && called && outcome[c] == CLAIMS_HOLD;
	}
	return f;
}

#endif
