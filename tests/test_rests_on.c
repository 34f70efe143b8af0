/* The evidence for answers: paths by the library's log, and counters, as a report has them. */
#include "made_claims.h"

/* 2 ranks: a rank's own part is as large as the part from the other. */
TEST(copies_have_a_model_of_their_own)
{
	copies = true;
	made.backend = "host";
	const json_t *report = made_report(&made), *table = json_table(report, "counters");
	static const struct {
		const char *variant;
		double copies, model; /* model 0: none */
	} rows[] = {{"nodirect", 3, 3}, {"threads-old", 2, 2}, {"processes-old", 2, 0}};
	for (unsigned i = 0; i < 3; i++) {
		json_keys row = {"cell", "alltoall 4 KiB", "variant", rows[i].variant, NULL};
		json_assert_number(json_cell(table, row, "copies"), "", rows[i].copies, 1e-9);
		if (rows[i].model)
			json_assert_number(json_cell(table, row, "copies_model"), "", rows[i].model,
			                   1e-9);
		else
			json_assert_null(json_cell(table, row, "copies_model"), "");
		json_assert_null(json_cell(table, row, "dram_per_nvlink"), "");
		json_assert_null(json_cell(table, row, "model"), "");
		json_assert_null(json_cell(table, row, "model_direct"), "");
	}
	json_says(report, "counters", "The model, in copies for each byte");
}

/* Of a variant without a log the model of both paths: 2 ÷ (n − 1) more on 2 ranks. */
TEST(what_no_log_says_and_no_counter_has)
{
	json_keys row = {"cell", "alltoall 256 KiB", "variant", "processes-old", NULL};
	made.logs = "{'nodirect':{},'threads-old':{'data_path':'direct'}}";
	const json_t *table = json_table(made_report(&made), "counters");
	json_assert_null(json_cell(table, row, "model"), "");
	json_assert_null(json_cell(table, row, "cached"), "");
	json_assert_number(json_cell(table, row, "model_direct"), "", 4, 1e-9);
	json_assert_number(json_cell(table, row, "model_staged"), "", 6, 1e-9);
	missing = "no NVLink counters on this GPU";
	json_says(made_report(&made), "counters",
	          "Missing counters: no NVLink counters on this GPU");
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
	made.logs = "{'nodirect':{},'threads-old':{'data_path':'direct'},'processes-old':{}}";
	const json_t *report = made_report(&made);
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(hint(report, i),
		                    "4 cells, 4 KiB to 256 KiB, 10 trials of each; "
		                    "processes-old staged, threads-old direct");
	assert_string_equal(hint(report, 4), "4 cells, 4 KiB to 256 KiB, 10 trials of each");
	assert_string_equal(hint(report, 5),
	                    "4 cells, 4 KiB to 256 KiB, 10 trials of each; both staged");
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
	made.logs = "{'threads-old':{'data_path':'unknown'},'processes-old':{}}";
	report = made_report(&made);
	for (unsigned i = 0; i < 4; i++)
		assert_string_equal(hint(report, i),
		                    "4 cells, 4 KiB to 256 KiB, 10 trials of each");
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
		struct record_run run;
		made.blocks = 1;
		made_write(&made);
		cli_replace(made_path("trials.jsonl"), bad[i][0], bad[i][1]);
		assert_refused(record_load(made_folder, &run, WHY), "trials.jsonl:");
	}
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
