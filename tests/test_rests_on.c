/* The evidence for answers: paths by the library's log, and counters, as a report has them. */
#include "asked.h"

TEST(the_evidence_has_paths)
{
	made.more = paths;
	const json_t *table = json_table(made_report(&made), "paths");
	/* The reference's twin takes its path. */
	json_keys twin = {"variant", "threads-old-again", NULL};
	json_assert_text(json_cell(table, twin, "why"), "", "as threads-old, whose twin it is");
	static const char *const ends[] = {"staged", "direct", ""};
	const char *at = made_read("summary.csv");
	assert_says(at, ",straggler_us,data_path\n");
	for (unsigned v = 0; v < 3; v++) {
		char *begin = test_text("\n%s,", variants[v].name);
		assert_says(at, begin);
		const char *end = strchr(strstr(at, begin) + 1, '\n');
		size_t n = strlen(ends[v]);
		assert_memory_equal(end - n, ends[v], n);
		assert_true(end[-(ptrdiff_t)n - 1] == ',');
	}
}

/* 2 ranks: a rank's own part is as large as the part from the other. */
TEST(copies_have_a_model_of_their_own)
{
	copies = true;
	made.backend = "host";
	const json_t *report = made_report(&made), *table = json_table(report, "counters");
	json_keys row = {"cell", "alltoall 4 KiB", "variant", "nodirect", NULL};
	json_assert_number(json_cell(table, row, "copies"), "", 3, 1e-9);
	json_assert_number(json_cell(table, row, "copies_model"), "", 3, 1e-9);
	json_assert_null(json_cell(table, row, "dram_per_nvlink"), "");
	json_assert_null(json_cell(table, row, "model"), "");
	json_assert_null(json_cell(table, row, "model_direct"), "");
	json_keys direct = {"cell", "alltoall 4 KiB", "variant", "threads-old", NULL};
	json_assert_number(json_cell(table, direct, "copies"), "", 2, 1e-9);
	json_assert_number(json_cell(table, direct, "copies_model"), "", 2, 1e-9);
	json_keys unknown = {"cell", "alltoall 4 KiB", "variant", "processes-old", NULL};
	json_assert_number(json_cell(table, unknown, "copies"), "", 2, 1e-9);
	json_assert_null(json_cell(table, unknown, "copies_model"), "");
	json_assert_one_says(json_section(report, "counters"),
	                     "The model, in copies for each byte");
}

/* The entry of a variant in the table of paths; NULL: none. */
static void path_is(const json_t *report, const char *variant, const char *const cells[4])
{
	static const char *const columns[] = {"transport", "unexpected", "data_path", "registered"};
	for (unsigned i = 0; i < 4; i++) {
		const json_t *cell =
		    json_cell(json_table(report, "paths"), JSON_IS("variant", variant), columns[i]);
		if (cells[i])
			json_assert_text(cell, "", cells[i]);
		else
			json_assert_null(cell, "");
	}
}

/* In a model of 4, a reading of 4.01 ÷ 1.024 lacks a unit and no cache. */
TEST(a_unit_is_no_cache)
{
	dram_per_byte[0] = 5 / 1.024;
	dram_per_byte[1] = 4.01 / 1.024;
	without_unit = true;
	made.more = paths;
	const json_t *table = json_table(made_report(&made), "counters");
	json_keys staged = {"cell", "alltoall 256 KiB", "variant", "nodirect", NULL};
	json_keys direct = {"cell", "alltoall 256 KiB", "variant", "threads-old", NULL};
	json_assert_number(json_cell(table, staged, "nvlink_tx_gbs"), "", 105 / 1.024, 1e-4);
	json_assert_number(json_cell(table, staged, "cached"), "", 1, 1e-4);
	json_assert_number(json_cell(table, direct, "dram_per_nvlink"), "", 4.01, 1e-4);
	json_assert_null(json_cell(table, direct, "cached"), "");
}

TEST(the_report_has_the_evidence)
{
	static const char *const staged[] = {"P2P/CUMEM", "P2P+reg", "staged", "no: nobody asked"},
	                         *const direct[] = {"P2P/CUMEM", NULL, "direct",
	                                            "no: nobody asked"};
	static const struct {
		const char *variant;
		double nvlink, per_byte, model, cached, both; /* 2 ranks: 2 ÷ (n − 1) more */
	} rows[] = {{"nodirect", 105, 5, 6, 1, NAN},
	            {"threads-old", 105, 2, 4, 2, NAN},
	            {"processes-old", 105, 2, NAN, NAN, 4},
	            {"threads-old-again", 105, 2, 4, 2, NAN}};
	dram_per_byte[0] = 5;
	made.more = paths;
	const json_t *report = made_report(&made);
	path_is(report, "nodirect", staged);
	path_is(report, "threads-old", direct);
	path_is(report, "threads-old-again", direct);
	assert_int_equal(json_count(report, "paths"), 3);
	for (unsigned i = 0; i < 4; i++) {
		const json_t *table = json_table(report, "counters");
		json_keys row = {"cell", "alltoall 256 KiB", "variant", rows[i].variant, NULL};
		json_assert_number(json_cell(table, row, "nvlink_tx_gbs"), "", rows[i].nvlink,
		                   1e-9);
		json_assert_number(json_cell(table, row, "dram_per_nvlink"), "", rows[i].per_byte,
		                   1e-9);
		const struct {
			const char *key;
			double x;
		} parts[] = {{"model", rows[i].model},
		             {"cached", rows[i].cached},
		             {"model_direct", rows[i].both},
		             {"model_staged", rows[i].both + 2}};
		for (unsigned k = 0; k < 4; k++)
			if (isnan(parts[k].x))
				json_assert_null(json_cell(table, row, parts[k].key), "");
			else
				json_assert_number(json_cell(table, row, parts[k].key), "",
				                   parts[k].x, 1e-9);
	}
	/* A path alone, and nothing at all. */
	made.counters = false;
	report = made_report(&made);
	path_is(report, "nodirect", staged);
	assert_false(json_has_table(report, "counters"));
	assert_null(json_section(report, "counters"));
	made.more = NULL;
	report = made_report(&made);
	assert_false(json_has_table(report, "paths"));
	assert_null(json_section(report, "paths"));
	made.counters = true;
	missing = "no NVLink counters on this GPU";
	json_assert_one_says(json_section(made_report(&made), "counters"),
	                     "Missing counters: no NVLink counters on this GPU");
}

/* "nodirect" took another path than it expects. */
TEST(what_rests_on_another_path_is_marked)
{
	made.more = paths;
	factor("zero-copy", "nodirect", "threads-old");
	factor("mode", "processes-old", "threads-old");
	strcpy(claim(METRIC_BUSBW, CLAIM_WITHIN, 0.02)->left, "nodirect");
	claim(METRIC_BUSBW, CLAIM_WITHIN, 0.02);
	const json_t *report = made_report(&made);
	json_assert_text(effect(report, "zero-copy", "verdict"), "",
	                 "no difference within 2 %; NOT on the expected path");
	json_assert_text(effect(report, "mode", "verdict"), "", "no difference within 2 %");
	json_assert_text(
	    json_claim(report, "c1"), "rests_on",
	    "4 cells, 4 KiB to 256 KiB, 10 trials of each; nodirect staged, threads-old "
	    "direct; NOT on the expected path");
	json_assert_text(json_claim(report, "c2"), "verdict", "holds");
	json_assert_text(json_claim(report, "c2"), "rests_on",
	                 "4 cells, 4 KiB to 256 KiB, 10 trials of each");
	json_assert_one_says(json_object_get(report, "warnings"),
	                     "advice, claim c1, factor zero-copy. ");
}

static void both_paths(FILE *out)
{
	path_line(out, "nodirect", "staged", false);
	path_line(out, "threads-old", "direct", true);
	path_line(out, "processes-old", "staged", true);
}

static void no_paths(FILE *out)
{
	path_line(out, "threads-old", "unknown", true);
	path_line(out, "processes-old", "staged", true);
}

static const char *hint(const json_t *report, unsigned nth)
{
	return json_string_value(
	    json_at(json_claim(report, test_text("c%u", nth + 1)), "rests_on"));
}

/* A reader sees by it why a claim about what data does holds or not. */
TEST(a_hint_has_the_ways_of_data)
{
	static const enum metric by_way[] = {METRIC_BUSBW, METRIC_NVLINK_TX, METRIC_DRAM,
	                                     METRIC_DRAM_PER_NVLINK};
	for (unsigned i = 0; i < 4; i++)
		claim(by_way[i], CLAIM_WITHIN, 0.02);
	claim(METRIC_LATENCY, CLAIM_WITHIN, 0.02);
	strcpy(claim(METRIC_BUSBW, CLAIM_LESS, 0.02)->right, "nodirect");
	strcpy(claim(METRIC_BUSBW, CLAIM_WITHIN, 0.02)->left, "threads-old-again");
	strcpy(claim(METRIC_BUSBW, CLAIM_LESS, 0.02)->right, "nobody");
	made.more = both_paths;
	const json_t *report = made_report(&made);
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(hint(report, i),
		                    "4 cells, 4 KiB to 256 KiB, 10 trials of each; "
		                    "processes-old staged, threads-old direct");
	assert_string_equal(hint(report, 4), "4 cells, 4 KiB to 256 KiB, 10 trials of each");
	assert_string_equal(hint(report, 5),
	                    "4 cells, 4 KiB to 256 KiB, 10 trials of each; both staged; NOT on "
	                    "the expected path");
	/* The twin takes the reference's path. */
	assert_string_equal(hint(report, 6),
	                    "4 cells, 4 KiB to 256 KiB, 10 trials of each; both direct");
	assert_string_equal(hint(report, 7), "nobody is not in this record");
	json_assert_text(json_claim(report, "c7"), "rests_on",
	                 "4 cells, 4 KiB to 256 KiB, 10 trials of each; both direct");
	json_assert_text(
	    json_cell(json_table(report, "claims"), JSON_IS("claim", "c1"), "rests_on"), "",
	    "4 cells, 4 KiB to 256 KiB, 10 trials of each; processes-old staged, "
	    "threads-old direct");
	/* Half of it explains nothing. */
	made.more = no_paths;
	report = made_report(&made);
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(hint(report, i),
		                    "4 cells, 4 KiB to 256 KiB, 10 trials of each");
}

static void mixed_paths(FILE *out)
{
	json_t *links = json_array();
	for (int from = 0; from < 2; from++)
		json_array_append_new(
		    links, json_pack("{s:i, s:i, s:s, s:i}", "from", from, "to", 1 - from, "via",
		                     from ? "SHM/direct/direct" : "P2P/CUMEM", "channels", 2));
	made_line(out,
	          json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:s, s:b, s:{s:s, s:o, s:b, "
	                    "s:s, s:b, s:s, s:s}}",
	                    "schema", 1, "kind", "path", "experiment", "x", "variant", "nodirect",
	                    "block", 0, "order", 99, "expect", "", "as_expected", 1, "path",
	                    "transport", "mixed", "links", links, "registered", 0, "registered_why",
	                    "", "copy_engine", 0, "data_path", "staged", "why", "SHM stages"));
}

TEST(mixed_transports_are_told_by_pairs)
{
	made.more = mixed_paths;
	json_assert_one_says(json_section(made_report(&made), "paths"),
	                     "Mixed transport of nodirect: P2P/CUMEM 0→1; SHM/direct 1→0");
	made.more = paths;
	assert_false(json_one_says(json_section(made_report(&made), "paths"), "Mixed"));
}

TEST(what_is_received_has_a_column)
{
	const json_t *table = json_table(made_report(&made), "counters");
	json_keys row = {"cell", "alltoall 4 KiB", "variant", "nodirect", NULL};
	json_assert_number(json_cell(table, row, "nvlink_tx_gbs"), "", 105, 1e-9);
	json_assert_number(json_cell(table, row, "nvlink_rx_gbs"), "", 55, 1e-9);
	json_assert_number(json_cell(table, row, "dram_gbs"), "", 210, 1e-9);
	json_assert_number(json_cell(table, row, "of_limit"), "", 26662.2, 0.1);
}

TEST(medians_say_over_how_many_blocks)
{
	json_keys processes = {"cell", "alltoall 4 KiB", "variant", "processes-old", NULL},
	          threads = {"cell", "alltoall 4 KiB", "variant", "threads-old", NULL};
	const json_t *table = json_table(made_report(&made), "counters");
	json_assert_number(json_cell(table, processes, "blocks"), "", 10, 0);
	lacks_block = 3;
	table = json_table(made_report(&made), "counters");
	json_assert_number(json_cell(table, processes, "blocks"), "", 9, 0);
	json_assert_number(json_cell(table, threads, "blocks"), "", 10, 0);
}

TEST(damaged_counters_are_refused)
{
	static const char *const bad[][2] = {
	    {"\"issue_cpu_ns\":[90000,45000]", "\"issue_cpu_ns\":[90000]      "},
	    {"\"issue_cpu_ns\":[90000,45000]", "\"issue_cpu_ns\":[90000,\"x\"]  "},
	    {"\"missing\":\"\"", "\"missing\":17"},
	    {"\"dram_limit_gbs\":4800", "\"dram_limit_gbs\":\"no\""},
	};
	for (size_t i = 0; i < LENGTH(bad); i++) {
		struct status st = {""};
		struct record_run run;
		made.blocks = 1;
		made_write(&made);
		cli_replace(made_path("trials.jsonl"), bad[i][0], bad[i][1]);
		assert_int_equal(record_load(made_folder, &run, &st), -1);
		assert_says(st.text, "trials.jsonl:");
	}
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
