#include "run_gp_groups.h"

#include <math.h>
#include <string.h>

#include "run_gp.h"

#include "drawn.h"

/* Ratios within this of 1 count as near it: they get a panel of their own where others are far.
 */
#define NEAR 1.25

/* What the axes of one group have to hold: the least and the most of each. */
struct extent {
	double time_lo, time_hi, launch_lo, launch_hi; /* µs */
	double busbw_lo, busbw_hi;                     /* GB/s */
	double ratio_lo, ratio_hi;
	double near; /* the farthest of the ratios that are near 1, as a factor */
};

/* Widens [lo, hi] by what is a positive number. */
static void widen(double *lo, double *hi, double x)
{
	if (!isfinite(x) || x <= 0)
		return;
	*lo = fmin(*lo, x);
	*hi = fmax(*hi, x);
}

static void widen_ratio(struct extent *e, const struct stats_ratio *r)
{
	double lo = isnan(r->lo) ? r->estimate : r->lo, hi = isnan(r->hi) ? r->estimate : r->hi;
	widen(&e->ratio_lo, &e->ratio_hi, lo);
	widen(&e->ratio_lo, &e->ratio_hi, hi);
	if (r->estimate < NEAR && r->estimate > 1 / NEAR)
		e->near = fmax(e->near, fmin(NEAR, fmax(hi, 1 / lo)));
}

static struct extent extent_of(const struct summary *s, unsigned group)
{
	struct extent e = {INFINITY, 0, INFINITY, 0, INFINITY, 0, 1, 1, 1};
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (row->group != group || !row->ntrials || !drawn_is(s, row->variant))
			continue;
		widen(&e.time_lo, &e.time_hi, row->time_us);
		widen(&e.time_lo, &e.time_hi, row->p95_us);
		widen(&e.launch_lo, &e.launch_hi, row->launch_us);
		widen(&e.busbw_lo, &e.busbw_hi, row->busbw_gbs);
		widen_ratio(&e, &row->ratio);
	}
	/* Nothing positive: any axis will do. */
	if (e.time_hi <= 0)
		e.time_lo = e.time_hi = 1;
	if (e.launch_hi <= 0)
		e.launch_lo = e.launch_hi = 1;
	if (e.busbw_hi <= 0)
		e.busbw_lo = e.busbw_hi = 1;
	return e;
}

/* The groups that pictures are made of: the limit's is in those of the others. */
static bool in_picture(const struct summary *s, unsigned g)
{
	return !summary_is_limit(s, &s->groups[g]);
}

/* Whether two groups differ in their pace at most. */
static bool same_word(const struct summary_group *a, const struct summary_group *b)
{
	return !strcmp(coll_word(&a->cell, a->nranks).text,
	               coll_word(&b->cell, b->nranks).text);
}

unsigned run_gp_collectives(const struct summary *s)
{
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++) {
		bool again = !in_picture(s, g);
		for (unsigned k = 0; !again && k < g; k++)
			again = in_picture(s, k) && same_word(&s->groups[k], &s->groups[g]);
		n += !again;
	}
	return n;
}

void run_gp_groups(FILE *out, const struct summary *s)
{
	static const char *const arrays[] = {"coll",      "pace",      "ranks",    "sizes",
	                                     "min",       "max",       "time_lo",  "time_hi",
	                                     "launch_lo", "launch_hi", "busbw_lo", "busbw_hi",
	                                     "ratio_lo",  "ratio_hi",  "near"};
	unsigned n = 0, k = 0, colls = run_gp_collectives(s);
	for (unsigned g = 0; g < s->ngroups; g++)
		n += in_picture(s, g);
	fprintf(out,
	        "\n# pictures of each collective? launch, ranks, ecdf and timeline too?\n");
	fprintf(out, "each = %d\ndetail = %d\n", colls <= RUN_GP_EACH, colls <= RUN_GP_DETAIL);
	fprintf(out, "collectives = %u\n", colls);
	fprintf(out, "\n# one per collective and pace, and what its axes have to hold\n");
	fprintf(out, "groups = %u\n", n);
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		fprintf(out, "array G_%s[%u]\n", arrays[i], n);
	for (unsigned g = 0; g < s->ngroups; g++) {
		const struct summary_group *group = &s->groups[g];
		struct extent e = extent_of(s, g);
		if (!in_picture(s, g))
			continue;
		k++;
		fprintf(out, "G_coll[%u] = '%s'\nG_pace[%u] = '%s'\nG_ranks[%u] = %u\n", k,
		        coll_word(&group->cell, group->nranks).text, k,
		        coll_pace_name(group->cell.pace), k, group->nranks);
		fprintf(out, "G_sizes[%u] = %u\nG_min[%u] = %zu.0\nG_max[%u] = %zu.0\n", k,
		        group->nsizes, k, group->bytes[0], k, group->bytes[group->nsizes - 1]);
		const double numbers[] = {e.time_lo,   e.time_hi,  e.launch_lo,
		                          e.launch_hi, e.busbw_lo, e.busbw_hi,
		                          e.ratio_lo,  e.ratio_hi, e.near};
		for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
			fprintf(out, "G_%s[%u] = %.6g\n", arrays[6 + i], k, numbers[i]);
	}
}
