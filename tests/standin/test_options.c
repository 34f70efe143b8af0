/* Options of nccl-tests that only GPUs take, on stand-ins for CUDA's runtime and NCCL. */
#include "gpus.h"

/* Options of nccl-tests that other backends have no use for: each comes to record and JSON. */
TEST(nccl_tests_options_come_to_the_record)
{
	cli_expect(
	    here_shell("$LAUNCHGAP alltoall_perf -b 4K -e 16K -f 2 -t 2 -n 2 -R 1 -G 2 -x 1 -u 2 "
	               "-J $HERE/x.json --results $HERE/results"),
	    0, "backend=nccl", "# nThread 2 nGpus 1 ", " graph: 2 unalign: 2",
	    "#  Rank  1 Group  0 Pid      0 on ");
	struct record_run record = cli_record(here_in("nccl_tests", "trials.jsonl"));
	const struct settings *set = &record.variants[0].settings;
	assert_int_equal(set->registration, REGISTER_LOCAL);
	assert_int_equal(set->cta_policy, CTA_EFFICIENCY);
	assert_int_equal(set->init, INIT_GROUPED);
	assert_int_equal(set->graph, 2);
	assert_string_equal(set->api, "native");
	char *path = test_text("%s/x.json", folder);
	char *json = cli_read(path);
	assert_says(json, "\"args\":[\"alltoall_perf\",\"-t2\",\"-g1\",\"-b4096\",\"-e16384\","
	                  "\"-f2\",\"-n2\",\"-w1\",\"-a1\",\"-G2\",\"-R1\",\"-x1\",\"-u2\"]");
	cli_expect(here_call("all_reduce_perf -g 5"), 1,
	           "ranks = 5, but backend nccl has room for 4 here");
	cli_expect(
	    here_shell("CUDA_VISIBLE_DEVICES=0 $LAUNCHGAP all_reduce_perf -g 2"), 1,
	    "has room for 1 here: CUDA_VISIBLE_DEVICES is \"0\", and each process has to see",
	    "srun --gpu-bind=none");
}

/* As nccl-tests does; and a size asked for by itself is refused before the run. */
TEST(sizes_are_those_that_memory_holds)
{
	cli_expect(here_shell("STANDIN_MIB=9216 $LAUNCHGAP all_reduce_perf -b 1G -e 512G -f 2 -g 2 "
	                      "--dry-run"),
	           0, "# Reducing maxBytes to 4294967296 due to memory limitation",
	           "'bytes=1073741824..4294967296 x2'");
	cli_expect(here_shell("STANDIN_MIB=9216 $LAUNCHGAP all_reduce_perf -b 16G -e 32G -f 2 -g 2 "
	                      "--dry-run"),
	           0, " bytes=4294967296 ");
	cli_expect(
	    here_shell("STANDIN_MIB=1 $LAUNCHGAP all_reduce_perf -b 64K -e 512K -f 4 -g 2 -n 2 "
	               "-w 1"),
	    0, "# Reducing maxBytes to 262144 due to memory limitation", "\n       65536 ",
	    "\n      262144 ");
	cli_expect(here_shell("STANDIN_MIB=1000000 $LAUNCHGAP all_reduce_perf -e 512G -f 2 -g 2 "
	                      "--dry-run"),
	           0, "# Reducing maxBytes to 68719476736 (64G), the largest size");
	cli_expect(
	    here_shell("STANDIN_MIB=9216 $LAUNCHGAP run nccl_tests bytes=8G --dry-run"), 1,
	    "8192 MiB do not fit: a rank's two buffers take 16384 MiB, and GPU 0 has 9216 MiB");
}

/* A shell's setting acts on all variants, and no table compares them with what is without it. */
TEST(what_a_shell_brought_along_is_warned_of)
{
	cli_expect(
	    here_shell("NCCL_ALGO=Ring $LAUNCHGAP all_reduce_perf -g 2 -b 4K -e 4K -n 2 --results "
	               "$HERE/results && cat $HERE/results/nccl_tests/latest/report.md"),
	    0, "does not ask for: NCCL_ALGO=Ring. A shell,");
}

/* CUDA starts a thread as the agents' GPUs are counted. If it takes their signals, an agent does
 * not hear that a worker or the run has ended, and waits for ever: now and then, so that several
 * runs are tried. */
TEST(agents_hear_of_every_end_beside_threads_of_cuda)
{
	if (system("command -v mpirun >/dev/null"))
		skip();
	for (unsigned i = 0; i < 3; i++)
		cli_expect(
		    here_shell("unset LAUNCHGAP_RENDEZVOUS; timeout 60 mpirun --allow-run-as-root "
		               "--oversubscribe --bind-to none -np 2 $LAUNCHGAP sendrecv_perf -b 8 "
		               "-e 8 -n 2 -w 1 --results $HERE/results"),
		    0, " layout=2x1x1 ", "#  Rank  1 ");
}

/* The front door's last words, beside the columns, are whether its bandwidth is normal. */
TEST(a_program_of_nccl_tests_ends_with_whether_bandwidth_is_normal)
{
	cli_expect(
	    here_shell("$LAUNCHGAP all_reduce_perf -b 1M -e 1M -g 2 -n 2 --results "
	               "$HERE/results 2>&1 >/dev/null | grep -A1 '^note: '"),
	    0, "note: There is no reference of all_reduce of 1 MiB in launchgap on 2 × Stand-in ",
	    "report ");
}

/* A second process could not make a context there. */
TEST(jobs_on_exclusive_gpus_start_one_after_the_other)
{
	setenv("STANDIN_EXCLUSIVE", "1", 1);
	cli_expect(run_two("nccl",
	                   "collective = alltoall\nbytes = 4K\npace = isolated\n"
	                   "[variant t]\nmode = threads\n[variant s]\nmode = single\n",
	                   "blocks=2"),
	           0, "");
	unsetenv("STANDIN_EXCLUSIVE");
	struct record_run record = cli_record(here_path(""));
	for (unsigned i = 1; i < record.nspent; i++)
		assert_true(record.spent[i - 1].to_ns < record.spent[i].from_ns);
}

TESTS(.undrawn = true, .begin = find_all, .before = begin, .after = tear_down);
