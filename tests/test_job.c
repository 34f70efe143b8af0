/* A job ends with the process that started it, and its output is reported. */
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../harness/run/job.h"
#include "../modes/launcher.h"
#include "here.h"

static int told[2], go[2];

/* Replaces libc's: a job stops here before it asks to follow its parent. */
int setpgid(pid_t pid, pid_t group)
{
	pid_t self = getpid();
	char c;
	if (write(told[1], &self, sizeof self) < 0 || read(go[0], &c, 1) < 0)
		_exit(1);
	return (int)syscall(SYS_setpgid, pid, group);
}

/* Replaces libc's. At its first wait the runner has been told nothing, and nothing may wake it;
 * then the job goes on. The wait of the grace is over at once. */
int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	static bool went, gave;
	sigset_t pending;
	if (timeout->tv_sec > 100 && !went) {
		went = !sigpending(&pending);
		assert_false(sigismember(&pending, SIGCHLD));
		cli_write(folder, "go", "\n");
	} else if (timeout->tv_sec && timeout->tv_sec < 100 && !gave) {
		gave = true;
		errno = EAGAIN;
		return -1;
	}
	return (int)syscall(SYS_rt_sigtimedwait, set, info, timeout, _NSIG / 8);
}

/* A job whose program is a script of this line. */
static int begin(const char *line, struct job *job, struct status *st)
{
	static struct cell cell = {.coll = COLL_ALLTOALL, .bytes = 4, .asked_bytes = 4};
	struct trial trial = {.stretches = 1,
	                      .calls = 1,
	                      .isolated_calls = 1,
	                      .arena_bytes = 4,
	                      .ncells = 1,
	                      .cells = &cell};
	char *self = test_text("%s/self", folder);
	cli_write(folder, "self", test_text("#!/bin/sh\n%s\n", line));
	assert_int_equal(chmod(self, 0755), 0);
	settings_default(&trial.settings);
	strcpy(trial.settings.backend, "null");
	trial.settings.layout = (struct layout){1, 1, 1};
	return job_begin(&trial, self, folder, 0, job, st);
}

static void run_job(void)
{
	struct job job;
	job_hold_signals();
	if (!begin("exec sleep 1000", &job, WHY))
		job_measure(&job, 60);
	_exit(0);
}

/* It would run on, for the signal of its parent's death is only of deaths to come. */
TEST(a_parent_that_dies_before_the_job_follows_it_takes_it_along)
{
	const struct timespec tick = {0, 20000000};
	pid_t job;
	int status, ended = 0;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(told), 0);
	assert_int_equal(pipe(go), 0);
	pid_t runner = fork();
	if (runner == 0)
		run_job();
	assert_int_equal(read(told[0], &job, sizeof job), sizeof job);
	kill(runner, SIGKILL);
	assert_int_equal(waitpid(runner, &status, 0), runner);
	assert_int_equal(write(go[1], "x", 1), 1);
	for (unsigned i = 0; i < 500 && !ended; i++) {
		ended = waitpid(job, &status, WNOHANG);
		nanosleep(&tick, NULL);
	}
	kill(job, SIGKILL);
	assert_int_equal(ended, job);
}

/* The reason of the open that failed, after any later calls. */
TEST(a_job_without_its_log_says_why)
{
	struct job job;
	assert_int_equal(mkdir(test_text("%s/order.0.log", folder), 0700), 0);
	assert_int_equal(write(go[1], "x", 1), 1);
	assert_int_equal(begin("true", &job, WHY), -1);
	assert_string_equal(because(), test_text("cannot start %s/self: Is a directory", folder));
}

/* mpirun may wait for a host that is lost, long after its processes have said so. Until then the
 * runner sleeps. */
TEST(a_job_that_has_failed_gets_a_grace_and_no_more)
{
	struct job job;
	assert_int_equal(mkfifo(test_text("%s/go", folder), 0600), 0);
	char *line =
	    test_text("read x <${0%%self}go; printf '\\%o' >$3" LAUNCHER_PIPE "; exec sleep 1000",
	              LAUNCHER_FAILED);
	assert_int_equal(write(go[1], "x", 1), 1);
	job_hold_signals();
	assert_works(begin(line, &job, WHY));
	job_measure(&job, 500);
	job_end(&job);
	job_release_signals();
	assert_int_equal(job.result.end, JOB_EXITED);
	assert_int_equal(job.result.code, 1);
}

/* A job's output; what is reported of it, and as what if its time ran out. */
TEST(the_first_error_is_the_cause)
{
	static const char first[] = "; first error: ", last[] = "; last said: ";
	static const struct {
		const char *log, *as, *cause;
	} cases[] = {{"hello\n[h:7] PMIX ERROR: OUT-OF-RESOURCE in file a.c at line 208\n"
	              "[h:8] OPAL ERROR: Error in file b.c at line 112\n*** MPI_ERRORS_ARE_FATAL\n"
	              "-----\n  Exit code:    1\n-----\n",
	              first, "[h:7] PMIX ERROR: OUT-OF-RESOURCE in file a.c at line 208"},
	             {"[h:7] PMIX ERROR: x\nlaunchgap: no room\nbye\n", first, "no room"},
	             {"-----\nNo \"srun\" was found.\nPlease check\n\nmore of it\n-----\n"
	              "-----\nAn internal error has occurred.\n-----\n",
	              first, "No \"srun\" was found. Please check"},
	             {"-----\nWARNING: slow\n-----\none\n-----\nmpirun noticed that rank 1\nwas "
	              "killed\n-----\n",
	              last, "was killed"},
	             /* MPICH's */
	             {"[mpiexec@h] match_arg (args.c:163): unrecognized argument mca\n"
	              "[mpiexec@h] main (mpiexec.c:127): error parsing parameters\n",
	              first, "[mpiexec@h] match_arg (args.c:163): unrecognized argument mca"},
	             {"\n=====\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=====\n"
	              "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n"
	              "Please see the FAQ page for debugging suggestions\n",
	              first, "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)"},
	             {"Abort(7) on node 0 (rank 0 in comm 0): Fatal error in internal_Bcast: x\n"
	              "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Hangup (signal 1)\n",
	              first,
	              "Abort(7) on node 0 (rank 0 in comm 0): Fatal error in internal_Bcast: x"},
	             {"one\ntwo\n---\n", last, "two"},
	             {"", "", ""}};
	char text[600];
	char *log = test_text("%s/log", folder);
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		cli_write(folder, "log", cases[i].log);
		job_error(&(struct job_result){JOB_TIMED_OUT, 0}, 9, log, text, sizeof text);
		assert_prints(text, "timed out after 9 s (timeout = …)%s%s", cases[i].as,
		              cases[i].cause);
		job_error(&(struct job_result){JOB_EXITED, 1}, 9, log, text, sizeof text);
		assert_string_equal(text, *cases[i].cause ? cases[i].cause
		                                          : "the job exited without output");
	}
}

TESTS(.before = set_up, .after = tear_down);
