#include "cliffs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

/* An interval has to lie wholly beyond these. Smooth curves of real runs stay below 1.2. */
#define JUMP 1.25
#define FALL 0.95
/* Nothing leads further than so many times in size: what lies between was not measured. */
#define FAR 8

static double log_bandwidth(const struct summary_row *row, unsigned block)
{
	for (unsigned i = 0; i < row->ntrials; i++)
		if (row->trials[i].block == block)
			return log((double)row->moved_bytes) - log(row->trials[i].time_ns);
	return NAN;
}

/* How far the bandwidth at b is above what the step before (from `before` to a, NULL: none)
 * leads to, and above that at a: two ratios over the blocks that hold all of them. */
static void judge(const struct summary_row *before, const struct summary_row *a,
                  const struct summary_row *b, double confidence, double *logs,
                  struct stats_ratio *jump, struct stats_ratio *step)
{
	double *steps = logs + a->ntrials;
	double doubled = log((double)b->cell.bytes / (double)a->cell.bytes);
	unsigned n = 0;
	for (unsigned i = 0; i < a->ntrials; i++) {
		unsigned block = a->trials[i].block;
		double here = log_bandwidth(a, block), there = log_bandwidth(b, block);
		double slope = 1;
		if (before)
			slope = (here - log_bandwidth(before, block)) /
			        log((double)a->cell.bytes / (double)before->cell.bytes);
		if (isnan(here) || isnan(there) || isnan(slope))
			continue;
		slope = fmin(1, fmax(0, slope));
		logs[n] = there - here - slope * doubled;
		steps[n++] = there - here;
	}
	*jump = stats_ratio_of_logs(logs, n, confidence);
	*step = stats_ratio_of_logs(steps, n, confidence);
}

bool cliffs_leaves(const struct summary *s, unsigned group, unsigned variant, unsigned to,
                   enum cliff_kind *kind, double *factor)
{
	const unsigned place = index_place(s, group, to);
	const struct summary_row *a = index_row(s, variant, place - 1);
	const struct summary_row *b = index_row(s, variant, place);
	const struct summary_row *before = to > 1 ? index_row(s, variant, place - 2) : NULL;
	struct stats_ratio jump, step;
	if (!a || !b || !a->ntrials || !b->ntrials || isnan(b->busbw_gbs))
		return false;
	double *logs = malloc(2 * (size_t)a->ntrials * sizeof *logs);
	if (!logs)
		return false;
	judge(before, a, b, s->looks.confidence, logs, &jump, &step);
	free(logs);
	if (step.hi < FALL) {
		*kind = CLIFF_FALL;
		*factor = step.estimate;
		return true;
	}
	*kind = CLIFF_JUMP;
	*factor = jump.estimate;
	return jump.lo > JUMP && b->cell.bytes <= FAR * a->cell.bytes;
}

/* Plain copies at the same two sizes. They are judged alike. */
static int limit_leaves(const struct summary *s, unsigned group, unsigned to,
                        enum cliff_kind kind)
{
	const struct summary_group *g = &s->groups[group];
	for (unsigned k = 0; k < s->ngroups; k++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			const struct summary_group *l = &s->groups[k];
			enum cliff_kind its;
			double factor;
			unsigned i = 1;
			if (s->variants[v].role != ROLE_LIMIT || !s->variants[v].measured ||
			    !l->limit || l->cell.pace != g->cell.pace)
				continue;
			while (i < l->nsizes && l->bytes[i] != g->bytes[to])
				i++;
			if (i < l->nsizes && l->bytes[i - 1] == g->bytes[to - 1])
				return cliffs_leaves(s, k, v, i, &its, &factor) && its == kind;
		}
	return -1;
}

/* The cliff of one kind on the way to a size, over all variants; false when there is none. */
static bool find(const struct summary *s, unsigned group, unsigned to, enum cliff_kind kind,
                 struct cliff *out)
{
	struct cliff c = {.kind = kind, .group = group, .from = to - 1, .to = to};
	double strongest = 0;
	bool reference = false;
	for (unsigned v = 0; v < s->nvariants; v++) {
		enum cliff_kind its;
		double factor;
		const struct summary_row *row = index_at(s, v, group, to);
		/* The twin is the reference again. */
		if (!row || !row->ntrials || !summary_is_asked(s, v))
			continue;
		c.measured++;
		if (!cliffs_leaves(s, group, v, to, &its, &factor) || its != kind)
			continue;
		c.variants++;
		status_list(c.names, sizeof c.names, s->variants[v].name);
		/* Its figures are known best to whoever reads on. */
		if (reference || ((int)v != s->reference && fabs(log(factor)) <= strongest))
			continue;
		reference = (int)v == s->reference;
		strongest = fabs(log(factor));
		c.factor = factor;
		c.variant = v;
		c.to_gbs = row->busbw_gbs;
		c.from_gbs = index_at(s, v, group, to - 1)->busbw_gbs;
	}
	c.limit = limit_leaves(s, group, to, kind);
	*out = c;
	return c.variants > 0;
}

int cliffs_find(const struct summary *s, struct cliff **out, unsigned *count, struct status *st)
{
	size_t most = 1;
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		most += s->groups[g].nsizes;
	struct cliff *list = calloc(most, sizeof *list);
	if (!list)
		return status_set(st, "out of memory for the cliffs");
	for (unsigned g = 0; g < s->ngroups; g++) {
		if (s->groups[g].cell.pace != PACE_STREAM || s->groups[g].limit)
			continue;
		/* A step is one or the other in each variant; in different variants it may be
		 * both, of which the jump is named. */
		for (unsigned to = 1; to < s->groups[g].nsizes; to++)
			if (find(s, g, to, CLIFF_JUMP, &list[n]) ||
			    find(s, g, to, CLIFF_FALL, &list[n]))
				n++;
	}
	*out = list;
	*count = n;
	return 0;
}

/* What to look at, by what carried the data and whether plain copies show it too. */
static const char *advice(const struct summary *s, const struct cliff *c)
{
	const char *own = s->variants[c->variant].traits->cliff_advice;
	if (c->limit == 1)
		return "Plain copies show it too: look at the machine (caches, pages, links), "
		       "not at the library.";
	return own ? own : "Look at what the library changes between these sizes.";
}

/* "64M", as an experiment file takes it. */
static void size_word(size_t bytes, char *text, size_t text_bytes)
{
	static const char units[] = " KMG";
	unsigned u = 0;
	while (u < 3 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		u++;
	}
	snprintf(text, text_bytes, "%zu%.*s", bytes, u > 0, &units[u]);
}

/* Sizes between the two, as the value of BYTES. */
static void between(const struct summary_group *g, const struct cliff *c, char *text,
                    size_t bytes)
{
	size_t lo = g->asked_bytes[c->from], hi = g->asked_bytes[c->to];
	char from[32], to[32], step[32];
	size_word(lo, from, sizeof from);
	size_word(hi, to, sizeof to);
	size_word(hi - lo > 6 ? (hi - lo) / 6 : 1, step, sizeof step);
	snprintf(text, bytes, "%s..%s +%s", from, to, step);
}

void cliffs_say(const struct summary *s, const struct cliff *c, const char *cause, char *text,
                size_t bytes)
{
	const struct summary_group *g = &s->groups[c->group];
	char who[300], how[160], sizes[128];
	between(g, c, sizes, sizeof sizes);
	if (c->variants == c->measured)
		snprintf(who, sizeof who, "in every variant");
	else
		snprintf(who, sizeof who, "in %s", c->names);
	if (c->kind == CLIFF_JUMP)
		snprintf(how, sizeof how,
		         "%.2f times what the sizes before lead to, so that it is they that "
		         "are slow",
		         c->factor);
	else
		snprintf(how, sizeof how, "%.0f %% less, where a larger size should not lose",
		         100 * (1 - c->factor));
	snprintf(text, bytes,
	         "%s %s from %s GB/s at %s to %s at %s %s (figures of %s): %s.%s %s Sizes in "
	         "between show where: BYTES='%s'.",
	         coll_word(&g->cell, g->nranks).text, c->kind == CLIFF_JUMP ? "jumps" : "falls",
	         words_number(c->from_gbs).text, words_size(g->asked_bytes[c->from]).text,
	         words_number(c->to_gbs).text, words_size(g->asked_bytes[c->to]).text, who,
	         s->variants[c->variant].name, how,
	         c->limit == 0 ? " Plain copies of the same sizes show none of it." : "",
	         cause[0] ? cause : advice(s, c), sizes);
}
