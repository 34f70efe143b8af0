/* A table's cells, and what each emitter makes of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/analysis/stats.h"
#include "../harness/report/grid.h"
#include "../harness/report/table.h"
#include "../harness/story/story.h"
#include "json.h"
#include "test.h"

enum format { TEXT, MARKDOWN, CSV };

/* The caller frees. */
static char *written(const struct table *t, enum format format, unsigned width)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	assert_non_null(out);
	if (format == TEXT)
		table_write_text(t, out, width);
	else if (format == MARKDOWN)
		table_write_markdown(t, out);
	else
		table_write_csv(t, out);
	fclose(out);
	return text;
}

static void is(const struct table *t, enum format format, const char *right)
{
	char *text = written(t, format, 80);
	assert_string_equal(text, right);
	free(text);
}

/* One row of every kind, one without any value. */
static struct table *all_kinds(void)
{
	static const struct table_column columns[] = {
	    {"name", "name", "", TABLE_TEXT},     {"said", "verdict", "", TABLE_VERDICT},
	    {"n", "n", "", TABLE_COUNT},          {"size", "size", "", TABLE_BYTES},
	    {"yes", "yes", "", TABLE_FLAG},       {"time", "time", "µs", TABLE_NUMBER},
	    {"value", "value", "", TABLE_SPREAD}, {"speed", "speed", "", TABLE_RATIO},
	    {"part", "part", "", TABLE_SHARE}};
	const struct stats_ratio ratio = {0.796, 0.777, 0.815, 6, 0.95};
	struct table *t = table_new("all", "All kinds");
	table_columns(t, columns, sizeof columns / sizeof *columns);
	TABLE_ROW(t, CELL("a"), CELL("faster"), CELL(12u), CELL(16u << 20), CELL(true),
	          CELL(12.3456789), table_of_spread(284, 283, 285), CELL(&ratio), CELL(0.73));
	table_row(t);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		TABLE_PUT(t, table_of_none());
	assert_false(table_failed(t));
	assert_int_equal(table_rows(t), 2);
	assert_string_equal(table_title(t), "All kinds");
	return t;
}

TEST(each_kind_is_written_its_way)
{
	struct table *t = all_kinds();
	is(t, MARKDOWN,
	   "| name | verdict | n | size | yes | time, µs | value | speed | part |\n"
	   "|---|---|---:|---:|---:|---:|---:|---:|---:|\n"
	   "| a | **faster** | 12 | 16 MiB | yes | 12.3 | 284 (283 to 285) | 0.796 (0.777 to "
	   "0.815) | 73 % |\n"
	   "| - | - | - | - | - | - | - | - | - |\n\n");
	is(t, CSV,
	   "name,said,n,size,yes,time,value,value_lo,value_hi,speed,speed_lo,speed_hi,part\n"
	   "a,faster,12,16777216,1,12.3457,284,283,285,0.796,0.777,0.815,0.73\n"
	   ",,,,,,,,,,,,\n");
	is(t, TEXT,
	   "name  verdict   n    size  yes  time, µs             value        speed  part\n"
	   "a     faster   12  16 MiB  yes      12.3  284 (283 to 285)  0.796 ±2.4%  73 %\n"
	   "-     -         -       -    -         -                 -            -     -\n");
	json_t *json = table_to_json(t);
	json_keys a = {"name", "a", "said", "faster", "yes", "true", NULL},
	          none = {"name", "", NULL};
	json_assert_text(json, "title", "All kinds");
	json_assert_number(json_cell(json, a, "n"), "", 12, 0);
	json_assert_number(json_cell(json, a, "size"), "", 16777216, 0);
	json_assert_number(json_cell(json, a, "time"), "", 12.3456789, 0);
	json_assert_number(json_cell(json, a, "value"), "lo", 283, 0);
	json_assert_number(json_cell(json, a, "speed"), "estimate", 0.796, 0);
	json_assert_number(json_cell(json, a, "speed"), "hi", 0.815, 0);
	json_assert_number(json_cell(json, a, "speed"), "blocks", 6, 0);
	json_assert_number(json_cell(json, a, "part"), "", 0.73, 0);
	static const char *const keys[] = {"said", "n",     "size",  "yes",
	                                   "time", "value", "speed", "part"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_assert_null(json_cell(json, none, keys[i]), "");
	json_assert_text(json_array_get(json_at(json, "columns"), 5), "unit", "µs");
	json_assert_text(json_array_get(json_at(json, "columns"), 8), "kind", "share");
	json_decref(json);
	table_free(t);
}

/* An estimate without an interval has none in any format, and no NaN is written. */
TEST(an_interval_may_be_missing)
{
	const struct stats_ratio few = {1.25, NAN, NAN, 3, NAN};
	struct table *t = table_new("t", "t");
	table_column(t, "speed", "speed", "", TABLE_RATIO);
	table_column(t, "value", "value", "", TABLE_SPREAD);
	TABLE_ROW(t, CELL(&few), table_of_spread(2, NAN, NAN));
	is(t, CSV, "speed,speed_lo,speed_hi,value,value_lo,value_hi\n1.25,,,2,,\n");
	is(t, MARKDOWN, "| speed | value |\n|---|---:|\n| 1.250 | 2.00 |\n\n");
	json_t *json = table_to_json(t);
	json_assert_null(json_array_get(json_array_get(json_at(json, "rows"), 0), 0), "lo");
	json_decref(json);
	table_free(t);
}

TEST(hostile_texts_stay_texts)
{
	struct table *t = table_new("t", "t");
	table_column(t, "a", "a|b", "", TABLE_TEXT);
	table_column(t, "b", "b", "", TABLE_VERDICT);
	TABLE_ROW(t, CELL("a,\"b\"\nc"), CELL("|`*_<b>[]\\"));
	is(t, MARKDOWN,
	   "| a\\|b | b |\n|---|---|\n"
	   "| a,\"b\" c | \\|\\`\\*\\_\\<b\\>\\[\\]\\\\ |\n\n");
	is(t, CSV, "a,b\n\"a,\"\"b\"\" c\",|`*_<b>[]\\\n");
	table_free(t);
}

/* What is longer than a cell is cut between characters. */
TEST(a_long_text_is_cut)
{
	static char text[20000];
	struct table *t = table_new("t", "t");
	for (size_t i = 0; i + 2 < sizeof text; i += 2)
		memcpy(text + i, "\xC3\xA4", 2);
	table_column(t, "a", "a", "", TABLE_TEXT);
	for (unsigned odd = 0; odd < 2; odd++) {
		table_row(t);
		table_text(t, "%s%s", odd ? "x" : "", text);
	}
	json_t *json = table_to_json(t); /* NULL of what is no UTF-8 */
	assert_non_null(json);
	assert_true(
	    json_is_string(json_array_get(json_array_get(json_at(json, "rows"), 1), 0)));
	json_decref(json);
	table_free(t);
}

static unsigned widest(const char *text)
{
	unsigned most = 0;
	char line[4096];
	while (*text) {
		size_t n = strcspn(text, "\n");
		assert_true(n < sizeof line);
		memcpy(line, text, n);
		line[n] = '\0';
		unsigned width = grid_width(line);
		most = width > most ? width : most;
		text += n + (text[n] == '\n');
	}
	return most;
}

/* Rows of one name are told apart by what stands behind it, below too. */
TEST(what_tells_rows_apart_is_said_again)
{
	struct table *t = table_new("t", "t");
	char key[16];
	unsigned names = 0;
	table_column(t, "what", "what", "", TABLE_TEXT);
	table_column(t, "bytes", "size", "", TABLE_BYTES);
	for (unsigned i = 0; i < 12; i++) {
		snprintf(key, sizeof key, "column%u", i);
		table_column(t, key, key, "", TABLE_COUNT);
	}
	for (unsigned r = 0; r < 2; r++) {
		TABLE_ROW(t, CELL("alltoall"), CELL((size_t)4096 << r));
		for (unsigned i = 0; i < 12; i++)
			TABLE_PUT(t, CELL(100 * (r + 1) + i));
	}
	char *text = written(t, TEXT, 80);
	assert_true(widest(text) <= 80);
	for (const char *at = text; (at = strstr(at, "alltoall  8 KiB")); at++)
		names++;
	assert_int_equal(names, 2);
	assert_non_null(strstr(text, "211\n"));
	free(text);
	table_free(t);
}

/* A list of paths has no blank to break at. */
TEST(a_long_word_is_broken)
{
	struct table *t = table_new("t", "t");
	char path[201] = "";
	memset(path, 'p', 200);
	table_column(t, "what", "what", "", TABLE_TEXT);
	table_column(t, "value", "value", "", TABLE_TEXT);
	TABLE_ROW(t, CELL("libraries"), CELL((const char *)path));
	char *text = written(t, TEXT, 80);
	unsigned letters = 0;
	assert_true(widest(text) <= 80);
	for (const char *c = text; *c; c++)
		letters += *c == 'p';
	assert_int_equal(letters, 200);
	free(text);
	table_free(t);
}

TEST(a_wide_table_goes_on_below)
{
	struct table *t = table_new("t", "t");
	char key[16];
	table_column(t, "variant", "variant", "", TABLE_TEXT);
	for (unsigned i = 0; i < 20; i++) {
		snprintf(key, sizeof key, "column%u", i);
		table_column(t, key, key, "", TABLE_COUNT);
	}
	table_row(t);
	table_text(t, "threads");
	for (unsigned i = 0; i < 20; i++)
		TABLE_PUT(t, CELL(1000 + i));
	char *text = written(t, TEXT, 80);
	assert_true(widest(text) <= 80);
	unsigned names = 0;
	for (const char *at = text; (at = strstr(at, "threads")); at++)
		names++;
	assert_int_equal(names, 3); /* behind the first column again */
	for (unsigned i = 0; i < 20; i++) {
		snprintf(key, sizeof key, "%u", 1000 + i);
		assert_non_null(strstr(text, key));
	}
	free(text);
	table_free(t);
}

TEST(a_long_sentence_is_broken)
{
	struct table *t = table_new("t", "t");
	table_column(t, "a", "a", "", TABLE_TEXT);
	table_column(t, "b", "what it is", "", TABLE_TEXT);
	table_column(t, "c", "c", "", TABLE_COUNT);
	table_row(t);
	table_text(t, "ä");
	table_text(t, "one two three four five six seven eight nine ten eleven twelve thirteen "
	              "fourteen fifteen");
	TABLE_PUT(t, CELL(7u));
	is(t, TEXT,
	   "a  what it is                                                                  c\n"
	   "ä  one two three four five six seven eight nine ten eleven twelve thirteen     7\n"
	   "   fourteen fifteen\n");
	table_free(t);
}

TEST(columns_without_a_value_go)
{
	struct table *t = table_new("t", "t");
	table_column(t, "name", "name", "", TABLE_TEXT);
	table_column(t, "none", "none", "", TABLE_NUMBER);
	table_column(t, "no", "no", "", TABLE_FLAG);
	table_column(t, "zero", "zero", "", TABLE_NUMBER);
	table_row(t);
	table_text(t, "a");
	TABLE_PUT(t, CELL(NAN), CELL(false), CELL(0.0));
	table_drop_empty(t);
	is(t, CSV, "name,zero\na,0\n");
	table_free(t);
	table_drop_empty(NULL);
}

/* By their keys; the others stay in their order. */
TEST(columns_are_left_out)
{
	struct table *t =
	    TABLE_NEW("t", "t", {"name", "name", "", TABLE_TEXT}, {"n", "n", "", TABLE_COUNT},
	              {"why", "why", "", TABLE_TEXT}, {"x", "x", "", TABLE_NUMBER});
	TABLE_ROW(t, CELL("a"), table_of_known(true, 7), CELL("because"), CELL(0.5));
	TABLE_ROW(t, CELL("b"), table_of_known(false, 7), CELL("so"), CELL(1.5));
	TABLE_DROP(t, "why", "none of these");
	is(t, CSV, "name,n,x\na,7,0.5\nb,,1.5\n");
	TABLE_DROP(t, "name", "x");
	is(t, CSV, "n\n7\n\n");
	table_free(t);
	TABLE_DROP(NULL, "name");
}

TEST(what_is_common_is_said_once)
{
	struct table *t = table_new("t", "t");
	char said[200];
	table_column(t, "name", "name", "", TABLE_TEXT);
	table_column(t, "bind", "binding", "", TABLE_TEXT);
	table_column(t, "mode", "mode", "", TABLE_TEXT);
	table_column(t, "n", "n", "", TABLE_COUNT);
	table_column(t, "backend", "backend", "", TABLE_TEXT);
	for (unsigned i = 0; i < 2; i++) {
		table_row(t);
		table_text(t, "same");
		table_text(t, "none");
		table_text(t, i ? "threads" : "single");
		TABLE_PUT(t, CELL(1u));
		table_text(t, "nccl");
	}
	table_drop_common(t, said, sizeof said);
	assert_string_equal(said, "binding none, backend nccl");
	is(t, CSV, "name,mode,n\nsame,single,1\nsame,threads,1\n");
	/* Not for programs. */
	json_t *json = table_to_json(t);
	assert_int_equal(json_rows(json, (json_keys){"bind", "none", "backend", "nccl", NULL}),
	                 2);
	json_decref(json);
	table_free(t);
	/* One row has nothing in common with others. */
	t = table_new("t", "t");
	table_column(t, "name", "name", "", TABLE_TEXT);
	table_column(t, "mode", "mode", "", TABLE_TEXT);
	table_row(t);
	table_text(t, "a");
	table_text(t, "b");
	table_drop_common(t, said, sizeof said);
	assert_string_equal(said, "");
	is(t, CSV, "name,mode\na,b\n");
	table_free(t);
}

TEST(no_table_is_failed)
{
	assert_true(table_failed(NULL));
	assert_int_equal(table_rows(NULL), 0);
	assert_null(table_to_json(NULL));
	table_row(NULL);
	table_text(NULL, "a");
	table_free(NULL);
}

/* --- pivots --- */

struct told {
	const char *variant;
	size_t bytes;
	double gbs;
};

TEST(a_pivot_has_variants_by_size)
{
	static const struct column columns[] = {
	    COLUMN(struct told, variant, "variant", "", TEXT),
	    COLUMN(struct told, bytes, "size", "", BYTES),
	    COLUMN(struct told, gbs, "GB/s", "", NUMBER)};
	static const struct story_form form =
	    STORY_FORM(struct told, columns, .name = "t", .title = "T", .when = STORY_NO_WHEN);
	static const struct told rows[] = {
	    {"a", 1024, 1}, {"a", 4096, 2}, {"b", 4096, 4}, {"c", 1024, 9}};
	static const unsigned some[] = {0, 1, 2};
	const struct story_table told = {&form, rows, 4};
	const struct story_pivot pivot = {&told, some, 3, "variant", "bytes", "gbs"};
	char *text = NULL;
	size_t bytes;
	struct table *t = table_of_pivot(&pivot);
	FILE *out = open_memstream(&text, &bytes);
	assert_non_null(out);
	table_write_csv(t, out);
	fclose(out);
	assert_string_equal(text, "variant,1 KiB,4 KiB\na,1,2\nb,,4\n");
	free(text);
	table_free(t);
}
