/* experiments/beside.sh: nccl-tests in turn with our blocks. A script plays its programs here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "here.h"
#include "test.h"

/* Takes 5 us for any size, and prints that as nccl-tests does. */
static const char player[] =
    "#!/bin/sh\n"
    "echo \"$*\"\n"
    "while [ $# -gt 1 ]; do\n"
    "  case $1 in -t) t=$2;; -g) g=$2;; -b) s=$2;; -e) e=$2;; -f) f=$2;; -J) J=$2;; esac; "
    "shift\n"
    "done\n"
    "[ \"${OMPI_COMM_WORLD_RANK:-0}\" = 0 ] || exit 0\n"
    "i=0; while [ $i -lt ${OMPI_COMM_WORLD_SIZE:-1} ]; do\n"
    "  d=\"$d${d:+,}{\\\"rank\\\":$i,\\\"group\\\":0}\"; i=$((i + 1)); done\n"
    "while [ $s -le $e ]; do "
    "r=\"$r${r:+,}{\\\"size\\\":$s,\\\"count\\\":1,\\\"type\\\":\\\"float\\\","
    "\\\"redop\\\":\\\"none\\\",\\\"root\\\":\\\"-1\\\",\\\"out_of_place\\\":{\\\"time\\\":5,"
    "\\\"alg_bw\\\":1,"
    "\\\"bus_bw\\\":1,\\\"nwrong\\\":0},\\\"in_place\\\":null,\\\"actual_iterations\\\":20}\"\n"
    "  s=$((s * f)); done\n"
    "echo \"{\\\"version\\\":3,\\\"start_time\\\":\\\"2026-11-21 "
    "08:57:58\\\",\\\"args\\\":[\\\"x/alltoall_perf\\\","
    "\\\"-a\\\",\\\"3\\\"],\\\"nccl_version\\\":22803,\\\"config\\\":{\\\"nthreads\\\":$t,"
    "\\\"ngpus\\\":$g,"
    "\\\"warmup_iters\\\":5,\\\"iterations\\\":20,\\\"aggregated_iterations\\\":1,"
    "\\\"validation\\\":0,"
    "\\\"graph\\\":0,\\\"blocking_collectives\\\":\\\"false\\\",\\\"per_iter_timing\\\":"
    "\\\"false\\\","
    "\\\"devices\\\":[$d]},\\\"results\\\":[$r],\\\"out_of_bounds\\\":{\\\"count\\\":0},"
    "\\\"errors\\\":[]}\" >$J\n";

static const char failer[] = "#!/bin/sh\necho no GPU here\nexit 3\n";

static int begin(void **state)
{
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* Open MPI's, of the children */
	return set_up(state);
}

/* In the folder: two rounds of a block each, with a program named `name`. */
static int beside(const char *name, const char *program)
{
	char here[4096], command[16384], path[256];
	assert_non_null(getcwd(here, sizeof here));
	cli_write(folder, name, program);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	assert_int_equal(chmod(path, 0755), 0);
	snprintf(command, sizeof command,
	         "cd %s && ROUNDS=2 BLOCKS=1 MPIRUN='mpirun --allow-run-as-root --oversubscribe' "
	         "%s/experiments/beside.sh %s smoke . backend=host ranks=2 bytes='4K, 64K' "
	         "pace=stream >out 2>&1",
	         folder, here, getenv("LAUNCHGAP"));
	return system(command);
}

static char *said(void)
{
	char path[128];
	snprintf(path, sizeof path, "%s/out", folder);
	char *text = cli_read(path);
	assert_non_null(text);
	return text;
}

static char *result(const char *name)
{
	char path[512];
	cli_result(folder, "smoke", name, path, sizeof path);
	char *text = cli_read(path);
	assert_non_null(text);
	return text;
}

TEST(the_programs_get_the_runs_sizes_and_calls)
{
	static const char *const files[] = {"nccl-tests/alltoall-single-2.txt",
	                                    "nccl-tests/alltoall-threads-2.txt"};
	static const char *const options[] = {"-t 1 -g 2 ", "-t 2 -g 1 "};
	assert_int_equal(beside("alltoall_perf", player), 0);
	for (unsigned i = 0; i < 2; i++) {
		char *text = result(files[i]);
		assert_memory_equal(text, options[i], strlen(options[i]));
		assert_non_null(strstr(text, " -b 4096 -e 65536 -f 16 -n 20 -w 20 "));
		free(text);
	}
}

TEST(all_modes_stand_beside_each_other)
{
	assert_int_equal(beside("alltoall_perf", player), 0);
	char *text = result("nccl-tests/compare.txt");
	assert_non_null(strstr(text, "\nsingle "));
	assert_non_null(strstr(text, "\nthreads "));
	assert_non_null(strstr(text, "\nprocesses "));
	free(text);
}

TEST(a_folder_without_programs_is_refused)
{
	assert_int_not_equal(beside("alltoall", player), 0);
	char *text = said();
	assert_non_null(strstr(text, "'.' holds no programs of nccl-tests"));
	free(text);
}

TEST(a_collective_without_its_program_is_named)
{
	assert_int_not_equal(beside("sendrecv_perf", player), 0);
	char *text = said();
	assert_non_null(strstr(text, "no alltoall_perf there: alltoall has no peer"));
	free(text);
}

TEST(a_program_that_fails_ends_it)
{
	assert_int_not_equal(beside("alltoall_perf", failer), 0);
	char *text = said();
	assert_non_null(strstr(text, "failed: no GPU here"));
	free(text);
}

TESTS(.slow = true, .before = begin, .after = tear_down);
