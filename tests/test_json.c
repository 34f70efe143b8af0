/* The tests' own reader of report.json, on one made by hand. */
#include <stdio.h>

#include "here.h"
#include "json.h"
#include "test.h"

/* clang-format off */
static const char report_json[] =
    "{\"schema\":1,\"tables\":["
    "{\"name\":\"summary\",\"title\":\"Results\",\"columns\":["
    "{\"key\":\"variant\",\"head\":\"variant\",\"unit\":\"\",\"kind\":\"text\"},"
    "{\"key\":\"bytes\",\"head\":\"size\",\"unit\":\"B\",\"kind\":\"bytes\"},"
    "{\"key\":\"p50_us\",\"head\":\"p50\",\"unit\":\"us\",\"kind\":\"number\"},"
    "{\"key\":\"ratio\",\"head\":\"speed\",\"unit\":\"\",\"kind\":\"ratio\"}],"
    "\"rows\":[[\"threads\",4096,12.5,null],"
    "[\"threads\",65536,14,{\"estimate\":1.25,\"lo\":1.2,\"hi\":1.3}],"
    "[\"processes\",4096,\"-\",null]]},"
    "{\"name\":\"ranks\",\"title\":\"Ranks\",\"columns\":[],\"rows\":[]}]}";
/* clang-format on */

static json_t *report;

static int load(void **state)
{
	set_up(state);
	cli_write(folder, "report.json", report_json);
	snprintf(file, sizeof file, "%s/report.json", folder);
	report = json_report(file);
	return 0;
}

static int unload(void **state)
{
	json_decref(report);
	return tear_down(state);
}

TEST(a_cell_is_found_by_what_its_row_is)
{
	const json_t *t = json_table(report, "summary");
	json_assert_text(t, "title", "Results");
	json_assert_number(
	    json_cell(t, (json_keys){"variant", "threads", "bytes", "65536", NULL}, "p50_us"), "",
	    14, 0);
	json_assert_number(json_cell(t, (json_keys){"bytes", "65536", NULL}, "ratio"), "estimate",
	                   1.2501, 0.001);
	json_assert_text(json_cell(t, (json_keys){"variant", "processes", NULL}, "p50_us"), "",
	                 "-");
	json_assert_null(json_cell(t, (json_keys){"variant", "processes", NULL}, "ratio"), "");
	assert_int_equal(json_array_size(json_row(t, (json_keys){"p50_us", "-", NULL})), 4);
}

TEST(rows_are_counted)
{
	const json_t *t = json_table(report, "summary");
	assert_int_equal(json_rows(t, (json_keys){NULL}), 3);
	assert_int_equal(json_rows(t, (json_keys){"bytes", "4096", NULL}), 2);
	assert_int_equal(json_rows(t, (json_keys){"bytes", "4.096e3", NULL}), 2);
	assert_int_equal(json_rows(t, (json_keys){"bytes", "4096x", NULL}), 0);
	assert_int_equal(json_rows(t, (json_keys){"ratio", "", "variant", "threads", NULL}), 1);
	assert_int_equal(json_rows(json_table(report, "ranks"), (json_keys){NULL}), 0);
}

TEST(an_entry_is_found_by_its_path)
{
	const json_t *row = json_entries(report, "summary", (json_keys){"p50_us", "14", NULL});
	json_assert_number(row, "ratio.estimate", 1.25, 0);
	json_assert_says(row, "variant", "read");
}

TEST(who_asks_for_what_is_not_there_is_told_what_is)
{
	const char *why = NULL;
	const json_t *t = json_table(report, "summary");
	assert_null(json_find_table(report, "summery", &why));
	assert_string_equal(why, "no table summery; there are: summary, ranks");
	assert_null(json_find_row(t, (json_keys){"size", "1", NULL}, &why));
	assert_string_equal(why,
	                    "summary has no column size; it has: variant, bytes, p50_us, ratio");
	assert_null(json_find_row(t, (json_keys){"variant", "threads", NULL}, &why));
	assert_string_equal(why, "2 rows of summary have variant=threads, and one was wanted");
	assert_null(json_find_row(t, (json_keys){"variant", "threads", "bytes", "1", NULL}, &why));
	assert_string_equal(why,
	                    "0 rows of summary have variant=threads bytes=1, and one was wanted");
	t = json_entries(report, "summary", (json_keys){"p50_us", "14", NULL});
	assert_null(json_find_at(t, "ratio.mid", &why));
	assert_string_equal(why, "ratio.mid: there is no mid");
}

TESTS(.begin = load, .end = unload);
