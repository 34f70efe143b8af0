#include "comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unpaired.h"

static double time_in(const struct side_series *s, unsigned block)
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
static unsigned logs_of(const struct side_series *s, double *logs)
{
	for (unsigned i = 0; i < s->ntrials; i++)
		logs[i] = log(s->trials[i].time_us);
	return s->ntrials;
}

/* One number per trial that holds all of the group's sizes: the mean of the logs. */
static unsigned means_of(const struct side *side, const struct comparison_group *g,
                         double *logs)
{
	struct cell cell = g->cell;
	unsigned n = 0;
	cell.bytes = g->points[0].bytes;
	const struct side_series *first = side_find(side, g->variant, &cell);
	for (unsigned i = 0; i < first->ntrials; i++) {
		double sum = 0;
		for (unsigned p = 0; p < g->npoints; p++) {
			cell.bytes = g->points[p].bytes;
			sum += log(time_in(side_find(side, g->variant, &cell),
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
static void add_point(struct comparison_group *g, const struct side_series *left,
                      const struct side_series *right, double *room, unsigned most)
{
	unsigned at = g->npoints++;
	for (; at > 0 && g->points[at - 1].bytes > left->cell.bytes; at--)
		g->points[at] = g->points[at - 1];
	unsigned nleft = logs_of(left, room), nright = logs_of(right, room + most);
	g->points[at] =
	    (struct comparison_point){.bytes = left->cell.bytes,
	                              .asked_bytes = left->cell.asked_bytes,
	                              .left_us = median_us(room, nleft),
	                              .right_us = median_us(room + most, nright),
	                              .ratio = ratio_of(room, nleft, room + most, nright)};
}

static bool in_group(const struct comparison_group *g, const struct side_series *s)
{
	return !strcmp(g->variant, s->variant) && side_same_kind(&g->cell, &s->cell);
}

/* The verdict on B, when all points are there. */
static void judge(struct comparison *c, struct comparison_group *g, double *room, unsigned most)
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
static int add_group(struct comparison *c, const struct side_series *start, double *room,
                     unsigned most)
{
	struct comparison_group *g = &c->groups[c->ngroups];
	for (unsigned i = 0; i < c->ngroups; i++)
		if (in_group(&c->groups[i], start))
			return 0;
	*g = (struct comparison_group){.cell = start->cell, .limit = start->limit};
	strcpy(g->variant, start->variant);
	g->points = calloc(c->left.nseries, sizeof *g->points);
	if (!g->points)
		return -1;
	for (unsigned i = 0; i < c->right.nseries; i++)
		g->nsizes += in_group(g, &c->right.series[i]);
	for (unsigned i = 0; i < c->left.nseries; i++) {
		const struct side_series *left = &c->left.series[i], *right;
		if (!in_group(g, left))
			continue;
		right = side_find(&c->right, g->variant, &left->cell);
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

int comparison_make(struct comparison *c, struct status *st)
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

void comparison_free(struct comparison *c)
{
	for (unsigned g = 0; g < c->ngroups; g++)
		free(c->groups[g].points);
	free(c->groups);
	side_free(&c->left);
	side_free(&c->right);
}

/* Whether a side has the variant with any size of the kind. */
static bool has_kind(const struct side *side, const struct side_series *s)
{
	for (unsigned i = 0; side && i < side->nseries; i++)
		if (side_same_kind(&side->series[i].cell, &s->cell) &&
		    !strcmp(side->series[i].variant, s->variant))
			return true;
	return false;
}

/* Whether series i is the first of its kind, or of its kind and variant, that `other` lacks. */
static bool is_first(const struct side *side, const struct side *other, unsigned i,
                     bool of_variant)
{
	const struct side_series *s = &side->series[i];
	if (has_kind(other, s))
		return false;
	for (unsigned k = 0; k < i; k++) {
		const struct side_series *before = &side->series[k];
		if (side_same_kind(&before->cell, &s->cell) &&
		    (!of_variant || !strcmp(before->variant, s->variant)) &&
		    !has_kind(other, before))
			return false;
	}
	return true;
}

void comparison_kinds_text(const struct side *side, const struct side *other, char *out,
                           size_t bytes)
{
	size_t used = 0;
	out[0] = '\0';
	for (unsigned i = 0; i < side->nseries; i++) {
		char kind[SIDE_KIND_BYTES];
		if (!is_first(side, other, i, false))
			continue;
		side_kind_text(&side->series[i].cell, kind);
		const char *join = used ? "; " : "";
		for (unsigned k = i; k < side->nseries && used < bytes; k++) {
			const struct side_series *s = &side->series[k];
			if (!side_same_kind(&s->cell, &side->series[i].cell) ||
			    !is_first(side, other, k, true))
				continue;
			used += (size_t)snprintf(out + used, bytes - used, "%s%s%s%s", join,
			                         k == i ? kind : "", k == i ? " of " : "",
			                         s->variant);
			join = ", ";
		}
	}
}
