#include <math.h>

#include "../arena.h"
#include "../report/markup.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "comparison.h"
#include "exported.h"

/* --- suites ------------------------------------------------------------------------------ */

enum outcome { PASSED, FAILED, SKIPPED, BROKEN, OUTCOMES };

/* A suite's cases are written first, since its attributes count them. */
struct suite {
	struct arena *arena;
	const char *name;
	struct arena_stream *cases;
	unsigned n[OUTCOMES];
};

static struct suite suite_begin(struct arena *arena, const char *name)
{
	return (struct suite){.arena = arena, .name = name, .cases = arena_stream(arena)};
}

static void put(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	markup_escape(out, text);
	fputc('"', out);
}

/* seconds: of a call in B, or 0. */
static void suite_add(struct suite *s, enum outcome outcome, const char *class, const char *name,
                      double seconds, const char *text)
{
	static const char *const elements[OUTCOMES] = {
	    [FAILED] = "failure type=\"slower\"",
	    [SKIPPED] = "skipped",
	    [BROKEN] = "error type=\"failed\"",
	};
	FILE *out = s->cases->out;
	fputs("  <testcase", out);
	put(out, "classname", class);
	put(out, "name", name);
	fprintf(out, " time=\"%.9f\">", seconds);
	if (outcome == PASSED) {
		fputs("<system-out>", out);
		markup_escape(out, text);
		fputs("</system-out>", out);
	} else {
		fprintf(out, "<%s", elements[outcome]);
		put(out, "message", text);
		fputs("/>", out);
	}
	fputs("</testcase>\n", out);
	s->n[outcome]++;
}

static void put_counts(FILE *out, const unsigned n[OUTCOMES])
{
	fprintf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\"",
	        n[PASSED] + n[FAILED] + n[SKIPPED] + n[BROKEN], n[FAILED], n[BROKEN]);
}

/* Adds it to all suites; nothing of one without cases. */
static void suite_end(struct suite *s, struct suite *all)
{
	FILE *out = all->cases->out;
	const char *cases = arena_written(s->arena, s->cases);
	if (*cases) {
		fputs(" <testsuite", out);
		put(out, "name", s->name);
		put_counts(out, s->n);
		fprintf(out, " skipped=\"%u\">\n%s </testsuite>\n", s->n[SKIPPED], cases);
	}
	for (unsigned i = 0; i < OUTCOMES; i++)
		all->n[i] += s->n[i];
	arena_undo(s->arena, s->cases);
}

/* --- cases ------------------------------------------------------------------------------- */

/* Readers split at the last dot: a variant is a package, its kind of cells a class. */
static const char *class_of(struct arena *arena, const struct result_series *s)
{
	return arena_text(arena, "%s.%s", s->variant, coll_title(&s->cell, s->nranks).text);
}

static const char *size_of(struct arena *arena, const struct result_series *s)
{
	return arena_copy(arena, format_size(s->cell.asked_bytes).text);
}

/* "B is slower: 0.763 (0.750 to 0.771) times A's speed, 40.1 µs per call instead of 30.6". */
static const char *sentence(struct arena *arena, const struct verdict *v, const char *lead,
                            const char *more)
{
	char word[VERDICT_TEXT_BYTES];
	verdict_text(v, word, sizeof word);
	return isfinite(v->ratio.estimate)
	           ? arena_text(arena, "%s%s: %s times A's speed%s", lead, word,
	                        format_ratio(&v->ratio, true).text, more)
	           : arena_copy(arena, word);
}

static enum outcome outcome_of(const struct comparison_group *g, const struct verdict *v)
{
	if (g->of->limit || v->kind == VERDICT_UNDECIDED)
		return SKIPPED;
	return verdict_beyond(v) >= 0 ? PASSED : verdict_beyond(&g->verdict) < 0 ? FAILED : SKIPPED;
}

/* Before the verdict of what fails, and of what would fail if it counted by itself. */
static const char *lead_of(const struct comparison_group *g, const struct verdict *v)
{
	if (verdict_beyond(v) >= 0 || g->of->limit)
		return "";
	return verdict_beyond(&g->verdict) < 0 ? "B is " : "taken alone, unlike all sizes, B is ";
}

static void add_point(struct suite *s, const struct comparison *c, const struct comparison_group *g,
                      const struct comparison_point *p)
{
	const struct verdict v = verdict_of(p->ratio, c->margin);
	const char *times =
	    arena_text(s->arena, ", %s µs per call instead of %s", format_number(p->right_us).text,
	               format_number(p->left_us).text);
	suite_add(s, outcome_of(g, &v), class_of(s->arena, g->of), size_of(s->arena, p->left),
	          p->right_us * 1e-6, sentence(s->arena, &v, lead_of(g, &v), times));
}

static void put_group(const struct comparison *c, const struct comparison_group *g,
                      struct suite *all)
{
	const struct verdict *v = &g->verdict;
	struct suite s = suite_begin(
	    c->arena, arena_text(c->arena, "%s: %s%s", g->of->variant,
	                         coll_title(&g->of->cell, g->of->nranks).text,
	                         g->of->limit ? " (the machine's limit: not counted)" : ""));
	const char *sizes = arena_text(c->arena, " over %u size%s, margin %.3g %%", g->npoints,
	                               format_plural(g->npoints), c->margin * 100);
	suite_add(&s, outcome_of(g, v), class_of(c->arena, g->of), "all sizes", 0,
	          sentence(c->arena, v, lead_of(g, v), sizes));
	for (unsigned i = 0; i < g->npoints; i++)
		add_point(&s, c, g, &g->points[i]);
	suite_end(&s, all);
}

/* What a side has and the other has not: its cells, and the variants without a time. */
static void put_only(const struct comparison *c, bool right, struct suite *all)
{
	const struct result *side = right ? &c->right : &c->left,
	                    *other = right ? &c->left : &c->right;
	const char letter = right ? 'B' : 'A', *only = right ? "only in B" : "only in A";
	struct suite s = suite_begin(c->arena, only);
	for (unsigned i = 0; i < side->nseries; i++) {
		const struct result_series *one = &side->series[i];
		if (!result_find(other, one->variant, &one->cell))
			suite_add(&s, SKIPPED, class_of(c->arena, one), size_of(c->arena, one), 0,
			          only);
	}
	suite_end(&s, all);
	s = suite_begin(c->arena, arena_text(c->arena, "without a time in %c", letter));
	for (unsigned i = 0; i < side->nabsent; i++) {
		const struct result_absent *a = &side->absent[i];
		const bool breaks = a->failed && result_has(other, a->variant);
		suite_add(&s, breaks ? BROKEN : SKIPPED, a->variant,
		          arena_text(c->arena, "all cells in %c", letter), 0,
		          arena_text(c->arena, "%s in %c%s%s", a->failed ? "failed" : "left out",
		                     letter, a->why[0] ? ": " : "", a->why));
	}
	suite_end(&s, all);
}

static void put_refused(const struct comparison *c, struct suite *all)
{
	struct suite s = suite_begin(c->arena, "comparison");
	suite_add(&s, BROKEN, "comparison", "A and B can be compared", 0, c->refused);
	suite_end(&s, all);
}

/* --- all of it --------------------------------------------------------------------------- */

void junit_write(const struct comparison *c, FILE *out)
{
	struct suite all = suite_begin(c->arena, "");
	if (c->refused)
		put_refused(c, &all);
	for (unsigned g = 0; g < c->ngroups; g++)
		put_group(c, &c->groups[g], &all);
	for (int right = 0; right < 2 && !c->refused; right++)
		put_only(c, right, &all);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"launchgap compare\"",
	      out);
	put_counts(out, all.n);
	fprintf(out, ">\n%s</testsuites>\n", arena_written(c->arena, all.cases));
	arena_undo(c->arena, all.cases);
}
