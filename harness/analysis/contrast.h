/* Compares two variants. Claims, factors, versions, gaps, advice, regimes and the stop rule all use
 * this one comparison. Pure.
 *
 * Each block gives one number a variant: the mean over the cells of the logarithm of a metric (the
 * log of the geometric mean), so that the difference of two of them is a log ratio. A cell counts
 * when every variant of the comparison has it at all; a block counts when it holds all of those
 * cells, because a mean over fewer would be another quantity.
 *
 * The reference has two trials in a block, its own and its twin's (ROLE_AGAIN). The other variant
 * is compared with each of them, one trial with one, and both count (stats_walsh): the interval is
 * as narrow as that of their mean, and right where noise is skewed. Only if the twin is one of the
 * compared variants, as in the A/A line, each is used separately. Values of a side are means of
 * both.
 *
 * Variants of different numbers of ranks have no cell in common: cells are of so many ranks. With
 * across_ranks each has its own cell of the same size asked for, all else but the ranks equal. */
#ifndef LAUNCHGAP_CONTRAST_H
#define LAUNCHGAP_CONTRAST_H

#include "../config/claim.h"
#include "index.h"
#include "reason.h"
#include "verdict.h"

/* Which cells. */
struct contrast_select {
	struct claim_range bytes;          /* as asked */
	int pace;                          /* CLAIM_ANY_PACE: the metric's own */
	int coll;                          /* CLAIM_ANY_COLL: all but init and parts of a step */
	const struct summary_group *group; /* this one alone; NULL: any */
	/* Variants that have to have the cells and blocks too, so that several contrasts use the
	 * same ones. */
	const unsigned *with;
	unsigned nwith;
	bool across_ranks; /* `group` is the left one's then */
	/* The right variant's cells are of another collective, of the same sizes as asked: coll is
	 * the left one's then, and not any. */
	bool across_colls;
	enum coll_kind right_coll;
	/* The bounds that p tests, 1 ÷ (1 + by) and 1 + by: 0.02 is 2 %; 0: the summary's margin.
	 * Times `of`, if that is not 0. */
	double by, of;
};

/* Exact one-sided probabilities, if the ratio is 1 ÷ (1 + by), 1, 1 + by: at most 5 % exactly when
 * that end of `bounds` excludes it (stats_signed_rank_tails). With several looks at a run they grow
 * by the factor by which the looks reduce the 5 % (looks.h). NaN without blocks. */
struct contrast_p {
	struct stats_tails less, one, more;
};

/* One variant's part: the metric's geometric mean over blocks and cells. */
struct contrast_side {
	double value, lo, hi; /* with its quartiles over blocks */
};

struct contrast {
	unsigned left, right; /* variants of the summary */
	enum metric metric;
	struct stats_ratio ratio; /* of the metric, left ÷ right, at the run's confidence
	                             (looks.h); NaN without blocks */
	/* The same with ends of that confidence each, for tests on one side: at 95 % the interval of
	 * 90 %. */
	struct stats_ratio bounds;
	struct verdict_odd odd; /* of the metric, as ratio is */
	/* The cells whose own ratio is the least and the greatest; of one cell, the ratio. */
	struct stats_ratio least, most;
	/* On the speed of left compared with right, at the run's margin. Its ratio is that of the
	 * metric, inverted for a time, so that above 1 is faster. */
	struct verdict verdict;
	struct contrast_p p;
	struct contrast_side left_side, right_side;
	unsigned ncells, nblocks;
	const double *logs;       /* of the metric, left ÷ right, in each block; the summary's */
	struct claim_range sizes; /* smallest and largest of the cells, as asked */
	struct reason why;        /* there is no ratio */
};

/* Over the cells and blocks that both have, and those of select->with. Without a block it says
 * why. */
struct contrast contrast_make(const struct summary *summary, unsigned left, unsigned right,
                              enum metric metric, const struct contrast_select *select);
/* Whether cells differ from 1 beyond the margin both ways, so that their mean says nothing. */
bool contrast_opposed(const struct contrast *contrast);
/* The speed, from its slowest to its fastest cell; of one cell without these ends. */
struct stats_interval contrast_by_cell(const struct contrast *contrast);
/* A variant's speed compared with the reference in one group, at its sizes within a range. */
struct contrast contrast_against(const struct summary *summary, unsigned variant,
                                 const struct summary_group *group, struct claim_range bytes);
/* A contrast that was not made, with the reason. */
struct contrast contrast_none(unsigned left, unsigned right, enum metric metric, struct reason why);
/* Why two variants cannot be compared: one of them is missing, was skipped or failed, or the run's
 * data is wrong. */
struct reason contrast_obstacle(const struct summary *summary, const char *left, const char *right);
/* Why a metric is not judged if ranks share cores. */
struct reason contrast_oversubscribed(const struct summary *summary, enum metric metric);
/* Whether a trial has too few calls for a metric (p99). */
struct reason contrast_few_calls(const struct summary *summary, enum metric metric);
/* Whether less of the metric is faster: it is a time. */
bool contrast_is_time(enum metric metric);

#endif
