/* The door for nccl-tests' users: its options, its columns, its JSON, and mpirun. */
#include "../harness/perf_options.h"
#include "here.h"

#define COLUMNS 13 /* of a line */

/* A program on backend host, into this test's folder. */
static struct cli perf(const char *program, const char *options)
{
	return here_shell("$LAUNCHGAP %s --results $HERE/results backend=host %s", program,
	                  options);
}

/* --- options ----------------------------------------------------------------------------- */

/* What it runs, or says. */
static const struct {
	const char *arguments, *said[4];
} taken[] = {
    {"-t 2", {"layout=1x2x1 ranks=2", "bytes=33554432 "}},
    {"--nthreads=2 --ngpus 2", {"layout=1x2x2 ranks=4"}},
    {"-g2 -b8 -e 128M -f 2", {"layout=1x1x2", "'bytes=8..134217728 x2'"}},
    {"-t 2 -b 1K -e 4k", {"'bytes=1024..4096 +1048576'"}},
    {"-t 2 -b 0 -e 3M -i 1M",
     {"# -b 0: a size of 0 has no line", "'bytes=1048576..3145728 +1048576'"}},
    {"-t 2 -b 1.5K -e 1536", {"bytes=1536 "}},
    {"-t 2 -n 7", {" calls=7 "}},
    {"-t 2 -n 7 -m 3", {" calls=21 ", " aggregate=3"}},
    {"-t 2 -w 4 -N 3", {" warmup=4", " cycles=3"}},
    {"-t 2 -a 3", {" --average 3"}},
    {"-t 2", {" --average 1"}},
    {"-t 2 -C 1", {" --average launch"}},
    {"-t 2 -p 1", {" init=parallel"}},
    {"-t 2 -c 0", {"# -c 0: every byte is checked"}},
    {"-t 2 -o mulsum -d half", {" dtype=float16 ", " op=premulsum "}},
    {"-t 2 -o all -d all", {" dtype=all ", " op=all "}},
    {"-t 2 -d fp8_e4m3", {" dtype=float8_e4m3 "}},
    {"-t 2 -r 1", {"# -r 1: all_reduce has no root"}},
    {"-t 2 -z 1 -n 9", {" pace=isolated ", " isolated_calls=9 "}},
    {"-t 2 -z 3", {" pace=isolated "}},
    {"-t 2 -y 1", {"# -y 1: its own streams"}},
    {"-t 2 -T 30", {" cell_timeout=30s "}},
    {"-t 2 -G 2", {"# -G 2: graph = 2 has no meaning on backend host"}},
    {"-t 2 -S 1", {"# -S 1: no timestamps"}},
    {"-t 2 -J a.json", {" --json a.json"}},
    {"-t 2 -R 1", {"# -R 1: register = local has no meaning on backend host"}},
    {"-t 2 -x 1", {"# -x 1: cta_policy = efficiency has no meaning on backend host"}},
    {"-t 2 -D 0 -V 8", {"# -V 8: thread blocks of -D"}},
    {"-t 2 -M 1", {"# -M 1: memory is in the report"}},
    {"-t 2 -u 3 -d double", {" offset=24 "}},
    {"-t 2 -I 1 -n 9", {"'pace=stream, isolated'", " isolated_calls=9 "}},
    {"-t 2 -K 1", {"# -K 1: none is skipped"}},
    {"-t 2 calls=3 -n 9", {" calls=3"}},
    {"-g 2 mode=processes", {" ranks=2 ", " mode=processes", "2x1x1 processes on host"}},
    {"-t 1", {"1 rank on host", "# one rank sends nothing, and its busbw is 0"}},
    {"-t 2 -n 0", {"# -n 0: data is checked", " calls=1 "}},
    {"--help", {"-b, --minbytes SIZE", "NCCL_TESTS_SPLIT"}},
};

static const struct {
	const char *arguments, *said;
} refused[] = {
    {"-b 4K -e 1K", "-b 4K is more than -e 1K"},
    {"-b x", "-b x is no size; allowed are numbers with K, M or G"},
    {"-b -1", "-b -1 is no size"},
    {"-b 0 -e 1K -f 2", "-b 0 never grows by a factor"},
    {"-t 0", "-t 0: allowed are 1 to "},
    {"-n many", "-n many: allowed are 0 to 100000"},
    {"-z 2", "-z 2 lets ranks drift apart"},
    {"-N 0", "-N 0: allowed are 1 to "},
    {"-R 3", "-R 3: allowed are 0 to 2"},
    {"-u 1 -d all", "-u counts elements, so that it needs one datatype"},
    {"-d quad", "-d quad is not known; allowed are int8, uint8"},
    {"-d fp16", "-d fp16 is not known (did you mean 'half'?)"},
    {"-d bf16", "-d bf16 is not known (did you mean 'bfloat16'?)"},
    {"-o SUM", "-o SUM is not known (did you mean 'sum'?); allowed are sum, prod"},
    {"-b 10G -e 20G", "-b 10G -e 20G with -i 1M (the default) are 10241 sizes; allowed are 256: "},
    {"-q", "'-q' is no option of nccl-tests"},
    {"-qt 2", "'-q' is no option of nccl-tests"},
    {"--help=1", "'--help=1' is no option of nccl-tests"},
    {"-b 8 --minbytes", "'--minbytes' needs a value"},
    {"--results", "'--results' needs a value"},
    {"-b 0 -e 512K", "-b 0 -e 512K: a size of 0 has no line, and no other one is left"},
    {"-b", "'-b' needs a value"},
    {"8 128M", "'8' is no option of nccl-tests; allowed are those and key=value"},
};

/* Each option is mapped on a key or answered by a sentence, on a dry run. */
TEST(every_option_is_taken)
{
	const struct perf_option *o;
	for (size_t i = 0; i < LENGTH(taken); i++) {
		struct cli cli =
		    perf("all_reduce_perf", test_text("%s --dry-run", taken[i].arguments));
		for (unsigned k = 0; k < 4 && taken[i].said[k]; k++)
			assert_says(cli.out, taken[i].said[k]);
		assert_int_equal(cli.code, 0);
	}
	for (size_t i = 0; (o = perf_option_at(i)); i++) {
		const char letter[] = {'-', o->letter, '\0'};
		bool tried = o->letter < ' ' || o->letter == 'h';
		for (size_t k = 0; k < LENGTH(taken); k++)
			tried = tried || strstr(taken[k].arguments, letter);
		if (!tried)
			fail_msg("no case tries %s", letter);
	}
}

TEST(what_it_does_not_take_has_a_sentence)
{
	for (size_t i = 0; i < LENGTH(refused); i++)
		cli_expect(perf("all_reduce_perf", refused[i].arguments), 1, refused[i].said);
	/* What needs the device's kernels is done. */
	cli_expect(perf("alltoall_perf", "-t 2 -R 2 -D 1 --dry-run"), 0, "device");
}

TEST(its_variables_are_read_or_answered)
{
	cli_expect(here_shell("NCCL_TESTS_SPLIT=%%2 NCCL_TESTS_DEVICE=1 NCCL_TESTS_MIN_BW=9 "
	                      "$LAUNCHGAP all_reduce_perf -t 4 backend=host --dry-run"),
	           0, "split=%2", "NCCL_TESTS_DEVICE is not read: CUDA_VISIBLE_DEVICES says",
	           "NCCL_TESTS_MIN_BW is not read");
	cli_expect(here_shell("NCCL_TESTS_SPLIT_MASK=0x1 $LAUNCHGAP all_reduce_perf -t 4 "
	                      "backend=host --dry-run"),
	           0, "split=AND:1");
	cli_expect(here_shell("NCCL_TESTS_ALLTOALLV_SPREAD=0 $LAUNCHGAP alltoallv_perf -t 4 "
	                      "backend=host --dry-run"),
	           0, "counts=even");
}

/* --- columns ----------------------------------------------------------------------------- */

/* As awk 'NF == fields && $1 ~ /^[0-9]+$/' does. Returns how many lines, and has the fields of the
 * last one. */
static unsigned lines_of(const char *out, unsigned fields, char last[24][32])
{
	char *text = strdup(out), *rest = text, *line;
	unsigned n = 0;
	while ((line = strsep(&rest, "\n"))) {
		char *field[24];
		unsigned k = 0;
		for (char *f = strtok(line, " "); f && k < 24; f = strtok(NULL, " "))
			field[k++] = f;
		if (k != fields || field[0][strspn(field[0], "0123456789")])
			continue;
		for (k = 0; k < fields; k++)
			snprintf(last[k], 32, "%s", field[k]);
		n++;
	}
	free(text);
	return n;
}

TEST(each_program_prints_its_columns)
{
	static const struct {
		const char *program, *type, *redop, *root, *wrong;
	} rows[] = {
	    {"all_reduce_perf -o max -d half", "half", "max", "-1", "0"},
	    {"reduce_scatter_perf -o prod -d uint8", "uint8", "prod", "-1", "0"},
	    {"reduce_perf -r 1 -d double", "double", "sum", "1", "0"},
	    {"alltoall_perf", "float", "none", "-1", "N/A"},
	    {"sendrecv_perf", "float", "sum", "-1", "N/A"},
	    {"scatter_perf", "float", "none", "0", "0"},
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		char field[24][32];
		struct cli cli = perf(rows[i].program, "-t 2 -b 4K -e 16K -f 2 -n 2");
		assert_int_equal(lines_of(cli.out, COLUMNS, field), 3);
		assert_string_equal(field[2], rows[i].type);
		assert_string_equal(field[3], rows[i].redop);
		assert_string_equal(field[4], rows[i].root);
		assert_string_equal(field[8], "0");
		assert_string_equal(field[12], rows[i].wrong);
		cli_expect(cli, 0, "# backend host: ", "# Out of bounds values : 0 OK",
		           "# Avg bus bandwidth",
		           "# record: ", "# nThread 2 nGpus 1 minBytes 4096 ");
	}
}

TEST(a_link_of_a_programs_name_is_the_program)
{
	cli_expect(here_shell("ln -s $LAUNCHGAP $HERE/hypercube_perf; $HERE/hypercube_perf -g 2 "
	                      "-b 4K -e 4K -n 2 --results $HERE/results backend=host"),
	           0, "# Collective test starting: hypercube_perf", "# nThread 1 nGpus 2 ");
}

TEST(wrong_data_has_its_exit_status)
{
	cli_expect(perf("all_reduce_perf", "-t 2 -b 4K -e 4K -n 2 flip=1:8"), 1,
	           "# Out of bounds values : 2 FAILED", "wrong data in all_reduce");
}

/* The record is that of `run`, so that all else works on it. One job: neither twin nor limit. */
TEST(its_record_is_a_runs)
{
	cli_expect(perf("all_reduce_perf", "-t 2 -b 4K -e 4K -n 2"), 0, "");
	struct record_run run = cli_record(here_in("nccl_tests", "trials.jsonl"));
	assert_int_equal(run.nvariants, 1);
	assert_string_equal(run.variants[0].mode, "threads");
	cli_expect(here_shell("$LAUNCHGAP resume $HERE/results/nccl_tests/latest blocks=1"), 0,
	           "over 2 blocks");
}

/* --- JSON -------------------------------------------------------------------------------- */

static json_t *json_of(const char *name)
{
	json_error_t why;
	char *path = test_text("%s/%s", folder, name);
	json_t *json = json_load_file(path, 0, &why);
	if (!json)
		fail_msg("%s: %s", path, why.text);
	return test_keep(json);
}

static void keys_are(const json_t *object, const char *right)
{
	const char *key, *keys = "";
	json_t *value;
	json_object_foreach((json_t *)(size_t)object, key, value) keys =
	    test_text("%s%s ", keys, key);
	assert_begins(keys, right); /* ours follow */
}

/* What nccl-tests 2.19.6 writes, in its order (src/util.cu). Its steps need not meet the last
 * size. */
TEST(its_json_has_nccl_tests_keys)
{
	cli_expect(perf("all_reduce_perf", "-t 2 -b 4K -e 20K -f 2 -n 2 -w 3 -J $HERE/x.json"), 0,
	           "# Writing JSON output to ", " minBytes 4096 maxBytes 20480 step: 2(factor) ");
	json_t *json = json_of("x.json");
	const json_t *lines = json_object_get(json, "results"), *first = json_array_get(lines, 0),
	             *config = json_object_get(json, "config"),
	             *bounds = json_object_get(json, "out_of_bounds");
	keys_are(json, "version start_time args env nccl_version config results out_of_bounds "
	               "average_bus_bandwidth errors end_time ");
	keys_are(config,
	         "nthreads ngpus minimum_bytes maximum_bytes step_factor warmup_iters iterations "
	         "aggregated_iterations validation graph blocking_collectives per_iter_timing "
	         "per_iter_skip parallel_init devices ");
	keys_are(first, "size count type redop root out_of_place in_place actual_iterations "
	                "experiment_name ");
	keys_are(json_object_get(first, "in_place"), "time alg_bw bus_bw nwrong ");
	assert_int_equal(json_array_size(lines), 3);
	assert_int_equal(json_integer_value(json_object_get(config, "maximum_bytes")), 20480);
	assert_int_equal(json_integer_value(json_object_get(json, "version")), 3);
	assert_string_equal(json_string_value(json_object_get(first, "root")), "    -1");
	assert_int_equal(json_integer_value(json_object_get(first, "size")), 4096);
	assert_string_equal(json_string_value(json_object_get(bounds, "okay")), "true");
}

/* By the reader of nccl-tests' own files: against itself, and against the run's record. */
TEST(its_json_is_read_as_nccl_tests)
{
	cli_expect(perf("alltoall_perf", "-g 2 -b 4K -e 64K -f 4 -n 2 -a 2 -J $HERE/x.json"), 0,
	           "");
	cli_expect(here_shell("$LAUNCHGAP compare $HERE/x.json $HERE/x.json"), 0, "single",
	           "nccl-tests");
	cli_expect(here_shell("$LAUNCHGAP compare $HERE/results/nccl_tests/latest $HERE/x.json "
	                      "--variant launchgap --format json"),
	           0, "\"alltoall\"");
	cli_expect(here_shell("X=$HERE/results/nccl_tests/latest; $LAUNCHGAP compare $X $X "
	                      "--variant launchgap"),
	           2, "--variant names nccl-tests' files; both results are runs");
}

/* Nothing is written over: as nccl-tests, which numbers them. */
TEST(each_table_has_its_own_file)
{
	cli_expect(perf("all_reduce_perf", "-t 2 -b 4K -e 4K -n 2 -J $HERE/x.json"), 0, "/x.json");
	cli_expect(perf("alltoall_perf", "-t 2 -b 4K -e 4K -n 2 -J $HERE/x.json"), 0, "/x.json.0");
	cli_expect(perf("all_reduce_perf", "-t 2 -b 4K -e 4K -n 2 -J /nowhere/x.json"), 1,
	           "cannot write /nowhere/x.json: No such file");
}

/* Their quantiles are in the record. */
TEST(single_calls_are_measured_too)
{
	char field[24][32];
	struct cli cli = perf("all_reduce_perf", "-t 2 -b 4K -e 8K -f 2 -n 9 -I 1");
	assert_int_equal(lines_of(cli.out, COLUMNS, field), 2);
	cli_expect(cli, 0, "# -I 1: single calls are measured too");
	cli_expect(here_shell("grep ,isolated, $HERE/results/nccl_tests/latest/summary.csv"), 0,
	           ",4096,", ",8192,");
}

/* --- processes that somebody else started ------------------------------------------------ */

/* They are the ranks, and one of them prints. */
TEST(mpiruns_processes_are_the_ranks)
{
	char field[24][32];
	if (system("command -v mpirun >/dev/null"))
		skip();
	struct cli cli = here_shell("unset LAUNCHGAP_RENDEZVOUS; mpirun --allow-run-as-root "
	                            "--oversubscribe --bind-to none -np 2 $LAUNCHGAP "
	                            "all_reduce_perf -g 1 -b 4K -e 8K -f 2 -n 3 "
	                            "-J $HERE/x.json --results $HERE/results backend=host");
	assert_int_equal(lines_of(cli.out, COLUMNS, field), 2);
	assert_int_equal(text_count(cli.out, "# Collective test starting"), 1);
	assert_int_equal(text_count(cli.out, "# as: launchgap join"), 1);
	cli_expect(cli, 0, "2 agents joined on 1 host", " layout=2x1x1 ", "#  Rank  1 ");
	json_t *json = json_of("x.json");
	const json_t *devices = json_object_get(json_object_get(json, "config"), "devices");
	assert_int_equal(json_array_size(devices), 2);
	cli_expect(here_shell("mpirun --allow-run-as-root --oversubscribe -np 2 $LAUNCHGAP "
	                      "all_reduce_perf -z 2"),
	           CLI_FAILS, "-z 2 lets ranks drift apart");
}

/* A launcher that binds one process to fewer CPUs than its threads need, in its own words. */
TEST(cpus_that_a_launcher_took_away_are_named)
{
	cli_expect(here_shell("SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1 taskset -c 0 "
	                      "$LAUNCHGAP all_reduce_perf -t 2 backend=host --dry-run"),
	           0, "Slurm has bound this process to 1 of", "with srun --cpu-bind=none");
	cli_expect(here_shell("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 taskset -c 0 "
	                      "$LAUNCHGAP all_reduce_perf -t 2 backend=host --dry-run"),
	           0, "Open MPI has bound this process to 1 of", "with --bind-to none");
}

/* Two that are bound to a core each have two, whichever process starts the workers. */
TEST(cpus_of_all_started_processes_count)
{
	if (system("taskset -c 0 true 2>/dev/null && taskset -c 1 true 2>/dev/null"))
		skip();
	struct cli cli = here_shell(
	    "unset LAUNCHGAP_RENDEZVOUS; export SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_NTASKS=2 "
	    "SLURM_STEP_NUM_NODES=1; for r in 1 0; do SLURM_PROCID=$r taskset -c $r $LAUNCHGAP "
	    "all_reduce_perf -b 64 -e 64 -n 3 backend=host --results $HERE/results & done; wait; "
	    "cat $HERE/results/*/*/report.md");
	assert_lacks(cli.out, "has bound this process");
	assert_lacks(cli.out, "more ranks than the 1 core");
	cli_expect(cli, 0, "2 agents joined on 1 host", "2 cores");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down, .slow = true);
