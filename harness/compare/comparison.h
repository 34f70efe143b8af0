/* Two sides held against each other: which of their cells meet, and what they come to. Pure. */
#ifndef LAUNCHGAP_COMPARISON_H
#define LAUNCHGAP_COMPARISON_H

#include "../analysis/verdict.h"
#include "side.h"

/* One size of a group. */
struct comparison_point {
	size_t bytes, asked_bytes;
	double left_us, right_us; /* medians over trials */
	struct stats_ratio ratio; /* A ÷ B, pointwise */
};

/* A variant's cells that differ in size only, on both sides. */
struct comparison_group {
	char variant[TRIAL_NAME_BYTES];
	struct cell cell; /* of its first size */
	bool limit;
	unsigned nsizes; /* that either side has */
	unsigned npoints;
	struct comparison_point *points;
	unsigned nleft, nright; /* trials behind the verdict */
	struct verdict verdict;
};

struct comparison {
	struct side left, right;
	double margin;
	unsigned ngroups;
	struct comparison_group *groups;
};

/* Fills the groups from the two sides, which are loaded. The caller frees with
 * comparison_free, also after an error. */
int comparison_make(struct comparison *c, struct status *st);
/* The sides too. */
void comparison_free(struct comparison *c);

/* What a side has and `other` (NULL: nobody) has in no size, cut to fit: "alltoall, stream of
 * single, threads; sendrecv, stream of single". */
void comparison_kinds_text(const struct side *side, const struct side *other, char *out,
                           size_t bytes);

#endif
