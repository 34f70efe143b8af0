/* End to end: from an experiment's file to the pictures, and every way in which a run can end.
 */
#include "here.h"
#include "json.h"

static void write_experiment(const char *keys, const char *variants)
{
	cli_write(folder, "t.exp", test_text("; A test.\n[experiment]\n%s\n%s", keys, variants));
}

/* Reports of the record alone, drawn again, are test_hostile's. */
TEST(smoke_goes_from_file_to_pictures)
{
	cli_expect(here_shell("PATH=${PATH#*undrawn:} $LAUNCHGAP run smoke backend=host blocks=1 "
	                      "pace=stream --results $HERE/results"),
	           0, "single", "processes", "report.md");
	assert_true(cli_lines(here_in("smoke", "summary.csv")) > 3 * 3);
	cli_expect(here_shell("cd %s && [ $(ls *host*.png | wc -l) -ge 3 ] && ls *.png",
	                      here_in("smoke", "plots")),
	           0, "host");
}

TEST(null_measures_the_harness)
{
	cli_expect(here_call("run overhead blocks=1 ranks=2 --no-report --results $HERE/results"),
	           0, "null");
	struct record_run record = cli_record(here_in("overhead", "trials.jsonl"));
	assert_false(record.cells[0].carries_data);
}

/* The run's own is allowed, drawn or said. */
TEST(another_seed_is_refused)
{
	static const char *const seeds[] = {"blocks=1", "seed=7"};
	write_experiment("collective = alltoall\nbytes = 4K\nbackend = null\nlimit = no\n"
	                 "ranks = 2\nblocks = 1\npace = isolated\nisolated_calls = 5\n",
	                 "[variant s]\nmode = single\n");
	for (unsigned i = 0; i < 2; i++) {
		cli_expect(here_run(NULL, "--no-report", seeds[i], NULL), 0, "block 1");
		char *path = test_text("%s/t/latest", results);
		cli_expect(
		    cli_call(folder, "resume", path, "blocks=1", "seed=8", "--no-report", NULL), 1,
		    "cannot resume: seed = 8, but that run's is ");
		cli_expect(cli_call(folder, "resume", path, "blocks=1", "--no-report", NULL), 0,
		           "block 2 of 2");
	}
}

#define LATE(RANKS)                                                                                \
	", block 1: " RANKS ": a cell took longer than cell_timeout = 1s: alltoall, 4096 bytes, "  \
	"isolated"
#define IN_EACH                                                                                    \
	"[variant s]\nmode = single\n[variant t]\nmode = threads\n[variant p]\nmode = processes\n"

/* Four runs at once, as each does little but wait. In each mode the job ends by itself, with what
 * it has, and the run after its first block. Who waits for all is not named before all; nor are
 * ranks that were done. */
TEST(what_does_not_end_is_ended_and_named)
{
	static const struct {
		const char *keys, *variants, *says, *lacks;
	} rows[] = {
	    /* It said nothing. */
	    {"bytes = 4K\nbackend = null\ndelay = 1s\nwait = block\ntimeout = 1\n",
	     "[variant p]\nmode = processes\n", ", block 1: timed out after 1 s (timeout = …)",
	     "(timeout = …); last said"},
	    /* The second rank is in its call, and the first in MPI's end. */
	    {"bytes = 64K\nbackend = host\nextra = 59s\ndelay_rank = 1\ncell_timeout = 1\n",
	     "[variant p]\nmode = processes\n",
	     ", block 1: rank 1: a cell took longer than cell_timeout = 1s: alltoall, 65536 bytes, "
	     "isolated, in a call that does not return (1 of 2 workers)",
	     "rank 0"},
	    {"bytes = 4K\nbackend = null\ndelay = 50s\nwait = block\ncell_timeout = 1\n", IN_EACH,
	     LATE("all ranks"), ": rank"},
	    {"bytes = 4K\nbackend = null\nextra = 50s\nwait = yield\ndelay_rank = 1\n"
	     "cell_timeout = 1\n",
	     IN_EACH, LATE("rank 1"), "all ranks"},
	};
	char in[LENGTH(rows)][80];
	pid_t pid[LENGTH(rows)];
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		snprintf(in[i], sizeof in[i], "%s/%u", folder, i);
		assert_int_equal(mkdir(in[i], 0777), 0);
		cli_write(in[i], "t.exp",
		          test_text("; A test.\n[experiment]\ncollective = alltoall\nlimit = no\n"
		                    "ranks = 2\nblocks = 4\npace = isolated\ntwin = no\n%s%s",
		                    rows[i].keys, rows[i].variants));
		char *at = test_text("%s/t.exp", in[i]), *to = test_text("%s/results", in[i]);
		pid[i] = cli_start(in[i], (const char *[]){"run", "--file", at, "--results", to,
		                                           "--no-report", NULL});
	}
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		struct cli cli = cli_wait(pid[i], in[i], 120);
		char path[512];
		for (const char *v = strcmp(rows[i].variants, IN_EACH) ? "p" : "stp"; *v; v++)
			assert_says(cli.out, test_text("%c%s", *v, rows[i].says));
		assert_lacks(cli.out, rows[i].lacks);
		cli_expect(cli, 1,
		           "every trial of block 1 failed, so the run ends here; the first: ");
		cli_result(in[i], "t", "trials.jsonl", path, sizeof path);
		assert_says(cli_read(path),
		            i ? ": a cell took longer than cell_timeout = 1s: alltoall"
		              : "timed out after 1 s");
	}
}

/* Not after hours; and the remaining cells are measured. */
TEST(what_cannot_be_answered_is_said_first)
{
	static const char first[] =
	    "claim c, d cannot be tested: pace isolated is not measured\n"
	    "claim e cannot be tested: sendrecv is not measured\n"
	    "claim f cannot be tested: jobs in turns connect side by side\n"
	    "cell_timeout = 9s has no effect: timeout = 5s ends the trial first\nt: 2 ranks on "
	    "null";
	write_experiment(
	    "collective = alltoall\nbytes = 4K\nbackend = null\nlimit = no\nranks = 2\n"
	    "blocks = 1\nturns = 4K..4K\ntimeout = 5\ncell_timeout = 9\n",
	    "[variant a]\nmode = single\n[variant b]\nmode = threads\n"
	    "[claim c]\ntext = x\nleft = a\nright = b\nmetric = latency\nis = less by 2%\n"
	    "[claim d]\ntext = x\nleft = a\nright = b\nmetric = latency\nis = within 2%\n"
	    "[claim e]\ntext = x\nleft = a\nright = b\nmetric = time\nis = within 2%\n"
	    "collective = sendrecv\n"
	    "[claim f]\ntext = x\nleft = a\nright = b\nmetric = init\nis = within 2%\n");
	cli_expect(here_run(NULL, "pace=stream", "--no-report", NULL), 0, first);
}

/* As nccl-tests' -z 1, which waits for each call. */
TEST(nccl_tests_columns_are_of_isolated_calls_where_there_are_no_others)
{
	write_experiment("collective = alltoall\nbytes = 4K\nbackend = null\nlimit = no\n"
	                 "ranks = 2\nblocks = 1\npace = isolated\nisolated_calls = 7\n",
	                 "[variant a]\nmode = single\n");
	cli_expect(here_run(NULL, "--format", "nccl-tests", NULL), 0, " iters: 7 ",
	           "# Blocking Enabled: wait and barrier", "        4096           512     float ");
}

/* Its columns have both halves: nan where one is not measured. */
TEST(nccl_tests_columns_have_both_halves)
{
	static const struct {
		const char *key, *where;
		bool out, in;
	} cases[] = {{"", "warmup=1", true, false},
	             {"in_place = both\n", "warmup=1", true, true},
	             {"", "in_place=yes", false, true}};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		char *keys =
		    test_text("collective = all_reduce\nbytes = 4K\nbackend = host\nlimit = no\n"
		              "ranks = 2\nblocks = 1\npace = stream\ncalls = 5\n"
		              "stretches = 2\nwait = yield\n%s",
		              cases[i].key);
		write_experiment(keys, "[variant a]\nmode = threads\n");
		struct cli cli = here_run(NULL, cases[i].where, "--format", "nccl-tests", NULL);
		const char *row = cli.out ? strstr(cli.out, "\n        4096 ") : NULL;
		double times[2];
		assert_non_null(row);
		/* Time, two bandwidths and the wrong elements of each half. */
		assert_int_equal(sscanf(row, " 4096 1024 float sum -1 %lf %*s %*s %*s %lf",
		                        &times[0], &times[1]),
		                 2);
		assert_int_equal(times[0] > 0, cases[i].out);
		assert_int_equal(times[1] > 0, cases[i].in);
		cli_expect(cli, 0, "# Avg bus bandwidth");
	}
}

/* A run is gone on with as it was begun, with the columns or without. */
TEST(more_blocks_are_of_the_same_halves)
{
	char *latest = test_text("%s/t/latest", results);
	write_experiment("collective = all_reduce\nbytes = 4K\nbackend = host\nlimit = no\n"
	                 "ranks = 2\nblocks = 1\npace = stream\ncalls = 5\nstretches = 2\n"
	                 "wait = yield\n",
	                 "[variant a]\nmode = threads\n");
	for (unsigned columns = 0; columns < 2; columns++) {
		const char *args[10] = {"run", "--file", file, "--results", results};
		args[5] = columns ? "--format" : "--no-report";
		args[6] = columns ? "nccl-tests" : NULL;
		cli_expect(cli_run(folder, args), 0, "");
		args[5] = "--resume";
		args[6] = latest;
		args[7] = columns ? NULL : "--format";
		args[8] = "nccl-tests";
		cli_expect(cli_run(folder, args), 0, "block 2 of 2");
	}
}

TEST(short_calls_have_a_p99_and_long_ones_fewer_calls)
{
	write_experiment("collective = all_reduce\nbytes = 4K, 2M\nbackend = host\nlimit = no\n"
	                 "ranks = 2\nblocks = 1\npace = isolated\nconnections = 2\n",
	                 "[variant threads]\nmode = threads\n");
	cli_expect(here_run(NULL, NULL), 0, "report.md");
	const struct record_run record = cli_record(here_path(""));
	for (unsigned i = 0; i < record.ncells; i++) {
		const struct record_cell *c = &record.cells[i];
		if (c->cell.pass == PASS_TIMED)
			assert_int_equal(c->rows + c->stall.rows,
			                 c->cell.bytes == 4096 && !c->cell.connection ? 500 : 100);
	}
	const char *page = cli_read(here_in("t", "report.md"));
	assert_says(page, "isolated: p99 latency");
	assert_says(page, "MiB: it needs 500 isolated calls, which the key "
	                  "isolated\\_calls sets.");
}

/* Not only in the report: a run of wrong data fails. */
TEST(wrong_data_fails_the_run_and_is_kept)
{
	write_experiment("collective = alltoall\nbytes = 4K\nbackend = host\nlimit = no\n"
	                 "ranks = 2\nblocks = 1\npace = isolated\nisolated_calls = 5\n"
	                 "dtype = int8\n",
	                 "[variant good]\nmode = threads\n[variant bad]\nmode = processes\n"
	                 "flip = 1:7\n[variant alone]\nmode = single\nflip = 0:4097\n");
	struct cli cli = here_run(NULL, "--no-report", NULL);
	assert_says(cli.out, "bad, block 1: wrong data in alltoall_int8 of 4096 bytes, "
	                     "isolated: rank 1, byte 7: 0x");
	assert_says(cli.out, "alone, block 1: wrong data in alltoall_int8 of 4096 "
	                     "bytes, isolated: rank 0, byte 4097: 0x");
	assert_lacks(cli.out, "good, block 1");
	cli_expect(cli, 1, "2 trials failed");
	struct record_run record = cli_record(here_path(""));
	assert_int_equal(record.nfailures, 0);
	for (unsigned i = 0; i < record.ncells; i++)
		assert_int_equal(record.cells[i].wrong,
		                 strcmp(record.cells[i].variant, "bad") == 0 ||
		                     strcmp(record.cells[i].variant, "alone") == 0);
}

/* Forced upon a backend that has none: each rank's are null, and that is no damage. */
TEST(counters_that_a_backend_lacks_can_be_read)
{
	write_experiment("collective = alltoall\nbytes = 4K\nbackend = null\nlimit = no\n"
	                 "ranks = 2\nblocks = 1\ncounters = yes\n",
	                 "[variant t]\nmode = threads\n");
	cli_expect(here_run(NULL, NULL), 0, "report.md");
	struct record_run record = cli_record(here_path(""));
	unsigned read = 0;
	for (unsigned i = 0; i < record.ncells; i++)
		read += json_is_null(
		    json_array_get(json_object_get(record.cells[i].json, "counters"), 1));
	assert_true(read > 0);
}

/* Another backend's requirements are for the report's reader, not for the user at the terminal. */
TEST(claims_of_another_backend_are_in_the_report_alone)
{
	write_experiment("collective = alltoall\nbytes = 4K\nbackend = host\nlimit = no\n"
	                 "ranks = 2\nblocks = 1\npace = isolated\nisolated_calls = 5\n",
	                 "[variant s]\nmode = single\n[variant t]\nmode = threads\n"
	                 "[claim far]\ntext = Only there.\nnccl.left = s\nnccl.right = t\n"
	                 "metric = busbw\nis = less by 2%\n"
	                 "[claim nodes]\ntext = Two are slower.\nneeds = 2 nodes\n");
	struct cli cli = here_run(NULL, NULL);
	assert_lacks(cli.out, "Only there.");
	assert_lacks(cli.out, "backend nccl");
	cli_expect(cli, 0, "");
	json_t *report = json_report(here_path("report.json"));
	const json_t *nodes = json_claim(report, "nodes"), *far = json_claim(report, "far");
	json_assert_text(nodes, "verdict", "cannot be tested here");
	json_assert_says(nodes, "rests_on", "it needs 2 nodes");
	json_assert_text(far, "text", "Only there.");
	json_assert_says(far, "rests_on", "it needs backend nccl");
}

TESTS(.slow = true, .undrawn = true, .before = set_up, .after = tear_down);
