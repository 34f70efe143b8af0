/* Answers from the figures: evidence, factors, claims. Made once from the summary, shown by the
 * report and the waterfall's picture. */
#ifndef LAUNCHGAP_FINDINGS_H
#define LAUNCHGAP_FINDINGS_H

#include "claims.h"
#include "evidence.h"
#include "factors.h"
#include "tuned.h"
#include "waterfall.h"

struct findings {
	struct claim_list asked;
	struct evidence evidence;
	struct factors_result factors[CLAIM_MAX];
	struct waterfall waterfall;
	struct claims_result claims[CLAIM_MAX];
	struct tuned_seen searched; /* empty without a search */
};

/* *out borrows from all that is given and from itself: it must not be
 * moved. The caller frees with findings_free. -1: out of memory, or the record's claims are
 * damaged. */
int findings_make(const struct summary *summary, const struct regimes *regimes,
                  struct findings *out, struct status *st);
void findings_free(struct findings *findings);
/* Counts the verdicts that have an interval: of regimes, claims, factors, the gap with its steps,
 * and each variant over a group's sizes. Also counts the intervals, with those of the summary's
 * rows. */
void findings_count(const struct findings *findings, const struct summary *summary,
                    const struct regimes *regimes, unsigned *verdicts, unsigned *intervals);

#endif
