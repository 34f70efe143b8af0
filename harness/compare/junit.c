#include <string.h>

#include "../report/markup.h"
#include "comparison.h"

/* A row of the table `cases`, which has them suite by suite. */
struct cases {
	const struct story_table *table;
	unsigned row;
};

static struct entry entry_of(const struct cases *c, const char *key)
{
	return column_entry(story_column(c->table, key), story_row(c->table, c->row));
}

static void put(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	markup_escape(out, text);
	fputc('"', out);
}

static void put_text(FILE *out, const struct cases *c, const char *name, const char *key)
{
	put(out, name, comparison_text(c->table, c->row, key));
}

static void put_count(FILE *out, const struct cases *c, const char *name, const char *key)
{
	fprintf(out, " %s=\"%llu\"", name, entry_of(c, key).count);
}

static void put_suite(FILE *out, const struct cases *c)
{
	fputs(" <testsuite", out);
	put_text(out, c, "name", "suite");
	put_count(out, c, "tests", "tests");
	put_count(out, c, "failures", "failures");
	put_count(out, c, "errors", "errors");
	put_count(out, c, "skipped", "skipped");
	fputs(">\n", out);
}

static void put_case(FILE *out, struct arena *arena, const struct cases *c)
{
	static const struct {
		const char *outcome, *element;
	} elements[] = {{"failed", "failure type=\"slower\""},
	                {"skipped", "skipped"},
	                {"broken", "error type=\"failed\""}};
	const struct entry us = entry_of(c, "b_us");
	const char *outcome = comparison_text(c->table, c->row, "outcome"),
	           *text =
	               phrase_row(arena, c->table->form, story_row(c->table, c->row),
	                          "[{lead}]{words}[: {speed:full} times A's speed][, {b_us} µs per "
	                          "call instead of {a_us}][ over {sizes} size{sizes:s}, margin "
	                          "{threshold}]");
	fputs("  <testcase", out);
	put_text(out, c, "classname", "class");
	put_text(out, c, "name", "name");
	fprintf(out, " time=\"%.9f\">", us.has ? us.x * 1e-6 : 0);
	for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
		if (!strcmp(outcome, elements[i].outcome)) {
			fprintf(out, "<%s", elements[i].element);
			put(out, "message", text);
			fputs("/>", out);
		}
	if (!strcmp(outcome, "passed")) {
		fputs("<system-out>", out);
		markup_escape(out, text);
		fputs("</system-out>", out);
	}
	fputs("</testcase>\n", out);
}

void junit_write(const struct comparison *c, FILE *out)
{
	struct cases all = {.table = story_find_table(&c->story, "cases")};
	const char *suite = "";
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"launchgap compare\"",
	      out);
	put_count(out, &all, "tests", "all_tests");
	put_count(out, &all, "failures", "all_failures");
	put_count(out, &all, "errors", "all_errors");
	fputs(">\n", out);
	for (; all.row < all.table->nrows; all.row++) {
		const char *own = comparison_text(all.table, all.row, "suite");
		if (strcmp(own, suite)) {
			fputs(*suite ? " </testsuite>\n" : "", out);
			put_suite(out, &all);
		}
		suite = own;
		put_case(out, c->arena, &all);
	}
	fputs(" </testsuite>\n</testsuites>\n", out);
}
