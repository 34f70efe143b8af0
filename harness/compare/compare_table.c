/* What a comparison says, for people. Nothing is decided here. */
#include <math.h>
#include <string.h>

#include "../report/bysize.h"
#include "../report/grid.h"
#include "compare.h"
#include "comparison.h"

#define WIDTH 120

/* A fact is shown where it bears on what is compared. */
static bool is_shown(const struct comparison *c, enum side_fact fact)
{
	bool shown = fact != FACT_COUNTS;
	for (unsigned g = 0; g < c->ngroups; g++)
		shown = shown || c->groups[g].cell.coll == COLL_ALLTOALLV;
	return shown;
}

static void put_head(const struct comparison *c, FILE *out)
{
	static const char *const names[FACT_KINDS] = {"experiment", "program", "measured",
	                                              "backend",    "ranks",   "counts",
	                                              "library",    "machine"};
	const char *separator = "Not the same: ";
	struct grid *table = grid_new(3, 3);
	grid_row(table);
	grid_put(table, 1, "A");
	grid_put(table, 2, "B");
	for (unsigned i = 0; i < FACT_KINDS; i++) {
		if (!is_shown(c, i))
			continue;
		grid_row(table);
		grid_put(table, 0, "%s", names[i]);
		grid_put(table, 1, "%s", c->left.facts[i]);
		grid_put(table, 2, "%s", c->right.facts[i]);
	}
	grid_text(table, out, 2 * WIDTH);
	grid_free(table);
	for (unsigned i = 0; i < FACT_KINDS; i++)
		if (i != FACT_MEASURED && is_shown(c, i) &&
		    strcmp(c->left.facts[i], c->right.facts[i])) {
			fprintf(out, "%s%s", separator, names[i]);
			separator = ", ";
		}
	fprintf(out, "%s.\n", *separator == 'N' ? "All the same but the time" : "");
}

/* Names the settings of a variant that two records give differently. */
static void put_setting(const json_t *a, const json_t *b, FILE *out)
{
	json_t *value, *copy = json_deep_copy(a);
	const char *key, *separator = "";
	char clean[TRIAL_NAME_BYTES];
	json_object_foreach(copy, key, value)
	{
		const json_t *other = json_object_get(b, key);
		if (!other || json_equal(value, other) || !strcmp(key, "skip") ||
		    !strcmp(key, "role"))
			continue;
		side_clean(json_string_value(json_object_get(a, "name")), clean, sizeof clean);
		if (!*separator)
			fprintf(out, "- Variant %s is not set alike: ", clean);
		side_clean(key, clean, sizeof clean);
		fprintf(out, "%s%s", separator, clean);
		separator = ", ";
	}
	fputs(*separator ? ".\n" : "", out);
	json_decref(copy);
}

static void put_settings(const struct comparison *c, FILE *out)
{
	for (size_t i = 0; i < json_array_size(c->left.variants); i++)
		for (size_t k = 0; k < json_array_size(c->right.variants); k++) {
			const json_t *a = json_array_get(c->left.variants, i);
			const json_t *b = json_array_get(c->right.variants, k);
			if (json_equal(json_object_get(a, "name"), json_object_get(b, "name")))
				put_setting(a, b, out);
		}
}

/* nccl-tests' own words for -a. */
static const char *average_name(int average)
{
	static const char *const names[] = {"rank 0's", "the mean over ranks (its default)",
	                                    "the shortest of any rank"};
	return average >= 0 && average < 3 ? names[average] : "of a kind not known here";
}

static void put_side_notes(const struct side *side, const struct side *other, char letter,
                           FILE *out)
{
	char only[600];
	if (side->nfiles && side->average != 3 &&
	    (!other->nfiles || other->average != side->average))
		fprintf(out,
		        "- %c: nccl-tests' time is %s (-a %d), where the other side's is not; "
		        "launchgap's is the latest end of any rank less the earliest start, "
		        "which -a 3 comes nearest to.\n",
		        letter, average_name(side->average), side->average);
	if (side->others[0] && strcmp(side->others, other->others))
		fprintf(out, "- %c: nccl-tests was given %s.\n", letter, side->others);
	if (side->unchecked)
		fprintf(out, "- %c: nccl-tests did not check the data (-c 0).\n", letter);
	if (side->torn)
		fprintf(out, "- %c: the record's last line was cut off and is left out.\n",
		        letter);
	if (side->failed)
		fprintf(out, "- %c: %u cell%s of its trials have no time.\n", letter,
		        side->failed, side->failed == 1 ? "" : "s");
	for (unsigned i = 0; i < side->nabsent; i++)
		fprintf(out, "- %c: %s %s%s%s.\n", letter, side->absent[i].variant,
		        side->absent[i].failed ? "failed" : "was left out",
		        side->absent[i].why[0] ? ": " : "", side->absent[i].why);
	comparison_kinds_text(side, other, only, sizeof only);
	if (only[0])
		fprintf(out, "- Only in %c: %s.\n", letter, only);
}

static void put_interval(const struct stats_ratio *r, char *text, size_t bytes)
{
	if (isnan(r->lo))
		snprintf(text, bytes, "-");
	else
		snprintf(text, bytes, "%.3f to %.3f", r->lo, r->hi);
}

/* The ratio alone, or "-". */
static void put_estimate(const struct stats_ratio *r, char *text, size_t bytes)
{
	if (isnan(r->estimate))
		snprintf(text, bytes, "-");
	else
		snprintf(text, bytes, "%.3f", r->estimate);
}

static void put_verdicts(const struct comparison *c, FILE *out)
{
	static const char *const heads[] = {"variant", "cells", "B is", "sizes",
	                                    "trials",  "A÷B",   "95 %"};
	struct grid *table = grid_new(7, 3);
	grid_row(table);
	for (unsigned i = 0; i < 7; i++)
		grid_put(table, i, "%s", heads[i]);
	for (unsigned i = 0; i < c->ngroups; i++) {
		const struct comparison_group *g = &c->groups[i];
		char kind[64], estimate[32], interval[48], verdict[80];
		side_kind_text(&g->cell, kind);
		put_estimate(&g->verdict.ratio, estimate, sizeof estimate);
		put_interval(&g->verdict.ratio, interval, sizeof interval);
		verdict_text(&g->verdict, verdict, sizeof verdict);
		grid_row(table);
		grid_put(table, 0, "%s%s", g->variant, g->limit ? " (not counted)" : "");
		grid_put(table, 1, "%s", kind);
		grid_put(table, 2, "%s", verdict);
		if (g->nsizes == g->npoints)
			grid_put(table, 3, "%u", g->npoints);
		else
			grid_put(table, 3, "%u of %u", g->npoints, g->nsizes);
		grid_put(table, 4, "%u, %u", g->nleft, g->nright);
		grid_put(table, 5, "%s", estimate);
		grid_put(table, 6, "%s", interval);
	}
	grid_text(table, out, 2 * WIDTH); /* a verdict's line stays whole */
	grid_free(table);
}

static const struct comparison_point *point_at(const struct comparison_group *g, size_t bytes)
{
	for (unsigned i = 0; i < g->npoints; i++)
		if (g->points[i].bytes == bytes)
			return &g->points[i];
	return NULL;
}

/* One row of a kind's table. Three columns per variant. */
static void put_size(struct grid *table, const struct comparison *c, unsigned first,
                     const struct comparison_point *size)
{
	char text[64];
	unsigned column = 1;
	coll_size_label(size->asked_bytes, text, sizeof text);
	grid_row(table);
	grid_put(table, 0, "%s", text);
	for (unsigned i = first; i < c->ngroups; i++) {
		const struct comparison_point *p = point_at(&c->groups[i], size->bytes);
		if (!side_same_kind(&c->groups[i].cell, &c->groups[first].cell))
			continue;
		bysize_number(p ? p->left_us : NAN, text, sizeof text);
		grid_put(table, column, "%s", text);
		bysize_number(p ? p->right_us : NAN, text, sizeof text);
		grid_put(table, column + 1, "%s", text);
		if (p)
			bysize_ratio(&p->ratio, false, text, sizeof text);
		grid_put(table, column + 2, "%s", text);
		column += 3;
	}
}

/* Sizes of one kind, all variants beside each other. */
static void put_kind(const struct comparison *c, unsigned first, FILE *out)
{
	const struct cell *cell = &c->groups[first].cell;
	unsigned columns = 1, most = first;
	char kind[64];
	for (unsigned i = first; i < c->ngroups; i++)
		if (side_same_kind(&c->groups[i].cell, cell)) {
			columns += 3;
			if (c->groups[i].npoints > c->groups[most].npoints)
				most = i;
		}
	struct grid *table = grid_new(columns, 0);
	grid_row(table);
	grid_put(table, 0, "size");
	columns = 1;
	for (unsigned i = first; i < c->ngroups; i++) {
		if (!side_same_kind(&c->groups[i].cell, cell))
			continue;
		grid_put(table, columns, "%s A", c->groups[i].variant);
		grid_put(table, columns + 1, "B");
		grid_put(table, columns + 2, "A÷B");
		columns += 3;
	}
	for (unsigned p = 0; p < c->groups[most].npoints; p++)
		put_size(table, c, first, &c->groups[most].points[p]);
	side_kind_text(cell, kind);
	fprintf(out, "\n%s (%s): µs per call, medians; intervals are pointwise\n\n", kind,
	        coll_dtype_name(cell->dtype));
	grid_text(table, out, WIDTH);
	grid_free(table);
}

static void put_names(const struct comparison *c, enum verdict_kind kind, const char *what,
                      FILE *out)
{
	const char *separator = what;
	for (unsigned i = 0; i < c->ngroups; i++) {
		const struct comparison_group *g = &c->groups[i];
		char text[64];
		if (g->limit || g->verdict.kind != kind)
			continue;
		side_kind_text(&g->cell, text);
		fprintf(out, "%s%s (%s)", separator, g->variant, text);
		separator = "; ";
	}
	fputs(separator == what ? "" : "\n", out);
}

void compare_print(const struct comparison *c, const struct compare_request *request, FILE *out)
{
	fprintf(out, "A: %s\nB: %s\n\n", request->left, request->right);
	put_head(c, out);
	put_side_notes(&c->left, &c->right, 'A', out);
	put_side_notes(&c->right, &c->left, 'B', out);
	put_settings(c, out);
	fprintf(out,
	        "\nA÷B is the time of A divided by B's: below 1, B is slower. One number per "
	        "trial (nccl-tests: per file),\nthe geometric mean over the sizes that both "
	        "have; unpaired, so that what changed on the machine\nbetween A and B is in "
	        "it. Blocks that are still needed are counted on each side.\n\n");
	put_verdicts(c, out);
	for (unsigned i = 0; i < c->ngroups; i++) {
		bool first = true;
		for (unsigned k = 0; k < i; k++)
			first =
			    first && !side_same_kind(&c->groups[k].cell, &c->groups[i].cell);
		if (first)
			put_kind(c, i, out);
	}
	fputc('\n', out);
	put_names(c, VERDICT_SLOWER, "Slower in B: ", out);
	put_names(c, VERDICT_FASTER, "Faster in B: ", out);
	put_names(c, VERDICT_UNDECIDED, "Undecided: ", out);
	put_names(c, VERDICT_NO_DIFFERENCE, "No difference: ", out);
}
