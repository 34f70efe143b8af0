/* launcher = exec: what the shell, the user's limits or another launcher left there does not
 * matter to the processes that a job starts itself. */

#include "here.h"

#define IN(mode)                                                                                   \
	"[experiment]\ntitle = t\ncollective = alltoall\nbytes = 4K\nranks = 2\nblocks = 1\n"      \
	"warmup = 1\nstretches = 1\nisolated_calls = 2\npace = isolated\nlimit = no\n"             \
	"backend = null\nreference = p\n[variant p]\nmode = " mode "\n"
#define TWO IN("processes\nlauncher = exec")
#define RUN "$LAUNCHGAP run --file $HERE/t.exp --results $HERE/results --no-report"

/* Each hung before: the kernel took the ends of those that were waited for, or those that were
 * started were fewer. */
TEST(a_parent_that_ignores_its_children_does_not_matter)
{
	cli_write(folder, "t.exp", TWO);
	cli_expect(here_shell("timeout 60 env --ignore-signal=CHLD " RUN), 0, "2 ranks on null");
	char *record = here_read("trials.jsonl");
	assert_says(record, "\"launcher\":\"exec\"");
}

/* As another user of this test's alone, whose processes are counted from none: the run, its job,
 * and one rank or thread. An empty file in place of the driver's library. */
TEST(a_process_that_cannot_be_started_is_said)
{
	if (geteuid() != 0) {
		print_message("only root becomes another user\n");
		skip();
	}
	assert_int_equal(chmod(folder, 0777), 0);
	static const struct {
		unsigned processes;
		const char *text, *says;
	} rows[] = {
	    {1, TWO, "/launchgap: Resource "},
	    {2, IN("threads"), "thread 2 of 2: Resource "},
	    {3, TWO, "process 1 of 2: Resource "},
	};
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		cli_write(folder, "t.exp", rows[i].text);
		cli_expect(
		    here_shell(
		        "cp $LAUNCHGAP $HERE/launchgap; : >$HERE/libnvidia-ml.so.1; "
		        "LD_LIBRARY_PATH=$HERE:$LD_LIBRARY_PATH timeout 60 prlimit --nproc=%u "
		        "setpriv --reuid %u --clear-groups $HERE/launchgap run "
		        "--file $HERE/t.exp --results $HERE/results --no-report",
		        rows[i].processes, 60000 + (unsigned)getpid() % 5000),
		    1, rows[i].says,
		    "temporarily unavailable (ulimit -u, or the cgroup's pids.max)");
	}
}

/* Agents take only what tunes libraries from others; these processes are the job's own. */
TEST(any_variable_reaches_a_job_of_this_host)
{
	cli_write(folder, "t.exp", TWO "env.OF_NO_LIBRARY = 1\n");
	cli_expect(here_shell("timeout 60 " RUN), 0, "2 ranks on null");
}

TEST(ranks_of_others_do_not_matter)
{
	static const char *const others[] = {
	    "RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 MASTER_ADDR=localhost",
	    "LAUNCHGAP_RANK=1 LAUNCHGAP_SIZE=9 LAUNCHGAP_SECRET=me",
	    "LAUNCHGAP_RANK=0 LAUNCHGAP_SIZE=2 LAUNCHGAP_LOCAL_RANK=0 LAUNCHGAP_RENDEZVOUS=a",
	    "LAUNCHGAP_SEAT='3 0123456789abcdef0123456789abcdef 127.0.0.1:1'",
	};
	cli_write(folder, "t.exp", TWO);
	for (unsigned i = 0; i < LENGTH(others); i++)
		cli_expect(here_shell("%s timeout 60 " RUN, others[i]), 0, "2 ranks on null");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
