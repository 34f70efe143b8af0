/* Claims that ask the same of two versions of the library, side by side. Pure. */
#ifndef LAUNCHGAP_CLAIM_PAIRS_H
#define LAUNCHGAP_CLAIM_PAIRS_H

#include "analysis.h"

/* Claims of one question: one, or one for each of two versions. */
struct claim_pair {
	const struct claims_result *of[2]; /* the older version's, the newer one's; NULL: not asked.
	                                      Without two versions the first has all. */
};

struct claim_pairs {
	const char *libraries[2]; /* of the columns, the older first; "": there are not two */
	unsigned n;
	struct claim_pair list[CLAIM_MAX]; /* in the order of the first of each */
};

/* In columns if two claims differ in the version alone, and no claim is about a third version. */
void claim_pairs_find(const struct analysis *analysis, struct claim_pairs *out);

#endif
