/* Groups of rows, and the variants held against the reference within each. */
#include "summary_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_group(const void *left, const void *right)
{
	const struct summary_group *a = left, *b = right;
	int64_t keys[][2] = {{a->cell.coll, b->cell.coll},
	                     {a->cell.pace, b->cell.pace},
	                     {a->cell.dtype, b->cell.dtype},
	                     {a->cell.op, b->cell.op},
	                     {a->cell.in_place, b->cell.in_place},
	                     {a->cell.root, b->cell.root},
	                     {a->cell.comm_ranks, b->cell.comm_ranks},
	                     {a->nranks, b->nranks}};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

static int group_of(const struct summary *s, const struct summary_row *row)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].nranks == row->nranks &&
		    summary_same_group(&s->groups[g].cell, &row->cell))
			return (int)g;
	return -1;
}

/* Puts a size in its place, once. */
static int add_size(struct summary_group *group, size_t bytes, size_t asked)
{
	unsigned at = 0;
	while (at < group->nsizes && group->bytes[at] < bytes)
		at++;
	if (at < group->nsizes && group->bytes[at] == bytes)
		return 0;
	size_t room = (group->nsizes + 1) * sizeof *group->bytes;
	size_t *more = realloc(group->bytes, room);
	if (!more)
		return -1;
	group->bytes = more;
	more = realloc(group->asked_bytes, room);
	if (!more)
		return -1;
	group->asked_bytes = more;
	size_t behind = (group->nsizes - at) * sizeof *more;
	memmove(group->bytes + at + 1, group->bytes + at, behind);
	memmove(group->asked_bytes + at + 1, group->asked_bytes + at, behind);
	group->bytes[at] = bytes;
	group->asked_bytes[at] = asked;
	group->nsizes++;
	return 0;
}

int summary_group_rows(struct summary *s, struct status *st)
{
	s->groups = calloc(s->nrows ? s->nrows : 1, sizeof *s->groups);
	if (!s->groups)
		return status_set(st, "out of memory for the summary");
	for (unsigned i = 0; i < s->nrows; i++)
		if (group_of(s, &s->rows[i]) < 0)
			s->groups[s->ngroups++] = (struct summary_group){
			    .cell = s->rows[i].cell, .nranks = s->rows[i].nranks};
	qsort(s->groups, s->ngroups, sizeof *s->groups, by_group);
	for (unsigned i = 0; i < s->nrows; i++) {
		struct summary_row *row = &s->rows[i];
		row->group = (unsigned)group_of(s, row);
		struct summary_group *group = &s->groups[row->group];
		if (add_size(group, row->cell.bytes, row->cell.asked_bytes))
			return status_set(st, "out of memory for the summary");
	}
	for (unsigned g = 0; g < s->ngroups; g++) {
		s->groups[g].gaps = calloc(s->nvariants, sizeof *s->groups[g].gaps);
		if (!s->groups[g].gaps)
			return status_set(st, "out of memory for the summary");
		for (unsigned v = 0; v < s->nvariants; v++)
			s->groups[g].gaps[v] = stats_ratio(NULL, NULL, 0, 0);
	}
	return 0;
}

const struct summary_row *summary_find(const struct summary *s, unsigned variant,
                                       unsigned group, size_t bytes)
{
	for (unsigned i = 0; i < s->nrows; i++)
		if (s->rows[i].variant == variant && s->rows[i].group == group &&
		    s->rows[i].cell.bytes == bytes)
			return &s->rows[i];
	return NULL;
}

int summary_partner(const struct summary *s, unsigned group)
{
	struct cell turned = s->groups[group].cell;
	turned.in_place = !turned.in_place;
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].nranks == s->groups[group].nranks &&
		    summary_same_group(&s->groups[g].cell, &turned))
			return (int)g;
	return -1;
}

/* The time of a block in a row, or NaN. */
static double time_in(const struct summary_row *row, unsigned block)
{
	for (unsigned i = 0; row && i < row->ntrials; i++)
		if (row->trials[i].block == block)
			return row->trials[i].time_ns;
	return NAN;
}

/* Pairs of times of the same block. `theirs` and `ours` have room for all of the reference's.
 */
static unsigned pair_rows(const struct summary_row *reference, const struct summary_row *row,
                          double *theirs, double *ours)
{
	unsigned n = 0;
	for (unsigned i = 0; i < reference->ntrials; i++) {
		double time = time_in(row, reference->trials[i].block);
		if (isnan(time))
			continue;
		theirs[n] = reference->trials[i].time_ns;
		ours[n++] = time;
	}
	return n;
}

/* For one block the geometric means over the sizes that both variants have at all; false when
 * the block lacks one of them, for a mean over fewer sizes would be another quantity. */
static bool mean_over_sizes(const struct summary *s, unsigned group, unsigned variant,
                            unsigned block, double *theirs, double *ours)
{
	const struct summary_group *g = &s->groups[group];
	double sum_theirs = 0, sum_ours = 0;
	unsigned n = 0;
	for (unsigned i = 0; i < g->nsizes; i++) {
		const struct summary_row *a =
		    summary_find(s, (unsigned)s->reference, group, g->bytes[i]);
		const struct summary_row *b = summary_find(s, variant, group, g->bytes[i]);
		if (!a || !b || !a->ntrials || !b->ntrials)
			continue;
		sum_theirs += log(time_in(a, block));
		sum_ours += log(time_in(b, block));
		n++;
	}
	*theirs = exp(sum_theirs / n);
	*ours = exp(sum_ours / n);
	return n > 0 && !isnan(sum_theirs) && !isnan(sum_ours);
}

static void compare_group(struct summary *s, unsigned group, unsigned variant,
                          double confidence, double *theirs, double *ours)
{
	struct summary_group *g = &s->groups[group];
	const struct summary_row *first = NULL;
	unsigned n = 0;
	for (unsigned i = 0; i < g->nsizes && (!first || !first->ntrials); i++)
		first = summary_find(s, (unsigned)s->reference, group, g->bytes[i]);
	for (unsigned i = 0; first && i < first->ntrials; i++)
		if (mean_over_sizes(s, group, variant, first->trials[i].block, &theirs[n],
		                    &ours[n]))
			n++;
	g->gaps[variant] = stats_ratio(theirs, ours, n, confidence);
}

int summary_compare(struct summary *s, double confidence, struct status *st)
{
	if (s->reference < 0)
		return 0;
	size_t most = s->nblocks ? s->nblocks : 1;
	double *pairs = malloc(2 * most * sizeof *pairs);
	if (!pairs)
		return status_set(st, "out of memory for the summary");
	for (unsigned i = 0; i < s->nrows; i++) {
		struct summary_row *row = &s->rows[i];
		const struct summary_row *reference =
		    summary_find(s, (unsigned)s->reference, row->group, row->cell.bytes);
		if (!reference || reference == row ||
		    s->variants[row->variant].role == ROLE_LIMIT)
			continue;
		unsigned n = pair_rows(reference, row, pairs, pairs + most);
		row->ratio = stats_ratio(pairs, pairs + most, n, confidence);
	}
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++)
			if ((int)v != s->reference && s->variants[v].role != ROLE_LIMIT)
				compare_group(s, g, v, confidence, pairs, pairs + most);
	free(pairs);
	return 0;
}

bool summary_is_limit(const struct summary *s, const struct summary_group *group)
{
	bool limit = false;
	for (unsigned i = 0; i < s->nrows; i++) {
		if (&s->groups[s->rows[i].group] != group)
			continue;
		if (s->variants[s->rows[i].variant].role != ROLE_LIMIT)
			return false;
		limit = true;
	}
	return limit;
}

bool summary_crowded(const struct summary *s)
{
	unsigned most = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].nranks > most)
			most = s->groups[g].nranks;
	return s->ncores && most > s->ncores;
}

bool summary_has_pace(const struct summary *s, enum pace pace)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].cell.pace == pace && !summary_is_limit(s, &s->groups[g]))
			return true;
	return false;
}

bool summary_has_ratio(const struct summary *s, unsigned v)
{
	return s->variants[v].measured && s->variants[v].role != ROLE_LIMIT && !s->trouble[0] &&
	       s->reference >= 0 && (int)v != s->reference;
}

double summary_limit(const struct summary *s, size_t bytes)
{
	double best = NAN;
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (s->variants[row->variant].role != ROLE_LIMIT || isnan(row->busbw_gbs))
			continue;
		if (row->cell.bytes == bytes)
			return row->busbw_gbs;
		if (!(row->busbw_gbs <= best))
			best = row->busbw_gbs;
	}
	return best;
}
