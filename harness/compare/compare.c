#include "compare.h"

#include <stdlib.h>
#include <string.h>

#include "../arena.h"
#include "../suggest.h"
#include "combine.h"
#include "comparison.h"
#include "exported.h"

/* --- the command line -------------------------------------------------------------------- */

/* "2%", "0.5 %". A bare number is refused: 2 may be meant as 2 % or as a factor. */
static int parse_margin(const char *text, struct compare_request *out, struct status *st)
{
	char *end;
	double x = strtod(text, &end);
	if (end == text || strcmp(end + strspn(end, " "), "%") || !(x >= 0 && x <= 100))
		return status_set(st,
		                  "--threshold '%.40s' is no percentage; allowed are 0%% to "
		                  "100%%, as in --threshold 2%%",
		                  text);
	out->margin = x / 100;
	return 0;
}

static int parse_variant(const char *text, struct compare_request *out, struct status *st)
{
	if (!*text || strlen(text) >= TRIAL_NAME_BYTES)
		return status_set(st, "--variant has to have 1 to %d characters",
		                  TRIAL_NAME_BYTES - 1);
	out->variant = text;
	return 0;
}

static int parse_format(const char *text, struct compare_request *out, struct status *st)
{
	out->form = !strcmp(text, "json")       ? COMPARE_JSON
	            : !strcmp(text, "markdown") ? COMPARE_MARKDOWN
	                                        : COMPARE_TEXT;
	return out->form ? 0
	                 : status_set(st, "--format %.40s: allowed are json and markdown", text);
}

static const struct option {
	const char *name;
	int (*parse)(const char *value, struct compare_request *out, struct status *st);
} options[] = {
    {"--threshold", parse_margin}, {"--variant", parse_variant}, {"--format", parse_format}};

#define NOPTIONS (sizeof options / sizeof *options)

/* The next result; false: there are too many. */
static bool add_path(struct compare_request *r, const char *path)
{
	if (r->nothers == COMPARE_OTHERS)
		return false;
	*(!r->left ? &r->left : !r->right ? &r->right : &r->others[r->nothers++]) = path;
	return true;
}

static int check_request(const struct compare_request *r, struct status *st)
{
	if (!r->right)
		return status_set(st, "compare wants two results: folders of runs, or JSON of "
		                      "nccl-tests; with three or more runs it combines them");
	for (unsigned i = 0; i < EXPORTED_FORMATS; i++)
		if (r->combine && r->files[i] && !exported_combines(i))
			return status_set(st, "%s is of two results; more runs are combined",
			                  exported_option(i));
	if (r->combine && r->variant)
		return status_set(st, "--variant names nccl-tests' files; only runs are combined");
	return 0;
}

int compare_parse(int argc, char *argv[], struct compare_request *out, struct status *st)
{
	struct compare_request request = {.margin = COMPARE_MARGIN};
	for (int i = 2; i < argc; i++) {
		const struct option *o = options;
		while (o < options + NOPTIONS && strcmp(argv[i], o->name))
			o++;
		const int format = exported_find(argv[i]);
		if (!strcmp(argv[i], "--combine")) {
			request.combine = true;
		} else if (format >= 0) {
			if (++i == argc)
				return status_set(st, "%s needs a value", exported_option(format));
			request.files[format] = argv[i];
		} else if (o < options + NOPTIONS) {
			if (++i == argc)
				return status_set(st, "%s needs a value", o->name);
			if (o->parse(argv[i], &request, st))
				return -1;
		} else if (argv[i][0] == '-' || !add_path(&request, argv[i])) {
			struct suggestion guess = suggest_for(argv[i]);
			suggest_offer(&guess, "--combine");
			for (o = options; o < options + NOPTIONS; o++)
				suggest_offer(&guess, o->name);
			for (unsigned k = 0; k < EXPORTED_FORMATS; k++)
				suggest_offer(&guess, exported_option(k));
			return status_set(st,
			                  "compare: '%.200s' is not understood%s; allowed are "
			                  "two results or up to %d, --combine, --threshold, "
			                  "--variant, --format, --junit, --html",
			                  argv[i], suggestion_text(&guess).text,
			                  2 + COMPARE_OTHERS);
		}
	}
	request.combine |= request.nothers > 0;
	if (check_request(&request, st))
		return -1;
	*out = request;
	return 0;
}

/* --- whether the two are comparable ------------------------------------------------------ */

/* Equal seeds and ranks mean equal data: then the digests have to be equal too. Only in alltoallv
 * do counts also decide which data goes where. */
static int check_digests(const struct comparison *c, struct status *st)
{
	if (!c->left.seed[0] || strcmp(c->left.seed, c->right.seed))
		return 0;
	bool same_counts = !strcmp(c->left.facts[FACT_COUNTS], c->right.facts[FACT_COUNTS]);
	for (unsigned i = 0; i < c->left.nseries; i++) {
		const struct result_series *a = &c->left.series[i];
		if (a->cell.coll == COLL_ALLTOALLV && !same_counts)
			continue;
		const struct result_series *b = result_find(&c->right, a->variant, &a->cell);
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
	char apart[800];
	if (strcmp(c->left.manner, c->right.manner))
		return status_set(st,
		                  "not the same kind of call: nccl-tests' options are "
		                  "'%s' in A and '%s' in B, and calls back to back have "
		                  "none of -m, -z, -G, -I",
		                  c->left.manner, c->right.manner);
	if (check_digests(c, st))
		return -1;
	for (unsigned g = 0; g < c->ngroups; g++)
		if (!c->groups[g].of->limit)
			return 0;
	comparison_apart(c, apart, sizeof apart);
	return status_set(st, "no cell in common: %s", apart);
}

/* A variant that runs on one side and fails on the other is not equal, and must not pass as
 * equal. */
static int check_failed(const struct result *side, const struct result *other, char letter,
                        struct status *st)
{
	for (unsigned i = 0; i < side->nabsent; i++) {
		const struct result_absent *a = &side->absent[i];
		if (a->failed && result_has(other, a->variant))
			return status_set(st, "%s has no time in %c: all of its trials failed%s%s",
			                  a->variant, letter, a->why[0] ? ": " : "", a->why);
	}
	return 0;
}

static int conclude(const struct comparison *c, struct status *st)
{
	for (unsigned g = 0; g < c->ngroups; g++)
		if (!c->groups[g].of->limit && verdict_beyond(&c->groups[g].verdict) < 0)
			return COMPARE_WORSE;
	if (check_failed(&c->left, &c->right, 'A', st) ||
	    check_failed(&c->right, &c->left, 'B', st))
		return COMPARE_NOT_DONE;
	return COMPARE_NOT_WORSE;
}

struct comparing {
	const struct compare_request *request;
	struct status *st;
};

static int combine(struct arena *arena, const struct compare_request *r, struct status *st)
{
	struct combined c = {.arena = arena, .margin = r->margin};
	const char *paths[2 + COMPARE_OTHERS] = {r->left, r->right};
	_Static_assert(2 + COMPARE_OTHERS <= POOLED_MOST, "a letter for each");
	memcpy(paths + 2, r->others, r->nothers * sizeof *paths);
	if (combine_make(&c, paths, 2 + r->nothers, st))
		return COMPARE_NOT_DONE;
	print_combined(&c, r->form, r->out ? r->out : stdout);
	if (r->summary && *r->summary)
		exported_summary(NULL, &c, r->summary);
	if (exported_write(NULL, &c, r->files, st))
		return COMPARE_NOT_DONE;
	return COMPARE_NOT_WORSE;
}

static int make(struct comparison *c, const struct compare_request *r, struct status *st)
{
	if (source_load(r->left, r->variant, c->arena, &c->left, st) ||
	    source_load(r->right, r->variant, c->arena, &c->right, st))
		return -1;
	comparison_make(c);
	return check_comparable(c, st);
}

static int compare(struct arena *arena, void *of)
{
	const struct comparing *x = of;
	const struct compare_request *r = x->request;
	if (r->combine)
		return combine(arena, r, x->st);
	struct comparison c = {.arena = arena, .margin = r->margin};
	if (make(&c, r, x->st)) {
		c.refused = x->st->text;
		c.ngroups = 0;
	} else {
		print_comparison(&c, r->form, r->out ? r->out : stdout);
	}
	if (r->summary && *r->summary)
		exported_summary(&c, NULL, r->summary);
	if (exported_write(&c, NULL, r->files, x->st) || c.refused)
		return COMPARE_NOT_DONE;
	return conclude(&c, x->st);
}

int compare_run(const struct compare_request *request, struct status *st)
{
	struct comparing x = {request, st};
	const int code = arena_work(compare, &x, "the comparison", st);
	return code < 0 ? COMPARE_NOT_DONE : code;
}
