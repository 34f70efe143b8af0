/* Runs over several hosts: simulated ones, and those of tests/rig, with each launcher that reaches
 * them. What a record has to have then: all workers' facts, stamps of one clock. */
#include "here.h"
#include "json.h"

#define FEW                                                                                        \
	"; A test.\n[experiment]\ncollective = all_reduce\nbytes = 4K\nblocks = 1\nwarmup = 1\n"   \
	"stretches = 1\ncalls = 2\nisolated_calls = 3\nlimit = no\n"
/* Hosts of the rig share cores. */
#define PROCESSES "[variant p]\nmode = processes\nwait = yield\n"
#define MODES                                                                                      \
	"[variant processes]\nmode = processes\nwait = yield\n[variant threads]\nmode = "          \
	"threads\nwait = yield\n"                                                                  \
	"[variant single]\nmode = single\nwait = yield\n"
#define MIXED "[variant mixed]\nlayout = 4x2x1\n"
/* How far apart the hosts of the rig have their clocks, where the kernel can do that. */
#define APART_NS 1e12

/* A run of `file` on the rig, from its first host or from where `from` says. What this machine
 * cannot do is said, and the test skipped. */
static struct cli on_rig(const char *rig, const char *from, const char *text, const char *keys)
{
	struct cli cli;
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	cli = here_shell("OMPI_MCA_plm_rsh_agent=agent PRTE_MCA_plm_ssh_agent=agent timeout -k 5 "
	                 "110 tests/rig/%s -- %s $LAUNCHGAP "
	                 "run --file %s --results %s --no-report %s",
	                 rig, from, file, results, keys);
	if (cli.code == 77) {
		print_message("%s", cli.out);
		skip();
	}
	return cli;
}

static void needs_mpirun(void)
{
	if (system("mpirun --version 2>&1 | grep -q 'Open MPI'")) {
		print_message("Open MPI's mpirun is not on the PATH\n");
		skip();
	}
}

/* --- what a record has --- */

static int64_t stamp(const json_t *line, const char *key, size_t rank, size_t row)
{
	const json_t *of_rank = json_array_get(json_object_get(line, key), rank);
	assert_true(json_is_integer(json_array_get(of_rank, row)));
	return json_integer_value(json_array_get(of_rank, row));
}

/* All ranks meet before each isolated call: it begins when the call before it has ended on all
 * ranks, of all hosts. Stamps of different clocks would not be in this order, or by chance within
 * `wrong_ns`. */
static void assert_one_clock(const json_t *line, double wrong_ns)
{
	const size_t ranks = json_array_size(json_object_get(line, "start_ns")),
	             rows = json_array_size(json_array_get(json_object_get(line, "start_ns"), 0));
	assert_true(ranks > 1);
	for (size_t row = 1; row < rows; row++)
		for (size_t a = 0; a < ranks; a++)
			for (size_t b = 0; b < ranks; b++)
				assert_true((double)(stamp(line, "start_ns", a, row) -
				                     stamp(line, "idle_ns", b, row - 1)) >=
				            -wrong_ns);
}

/* The record's `hosts`: what is said of each clock is true of it. Returns the sum of bounds. */
static double assert_hosts(const json_t *hosts)
{
	double wrong_ns = 0;
	assert_int_equal(json_array_size(hosts), 2);
	for (size_t h = 0; h < 2; h++) {
		const json_t *host = json_array_get(hosts, h);
		const double offset_ns =
		                 json_number_value(json_object_get(host, "clock_offset_ns")),
		             bound_ns = json_number_value(json_object_get(host, "clock_bound_ns"));
		assert_true(bound_ns >= 0 && (h == 0) == (bound_ns == 0));
		if (fabs(offset_ns) > bound_ns)
			assert_true(h && fabs(offset_ns - APART_NS) <= bound_ns);
		assert_true(json_integer_value(json_object_get(host, "meets")) > 0);
		wrong_ns += bound_ns;
	}
	return wrong_ns;
}

/* Each worker says which host it was on, host after host. */
static void assert_facts(const json_t *facts, const char *const names[2])
{
	const size_t workers = json_array_size(facts);
	assert_true(workers >= 2 && workers % 2 == 0);
	for (size_t w = 0; w < workers; w++) {
		const char *host =
		    json_string_value(json_object_get(json_array_get(facts, w), "host"));
		const char *name = names[w / (workers / 2)];
		assert_non_null(host);
		assert_int_equal(strncmp(host, name, strlen(name)), 0);
	}
}

/* Of all trials; returns how many. */
static unsigned assert_record(const char *const names[2])
{
	char *text = here_read("trials.jsonl"), *rest = text, *next;
	unsigned trials = 0;
	double wrong_ns = 0;
	assert_non_null(text);
	for (; (next = strtok_r(rest, "\n", &rest));) {
		json_t *line = json_loads(next, 0, NULL);
		assert_non_null(line);
		const json_t *facts = json_object_get(line, "facts");
		if (facts) {
			assert_facts(facts, names);
			wrong_ns = assert_hosts(json_object_get(line, "hosts"));
			trials++;
		}
		if (json_object_get(line, "start_ns"))
			assert_one_clock(line, wrong_ns);
		json_decref(line);
	}
	return trials;
}

static const char *const simulated[] = {"simulated0", "simulated1"};
static const char *const of_rig[] = {"hosta ", "hostb "};

/* --- each launcher --- */

TEST(exec_pretends_hosts_in_every_mode)
{
	cli_expect(
	    here_run(FEW MODES MIXED, "backend=null", "ranks=8", "hosts=2", "launcher=exec", NULL),
	    0, "8 ranks on null");
	assert_int_equal(assert_record(simulated), 5);
	json_t *report = json_report(here_path("report.json"));
	assert_int_equal(json_count(report, "hosts"), 2 * 4);
	json_assert_number(
	    json_entries(report, "hosts", JSON_IS("variant", "mixed", "host", "simulated host 1")),
	    "ranks", 4, 0);
}

TEST(mpirun_reaches_hosts_in_every_mode)
{
	needs_mpirun();
	cli_expect(on_rig("hosts 2", "on hosta", FEW MODES,
	                  "backend=null ranks=4 launcher=mpirun hosts=hosta:8,hostb:8"),
	           0, "4 ranks on null");
	assert_int_equal(assert_record(of_rig), 4);
}

/* One rank on each host is a process too. */
TEST(data_between_hosts_is_right_to_the_last_byte)
{
	needs_mpirun();
	cli_expect(on_rig("hosts 2", "on hosta", FEW PROCESSES,
	                  "backend=mpi ranks=2 launcher=mpirun hosts=hosta:1,hostb:1 "
	                  "collective=alltoall"),
	           0, "2 ranks on mpi");
	assert_int_equal(assert_record(of_rig), 2);
}

/* Its ranks find each other through the link of their hosts, on its network; and again for each
 * connection, and for each group. */
static void needs_gloo(void)
{
	if (system("test -e ${LAUNCHGAP%/*}/liblaunchgap_gloo.so")) {
		print_message("Gloo's part is not built\n");
		skip();
	}
}

TEST(gloo_connects_hosts_again_and_again)
{
	needs_gloo();
	needs_mpirun();
	cli_expect(on_rig("hosts 2", "on hosta", FEW MODES,
	                  "backend=gloo ranks=4 launcher=mpirun hosts=hosta:2,hostb:2 "
	                  "connections=2 collective=alltoall"),
	           0, "4 ranks on gloo");
	assert_int_equal(assert_record(of_rig), 3);
	char *text = here_read("trials.jsonl");
	assert_says(text, "TCP on 10.77.0.1");
	assert_says(text, "TCP on 10.77.0.2");
}

/* What the other host's ranks have received comes to the first one: so does a wrong bit. */
TEST(wrong_data_of_another_host_is_found)
{
	needs_mpirun();
	cli_expect(on_rig("hosts 2", "on hosta", FEW PROCESSES "flip = 1:5\n",
	                  "backend=mpi ranks=2 launcher=mpirun hosts=hosta:1,hostb:1"),
	           1, "wrong data in all_reduce of 4096 bytes", "rank 1, byte 4");
}

TEST(srun_reaches_the_hosts_of_its_allocation)
{
	needs_mpirun();
	cli_expect(on_rig("slurm 2", "salloc -N 2 --ntasks-per-node=1 on hosta", FEW PROCESSES,
	                  "backend=mpi ranks=2 launcher=srun hosts=2"),
	           0, "2 ranks on mpi");
	assert_int_equal(assert_record(of_rig), 2);
}

/* --- what cannot be --- */

/* mpirun's own host has the first process, unless it is none of the hosts: as a login node. */
TEST(a_run_from_beside_its_hosts_says_so)
{
	needs_mpirun();
	cli_expect(on_rig("hosts 2", "", FEW PROCESSES,
	                  "backend=null ranks=2 launcher=mpirun hosts=hosta:1,hostb:1"),
	           1, "the first process is on host hosta, which does not have the run's files");
}

TEST(threads_need_two_ranks_on_each_host)
{
	cli_expect(here_run(FEW "[variant p]\nmode = processes\n[variant t]\nmode = threads\n",
	                    "backend=null", "ranks=2", "launcher=exec", "hosts=2", "--dry-run",
	                    NULL),
	           0, "left out: t: mode threads cannot place 1 rank on each host");
}

TESTS(.slow = true, .undrawn = true, .before = set_up, .after = tear_down);
