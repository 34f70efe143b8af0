#include "crossovers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrast.h"
#include "words.h"

static bool counts(const struct summary *s, unsigned v)
{
	return s->variants[v].measured && summary_is_asked(s, v);
}

static bool group_counts(const struct summary *s, unsigned group)
{
	const struct summary_group *g = &s->groups[group];
	return !g->limit && !(coll_info(g->cell.coll)->is & (COLL_PSEUDO | COLL_PAIRS)) &&
	       !(s->oversubscribed && g->cell.pace == PACE_ISOLATED);
}

static bool same_backend(const struct summary *s, unsigned a, unsigned b)
{
	return !strcmp(s->variants[a].backend, s->variants[b].backend);
}

static int judge(const struct summary *s, unsigned group, unsigned size, unsigned left,
                 unsigned right, struct contrast *out, struct status *st)
{
	const struct summary_group *g = &s->groups[group];
	const size_t asked = g->asked_bytes[size];
	const struct contrast_select select = {.bytes = {asked, asked},
	                                       .pace = g->cell.pace,
	                                       .coll = CLAIM_ANY_COLL,
	                                       .group = g};
	enum metric metric = g->cell.pace == PACE_ISOLATED ? METRIC_LATENCY : METRIC_TIME;
	return contrast_make(s, left, right, metric, &select, out, st);
}

/* How far the twin's interval reaches from 1 at that size, as a log; 0 without one. */
static int noise(const struct summary *s, unsigned group, unsigned size, double *out,
                 struct status *st)
{
	struct contrast c;
	*out = 0;
	if (s->twin < 0 || s->reference < 0)
		return 0;
	if (judge(s, group, size, (unsigned)s->twin, (unsigned)s->reference, &c, st))
		return -1;
	if (!isnan(c.verdict.ratio.lo))
		*out = fmax(fabs(log(c.verdict.ratio.lo)), fabs(log(c.verdict.ratio.hi)));
	return 0;
}

/* 1: left is faster, -1: right is; 0: neither is shown. */
static int who(const struct contrast *c, double noise)
{
	const struct stats_ratio *r = &c->verdict.ratio;
	int beyond = verdict_beyond(&c->verdict);
	if (beyond > 0)
		return log(r->lo) > noise;
	return beyond < 0 && log(r->hi) < -noise ? -1 : 0;
}

static void range_add(struct crossover *row, int who, size_t size, double times)
{
	struct crossover_range *last = row->n ? &row->ranges[row->n - 1] : NULL;
	if (last && (last->who == who || row->n == CROSSOVERS_RANGES)) {
		last->who = last->who == who ? who : 0;
		last->to = size;
		last->least = fmin(last->least, times);
		last->most = fmax(last->most, times);
		return;
	}
	row->ranges[row->n++] = (struct crossover_range){who, size, size, times, times};
}

/* A size that one of them lacks is left out. */
static int pair_make(const struct summary *s, unsigned group, unsigned left, unsigned right,
                     struct crossovers *out, struct status *st)
{
	const struct summary_group *g = &s->groups[group];
	struct crossover row = {.group = group, .left = left, .right = right};
	for (unsigned i = 0; i < g->nsizes; i++) {
		struct contrast c;
		double aside;
		if (noise(s, group, i, &aside, st) || judge(s, group, i, left, right, &c, st))
			return -1;
		if (!c.nblocks)
			continue;
		int is = who(&c, aside);
		double times = c.verdict.ratio.estimate;
		range_add(&row, is, g->asked_bytes[i], is < 0 ? 1 / times : times);
	}
	if (row.n)
		out->rows[out->n++] = row;
	return 0;
}

/* Those in the same mode; where two backends have none in common, the first of each. */
static bool is_pair(const struct summary *s, unsigned a, unsigned b)
{
	if (!counts(s, a) || !counts(s, b) || same_backend(s, a, b))
		return false;
	if (!strcmp(s->variants[a].mode, s->variants[b].mode))
		return true;
	for (unsigned x = 0; x < s->nvariants; x++)
		for (unsigned y = 0; y < s->nvariants; y++) {
			if (!counts(s, x) || !counts(s, y) || !same_backend(s, x, a) ||
			    !same_backend(s, y, b))
				continue;
			/* A pair in one mode, or an earlier one, stands for them. */
			if (!strcmp(s->variants[x].mode, s->variants[y].mode) || x < a ||
			    (x == a && y < b))
				return false;
		}
	return true;
}

/* --- the fastest --- */

static int fastest_of(const struct summary *s, unsigned group, unsigned size)
{
	int best = -1;
	double least = INFINITY;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct summary_row *row = index_at(s, v, group, size);
		if (row && counts(s, v) && row->time_us < least) {
			least = row->time_us;
			best = (int)v;
		}
	}
	return best;
}

static int fastest_make(const struct summary *s, unsigned group, unsigned size,
                        struct crossovers *out, struct status *st)
{
	const size_t asked = s->groups[group].asked_bytes[size];
	const int best = fastest_of(s, group, size);
	struct crossover_fastest one = {group, (unsigned)best, asked, asked, "", NAN, NAN};
	double aside;
	if (best < 0)
		return 0;
	if (noise(s, group, size, &aside, st))
		return -1;
	for (unsigned v = 0; v < s->nvariants; v++) {
		struct contrast c;
		if ((int)v == best || !counts(s, v))
			continue;
		if (judge(s, group, size, one.variant, v, &c, st))
			return -1;
		if (!c.nblocks)
			continue;
		if (who(&c, aside) > 0)
			one.least = fmin(one.least, c.verdict.ratio.estimate);
		else
			status_list(one.alike, sizeof one.alike, s->variants[v].name);
	}
	one.most = one.least;
	struct crossover_fastest *last = out->nfastest ? &out->fastest[out->nfastest - 1] : NULL;
	if (last && last->group == group && last->variant == one.variant &&
	    !strcmp(last->alike, one.alike)) {
		last->to = asked;
		last->least = fmin(last->least, one.least);
		last->most = fmax(last->most, one.most);
		return 0;
	}
	out->fastest[out->nfastest++] = one;
	return 0;
}

static bool several_backends(const struct summary *s)
{
	for (unsigned a = 0; a < s->nvariants; a++)
		for (unsigned b = a + 1; b < s->nvariants; b++)
			if (counts(s, a) && counts(s, b) && !same_backend(s, a, b))
				return true;
	return false;
}

int crossovers_make(const struct summary *s, struct crossovers *out, struct status *st)
{
	size_t sizes = 0;
	*out = (struct crossovers){.n = 0};
	if (s->uncompared[0] || !several_backends(s))
		return 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		sizes += s->groups[g].nsizes;
	out->rows = calloc((size_t)s->ngroups * s->nvariants * s->nvariants + 1,
	                   sizeof *out->rows);
	out->fastest = calloc(sizes + 1, sizeof *out->fastest);
	if (!out->rows || !out->fastest) {
		crossovers_free(out);
		return status_set(st, "out of memory for comparing backends");
	}
	for (unsigned g = 0; g < s->ngroups; g++) {
		for (unsigned i = 0; i < s->groups[g].nsizes && group_counts(s, g); i++)
			if (fastest_make(s, g, i, out, st))
				goto fail;
		for (unsigned a = 0; a < s->nvariants && group_counts(s, g); a++)
			for (unsigned b = a + 1; b < s->nvariants; b++)
				if (is_pair(s, a, b) && pair_make(s, g, a, b, out, st))
					goto fail;
	}
	return 0;
fail:
	crossovers_free(out);
	return -1;
}

void crossovers_free(struct crossovers *c)
{
	free(c->rows);
	free(c->fastest);
	*c = (struct crossovers){.n = 0};
}

static void add_sizes(const struct crossover *row, unsigned i, char *text, size_t bytes)
{
	const struct crossover_range *r = &row->ranges[i];
	const struct words begin = words_size(r->from), end = words_size(r->to);
	const char *from = begin.text, *to = end.text;
	if (row->n == 1)
		words_add(text, bytes, " at all sizes, %s to %s", from, to);
	else if (i == 0)
		words_add(text, bytes, " up to %s", to);
	else if (i + 1 == row->n)
		words_add(text, bytes, " from %s on", from);
	else if (r->from == r->to)
		words_add(text, bytes, " at %s", from);
	else
		words_add(text, bytes, " from %s to %s", from, to);
}

bool crossovers_undecided(const struct crossover *row)
{
	return row->n == 1 && !row->ranges[0].who;
}

void crossovers_say(const struct summary *s, const struct crossover *row, char *text,
                    size_t bytes)
{
	const struct summary_group *g = &s->groups[row->group];
	const char *left = s->variants[row->left].name, *right = s->variants[row->right].name;
	snprintf(text, bytes, "%s, %s: %s against %s:", coll_word(&g->cell, g->nranks).text,
	         coll_pace_name(g->cell.pace), left, right);
	for (unsigned i = 0; i < row->n; i++) {
		const struct crossover_range *r = &row->ranges[i];
		struct words least = words_number(r->least), most = words_number(r->most);
		words_add(text, bytes, "%s %s", i ? ";" : "",
		          r->who > 0   ? left
		          : r->who < 0 ? right
		                       : "undecided");
		add_sizes(row, i, text, bytes);
		if (r->who && !strcmp(least.text, most.text))
			words_add(text, bytes, " (%s times as fast)", least.text);
		else if (r->who)
			words_add(text, bytes, " (%s to %s times as fast)", least.text,
			          most.text);
	}
}
