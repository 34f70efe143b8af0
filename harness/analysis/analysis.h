/* All numbers of a run and the answers from them, for its report: made once, borrowed by all. */
#ifndef LAUNCHGAP_ANALYSIS_H
#define LAUNCHGAP_ANALYSIS_H

#include "../arena.h"
#include "claims.h"
#include "regime.h"
#include "summary.h"

struct analysis {
	const struct summary *s;
	struct regimes regimes;
	struct claim_list asked;
	struct claims_result claims[CLAIM_MAX];
};

/* In the summary's arena. NULL: the record's claims are damaged. */
struct analysis *analysis_make(const struct summary *summary, struct status *st);
/* All but summary and regimes, which it has; without regimes no verdict is withheld. -1: the
 * record's claims are damaged. */
int analysis_answer(struct analysis *analysis, struct status *st);

#endif
