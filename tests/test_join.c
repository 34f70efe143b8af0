/* launchgap join: processes that somebody else started run an experiment, and what becomes of it
 * when one of them does not come, leaves, or is stopped. */
#include <arpa/inet.h>
#include <sys/socket.h>

#include "../modes/agent.h"
#include "here.h"

#define QUICK                                                                                      \
	"[experiment]\ntitle = t\ncollective = alltoall\nbytes = 4K\nranks = 4\nblocks = 1\n"      \
	"warmup = 1\nstretches = 1\nisolated_calls = 2\npace = isolated\nlimit = no\n"             \
	"reference = processes\n[variant processes]\nmode = processes\n"
#define PASSES 2 /* of a trial: timed, timeline */
#define ONE_EACH(CALLS)                                                                            \
	"[experiment]\ntitle = t\ncollective = alltoall\nbytes = 4K\nranks = 4\nblocks = 1\n"      \
	"warmup = 1\npace = isolated\nlimit = no\nhosts = 2\nbackend = null\n"                     \
	"reference = single\n" CALLS "[variant single]\nmode = single\nwait = yield\n"
/* A trial of a minute and a half. */
#define LONG                                                                                       \
	"[experiment]\ntitle = t\ncollective = alltoall\nbytes = 4K\nranks = 2\nblocks = 1\n"      \
	"warmup = 1\nisolated_calls = 900\npace = isolated\nlimit = no\nbackend = null\n"          \
	"delay = 100ms\nwait = block\nreference = processes\n[variant processes]\nmode = "         \
	"processes\n"

/* What is in front of a test's lines.
 * awaits COMMAND…       waits until the command succeeds; after a minute says that it did not
 * begin N HOSTS ARGS…   starts N agents on so many simulated hosts, the first one last
 * ends                  waits for them, and has what they said
 * children R            the processes that agent R has started
 * worker R              its worker, once it is there
 * gone PID…             waits until these have ended: a zombie has, whenever init takes it
 * start R N HOST ARGS…  one agent; what one before it still says is not in its file */
static const char agents[] =
    "awaits() { for i in $(seq 3000); do \"$@\" && return; sleep 0.02; done; "
    "echo \"not within a minute: $*\" >&2; return 1; }\n"
    "start() { LAUNCHGAP_RANK=$1 LAUNCHGAP_SIZE=$2 LAUNCHGAP_HOST=$3; "
    "export LAUNCHGAP_RANK LAUNCHGAP_SIZE LAUNCHGAP_HOST; r=$1; shift 3; rm -f $HERE/said.$r; "
    "$LAUNCHGAP join --wait ${wait:-30} --file $HERE/t.exp --results $HERE/results --no-report "
    "\"$@\" >$HERE/said.$r 2>&1 & echo $! >$HERE/agent.$r; }\n"
    "begin() { n=$1 h=$2; shift 2; for r in $(seq $((n - 1)) -1 0); do "
    "start $r $n host$((r * h / n)) \"$@\"; done; }\n"
    "ends() { for r in $(seq 0 $((n - 1))); do wait $(cat $HERE/agent.$r); "
    "echo \"agent $r ended with $?\"; cat $HERE/said.$r; done; }\n"
    "children() { a=$(cat $HERE/agent.$1); cat /proc/$a/task/$a/children; }\n"
    "a_worker() { for c in $(children $1); do "
    "grep -qa worker /proc/$c/cmdline && echo $c && return; done; false; }\n"
    "worker() { awaits a_worker $1; }\n"
    "none() { for p; do grep -qs . /proc/$p/cmdline && return 1; done; true; }\n"
    "gone() { awaits none \"$@\"; }\n";

static unsigned free_port(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t bytes = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &bytes), 0);
	close(fd);
	return ntohs(at.sin_port);
}

FIXTURE(set_up_meeting)
{
	setenv("LAUNCHGAP_RENDEZVOUS", test_text("127.0.0.1:%u", free_port()), 1);
	setenv("LAUNCHGAP_SECRET", "0123456789abcdef0123456789abcdef", 1);
	set_up();
}

/* No test leaves a process of its own. */
FIXTURE(tear_down_all)
{
	for (unsigned i = 0; i < 250 && cli_processes(folder); i++)
		usleep(20000);
	assert_int_equal(cli_processes(folder), 0);
	tear_down();
}

TESTS(.undrawn = true, .before = set_up_meeting, .after = tear_down_all, .slow = true);

/* The lines after the functions above. */
static struct cli shell(const char *experiment, const char *lines)
{
	cli_write(folder, "t.exp", experiment);
	cli_write(folder, "agents", agents);
	return here_shell(". $HERE/agents; %s", lines);
}

/* That two hosts have a process each, started by agents. */
static void assert_two_hosts(const char *first, const char *second)
{
	const char *const names[] = {first, second};
	char *record = here_read("trials.jsonl");
	assert_says(record, "\"launcher\":\"join\"");
	assert_says(record, "\"layout\":\"2x1x2\"");
	for (unsigned i = 0; i < 2; i++)
		assert_says(record, test_text("\"host\":\"%s", names[i]));
}

/* Of each mode a trial that says by whom it was started: one process is still alone. */
TEST(agents_carry_out_every_layout)
{
	cli_expect(shell(QUICK
	                 "[variant threads]\nmode = threads\n[variant mixed]\nlayout = 2x2x1\n",
	                 "begin 4 1 backend=host; ends"),
	           0, "4 agents joined on 1 host (host0: 4)", "agent 0 ended with 0",
	           "agent 1 ended with 0", "agent 3 ended with 0");
	char *record = here_read("trials.jsonl");
	assert_int_equal(text_count(record, "\"launcher\":\"join\""),
	                 3); /* with the reference's twin */
	assert_int_equal(text_count(record, "\"launcher\":\"alone\""), 1);
	assert_says(record, "launchgap\",\"join\",\"--wait\",\"30\""); /* as it was typed */
	assert_says(record, "launcher join, without MPI: `launchgap join` began the run");
	assert_int_equal(text_count(record, "\"wrong\":0"), 4 * PASSES);
}

/* The record names the experiment. */
TEST(agents_go_on_with_a_run)
{
	cli_expect(shell(QUICK, "begin 2 1 backend=host ranks=2; ends; "
	                        "export LAUNCHGAP_SIZE=2; d=$HERE/results/t/latest; "
	                        "LAUNCHGAP_RANK=1 $LAUNCHGAP join --wait 30 resume $d blocks=1 & "
	                        "LAUNCHGAP_RANK=0 $LAUNCHGAP join resume $d blocks=1"),
	           0, "agent 0 ended with 0", "2 agents joined on 1 host", "block 2 of 2");
	char *record = here_read("trials.jsonl");
	assert_int_equal(text_count(record, "\"launcher\":\"join\""), 4);
}

/* A mode that needs no launcher on one host has a process of the agents on each of two. */
TEST(hosts_that_joined_are_used)
{
	cli_expect(shell(ONE_EACH("isolated_calls = 1\n"), "begin 3 2; ends"), 0,
	           "3 agents joined on 2 hosts (host0: 2, host1: 1)", "agent 0 ended with 0",
	           "agent 1 ended with 0", "agent 2 ended with 0");
	assert_two_hosts("host0", "host1");
}

/* torchrun holds MASTER_PORT itself: all meet at a port of ours. No secret is set. */
TEST(torchrun_starts_agents)
{
	char *address = test_text("%s", strchr(getenv("LAUNCHGAP_RENDEZVOUS"), ':') + 1);
	unsetenv("LAUNCHGAP_SECRET");
	setenv("PORT", address, 1);
	cli_expect(shell(QUICK, "LAUNCHGAP_RENDEZVOUS=127.0.0.1:$PORT tests/rig/torchrun "
	                        "--nproc-per-node 2 --master-port 0 --no-python $LAUNCHGAP join "
	                        "--file $HERE/t.exp --results $HERE/results --no-report ranks=2 "
	                        "backend=host"),
	           0, "2 agents joined on 1 host");
}

/* What the run itself could start is not taken in place of the agents. */
TEST(too_few_agents_are_named)
{
	cli_expect(
	    shell(QUICK, "begin 2 1 backend=host; ends"), 0,
	    "2 agents joined on host0, and the layout has 4 processes on each host: start so "
	    "many, as by torchrun --nproc-per-node 4",
	    "agent 0 ended with 1", "agent 1 ended with 1",
	    "the run ended with exit status 1; what rank 0 prints says why");
	cli_expect(shell(QUICK, "begin 2 2 backend=null ranks=6 hosts=3; ends"), 0,
	           "hosts = 3 asks for more than joined: 2 (host0, host1)");
}

TEST(who_cannot_join_says_why)
{
	static const char *const without[] = {"LAUNCHGAP_RENDEZVOUS", "LAUNCHGAP_SECRET"};
	cli_write(folder, "t.exp", QUICK);
	cli_expect(here_call("join"), 1, "join: which experiment?");
	cli_expect(here_call("join --wait 0 t"), 1,
	           "--wait = '0' is not allowed; allowed is 1s to 24h");
	cli_expect(here_call("join t"), 1, "no launcher has said which process this is");
	cli_expect(here_shell("LAUNCHGAP_SECRET=me LAUNCHGAP_RANK=1 LAUNCHGAP_SIZE=2 "
	                      "$LAUNCHGAP join t"),
	           1, "secret of this world has 2 characters; wanted are 32");
	for (unsigned i = 0; i < 2; i++)
		unsetenv(without[i]);
	cli_expect(here_shell("LAUNCHGAP_RANK=1 LAUNCHGAP_SIZE=2 $LAUNCHGAP join t"), 1,
	           "where do all meet? LAUNCHGAP_RENDEZVOUS=HOST of rank 0");
	cli_expect(here_shell("LAUNCHGAP_RENDEZVOUS=localhost:0 LAUNCHGAP_RANK=0 LAUNCHGAP_SIZE=2 "
	                      "$LAUNCHGAP join t --wait 1"),
	           1, "localhost:0 has the port 0, where none is reached");
	cli_expect(here_shell("PMIX_RANK=1 $LAUNCHGAP join t"), 1,
	           "PMIx says rank 1 and not of how many");
	cli_expect(here_shell("$LAUNCHGAP run --file $HERE/t.exp --dry-run launcher=join"), 1,
	           "begin the run by `launchgap join`");
}

TEST(an_agent_that_does_not_come_is_missed)
{
	cli_expect(shell(QUICK, "n=2; start 1 3 a; wait=3; start 0 3 a; ends"), 0,
	           "agent 0 ended with 1", "rank 2 did not come within 3 s",
	           "agent 1 ended with 1");
}

/* After 5 s: for whom, and what says so. Rank 0 waits for rank 1, which then comes; another one for
 * rank 0. */
TEST(who_waits_says_for_whom_and_why)
{
	static const char why[] = ": LAUNCHGAP_RANK and LAUNCHGAP_SIZE say that this is one of 2 "
	                          "processes; alone it runs after `unset LAUNCHGAP_RANK`";
	struct cli cli =
	    shell(QUICK, "n=2; wait=30; start 0 2 a backend=host ranks=2; wait=9; "
	                 "at=$LAUNCHGAP_RENDEZVOUS; export LAUNCHGAP_RENDEZVOUS=127.0.0.1:1; "
	                 "start 1 2 a; wait $(cat $HERE/agent.1); cat $HERE/said.1; "
	                 "LAUNCHGAP_RENDEZVOUS=$at; start 1 2 a; ends");
	assert_says(cli.out, "launchgap: still waiting for rank 1");
	assert_says(cli.out, "launchgap: rank 1 of 2 still waits for rank 0 at 127.0.0.1:1 (");
	assert_int_equal(text_count(cli.out, why), 2);
	cli_expect(cli, 0, "agent 0 ended with 0", "agent 1 ended with 0");
}

/* The documents' recipe, with a stand-in for ssh that keeps its command line. */
TEST(the_recipe_of_ssh_hides_its_secret)
{
	struct cli cli = shell(
	    QUICK,
	    "sed -n '/^secret=/,/^done; wait/p' modes/README.md | sed 's|NAME hosts=2|--file "
	    "$HERE/t.exp --results $HERE/results --no-report backend=host|; "
	    "s|RENDEZVOUS=hosta|RENDEZVOUS=$LAUNCHGAP_RENDEZVOUS|; s|launchgap join|$LAUNCHGAP "
	    "join|' >$HERE/recipe; unset LAUNCHGAP_SECRET; "
	    "ssh() { echo \"$@\" >>$HERE/said.ssh; shift; sh -c \"$1\"; }; . $HERE/recipe; "
	    "grep -c LAUNCHGAP_RANK $HERE/said.ssh; grep $secret $HERE/said.ssh && echo it is "
	    "there; "
	    "true");
	assert_lacks(cli.out, "it is there");
	cli_expect(cli, 0, "4 agents joined on 1 host", "\n4\n");
}

/* The trial fails with a sentence that names it, and the next one has its worker. */
TEST(a_worker_that_is_killed_is_named)
{
	cli_expect(shell(LONG,
	                 "begin 2 1; w=$(worker 1); kill -9 $w; while [ $(worker 1) = $w ]; do "
	                 "sleep 0.02; done; kill -INT $(cat $HERE/agent.0); ends"),
	           0, "rank 1: its process was killed by signal 9 (Killed)",
	           "agent 0 ended with 130", "agent 1 ended with 1");
}

/* Nobody has told the other agent that its worker's job is over. */
TEST(a_starter_that_is_killed_leaves_no_worker_to_the_next_trial)
{
	cli_expect(shell(LONG, "begin 2 1; w=$(worker 1); kill -9 $(worker 0); "
	                       "while [ $(worker 1) = $w ]; do sleep 0.02; done; "
	                       "gone $w && echo it is gone; kill -INT $(cat $HERE/agent.0); ends"),
	           0, "it is gone", "block 1: killed by signal 9 (Killed)",
	           "agent 0 ended with 130");
}

/* Its worker ends with it: the first agent, which is stopped, has told no one to. */
TEST(an_agent_that_is_killed_is_named)
{
	cli_expect(shell(LONG, "begin 2 1; w=$(worker 1); kill -STOP $(cat $HERE/agent.0); "
	                       "kill -9 $(cat $HERE/agent.1); gone $w && echo its worker is gone; "
	                       "kill -CONT $(cat $HERE/agent.0); ends"),
	           0, "its worker is gone", "agent 1 of 2 on host host0 has left",
	           "process 1 of 2 was its worker", "agent 0 ended with 1",
	           "agent 1 ended with 137");
}

/* All workers are gone, and the run can be resumed. */
TEST(an_interrupted_run_leaves_nothing)
{
	cli_expect(shell(LONG,
	                 "begin 3 1; all=\"$(worker 0) $(worker 1)\"; "
	                 "kill -INT $(cat $HERE/agent.0); ends; gone $all && echo nothing is left"),
	           0, "agent 0 ended with 130", "agent 1 ended with 1",
	           "the run ended with exit status 130", "nothing is left");
}

/* A trial that takes too long: what its workers said is in its sentence's log, and the next one has
 * the same agents. The seed has it before another trial. */
TEST(a_trial_that_times_out_frees_its_agents)
{
	cli_expect(shell(QUICK "[variant stuck]\nmode = processes\nbackend = null\ndelay = 50s\n"
	                       "wait = block\n",
	                 "begin 2 1 backend=null ranks=2 timeout=6 cell_timeout=40 seed=1; ends"),
	           0, "agent 0 ended with 1", "timed out after 6 s");
	char *record = here_read("trials.jsonl");
	assert_says(strstr(record, "timed out after 6 s"), "\"launcher\":\"join\"");
}

/* The others end too when the first agent is killed, and what it has started. The next begins. */
TEST(the_first_agent_takes_all_along)
{
	cli_expect(shell(LONG, "begin 2 1; worker 0 >/dev/null; worker 1 >/dev/null; "
	                       "all=\"$(children 0) $(children 1)\"; "
	                       "kill -9 $(cat $HERE/agent.0); gone $all; ends; "
	                       "begin 2 1 isolated_calls=1 delay=0; ends"),
	           0, "agent 0 ended with 137", "agent 1 ended with 1",
	           "the agent of rank 0, which runs the experiment, has left",
	           "agent 0 ended with 0");
}

/* torchrun on hosta and hostb, an agent each, with no secret set; what `meanwhile` does, and how
 * the first one ends. */
static void on_rig(const char *experiment, const char *meanwhile, int code, const char *words)
{
	cli_write(folder, "t.exp", experiment);
	cli_write(folder, "meanwhile", meanwhile);
	unsetenv("LAUNCHGAP_RENDEZVOUS");
	unsetenv("LAUNCHGAP_SECRET");
	struct cli cli = here_shell(
	    "timeout -k 5 100 tests/rig/hosts 2 -- sh -c 'for n in 1 0; do "
	    "on $([ $n = 0 ] && echo hosta || echo hostb) tests/rig/torchrun --nnodes 2 "
	    "--node-rank "
	    "$n --nproc-per-node 1 --master-addr hosta --no-python $LAUNCHGAP join --file "
	    "$HERE/t.exp --results $HERE/results --no-report & done; p=$!; "
	    ". $HERE/meanwhile; wait $p'");
	if (cli.code == 77) {
		print_message("%s", cli.out);
		skip();
	}
	cli_expect(cli, code, "2 agents joined on 2 hosts (hosta: 1, hostb: 1)", words);
}

/* Whatever the first agent is taken for: an order's numbers and texts have their bounds. */
TEST(an_order_is_checked_before_it_is_obeyed)
{
	static struct agent_order right = {
	    .rank = 3, .processes = 4, .nenv = 1, .by = "join", .env = {"NCCL_A=1"}};
	struct agent_order *wrong = malloc(sizeof *wrong);
	assert_works(agent_check(&right, WHY));
	for (unsigned i = 0; i < 8; i++) {
		memcpy(wrong, &right, sizeof right);
		// clang-format off
		switch (i) {
		case 0: wrong->rank = 4; break;
		case 1: strcpy(wrong->env[0], "LD_PRELOAD=/x.so"); break;
		case 2: wrong->processes = UINT32_MAX; break;
		case 3: wrong->nenv = TRIAL_MAX_ENV + 1; break;
		case 4: memset(wrong->address, 'x', sizeof wrong->address); break;
		case 5: strcpy(wrong->env[0], "PATH=/x"); break;
		case 6: memset(wrong->order, 'x', sizeof wrong->order); break;
		default: memset(wrong->env[0], '=', sizeof wrong->env[0]); break;
		}
		// clang-format on
		assert_refused(agent_check(wrong, WHY),
		               i == 1   ? "LD_PRELOAD is no variable that agents take"
		               : i == 5 ? "PATH is no variable that agents take"
		                        : "it is no order");
	}
	free(wrong);
}

/* Of much that a worker prints the last whole lines are kept. */
TEST(the_last_lines_of_a_worker_are_kept)
{
	const struct agent_order order = {.job = 7, .processes = 2, .rank = 1, .by = "join"};
	struct agent_worker hand = {.said = -1};
	struct agent_end end;
	bool ended = false;
	char *script = test_text("%s/worker", folder);
	cli_write(folder, "worker", "#!/bin/sh\nseq 100000\necho launchgap: $1 $2 $4 $5\nexit 3\n");
	assert_int_equal(chmod(script, 0700), 0);
	assert_int_equal(
	    agent_worker_start(&hand, &order, script, "0123456789abcdef0123456789abcdef", -1, WHY),
	    0);
	for (unsigned i = 0; i < 5000 && !ended; i++) {
		usleep(2000);
		agent_worker_hear(&hand);
		ended = agent_worker_ended(&hand, &end);
	}
	assert_true(ended);
	assert_int_equal(end.job, 7);
	assert_int_equal(WEXITSTATUS(end.status), 3);
	assert_true(strlen(end.said) > 1000 && atoi(end.said) > 90000);
	assert_says(end.said, "\n99999\n100000\nlaunchgap: worker join 2 spin\n");
	assert_false(agent_worker_ended(&hand, &end));
}

/* With networks of their own. */
TEST(hosts_of_namespaces_join)
{
	on_rig(ONE_EACH("isolated_calls = 1\n"), "", 0, "");
	assert_two_hosts("hosta", "hostb");
}

/* Nothing says that its connection is lost: the agent does not answer, and the run ends. */
TEST(a_host_that_is_cut_off_is_named)
{
	on_rig(ONE_EACH("isolated_calls = 200\ndelay = 100ms\n"),
	       "for i in $(seq 300); do ls $HERE/results/t/*/trials.jsonl >/dev/null 2>&1 && "
	       "break; sleep 0.1; done; "
	       "sleep 1; hostlink hostb down",
	       1, "agent 1 of 2 on host hostb did not answer; process 1 of 2 was its worker");
}
