/* From records to figures: the summary's numbers, the report's words, the pictures. */
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../harness/report/script.h"
#include "../harness/report/report.h"
#include "../harness/report/gnuplot.h"
#include "../harness/analysis/summary.h"
#include "../harness/analysis/validity.h"
#include "../harness/analysis/words.h"
#include "json.h"
#include "test.h"

#define PLOTS "plot"

static char folder[] = "/tmp/launchgap-report-XXXXXX";

/* What a made-up run looks like. */
struct made {
	const char *backend, *single_skip, *threads_digest, *processes_digest;
	const char *title, *odd_name; /* of the variant "processes" */
	unsigned blocks, sizes, cores, faults, switches, wrong;
	bool no_data, no_limit, only_stream, all_failed;
	unsigned lose_block; /* processes has no trial in it; 0: none is lost */
};

static const struct made plain = {.backend = "nccl",
                                  .single_skip = "",
                                  .threads_digest = "00000000000000aa",
                                  .processes_digest = "00000000000000aa",
                                  .title = "alltoall by mode",
                                  .odd_name = "processes",
                                  .blocks = 6,
                                  .sizes = 3,
                                  .cores = 8};

static char *path_of(const char *name)
{
	static char path[2][256];
	static unsigned turn;
	turn = !turn;
	snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
	return path[turn];
}

static json_t *variant_json(const char *name, const char *role, const char *mode,
                            const char *backend, const char *skip)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:s}", "name", name,
	                 "role", role, "mode", mode, "layout",
	                 !strcmp(mode, "single")      ? "1x1x2"
	                 : !strcmp(mode, "processes") ? "2x1x1"
	                                              : "1x2x1",
	                 "backend", backend, "nccl", "", "path", "auto", "bind", "none", "env",
	                 "skip", skip);
}

static void write_line(FILE *out, json_t *line)
{
	assert_non_null(line);
	assert_int_equal(json_dumpf(line, out, JSON_COMPACT), 0);
	fputc('\n', out);
	json_decref(line);
}

static void write_environment(FILE *out, const struct made *m)
{
	json_t *variants = json_array();
	json_array_append_new(
	    variants, variant_json("single", "variant", "single", m->backend, m->single_skip));
	json_array_append_new(variants,
	                      variant_json("threads", "reference", "threads", m->backend, ""));
	json_array_append_new(
	    variants, variant_json(m->odd_name, "variant", "processes", m->backend, ""));
	json_array_append_new(
	    variants, variant_json("threads-again", "again", "threads", m->backend, ""));
	json_array_append_new(variants,
	                      variant_json("limit", "limit", "threads", m->backend, ""));
	json_t *env = json_pack(
	    "{s:i, s:s, s:s, s:s, s:s, s:[s,s], s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:i, s:i, "
	    "s:i, s:i, "
	    "s:i, s:o, s:{s:i, s:s, s:[{s:s}]}}",
	    "schema", 1, "kind", "environment", "experiment", "x", "title", m->title,
	    "question", "Is it slower?", "command", "launchgap", "it's $HOME", "created",
	    "2026-11-21T08:00:00Z", "launchgap", "abc", "backend", m->backend, "backend_why",
	    "", "ranks", 2, "seed", "ff", "reference", "threads", "blocks", 6, "warmup", 1,
	    "stretches", 3, "calls", 10, "isolated_calls", 5, "variants", variants, "machine",
	    "cores", (int)m->cores, "cpu", "A | CPU", "gpus", "name", "NVIDIA H200");
	write_line(out, env);
}

/* Stamps of two ranks: the rows take `ns`, one of them ten times that, by rank 1's end. */
static void set_stamps(json_t *line, unsigned rows, unsigned calls, unsigned slow, double ns)
{
	static const char *const fields[] = {"start_ns", "issued_ns", "idle_ns", "poll_ns"};
	for (unsigned f = 0; f < 4; f++) {
		json_t *ranks = json_array();
		for (unsigned r = 0; r < 2; r++) {
			json_t *list = json_array();
			for (unsigned i = 0; i < rows; i++) {
				json_int_t length =
				    (json_int_t)(ns * calls * (i == slow ? 10 : 1));
				json_int_t start = 100 + 8 * r,
				           end = 100 + (r ? length : length - 20);
				json_int_t stamps[] = {start, start + (end - start) / 4, end,
				                       30 + r};
				json_array_append_new(list, json_integer(stamps[f]));
			}
			json_array_append_new(ranks, list);
		}
		json_object_set_new(line, fields[f], ranks);
	}
}

static void write_cell(FILE *out, const struct made *m, const char *variant, const char *coll,
                       json_int_t bytes, bool isolated, unsigned block, double ns,
                       const char *digest)
{
	bool odd = !strcmp(variant, m->odd_name);
	json_t *line = json_pack(
	    "{s:i, s:s, s:s, s:s, s:i, s:s, s:I, s:I, s:s, s:s, s:i, s:b, s:s, s:i, s:i, s:i, "
	    "s:i, s:[i,i], s:[i,i], s:[i,i], s:[{s:s}]}",
	    "schema", 1, "kind", "cell", "experiment", "x", "variant", variant, "ranks", 2,
	    "collective", coll, "asked_bytes", bytes, "bytes", bytes, "dtype", "float32", "op",
	    "sum", "root", 0, "in_place", 0, "pace", isolated ? "isolated" : "stream", "block",
	    (int)block, "order", (int)(5 * block + strlen(variant) % 5), "calls",
	    isolated ? 1 : 10, "warmup", 1, "faults", 0, (int)m->faults, "switches",
	    (int)m->switches, 0, "first_ns", 1, 1, "facts", "library", "2.28.3");
	assert_non_null(line);
	json_object_set_new(line, "digest", m->no_data ? json_null() : json_string(digest));
	json_object_set_new(line, "wrong",
	                    m->no_data ? json_null() : json_integer(odd ? m->wrong : 0));
	json_object_set_new(line, "wrong_at", json_null());
	json_object_set_new(line, "error",
	                    m->all_failed ? json_string("rank 1: NCCL says: no") : json_null());
	if (!m->all_failed)
		set_stamps(line, isolated ? 5 : 3, isolated ? 1 : 10,
		           block % (isolated ? 5 : 3), ns);
	write_line(out, line);
}

/* threads takes 1000 ns × size ÷ 4 KiB × (1 + up to 5 %, no trend over blocks), single twice,
 * processes 1.25 times that. */
static void write_run(const struct made *m)
{
	static const unsigned wander[] = {0, 5, 1, 4, 3, 2};
	FILE *out = fopen(path_of("trials.jsonl"), "w");
	assert_non_null(out);
	write_environment(out, m);
	for (unsigned b = 0; b < m->blocks; b++)
		for (unsigned s = 0; s < m->sizes; s++)
			for (unsigned isolated = 0; isolated < (m->only_stream ? 1 : 2);
			     isolated++) {
				json_int_t bytes = 4096 << (2 * s);
				double ns =
				    1000.0 * (1 << (2 * s)) * (1 + wander[b % 6] / 100.0);
				if (!*m->single_skip)
					write_cell(out, m, "single", "alltoall", bytes,
					           isolated, b, 2 * ns, m->threads_digest);
				write_cell(out, m, "threads", "alltoall", bytes, isolated, b,
				           ns, m->threads_digest);
				if (!m->lose_block || b != m->lose_block)
					write_cell(out, m, m->odd_name, "alltoall", bytes,
					           isolated, b, 1.25 * ns, m->processes_digest);
				write_cell(out, m, "threads-again", "alltoall", bytes, isolated,
				           b, ns, m->threads_digest);
				if (!m->no_limit && !isolated)
					write_cell(out, m, "limit", "copy", bytes, false, b,
					           ns / 4, "00000000000000cc");
			}
	fclose(out);
}

struct loaded {
	struct record_run run;
	struct summary summary;
};

static void load(const struct made *m, struct loaded *out)
{
	struct status st = {""};
	bool torn;
	write_run(m);
	assert_int_equal(record_load(folder, &out->run, &torn, &st), 0);
	assert_int_equal(summary_make(&out->run, &out->summary, &st), 0);
}

static void unload(struct loaded *l)
{
	summary_free(&l->summary);
	record_free(&l->run);
}

static const struct summary_row *row_of(const struct summary *s, const char *variant,
                                        enum pace pace, size_t bytes)
{
	for (unsigned i = 0; i < s->nrows; i++)
		if (!strcmp(s->variants[s->rows[i].variant].name, variant) &&
		    s->rows[i].cell.pace == pace && s->rows[i].cell.bytes == bytes)
			return &s->rows[i];
	fail_msg("no row of %s", variant);
	return NULL;
}

static void near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-3 * fabs(wanted)))
		fail_msg("%g is not %g", value, wanted);
}

static char *read_file(const char *name)
{
	static char text[1 << 18];
	FILE *in = fopen(path_of(name), "r");
	if (!in)
		fail_msg("%s is missing", name);
	text[fread(text, 1, sizeof text - 1, in)] = 0;
	fclose(in);
	return text;
}

/* report.json; the last one is gone. */
static const json_t *report_json(void)
{
	static json_t *report;
	json_decref(report);
	report = json_report(path_of("report.json"));
	return report;
}

static void assert_says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("lacks \"%s\"", words);
}

static bool exists(const char *name)
{
	return access(path_of(name), F_OK) == 0;
}

TEST(rows_hold_medians)
{
	struct loaded l;
	load(&plain, &l);
	/* Median over blocks 0 to 5 % of medians over rows: the slow first row does not count.
	 */
	const struct summary_row *r = row_of(&l.summary, "threads", PACE_STREAM, 4096);
	near(r->time_us, 1.025);
	near(r->time_us_lo, 1.0125);
	near(r->time_us_hi, 1.0375);
	near(r->algbw_gbs, 4096 / 1025.0);
	near(r->busbw_gbs, 4096 / 1025.0 / 2);
	assert_true(isnan(r->p50_us) && isnan(r->p95_us.estimate));
	/* Rank 0 starts at once and ends 20 ns early, rank 1 starts 8 ns late: of 10 calls. */
	near(r->time_rank0_us, 1.025 - 0.002);
	near(r->time_max_us, 1.025 - 0.0008);
	near(r->time_min_us, 1.025 - 0.002);
	near(r->time_mean_us, 1.025 - 0.0014);
	near(r->skew_us, 0.008);
	near(r->resolution_us, 0.0305);
	assert_int_equal(r->ntrials, 6);
	/* Isolated: five calls, of which one took ten times as long. p95 is 80 % of the way to
	 * it. */
	r = row_of(&l.summary, "threads", PACE_ISOLATED, 16384);
	near(r->p50_us, 4.1);
	near(r->time_us, 4.1);
	near(r->p95_us.estimate, 4.1 * (1 + 0.8 * 9));
	/* Of 6 blocks from the least to the most: 0 to 5 % above 4 µs. */
	near(r->p95_us.lo, 4 * (1 + 0.8 * 9));
	near(r->p95_us.hi, 4.2 * (1 + 0.8 * 9));
	assert_true(isnan(r->p99_us.estimate)); /* of five calls there is none */
	near(r->launch_us, (4.1 - 0.008) / 4);
	assert_int_equal(l.summary.ngroups, 3);
	assert_int_equal(l.summary.nblocks, 6);
	assert_string_equal(l.summary.variants[0].library, "2.28.3");
	unload(&l);
}

TEST(ratios_say_below_one_for_slower)
{
	struct loaded l;
	load(&plain, &l);
	const struct summary_row *r = row_of(&l.summary, "single", PACE_STREAM, 65536);
	near(r->ratio.estimate, 0.5);
	near(r->ratio.lo, 0.5);
	near(r->ratio.hi, 0.5);
	r = row_of(&l.summary, "processes", PACE_ISOLATED, 65536);
	near(r->ratio.estimate, 0.8);
	near(row_of(&l.summary, "threads-again", PACE_STREAM, 4096)->ratio.estimate, 1);
	assert_true(isnan(row_of(&l.summary, "threads", PACE_STREAM, 4096)->ratio.estimate));
	assert_true(isnan(row_of(&l.summary, "limit", PACE_STREAM, 4096)->ratio.estimate));
	for (unsigned g = 0; g < l.summary.ngroups; g++) {
		if (l.summary.groups[g].limit)
			continue;
		near(l.summary.groups[g].gaps[0].estimate, 0.5);
		near(l.summary.groups[g].gaps[2].estimate, 0.8);
		assert_int_equal(l.summary.groups[g].gaps[2].blocks, 6);
	}
	assert_string_equal(l.summary.trouble, "");
	unload(&l);
}

TEST(only_blocks_of_both_are_paired)
{
	struct made m = plain;
	struct loaded l;
	m.lose_block = 3;
	load(&m, &l);
	const struct summary_row *r = row_of(&l.summary, "processes", PACE_STREAM, 4096);
	/* Paired by block the drift over blocks cancels out, and five have no interval. */
	near(r->ratio.estimate, 0.8);
	assert_int_equal(r->ratio.blocks, 5);
	assert_true(isnan(r->ratio.lo));
	assert_int_equal(row_of(&l.summary, "single", PACE_STREAM, 4096)->ratio.blocks, 6);
	assert_int_equal(l.summary.groups[0].gaps[2].blocks, 5);
	unload(&l);
}

TEST(one_block_is_no_aggregate)
{
	struct made m = plain;
	struct loaded l;
	m.blocks = 1;
	load(&m, &l);
	const struct summary_row *r = row_of(&l.summary, "threads", PACE_STREAM, 4096);
	near(r->time_us, 1);
	assert_true(isnan(r->time_us_lo) && isnan(r->time_us_hi));
	unload(&l);
}

TEST(no_data_has_no_bandwidth)
{
	struct made m = plain;
	struct loaded l;
	m.no_data = m.no_limit = true;
	load(&m, &l);
	const struct summary_row *r = row_of(&l.summary, "threads", PACE_STREAM, 4096);
	assert_true(isnan(r->busbw_gbs) && isnan(r->algbw_gbs));
	near(r->time_us, 1.025);
	assert_false(l.summary.carries_data);
	/* Where bandwidths stand else, there are times. */
	struct status st = {""};
	assert_int_equal(report_make(folder, "/nowhere", NULL, &st), 0);
	const json_t *table = json_table(report_json(), "summary");
	json_keys row = {"variant", "threads", "pace", "stream", "asked_bytes", "4096", NULL};
	json_assert_number(json_cell(table, row, "time_us"), "value", 1.025, 1e-6);
	json_assert_null(json_cell(table, row, "busbw"), "");
	assert_says(read_file("report.md"), "time per call, µs");
	unload(&l);
}

TEST(csv_is_tidy)
{
	struct made m = plain;
	struct status st = {""};
	struct loaded l;
	unsigned lines = 0, columns = 0;
	m.odd_name = "a \"b\", c";
	m.backend = "=HYPERLINK(1)";
	load(&m, &l);
	assert_int_equal(report_make(folder, "/nowhere", NULL, &st), 0);
	char *text = read_file("summary.csv");
	assert_says(text,
	            "variant,role,mode,layout,backend,library,ranks,collective,what,bytes,");
	assert_says(text,
	            "\n\"a \"\"b\"\", "
	            "c\",variant,processes,2x1x1,'=HYPERLINK(1),2.28.3,2,alltoall,alltoall,"
	            "4096,");
	assert_null(strstr(text, "nan"));
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, lines++) {
		unsigned fields = 1;
		bool quoted = false;
		for (char *p = line; p < end; p++) {
			quoted ^= *p == '"';
			fields += *p == ',' && !quoted;
		}
		columns = columns ? columns : fields;
		assert_int_equal(fields, columns);
	}
	assert_int_equal(columns, 48);
	assert_int_equal(lines, 1 + l.summary.nrows);
	assert_int_equal(l.summary.nrows, 4 * 2 * 3 + 3);
	unlink(path_of("summary.csv"));
	/* No room for it: the same as a full disk, but for the system's word. */
	struct rlimit was, none;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	none = (struct rlimit){.rlim_cur = 1, .rlim_max = was.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	int made = report_make(folder, "/nowhere", NULL, &st);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(made, -1);
	assert_says(st.text, "File too large");
	unlink(path_of("summary.csv"));
	unload(&l);
}

TEST(other_digests_are_not_compared)
{
	struct made m = plain;
	struct status st = {""};
	m.processes_digest = "00000000000000ab";
	write_run(&m);
	assert_int_equal(report_make(folder, PLOTS, NULL, &st), -1);
	assert_says(st.text, "nothing is compared");
	assert_says(st.text,
	            "processes (block 1) got the digest 00000000000000ab where threads");
	const json_t *report = report_json();
	json_assert_one_says(json_object_get(report, "answer"), "Nothing is compared: ");
	json_assert_one_says(json_object_get(report, "answer"),
	                     "processes (block 1) got the digest 00000000000000ab");
	assert_int_equal(json_array_size(json_object_get(report, "regimes")), 0);
	static const char *const none[] = {"advice", "gaps", "verdicts_small",
	                                   "verdicts_large"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (json_has_table(report, none[i]))
			fail_msg("there is a table %s", none[i]);
	assert_null(strstr(read_file("report.md"), "0.500"));
	assert_says(read_file("summary.csv"), ",0,0,0,0,1,1,");
	assert_false(exists("plots/nccl_alltoall_ratio.png"));
}

TEST(wrong_elements_are_not_compared)
{
	struct made m = plain;
	struct status st = {""};
	m.wrong = 3;
	write_run(&m);
	assert_int_equal(report_make(folder, PLOTS, NULL, &st), -1);
	assert_says(st.text, "processes (block 1) delivered 3 wrong elements");
}

TEST(warnings_say_what_to_do)
{
	static struct warnings w;
	static char all[sizeof w.text + WARNINGS_MOST];
	struct made m = plain;
	struct loaded l;
	m = (struct made){.backend = "host",
	                  .single_skip = "NCCL_LEGACY is not set",
	                  .threads_digest = "00000000000000aa",
	                  .processes_digest = "00000000000000aa",
	                  .title = "t",
	                  .odd_name = "processes",
	                  .blocks = 3,
	                  .sizes = 1,
	                  .cores = 1,
	                  .faults = 4,
	                  .switches = 7};
	load(&m, &l);
	validity_collect(&l.summary, true, &w);
	all[0] = 0;
	for (unsigned i = 0; i < w.count; i++) {
		strcat(all, w.text[i]);
		strcat(all, "\n");
	}
	assert_says(all, "last line of the record was cut off");
	assert_says(all, "3 of the 6 blocks");
	assert_says(all, "trials failed. To go on: launchgap resume ");
	assert_says(all, "Left out: single: NCCL_LEGACY is not set");
	assert_says(all, "more ranks than the 1 core");
	assert_says(all, "Page faults in timed calls: ");
	assert_says(all, "Involuntary context switches in timed calls: ");
	unload(&l);
	assert_says(all, "it is a bug of the backend");
	/* Of nccl it is the driver. */
	m = plain;
	m.faults = 4;
	load(&m, &l);
	validity_collect(&l.summary, false, &w);
	assert_int_equal(w.count, w.doubts + 1);
	assert_says(w.text[w.doubts], "the driver, which maps memory during calls");
	assert_null(strstr(w.text[w.doubts], "bug"));
	unload(&l);
	/* A quiet run has none. */
	load(&plain, &l);
	validity_collect(&l.summary, false, &w);
	assert_int_equal(w.count, w.doubts);
	unload(&l);
	/* On host, single has one core's bandwidth. */
	m = plain;
	m.backend = "host";
	load(&m, &l);
	validity_collect(&l.summary, false, &w);
	assert_int_equal(w.count, w.doubts + 1);
	assert_says(w.text[w.doubts], "one core's bandwidth at every size");
	unload(&l);
}

TEST(what_ended_the_run_is_said)
{
	static const char *const reasons[] = {"blocks", "precision", "budget"};
	struct made m = plain;
	struct status st = {""};
	m.blocks = 5; /* of 6 */
	for (size_t i = 0; i < 3; i++) {
		write_run(&m);
		FILE *out = fopen(path_of("trials.jsonl"), "a");
		write_line(out, json_pack("{s:i, s:s, s:s, s:s}", "schema", 1, "kind", "end",
		                          "reason", reasons[i], "text", "So it went"));
		fclose(out);
		assert_int_equal(report_make(folder, "/nowhere", NULL, &st), 0);
		const json_t *report = report_json(),
		             *warnings = json_object_get(report, "warnings");
		json_assert_one_says(json_section(report, "method"),
		                     "Why it ended: So it went.");
		/* Fewer than asked for is no fault where the run decided so itself. */
		assert_int_equal(json_one_says(warnings, "5 of the 6 blocks"), i == 0);
		assert_int_equal(json_one_says(warnings, "The time budget ended"), i == 2);
		json_keys row = {"pace", "stream", "variant", "processes", NULL};
		json_assert_text(json_cell(json_table(report, "gaps"), row, "verdict"), "",
		                 "undecided: needs about 1 more block");
		json_assert_number(json_cell(json_table(report, "gaps"), row, "blocks"), "", 5,
		                   0);
	}
}

TEST(a_run_without_times_says_why)
{
	struct made m = plain;
	struct status st = {""};
	m.all_failed = true;
	write_run(&m);
	assert_int_equal(report_make(folder, PLOTS, NULL, &st), -1);
	assert_says(st.text, "no cell was measured");
	json_assert_one_says(json_object_get(report_json(), "warnings"),
	                     "were not measured: rank 1: NCCL says: no");
}

static bool has_gnuplot(void)
{
	return access("/usr/bin/gnuplot", X_OK) == 0 ||
	       access("/usr/local/bin/gnuplot", X_OK) == 0;
}

/* That a picture is one: PNG's first bytes, its size in pixels, and more than an empty frame.
 */
static void assert_picture(const char *name)
{
	unsigned char head[24];
	struct stat about;
	FILE *in = fopen(path_of(name), "r");
	if (!in)
		fail_msg("%s was not drawn", name);
	assert_int_equal(fread(head, 1, sizeof head, in), sizeof head);
	fclose(in);
	assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
	assert_int_equal(head[18] << 8 | head[19], 900);
	assert_true((head[22] << 8 | head[23]) >= 200);
	assert_int_equal(stat(path_of(name), &about), 0);
	assert_true(about.st_size > 5000);
}

TEST(pictures_carry_the_backends_name)
{
	static const char *const names[] = {
	    "plots/nccl_alltoall_busbw.png", "plots/nccl_alltoall_latency.png",
	    "plots/nccl_alltoall_ratio.png", "plots/nccl_alltoall_ratio_isolated.png",
	    "plots/nccl_alltoall_launch.png"};
	struct status st = {""};
	if (!has_gnuplot())
		skip();
	write_run(&plain);
	assert_int_equal(report_make(folder, PLOTS, NULL, &st), 0);
	char *text = read_file("report.md");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_picture(names[i]);
		assert_says(text, names[i]);
	}
	assert_false(exists("plots/gnuplot.log"));
	assert_says(text, "backend nccl");
	assert_says(text, "launchgap 'it'\\''s $HOME'");
	const json_t *report = report_json();
	json_assert_number(json_cell(json_table(report, "verdicts_small"),
	                             (json_keys){"variant", "processes", NULL}, "speed"),
	                   "estimate", 0.8, 1e-3);
	const json_t *warnings = json_object_get(report, "warnings");
	assert_int_equal(json_array_size(warnings), 1);
	json_assert_one_says(warnings, "No line of the record has a checksum");
}

TEST(pictures_suit_what_was_measured)
{
	struct made m = plain;
	struct status st = {""};
	if (!has_gnuplot())
		skip();
	/* One size, nothing moved: bars of times, no bandwidth. */
	m.backend = "null";
	m.no_data = m.no_limit = true;
	m.sizes = 1;
	write_run(&m);
	assert_int_equal(report_make(folder, PLOTS, NULL, &st), 0);
	assert_picture("plots/null_alltoall_latency.png");
	assert_picture("plots/null_alltoall_launch.png");
	assert_false(exists("plots/null_alltoall_busbw.png"));
	/* Those of the last drawing are gone. */
	assert_false(exists("plots/nccl_alltoall_busbw.png"));
	assert_false(exists("plots/gnuplot.log"));
	/* One size with data, stream only, two blocks. */
	m = plain;
	m.sizes = 1;
	m.blocks = 2;
	m.only_stream = true;
	write_run(&m);
	assert_int_equal(report_make(folder, PLOTS, NULL, &st), 0);
	assert_picture("plots/nccl_alltoall_busbw.png");
	assert_picture("plots/nccl_alltoall_ratio.png");
	assert_picture("plots/nccl_alltoall_launch.png");
	assert_false(exists("plots/nccl_alltoall_latency.png"));
	assert_false(exists("plots/gnuplot.log"));
}

TEST(hostile_names_stay_text)
{
	struct made m = plain;
	struct status st = {""};
	if (!has_gnuplot())
		skip();
	m.odd_name = "a'`touch pwned`\\\"$(x), | ]]><b>";
	m.title = "it's \"%s\" `touch pwned` \\n @x {/=20 y} $(touch pwned)";
	m.backend = "../../e'vil";
	write_run(&m);
	assert_int_equal(report_make(folder, PLOTS, NULL, &st), 0);
	assert_false(exists("plots/gnuplot.log"));
	assert_picture("plots/------e-vil_alltoall_busbw.png");
	assert_int_not_equal(access("pwned", F_OK), 0);
	assert_null(strstr(read_file("report.md"), "<b>"));
	/* XML has "]]>" at the end of a CDATA section alone, in front of a tag. */
	const char *svg = read_file("plots/------e-vil_alltoall_busbw.svg");
	assert_says(svg, "]] >");
	while ((svg = strstr(svg, "]]>")))
		assert_int_equal(*(svg += 3), '<');
}

TEST(quoting_ends_where_it_must)
{
	char out[16];
	script_quote("it's\n", out, sizeof out);
	assert_string_equal(out, "\"it\\047s \"");
	script_quote("", out, sizeof out);
	assert_string_equal(out, "''");
	script_quote("]]>b]]>", out, sizeof out);
	assert_string_equal(out, "']] >b]] >'");
	/* Cut: still one string, and no half character or half number. */
	for (unsigned n = 4; n < 12; n++) {
		char cut[12];
		script_quote("\xC3\xA4\xC3\xB6"
		             "b\xE2\x82\xAC\xC3\xB7",
		             cut, n);
		assert_true(strlen(cut) < n);
		assert_true(cut[0] == '\'' && cut[strlen(cut) - 1] == '\'');
		/* Characters of two, two, one, three and two bytes: as many as fit whole. */
		assert_int_equal(strlen(cut), n < 5    ? 2
		                              : n < 7  ? 4
		                              : n < 8  ? 6
		                              : n < 11 ? 7
		                                       : 10);
		script_quote("a'b", cut, n);
		assert_string_equal(cut, n < 8   ? "\"a\""
		                         : n < 9 ? "\"a\\047\""
		                                 : "\"a\\047b\"");
	}
}

TEST(missing_plots_are_a_warning)
{
	struct status st = {""};
	write_run(&plain);
	assert_int_equal(report_make(folder, "/nowhere", NULL, &st), 0);
	assert_string_equal(st.text, "");
	if (has_gnuplot())
		json_assert_one_says(json_object_get(report_json(), "warnings"),
		                     "/nowhere holds no .gp file");
}

TEST(table_fits_a_terminal)
{
	struct made m = plain;
	struct status st = {""};
	struct report_options options = {.format = REPORT_TABLES};
	m.odd_name = "processes-with-a-rather-long-name-of-its-own";
	m.backend = "host";
	write_run(&m);
	fflush(stdout);
	int kept = dup(1);
	assert_non_null(freopen(path_of("stdout"), "w", stdout));
	int rc = report_make(folder, "/nowhere", &options, &st);
	fflush(stdout);
	dup2(kept, 1);
	close(kept);
	assert_int_equal(rc, 0);
	char *text = read_file("stdout");
	/* Whichever the width, the figures are there. */
	const json_t *report = report_json(), *peaks = json_table(report, "peaks"),
	             *gaps = json_table(report, "gaps");
	json_keys best = {"variant", "threads", NULL},
	          single = {"pace", "stream", "variant", "single", "verdict", "slower", NULL};
	json_assert_number(json_cell(peaks, best, "peak_gbs"), "", 2, 0.01);
	json_assert_number(json_cell(peaks, best, "of_limit"), "", 0.125, 1e-3);
	json_assert_number(json_cell(gaps, single, "speed"), "estimate", 0.5, 1e-6);
	json_assert_text(
	    json_cell(gaps,
	              (json_keys){"pace", "stream", "variant", "threads-again (A/A)", NULL},
	              "verdict"),
	    "", "no difference within 2 %");
	assert_says(text, "0.500 ±0.0%");
	assert_says(text, "/report.html (report.md, report.json beside it)\n");
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		unsigned width = 0;
		for (char *p = line; p < end; p++)
			width += ((unsigned char)*p & 0xC0) != 0x80;
		if (strncmp(line, "report ", 7))
			assert_true(width <= 80);
		assert_true(end == line || end[-1] != ' ');
	}
}

TEST(labels_are_short)
{
	char text[32];
	coll_size_label(4096, text, sizeof text);
	assert_string_equal(text, "4 KiB");
	coll_size_label(1000, text, sizeof text);
	assert_string_equal(text, "1000 B");
	coll_size_label((size_t)64 << 30, text, sizeof text);
	assert_string_equal(text, "64 GiB");
	coll_size_label(1536, text, sizeof text);
	assert_string_equal(text, "1.5 KiB");
	assert_string_equal(words_number(NAN).text, "-");
	assert_string_equal(words_number(0.0512).text, "0.051");
	/* A ratio has no way below 0. */
	const struct stats_ratio narrow = {.estimate = 0.9, .lo = 0.88, .hi = 0.99},
	                         even = {.estimate = 0.9, .lo = 0.81, .hi = 0.99},
	                         wide = {.estimate = 0.837, .lo = 0.3912, .hi = 1.83},
	                         wild = {.estimate = 3, .lo = 0.0213, .hi = 1234.5};
	assert_string_equal(words_ratio(&narrow, false).text, "0.900 −2.2/+10.0%");
	assert_string_equal(words_ratio(&even, false).text, "0.900 ±10.0%");
	assert_string_equal(words_ratio(&wide, false).text, "0.837 (0.39 to 1.8)");
	assert_string_equal(words_ratio(&wild, false).text, "3.000 (0.021 to 1234)");
	assert_string_equal(words_ratio(&wild, true).text, "3.000 (0.021 to 1234)");
	assert_string_equal(words_ratio(&wide, true).text, "0.837 (0.391 to 1.830)");
	/* No powers of ten, however wide the noise. */
	assert_string_equal(words_effect(0.0651).text, "6.5 %");
	assert_string_equal(words_effect(0.19).text, "19 %");
	assert_string_equal(words_effect(1.5).text, "a factor of 2.5");
	assert_string_equal(words_effect(307.3).text, "a factor of 310");
	assert_string_equal(words_effect(2.6e5).text, "a factor of 260000");
	assert_string_equal(words_percent(0.0749).text, "7.5");
	assert_string_equal(words_percent(0.997).text, "100");
	assert_string_equal(words_percent(114.3).text, "11000");
	assert_string_equal(words_number(99.97).text, "100");
	assert_string_equal(words_number(-145.12).text, "-145");
	/* In full, a number has the places of the estimate, or fewer where it is large itself.
	 */
	const struct stats_ratio far = {.estimate = 4.42, .lo = 0.7514, .hi = 234.852},
	                         low = {.estimate = 0.0003, .lo = 0.00004, .hi = 0.0072},
	                         deep = {.estimate = 163, .lo = 0.031, .hi = 1238},
	                         high = {.estimate = 68.02, .lo = 8.04, .hi = 577.04};
	assert_string_equal(words_ratio(&far, true).text, "4.420 (0.751 to 235)");
	assert_string_equal(words_ratio(&low, true).text, "0.00030 (0.00004 to 0.00720)");
	assert_string_equal(words_ratio(&deep, true).text, "163 (0.03 to 1238)");
	assert_string_equal(words_ratio(&high, true).text, "68.0 (8.0 to 577)");
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *ftw)
{
	(void)about, (void)type, (void)ftw;
	return remove(path);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TESTS(.begin = make_folder, .end = remove_folder);
