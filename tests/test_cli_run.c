/* Mistakes of a first-time user: wrong words, keys that fight the file, a run that is stopped, a
 * machine without GPUs. */

#include "here.h"
#include "json.h"

#define QUICK                                                                                      \
	"; Quick?\n[experiment]\ncollective = alltoall\nbytes = 4K\nbackend = null\n"              \
	"ranks = 2\nblocks = 2\npace = stream\ncalls = 2\n"
#define MODES                                                                                      \
	"[variant single]\nmode = single\n[variant threads]\nmode = threads\n"                     \
	"[variant processes]\nmode = processes\n"

#define SAYS(ARGUMENTS, CODE, ...) cli_expect(here_call(ARGUMENTS), CODE, __VA_ARGS__)

TEST(what_was_meant_is_said)
{
	SAYS("rnu smoke", 2, "unknown verb 'rnu' (did you mean 'run'?)");
	SAYS("-b 8", 2, "unknown verb '-b': nccl-tests' option is the key 'bytes' here");
	SAYS("run all_reduce_perf", 1, "verbs here, as `launchgap all_reduce_perf`");
	SAYS("all_gahter_perf", 2, "verbs here, as `launchgap all_reduce_perf`");
	SAYS("run smoke -b 8", 1,
	     "run: '-b' is not understood: nccl-tests' option is the key 'bytes'");
	SAYS("run smoke dtype=float", 1, "dtype = 'float' is not known (did you mean 'float32'?)");
	SAYS("doctor", 0, "null ", "runs on any machine", "/dev/shm", "cores");
	SAYS("list lauchers", 1,
	     "(did you mean 'launchers'?); allowed is modes, launchers, backends");
	SAYS("list modes collectives", 1, "list: 'collectives' is not understood");
	SAYS("frobnicate", 2, "unknown verb 'frobnicate' (`launchgap help`");
	SAYS("help reprot", 2, "did you mean 'report'?");
	SAYS("run smoek --results $HERE/results", 1, "(did you mean 'smoke'?)");
	SAYS("run smoke --dryrun", 1, "'--dryrun' is not understood (did you mean '--dry-run'?)");
	SAYS("run smoke rank=2 --results $HERE/results", 1,
	     "unknown key 'rank' (did you mean 'ranks'?)");
	SAYS("run smoke pace=streams --results $HERE/results", 1, "(did you mean 'stream'?)");
	SAYS("run smoke collective=all-reduce --results $HERE/results", 1,
	     "(did you mean 'all_reduce'?)");
	SAYS("run smoke reference=thread --results $HERE/results", 1, "(did you mean 'threads'?)");
	SAYS("run smoke --only thread --results $HERE/results", 1,
	     "--only = 'thread' names no variant (did you mean 'threads'?)");
	SAYS("list experiment", 1,
	     "(did you mean 'experiments'?); allowed is modes, launchers, backends");
	assert_int_equal(access(results, F_OK), -1);
}

TEST(lists_say_what_is_allowed)
{
	SAYS("list keys", 0,
	     "  bind              where workers may run [none, core, numa, near-gpu, close];\n"
	     "                    default near-gpu\n",
	     "  blocks            trials of each variant [1 to 1000]; default 10\n",
	     "default write (nccl)", " [claim NAME]\n", " [search]\n", "4K..64K +4K; required\n");
	struct cli cli = here_call("--version");
	assert_lacks(cli.out, "with without"); /* of a build that lacks CUDA */
	cli_expect(cli, 0, "launchgap ", "built with ", "hwloc", "MPI");
}

/* A folder of runs is none itself; its last one is. */
TEST(a_folder_of_runs_names_its_last)
{
	char *runs = test_text("%s/runs", folder);
	char *last = test_text("%s/20261122T195305Z", runs);
	assert_int_equal(mkdir(runs, 0777), 0);
	cli_write(runs, "other", "");
	for (unsigned has = 0; has < 2; has++) {
		static const char *const verbs[] = {"report %s", "resume %s", "compare %s %s"};
		if (has) {
			assert_int_equal(mkdir(last, 0777), 0);
			cli_write(last, "trials.jsonl", "");
		}
		for (unsigned i = 0; i < 3; i++) {
			struct cli cli = here_call(test_text(verbs[i], runs, runs));
			assert_true(cli.code > 0);
			assert_says(cli.out, "holds no trials.jsonl");
			assert_says_if(has, cli.out, test_text("(did you mean '%s'?)", last));
		}
	}
}

/* Each writes its files beside the others', and the last one's stay. */
TEST(several_reports_of_one_run_do_not_meet)
{
	cli_expect(here_call("run smoke backend=null bytes=4K --only threads,single --no-report "
	                     "--results $HERE/results"),
	           0, "smoke");
	cli_expect(
	    here_shell("d=$HERE/results/smoke/latest; for i in 1 2 3 4; do "
	               "{ $LAUNCHGAP report $d || echo FAILED; } >$HERE/$i 2>&1 & done; wait; "
	               "! grep -l FAILED $HERE/[1-4] && ! ls $d/*.part && "
	               "tail -c 2 $d/report.json"),
	    0, "}");
}

/* What is printed for people stays within a terminal's 80 columns. */
TEST(lists_fit_a_terminal)
{
	struct cli cli =
	    here_shell("for v in list 'list keys' help doctor 'run h800_alltoall --dry-run'; do "
	               "$LAUNCHGAP $v; done; for v in run resume report compare tour list; "
	               "do $LAUNCHGAP help $v; done");
	assert_narrow(cli.out);
	cli_expect(cli, 0, "launchgap list");
}

TEST(what_fights_the_variants_is_refused)
{
	SAYS("run smoke backend=null mode=threads --results $HERE/results", 1,
	     "single, threads, processes. To measure some of them alone, say --only threads");
	SAYS("run smoke backend=null layout=1x2x1 --results $HERE/results", 1, "--only");
	SAYS("run launch backend=null start=free --results $HERE/results", 1,
	     "--only single,threads,");
	SAYS("run smoke backend=host op=max --results $HERE/results", 1,
	     "op = max is used by no collective of the experiment: none of alltoall reduces");
	assert_int_equal(access(results, F_OK), -1);
}

TEST(some_variants_alone)
{
	cli_write(folder, "t.exp",
	          QUICK "reference = single\n" MODES "[factor f]\nfrom = single\nto = threads\n"
	                "[factor g]\nfrom = threads\nto = processes\n"
	                "[claim c]\ntext = x\nleft = single\nright = threads\nmetric = time\n"
	                "is = within 2%\n");
	SAYS("run --file $HERE/t.exp --only threads,processes --no-report --results $HERE/results",
	     0,
	     "left out by --only: single, and 2 factors or claims about them; the reference is "
	     "threads in place of single");
	char *record = here_read("trials.jsonl");
	assert_says(record, "\"name\":\"processes\",\"role\":\"variant\"");
	assert_says(record, "\"name\":\"threads\",\"role\":\"reference\"");
	assert_says(record, "\"name\":\"threads-again\",\"role\":\"again\"");
	assert_lacks(record, "\"name\":\"single\"");
	assert_says(record, "\"name\":\"g\"");
	assert_lacks(record, "\"name\":\"f\"");
	SAYS("run --file $HERE/t.exp --only threads reference=single --results $HERE/results", 1,
	     "reference = 'single' names no variant");
	SAYS("run --file $HERE/t.exp --only , --results $HERE/results", 1,
	     "--only names no variant");
}

TEST(a_dry_run_measures_nothing)
{
	SAYS("run smoke backend=host --dry-run --results $HERE/results", 0, "variants\n  single ",
	     "the reference again", "6 in each job: alltoall; 3 sizes", "30: 5 in each of 6",
	     "memory\n  16 MiB for each of 2 ranks", "disk\n  about ",
	     "time\n  estimate: ", " s; from typical figures");
	SAYS("run smoke backend=host --dry-run --only threads --results $HERE/results", 0,
	     "18: 3 in each of 6 blocks", "left out by --only: single, processes");
	SAYS("run smoke backend=host ranks=1000000 --dry-run --results $HERE/results", 1,
	     "ranks = '1000000'");
	assert_int_equal(access(results, F_OK), -1);
	cli_write(folder, "t.exp", QUICK "[variant a]\nmode = threads\nbnd = core\n");
	SAYS("run --file $HERE/t.exp --dry-run", 1,
	     "t.exp:12: unknown key 'bnd' (did you mean 'bind'?)");
}

/* A copy of the program by itself, in a folder without experiments. */
TEST(a_file_needs_no_experiments_folder)
{
	cli_write(folder, "t.exp", QUICK MODES);
	cli_expect(here_shell("mkdir -p $HERE/a/b && cp $LAUNCHGAP $HERE/a/b/lg && cd $HERE && "
	                      "a/b/lg run --file t.exp --only single --results results"),
	           0, "report.md");
	cli_expect(here_shell("$HERE/a/b/lg run smoke"), 1, "--file FILE takes a file's path");
}

/* A full disk is distinguished from a reader that has seen enough; no output at all is what the
 * user asked for. */
TEST(what_cannot_be_printed_is_said)
{
	int ends[2];
	cli_expect(here_shell("$LAUNCHGAP list keys >/dev/full"), 1,
	           "standard output cannot be written");
	cli_expect(here_shell("$LAUNCHGAP compare results/nowhere results/nowhere >/dev/full"), 2,
	           "");
	cli_expect(here_shell("$LAUNCHGAP list keys >&-"), 0, "");
	cli_expect(here_shell("$LAUNCHGAP list keys <&- >&-"), 0, "");
	/* The reader is gone before anything is printed. */
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	cli_expect(here_shell("$LAUNCHGAP list keys >&%d", ends[1]), 0, "");
	close(ends[1]);
}

/* Ctrl-C: it keeps what it has, and leaves nothing; the command that it namescompletes it. */
TEST(a_run_is_gone_on_with)
{
	char path[512], scratch[128] = "";
	struct stat folder_is, latest_is;
	cli_write(folder, "t.exp",
	          "; q\n[experiment]\ncollective = alltoall\nbytes = 4K\nbackend = null\nlimit = "
	          "no\nranks = 2\nblocks = 4\npace = isolated\nisolated_calls = 50\n"
	          "delay = 4ms\nwait = block\n[variant a]\nmode = processes\n[variant b]\nmode = "
	          "threads\n");
	pid_t pid = cli_start(folder, (const char *[]){"run", "--file", file, "--results", results,
	                                               "--no-report", "warmup=1", NULL});
	strcpy(path, here_waits_for(3));
	cli_scratch(pid, scratch, sizeof scratch);
	assert_says(scratch, "launchgap-");
	kill(pid, SIGINT);
	struct cli cli = cli_wait(pid, folder, 30);
	cli_expect(cli, 130, "interrupted", " block");
	assert_true(cli_lines(path) >= 3);
	assert_int_equal(cli_processes(scratch), 0);
	assert_int_equal(access(scratch, F_OK), -1); /* vader's shared memory was in it */
	*strrchr(path, '/') = '\0';
	assert_int_equal(stat(here_path("../latest"), &latest_is) | stat(path, &folder_is), 0);
	assert_int_equal(latest_is.st_ino, folder_is.st_ino);
	/* The time that it takes is the report's to say: two would differ. */
	char *how = strstr(cli.out, " kept. To go on: ");
	assert_non_null(how);
	how = strstr(how, "n: ") + strlen("n: ");
	how[strcspn(how, "\n")] = '\0';
	/* delay=0 is another run: resume refuses it */
	cli_expect(here_shell("%s --no-report delay=0", how), 1, "cannot resume: `variants`");
	const char *command = test_text("resume %s --no-report", here_path(""));
	SAYS(command, 0, "block 4 of 4");
	SAYS(command, 1, "has all 4 blocks; blocks=N adds N more");
	SAYS(test_text("%s blocks=1", command), 0, "block 5 of 5");
	struct record_run record = cli_record(here_path(""));
	assert_int_equal(record_next_block(&record), 5);
	SAYS("resume", 1, "resume needs a run's folder");
	SAYS("resume /nonexistent", 1, "/nonexistent");
}

/* With as many claims as the page has no room for, results are there, and the claims are named. */
TEST(results_are_above_claims_at_a_runs_end)
{
	char text[4000] = "; q\n[experiment]\ncollective = alltoall\nbytes = 4K\nbackend = null\n"
	                  "ranks = 2\nblocks = 1\nlimit = no\npace = isolated\n";
	for (int i = 0; i < 8; i++)
		status_add(text, sizeof text, "[variant v%d]\nmode = threads\nextra = %dus\n", i,
		           i);
	for (int i = 0; i < 24; i++)
		status_add(text, sizeof text,
		           "[claim c%d]\ntext = It is so %d\nleft = v%d\nright = v0\nmetric = "
		           "latency\nis = less by 2%%\n",
		           i, i, i % 7 + 1);
	cli_write(folder, "t.exp", text);
	struct cli cli = here_shell("$LAUNCHGAP run --file $HERE/t.exp --results $HERE/results");
	const char *results_at = strstr(cli.out, "\nResults\n");
	assert_true(results_at && strstr(results_at, "\n  v7 "));
	assert_says(strstr(results_at, "In the report too: "), "Claims");
}

/* Threads and the reference have one process, which none of them starts. */
TEST(a_launcher_is_of_variants_with_several_processes)
{
	cli_write(folder, "t.exp", QUICK MODES);
	SAYS("run --file $HERE/t.exp --no-report --results $HERE/results backend=null blocks=1 "
	     "launcher=exec",
	     0, "block 1");
	struct record_run record = cli_record(here_path(""));
	assert_int_equal(record.nfailures, 0);
	assert_int_equal(record_block_trials(&record), record.nvariants);
	SAYS("run --file $HERE/t.exp launcher=exce --dry-run", 1, "launcher = 'exce' is not known");
}

TEST(far_more_ranks_than_cores_are_refused)
{
	SAYS("run smoke backend=host ranks=1000 --results $HERE/results", 1, "ranks = 1000 on ",
	     "ranks_per_core = ", "allowed are ");
	assert_int_equal(access(results, F_OK), -1);
	SAYS("run smoke backend=host ranks=1000 ranks_per_core=1000 --dry-run", 0, "1000 ranks");
}

/* | head: no error message, and all files are whole. */
TEST(a_reader_that_leaves_is_no_error)
{
	cli_write(folder, "t.exp", QUICK MODES);
	SAYS("run --file $HERE/t.exp --only single --no-report --results $HERE/results", 0,
	     "block 2 of 2");
	const char *const commands[] = {test_text("report %s", here_path("")), "list"};
	for (unsigned i = 0; i < 2; i++) {
		struct cli cli =
		    here_shell("{ $LAUNCHGAP %s; echo $? >$HERE/code; } 2>$HERE/noise | true; "
		               "cat $HERE/code $HERE/noise",
		               commands[i]);
		assert_string_equal(cli.out, "0\n");
		cli_expect(cli, 0, "");
	}
	assert_true(cli_lines(here_path("report.md")) > 10);
}

/* mpirun and gnuplot are required only for what needs them. */
TEST(what_is_not_installed_is_done_without)
{
	cli_write(folder, "t.exp", QUICK MODES);
	cli_expect(
	    here_shell("PATH=$HERE $LAUNCHGAP run --file $HERE/t.exp "
	               "--results $HERE/results reference=threads"),
	    0, "Processes are started by launcher exec, without MPI: mpirun is not on the PATH");
	json_t *report = json_report(here_path("report.json"));
	json_says(report, "warnings", "no pictures, for there is no gnuplot here");
	assert_int_equal(json_rows(json_table(report, "variants"), JSON_IS("variant", "threads")),
	                 1);
	assert_int_equal(json_rows(json_table(report, "variants"), JSON_IS("variant", "processes")),
	                 1);
}

/* A fault that is always found, so that one of three trials fails. */
TEST(a_failed_trial_says_how_its_block_is_replaced)
{
	char path[256];
	struct cli cli = run_two("host",
	                         "collective = alltoall\nbytes = 4K\n[variant a]\nmode = threads\n"
	                         "[variant wrong]\nmode = threads\nflip = 0:0\n",
	                         "--no-report");
	cli_result(folder, "t", "", path, sizeof path);
	char *said = test_text(
	    "1 trial failed; the report names it. To measure 1 block instead of the one that "
	    "lacks a trial: %s resume %s blocks=1\n",
	    getenv("LAUNCHGAP"), path);
	cli_expect(cli, 1, said);
	cli_expect(cli_call(folder, "resume", path, NULL), 1,
	           "blocks=N adds N more, for example to replace those with a failed trial");
}

/* mpirun waited for ever for a pipe. A limit that may be raised is raised. */
TEST(too_few_open_files_are_said)
{
	static const struct {
		const char *limit, *said;
		int code;
	} cases[] = {{"-n 8", "2 ranks need up to 72 open files, but the limit is 8; raise it", 1},
	             {"-n 32", "but the limit is 32; raise it: ulimit -n 72\n", 1},
	             {"-S -n 32", "", 0}};
	cli_write(folder, "t.exp", QUICK MODES);
	for (unsigned i = 0; i < LENGTH(cases); i++)
		cli_expect(here_shell("ulimit %s; exec $LAUNCHGAP run --file $HERE/t.exp "
		                      "--results $HERE/results --no-report",
		                      cases[i].limit),
		           cases[i].code, cases[i].said);
}

/* In a job of Slurm's on other hosts, one host is meant all the same. */
TEST(processes_run_here_in_a_job_of_several_hosts)
{
	static const char *const job[][2] = {
	    {"SLURM_JOBID", "7"},      {"SLURM_JOB_ID", "7"},
	    {"SLURM_NODELIST", "a,b"}, {"SLURM_JOB_NODELIST", "a,b"},
	    {"SLURM_NNODES", "2"},     {"SLURM_TASKS_PER_NODE", "2(x2)"}};
	if (system("command -v mpirun >/dev/null"))
		skip();
	for (size_t i = 0; i < LENGTH(job); i++)
		setenv(job[i][0], job[i][1], 1);
	struct cli cli = run_two("null",
	                         "collective = alltoall\nbytes = 4K\n[variant a]\n"
	                         "mode = processes\n",
	                         "--no-report");
	for (size_t i = 0; i < LENGTH(job); i++)
		unsetenv(job[i][0]);
	cli_expect(cli, 0, "");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
