/* Hosts that are no machines, and the launchers on them (tests/rig): what tests of several hosts rest
 * on. Here ordinary programs run on them. */
#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "here.h"
#include "test.h"

#define MPIRUN "mpirun --allow-run-as-root --mca plm_rsh_agent agent --bind-to none "

/* A script of tests/rig with its arguments, 2 minutes at most. What this machine cannot do is said, and
 * the test skipped. */
static struct cli rig(const char *script)
{
	struct cli cli = here_shell("timeout -k 5 120 tests/rig/%s", script);
	if (cli.code == 77) {
		print_message("%s", cli.out);
		free(cli.out);
		skip();
	}
	return cli;
}

/* Whether a process is in a network namespace that the text names. */
static bool inside(unsigned pid, const char *namespaces)
{
	char path[64], net[64];
	snprintf(path, sizeof path, "/proc/%u/ns/net", pid);
	ssize_t n = readlink(path, net, sizeof net - 1);
	net[n > 0 ? n : 0] = 0;
	return n > 0 && strstr(namespaces, net);
}

/* The numbers of those that are. */
static unsigned all_inside(const char *namespaces, unsigned pids[32])
{
	struct dirent *entry;
	unsigned n = 0;
	DIR *dir = opendir("/proc");
	while (dir && (entry = readdir(dir)) && n < 32) {
		unsigned pid = (unsigned)strtoul(entry->d_name, NULL, 10);
		if (pid && inside(pid, namespaces))
			pids[n++] = pid;
	}
	if (dir)
		closedir(dir);
	return n;
}

TEST(hosts_have_names_and_reach_each_other)
{
	cli_expect(
	    rig("hosts 3 -- sh -c 'hostname; for h in hosta hostb hostc; do "
	        "echo $(on $h hostname) $(on $h getent hosts hostb); done; "
	        "on hosta bash -c \"</dev/tcp/hostc/9\"; on hostd true; exit 7'"),
	    7, "login\nhosta 10.77.0.2 hostb\nhostb 10.77.0.2 hostb\nhostc 10.77.0.2 hostb\n",
	    "Connection refused", "hostd is no host here; there are: login hosta hostb hostc");
}

/* Neither memory nor networks: else ranks of two hosts could meet without a link. UCX finds networks
 * in /sys. */
TEST(hosts_share_files_and_nothing_else)
{
	cli_expect(rig("hosts 2 -- sh -c 'touch $HERE/all; on hosta touch /dev/shm/own; "
	               "for h in login hosta hostb; do on $h ls $HERE/all >/dev/null && "
	               "echo $h: $(on $h ls /dev/shm). $(on $h ls /sys/class/net).; "
	               "on $h readlink /proc/self/ns/net; done | tee $HERE/seen; "
	               "grep net: $HERE/seen | sort -u | wc -l | sed s/^/networks:/'"),
	           0, "login: . hosta hostb lo switch.", "hosta: own. lo rig0.",
	           "hostb: . lo rig0.", "networks:3");
}

TEST(links_are_bounded_taken_away_and_given_back)
{
	cli_expect(
	    rig("hosts 2 100mbit -- sh -c 'reach() { on hosta timeout $1 bash -c "
	        "\"</dev/tcp/hostb/9\" 2>&1 | grep -q refused && echo $2 yes || echo $2 no; }; "
	        "echo host: $(on hosta tc qdisc | grep -c \"tbf.* rate 100Mbit\"); "
	        "echo switch: $(tc qdisc | grep -c \"tbf.* rate 100Mbit\"); "
	        "reach 20 first; hostlink hostb down; on hostb ip link show rig0; reach 1 down; "
	        "hostlink hostb up; reach 20 up; "
	        "hostlink hosta 3mbit; on hosta tc qdisc; tc qdisc show dev hostb'"),
	    0, "host: 1", "switch: 2", "first yes", "NO-CARRIER", "down no", "up yes", "rate 3Mbit",
	    "rate 100Mbit");
}

/* As the script ends, and as it is killed: no process in the hosts' namespaces, with which their
 * interfaces and mounts go; and the machine has never seen any of it. */
TEST(nothing_stays)
{
	static const char *const ends[] = {"touch $HERE/stop", "kill -TERM $p", "kill -HUP $p",
	                                   "kill -KILL $p"};
	char *before = cli_read("/etc/hosts");
	free(rig("hosts 1 -- true").out);
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct timespec tick = {0, 20000000};
		unsigned pids[32], n, left = 1;
		char path[100];
		cli_expect(
		    here_shell("rm -f $HERE/up $HERE/stop; "
		               /* nohup has it ignored, and no shell can change that */
		               "env --default-signal=HUP tests/rig/hosts 2 10mbit -- sh -c '"
		               "for h in login hosta hostb; do "
		               "on $h readlink /proc/self/ns/net; done >$HERE/nets; "
		               "on hosta sh -c \"sleep 1000; :\" $HERE & touch $HERE/up; "
		               "until [ -e $HERE/stop ]; do sleep 0.02; done' $HERE & "
		               "echo $! >$HERE/pid; "
		               "for i in $(seq 1000); do [ -e $HERE/up ] || sleep 0.02; done; "
		               "ls -d /sys/class/net/hosta /dev/shm/hosts"),
		    2, "'/sys/class/net/hosta': No such file", "'/dev/shm/hosts': No such file");
		snprintf(path, sizeof path, "%s/nets", folder);
		char *nets = cli_read(path);
		assert_non_null(nets);
		assert_int_equal(text_count(nets, "net:["), 3);
		n = all_inside(nets, pids);
		assert_in_range(n, 5, 31); /* two hosts, the first process, its command, a sleep */
		cli_expect(here_shell("p=$(cat $HERE/pid); %s", ends[i]), 0, "");
		/* What a kill has struck goes at once, but not before kill returns. */
		for (unsigned k = 0; k < 3000 && left; k++) {
			left = cli_processes(folder);
			for (unsigned j = 0; j < n; j++)
				left += inside(pids[j], nets);
			nanosleep(&tick, NULL);
		}
		assert_int_equal(left, 0);
		free(nets);
	}
	char *after = cli_read("/etc/hosts");
	assert_string_equal(after ? after : "", before ? before : "");
	free(after);
	free(before);
}

/* Whom the kernel grants a namespace of users has hosts as well. */
TEST(no_rights_are_needed)
{
	static const char user[] = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
	if (geteuid() || system("setpriv --reuid 65534 --regid 65534 --clear-groups "
	                        "test -x tests/rig/hosts 2>/dev/null")) {
		print_message("root alone can become a user who may read this folder\n");
		skip();
	}
	struct cli cli =
	    here_shell("%stests/rig/hosts 2 1gbit -- sh -c 'on hostb hostname; "
	               "on hostb tc qdisc show dev rig0; hostlink hosta down; on hosta ip link'",
	               user);
	if (cli.code == 77) {
		print_message("%s", cli.out);
		free(cli.out);
		skip();
	}
	cli_expect(cli, 0, "hostb\n", "rate 1Gbit", "NO-CARRIER");
}

TEST(mpirun_reaches_them_without_ssh)
{
	if (system("command -v mpirun >/dev/null")) {
		print_message("mpirun is not on the PATH\n");
		skip();
	}
	cli_expect(rig("hosts 2 1gbit -- " MPIRUN
	               "--host hosta:2,hostb:2 -np 4 ${LAUNCHGAP%/*}/tests/rig/world"),
	           0, "rank 0 of 4 on hosta, 4 answered", "rank 1 of 4 on hosta, 4 answered",
	           "rank 2 of 4 on hostb, 4 answered", "rank 3 of 4 on hostb, 4 answered");
}

/* With --mpi=pmix one world. Without it none that has more than one rank: Open MPI ends each process,
 * or each is a world of one. */
TEST(slurm_runs_on_them)
{
	cli_expect(rig("slurm 2 -- sh -c '"
	               "srun -N 2 -n 4 --ntasks-per-node=2 hostname | sort | uniq -c; "
	               "w=${LAUNCHGAP%/*}/tests/rig/world; "
	               "srun --mpi=pmix -N 2 -n 4 --ntasks-per-node=2 $w; "
	               "srun -N 2 -n 2 $w >$HERE/plain 2>&1; "
	               "grep -c -e \"rank 0 of 1 \" -e MPI_Init $HERE/plain | sed s/^/without:/; "
	               "grep -c \"of 2\" $HERE/plain | sed s/^/together:/; exit 9'"),
	           9, "2 hosta\n", "2 hostb\n", "rank 0 of 4 on hosta, 4 answered",
	           "rank 3 of 4 on hostb, 4 answered", "without:2\n", "together:0\n");
}

TEST(the_stand_in_for_torchrun_sets_what_it_sets)
{
	cli_expect(rig("hosts 2 -- sh -c '"
	               "for k in 1 0; do on host$(echo $k | tr 01 ab) torchrun --nnodes=2 "
	               "--node-rank=$k --nproc-per-node=2 --master-addr=hosta --no-python sh -c "
	               "\"echo \\$(hostname) \\$RANK \\$LOCAL_RANK of \\$WORLD_SIZE: "
	               "\\$MASTER_ADDR:\\$MASTER_PORT; sleep 0.5\" & done; wait'"),
	           0, "hosta 0 0 of 4: hosta:29500\n", "hosta 1 1 of 4: hosta:29500\n",
	           "hostb 2 0 of 4: hosta:29500\n", "hostb 3 1 of 4: hosta:29500\n");
	/* The port is taken, as torchrun's store takes it; and who fails takes all others along. */
	cli_expect(rig("torchrun --nproc_per_node 2 --master_port 29511 --no-python bash -c '"
	               "[ $RANK = 0 ] || { </dev/tcp/127.0.0.1/29511 && echo taken; exit 3; }; "
	               "sleep 100'"),
	           1, "taken\n");
}

TESTS(.before = set_up, .after = tear_down);
