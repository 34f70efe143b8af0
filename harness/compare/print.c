#include <string.h>

#include "../arena.h"
#include "../report/json.h"
#include "../report/page.h"
#include "../terminal.h"
#include "told.h"

/* People get the columns with a value. */
static void print_table(const struct told *t, const struct story_table *told, FILE *out)
{
	struct table shown;
	char common[160];
	table_less(told, ONLY_FILES, &shown);
	table_drop_common(&shown, common, sizeof common);
	table_drop_empty(&shown);
	table_write_text(t->arena, &shown.told, out, 0, terminal_columns());
	if (common[0])
		page_wrap(out, "", 2, arena_text(t->arena, "%s: %s.", told->form->common, common));
}

static void print_kinds(const struct told *t, FILE *out)
{
	struct told_kind *kinds = ARENA_ARRAY(t->arena, struct told_kind, t->c->ngroups + 1);
	const unsigned n = told_kinds(t, TOLD_ALL, kinds);
	for (unsigned i = 0; i < n; i++) {
		fputc('\n', out);
		page_wrap(out, "", 2, kinds[i].title);
		fputc('\n', out);
		print_table(t, &kinds[i].cells, out);
	}
}

static void print_text(const struct told *t, FILE *out)
{
	const struct story_table verdicts = told_verdicts(t, TOLD_ALL);
	for (unsigned i = 0; i < t->nanswers; i++)
		page_wrap(out, "", 2, t->answers[i]);
	fputc('\n', out);
	print_table(t, &verdicts, out);
	fputc('\n', out);
	page_wrap(out, "", 2, told_method);
	fputc('\n', out);
	page_wrap(out, "", 2, told_cells_are);
	print_kinds(t, out);
	fprintf(out, "\nA: %s\nB: %s\n", t->c->left.path, t->c->right.path);
	print_table(t, &t->facts, out);
	for (unsigned i = 0; i < t->nnotes; i++) {
		const char *side = t->notes[i].side;
		page_wrap(out, arena_text(t->arena, "- %s%s", side, *side ? ": " : ""), 2,
		          t->notes[i].text);
	}
}

/* Programs get all columns. */
static void add_table(const struct story_table *told, json_t *tables)
{
	struct table data;
	table_less(told, ONLY_PEOPLE, &data);
	json_array_append_new(tables, table_to_json(&data.told));
}

static void print_json(const struct told *t, FILE *out)
{
	const struct story_table all[] = {t->answer, told_verdicts(t, TOLD_ALL), told_cells(t),
	                                  t->sides, told_notes(t)};
	json_t *object = json_keep(t->arena, json_pack("{s:i, s:[]}", "schema", 1, "tables"));
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		add_table(&all[i], json_object_get(object, "tables"));
	arena_need(t->arena,
	           object && !json_dumpf(object, out, JSON_INDENT(1)) && fputc('\n', out) != EOF);
}

static void print_markdown(const struct told *t, FILE *out)
{
	struct page page = {.kind = PAGE_MARKDOWN, .out = out, .arena = t->arena, .whole = true};
	compared_page(&page, t);
}

void print_comparison(const struct comparison *c, enum compare_form form, FILE *out)
{
	static void (*const print[])(const struct told *t,
	                             FILE *out) = {[COMPARE_TEXT] = print_text,
	                                           [COMPARE_JSON] = print_json,
	                                           [COMPARE_MARKDOWN] = print_markdown};
	struct told told;
	told_make(c, &told);
	print[form](&told, out);
}
