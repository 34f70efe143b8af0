/* Which cells of two sides meet, and what they come to. Pure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_parts.h"
#include "unpaired.h"

static double time_in(const struct compare_series *s, unsigned block)
{
	for (unsigned i = 0; i < s->ntrials; i++)
		if (s->trials[i].block == block)
			return s->trials[i].time_us;
	return NAN;
}

/* Shift of log times, back on the ratio's scale: time of A ÷ time of B, above 1 is faster. */
static struct stats_ratio ratio_of(const double *left, unsigned nleft, const double *right,
                                   unsigned nright)
{
	struct unpaired shift = unpaired_shift(left, nleft, right, nright, VERDICT_CONFIDENCE);
	/* As many of each would give an interval as wide. */
	double both = nleft + nright ? 2.0 * nleft * nright / (nleft + nright) : 0;
	return (struct stats_ratio){.estimate = exp(shift.shift),
	                            .lo = exp(shift.lo),
	                            .hi = exp(shift.hi),
	                            .blocks = both < 2 ? 2 : (unsigned)lround(both),
	                            .confidence = shift.confidence};
}

/* The logs of a series' times, into `logs`; their number. */
static unsigned logs_of(const struct compare_series *s, double *logs)
{
	for (unsigned i = 0; i < s->ntrials; i++)
		logs[i] = log(s->trials[i].time_us);
	return s->ntrials;
}

/* One number per trial that holds all of the group's sizes: the mean of the logs. */
static unsigned means_of(const struct compare_side *side, const struct compare_group *g,
                         double *logs)
{
	struct cell cell = g->cell;
	unsigned n = 0;
	cell.bytes = g->points[0].bytes;
	const struct compare_series *first = compare_series_find(side, g->variant, &cell);
	for (unsigned i = 0; i < first->ntrials; i++) {
		double sum = 0;
		for (unsigned p = 0; p < g->npoints; p++) {
			cell.bytes = g->points[p].bytes;
			sum += log(time_in(compare_series_find(side, g->variant, &cell),
			                   first->trials[i].block));
		}
		if (!isnan(sum))
			logs[n++] = sum / g->npoints;
	}
	return n;
}

static double median_us(const double *logs, unsigned n)
{
	return exp(stats_median(logs, n));
}

/* Puts a size in its place. */
static void add_point(struct compare_group *g, const struct compare_series *left,
                      const struct compare_series *right, double *room, unsigned most)
{
	unsigned at = g->npoints++;
	for (; at > 0 && g->points[at - 1].bytes > left->cell.bytes; at--)
		g->points[at] = g->points[at - 1];
	unsigned nleft = logs_of(left, room), nright = logs_of(right, room + most);
	g->points[at] =
	    (struct compare_point){.bytes = left->cell.bytes,
	                           .asked_bytes = left->cell.asked_bytes,
	                           .left_us = median_us(room, nleft),
	                           .right_us = median_us(room + most, nright),
	                           .ratio = ratio_of(room, nleft, room + most, nright)};
}

static bool in_group(const struct compare_group *g, const struct compare_series *s)
{
	return !strcmp(g->variant, s->variant) && compare_same_kind(&g->cell, &s->cell);
}

/* The verdict on B, when all points are there. */
static void judge(struct comparison *c, struct compare_group *g, double *room, unsigned most)
{
	g->nleft = means_of(&c->left, g, room);
	g->nright = means_of(&c->right, g, room + most);
	g->verdict = verdict_of(ratio_of(room, g->nleft, room + most, g->nright), c->margin);
	if (isnan(g->verdict.ratio.lo))
		g->verdict.more_blocks =
		    unpaired_lacks(g->nleft, g->nright, VERDICT_CONFIDENCE);
}

/* The group that starts with this series of A, unless it is in one already or B lacks all of
 * it. -1: out of memory. */
static int add_group(struct comparison *c, const struct compare_series *start, double *room,
                     unsigned most)
{
	struct compare_group *g = &c->groups[c->ngroups];
	for (unsigned i = 0; i < c->ngroups; i++)
		if (in_group(&c->groups[i], start))
			return 0;
	*g = (struct compare_group){.cell = start->cell, .limit = start->limit};
	strcpy(g->variant, start->variant);
	g->points = calloc(c->left.nseries, sizeof *g->points);
	if (!g->points)
		return -1;
	for (unsigned i = 0; i < c->right.nseries; i++)
		g->nsizes += in_group(g, &c->right.series[i]);
	for (unsigned i = 0; i < c->left.nseries; i++) {
		const struct compare_series *left = &c->left.series[i], *right;
		if (!in_group(g, left))
			continue;
		right = compare_series_find(&c->right, g->variant, &left->cell);
		if (right)
			add_point(g, left, right, room, most);
		else
			g->nsizes++;
	}
	if (!g->npoints) {
		free(g->points);
		return 0;
	}
	judge(c, g, room, most);
	c->ngroups++;
	return 0;
}

static unsigned most_trials(const struct comparison *c)
{
	unsigned most = 1;
	for (unsigned i = 0; i < c->left.nseries; i++)
		if (c->left.series[i].ntrials > most)
			most = c->left.series[i].ntrials;
	for (unsigned i = 0; i < c->right.nseries; i++)
		if (c->right.series[i].ntrials > most)
			most = c->right.series[i].ntrials;
	return most;
}

int compare_match(struct comparison *c, struct status *st)
{
	unsigned most = most_trials(c);
	double *room = malloc(2 * (size_t)most * sizeof *room);
	int result = 0;
	c->groups = calloc(c->left.nseries ? c->left.nseries : 1, sizeof *c->groups);
	if (!room || !c->groups)
		result = status_set(st, "out of memory for the comparison");
	for (unsigned i = 0; !result && i < c->left.nseries; i++)
		if (add_group(c, &c->left.series[i], room, most))
			result = status_set(st, "out of memory for the comparison");
	free(room);
	return result;
}
