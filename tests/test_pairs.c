/* Pairs of ranks, from a record on recorded topologies to the report: classes, slow pairs,
 * short links, hot spots. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../harness/coll/coll.h"
#include "../harness/report/report.h"
#include "cli.h"
#include "json.h"
#include "test.h"

#define BLOCKS 6
#define BYTES  67108864

static char folder[] = "/tmp/launchgap-pairs-XXXXXX";

/* How long a call takes, and one of all at once until a rank's end. */
struct world {
	const char *topology;
	unsigned ranks;
	double (*alone_gbs)(unsigned from, unsigned to);
	double (*all_gbs)(unsigned to); /* received of all others */
	double us;
	unsigned blocks;
};

static const char *file_of(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void put(FILE *out, json_t *line)
{
	assert_non_null(line);
	assert_int_equal(json_dumpf(line, out, JSON_COMPACT), 0);
	fputc('\n', out);
	json_decref(line);
}

static void put_environment(FILE *out, const struct world *w)
{
	char file[64];
	snprintf(file, sizeof file, "tests/topology/%s.json", w->topology);
	put(out, json_pack(
	             "{s:i, s:s, s:s, s:s, s:s, s:[s], s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:i, "
	             "s:i, s:i, s:i, s:i, s:o, s:[{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, "
	             "s:[], s:s}], s:{s:i, s:s}}",
	             "schema", 1, "kind", "environment", "experiment", "topology", "title",
	             "pairs", "question", "Which?", "command", "launchgap", "created",
	             "2026-11-21T08:00:00Z", "launchgap", "abc", "backend", "nccl",
	             "backend_why", "", "ranks", (int)w->ranks, "seed", "ff", "reference",
	             "threads", "blocks", BLOCKS, "warmup", 5, "stretches", 3, "calls", 1,
	             "isolated_calls", 3, "topology", json_load_file(file, 0, NULL), "variants",
	             "name", "threads", "role", "reference", "mode", "threads", "layout",
	             "1x8x1", "backend", "nccl", "nccl", "", "path", "auto", "bind", "none",
	             "env", "skip", "", "machine", "cores", 64, "cpu", "a CPU"));
}

/* end_ns of each rank. */
static void put_cell(FILE *out, const struct world *w, enum coll_kind coll, unsigned root,
                     bool isolated, unsigned block, const double *end_ns)
{
	static const char *const fields[] = {"start_ns", "issued_ns", "idle_ns", "poll_ns"};
	char file[64], key[32];
	snprintf(file, sizeof file, "tests/topology/%s.json", w->topology);
	json_t *topology = json_load_file(file, 0, NULL), *facts = json_object();
	json_int_t bytes = isolated ? 1024 : BYTES;
	for (unsigned r = 0; r < w->ranks; r++) {
		const json_t *gpu = json_array_get(json_object_get(topology, "gpus"), r);
		snprintf(key, sizeof key, "device_%u", r);
		json_object_set_new(
		    facts, key,
		    json_sprintf("%s at %s", json_string_value(json_object_get(gpu, "name")),
		                 json_string_value(json_object_get(gpu, "pci"))));
	}
	json_decref(topology);
	json_t *line = json_pack(
	    "{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:I, s:I, s:s, s:s, s:i, s:b, s:s, "
	    "s:i, s:i, s:i, s:i, s:s, s:i, s:n, s:n, s:[o]}",
	    "schema", 1, "kind", "cell", "experiment", "topology", "variant", "threads", "mode",
	    "threads", "layout", "1x8x1", "backend", "nccl", "ranks", (int)w->ranks,
	    "collective", coll_info(coll)->name, "asked_bytes", bytes, "bytes", bytes, "dtype",
	    "float32", "op", "none", "root", (int)root, "in_place", 0, "pace",
	    isolated ? "isolated" : "stream", "block", (int)block, "order", (int)block, "calls",
	    1, "warmup", 5, "digest", "00000000000000aa", "wrong", 0, "wrong_at", "error",
	    "facts", facts);
	assert_non_null(line);
	for (unsigned f = 0; f < 3; f++) {
		static const char *const lists[] = {"faults", "switches", "first_ns"};
		json_t *list = json_array();
		for (unsigned r = 0; r < w->ranks; r++)
			json_array_append_new(list, json_integer(0));
		json_object_set_new(line, lists[f], list);
	}
	for (unsigned f = 0; f < 4; f++) {
		json_t *ranks = json_array();
		for (unsigned r = 0; r < w->ranks; r++) {
			json_t *list = json_array();
			for (unsigned row = 0; row < 3; row++) {
				json_int_t start = 1 + 1000000000LL * row,
				           end = start +
				                 (json_int_t)(end_ns[r] * (1 + 0.002 * block));
				json_int_t x[] = {start, start + 10, end, 20};
				json_array_append_new(list, json_integer(x[f]));
			}
			json_array_append_new(ranks, list);
		}
		json_object_set_new(line, fields[f], ranks);
	}
	put(out, line);
}

static void put_pairs(FILE *out, const struct world *w, unsigned block)
{
	double ends[8];
	for (unsigned i = 0; i < coll_pairs(COLL_PAIR, w->ranks); i++) {
		unsigned root = coll_pair(COLL_PAIR, i, w->ranks), from = value_pair_from(root),
		         to = value_pair_to(root, w->ranks);
		for (unsigned isolated = 0; isolated < 2; isolated++) {
			for (unsigned r = 0; r < w->ranks; r++)
				ends[r] = 20;
			ends[to] = isolated ? 1e3 * w->us : BYTES / w->alone_gbs(from, to);
			put_cell(out, w, COLL_PAIR, root, isolated, block, ends);
		}
	}
	for (unsigned r = 0; r < w->ranks; r++)
		ends[r] = (double)BYTES / w->ranks * (w->ranks - 1) / w->all_gbs(r);
	put_cell(out, w, COLL_ALLTOALL, 0, false, block, ends);
}

/* There and back takes twice as long. */
static void put_pingpong(FILE *out, const struct world *w, unsigned block)
{
	for (unsigned i = 0; i < coll_pairs(COLL_PINGPONG, w->ranks); i++) {
		unsigned root = coll_pair(COLL_PINGPONG, i, w->ranks),
		         first = value_pair_from(root), second = value_pair_to(root, w->ranks);
		for (unsigned isolated = 0; isolated < 2; isolated++) {
			double ends[8],
			    us = isolated ? w->us : BYTES / w->alone_gbs(first, second) / 1e3;
			for (unsigned r = 0; r < w->ranks; r++)
				ends[r] = r == first ? 2e3 * us : r == second ? 1e3 * us : 20;
			put_cell(out, w, COLL_PINGPONG, root, isolated, block, ends);
		}
	}
}

static json_t *report_of(const struct world *w,
                         void (*cells)(FILE *, const struct world *, unsigned))
{
	struct status st = {""};
	FILE *out = fopen(file_of("trials.jsonl"), "w");
	assert_non_null(out);
	put_environment(out, w);
	for (unsigned b = 0; b < w->blocks; b++)
		cells(out, w, b);
	put(out,
	    json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:s, s:b, s:{s:s, s:[{s:i, s:i, s:s, "
	              "s:i}], s:b, s:s, s:b, s:s, s:s}}",
	              "schema", 1, "kind", "path", "experiment", "topology", "variant",
	              "threads", "block", 0, "order", 9, "expect", "", "as_expected", 1, "path",
	              "transport", "P2P/CUMEM", "links", "from", 0, "to", 1, "via", "P2P/CUMEM",
	              "channels", 16, "registered", 0, "registered_why", "", "copy_engine", 0,
	              "data_path", "staged", "why", ""));
	fclose(out);
	if (report_make(folder, "plot", NULL, &st))
		fail_msg("%s", st.text);
	return json_report(file_of("report.json"));
}

static double even(unsigned from, unsigned to)
{
	(void)from, (void)to;
	return 360;
}

static double one_is_slow(unsigned from, unsigned to)
{
	return from == 2 && to == 6 ? 200 : 360;
}

static bool page_says(const char *words)
{
	char *page = cli_read(file_of("report.md"));
	const bool says = strstr(page, words);
	free(page);
	return says;
}

static double one_of_four(unsigned from, unsigned to)
{
	return from == 2 && to == 3 ? 50 : 360;
}

static double all_of_it(unsigned to)
{
	(void)to;
	return 355;
}

static double half_at_three(unsigned to)
{
	return to == 3 ? 150 : 355;
}

TEST(a_slow_pair_and_short_links_are_named)
{
	const struct world w = {"hgx8", 8, one_is_slow, all_of_it, 9, BLOCKS};
	json_t *report = report_of(&w, put_pairs);
	const json_t *pairs = json_table(report, "pairs");
	json_keys slow = {"from", "2", "to", "6", NULL}, fast = {"from", "6", "to", "2", NULL},
	          first = {"from", "0", "to", "1", NULL};
	assert_int_equal(json_rows(pairs, (json_keys){NULL}), 56);
	json_assert_number(json_cell(pairs, fast, "gbs"), "value", 360 / 1.005, 0.5);
	json_assert_number(json_cell(pairs, fast, "share"), "", 0.8 / 1.005, 0.002);
	json_assert_number(json_cell(pairs, fast, "p50_us"), "", 9 * 1.005, 0.01);
	json_assert_number(json_cell(pairs, fast, "all_gbs"), "", 355 / 7.0 / 1.005, 0.2);
	json_assert_null(json_cell(pairs, fast, "remark"), "");
	json_assert_says(json_cell(pairs, slow, "remark"), "", "where its class reaches 358");
	json_assert_says(json_cell(pairs, slow, "remark"), "", "on the way back");
	json_assert_says(json_cell(pairs, slow, "remark"), "", "below its class's range");
	json_assert_says(json_cell(pairs, first, "via"), "", "P2P/CUMEM, 16 channels");
	assert_int_equal(json_rows(pairs, (json_keys){"remark", "", NULL}), 55);
	const json_t *said = json_section(report, "pairs");
	json_assert_one_says(said, "Pair 2 to 6 (NVSwitch) is slow: 199 GB/s, where");
	json_assert_one_says(said, "2 of 18 NVLinks are down");
	assert_false(json_one_says(said, "all send to all"));
	assert_false(json_one_says(said, "share one link"));
	json_assert_text(json_cell(json_table(report, "link_matrix"),
	                           (json_keys){"rank", "5", "to", "0", NULL}, "brief"),
	                 "", "NVS ×16");
	json_assert_number(json_cell(json_table(report, "balance"),
	                             (json_keys){"rank", "5", NULL}, "sent_per_link"),
	                   "", BYTES / 8.0 * 7 / 16, 1);
	json_assert_one_says(json_object_get(report, "answer"), "NVSwitch, 56 pairs");
	json_assert_one_says(json_object_get(report, "answer"),
	                     "Pair 2 to 6 (NVSwitch) is slow");
	assert_int_equal(access(file_of("pairs.csv"), R_OK), 0);
	json_decref(report);
}

TEST(who_shares_is_a_hot_spot)
{
	const struct world switched = {"hgx8", 8, even, half_at_three, 9, BLOCKS},
	                   pcie = {"two_sockets", 4, even, all_of_it, 20, BLOCKS};
	json_t *report = report_of(&switched, put_pairs);
	assert_false(json_one_says(json_section(report, "pairs"), "is slow:"));
	json_assert_one_says(json_section(report, "pairs"),
	                     "rank 3 receives 149 GB/s (8 MiB from each). One way alone, its "
	                     "fastest pair brings 358 GB/s (64 MiB)");
	assert_false(page_says("share a link"));
	json_decref(report);
	report = report_of(&pcie, put_pairs);
	json_assert_one_says(json_section(report, "pairs"),
	                     "4 of 12 pairs share one link: bridge 0000:3a:00.0 upwards");
	json_assert_one_says(json_section(report, "pairs"), "PCIe ×8 of ×16");
	assert_int_equal(json_rows(json_table(report, "link_classes"), (json_keys){NULL}), 4);
	json_decref(report);
	/* Both are drawn at the switch of the first of them, which gnuplot counts as 1. */
	char *script = cli_read(file_of("plots/run.gp"));
	assert_non_null(strstr(script, "\nlink_ranks_bridge[1] = 1\n"));
	assert_non_null(strstr(script, "\nlink_ranks_bridge[2] = 1\n"));
	free(script);
}

static double seventy_percent(unsigned to)
{
	(void)to;
	return 250;
}

/* Each way has its own links: what is slower is not shown to share one. */
TEST(two_ranks_both_ways_at_once_share_nothing)
{
	const struct world w = {"hgx8", 2, even, seventy_percent, 9, BLOCKS};
	json_t *report = report_of(&w, put_pairs);
	const json_t *answer = json_object_get(report, "answer");
	json_assert_one_says(answer,
	                     "Both ways at once, rank 0 receives 249 GB/s (32 MiB); one "
	                     "way alone, 358 GB/s (64 MiB)");
	assert_false(page_says("pairs share a link"));
	json_decref(report);
}

TEST(one_block_calls_no_pair_slow_or_not)
{
	const struct world w = {"bridges4", 4, one_of_four, all_of_it, 9, 1},
	                   enough = {"bridges4", 4, even, all_of_it, 9, BLOCKS};
	json_t *report = report_of(&w, put_pairs);
	assert_false(page_says("No pair is slow"));
	json_assert_one_says(json_object_get(report, "answer"),
	                     "Too few blocks were measured to call a pair slow: alone, pairs "
	                     "reach 50.0 to 360 GB/s");
	json_decref(report);
	json_decref(report_of(&enough, put_pairs));
	assert_true(page_says("No pair is slow"));
	assert_false(page_says("to call a pair slow"));
}

TEST(bridged_pairs_are_a_class_of_their_own)
{
	const struct world w = {"bridges4", 4, even, all_of_it, 9, BLOCKS};
	json_t *report = report_of(&w, put_pairs);
	json_assert_number(json_cell(json_table(report, "link_classes"),
	                             (json_keys){"class", "NVLink", NULL}, "pairs"),
	                   "", 4, 0);
	json_assert_number(json_cell(json_table(report, "link_classes"),
	                             (json_keys){"class", "PCIe, same socket", NULL}, "pairs"),
	                   "", 8, 0);
	json_decref(report);
}

TEST(there_and_back_is_half_of_it_one_way)
{
	const struct world w = {"hgx8", 8, one_is_slow, all_of_it, 9, BLOCKS};
	json_t *report = report_of(&w, put_pingpong);
	const json_t *rows = json_table(report, "pingpong");
	json_keys slow = {"pair", "2–6 threads", NULL}, fast = {"pair", "6–7 threads", NULL};
	assert_int_equal(json_rows(rows, (json_keys){NULL}), 28); /* each pair once */
	json_assert_number(json_cell(rows, fast, "round_us"), "", 18 * 1.005, 0.02);
	json_assert_number(json_cell(rows, fast, "one_way_us"), "", 9 * 1.005, 0.01);
	json_assert_number(json_cell(rows, fast, "gbs"), "value", 360 / 1.005, 0.5);
	json_assert_number(json_cell(rows, slow, "gbs"), "value", 200 / 1.005, 0.5);
	const json_t *gbs = json_cell(rows, fast, "gbs");
	assert_true(json_number_value(json_at(gbs, "lo")) <
	            json_number_value(json_at(gbs, "value")));
	assert_true(json_number_value(json_at(gbs, "hi")) >
	            json_number_value(json_at(gbs, "value")));
	json_assert_number(json_cell(rows, fast, "share"), "", 0.8 / 1.005, 0.002);
	json_assert_one_says(json_object_get(report, "answer"),
	                     "Ping-pong, NVSwitch, 28 pairs");
	assert_int_equal(access(file_of("pingpong.csv"), R_OK), 0);
	json_decref(report);
}

/* Ranks that are not there would be looked up all the same. */
TEST(a_pair_of_other_ranks_is_no_record)
{
	static const unsigned roots[] = {8, 7 * VALUE_PAIR, 1023};
	const struct world w = {"hgx8", 8, even, all_of_it, 9, BLOCKS};
	for (unsigned i = 0; i < 6; i++) {
		const double ends[8] = {20, 20, 20, 20, 20, 20, 20, 20};
		struct status st = {""};
		FILE *out = fopen(file_of("trials.jsonl"), "w");
		assert_non_null(out);
		put_environment(out, &w);
		put_cell(out, &w, i % 2 ? COLL_PAIR : COLL_PINGPONG, roots[i / 2], true, 0,
		         ends);
		fclose(out);
		assert_int_equal(report_make(folder, "plot", NULL, &st), -1);
		assert_non_null(strstr(st.text, "which is no pair of 8 ranks"));
	}
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at)
{
	(void)about, (void)kind, (void)at;
	return remove(path);
}

static int remove_folder(void **state)
{
	(void)state;
	return getenv("KEEP") ? 0 : nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TESTS(.begin = make_folder, .end = remove_folder);
