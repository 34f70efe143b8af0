/* Bad input: each error is a clear sentence that names the cause and what is allowed, and a
 * non-zero exit; no results folder is begun for a run that cannot be measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "here.h"
#include "test.h"

static void refused(const char *const args[], const char *const words[])
{
	struct cli cli = cli_run(folder, args);
	for (unsigned i = 0; words[i]; i++) {
		if (cli.code <= 0 || !strstr(cli.out, words[i]))
			print_error("exit %d, wanted \"%s\" in:\n%s\n", cli.code, words[i],
			            cli.out);
		assert_true(cli.code > 0);
		assert_non_null(strstr(cli.out, words[i]));
	}
	assert_int_equal(access(results, F_OK), -1);
	free(cli.out);
}

TEST(names_that_are_no_experiments)
{
	refused((const char *[]){"run", "nosuch", "--results", results, NULL},
	        (const char *[]){"there is no experiment 'nosuch'", "launchgap list", NULL});
	refused((const char *[]){"run", "../results/README", "--results", results, NULL},
	        (const char *[]){"not an experiment's name", "letters, digits", NULL});
	refused((const char *[]){"run", "/etc/passwd", "--results", results, NULL},
	        (const char *[]){"not an experiment's name", NULL});
	refused((const char *[]){"run", "smoke", "--no-report", "--format", "nccl-tests",
	                         "--results", results, NULL},
	        (const char *[]){"allowed is one of them", NULL});
	refused((const char *[]){"run", "", "--results", results, NULL},
	        (const char *[]){"not an experiment's name", NULL});
	refused((const char *[]){"run", "--file", "/nonexistent.exp", "--results", results, NULL},
	        (const char *[]){"/nonexistent.exp", NULL});
	refused((const char *[]){"run", "--results", results, NULL},
	        (const char *[]){"which experiment", NULL});
	refused((const char *[]){"run", "smoke", "--results", NULL},
	        (const char *[]){"--results needs a value", NULL});
	refused((const char *[]){"run", "smoke", "--frobnicate", "--results", results, NULL},
	        (const char *[]){"'--frobnicate' is not understood", NULL});
	refused((const char *[]){"frobnicate", NULL},
	        (const char *[]){"unknown verb 'frobnicate'", NULL});
}

TEST(keys_and_values_on_the_command_line)
{
	static const struct {
		const char *override;
		const char *words[4];
	} bad[] = {
	    {"colour=red", {"colour", "allowed", NULL}},
	    {"collective=alltoal", {"alltoal", "alltoall", NULL}},
	    {"backend=ncll", {"ncll", "host", NULL}},
	    {"mode=fork", {"fork", "processes", NULL}},
	    {"bytes=0", {"size '0' is zero", NULL}},
	    {"bytes=-4K", {"is negative", NULL}},
	    {"bytes=4K..1K x2", {"is empty", NULL}},
	    {"bytes=4K..1M x1", {"never ends", NULL}},
	    {"bytes=4K..1M +0", {"never ends", NULL}},
	    {"bytes=99999999999999999999G", {"up to 64G", NULL}},
	    {"bytes=16777216T", {"not a size", NULL}},
	    {"bytes=", {"size is missing", NULL}},
	    {"bytes=8", {"the smallest for 2 ranks is 32", NULL}},
	    {"ranks=0", {"ranks", NULL}},
	    {"ranks=-1", {"ranks", NULL}},
	    {"ranks=1000000", {"ranks", "1024", NULL}},
	    {"blocks=0", {"blocks", NULL}},
	    {"pace=slow", {"slow", "isolated", NULL}},
	    {"env.LD_PRELOAD=/tmp/x.so", {"LD_PRELOAD", "NCCL_", NULL}},
	    {"env.PATH=/tmp", {"PATH", "NCCL_", NULL}},
	    {"reference=nobody", {"nobody", NULL}},
	    {"layout=2x0x1", {"layout", NULL}},
	    {"bind=tight", {"tight", "near-gpu", NULL}},
	    {"timeout=-1", {"timeout", NULL}},
	    {"aggregate=7", {"calls = ", "multiples of 7", NULL}},
	    {"flip=2:0", {"flip: rank = 2, but ranks are 0 to 1", NULL}},
	};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		refused((const char *[]){"run", "smoke", "backend=host", bad[i].override,
		                         "--results", results, NULL},
		        bad[i].words);
}

TEST(the_same_in_a_file_names_file_and_line)
{
	cli_write(folder, "t.exp",
	          "; q\n[experiment]\ncollective = alltoall\nbytes = 4K\n"
	          "[variant a]\nmode = threads\nenv.LD_PRELOAD = /tmp/x.so\n");
	refused((const char *[]){"run", "--file", file, "--results", results, NULL},
	        (const char *[]){"t.exp:7: ", "LD_PRELOAD", NULL});
	cli_write(folder, "t.exp", "; q\n[experiment]\ncollective = alltoall\nbytes = 4K..1K x2\n");
	refused((const char *[]){"run", "--file", file, "--results", results, NULL},
	        (const char *[]){"t.exp:4: ", NULL});
}

/* Of what the command line says too, for a resumed record says it in its place. */
TEST(no_libraries_when_none_are_wanted)
{
	refused((const char *[]){"run", "smoke", "backend=host", "nccl=/tmp/libnccl.so.2",
	                         "--no-libraries", "--results", results, NULL},
	        (const char *[]){"names a library", "--no-libraries", NULL});
}

TEST(more_ranks_than_gpus)
{
	refused((const char *[]){"run", "smoke", "backend=nccl", "ranks=1000", "--results", results,
	                         NULL},
	        (const char *[]){"GPU", NULL});
}

TEST(an_unreadable_library)
{
	refused((const char *[]){"run", "smoke", "backend=nccl", "nccl=/nonexistent/libnccl.so.2",
	                         "--results", results, NULL},
	        (const char *[]){"/nonexistent/libnccl.so.2", NULL});
}

/* The listed words are those that a key takes: each word of its line. */
TEST(operations_are_listed_as_op_takes_them)
{
	struct cli cli = cli_call(folder, "list", NULL);
	assert_int_equal(cli.code, 0);
	assert_non_null(
	    strstr(cli.out, "\noperations\n  sum, prod, min, max, avg, premulsum\nexperiments"));
	free(cli.out);
	refused(
	    (const char *[]){"run", "smoke", "backend=host", "op=none", "--results", results, NULL},
	    (const char *[]){"allowed is sum, prod, min, max, avg, premulsum", NULL});
}

TEST(results_that_cannot_be_written)
{
	cli_expect(cli_call(folder, "run", "smoke", "backend=host", "--results",
	                    "/dev/null/results", NULL),
	           1, "cannot make the results folder /dev/null");
}

TEST(reports_of_nothing)
{
	refused((const char *[]){"report", "/nonexistent", NULL},
	        (const char *[]){"/nonexistent", NULL});
	refused((const char *[]){"report", folder, NULL}, (const char *[]){"trials.jsonl", NULL});
	refused((const char *[]){"report", NULL}, (const char *[]){"one run's folder", NULL});
	cli_write(folder, "trials.jsonl", "{\"schema\":1,\"kind\":\"cell\"}\n");
	refused((const char *[]){"report", folder, NULL},
	        (const char *[]){"trials.jsonl:1: ", NULL});
	cli_write(folder, "trials.jsonl", "not json\n{}\n");
	refused((const char *[]){"report", folder, NULL},
	        (const char *[]){"trials.jsonl:1: ", NULL});
	refused((const char *[]){"worker", "/nonexistent", NULL},
	        (const char *[]){"/nonexistent", NULL});
	refused((const char *[]){"worker", NULL}, (const char *[]){"one trial's file", NULL});
}

TESTS(.before = set_up, .after = tear_down);
