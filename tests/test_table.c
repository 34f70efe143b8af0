/* A table's cells, and each emitter's output for them. */
#include "../harness/report/grid.h"
#include "../harness/report/table.h"
#include "../harness/story/tell.h"
#include "json.h"
#include "scratch.h"
#include "test.h"

enum format { TEXT, MARKDOWN, CSV };

/* The caller frees. */
static char *written(const struct story_table *t, enum format format, unsigned width)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	assert_non_null(out);
	if (format == TEXT)
		table_write_text(scratch(), t, false, out, 0, width);
	else if (format == MARKDOWN)
		table_write_markdown(t, NULL, out);
	else
		table_write_csv(t, out);
	fclose(out);
	return text;
}

static void is(const struct story_table *t, enum format format, const char *right)
{
	char *text = written(t, format, 80);
	assert_string_equal(text, right);
	free(text);
}

struct all {
	const char *name, *said;
	unsigned n;
	size_t size;
	int yes;
	double time;
	struct stats_interval value;
	struct stats_ratio speed;
	double part;
};

static const struct column all_columns[] = {
    COLUMN(struct all, name, "name", "", TEXT),     COLUMN(struct all, said, "verdict", "", WORD),
    COLUMN(struct all, n, "n", "", COUNT),          COLUMN(struct all, size, "size", "", BYTES),
    COLUMN(struct all, yes, "yes", "", FLAG),       COLUMN(struct all, time, "time", "µs", NUMBER),
    COLUMN(struct all, value, "value", "", SPREAD), COLUMN(struct all, speed, "speed", "", RATIO),
    COLUMN(struct all, part, "part", "", SHARE)};
static const struct story_form all_form =
    STORY_FORM(struct all, all_columns, .name = "all", .title = "All kinds");

/* One row of every kind, one without any value. */
TEST(each_kind_is_written_its_way)
{
	struct all rows[2] = {{"a",
	                       "faster",
	                       12,
	                       16u << 20,
	                       true,
	                       12.3456789,
	                       {284, 283, 285},
	                       {0.796, 0.777, 0.815, 6, 0.95},
	                       0.73}};
	const struct story_table all = {&all_form, rows, 2}, *t = &all;
	for (size_t c = 0; c < LENGTH(all_columns); c++)
		column_clear(&all_columns[c], &rows[1]);
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
	for (size_t i = 0; i < LENGTH(keys); i++)
		json_assert_null(json_cell(json, none, keys[i]), "");
	json_assert_text(json_array_get(json_at(json, "columns"), 5), "unit", "µs");
	json_assert_text(json_array_get(json_at(json, "columns"), 8), "kind", "share");
	json_decref(json);
}

/* An estimate without an interval has none in any format, and no NaN is written. */
TEST(an_interval_may_be_missing)
{
	static const struct column columns[] = {COLUMN(struct all, speed, "speed", "", RATIO),
	                                        COLUMN(struct all, value, "value", "", SPREAD)};
	static const struct story_form form =
	    STORY_FORM(struct all, columns, .name = "t", .title = "t");
	const struct all row = {.speed = {1.25, NAN, NAN, 3, NAN}, .value = {2, NAN, NAN}};
	const struct story_table t = {&form, &row, 1};
	is(&t, CSV, "speed,speed_lo,speed_hi,value,value_lo,value_hi\n1.25,,,2,,\n");
	is(&t, MARKDOWN, "| speed | value |\n|---|---:|\n| 1.250 | 2.00 |\n\n");
	json_t *json = table_to_json(&t);
	json_assert_null(json_array_get(json_array_get(json_at(json, "rows"), 0), 0), "lo");
	json_decref(json);
}

struct texts {
	const char *a, *b;
	unsigned c;
};

static const struct column text_columns[] = {COLUMN(struct texts, a, "a|b", "", TEXT),
                                             COLUMN(struct texts, b, "what it is", "", WORD),
                                             COLUMN(struct texts, c, "c", "", COUNT)};
static const struct story_form text_form =
    STORY_FORM(struct texts, text_columns, .name = "t", .title = "t");

TEST(hostile_texts_stay_texts)
{
	const struct texts row = {"a,\"b\"\nc", "|`*_<b>[]\\", 1};
	const struct story_table t = {&text_form, &row, 1};
	is(&t, MARKDOWN,
	   "| a\\|b | what it is | c |\n|---|---|---:|\n"
	   "| a,\"b\" c | \\|\\`\\*\\_\\<b\\>\\[\\]\\\\ | 1 |\n\n");
	is(&t, CSV, "a,b,c\n\"a,\"\"b\"\" c\",|`*_<b>[]\\,1\n");
}

/* A text longer than a cell is cut between characters; data has all of it. */
TEST(a_long_text_is_cut)
{
	static char text[20000] = "x";
	for (size_t i = 1; i + 2 < sizeof text; i += 2)
		memcpy(text + i, "\xC3\xA4", 2);
	const struct texts rows[] = {{text, "odd", 1}, {text + 1, "even", 2}};
	const struct story_table t = {&text_form, rows, 2};
	char *shown = written(&t, MARKDOWN, 80);
	json_t *word = json_string(shown), /* NULL of what is no UTF-8 */
	    *json = table_to_json(&t);
	assert_non_null(word);
	assert_true(strlen(shown) < 2200);
	json_assert_text(json_array_get(json_array_get(json_at(json, "rows"), 1), 0), "", text + 1);
	json_decref(word);
	json_decref(json);
	free(shown);
}

#define MANY 20

struct wide {
	const char *what;
	size_t bytes;
	unsigned n[MANY];
};

/* So many columns of numbers after the first two; of the texts of 20 names. */
static const struct story_form *wide_form(unsigned first, unsigned many)
{
	static const struct column begin[] = {COLUMN(struct wide, what, "what", "", TEXT),
	                                      COLUMN(struct wide, bytes, "size", "", BYTES)};
	static struct column columns[2 + MANY];
	static char names[MANY][16];
	static struct story_form form;
	memcpy(columns, begin, sizeof begin);
	for (unsigned i = 0; i < many; i++) {
		snprintf(names[i], sizeof names[i], "column%u", i);
		columns[first + i] =
		    (struct column){names[i],
		                    names[i],
		                    "",
		                    KIND_COUNT,
		                    offsetof(struct wide, n) + i * sizeof(unsigned),
		                    0};
	}
	form = (struct story_form){.name = "t",
	                           .title = "t",
	                           .columns = columns,
	                           .ncolumns = first + many,
	                           .row_bytes = sizeof(struct wide)};
	return &form;
}

/* Rows of one name are distinguished by the cells that follow it, below too. */
TEST(what_tells_rows_apart_is_said_again)
{
	struct wide rows[2] = {{"alltoall", 4096, {0}}, {"alltoall", 8192, {0}}};
	for (unsigned i = 0; i < 12; i++) {
		rows[0].n[i] = 100 + i;
		rows[1].n[i] = 200 + i;
	}
	const struct story_table t = {wide_form(2, 12), rows, 2};
	char *text = written(&t, TEXT, 80);
	assert_narrow(text);
	assert_int_equal(text_count(text, "alltoall  8 KiB"), 2);
	assert_says(text, "211\n");
	free(text);
}

TEST(a_wide_table_goes_on_below)
{
	struct wide row = {.what = "threads"};
	char number[16];
	for (unsigned i = 0; i < MANY; i++)
		row.n[i] = 1000 + i;
	const struct story_table t = {wide_form(1, MANY), &row, 1};
	char *text = written(&t, TEXT, 80);
	assert_narrow(text);
	assert_int_equal(text_count(text, "threads"), 3); /* after the first column again */
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(number, sizeof number, "%u", 1000 + i);
		assert_says(text, number);
	}
	free(text);
}

/* A list of paths has no blank to break at. */
TEST(a_long_word_is_broken)
{
	char path[201] = "";
	memset(path, 'p', 200);
	const struct texts row = {"libraries", path, 1};
	const struct story_table t = {&text_form, &row, 1};
	char *text = written(&t, TEXT, 80);
	unsigned letters = 0;
	assert_narrow(text);
	for (const char *c = text; *c; c++)
		letters += *c == 'p';
	assert_int_equal(letters, 200);
	free(text);
}

TEST(a_long_sentence_is_broken)
{
	const struct texts row = {
	    "ä", "one two three four five six seven eight nine ten eleven twelve fourteen fifteen",
	    7};
	const struct story_table t = {&text_form, &row, 1};
	is(&t, TEXT,
	   "a|b  what it is                                                                c\n"
	   "ä    one two three four five six seven eight nine ten eleven twelve fourteen   7\n"
	   "     fifteen\n");
}

/* --- some of the columns --- */

TEST(columns_without_a_value_go)
{
	const struct all row = {.name = "a",
	                        .n = ENTRY_NO_COUNT,
	                        .size = ENTRY_NO_BYTES,
	                        .time = NAN,
	                        .value = {NAN, NAN, NAN},
	                        .speed = {NAN, NAN, NAN, 0, NAN}};
	const struct story_table t = {&all_form, &row, 1}, none = {&all_form, &row, 0};
	struct table some;
	table_less(&t, 0, &some);
	table_drop_empty(&some);
	is(&some.told, CSV, "name,part\na,0\n");
	/* Of no rows all stay. */
	table_less(&none, 0, &some);
	table_drop_empty(&some);
	assert_int_equal(some.form.ncolumns, all_form.ncolumns);
}

/* By their keys, or by their audience; the others stay in their order. */
TEST(columns_are_left_out)
{
	static const struct column columns[] = {
	    COLUMN_AS(struct texts, a, "name", "name", "", TEXT, ONLY_PEOPLE),
	    COLUMN_AS(struct texts, b, "names", "why", "", TEXT, ONLY_FILES),
	    COLUMN_AS(struct texts, c, "n", "n", "", COUNT, 0)};
	static const struct story_form form =
	    STORY_FORM(struct texts, columns, .name = "t", .title = "t");
	const struct texts rows[] = {{"a", "because", 7}, {"b", "so", ENTRY_NO_COUNT}};
	const struct story_table t = {&form, rows, 2};
	struct table some;
	table_less(&t, ONLY_FILES, &some);
	is(&some.told, CSV, "name,n\na,7\nb,\n");
	table_less(&t, ONLY_PEOPLE, &some);
	is(&some.told, CSV, "names,n\nbecause,7\nso,\n");
	table_less(&t, 0, &some);
	table_keep(&some, "n name");
	is(&some.told, CSV, "name,n\na,7\nb,\n");
}

TEST(what_is_common_is_said_once)
{
	struct row {
		const char *name, *bind, *mode, *backend;
		unsigned n;
	};
	static const struct column columns[] = {COLUMN(struct row, name, "name", "", TEXT),
	                                        COLUMN(struct row, bind, "binding", "", TEXT),
	                                        COLUMN(struct row, mode, "mode", "", TEXT),
	                                        COLUMN(struct row, n, "n", "", COUNT),
	                                        COLUMN(struct row, backend, "backend", "", TEXT)};
	static const struct story_form form =
	    STORY_FORM(struct row, columns, .name = "t", .title = "t", .common = "All");
	const struct row rows[] = {{"same", "none", "single", "nccl", 1},
	                           {"same", "none", "threads", "nccl", 1}};
	const struct story_table two = {&form, rows, 2}, one = {&form, rows, 1};
	struct table t;
	char said[200];
	table_less(&two, 0, &t);
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

struct told {
	const char *variant;
	size_t bytes;
	double gbs;
};

static void tell(struct story *story)
{
	static const struct column columns[] = {COLUMN(struct told, variant, "variant", "", TEXT),
	                                        COLUMN(struct told, bytes, "size", "", BYTES),
	                                        COLUMN(struct told, gbs, "GB/s", "", NUMBER)};
	static const struct story_form form =
	    STORY_FORM(struct told, columns, .name = "t", .title = "T");
	static const struct told rows[] = {
	    {"a", 1024, 1}, {"a", 4096, 2}, {"b", 4096, 4}, {"c", 1024, 9}};
	static const unsigned some[] = {0, 1, 2};
	story_pivot(story, story_rows(story, &form, rows, 4), some, 3, "variant", "bytes", "gbs");
}

static void pivot(struct arena *arena, void *of)
{
	struct story_chapter only = {0};
	struct story story = {.arena = arena, .chapters = &only};
	(void)of;
	tell(&story);
	is(story.chapters[0].blocks[0].table, CSV, "variant,1 KiB,4 KiB\na,1,2\nb,,4\n");
}

TEST(a_pivot_has_variants_by_size)
{
	assert_int_equal(arena_run(pivot, NULL, NULL), 0);
}
