/* A table's cells, and each emitter's output for them. */
#include "../harness/report/page.h"
#include "json.h"
#include "made_story.h"

enum format { TEXT, MARKDOWN, CSV };

static char *written(const struct story_table *t, enum format format, unsigned width)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	assert_non_null(out);
	if (format == TEXT)
		table_write_text(scratch(), t, false, out, 0, width);
	else if (format == MARKDOWN)
		page_markdown.table(&(struct page){.out = out, .arena = scratch()}, t);
	else
		table_write_csv(t, out);
	fclose(out);
	return test_keep(text);
}

static void is(const struct story_table *t, enum format format, const char *right)
{
	assert_string_equal(written(t, format, 80), right);
}

#define KINDS                                                                                      \
	"t | All kinds\n  name\n  said:word | verdict\n  n:count\n  size:bytes\n  yes:flag\n"      \
	"  time:number | | µs\n  value:spread\n  speed:ratio\n  part:share\n"

/* One row of every kind, one without any value. */
TEST(each_kind_is_written_its_way)
{
	const struct story_table *t = table_of(
	    KINDS
	    "  SELECT 'a' name, 'faster' said, 12 n, 16777216 size, 1 yes, 12.3456789 time,\n"
	    "         284 value, 283 value_lo, 285 value_hi, 0.796 speed, 0.777 speed_lo,\n"
	    "         0.815 speed_hi, 6 speed_blocks, 0.73 part\n  UNION ALL\n"
	    "  SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,\n"
	    "         NULL, NULL\n");
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
	   "name  verdict   n    size  yes  time, µs             value\n"
	   "a     faster   12  16 MiB  yes      12.3  284 (283 to 285)\n"
	   "-     -         -       -    -         -                 -\n\n"
	   "name                   speed  part\n"
	   "a     0.796 (0.777 to 0.815)  73 %\n"
	   "-                          -     -\n");
	json_t *json = test_keep(table_to_json(t));
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
	for (size_t i = 0; i < LENGTH(keys); i++)
		json_assert_null(json_cell(json, none, keys[i]), "");
	json_assert_text(json_array_get(json_at(json, "columns"), 5), "unit", "µs");
	json_assert_text(json_array_get(json_at(json, "columns"), 8), "kind", "share");
}

/* An estimate without an interval has none in any format, and no NaN is written. */
TEST(an_interval_may_be_missing)
{
	const struct story_table *t =
	    table_of("t | t\n  speed:ratio\n  value:spread\n  SELECT 1.25 speed, 2 value\n");
	is(t, CSV, "speed,speed_lo,speed_hi,value,value_lo,value_hi\n1.25,,,2,,\n");
	is(t, MARKDOWN, "| speed | value |\n|---|---:|\n| 1.250 | 2.00 |\n\n");
	json_t *json = test_keep(table_to_json(t));
	json_assert_null(json_array_get(json_array_get(json_at(json, "rows"), 0), 0), "lo");
}

/* A row of two texts, as expressions of SQL. */
static const struct story_table *texts_of(const char *a, const char *b)
{
	return table_of(test_text("t | t\n  a | {head}\n  b:word | what it is\n  c:count\n"
	                          "  SELECT %s a, %s b, 1 c, 'a|b' head\n",
	                          a, b));
}

TEST(hostile_texts_stay_texts)
{
	const struct story_table *t = texts_of("'a,\"b\"' || char(10) || 'c'", "'|`*_<b>[]\\'");
	is(t, MARKDOWN,
	   "| a\\|b | what it is | c |\n|---|---|---:|\n"
	   "| a,\"b\" c | \\|\\`\\*\\_\\<b\\>\\[\\]\\\\ | 1 |\n\n");
	is(t, CSV, "a,b,c\n\"a,\"\"b\"\" c\",|`*_<b>[]\\,1\n");
}

/* A text longer than a cell is cut between characters; data has all of it. */
TEST(a_long_text_is_cut)
{
	const struct story_table *t =
	    table_of("t | t\n  a\n  b\n  WITH long(x) AS (SELECT replace(hex(zeroblob(5000)), "
	             "'0', 'ä'))\n  SELECT 'x' || x a, 'odd' b FROM long\n  UNION ALL\n"
	             "  SELECT x, 'even' FROM long\n");
	char *shown = written(t, MARKDOWN, 80);
	json_t *word = test_keep(json_string(shown)), /* NULL of what is no UTF-8 */
	    *json = test_keep(table_to_json(t));
	assert_non_null(word);
	assert_true(strlen(shown) < 2200);
	json_assert_text(json_array_get(json_array_get(json_at(json, "rows"), 1), 0), "",
	                 story_row(t, 1)[0].text);
	assert_int_equal(strlen(story_row(t, 1)[0].text), 20000);
}

/* Columns what and size, and so many of numbers, from 100 × the row on, of rows of 4 KiB, … */
static const struct story_table *wide(unsigned rows, unsigned columns)
{
	const char *head = "t | t\n  what\n  size:bytes\n",
	           *query = arena_text(scratch(),
	                               "  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
	                               "FROM n WHERE i < %u)\n"
	                               "  SELECT 'alltoall' what, 4096 * i size",
	                               rows);
	for (unsigned i = 0; i < columns; i++) {
		head = arena_text(scratch(), "%s  column%u:count\n", head, i);
		query = arena_text(scratch(), "%s, 100 * i + %u column%u", query, i, i);
	}
	return table_of(arena_text(scratch(), "%s%s FROM n\n", head, query));
}

/* Rows of one name are distinguished by the cells that follow it, below too. */
TEST(what_tells_rows_apart_is_said_again)
{
	char *text = written(wide(2, 12), TEXT, 80);
	assert_narrow(text);
	assert_int_equal(text_count(text, "alltoall  8 KiB"), 2);
	assert_says(text, "211\n");
	text = written(wide(1, 20), TEXT, 80);
	assert_narrow(text);
	assert_int_equal(text_count(text, "alltoall"), 3); /* after the first column again */
	for (unsigned i = 0; i < 20; i++)
		assert_says(text, test_text("%u", 100 + i));
}

/* A list of paths has no blank to break at. */
TEST(a_long_word_is_broken)
{
	char *text = written(texts_of("'x'", "hex(zeroblob(100))"), TEXT, 80);
	unsigned digits = 0;
	assert_narrow(text);
	for (const char *c = text; *c; c++)
		digits += *c == '0';
	assert_int_equal(digits, 200);
}

TEST(a_long_sentence_is_broken)
{
	const struct story_table *t = texts_of(
	    "'ä'",
	    "'one two three four five six seven eight nine ten eleven twelve fourteen fifteen'");
	is(t, TEXT,
	   "a|b  what it is                                                                c\n"
	   "ä    one two three four five six seven eight nine ten eleven twelve fourteen   1\n"
	   "     fifteen\n");
	assert_int_equal(text_count(written(t, TEXT, 24), "a|b"), 1); /* none continues below */
}

/* --- some of the columns --- */

TEST(columns_without_a_value_go)
{
	const struct story_table *t =
	    table_of(KINDS "  SELECT 'a' name, NULL said, NULL n, NULL size, 0 yes, NULL time,\n"
	                   "         NULL value, NULL speed, 0.0 part\n");
	const struct story_table none = {t->form, t->rows, 0};
	struct table some;
	table_less(t, 0, &some);
	table_drop_empty(&some);
	is(&some.told, CSV, "name,part\na,0\n");
	/* Of no rows all stay. */
	table_less(&none, 0, &some);
	table_drop_empty(&some);
	assert_int_equal(some.form.ncolumns, t->form->ncolumns);
}

/* By their keys, or by their audience; the others stay in their order. */
TEST(columns_are_left_out)
{
	const struct story_table *t =
	    table_of("t | t\n  name | | | people\n  names | why | | files\n  n:count\n"
	             "  SELECT 'a' name, 'because' names, 7 n UNION ALL SELECT 'b', 'so', NULL\n");
	struct table some;
	table_less(t, ONLY_FILES, &some);
	is(&some.told, CSV, "name,n\na,7\nb,\n");
	table_less(t, ONLY_PEOPLE, &some);
	is(&some.told, CSV, "names,n\nbecause,7\nso,\n");
	table_less(t, 0, &some);
	table_keep(&some, "n name");
	is(&some.told, CSV, "name,n\na,7\nb,\n");
}

TEST(what_is_common_is_said_once)
{
	const struct story_table *two =
	    table_of("t | t | common=All\n  name\n  bind | binding\n  mode\n  n:count\n  backend\n"
	             "  SELECT 'same' name, 'none' bind, column1 mode, 1 n, 'nccl' backend\n"
	             "  FROM (VALUES ('single'), ('threads'))\n");
	const struct story_table one = {two->form, two->rows, 1};
	struct table t;
	char said[200];
	table_less(two, 0, &t);
	table_drop_common(&t, said, sizeof said);
	assert_string_equal(said, "binding none, backend nccl");
	is(&t.told, CSV, "name,mode,n\nsame,single,1\nsame,threads,1\n");
	/* One row has nothing in common with others. */
	table_less(&one, 0, &t);
	table_drop_common(&t, said, sizeof said);
	assert_string_equal(said, "");
	assert_int_equal(t.form.ncolumns, 5);
}

/* --- pivots --- */

TEST(a_pivot_has_variants_by_size)
{
	const struct story *story = story_of(
	    "chapter c | C\ntable t | T\n  variant\n  bytes:bytes | size\n  gbs:number | GB/s\n"
	    "  SELECT column1 variant, column2 bytes, column3 gbs\n"
	    "  FROM (VALUES ('a', 1024, 1), ('a', 4096, 2), ('b', 4096, 4), ('c', 1024, 9))\n"
	    "pivot t: variant by bytes show gbs where variant < 'c'\n");
	is(story->chapters[0].blocks[1].table, CSV, "variant,1 KiB,4 KiB\na,1,2\nb,,4\n");
}
