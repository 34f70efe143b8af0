#include "comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../arena.h"
#include "unpaired.h"

/* --- ratios and verdicts of cells -------------------------------------------------------- */

/* Shift of log times, converted back to a ratio: time of A ÷ time of B, above 1 is faster. */
static struct stats_ratio ratio_of(struct arena *arena, const double *left, unsigned nleft,
                                   const double *right, unsigned nright)
{
	struct unpaired shift =
	    unpaired_shift(arena, left, nleft, right, nright, VERDICT_CONFIDENCE);
	/* With this many trials on each side the interval would be as wide. */
	double both = nleft + nright ? 2.0 * nleft * nright / (nleft + nright) : 0;
	return (struct stats_ratio){.estimate = exp(shift.shift),
	                            .lo = exp(shift.lo),
	                            .hi = exp(shift.hi),
	                            .blocks = both < 2 ? 2 : (unsigned)lround(both),
	                            .confidence = shift.confidence};
}

static double time_in(const struct result_series *s, unsigned block)
{
	for (unsigned i = 0; i < s->ntrials; i++)
		if (s->trials[i].block == block)
			return s->trials[i].time_us;
	return NAN;
}

/* One number for each trial that has all of the n points: the mean of the logs. */
static unsigned means_of(const struct comparison_point *points, unsigned n, bool right,
                         double *logs)
{
	const struct result_series *first = right ? points->right : points->left;
	unsigned nlogs = 0;
	for (unsigned i = 0; i < first->ntrials; i++) {
		double sum = 0;
		for (unsigned p = 0; p < n; p++)
			sum += log(time_in(right ? points[p].right : points[p].left,
			                   first->trials[i].block));
		if (!isnan(sum))
			logs[nlogs++] = sum / n;
	}
	return nlogs;
}

/* left, right: room for a number for each trial. */
static void judge(const struct comparison *c, struct comparison_group *g, double *left,
                  double *right)
{
	for (unsigned i = 0; i < g->npoints; i++) {
		struct comparison_point *p = &g->points[i];
		unsigned nleft = means_of(p, 1, false, left);
		unsigned nright = means_of(p, 1, true, right);
		p->left_us = exp(stats_median(left, nleft));
		p->right_us = exp(stats_median(right, nright));
		p->ratio = ratio_of(c->arena, left, nleft, right, nright);
		p->kind = verdict_of(p->ratio, c->margin).kind;
	}
	g->nleft = means_of(g->points, g->npoints, false, left);
	g->nright = means_of(g->points, g->npoints, true, right);
	g->verdict = verdict_of(ratio_of(c->arena, left, g->nleft, right, g->nright), c->margin);
	if (isnan(g->verdict.ratio.lo))
		g->verdict.more_blocks =
		    unpaired_lacks(c->arena, g->nleft, g->nright, VERDICT_CONFIDENCE);
}

/* --- cells on both sides ----------------------------------------------------------------- */

static bool same_group(const struct result_series *a, const struct result_series *b)
{
	return !strcmp(a->variant, b->variant) && result_same_kind(&a->cell, &b->cell);
}

static int by_size(const void *a, const void *b)
{
	size_t x = ((const struct comparison_point *)a)->left->cell.bytes;
	size_t y = ((const struct comparison_point *)b)->left->cell.bytes;
	return (x > y) - (x < y);
}

/* Adds the group that starts with this series of A, unless the series is in a group already or B
 * has none of the group's cells. */
static void add_group(struct comparison *c, const struct result_series *start)
{
	struct comparison_group *g = &c->groups[c->ngroups];
	for (unsigned i = 0; i < c->ngroups; i++)
		if (same_group(c->groups[i].of, start))
			return;
	*g = (struct comparison_group){.of = start};
	g->points = ARENA_ARRAY(c->arena, struct comparison_point, c->left.nseries);
	for (unsigned i = 0; i < c->right.nseries; i++)
		g->nsizes += same_group(start, &c->right.series[i]);
	for (unsigned i = 0; i < c->left.nseries; i++) {
		const struct result_series *left = &c->left.series[i], *right;
		if (!same_group(start, left))
			continue;
		right = result_find(&c->right, start->variant, &left->cell);
		g->nsizes += !right;
		if (right)
			g->points[g->npoints++] =
			    (struct comparison_point){.left = left, .right = right};
	}
	qsort(g->points, g->npoints, sizeof *g->points, by_size);
	c->ngroups += g->npoints > 0;
}

static unsigned most_trials(const struct result *side)
{
	unsigned most = 0;
	for (unsigned i = 0; i < side->nseries; i++)
		if (side->series[i].ntrials > most)
			most = side->series[i].ntrials;
	return most;
}

/* What no variant touches has changed. */
static void find_moved(struct comparison *c)
{
	double most = 0;
	for (unsigned i = 0; i < c->ngroups; i++) {
		const struct comparison_group *g = &c->groups[i];
		const double by = fabs(log(g->verdict.ratio.estimate));
		if (!g->of->limit || !verdict_effect(&g->verdict) || by < most)
			continue;
		most = by;
		c->moved = g;
	}
	for (unsigned i = 0; i < c->ngroups && c->moved; i++) {
		struct comparison_group *g = &c->groups[i];
		if (g->of->limit)
			continue;
		g->verdict.kind = VERDICT_UNDECIDED;
		g->verdict.more_blocks = 0; /* none would help */
		for (unsigned p = 0; p < g->npoints; p++)
			g->points[p].kind = VERDICT_UNDECIDED;
	}
}

/* Only those that differ, so that no long list is cut before them. */
static void add_variables(struct result *of, struct result *from, struct result *other)
{
	const char *name;
	json_t *value;
	if (!of->variables || !other->variables)
		return;
	json_object_foreach(from->variables, name, value)
	{
		const json_t *own = json_object_get(of->variables, name);
		char text[RESULT_FACT_BYTES];
		if (json_equal(own, json_object_get(other->variables, name)))
			continue;
		if (own)
			snprintf(text, sizeof text, "%s=%s", name, json_string_value(own));
		else
			snprintf(text, sizeof text, "%s not set", name);
		result_fact_add(of, FACT_VARIABLES, text);
	}
}

void comparison_make(struct comparison *c)
{
	double *left = ARENA_ARRAY(c->arena, double, most_trials(&c->left)),
	       *right = ARENA_ARRAY(c->arena, double, most_trials(&c->right));
	c->groups = ARENA_ARRAY(c->arena, struct comparison_group, c->left.nseries + 1);
	for (unsigned i = 0; i < c->left.nseries; i++)
		add_group(c, &c->left.series[i]);
	for (unsigned g = 0; g < c->ngroups; g++)
		judge(c, &c->groups[g], left, right);
	find_moved(c);
	add_variables(&c->left, &c->left, &c->right);
	add_variables(&c->left, &c->right, &c->right);
	add_variables(&c->right, &c->left, &c->left);
	add_variables(&c->right, &c->right, &c->left);
}

/* --- cells on one side only -------------------------------------------------------------- */

#define SIZES_BYTES 48 /* longer lists give the smallest and the largest size */

/* Keys in which two cells must agree to be compared. */
enum key {
	KEY_VARIANT,
	KEY_COLLECTIVE,
	KEY_DTYPE,
	KEY_OP,
	KEY_ROOT,
	KEY_PLACE,
	KEY_PACE,
	KEY_SIZE,
	KEYS
};

/* How a sentence begins. */
static const char *const key_names[KEYS] = {"variant is", "collective is", "dtype is", "op is",
                                            "root is",    "in_place is",   "pace is",  "size is"};

static void key_text(const struct result_series *s, enum key key, char *out, size_t bytes)
{
	char number[32] = "";
	snprintf(number, sizeof number, "%u", s->cell.root);
	if (key == KEY_SIZE)
		coll_size_label(s->cell.asked_bytes, number, sizeof number);
	const char *const texts[KEYS] = {s->variant,
	                                 coll_info(s->cell.coll)->name,
	                                 coll_dtype_name(s->cell.dtype),
	                                 coll_op_name(s->cell.op),
	                                 number,
	                                 s->cell.in_place ? "yes" : "no",
	                                 coll_pace_name(s->cell.pace),
	                                 number};
	snprintf(out, bytes, "%s", texts[key]);
}

/* One bit for each key in which they differ. */
static unsigned differing(const struct result_series *a, const struct result_series *b)
{
	const struct cell *x = &a->cell, *y = &b->cell;
	return (unsigned)!!strcmp(a->variant, b->variant) << KEY_VARIANT |
	       (unsigned)(x->coll != y->coll) << KEY_COLLECTIVE |
	       (unsigned)(x->dtype != y->dtype) << KEY_DTYPE |
	       (unsigned)(x->op != y->op) << KEY_OP | (unsigned)(x->root != y->root) << KEY_ROOT |
	       (unsigned)(x->in_place != y->in_place) << KEY_PLACE |
	       (unsigned)(x->pace != y->pace) << KEY_PACE |
	       (unsigned)(x->bytes != y->bytes) << KEY_SIZE;
}

/* Whether the series is a nearest one: it differs from some series of `other` in these keys
 * alone. */
static bool is_near(const struct result_series *s, const struct result *other, unsigned keys)
{
	for (unsigned i = 0; i < other->nseries; i++)
		if (!other->series[i].limit && differing(s, &other->series[i]) == keys)
			return true;
	return false;
}

/* The key's values in the nearest series of a side: "single, threads"; of many sizes the smallest
 * and the largest, "4 KiB to 64 MiB". */
static void values_text(const struct result *side, const struct result *other, unsigned keys,
                        enum key key, char *out, size_t bytes)
{
	const struct result_series *least = NULL, *most = NULL;
	char text[TRIAL_NAME_BYTES];
	out[0] = '\0';
	for (unsigned i = 0; i < side->nseries; i++) {
		const struct result_series *s = &side->series[i];
		if (s->limit || !is_near(s, other, keys))
			continue;
		least = !least || s->cell.bytes < least->cell.bytes ? s : least;
		most = !most || s->cell.bytes > most->cell.bytes ? s : most;
		key_text(s, key, text, sizeof text);
		result_list(out, bytes, text);
	}
	if (key != KEY_SIZE || strlen(out) < SIZES_BYTES)
		return;
	key_text(least, key, out, bytes);
	key_text(most, key, text, sizeof text);
	status_add(out, bytes, " to %s", text);
}

/* The fewest keys in which a series of A differs from one of B; 0: a side has no series. */
static unsigned fewest(const struct comparison *c)
{
	unsigned keys = 0;
	for (unsigned i = 0; i < c->left.nseries; i++)
		for (unsigned k = 0; k < c->right.nseries; k++) {
			unsigned these = differing(&c->left.series[i], &c->right.series[k]);
			if (c->left.series[i].limit || c->right.series[k].limit)
				continue;
			if (!keys || __builtin_popcount(these) < __builtin_popcount(keys))
				keys = these;
		}
	return keys;
}

/* "…; KEY is X in A, Y in B" */
static void put_apart(const char *name, const char *left, const char *right, char *out,
                      size_t bytes)
{
	status_add(out, bytes, "%s%s %s in A, %s in B", *out ? "; " : "", name, left, right);
}

void comparison_apart(const struct comparison *c, char *out, size_t bytes)
{
	const struct result *left = &c->left, *right = &c->right;
	unsigned keys = fewest(c);
	out[0] = '\0';
	for (enum key key = 0; key < KEYS; key++) {
		char a[160], b[160];
		if (!(keys & 1u << key))
			continue;
		values_text(left, right, keys, key, a, sizeof a);
		values_text(right, left, keys, key, b, sizeof b);
		put_apart(key_names[key], a, b, out, bytes);
	}
	if (keys & 1u << KEY_VARIANT && left->nfiles + right->nfiles)
		status_add(out, bytes, " (--variant NAME names nccl-tests' files)");
	if (!keys)
		snprintf(out, bytes, "%s no time of any variant",
		         left->nseries ? right->nseries ? "a side has" : "B has" : "A has");
	if (strcmp(left->facts[FACT_RANKS], right->facts[FACT_RANKS]))
		put_apart("ranks:", left->facts[FACT_RANKS], right->facts[FACT_RANKS], out, bytes);
}

/* Whether a side has the variant with any size of the kind. */
static bool has_group(const struct result *side, const struct result_series *s)
{
	for (unsigned i = 0; i < side->nseries; i++)
		if (same_group(&side->series[i], s))
			return true;
	return false;
}

void comparison_only(const struct result *side, const struct result *other, char *out, size_t bytes)
{
	out[0] = '\0';
	for (unsigned i = 0; i < side->nseries; i++) {
		char names[400] = "";
		bool said = has_group(other, &side->series[i]);
		for (unsigned k = 0; k < side->nseries && !said; k++) {
			const struct result_series *s = &side->series[k];
			if (!result_same_kind(&s->cell, &side->series[i].cell) ||
			    has_group(other, s))
				continue;
			said = k < i;
			result_list(names, sizeof names, s->variant);
		}
		if (said)
			continue;
		status_add(out, bytes, "%s%s of %s", *out ? "; " : "",
		           coll_title(&side->series[i].cell, side->series[i].nranks).text, names);
	}
}
