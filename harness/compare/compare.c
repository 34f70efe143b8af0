#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"

/* "2%", "0.5 %". A bare number is refused: 2 may be meant as 2 % or as a factor. */
static int parse_margin(const char *text, double *out, struct status *st)
{
	char *end;
	double x = strtod(text, &end);
	if (end == text || strcmp(end + strspn(end, " "), "%") || !(x >= 0 && x <= 100))
		return status_set(st,
		                  "--threshold '%.40s' is no percentage; allowed are 0%% to "
		                  "100%%, as in --threshold 2%%",
		                  text);
	*out = x / 100;
	return 0;
}

int compare_parse(int argc, char *argv[], struct compare_request *out, struct status *st)
{
	struct compare_request request = {.margin = COMPARE_MARGIN};
	for (int i = 2; i < argc; i++) {
		bool threshold = !strcmp(argv[i], "--threshold");
		if (threshold || !strcmp(argv[i], "--variant")) {
			if (++i == argc)
				return status_set(st, "%s wants a value", argv[i - 1]);
			if (threshold && parse_margin(argv[i], &request.margin, st))
				return -1;
			if (!threshold)
				request.variant = argv[i];
		} else if (argv[i][0] == '-' || request.right) {
			return status_set(st,
			                  "compare: '%.200s' is not understood (`launchgap "
			                  "help`)",
			                  argv[i]);
		} else {
			*(request.left ? &request.right : &request.left) = argv[i];
		}
	}
	if (!request.right)
		return status_set(st, "compare wants two results: folders of runs, or JSON of "
		                      "nccl-tests");
	if (request.variant &&
	    (!*request.variant || strlen(request.variant) >= TRIAL_NAME_BYTES))
		return status_set(st, "--variant has to have 1 to %d characters",
		                  TRIAL_NAME_BYTES - 1);
	*out = request;
	return 0;
}

/* Equal seeds and ranks mean equal data: then the digests have to be equal too. Only
 * alltoallv's counts also decide what goes where. */
static int check_digests(const struct comparison *c, struct status *st)
{
	if (!c->left.seed[0] || strcmp(c->left.seed, c->right.seed))
		return 0;
	bool same_counts = !strcmp(c->left.facts[FACT_COUNTS], c->right.facts[FACT_COUNTS]);
	for (unsigned i = 0; i < c->left.nseries; i++) {
		const struct side_series *a = &c->left.series[i];
		if (a->cell.coll == COLL_ALLTOALLV && !same_counts)
			continue;
		const struct side_series *b = side_find(&c->right, a->variant, &a->cell);
		if (!b || !a->digest[0] || !b->digest[0] || a->nranks != b->nranks ||
		    !strcmp(a->digest, b->digest))
			continue;
		return status_set(st,
		                  "%s of %zu bytes: %s got the digest %s in A and %s in B "
		                  "from the same data (seed %s); times of wrong results "
		                  "mean nothing",
		                  coll_info(a->cell.coll)->name, a->cell.bytes, a->variant,
		                  a->digest, b->digest, c->left.seed);
	}
	return 0;
}

static int check_comparable(const struct comparison *c, struct status *st)
{
	char left[300], right[300];
	unsigned counted = 0;
	if (strcmp(c->left.manner, c->right.manner))
		return status_set(st,
		                  "not the same kind of call: nccl-tests' options are "
		                  "'%s' in A and '%s' in B, and calls back to back have "
		                  "none of -m, -z, -G, -I",
		                  c->left.manner, c->right.manner);
	if (check_digests(c, st))
		return -1;
	for (unsigned g = 0; g < c->ngroups; g++)
		counted += !c->groups[g].limit;
	if (counted)
		return 0;
	comparison_kinds_text(&c->left, NULL, left, sizeof left);
	comparison_kinds_text(&c->right, NULL, right, sizeof right);
	return status_set(st,
	                  "no cell of A is in B (variant, collective, bytes, dtype, op, "
	                  "root, in place and pace have to agree). A has %s. B has %s",
	                  left[0] ? left : "no time at all",
	                  right[0] ? right : "no time at all");
}

static bool has_times(const struct side *side, const char *variant)
{
	for (unsigned i = 0; i < side->nseries; i++)
		if (!strcmp(side->series[i].variant, variant))
			return true;
	return false;
}

/* A variant that runs on one side and fails on the other: that is not equal, and must not pass
 * for it. */
static int check_failed(const struct side *side, const struct side *other, char letter,
                        struct status *st)
{
	for (unsigned i = 0; i < side->nabsent; i++) {
		const struct side_absent *a = &side->absent[i];
		if (a->failed && has_times(other, a->variant))
			return status_set(st,
			                  "%s has no time in %c: all of its trials failed%s%s",
			                  a->variant, letter, a->why[0] ? ": " : "", a->why);
	}
	return 0;
}

static int conclude(const struct comparison *c, struct status *st)
{
	for (unsigned g = 0; g < c->ngroups; g++)
		if (!c->groups[g].limit && c->groups[g].verdict.kind == VERDICT_SLOWER)
			return COMPARE_WORSE;
	if (check_failed(&c->left, &c->right, 'A', st) ||
	    check_failed(&c->right, &c->left, 'B', st))
		return COMPARE_NOT_DONE;
	return COMPARE_NOT_WORSE;
}

int compare_run(const struct compare_request *request, struct status *st)
{
	struct comparison c = {.margin = request->margin};
	int code = COMPARE_NOT_DONE;
	if (!side_load(request->left, request->variant, &c.left, st) &&
	    !side_load(request->right, request->variant, &c.right, st) &&
	    !comparison_make(&c, st) && !check_comparable(&c, st)) {
		compare_print(&c, request, request->out ? request->out : stdout);
		code = conclude(&c, st);
	}
	comparison_free(&c);
	return code;
}
