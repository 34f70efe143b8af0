/* Compares two sides: which cells both have, the ratios and verdicts of these as tables (compared.sql), and
 * what they say (compare.chapter). */
#ifndef LAUNCHGAP_COMPARISON_H
#define LAUNCHGAP_COMPARISON_H

#include "../analysis/verdict.h"
#include "side.h"
#include "told.h"

struct comparison {
	struct arena *arena;
	struct side left, right;
	double margin;
	struct db *db;
	bool counted; /* a cell in common, but the limit's */
	bool moved;   /* the limit differs: the machine changed, and all else is undecided */
	bool worse;   /* B is slower somewhere */
};

/* Adds the verdicts, of both sides' times. */
int comparison_judge(struct comparison *c, struct status *st);
/* The last step. */
int comparison_tell(struct comparison *c, struct told *told, struct status *st);

#endif
