#include <math.h>
#include <stdlib.h>

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
	FILE *out;
	char *cases;
	size_t bytes;
	unsigned n[OUTCOMES];
};

/* A case: `seconds` of a call in B, NaN: none; text: a sentence, or NULL. */
struct one {
	const char *class, *name;
	double seconds;
	enum outcome outcome;
	const char *text;
};

static void forget(void *of)
{
	struct suite *s = of;
	if (s->out)
		fclose(s->out);
	free(s->cases);
}

static struct suite *suite_begin(struct arena *arena, const char *name)
{
	struct suite *s = ARENA_NEW(arena, struct suite);
	arena_defer(arena, forget, s);
	s->arena = arena;
	s->name = name;
	s->out = open_memstream(&s->cases, &s->bytes);
	arena_need(arena, s->out);
	return s;
}

static void put(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	markup_escape(out, text);
	fputc('"', out);
}

static void suite_add(struct suite *s, const struct one *c)
{
	static const char *const elements[OUTCOMES] = {"system-out", "failure type=\"slower\"",
	                                               "skipped", "error type=\"failed\""};
	const double seconds = isfinite(c->seconds) ? c->seconds : 0;
	fputs("  <testcase", s->out);
	put(s->out, "classname", c->class);
	put(s->out, "name", c->name);
	fprintf(s->out, " time=\"%.9f\">", seconds);
	if (c->outcome == PASSED) {
		fputs("<system-out>", s->out);
		markup_escape(s->out, c->text);
		fputs("</system-out>", s->out);
	} else {
		fprintf(s->out, "<%s", elements[c->outcome]);
		put(s->out, "message", c->text);
		fputs("/>", s->out);
	}
	fputs("</testcase>\n", s->out);
	s->n[c->outcome]++;
}

static void put_counts(FILE *out, const unsigned n[OUTCOMES])
{
	fprintf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\"",
	        n[PASSED] + n[FAILED] + n[SKIPPED] + n[BROKEN], n[FAILED], n[BROKEN]);
}

/* Adds it to all suites; nothing of one without cases. */
static void suite_end(struct suite *s, struct suite *all)
{
	fflush(s->out);
	if (s->bytes) {
		fputs(" <testsuite", all->out);
		put(all->out, "name", s->name);
		put_counts(all->out, s->n);
		fprintf(all->out, " skipped=\"%u\">\n", s->n[SKIPPED]);
		fwrite(s->cases, 1, s->bytes, all->out);
		fputs(" </testsuite>\n", all->out);
	}
	for (unsigned i = 0; i < OUTCOMES; i++)
		all->n[i] += s->n[i];
	arena_undo(s->arena, s);
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
	const enum outcome outcome = outcome_of(g, &v);
	suite_add(s, &(struct one){class_of(s->arena, g->of), size_of(s->arena, p->left),
	                           p->right_us * 1e-6, outcome,
	                           sentence(s->arena, &v, lead_of(g, &v), times)});
}

static void put_group(const struct comparison *c, const struct comparison_group *g,
                      struct suite *all)
{
	struct suite *s = suite_begin(
	    c->arena, arena_text(c->arena, "%s: %s%s", g->of->variant,
	                         coll_title(&g->of->cell, g->of->nranks).text,
	                         g->of->limit ? " (the machine's limit: not counted)" : ""));
	const char *sizes = arena_text(c->arena, " over %u size%s, margin %.3g %%", g->npoints,
	                               format_plural(g->npoints), c->margin * 100);
	const enum outcome outcome = outcome_of(g, &g->verdict);
	suite_add(s,
	          &(struct one){class_of(c->arena, g->of), "all sizes", NAN, outcome,
	                        sentence(c->arena, &g->verdict, lead_of(g, &g->verdict), sizes)});
	for (unsigned i = 0; i < g->npoints; i++)
		add_point(s, c, g, &g->points[i]);
	suite_end(s, all);
}

/* What a side has and the other has not: its cells, and the variants without a time. */
static void put_only(const struct comparison *c, bool right, struct suite *all)
{
	const struct result *side = right ? &c->right : &c->left,
	                    *other = right ? &c->left : &c->right;
	const char letter = right ? 'B' : 'A';
	struct suite *s = suite_begin(c->arena, arena_text(c->arena, "only in %c", letter));
	for (unsigned i = 0; i < side->nseries; i++) {
		const struct result_series *one = &side->series[i];
		if (!result_find(other, one->variant, &one->cell))
			suite_add(s, &(struct one){class_of(c->arena, one), size_of(c->arena, one),
			                           NAN, SKIPPED,
			                           arena_text(c->arena, "only in %c", letter)});
	}
	suite_end(s, all);
	s = suite_begin(c->arena, arena_text(c->arena, "without a time in %c", letter));
	for (unsigned i = 0; i < side->nabsent; i++) {
		const struct result_absent *a = &side->absent[i];
		const bool breaks = a->failed && result_has(other, a->variant);
		suite_add(s, &(struct one){a->variant, "all cells", NAN, breaks ? BROKEN : SKIPPED,
		                           arena_text(c->arena, "%s in %c%s%s",
		                                      a->failed ? "failed" : "left out", letter,
		                                      a->why[0] ? ": " : "", a->why)});
	}
	suite_end(s, all);
}

static void put_refused(const struct comparison *c, struct suite *all)
{
	struct suite *s = suite_begin(c->arena, "comparison");
	suite_add(s,
	          &(struct one){"comparison", "A and B can be compared", NAN, BROKEN, c->refused});
	suite_end(s, all);
}

/* --- all of it --------------------------------------------------------------------------- */

void junit_write(const struct comparison *c, FILE *out)
{
	struct suite *all = suite_begin(c->arena, "");
	if (c->refused)
		put_refused(c, all);
	for (unsigned g = 0; g < c->ngroups; g++)
		put_group(c, &c->groups[g], all);
	for (int right = 0; right < 2 && !c->refused; right++)
		put_only(c, right, all);
	fflush(all->out);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"launchgap compare\"",
	      out);
	put_counts(out, all->n);
	fputs(">\n", out);
	fwrite(all->cases, 1, all->bytes, out);
	fputs("</testsuites>\n", out);
	arena_undo(c->arena, all);
}
