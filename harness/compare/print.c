#include "../arena.h"
#include "../report/json.h"
#include "../report/page.h"
#include "../terminal.h"
#include "comparison.h"

struct printing {
	struct arena *arena;
	FILE *out;
};

/* People get the columns with a value. */
static void print_table(const struct printing *p, const struct story_table *told)
{
	struct table shown;
	char common[160];
	table_less(told, ONLY_FILES, &shown);
	table_drop_common(&shown, common, sizeof common);
	table_drop_empty(&shown);
	table_write_text(p->arena, &shown.told, p->out, 0, terminal_columns());
	if (common[0])
		page_wrap(p->out, "", 2,
		          arena_text(p->arena, "%s: %s.", told->form->common, common));
}

static void print_kind(void *to, const char *title, const struct story_table *cells)
{
	const struct printing *p = to;
	fputc('\n', p->out);
	page_wrap(p->out, "", 2, title);
	fputc('\n', p->out);
	print_table(p, cells);
}

static void print_text(const struct comparison *of, FILE *out)
{
	const struct story *story = &of->story;
	const struct story_table *notes = story_find_table(story, "notes");
	const struct story_table facts = comparison_facts(of);
	struct printing p = {of->arena, out};
	const struct story_sentence *said;
	for (unsigned i = 0; (said = story_said(story, STORY_ANSWER, i)); i++)
		page_wrap(out, "", 2, said->text);
	fputc('\n', out);
	print_table(&p, story_find_table(story, "verdicts"));
	fputc('\n', out);
	page_wrap(out, "", 2, comparison_method);
	fputc('\n', out);
	page_wrap(out, "", 2, comparison_cells_are);
	comparison_each_kind(of, story_find_table(story, "cells"), print_kind, &p);
	fprintf(out, "\nA: %s\nB: %s\n", of->left.path, of->right.path);
	print_table(&p, &facts);
	for (unsigned i = 0; i < notes->nrows; i++) {
		const char *side = comparison_text(notes, i, "side");
		page_wrap(out, arena_text(of->arena, "- %s%s", side, *side ? ": " : ""), 2,
		          comparison_text(notes, i, "text"));
	}
}

/* Programs get all columns. */
static void print_json(const struct comparison *of, FILE *out)
{
	static const char *const names[] = {"answer", "verdicts", "cells", "sides", "notes"};
	json_t *object = json_keep(of->arena, json_pack("{s:i, s:[]}", "schema", 1, "tables"));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct table data;
		table_less(story_find_table(&of->story, names[i]), ONLY_PEOPLE, &data);
		json_array_append_new(json_object_get(object, "tables"), table_to_json(&data.told));
	}
	arena_need(of->arena,
	           object && !json_dumpf(object, out, JSON_INDENT(1)) && fputc('\n', out) != EOF);
}

static void print_markdown(const struct comparison *of, FILE *out)
{
	struct page page = {.kind = PAGE_MARKDOWN, .out = out, .arena = of->arena, .whole = true};
	compared_page(&page, of);
}

void print_comparison(const struct comparison *c, enum compare_form form, FILE *out)
{
	static void (*const print[])(const struct comparison *of,
	                             FILE *out) = {[COMPARE_TEXT] = print_text,
	                                           [COMPARE_JSON] = print_json,
	                                           [COMPARE_MARKDOWN] = print_markdown};
	print[form](c, out);
}
