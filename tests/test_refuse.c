/* Bad input: each error is a clear sentence that names the cause and what is allowed, and a
 * non-zero exit; no results folder is begun for a run that cannot be measured. */
#include "here.h"

/* Of arguments that sh takes apart. No results folder is there. */
#define REFUSED(ARGUMENTS, ...)                                                                    \
	cli_expect(here_call(ARGUMENTS), CLI_FAILS, __VA_ARGS__);                                  \
	assert_int_equal(access(results, F_OK), -1)
#define TO " --results $HERE/results"

TEST(names_that_are_no_experiments)
{
	REFUSED("run nosuch" TO, "there is no experiment 'nosuch'", "launchgap list");
	REFUSED("run ../results/README" TO, "not an experiment's name", "letters, digits");
	REFUSED("run /etc/passwd" TO, "not an experiment's name");
	REFUSED("run smoke --no-report --format nccl-tests" TO, "allowed is one of them");
	REFUSED("run ''" TO, "not an experiment's name");
	REFUSED("run --file /nonexistent.exp" TO, "/nonexistent.exp");
	REFUSED("run" TO, "which experiment");
	REFUSED("run smoke --results", "--results needs a value");
	REFUSED("run smoke --frobnicate" TO, "'--frobnicate' is not understood");
	REFUSED("frobnicate", "unknown verb 'frobnicate'");
}

TEST(the_same_in_a_file_names_file_and_line)
{
	cli_write(folder, "t.exp",
	          "; q\n[experiment]\ncollective = alltoall\nbytes = 4K\n"
	          "[variant a]\nmode = threads\nenv.LD_PRELOAD = /tmp/x.so\n");
	REFUSED("run --file $HERE/t.exp" TO, "t.exp:7: ", "LD_PRELOAD");
	cli_write(folder, "t.exp", "; q\n[experiment]\ncollective = alltoall\nbytes = 4K..1K x2\n");
	REFUSED("run --file $HERE/t.exp" TO, "t.exp:4: ");
}

/* Of what the command line says too, for a resumed record says it in its place. */
TEST(no_libraries_when_none_are_wanted)
{
	REFUSED("run smoke backend=host nccl=/tmp/libnccl.so.2 --no-libraries" TO, "name a library",
	        "--no-libraries");
	REFUSED("run smoke backend=host hosts=evil.example:1 --no-libraries" TO, "name a library",
	        "--no-libraries");
}

TEST(more_ranks_than_gpus)
{
	REFUSED("run smoke backend=nccl ranks=1000" TO, "GPU");
}

TEST(an_unreadable_library)
{
	REFUSED("run smoke backend=nccl nccl=/nonexistent/libnccl.so.2" TO,
	        "/nonexistent/libnccl.so.2");
}

/* The listed words are those that a key takes: each word of its line. */
TEST(operations_are_listed_as_op_takes_them)
{
	cli_expect(here_call("list"), 0,
	           "\noperations\n  sum, prod, min, max, avg, premulsum\nexperiments");
	REFUSED("run smoke backend=host op=none" TO,
	        "allowed is sum, prod, min, max, avg, premulsum");
}

TEST(results_that_cannot_be_written)
{
	cli_expect(here_call("run smoke backend=host --results /dev/null/results"), 1,
	           "cannot make the results folder /dev/null");
}

TEST(reports_of_nothing)
{
	REFUSED("report /nonexistent", "/nonexistent");
	REFUSED("report $HERE", "trials.jsonl");
	REFUSED("report", "one run's folder");
	cli_write(folder, "trials.jsonl", "{\"schema\":1,\"kind\":\"cell\"}\n");
	REFUSED("report $HERE", "trials.jsonl:1: ");
	cli_write(folder, "trials.jsonl", "not json\n{}\n");
	REFUSED("report $HERE", "trials.jsonl:1: ");
	REFUSED("worker alone /nonexistent 1 spin", "/nonexistent");
	REFUSED("worker", "only launchers call worker");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
