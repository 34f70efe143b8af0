/* All numbers of a run and the answers from them, for its report: made once, borrowed by all. */
#ifndef LAUNCHGAP_ANALYSIS_H
#define LAUNCHGAP_ANALYSIS_H

#include "claims.h"
#include "factors.h"
#include "regime.h"
#include "summary.h"
#include "tuned.h"
#include "waterfall.h"

struct analysis {
	const struct summary *s;
	struct regimes regimes;
	struct claim_list asked;
	struct factors_result factors[CLAIM_MAX];
	struct waterfall waterfall;
	struct claims_result claims[CLAIM_MAX];
	struct candidates_seen searched; /* empty without a search */
};

/* In the summary's arena. NULL: the record's claims are damaged. */
struct analysis *analysis_make(const struct summary *summary, struct status *st);
/* All but summary and regimes, which it has; without regimes no verdict is withheld. -1: the
 * record's claims are damaged. */
int analysis_answer(struct analysis *analysis, struct status *st);
/* Counts the verdicts that have an interval: of regimes, claims, factors, the gap with its steps,
 * and each variant over a group's sizes. Also counts the intervals, with those of the summary's
 * rows. */
void analysis_count(const struct analysis *analysis, unsigned *verdicts, unsigned *intervals);

#endif
