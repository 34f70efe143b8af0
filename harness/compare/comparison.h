/* Compares two sides: which cells both have, the ratios and verdicts of these as tables (compared.sql), and
 * what they say (compare.chapter). */
#ifndef LAUNCHGAP_COMPARISON_H
#define LAUNCHGAP_COMPARISON_H

#include "../analysis/verdict.h"
#include "result.h"
#include "told.h"

struct comparison {
	struct arena *arena;
	struct result left, right;
	double margin;
	struct db *db;
	bool counted; /* a cell in common, but the limit's */
	bool moved;   /* the limit differs: the machine changed, and all else is undecided */
	bool worse;   /* B is slower somewhere */
};

/* Tables of what was loaded of the two sides, however little. */
void comparison_fill(struct comparison *c);
/* Of NCCL's variables those that differ become facts. */
void comparison_variables(struct comparison *c);
/* Adds the verdicts. */
int comparison_judge(struct comparison *c, struct status *st);
/* Why the two sides share no cell but the limit's: "dtype is float32 in A, float16 in B; …", the
 * fewest keys in which two cells differ, or what a side lacks; cut to fit. */
void comparison_apart(const struct comparison *c, char *out, size_t bytes);
/* The last step. */
int comparison_tell(struct comparison *c, struct told *told, struct status *st);

#endif
