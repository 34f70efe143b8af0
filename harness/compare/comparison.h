/* Compares two sides: which cells both have, and the ratios and verdicts of these. Pure. */
#ifndef LAUNCHGAP_COMPARISON_H
#define LAUNCHGAP_COMPARISON_H

#include <stdio.h>

#include "../analysis/verdict.h"
#include "form.h"
#include "result.h"

/* One size of a group. */
struct comparison_point {
	const struct result_series *left, *right;
	double left_us, right_us; /* medians over trials */
	struct stats_ratio ratio; /* time of A ÷ time of B, pointwise */
	enum verdict_kind kind;   /* by this size alone */
};

/* A variant's cells that differ only in size, as far as both sides have them. */
struct comparison_group {
	const struct result_series *of; /* its first series, of A */
	unsigned nsizes;                /* that either side has */
	unsigned npoints;               /* by size */
	struct comparison_point *points;
	unsigned nleft, nright; /* trials that the verdict uses */
	struct verdict verdict; /* on B, over all points */
};

struct comparison {
	struct arena *arena;
	struct result left, right;
	double margin;
	const char *refused; /* why nothing is compared, or NULL: then there are no groups */
	unsigned ngroups;
	struct comparison_group *groups;
	const struct comparison_group *moved; /* the limit's that differs most, if one does: the
	                                         machine changed, and all else is undecided */
};

/* Fills the groups from the two sides, which are loaded. */
void comparison_make(struct comparison *c);

/* Why the two sides share no cell but the limit's: "dtype is float32 in A, float16 in B; …", the
 * fewest keys in which two cells differ, or what a side lacks; cut to fit. */
void comparison_apart(const struct comparison *c, char *out, size_t bytes);
/* What a side has and `other` has at no size, cut to fit: "alltoall, stream of single, threads;
 * sendrecv, stream of single". */
void comparison_only(const struct result *side, const struct result *other, char *out,
                     size_t bytes);

/* print.c: the answer, its tables, and facts about the two sides (told.h). If JSON cannot be written to
 * `out`, the arena's work ends. */
void print_comparison(const struct comparison *c, enum compare_form form, FILE *out);

#endif
