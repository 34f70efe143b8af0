/* experiments/beside.sh: nccl-tests in turn with our blocks. A script plays its programs here. */
#include "here.h"

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

/* In the folder: two rounds of a block each, with a program named `name`. */
static struct cli beside(const char *name, const char *program)
{
	cli_write(folder, name, program);
	return here_shell("chmod +x $HERE/%s; root=$PWD; cd $HERE && ROUNDS=2 BLOCKS=1 "
	                  "MPIRUN='mpirun --allow-run-as-root --oversubscribe' "
	                  "$root/experiments/beside.sh $LAUNCHGAP smoke . backend=host ranks=2 "
	                  "bytes='4K, 64K' pace=stream",
	                  name);
}

TEST(the_programs_get_the_runs_sizes_and_calls_and_stand_beside_its_modes)
{
	static const char *const files[] = {"nccl-tests/alltoall-single-2.txt",
	                                    "nccl-tests/alltoall-threads-2.txt"};
	static const char *const options[] = {"-t 1 -g 2 ", "-t 2 -g 1 "};
	cli_expect(beside("alltoall_perf", player), 0, "");
	for (unsigned i = 0; i < 2; i++) {
		char *text = cli_read(here_in("smoke", files[i]));
		assert_begins(text, options[i]);
		assert_says(text, " -b 4096 -e 65536 -f 16 -n 20 -w 20 ");
	}
	char *text = cli_read(here_in("smoke", "nccl-tests/compare.txt"));
	assert_says(text, "\n  single ");
	assert_says(text, "\n  threads ");
	assert_says(text, "\n  processes ");
}

TEST(a_program_without_json_is_refused_before_the_run)
{
	static const char old[] =
	    "#!/bin/sh\ncase \"$*\" in *-J*) echo \"invalid option 'J'\"; esac\n";
	cli_expect(beside("alltoall_perf", old), 2, "knows no -J");
	cli_expect(here_shell("ls $HERE/smoke 2>/dev/null"), 2, "");
}

TEST(what_ends_it_is_named)
{
	static const struct {
		const char *name, *program, *said;
	} rows[] = {
	    {"alltoall", player, "'.' holds no programs of nccl-tests"},
	    {"sendrecv_perf", player, "no alltoall_perf there: alltoall has no peer"},
	    {"alltoall_perf", failer, "failed: no GPU here"},
	};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		cli_expect(beside(rows[i].name, rows[i].program), CLI_FAILS, rows[i].said);
		tear_down();
		set_up();
	}
}

TESTS(.undrawn = true, .slow = true, .before = set_up, .after = tear_down);
