#include "pingpong.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "words.h"

static bool is_shown(const struct summary *s, unsigned variant)
{
	return s->variants[variant].measured && summary_is_asked(s, variant);
}

static bool is_of(const struct summary_group *g, enum coll_kind coll)
{
	return g->cell.coll == coll && !g->limit &&
	       (!g->cell.comm_ranks || g->cell.comm_ranks == g->nranks);
}

static struct pingpong_row *row_of(struct pingpong *p, const struct summary_group *g,
                                   unsigned variant)
{
	unsigned first = value_pair_from(g->cell.root),
	         second = value_pair_to(g->cell.root, g->nranks);
	for (unsigned i = 0; i < p->n; i++)
		if (p->rows[i].variant == variant && p->rows[i].first == first &&
		    p->rows[i].second == second)
			return &p->rows[i];
	p->rows[p->n] = (struct pingpong_row){.variant = variant,
	                                      .first = first,
	                                      .second = second,
	                                      .link = {LINKS_UNKNOWN, 0, NAN},
	                                      .round_us = NAN,
	                                      .p95_us = STATS_NO_INTERVAL,
	                                      .p99_us = STATS_NO_INTERVAL,
	                                      .stream_us = NAN,
	                                      .gbs = STATS_NO_INTERVAL};
	return &p->rows[p->n++];
}

static void take_stream(const struct summary *s, unsigned group, unsigned variant,
                        struct pingpong *p)
{
	const struct summary_group *g = &s->groups[group];
	const struct summary_row *least = index_at(s, variant, group, 0),
	                         *most = index_at(s, variant, group, g->nsizes - 1);
	struct pingpong_row *row = row_of(p, g, variant);
	if (least && least->ntrials)
		row->stream_us = least->time_us;
	if (!most || !most->ntrials)
		return;
	row->gbs = summary_busbw(most);
	p->bytes = most->cell.bytes;
}

static void take_isolated(const struct summary *s, unsigned group, unsigned variant,
                          struct pingpong *p)
{
	const struct summary_group *g = &s->groups[group];
	const struct summary_row *least = index_at(s, variant, group, 0);
	if (!least || !least->ntrials)
		return;
	struct pingpong_row *row = row_of(p, g, variant);
	row->round_us = least->p50_us;
	row->p95_us = least->p95_us;
	row->p99_us = least->p99_us;
	p->small_bytes = least->cell.bytes;
}

static double all_reduce_of(const struct summary *s, unsigned variant, struct pingpong *p)
{
	for (unsigned i = 0; i < s->ngroups; i++) {
		const struct summary_group *g = &s->groups[i];
		const struct summary_row *row;
		if (!is_of(g, COLL_ALL_REDUCE) || g->cell.pace != PACE_STREAM ||
		    g->cell.in_place)
			continue;
		row = index_at(s, variant, i, g->nsizes - 1);
		if (!row || !row->ntrials)
			continue;
		p->all_reduce_bytes = row->cell.bytes;
		return row->busbw_gbs;
	}
	return NAN;
}

/* x: room for two figures of each row. */
static void add_class(const struct summary *s, struct pingpong *p, enum links_class class,
                      unsigned variant, double *x)
{
	struct pingpong_class *c = &p->classes[p->nclasses];
	double *us = x, *gbs = x + p->n, theoretical = NAN;
	unsigned n = 0;
	for (unsigned i = 0; i < p->n; i++) {
		const struct pingpong_row *row = &p->rows[i];
		if (row->link.class != class || row->variant != variant)
			continue;
		theoretical = row->link.theoretical_gbs;
		us[n] = row->round_us;
		gbs[n++] = row->gbs.estimate;
	}
	if (!n)
		return;
	*c = (struct pingpong_class){.variant = variant, .pairs = n, .class = class};
	stats_spread(us, n, &c->us_min, &c->us_median, &c->us_max);
	stats_spread(gbs, n, &c->gbs_min, &c->gbs_median, &c->gbs_max);
	c->theoretical_gbs = theoretical;
	c->all_reduce_gbs = all_reduce_of(s, variant, p);
	p->nclasses++;
}

static int by_pair(const void *x, const void *y)
{
	const struct pingpong_row *a = x, *b = y;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->second != b->second)
		return a->second < b->second ? -1 : 1;
	return (a->variant > b->variant) - (a->variant < b->variant);
}

static int make_classes(const struct summary *s, struct pingpong *p, struct status *st)
{
	double *x = malloc(2 * p->n * sizeof *x);
	p->classes = calloc((size_t)LINKS_CLASSES * s->nvariants, sizeof *p->classes);
	if (!x || !p->classes) {
		free(x);
		return status_set(st, "out of memory for the classes of ping-pong");
	}
	for (unsigned class = 0; class < LINKS_CLASSES; class ++)
		for (unsigned v = 0; v < s->nvariants; v++)
			if (is_shown(s, v))
				add_class(s, p, (enum links_class) class, v, x);
	free(x);
	return 0;
}

int pingpong_make(const struct summary *s, const struct pairs *pairs, struct pingpong *out,
                  struct status *st)
{
	unsigned groups = 0;
	*out = (struct pingpong){0};
	for (unsigned g = 0; g < s->ngroups; g++)
		groups += is_of(&s->groups[g], COLL_PINGPONG);
	if (!groups || !s->nvariants)
		return 0;
	out->rows = calloc((size_t)groups * s->nvariants, sizeof *out->rows);
	if (!out->rows)
		return status_set(st, "out of memory for the ping-pongs");
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; is_of(&s->groups[g], COLL_PINGPONG) && v < s->nvariants;
		     v++) {
			if (!is_shown(s, v))
				continue;
			if (s->groups[g].cell.pace == PACE_STREAM)
				take_stream(s, g, v, out);
			else
				take_isolated(s, g, v, out);
		}
	for (unsigned i = 0; i < out->n; i++) {
		const struct pairs_pair *pair =
		    pairs_find(pairs, out->rows[i].first, out->rows[i].second);
		if (pair)
			out->rows[i].link = pair->link;
	}
	qsort(out->rows, out->n, sizeof *out->rows, by_pair);
	if (out->n && make_classes(s, out, st)) {
		pingpong_free(out);
		return -1;
	}
	return 0;
}

void pingpong_free(struct pingpong *p)
{
	free(p->rows);
	free(p->classes);
	*p = (struct pingpong){0};
}

unsigned pingpong_say(const struct pingpong *p, const struct summary *s, unsigned i, char *text,
                      size_t bytes)
{
	const enum links_class class = p->classes[i].class;
	unsigned end = i;
	while (end < p->nclasses && p->classes[end].class == class)
		end++;
	snprintf(text, bytes, "%s, %u pair%s",
	         class == LINKS_UNKNOWN ? "links not known" : links_info(class)->name,
	         p->classes[i].pairs, words_plural(p->classes[i].pairs));
	for (unsigned k = i; k < end && p->small_bytes; k++)
		words_add(text, bytes, "%s %s µs in %s", k > i ? "," : ": there and back",
		          words_number(p->classes[k].us_median).text,
		          s->variants[p->classes[k].variant].name);
	if (p->small_bytes)
		words_add(text, bytes, " (%s, half is one way)",
		          words_size(p->small_bytes).text);
	for (unsigned k = i; k < end && p->bytes; k++)
		words_add(text, bytes, "%s %s%s",
		          k > i            ? ","
		          : p->small_bytes ? "; one way"
		                           : ": one way",
		          words_number(p->classes[k].gbs_median).text,
		          k + 1 == end ? " GB/s" : "");
	if (p->bytes)
		words_add(text, bytes, " (%s)", words_size(p->bytes).text);
	return end;
}
